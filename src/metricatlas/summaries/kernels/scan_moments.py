"""Means and variances of the scores of each class, in two passes over the ordered scores."""

from __future__ import annotations

import numpy as np
from numba import njit

from metricatlas.summaries.kernels.scan_groups import LANES, Floats, Labels, Weights, add

#: Rows added in SIMD lanes before the sum is compensated.
STEP = 512
MEAN_POSITIVE, MEAN_NEGATIVE, VARIANCE_POSITIVE, VARIANCE_NEGATIVE, MEAN_GAP = range(5)
MOMENT_COLUMNS = 5


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _step(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    begin: int,
    end: int,
    pos_at: float,
    neg_at: float,
) -> tuple[float, float, float, float]:
    """Sum distances from a centre of each class, and their squares."""
    pos = neg = pos_squares = neg_squares = 0.0
    part, labels = scores[begin:end], positive[begin:end]
    for i in range(part.size):
        one = np.float64(labels[i])
        mass = 1.0 if weight is None else weight[begin + i]
        from_pos = (part[i] - pos_at) * one
        from_neg = (part[i] - neg_at) * (1.0 - one)
        pos += mass * from_pos
        neg += mass * from_neg
        pos_squares += mass * from_pos * from_pos
        neg_squares += mass * from_neg * from_neg
    return pos, neg, pos_squares, neg_squares


@njit(cache=True, nogil=True, error_model="numpy")
def _around(
    scores: Floats, positive: Labels, weight: Weights, pos_at: float, neg_at: float
) -> tuple[float, float, float, float]:
    sums = np.zeros(8)
    for begin in range(0, scores.size, STEP):
        end = min(begin + STEP, scores.size)
        terms = _step(scores, positive, weight, begin, end, pos_at, neg_at)
        add(sums, 0, terms[0])
        add(sums, 2, terms[1])
        add(sums, 4, terms[2])
        add(sums, 6, terms[3])
    return sums[0] + sums[1], sums[2] + sums[3], sums[4] + sums[5], sums[6] + sums[7]


@njit(cache=True, nogil=True, error_model="numpy")
def _lowest(scores: Floats, positive: Labels, label: int) -> float:
    """Return the lowest score of a class: measured from it a constant class has no spread."""
    for i in range(scores.size):
        if positive[i] == label:
            return scores[i]
    return 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def moments(
    scores: Floats, positive: Labels, weight: Weights, p: float, n: float, out: Floats
) -> None:
    """Means and variances; the second pass measures from the means."""
    pos_at, neg_at = _lowest(scores, positive, 1), _lowest(scores, positive, 0)
    pos, neg, _, _ = _around(scores, positive, weight, pos_at, neg_at)
    # Of scores close together, exact to their distances.
    out[MEAN_GAP] = (pos_at - neg_at) + (pos / p - neg / n)
    pos_at += pos / p
    neg_at += neg / n
    out[MEAN_POSITIVE], out[MEAN_NEGATIVE] = pos_at, neg_at
    pos, neg, pos_squares, neg_squares = _around(scores, positive, weight, pos_at, neg_at)
    out[VARIANCE_POSITIVE] = max(pos_squares / p - (pos / p) * (pos / p), 0.0)
    out[VARIANCE_NEGATIVE] = max(neg_squares / n - (neg / n) * (neg / n), 0.0)
    if p == 0.0:
        out[MEAN_POSITIVE] = out[VARIANCE_POSITIVE] = out[MEAN_GAP] = np.nan
    if n == 0.0:
        out[MEAN_NEGATIVE] = out[VARIANCE_NEGATIVE] = out[MEAN_GAP] = np.nan
