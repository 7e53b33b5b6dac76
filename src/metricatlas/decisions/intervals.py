"""Intervals: of resampled values, and of shares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

Method = Literal["percentile", "basic", "bca"]
#: Of more resamples than these a value must be defined, or there is no interval.
ENOUGH = 0.5
#: Values that are farther apart than this, as a share of them, are different.
SAME = 1e-12


def interval(
    method: Method,
    resampled: Array,
    value: Array,
    level: float,
    without: Array | None = None,
) -> tuple[Array, Array]:
    """Lower and upper ends of intervals, from resampled values along the first axis.

    "percentile" cuts off the outer resamples; "basic" mirrors them at the value; "bca" (Efron 1987)
    corrects their bias and skewness, the latter from the values `without` a block of examples each.
    Resamples in which the value is undefined are left out; where these are half or more there is
    no interval, and none either where the value itself is undefined.
    """
    ordered = np.sort(resampled, axis=0)
    count = np.isfinite(ordered).sum(axis=0) + np.isinf(ordered).sum(axis=0)
    tail = (1 - level) / 2
    tails: tuple[Array, Array] = (np.full(value.shape, tail), np.full(value.shape, 1 - tail))
    if method == "bca" and without is not None:
        tails = _corrected(ordered, count, value, without, tails)
    low, high = _at(ordered, count, tails[0], -1), _at(ordered, count, tails[1], 1)
    if method == "basic":
        with np.errstate(invalid="ignore"):
            low, high = 2 * value - high, 2 * value - low
    known = (count > ENOUGH * len(resampled)) & ~np.isnan(value)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


def _at(ordered: Array, count: Array, share: Array, side: int) -> Array:
    """The value with a share of the others below it: one of them, the outer of two neighbours."""
    place = share * (count + 1) - 1
    # Shares come from sums and products: what is whole but for rounding is whole.
    near = np.rint(place)
    outer = np.floor(place) if side < 0 else np.ceil(place)
    place = np.where(np.abs(place - near) < 1e-9 * (count + 1), near, outer)
    index = np.nan_to_num(place).clip(0, np.maximum(count - 1, 0)).astype(np.intp)
    found: Array = np.take_along_axis(ordered, index[np.newaxis], axis=0)[0]
    return np.where(np.isnan(share), np.nan, found)


def _corrected(
    ordered: Array, count: Array, value: Array, without: Array, tails: tuple[Array, Array]
) -> tuple[Array, Array]:
    from scipy.special import ndtr, ndtri

    with np.errstate(all="ignore"):
        # Sums that differ in their last digits only are equal.
        same = np.abs(ordered - value) <= SAME * np.maximum(np.abs(value), np.abs(ordered))
        same |= ordered == value
        below = (~same & (ordered < value)).sum(axis=0) + 0.5 * same.sum(axis=0)
        bias = ndtri(below / count)
        # A value that no resample reaches says nothing of the bias but its sign.
        bias = np.clip(bias, ndtri(0.5 / count), ndtri(1 - 0.5 / count))
        known = ~np.isnan(without)
        away = np.where(known, without, 0.0).sum(axis=0) / known.sum(axis=0) - without
        squares = np.nansum(np.square(away), axis=0)
        skew = np.nansum(away**3, axis=0) / (6 * squares**1.5)
        skew = np.where(np.isfinite(skew), skew, 0.0)
        found = []
        for tail in tails:
            moved = bias + ndtri(tail)
            found.append(ndtr(bias + moved / (1 - skew * moved)))
    return found[0], found[1]


def wilson(share: Array, count: Array, level: float) -> tuple[Array, Array]:
    """Wilson's interval of a share of so many.

    >>> low, high = wilson(np.array(0.5), np.array(10), 0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.2366, 0.7634)
    """
    from scipy.special import ndtri

    z = ndtri(0.5 + level / 2)
    with np.errstate(all="ignore"):
        square = z * z / count
        centre = (share + square / 2) / (1 + square)
        half = z * np.sqrt(share * (1 - share) / count + square / (4 * count)) / (1 + square)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
