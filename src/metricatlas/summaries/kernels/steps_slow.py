"""Facts of one ordered row that iterate or smooth; measures read them on request only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.kernels.steps_row import Array, Row

CLIP = 1e-12
MOST_STEPS = 50
CLOSE = 1e-12

GRID = 129  # points at which the smoother is fitted, where there are more scores than that
NEIGHBOURS = 0.75  # share of the mass that each fit looks at
LEVEL = 1e-12  # scores closer than this, by the square of the reach, fix no slope


def _separated(row: Row, p: Array) -> bool:
    """Return whether some score parts the classes, so that no finite slope fits best."""
    pos, neg = p[row.p > 0], p[row.q > 0]
    return bool(neg.max() <= pos.min() or pos.max() <= neg.min())


def _newton_step(
    fitted: Array, z: Array, row: Row, mass: Array, *, level: bool
) -> tuple[float, float]:
    """Return the next step in intercept and slope; NaN where the likelihood is flat."""
    residual, spread = row.p - mass * fitted, mass * fitted * (1 - fitted)
    a, b, c = float(np.add.reduce(spread)), float(spread.dot(z)), float(spread.dot(z * z))
    g, h = float(np.add.reduce(residual)), float(residual.dot(z))
    if level:
        b, c, h = 0.0, 1.0, 0.0
    determinant = a * c - b * b
    if not determinant > 0:
        return math.nan, math.nan
    return (c * g - b * h) / determinant, (a * h - b * g) / determinant


def recalibration(row: Row, kind: str) -> tuple[float, float]:
    """Return intercept and slope of the logistic regression on logit p, p clipped at 1e-12.

    Undefined where every p is at these limits: the answer would be about them.
    """
    p = np.clip(row.x, CLIP, 1 - CLIP)
    level = kind == "intercept"
    extreme = bool(((p == CLIP) | (p == 1 - CLIP)).all())
    if not row.both or extreme or (not level and _separated(row, p)):
        return math.nan, math.nan
    z, mass = np.log(p) - np.log1p(-p), row.p + row.q
    # From level 0 the likelihood may be too flat for a slope of 1; the constant fit never is.
    intercept, slope = (0.0, 1.0) if level else (math.log(row.positives / row.negatives), 0.0)
    for _ in range(MOST_STEPS):
        fitted = 1 / (1 + np.exp(-(intercept + slope * z)))
        first, second = _newton_step(fitted, z, row, mass, level=level)
        intercept, slope = intercept + first, slope + second
        if abs(first) < CLOSE and abs(second) < CLOSE:
            return intercept, slope
    return math.nan, math.nan


def _fit(row: Row, mass: Array, at: float) -> float:
    """Return the share of positives at a score, by a line through its neighbours."""
    away = np.abs(row.x - at)
    nearest = away.argsort(kind="stable")
    held = np.add.accumulate(mass.take(nearest))
    last = min(int(held.searchsorted(NEIGHBOURS * row.mass)), held.size - 1)
    reach = float(away[nearest[last]])
    near = np.maximum(1 - (away / reach) ** 3, 0.0) if reach else np.zeros(away.size)
    weight = near**3 * mass
    total = float(np.add.reduce(weight))
    if not total:
        weight = np.where(away <= reach, mass, 0.0)
        total = float(np.add.reduce(weight))
    d = row.x - at
    middle = float(weight.dot(d)) / total
    level = float(weight.dot(row.share)) / total
    spread = float(weight.dot((d - middle) ** 2)) / total
    if spread > LEVEL * reach * reach:
        level -= middle * float(weight.dot((d - middle) * (row.share - level))) / total / spread
    return min(max(level, 0.0), 1.0)


def smooth_gap(row: Row) -> float:
    """Return the mean |p - share of positives at p|, smoothed by local regression."""
    mass = row.p + row.q
    x = row.x[::-1]
    grid = x if x.size <= GRID else x[0] + (x[-1] - x[0]) * np.arange(GRID) / (GRID - 1)
    smoothed = np.array([_fit(row, mass, at) for at in grid.tolist()])
    gap = np.abs(row.x - np.interp(row.x, grid, smoothed))
    return float(mass.dot(gap)) / row.mass


FACTS = (recalibration, smooth_gap)
