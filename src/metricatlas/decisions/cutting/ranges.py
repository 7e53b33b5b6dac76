"""Ranges of an axis along which one of two models is better throughout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.curves import Curve
    from metricatlas.summaries.facts import Array

#: Differences up to here come from rounding.
NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Ranges:
    """Neighbouring ranges; in each one model is better, or neither."""

    #: Where they begin, and where the last ends.
    bounds: Array
    #: 1 where the first model is better, -1 where the other one is, 0 where neither.
    signs: Array
    #: The difference in each range: its mean, the largest, and where that is.
    mean: Array
    most: Array
    peaks: Array


def of_curves(one: Curve, other: Curve) -> Ranges:
    """The ranges in which one curve is above the other, exactly from crossing to crossing."""
    x, gap = _with_crossings(np.union1d(one.x, other.x), one, other)
    # Between neighbours the gap does not change its sign, so it has that of either end.
    signs = np.sign(gap[1:] + gap[:-1])
    first = np.flatnonzero(np.append(True, signs[1:] != signs[:-1]))
    bounds = x[np.append(first, len(x) - 1)]
    most, peaks = np.empty((2, len(first)))
    for i, (low, high) in enumerate(zip(first, np.append(first[1:], len(x) - 1), strict=True)):
        place = low + int(np.argmax(np.abs(gap[low : high + 1])))
        most[i], peaks[i] = gap[place], x[place]
    mean = (one.areas(bounds) - other.areas(bounds)) / np.diff(bounds)
    return Ranges(bounds, signs[first], mean, most, peaks)


def _with_crossings(x: Array, one: Curve, other: Curve) -> tuple[Array, Array]:
    """Knots, with those where the curves cross, and the gap between the curves there."""
    gap = _settled(one.at(x) - other.at(x))
    before = np.flatnonzero(gap[:-1] * gap[1:] < 0)
    share = gap[before] / (gap[before] - gap[before + 1])
    crossings = x[before] + share * (x[before + 1] - x[before])
    return np.insert(x, before + 1, crossings), np.insert(gap, before + 1, 0.0)


def of_steps(edges: Array, gap: Array) -> Ranges:
    """The ranges in which a gap that is constant between edges has one sign; it may be undefined.

    Means are over the length; the outer edges may be infinite, and steps there count for nothing.
    """
    signs = np.sign(_settled(gap))
    same = (signs[1:] == signs[:-1]) | (np.isnan(signs[1:]) & np.isnan(signs[:-1]))
    first = np.flatnonzero(np.append(True, ~same))
    sizes = np.where(np.isnan(gap), 0.0, np.abs(gap))
    largest = [
        low + int(np.argmax(sizes[low:high]))
        for low, high in zip(first, np.append(first[1:], len(gap)), strict=True)
    ]
    return Ranges(
        edges[np.append(first, len(gap))],
        np.nan_to_num(signs[first]),
        step_means(edges, gap, first),
        gap[largest],
        edges[largest],
    )


def step_means(edges: Array, gap: Array, first: Array) -> Array:
    """The mean of each range of steps, of those that are defined and of finite length."""
    lengths = np.diff(edges)
    known = np.isfinite(lengths) & ~np.isnan(gap)
    weights = np.where(known, lengths, 0.0)
    with np.errstate(invalid="ignore"):
        sums = np.add.reduceat(np.where(known, gap, 0.0) * weights, first)
        found: Array = sums / np.add.reduceat(weights, first)
    return found


def _settled(gap: Array) -> Array:
    return np.where(np.abs(gap) <= NOTHING, 0.0, gap)
