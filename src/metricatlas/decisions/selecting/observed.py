"""What measures make of all models on many samples of the same test set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.datasets.rounding import settled
from metricatlas.evaluation.engine import fill
from metricatlas.measurements.columns import oriented_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.predictions import Predictions
    from metricatlas.summaries.facts import Array

    Blocks = Sequence[tuple[Array, Predictions]]

#: Numbers that are evaluated at a time at most, but for those of a single model.
TOGETHER = 1_000_000
#: Values that are nearer to each other than this, as a share of the largest, differ by rounding.
SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Observed:
    """Repetitions by measures by models."""

    #: As measured; NaN where undefined.
    values: Array
    #: Turned so that higher is better.
    oriented: Array
    #: What models are compared by: oriented values, equal where they differ by rounding alone; of
    #: two-level measures the places of the pairs.
    order: Array


def observe(blocks: Blocks, rows: Array, asked: tuple[Any, ...]) -> Observed:
    """Evaluate all models on samples of rows, repetitions by rows."""
    count, models = len(rows), sum(block.models for _, block in blocks)
    values = np.empty((count, len(asked), models))
    oriented = np.empty_like(values)
    pairs: dict[int, Array] = {}
    for members, block in blocks:
        width = block.values[0, :1].size
        together = max(1, TOGETHER // (rows.size * width))
        for first in range(0, block.models, together):
            some = slice(first, min(first + together, block.models))
            places = members[some]
            filled = fill(_sampled(block, some, rows), asked)
            turned = oriented_values(filled.values, filled.schema)
            for table, found in ((values, filled.values), (oriented, turned)):
                by_model = found.reshape(len(places), count, len(asked))
                table[:, :, places] = np.moveaxis(by_model, 0, 2)
            for column, levels in filled.levels.items():
                both = pairs.setdefault(column, np.empty((count, models, 2)))
                both[:, places] = np.moveaxis(levels.reshape(len(places), count, 2), 0, 1)
    order = _told_apart(oriented)
    for column, both in pairs.items():
        levels = np.moveaxis(_told_apart(np.moveaxis(both, 1, 2)), 2, 1)
        order[:, column] = np.where(np.isnan(oriented[:, column]), np.nan, _places(levels))
    return Observed(values, oriented, order)


def _told_apart(values: Array) -> Array:
    """The same values along the last axis, but for what differs by rounding alone."""
    size = np.abs(np.where(np.isfinite(values), values, 0.0)).max(axis=-1)
    return np.moveaxis(settled(np.moveaxis(values, -1, 0), SAME * size), 0, -1)


def _sampled(block: Predictions, some: slice, rows: Array) -> Predictions:
    """Some models on samples: each sample of each model as a model of its own."""
    values = block.values[some].take(rows, axis=1)
    truth = block.truth[0].take(rows)
    models, length = len(values), rows.shape[1]
    return replace(
        block,
        values=values.reshape(-1, length, *values.shape[3:]),
        truth=np.tile(truth, (models, 1)),
        starts=np.array([0, length], dtype=np.int64),
    )


def _places(pairs: Array) -> Array:
    """Number pairs from the worst on within each row; equal pairs have the same number."""
    first, second = pairs[..., 0], pairs[..., 1]
    order = np.lexsort((second, first), axis=-1)
    first, second = (np.take_along_axis(level, order, axis=1) for level in (first, second))
    more = (first[:, 1:] != first[:, :-1]) | (second[:, 1:] != second[:, :-1])
    found = np.zeros(order.shape)
    np.put_along_axis(found, order[:, 1:], more.cumsum(axis=1), axis=1)
    return found
