"""Small samples of a large test set, and the rows that are left to judge by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import DecisionError
from metricatlas.predictions.numbers import is_whole, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array

#: The sizes of small samples where none are asked for, as far as they fit.
SIZES = (25, 50, 100, 200, 500, 1000)


@dataclass(frozen=True, eq=False)
class Subsamples:
    """How small samples are drawn: from each stratum so many rows, for each size.

    The samples of a repetition lie in each other, as far as whole numbers of each class allow. All
    are judged by the same rows, those that none of them has.
    """

    sizes: tuple[int, ...]
    #: The rows of each class, or all rows.
    strata: tuple[Array, ...]
    #: Sizes by strata: how many rows of each.
    counts: Array

    @classmethod
    def of(cls, truth: Array, names: Sequence[Any], sizes: Any, *, stratified: bool) -> Subsamples:
        """Check sizes, and share them among the classes."""
        classes = np.unique(truth) if stratified else None
        strata = (
            (np.arange(len(truth)),)
            if classes is None
            else tuple(np.flatnonzero(truth == code) for code in classes)
        )
        masses = np.array([len(stratum) for stratum in strata])
        told = [] if classes is None else [names[code] for code in classes]
        asked = _fitting(masses) if sizes is None else _checked(sizes, masses, told)
        return cls(asked, strata, np.array([_shared(size, masses) for size in asked]))

    @property
    def drawn(self) -> Array:
        """How many rows of each stratum belong to a small sample of any size."""
        return self.counts.max(axis=0)

    @property
    def left(self) -> int:
        """How many rows are judged by."""
        return sum(map(len, self.strata)) - int(self.drawn.sum())

    def draw(self, rng: np.random.Generator, count: int) -> tuple[list[Array], Array]:
        """Draw small samples of each size, repetitions by rows, and the rows that are left."""
        mixed = [
            rng.permuted(np.broadcast_to(rows, (count, len(rows))), axis=1) for rows in self.strata
        ]
        small = [
            np.concatenate([m[:, :k] for m, k in zip(mixed, own, strict=True)], axis=1)
            for own in self.counts
        ]
        drawn = zip(mixed, self.drawn, strict=True)
        return small, np.concatenate([m[:, k:] for m, k in drawn], axis=1)


def _shared(size: int, masses: Array) -> Array:
    """So many rows of each class that the shares stay, by the largest remainder."""
    # Whole numbers: a half must not be a matter of rounding.
    counts, remainders = np.divmod(size * masses, masses.sum())
    order = np.argsort(-remainders, kind="stable")
    counts[order[: size - counts.sum()]] += 1
    return counts


def _fits(size: int, masses: Array) -> bool:
    """Whether every stratum has some rows in a small sample, and some outside."""
    counts = _shared(size, masses)
    return bool((counts >= 1).all() and (counts < masses).all())


def _fitting(masses: Array) -> tuple[int, ...]:
    most = int(masses.sum()) // 2
    found = tuple(size for size in SIZES if size <= most and _fits(size, masses))
    if not found:
        msg = (
            f"sizes must be named for a test set of {masses.sum()} examples: of the usual ones, "
            f"{', '.join(map(str, SIZES))}, none is at most half of it with examples of every "
            f"class in both parts."
        )
        raise DecisionError(msg)
    return found


def _checked(sizes: Any, masses: Array, told: Sequence[Any]) -> tuple[int, ...]:
    given, every = listed(sizes), int(masses.sum())
    if not given or not all(is_whole(size) and size >= 1 for size in given):
        msg = f"sizes must be whole numbers from 1 on; got {given}."
        raise DecisionError(msg)
    if len(set(given)) < len(given):
        msg = f"sizes must be there once each; got {given}."
        raise DecisionError(msg)
    if max(given) > every // 2:
        msg = (
            f"sizes must be at most half of the test set, {every // 2} of {every} examples, since "
            f"the rest is what models are judged by; got {max(given)}. Draw smaller samples, or "
            f"bring a larger test set."
        )
        raise DecisionError(msg)
    for size in given:
        if not _fits(size, masses):
            rare = int(np.argmin(masses))
            msg = (
                f"stratified samples must have examples of every class, and leave some to judge "
                f"by; of {every} examples {masses[rare]} are of class {told[rare]!r}, too few for "
                f"samples of {size}. Take other sizes, or stratified=False."
            )
            raise DecisionError(msg)
    return tuple(map(int, given))
