"""Facts of one ordered row that iterate or smooth; measures read them on request only."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.kernels.steps_row import Array, Row

CLIP = 1e-12
MOST_STEPS = 100
CLOSE = 1e-12

GRID = 129  # points at which the smoother is fitted, where there are more scores than that
NEIGHBOURS = 0.75  # share of the mass that each fit looks at
LEVEL = 1e-12  # scores closer than this, by the square of the reach, fix no slope


def _separated(row: Row, p: Array) -> bool:
    """Return whether some score parts the classes, so that no finite slope fits best."""
    pos, neg = p[row.p > 0], p[row.q > 0]
    return bool(neg.max() <= pos.min() or pos.max() <= neg.min())


def _dot(one: Array, other: Array) -> float:
    """Return the sum of products; a library for that may add in another order on other cores."""
    return float(np.add.reduce(one * other))


def _expit(z: Array) -> Array:
    """Return 1 / (1 + exp(-z)) without overflow."""
    small = np.exp(-np.abs(z))
    return np.where(z < 0, small, 1.0) / (1.0 + small)


def recalibration(row: Row, kind: str) -> tuple[float, float]:
    """Return intercept and slope of the logistic regression on logit p, p clipped at 1e-12.

    Undefined where every p is at these limits: the answer would be about them.
    """
    p = np.clip(row.x, CLIP, 1 - CLIP)
    extreme = bool(((p == CLIP) | (p == 1 - CLIP)).all())
    if not row.both or extreme:
        return math.nan, math.nan
    z = np.log(p) - np.log1p(-p)
    if kind == "intercept":
        return _shift(row, z), 1.0
    return (math.nan, math.nan) if _separated(row, p) else _line(row, z)


def _shift(row: Row, z: Array) -> float:
    """Return the intercept at slope 1: Newton's steps, kept between bounds that close in on it."""
    mass = row.p + row.q
    constant = math.log(row.positives / row.negatives)
    low, high = constant - float(z.max()), constant - float(z.min())
    at = min(max(0.0, low), high)
    for _ in range(MOST_STEPS):
        fitted = _expit(at + z)
        excess = float(np.add.reduce(row.p - mass * fitted))
        low, high = (at, high) if excess > 0 else (low, at)
        spread = float(np.add.reduce(mass * fitted * (1 - fitted)))
        step = excess / spread if spread else math.inf
        step = step if low <= at + step <= high else (low + high) / 2 - at
        at += step
        if abs(step) < CLOSE * max(1.0, abs(at)):
            break
    return at


def _line(row: Row, z: Array) -> tuple[float, float]:
    """Return intercept and slope: Newton's steps, halved where they leave the likelihood lower.

    From level 0 the likelihood may be too flat for a slope of 1; the constant fit never is.
    """
    intercept, slope = math.log(row.positives / row.negatives), 0.0
    loss = _loss(row, intercept + slope * z)
    for _ in range(MOST_STEPS):
        first, second = _newton_step(row, z, intercept, slope)
        after = _loss(row, (intercept + first) + (slope + second) * z)
        while after > loss + CLOSE * abs(loss) and abs(first) + abs(second) > CLOSE:
            first, second = first / 2, second / 2
            after = _loss(row, (intercept + first) + (slope + second) * z)
        intercept, slope, loss = intercept + first, slope + second, after
        if not max(abs(first), abs(second)) > CLOSE * max(1.0, abs(intercept), abs(slope)):
            return intercept, slope
    return math.nan, math.nan


def _newton_step(row: Row, z: Array, intercept: float, slope: float) -> tuple[float, float]:
    """Return the next step in intercept and slope; NaN where the likelihood is flat."""
    mass, fitted = row.p + row.q, _expit(intercept + slope * z)
    residual, spread = row.p - mass * fitted, mass * fitted * (1 - fitted)
    a, b, c = float(np.add.reduce(spread)), _dot(spread, z), _dot(spread, z * z)
    g, h = float(np.add.reduce(residual)), _dot(residual, z)
    determinant = a * c - b * b
    if not determinant > 0:
        return math.nan, math.nan
    return (c * g - b * h) / determinant, (a * h - b * g) / determinant


def _loss(row: Row, logits: Array) -> float:
    """Return minus the log likelihood."""
    lost = row.p * np.logaddexp(0, -logits) + row.q * np.logaddexp(0, logits)
    return float(np.add.reduce(lost))


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
    middle = _dot(weight, d) / total
    level = _dot(weight, row.share) / total
    spread = _dot(weight, (d - middle) ** 2) / total
    if spread > LEVEL * reach * reach:
        level -= middle * _dot(weight, (d - middle) * (row.share - level)) / total / spread
    return min(max(level, 0.0), 1.0)


def smooth_gap(row: Row) -> float:
    """Return the mean |p - share of positives at p|, smoothed by local regression."""
    mass = row.p + row.q
    x = row.x[::-1]
    grid = x if x.size <= GRID else x[0] + (x[-1] - x[0]) * np.arange(GRID) / (GRID - 1)
    smoothed = np.array([_fit(row, mass, at) for at in grid.tolist()])
    gap = np.abs(row.x - np.interp(row.x, grid, smoothed))
    return _dot(mass, gap) / row.mass


FACTS = (recalibration, smooth_gap)
