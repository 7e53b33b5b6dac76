"""Weights: positive masses of the rows. A row of weight 0 is a row that is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.labels import settled

if TYPE_CHECKING:
    from metricatlas.predictions.containers import Table
    from metricatlas.predictions.model import Array

#: A measure multiplies up to four masses.
LEAST, MOST = 1e-60, 1e60


def read_weights(table: Table) -> tuple[Array | None, Array | None]:
    """Numbers of the rows that have weight, if not all, and their weights, if not all 1."""
    what = Input("sample_weight")
    given = settled(table.values[np.newaxis], what)
    if given.dtype.kind not in "biuf":
        msg = (
            f"{what} must be numbers; got text or another type, {given.dtype}. Convert them first."
        )
        raise PredictionError(msg)
    weights = np.ascontiguousarray(given, dtype=np.float64)
    _check(weights, what)
    kept = None if weights.all() else np.flatnonzero(weights)
    weights = weights[0] if kept is None else weights[0, kept]
    return kept, None if (weights == 1).all() else weights


def _check(weights: Array, what: Input) -> None:
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        weight = weights.flat[int(np.argmax(wrong))]
        msg = (
            f"{what} must be finite and not negative; got {int(wrong.sum())} other(s), the first "
            f"{weight} in {what.first(wrong)}. Drop or correct these rows."
        )
        raise PredictionError(msg)
    if not weights.any():
        msg = (
            f"{what} must be positive somewhere; all {weights.size} are 0, so no row is left. "
            f"Give some row a weight, or leave sample_weight= out."
        )
        raise PredictionError(msg)
    least, most = weights[weights > 0].min(), weights.max()
    if least < LEAST or most > MOST:
        msg = (
            f"{what} must be 0 or lie between {LEAST:g} and {MOST:g}, so that products of masses "
            f"are finite; got {least:g} to {most:g}. Scale them."
        )
        raise PredictionError(msg)
