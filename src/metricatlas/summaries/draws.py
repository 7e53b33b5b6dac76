"""Which examples are drawn, how often, in each resample: counts, not copies."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

#: Counts that are kept at most, and that are drawn at once.
KEPT, TOGETHER = 1 << 27, 1 << 16


class Draws(Protocol):
    """Resamples of the same examples. What is drawn at once, an example or a cluster, is a unit."""

    @property
    def units(self) -> Array:
        """The unit of each example."""

    @property
    def size(self) -> int:
        """How many units."""

    @property
    def times(self) -> int:
        """How many resamples."""

    @property
    def constant(self) -> bool:
        """Whether every resample has as many examples as there are."""

    def counts(self, part: slice) -> Array:
        """How often each unit is drawn in some of the resamples, (resamples, units)."""

    def some(self, part: slice) -> Draws:
        """Some of the resamples."""


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """As many units as there are, with replacement, within each stratum; a seed a resample."""

    units: Array
    #: Where each stratum's units begin, and where the last ends.
    starts: Array
    seeds: Array
    constant: bool

    @classmethod
    def of(cls, strata: Array, clusters: Array | None, seeds: Array) -> Bootstrap:
        """Draws of the examples, or clusters, of each stratum; both are numbered from 0 on.

        A cluster belongs to the stratum of its first example.
        """
        if clusters is None:
            clusters = first = np.arange(len(strata))
        else:
            _, first = np.unique(clusters, return_index=True)
        stratum = strata[first]
        # Units of a stratum lie together.
        place = np.empty(len(first), dtype=np.int32)
        place[np.argsort(stratum, kind="stable")] = np.arange(len(first))
        starts = np.concatenate([[0], np.cumsum(np.bincount(stratum))]).astype(np.int64)
        units = place[clusters]
        return cls(units, starts, seeds.astype(np.uint64), constant=len(first) == len(strata))

    @property
    def size(self) -> int:
        """How many units."""
        return int(self.starts[-1])

    @property
    def times(self) -> int:
        """How many resamples."""
        return len(self.seeds)

    def counts(self, part: slice) -> Array:
        """How often each unit is drawn in some of the resamples, (resamples, units)."""
        from metricatlas.summaries.kernels.resampling_scan import draw

        found = np.empty((len(self.seeds[part]), self.size), dtype=np.uint8)
        draw(self.seeds[part], self.starts, found)
        return found

    def some(self, part: slice) -> Bootstrap:
        """Some of the resamples."""
        return replace(self, seeds=self.seeds[part])


@dataclass(frozen=True, eq=False)
class Deletions:
    """All units but those of one block, for each block."""

    units: Array
    #: The block of each unit.
    blocks: Array
    #: Which blocks are left out in turn; all if not said.
    turns: Array | None = None
    constant: bool = False

    @property
    def size(self) -> int:
        """How many units."""
        return len(self.blocks)

    @property
    def left_out(self) -> Array:
        """The block that each resample leaves out."""
        return np.arange(int(self.blocks.max()) + 1) if self.turns is None else self.turns

    @property
    def times(self) -> int:
        """How many blocks are left out."""
        return len(self.left_out)

    def counts(self, part: slice) -> Array:
        """Return 1 for each unit that is kept, 0 for those of the block."""
        return (self.blocks != self.left_out[part, np.newaxis]).astype(np.uint8)

    def some(self, part: slice) -> Deletions:
        """Some of the resamples."""
        return replace(self, turns=self.left_out[part])


def kept(draws: Draws, workers: int) -> Draws:
    """The same draws, drawn once and for all if there is room for them."""
    if draws.times * draws.size > KEPT:
        return draws
    step = max(1, TOGETHER // draws.size)
    parts = [slice(first, first + step) for first in range(0, draws.times, step)]
    if workers == 1:
        return Kept(draws, np.concatenate([draws.counts(part) for part in parts]))
    with ThreadPoolExecutor(workers) as pool:
        return Kept(draws, np.concatenate(list(pool.map(draws.counts, parts))))


@dataclass(frozen=True, eq=False)
class Kept:
    """Draws whose counts are kept."""

    draws: Draws
    table: Array

    @property
    def units(self) -> Array:
        """The unit of each example."""
        return self.draws.units

    @property
    def size(self) -> int:
        """How many units."""
        return self.draws.size

    @property
    def times(self) -> int:
        """How many resamples."""
        return self.draws.times

    @property
    def constant(self) -> bool:
        """Whether every resample has as many examples as there are."""
        return self.draws.constant

    def counts(self, part: slice) -> Array:
        """How often each unit is drawn in some of the resamples, (resamples, units)."""
        return self.table[part]

    def some(self, part: slice) -> Kept:
        """Some of the resamples."""
        return Kept(self.draws.some(part), self.table[part])


@dataclass(frozen=True, eq=False)
class Members:
    """The draws of some of the examples."""

    draws: Draws
    units: Array
    constant: bool = False

    @property
    def size(self) -> int:
        """How many units."""
        return self.draws.size

    @property
    def times(self) -> int:
        """How many resamples."""
        return self.draws.times

    def counts(self, part: slice) -> Array:
        """How often each unit is drawn in some of the resamples, (resamples, units)."""
        return self.draws.counts(part)

    def some(self, part: slice) -> Members:
        """Some of the resamples."""
        return replace(self, draws=self.draws.some(part))
