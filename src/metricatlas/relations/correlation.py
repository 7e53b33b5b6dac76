"""Correlation matrices of the columns of one group of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from metricatlas.relations.agreement import Agreement
from metricatlas.relations.counting import (
    FEW_TOGETHER,
    counted_places,
    counted_together,
    in_places,
)

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

Method = Literal["pearson", "spearman", "kendall"]
METHODS: tuple[Method, ...] = ("pearson", "spearman", "kendall")
#: Fewer rows say nothing: two always lie on a line.
FEWEST = 3


def correlations(values: Array, method: Method) -> Array:
    """Correlate columns; of two with undefined values the rows in which both are defined count.

    NaN where a column is constant, where fewer than three rows count, and for Pearson where a value
    is infinite.
    """
    missing = np.isnan(values)
    if not missing.any():
        return _complete(values, method)
    found = np.full((values.shape[1],) * 2, np.nan)
    masks, kind = np.unique(missing, axis=1, return_inverse=True)
    members = [np.flatnonzero(kind.ravel() == i) for i in range(masks.shape[1])]
    for i, some in enumerate(members):
        for j, others in enumerate(members[: i + 1]):
            both = np.union1d(some, others)
            part = _complete(values[~(masks[:, i] | masks[:, j])][:, both], method)
            rows, columns = np.searchsorted(both, some), np.searchsorted(both, others)
            block = part[np.ix_(rows, columns)]
            found[np.ix_(some, others)] = block
            found[np.ix_(others, some)] = block.T
    return found


def _complete(values: Array, method: Method) -> Array:
    """Correlate columns without undefined values."""
    if len(values) < FEWEST:
        return np.full((values.shape[1],) * 2, np.nan)
    found = {"pearson": _pearson, "spearman": _spearman, "kendall": _kendall}[method](values)
    varies = ~(values == values[0]).all(axis=0)
    own = np.diagonal(found)
    np.fill_diagonal(found, np.where(np.isnan(own), np.nan, 1.0))
    found[~varies] = np.nan
    found[:, ~varies] = np.nan
    return found


def _pearson(values: Array) -> Array:
    finite = np.isfinite(values).all(axis=0)
    used = np.where(finite, values, 0.0)
    # Scaled first: squares of the largest floats have no room.
    size = np.abs(used).max(axis=0)
    away = used / np.where(size > 0, size, 1.0)
    away = away - away.mean(axis=0)
    found = _from_products(away.T @ away)
    found[~finite] = np.nan
    found[:, ~finite] = np.nan
    return found


def _spearman(values: Array) -> Array:
    ranks = np.stack([doubled_ranks(column) for column in values.T], axis=1)
    # Whole numbers that add up to nothing: their products are exact, in any order.
    away = ranks - (len(values) + 1)
    return _from_products(away.T @ away)


def _from_products(products: Array) -> Array:
    variance = np.diagonal(products)
    with np.errstate(invalid="ignore", divide="ignore"):
        # One root of the product, so that the same column twice gives exactly 1.
        found: Array = products / np.sqrt(np.multiply.outer(variance, variance))
    return np.clip(found, -1.0, 1.0)


def doubled_ranks(values: Array) -> Array:
    """Twice the ranks from 1 on, ties at their mean: whole numbers."""
    places, _ = in_places(values)
    counts = np.bincount(places)
    ends = np.add.accumulate(counts)
    doubled: Array = (2 * ends - counts + 1).astype(np.float64)[places]
    return doubled


def _kendall(values: Array) -> Array:
    if len(values) <= FEW_TOGETHER:
        same, opposite, first, second, _ = counted_together(values)
        by_f, by_g = same + opposite + first, same + opposite + second
        with np.errstate(invalid="ignore", divide="ignore"):
            tau: Array = (same - opposite) / np.sqrt(by_f * by_g)
        return np.clip(tau, -1.0, 1.0)
    columns = [in_places(column) for column in values.T]
    found = np.ones((len(columns),) * 2)
    for i, (places, order) in enumerate(columns):
        for j in range(i):
            pairs = Agreement(*counted_places(places, columns[j][0], order))
            found[i, j] = found[j, i] = pairs.kendall
    return found
