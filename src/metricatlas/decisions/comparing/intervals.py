"""Intervals: of resampled values, and of shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

Method = Literal["percentile", "basic", "bca"]
#: Of more resamples than these a value must be defined, or there is no interval.
ENOUGH = 0.5
#: Resamples beyond this share of half of them, on one side of the value, are no chance.
ONE_SIDED = 0.2
#: Values that are farther apart than this, as a share of them, are different.
SAME = 1e-12


@dataclass(frozen=True, eq=False)
class Resampled:
    """Values in resamples, along the first axis, and what else intervals are made of."""

    values: Array
    #: As it is.
    value: Array
    #: Without a block of examples each; for "bca" only.
    without: Array | None = None

    @cached_property
    def _ordered(self) -> Array:
        return np.sort(self.values, axis=0)

    @cached_property
    def _count(self) -> Array:
        """In how many resamples the value is defined."""
        return np.asarray((~np.isnan(self.values)).sum(axis=0))

    @cached_property
    def below(self) -> Array:
        """The share of resamples below the value; equal ones count half."""
        # Sums that differ in their last digits only are equal.
        with np.errstate(all="ignore"):
            largest = np.maximum(np.abs(self.value), np.abs(self._ordered))
            same = np.abs(self._ordered - self.value) <= SAME * largest
            same |= self._ordered == self.value
            less = (~same & (self._ordered < self.value)).sum(axis=0)
            return np.asarray((less + 0.5 * same.sum(axis=0)) / self._count)

    @property
    def biased(self) -> Array:
        """Where most resamples lie on one side: drawing anew moves the value, as drawing did."""
        return np.abs(self.below - 0.5) > ONE_SIDED

    def interval(self, method: Method, level: float) -> tuple[Array, Array]:
        """Lower and upper ends.

        "percentile" cuts off the outer resamples; "basic" mirrors them at the value; "bca" (Efron
        1987) corrects their bias and skewness. Resamples in which the value is undefined are left
        out; where these are half or more there is no interval, and none either where the value
        itself is undefined.
        """
        tail = (1 - level) / 2
        tails: tuple[Array, Array] = tuple(np.full(self.value.shape, t) for t in (tail, 1 - tail))  # type: ignore[assignment]
        if method == "bca" and self.without is not None:
            tails = self._corrected(self.without, tails)
        low, high = (
            _at(self._ordered, self._count, share, side)
            for share, side in zip(tails, (-1, 1), strict=True)
        )
        if method == "basic":
            with np.errstate(invalid="ignore"):
                low, high = 2 * self.value - high, 2 * self.value - low
        known = (self._count > ENOUGH * len(self.values)) & ~np.isnan(self.value)
        return np.where(known, low, np.nan), np.where(known, high, np.nan)

    def _corrected(self, without: Array, tails: tuple[Array, Array]) -> tuple[Array, Array]:
        from scipy.special import ndtr, ndtri

        count = self._count
        with np.errstate(all="ignore"):
            # A value that no resample reaches says nothing of the bias but its sign.
            bias = np.clip(ndtri(self.below), ndtri(0.5 / count), ndtri(1 - 0.5 / count))
            known = ~np.isnan(without)
            away = np.where(known, without, 0.0).sum(axis=0) / known.sum(axis=0) - without
            squares = np.nansum(np.square(away), axis=0)
            skew = np.nansum(away**3, axis=0) / (6 * squares**1.5)
            skew = np.where(np.isfinite(skew), skew, 0.0)
            moved = [bias + ndtri(tail) for tail in tails]
            low, high = (ndtr(bias + m / (1 - skew * m)) for m in moved)
        return low, high


def interval(
    method: Method, resampled: Array, value: Array, level: float, without: Array | None = None
) -> tuple[Array, Array]:
    """Lower and upper ends of intervals, by one method; see `Resampled.interval`."""
    return Resampled(resampled, value, without).interval(method, level)


def automatic(
    resampled: Resampled, level: float, lower: Array, upper: Array
) -> tuple[Array, Array, list[Method]]:
    """Intervals by "bca", and by "basic" where the value is biased, with the method of each.

    A calibration error is larger on a test set than in the long run, and larger still when that is
    drawn anew: "bca" takes the second shift for the first and goes the wrong way. Mirrored ends are
    cut to the measure's range.
    """
    biased = resampled.biased
    low, high = resampled.interval("bca", level)
    # Either end may lie beyond either bound: of a value of 0 both are mirrored below it.
    ends = [np.clip(end, lower, upper) for end in resampled.interval("basic", level)]
    low, high = (np.where(biased, *both) for both in zip(ends, (low, high), strict=True))
    return low, high, ["basic" if mirrored else "bca" for mirrored in biased.tolist()]


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
