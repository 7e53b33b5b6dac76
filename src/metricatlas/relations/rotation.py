"""Turning factors so that each measure goes with few of them."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array

#: Eigenvalues, and sums of loadings, below this are rounding.
NOTHING = 1e-10
#: Rounds over all pairs of factors, and the angle below which none moves.
STEPS, STILL = 2000, 1e-10


def varimax(weights: Array) -> Array:
    """Turn loadings so that the variance of their squares is largest (Kaiser 1958).

    Two factors at a time, until none moves. Rows are brought to length 1 first, so that every
    measure counts the same.
    """
    length = np.sqrt(np.square(weights).sum(axis=1, keepdims=True))
    rows = np.divide(weights, length, out=np.zeros_like(weights), where=length > 0)
    turn = np.eye(rows.shape[1])
    for _ in range(STEPS):
        moved = 0.0
        for one, other in combinations(range(rows.shape[1]), 2):
            plane = [one, other]
            angle = _best_angle(*(rows @ turn[:, plane]).T)
            moved = max(moved, abs(angle))
            cosine, sine = np.cos(angle), np.sin(angle)
            turn[:, plane] = turn[:, plane] @ np.array([[cosine, -sine], [sine, cosine]])
        if moved < STILL:
            break
    return weights @ turn


def _best_angle(x: Array, y: Array) -> float:
    """The angle by which two factors are turned so that the criterion is largest."""
    u, v = x * x - y * y, 2 * x * y
    count = len(x)
    sine = 2 * (u @ v - u.sum() * v.sum() / count)
    cosine = u @ u - v @ v - (u.sum() ** 2 - v.sum() ** 2) / count
    # Where every angle is as good as any other both are rounding.
    if max(abs(sine), abs(cosine)) <= NOTHING * count:
        return 0.0
    return float(np.arctan2(sine, cosine)) / 4


def settled(weights: Array, names: Sequence[str]) -> Array:
    """Order factors by the variance they explain, and let the high loadings be positive."""
    explained = np.square(weights).sum(axis=0)
    ordered = weights[:, np.argsort(-explained, kind="stable")]
    cubes = ordered**3
    sides = cubes.sum(axis=0)
    # Where both sides are alike the first measure by name is on the positive one.
    first = ordered[min(range(len(names)), key=names.__getitem__)]
    sides = np.where(np.abs(sides) > NOTHING * np.abs(cubes).sum(axis=0), sides, first)
    return ordered * np.where(sides < 0, -1.0, 1.0)
