"""Sums of linear fractions over consecutive whole numbers, which ties ask for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.kernels.steps_row import Array

LOOPED = 48  # terms that a loop adds faster than arrays
DIRECT = 4096  # terms that are simply added
STEPS = 64  # terms added before the rest is smooth enough to integrate
#: Corrections of a sum by the midpoint rule: factors of the first, third and fifth derivative.
MIDPOINT = (-1 / 24, 7 / 5760, -31 / 967680)


def rational_sums(a: Array, b: Array, c: Array, d: Array, count: Array) -> Array:
    """Sum (a + b x) / (c + d x) over x = 1 .. count, for each entry.

    >>> rational_sums(*np.array([[1.0], [0.0], [0.0], [1.0], [3.0]])).round(6)
    array([1.833333])
    """
    if float(np.add.reduce(count)) <= LOOPED:
        entries = zip(*(v.tolist() for v in (a, b, c, d, count)), strict=True)
        return np.array([_short_sum(*entry) for entry in entries])
    few = np.minimum(count, DIRECT).astype(np.int64)
    ends = np.add.accumulate(few)
    every = np.repeat(np.arange(few.size), few)
    x = np.arange(1.0, every.size + 1) - (ends - few).take(every)
    terms = (a.take(every) + b.take(every) * x) / (c.take(every) + d.take(every) * x)
    sums = np.zeros(few.size)
    held = (few > 0).nonzero()[0]
    if held.size:
        sums[held] = np.add.reduceat(terms, (ends - few).take(held))
    for i in (count > DIRECT).nonzero()[0]:
        sums[i] = _long_sum(float(a[i]), float(b[i]), float(c[i]), float(d[i]), float(count[i]))
    return sums


def _short_sum(a: float, b: float, c: float, d: float, count: float) -> float:
    """Add all terms."""
    return sum((a + b * x) / (c + d * x) for x in range(1, int(count) + 1))


def _long_sum(a: float, b: float, c: float, d: float, count: float) -> float:
    """Add the first terms, integrate the rest by Gauss's rule (Euler and Maclaurin)."""
    x = np.arange(1.0, STEPS + 1)
    parts = [np.add.reduce((a + b * x) / (c + d * x))]
    nodes, weights = np.polynomial.legendre.leggauss(20)
    begin, end = STEPS + 0.5, count + 0.5
    low = begin
    while low < end:
        high = min(2 * low + c / d, end)
        x = low + (nodes + 1) * (0.5 * (high - low))
        parts.append(0.5 * (high - low) * np.add.reduce(weights * (a + b * x) / (c + d * x)))
        low = high
    # (a + b x) / (c + d x) is b/d + pole / (x + c/d): odd derivatives -k! pole / (x + c/d)^(k+1).
    pole = (a - b * c / d) / d
    for k, factor in zip((1, 3, 5), MIDPOINT, strict=True):
        slopes = (begin + c / d) ** -(k + 1) - (end + c / d) ** -(k + 1)
        parts.append(factor * pole * math.factorial(k) * slopes)
    return float(np.add.reduce(parts))
