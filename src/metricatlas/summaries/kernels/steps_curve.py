"""Facts that the cuts of one ordered row give: areas, moments, precision."""

from __future__ import annotations

import math

import numpy as np

from metricatlas.summaries.kernels.steps_row import Array, Row, ratio
from metricatlas.summaries.kernels.steps_series import rational_sums
from metricatlas.summaries.ranking import ROUNDED


def positives(row: Row) -> float:
    """Return the mass of the positive class."""
    return row.positives


def negatives(row: Row) -> float:
    """Return the mass of the negative class."""
    return row.negatives


def wins(row: Row) -> float:
    """Return the mass of pairs in the right order; a tie counts half."""
    if not row.tied:
        return float(row.q.dot(row.tp[1:]))
    return float(row.q.dot(row.tp[:-1] + 0.5 * row.p))


def margin(row: Row) -> float:
    """Return the sum of max(a - b, 0): positives above by negatives below each gap."""
    gaps = row.x[:-1] - row.x[1:]
    return float((gaps * row.tp[1:-1]).dot(row.negatives_below[1:-1]))


def _moments(row: Row, masses: Array, above: Array) -> tuple[float, float, float]:
    """Return a class's lowest score, the mean of the scores' distances from it, their variance.

    A constant class is exactly its constant and has no variance. What the rounding of the mean adds
    to the variance is taken off.
    """
    total = float(above[-1])
    if not total:
        return math.nan, math.nan, math.nan
    lowest = float(row.x[int(above.searchsorted(total)) - 1])
    away = row.x - lowest
    mean = float(masses.dot(away)) / total
    distance = away - mean
    weighted = masses * distance
    shift = float(np.add.reduce(weighted)) / total
    return lowest, mean, float(weighted.dot(distance)) / total - shift * shift


def _moments_positive(row: Row) -> tuple[float, float, float]:
    return _moments(row, row.p, row.tp)


def _moments_negative(row: Row) -> tuple[float, float, float]:
    return _moments(row, row.q, row.fp)


def mean_positive(row: Row) -> float:
    """Return the mean score of the positives."""
    lowest, mean, _ = row.once(_moments_positive)
    return lowest + mean


def mean_negative(row: Row) -> float:
    """Return the mean score of the negatives."""
    lowest, mean, _ = row.once(_moments_negative)
    return lowest + mean


def mean_gap(row: Row) -> float:
    """Return the difference of these: of scores close together, exact to their distances."""
    positive, negative = row.once(_moments_positive), row.once(_moments_negative)
    return (positive[0] - negative[0]) + (positive[1] - negative[1])


def variance_positive(row: Row) -> float:
    """Return the variance of the positives' scores."""
    return row.once(_moments_positive)[2]


def variance_negative(row: Row) -> float:
    """Return the variance of the negatives' scores."""
    return row.once(_moments_negative)[2]


def equal_error(row: Row) -> float:
    """Return the rate of false positives where it is that of false negatives, straight in ties."""
    if not row.both:
        return math.nan
    tp, fp = row.crossed
    even = tp + fp
    pairs = row.positives * row.negatives
    cut = min(max(int(even.searchsorted(pairs)), 1), row.x.size)
    before, after = float(even[cut - 1]), float(even[cut])
    part = (pairs - before) / (after - before)
    return (float(row.fp[cut - 1]) + part * float(row.q[cut - 1])) / row.negatives


def precision_sum(row: Row) -> float:
    """Return positives by the precision at their score."""
    return float(row.p.dot(row.precision[1:]))


def precision_sum_random(row: Row) -> float:
    """Return its expectation over the orders of ties.

    Place i of a block of m with a positives, behind T of which t are positive, holds a positive
    with probability a/m, and then expects t + 1 + (i - 1)(a - 1)/(m - 1) positives among T + i.
    """
    at_once = precision_sum(row)
    if not row.tied or not row.ties.size:
        return at_once
    tp, fp, a, b = row.tie_masses
    pull = (a - 1) / (a + b - 1)
    sums = rational_sums(tp + 1 - pull, pull, tp + fp, np.ones(a.size), a + b)
    one_by_one = float((a / (a + b)).dot(sums))
    return at_once + (one_by_one - float(a.dot(row.precision.take(row.ties + 1))))


def precision_eleven(row: Row) -> float:
    """Return the mean over recall 0, .1, ..., 1 of the best precision at that recall or more."""
    if not row.positives:
        return math.nan
    levels = (np.arange(11) - row.slack) * row.positives
    at = np.minimum((10 * row.tp[1:]).searchsorted(levels), row.x.size - 1)
    between = np.maximum.reduceat(row.precision[1:], at)
    return float(np.add.reduce(np.maximum.accumulate(between[::-1]))) / 11


def pr_area(row: Row) -> float:
    """Return the Davis-Goadrich area: trapezoids; within a tie, one for each positive."""
    if not row.positives:
        return math.nan
    ends = row.precision[1:] + row.precision[:-1]
    if not row.tied:
        return float(row.p.dot(ends)) / (2 * row.positives)
    doubled = float(np.minimum(row.p, 1.0).dot(ends))
    if row.ties.size:
        tp, fp, a, b = row.tie_masses
        inside = rational_sums(tp, np.ones(a.size), tp + fp, 1 + b / a, a - 1)
        doubled += 2 * float(np.add.reduce(inside))
    return doubled / (2 * row.positives)


def gain_area(row: Row) -> float:
    """Return the area under precision gain by recall gain, in which ROC lines are straight too."""
    if not row.both or row.negatives <= ROUNDED * row.positives:
        return math.nan
    odds = row.positives / row.negatives
    start = row.positives * row.positives / row.mass
    cut = min(int(row.tp.searchsorted(start, "right")), row.x.size)
    tp, fp, p = row.tp[cut - 1 :].copy(), row.fp[cut - 1 :].copy(), row.p[cut - 1 :].copy()
    part = (start - float(tp[0])) / float(p[0])
    p[0] -= start - float(tp[0])
    tp[0], fp[0] = start, float(fp[0]) + part * float(row.q[cut - 1])
    inverse = 1 / tp
    false_odds = fp * inverse
    gained = p * inverse[1:] * inverse[:-1]
    lost = float(gained.dot(false_odds[1:] + false_odds[:-1]))
    return 1 - 0.5 * odds * odds * row.positives * lost


def partial_area(row: Row, limit: float) -> float:
    """Return the area under the ROC up to a false positive rate."""
    if not row.both:
        return math.nan
    end = limit * row.negatives
    cut = min(max(int(row.fp.searchsorted(end, "right")), 1), row.x.size) - 1
    tp, q, p = row.tp, row.q[:cut], row.p[:cut]
    area = float(q.dot(tp[:cut] + 0.5 * p))
    rest = end - float(row.fp[cut])
    slope = ratio(float(row.p[cut]), float(row.q[cut]))
    if rest > 0:
        area += rest * (float(tp[cut]) + 0.5 * rest * slope)
    return area / (row.positives * row.negatives)


FACTS = (
    positives,
    negatives,
    wins,
    margin,
    mean_positive,
    mean_negative,
    mean_gap,
    variance_positive,
    variance_negative,
    equal_error,
    precision_sum,
    precision_sum_random,
    precision_eleven,
    pr_area,
    gain_area,
    partial_area,
)
