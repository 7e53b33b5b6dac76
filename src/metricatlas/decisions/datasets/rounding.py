"""Values that differ by rounding alone are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array


def settled(values: Array, noise: Array | float) -> Array:
    """Make values along the first axis equal where no gap between them is above the noise.

    0.9 - 0.8 and 0.8 - 0.7 are not the same number, although one means them to be: a test that
    counts ties would miss this one.

    >>> settled(np.array([0.9 - 0.8, 0.8 - 0.7, 0.2]), 1e-15).round(3).tolist()
    [0.1, 0.1, 0.2]
    >>> len(set(settled(np.array([0.9 - 0.8, 0.8 - 0.7, 0.2]), 1e-15).tolist()))
    2
    """
    order = np.argsort(values, axis=0, kind="stable")
    ascending = np.take_along_axis(values, order, axis=0)
    starts = np.zeros(values.shape, dtype=np.intp)
    with np.errstate(invalid="ignore"):
        apart = np.diff(ascending, axis=0) > noise
    # Equal infinite values have no gap, and undefined values, which come last, stay undefined.
    places = np.arange(1, len(values)).reshape(-1, *[1] * (values.ndim - 1))
    starts[1:] = np.where(apart, places, 0)
    merged = np.take_along_axis(ascending, np.maximum.accumulate(starts, axis=0), axis=0)
    found = np.empty(values.shape)
    np.put_along_axis(found, order, merged, axis=0)
    return np.where(np.isnan(values), np.nan, found)
