"""The convex hull of the ROC curve of one row, which is isotonic regression, and its facts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metricatlas.summaries.kernels.steps_row import SAME_SLOPE, Array, Row

FEW = 48  # vertices that a loop finishes faster than another round over arrays


@dataclass(eq=False, slots=True)
class Hull:
    """The segments of a hull, steepest first, each with its masses."""

    #: The cuts at which they begin and end.
    cuts: Array
    #: Mass of positives at the vertices.
    tp: Array
    pos: Array
    neg: Array
    mass: Array
    #: Share of positives.
    share: Array


def _steeper(dx: Array, dy: Array, same: float) -> Array:
    """Return whether each piece is steeper than the next: its end may be a vertex."""
    left, right = dy[:-1] * dx[1:], dy[1:] * dx[:-1]
    if same:
        return left - right > same * (left + right)
    return left > right


def _finish(x: list[float], y: list[float], same: float) -> list[int]:
    """Return which points are vertices: a point that the next one outdoes is taken back."""
    more = (1 + same) / (1 - same)  # a > more * b says that a - b > same * (a + b)
    kept = [0]
    dx, dy = [math.inf], [math.inf]
    for i in range(1, len(x)):
        a, b = x[i] - x[i - 1], y[i] - y[i - 1]
        while len(kept) > 1 and dy[-1] * a <= b * dx[-1] * more:
            kept.pop()
            a += dx.pop()
            b += dy.pop()
        kept.append(i)
        dx.append(a)
        dy.append(b)
    return kept


def _candidates(row: Row, same: float) -> Array:
    """Return the cuts that may be vertices: both ends, and where the share of positives falls."""
    falls = _steeper(row.q, row.p, same) if row.tied else row.labels[:-1] > row.labels[1:]
    inner = falls.nonzero()[0]
    cuts = np.empty(inner.size + 2, np.int64)
    cuts[0], cuts[-1] = 0, row.x.size
    np.add(inner, 1, out=cuts[1:-1])
    return cuts


def _vertices(row: Row) -> Array:
    """Return the cuts that are vertices.

    A point on or below the line between two others is none, whichever those are. So rounds over
    neighbours take away most of them at once; one loop settles what is left or falls too slowly.
    """
    same = 0.0 if row.whole else SAME_SLOPE
    cuts = _candidates(row, same)
    x, y = row.fp.take(cuts), row.tp.take(cuts)
    before = 2 * cuts.size
    while cuts.size > FEW and cuts.size < 0.9 * before:
        before = cuts.size
        keep = np.empty(before, np.bool_)
        keep[0] = keep[-1] = True
        keep[1:-1] = _steeper(x[1:] - x[:-1], y[1:] - y[:-1], same)
        kept = keep.nonzero()[0]
        cuts, x, y = cuts.take(kept), x.take(kept), y.take(kept)
    return cuts.take(_finish(x.tolist(), y.tolist(), same))


def _hull(row: Row) -> Hull:
    cuts = _vertices(row)
    fp, tp = row.fp.take(cuts), row.tp.take(cuts)
    if row.whole:
        pos, neg = tp[1:] - tp[:-1], fp[1:] - fp[:-1]
    else:
        pos, neg = np.add.reduceat(row.p, cuts[:-1]), np.add.reduceat(row.q, cuts[:-1])
    mass = pos + neg
    return Hull(cuts, tp, pos, neg, mass, pos / mass)


def _distances(row: Row) -> Array:
    """Return by how much each score exceeds its segment's share of positives."""
    hull = row.once(_hull)
    return row.x - np.repeat(hull.share, hull.cuts[1:] - hull.cuts[:-1])


def hull_area(row: Row) -> float:
    """Return the area under the hull."""
    if not row.both:
        return math.nan
    hull = row.once(_hull)
    return float(hull.neg.dot(hull.tp[1:] + hull.tp[:-1])) / (2 * row.positives * row.negatives)


def hull_loss(row: Row) -> float:
    """Return the expected minimum loss when the cost share of a false positive is Beta(2, 1 + N/P).

    By segments: the negatives of one with share c of positives cost E[x; x < c], its positives
    E[1 - x; x > c]. Both are written so that nothing cancels where c is small.
    """
    if not row.both:
        return math.nan
    hull = row.once(_hull)
    b = 1 + row.negatives / row.positives
    c = hull.share
    log = np.log1p(-c)
    low = -np.expm1(b * log + np.log1p(b * c * (1 + (0.5 * (b + 1)) * c)))
    high = np.exp((b + 1) * log) * (1 + (b + 1) * c)
    loss = 2 * float(hull.neg.dot(low)) + b * float(hull.pos.dot(high))
    return loss / ((b + 2) * row.mass)


def hull_squares(row: Row) -> float:
    """Return the squared error that isotonic regression leaves."""
    hull = row.once(_hull)
    return float(hull.pos.dot(hull.neg / hull.mass))


def hull_logs(row: Row) -> float:
    """Return the log loss that isotonic regression leaves; only the end segments can be pure."""
    hull = row.once(_hull)
    begin = 1 if hull.neg[0] == 0 else 0
    end = hull.pos.size - (1 if hull.pos[-1] == 0 else 0)
    if begin >= end:
        return 0.0
    pos, neg = hull.pos[begin:end], hull.neg[begin:end]
    return float(pos.dot(np.log1p(neg / pos)) + neg.dot(np.log1p(pos / neg)))


def _squared(row: Row, distance: Array) -> float:
    """Return mass times distance squared, summed."""
    return float((row.m * distance if row.tied else distance).dot(distance))


def hull_deviation(row: Row) -> float:
    """Return the squared distances of the scores from their segment's share of positives."""
    return _squared(row, row.once(_distances))


def hull_bias(row: Row) -> float:
    """Return, over segments, mass times the squared distance of the mean score from the share."""
    hull = row.once(_hull)
    distance = row.once(_distances)
    bias = np.add.reduceat(row.m * distance if row.tied else distance, hull.cuts[:-1])
    return float(bias.dot(bias / hull.mass))


def distinct_deviation(row: Row) -> float:
    """Return the squared distances of the scores from their block's share of positives."""
    return _squared(row, row.x - row.share)


FACTS = (
    hull_area,
    hull_loss,
    hull_squares,
    hull_logs,
    hull_deviation,
    hull_bias,
    distinct_deviation,
)
