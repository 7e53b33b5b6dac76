"""Operating points of one ordered row: the cut that a rule picks, and the masses above it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.summaries.kernels.steps_row import Array, Row, ratio

if TYPE_CHECKING:
    from collections.abc import Callable

#: True positives, false positives, threshold.
Point = tuple[float, float, float]
NOWHERE: Point = (math.nan, math.nan, math.nan)


def _last_best(values: Array, slack: float) -> int:
    """Return the last index (the lowest threshold) at which the largest value is reached."""
    if slack:
        close = values[::-1] >= values.max() - slack
        return values.size - 1 - int(close.argmax())
    return values.size - 1 - int(values[::-1].argmax())


def _kolmogorov(row: Row) -> tuple[float, Point]:
    """Return the largest distance of the class distributions and the cut of its lowest threshold.

    Thresholds are the scores and 0, so the last cut is one only where 0 lies below all scores.
    """
    if not row.both:
        return math.nan, NOWHERE
    tp, fp = row.crossed
    distance = np.abs(tp - fp)
    pairs = row.positives * row.negatives
    candidates = distance if float(row.x[-1]) > 0 else distance[:-1]
    cut = _last_best(candidates, row.slack * pairs)
    point = row.at(cut) if cut < row.x.size else (row.positives, row.negatives, 0.0)
    return float(distance.max()) / pairs, point


def ks(row: Row) -> float:
    """Return the largest distance between the two distributions."""
    return row.once(_kolmogorov)[0]


def ks_threshold(row: Row) -> float:
    """Return the lowest threshold that reaches it."""
    return row.once(_kolmogorov)[1][2]


def ks_tp(row: Row) -> float:
    """Return the positives above that threshold."""
    return row.once(_kolmogorov)[1][0]


def ks_fp(row: Row) -> float:
    """Return the negatives above that threshold."""
    return row.once(_kolmogorov)[1][1]


def _size(row: Row, kind: str, value: float) -> float:
    """Return how much mass the top of a ranking is; a share such as .29 of 100 means 29."""
    if kind == "positives":
        return row.positives
    if kind == "size":
        return min(value, row.mass)
    return max(1.0, float(math.floor(value * row.mass * (1 + 1e-12))))


def _top(row: Row, size: float) -> Point:
    """Return true and false positives of a top of that size, and the score it ends in."""
    block = min(max(int(row.total.searchsorted(size)), 1), row.x.size) - 1
    held = float(row.total[block + 1]) - float(row.total[block])
    part = (size - float(row.total[block])) / held
    tp = float(row.tp[block]) + part * float(row.p[block])
    return tp, float(row.fp[block]) + part * float(row.q[block]), row.threshold(block)


def top(row: Row, kind: str, value: float = 0) -> tuple[float, float]:
    """Return the positives among the highest scores, and how many these are."""
    if kind == "positives" and not row.positives:
        return math.nan, math.nan
    size = _size(row, kind, value)
    return _top(row, size)[0], size


def _above(row: Row, threshold: float) -> Point:
    """Return the point of a threshold: positive is what scores above it."""
    cut = int(row.descent.searchsorted(-threshold))
    return float(row.tp[cut]), float(row.fp[cut]), threshold


def _by_false_positives(row: Row, limit: float) -> Point:
    """Return the lowest threshold with at most that false positive rate."""
    if not row.negatives:
        return NOWHERE
    cut = int((row.fp / row.negatives).searchsorted(limit + row.slack, "right")) - 1
    return row.at(cut) if cut >= 0 else NOWHERE


def _by_true_positives(row: Row, wanted: float) -> Point:
    """Return the highest threshold with at least that true positive rate."""
    if not row.positives:
        return NOWHERE
    cut = int((row.tp / row.positives).searchsorted(wanted - row.slack))
    return row.at(cut) if cut <= row.x.size else NOWHERE


def _best(row: Row, measure: str) -> Point:
    """Return the cut that maximises a measure; of equal ones that of the lowest threshold."""
    if measure == "f1":
        value = row.tp / (row.total + row.positives)
        if not row.positives:
            value[0] = 0.0
        return row.at(_last_best(value, row.slack))
    if not row.both:
        return NOWHERE
    value = row.tp * row.negatives_below
    return row.at(_last_best(value, row.slack * row.positives * row.negatives))


def _by_top(row: Row, size: float | str) -> Point:
    """Return the point of a top given as "positives", a share below 1, or a number."""
    if isinstance(size, str):
        return _top(row, row.positives) if row.positives else NOWHERE
    return _top(row, _size(row, "share" if size < 1 else "size", size))


def _by_share(row: Row) -> Point:
    """Return the point of the threshold that is the share of positives."""
    share = ratio(row.positives, row.mass)
    tp, fp, _ = _above(row, share * (1 + row.slack))
    return tp, fp, share


def _by_distance(row: Row) -> Point:
    """Return the point that keeps the classes furthest apart."""
    return row.once(_kolmogorov)[1]


RULES: dict[str, Callable[..., Point]] = {
    "at": _above,
    "fpr": _by_false_positives,
    "tpr": _by_true_positives,
    "prevalence": _by_share,
    "top": _by_top,
    "ks": _by_distance,
    "best": _best,
}


def operating_point(row: Row, rule: str, *value: float | str) -> Point:
    """Return true positives, false positives and threshold of an operating point."""
    return RULES[rule](row, *value)


FACTS = (ks, ks_threshold, ks_tp, ks_fp, top, operating_point)
