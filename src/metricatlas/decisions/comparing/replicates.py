"""The values of all models in all resamples, and what their comparison reads off them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.datasets.rounding import settled
from metricatlas.evaluation.resampled import evaluate_resamples
from metricatlas.measurements.columns import oriented_values
from metricatlas.progress import progress
from metricatlas.summaries.draws import Bootstrap, Deletions

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from metricatlas.evaluation.engine import Asked
    from metricatlas.measurements import Column, Measurements
    from metricatlas.predictions import Block
    from metricatlas.summaries.draws import Draws
    from metricatlas.summaries.facts import Array

#: Blocks of examples that are left out in turn.
BLOCKS = 100
#: Resamples that are evaluated at once, so that memory does not grow with their number.
TOGETHER = 250
#: Values that are nearer to each other than this, as a share of the largest, differ by rounding.
SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Replicates:
    """Values of k models under m measures, as they are and in r resamples."""

    schema: tuple[Column, ...]
    #: (k, m), and (k, r, m).
    points: Array
    values: Array
    #: The levels of two-level measures by column, oriented: (k, 2), and (k, r, 2).
    levels: Mapping[int, tuple[Array, Array]]
    #: The values without one block of examples each, (k, blocks, m); none where nobody asks.
    without: Array | None

    @cached_property
    def upright(self) -> Array:
        """The resampled values, so that higher is better."""
        return oriented_values(self.values, self.schema)

    @cached_property
    def upright_points(self) -> Array:
        """The values, so that higher is better."""
        return oriented_values(self.points, self.schema)

    @cached_property
    def _order(self) -> Array:
        """The resampled values by which models are ranked: those that differ by rounding tie."""
        return _ranked(self.upright)

    @cached_property
    def _point_order(self) -> Array:
        return _ranked(self.upright_points)

    @cached_property
    def _level_orders(self) -> dict[int, tuple[Array, Array]]:
        return {column: (_ranked(a), _ranked(b)) for column, (a, b) in self.levels.items()}

    def signs(self, one: int, other: int) -> Array:
        """Say of each resample and measure which model is better: 1, -1, or 0; (r, m)."""
        signs = np.sign(_gap(self._order[one], self._order[other]))
        for column, (_, levels) in self._level_orders.items():
            first, second = (np.sign(_gap(levels[one, :, i], levels[other, :, i])) for i in (0, 1))
            signs[:, column] = np.where(first == 0, second, first)
        return signs

    def best(self) -> Array:
        """Return the share of resamples in which each model is the best, (k, m); ties share.

        Models of which a measure says nothing do not take part under it.
        """
        lacking = np.isnan(self.upright_points)[:, np.newaxis]
        order = np.where(lacking, -np.inf, self._order)
        first = _is_best(order) & ~lacking
        for column, (_, levels) in self._level_orders.items():
            there = ~lacking[:, :, column]
            by_first = _is_best(np.where(there, levels[:, :, 0], -np.inf)) & there
            second = np.where(by_first, levels[:, :, 1], -np.inf)
            first[:, :, column] = by_first & _is_best(second)
        defined = ~np.isnan(order).any(axis=0) & first.any(axis=0)
        with np.errstate(invalid="ignore"):
            shares = first / first.sum(axis=0)
            found: Array = np.where(defined, shares, 0.0).sum(axis=1) / defined.sum(axis=0)
        return found

    def winner(self, column: int) -> list[int]:
        """Rank the models under a measure, the best first; without a value last."""
        if column in self.levels:
            first, second = self._level_orders[column][0].T
        else:
            first = second = self._point_order[:, column]
        keys = (-np.nan_to_num(second, nan=-np.inf), -np.nan_to_num(first, nan=-np.inf))
        return [int(i) for i in np.lexsort(keys)]

    def tied(self, model: int, column: int) -> int:
        """Count the models that are as good as one; of two-level measures in both levels."""
        if column in self.levels:
            pairs = self._level_orders[column][0]
            return int((pairs == pairs[model]).all(axis=1).sum())
        order = self._point_order[:, column]
        return int((order == order[model]).sum())


def _ranked(values: Array) -> Array:
    """The same values, but equal along the first axis where they differ by rounding alone."""
    size = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=0)
    return settled(values, SAME * size)


def _gap(one: Array, other: Array) -> Array:
    """The difference, where equal infinities differ by nothing."""
    with np.errstate(invalid="ignore"):
        return np.where((one == other) & ~np.isnan(one), 0.0, one - other)


def _is_best(values: Array) -> Array:
    with np.errstate(invalid="ignore"):
        return np.asarray(values == np.max(values, axis=0))


@dataclass(frozen=True)
class Scheme:
    """How examples are drawn."""

    resamples: int
    seed: int
    stratified: bool
    #: Whether blocks of examples are left out in turn, too.
    jackknife: bool


def replicates(
    table: Measurements, blocks: Sequence[Block], asked: Asked, scheme: Scheme
) -> Replicates:
    """Evaluate the resamples; the table has the values as they are, models outermost."""
    segments = blocks[0][1].segments
    models = len(table) // segments
    seeds = np.random.SeedSequence(scheme.seed).spawn(segments)
    points = _mean(table.values.reshape(models, segments, -1), 1)
    lots, removed = [], []
    with progress("Resampling", segments * scheme.resamples) as tell:
        for number, seed in enumerate(seeds):
            own = [_of_segment(block, number) for block in blocks]
            drawn, shuffled = seed.spawn(2)
            draws = _bootstrap(own[0][1], scheme, drawn)
            lots.append(
                _values(
                    own,
                    asked,
                    draws,
                    models,
                    lambda done, n=number: tell(  # type: ignore[misc]
                        n * scheme.resamples + done
                    ),
                )
            )
            if scheme.jackknife:
                left_out = _deletions(own[0][1], np.random.default_rng(shuffled))
                removed.append(_values(own, asked, left_out, models, lambda _done: None)[0])
    levels = {
        column: (
            _mean(table.levels(column).reshape(models, segments, 2), 1),
            _mean(np.stack([pairs[column] for _, pairs in lots]), 0),
        )
        for column in table.pairs
    }
    values = _mean(np.stack([values for values, _ in lots]), 0)
    without = _changes(removed, table.values.reshape(models, segments, -1)) if removed else None
    return Replicates(table.schema, points, values, levels, without)


def _mean(table: Array, axis: int) -> Array:
    """Average over the groups in which a value is defined."""
    if table.shape[axis] == 1:
        return np.asarray(table.take(0, axis=axis))
    known = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, table, 0.0).sum(axis=axis) / known.sum(axis=axis))


def _changes(removed: list[Array], values: Array) -> Array:
    """Put the jackknife of every group into one, as changes of the mean over the groups."""
    with np.errstate(invalid="ignore"):
        changes = [(own - values[:, i, np.newaxis]) for i, own in enumerate(removed)]
    return np.concatenate(changes, axis=1) / len(removed)


def _of_segment(block: Block, number: int) -> Block:
    """One segment of a block; its numbers are those of the models."""
    rows, predictions = block
    own = rows.reshape(predictions.models, predictions.segments)[:, number]
    return own // predictions.segments, predictions.segment(number)


def _bootstrap(predictions: Any, scheme: Scheme, seed: np.random.SeedSequence) -> Bootstrap:
    truth = predictions.truth[0].astype(np.int64)
    strata = np.unique(truth, return_inverse=True)[1] if scheme.stratified else np.zeros_like(truth)
    seeds = seed.generate_state(scheme.resamples, np.uint64)
    return Bootstrap.of(strata, predictions.clusters, seeds)


def _deletions(predictions: Any, rng: np.random.Generator) -> Deletions:
    units = predictions.clusters
    if units is None:
        units = np.arange(predictions.truth.shape[1], dtype=np.int32)
    count = int(units.max()) + 1
    blocks = rng.permutation(np.arange(count) % min(count, BLOCKS))
    return Deletions(units.astype(np.int32), blocks)


def _values(
    blocks: Sequence[Block],
    asked: Asked,
    draws: Draws,
    models: int,
    tell: Callable[[int], None],
) -> tuple[Array, dict[int, Array]]:
    """Values (k, r, m), and the levels of pairs (k, r, 2)."""
    lots = []
    for first in range(0, draws.times, TOGETHER):
        lots.append(evaluate_resamples(blocks, asked, draws.some(slice(first, first + TOGETHER))))
        tell(min(first + TOGETHER, draws.times))
    values = np.concatenate(
        [lot.values.reshape(models, -1, lot.values.shape[1]) for lot in lots], 1
    )
    levels = {
        column: np.concatenate([lot.levels[column].reshape(models, -1, 2) for lot in lots], 1)
        for column in lots[0].levels
    }
    return values, levels
