"""Conditions under which measures are undefined; their first lines are the reasons users read."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.summaries import Confusion, Probabilities, Ranking, TwoByTwo
from metricatlas.summaries.ranking import ROUNDED

Array = np.ndarray[Any, Any]
Binary = TwoByTwo | Ranking | Probabilities


def no_positives(s: Binary) -> Array:
    """There are no positives."""
    return s.positives == 0


def no_negatives(s: Binary) -> Array:
    """There are no negatives."""
    return s.negatives == 0


def next_to_no_negatives(r: Ranking) -> Array:
    """The negatives are so small a part of the mass that their share of it is rounded to 0."""
    return r.negatives <= ROUNDED * r.positives


def nothing_decided_positive(t: TwoByTwo) -> Array:
    """Nothing is decided positive."""
    return t.decided_positive == 0


def nothing_decided_negative(t: TwoByTwo) -> Array:
    """Nothing is decided negative."""
    return t.decided_negative == 0


def one_class(p: Probabilities) -> Array:
    """The truth holds one class only."""
    return p.classes_present < 2


def one_cell(c: Confusion) -> Array:
    """All mass lies in one cell of the matrix."""
    return c.matrix.max(axis=(-2, -1)) == c.total


def no_mass(c: Confusion | TwoByTwo) -> Array:
    """The matrix is empty."""
    return c.total == 0


def one_right_cell(c: Confusion) -> Array:
    """All mass lies in one cell of the diagonal."""
    return c.hits.max(axis=-1) == c.total


def one_true_class(c: Confusion) -> Array:
    """The truth holds one class only."""
    return c.classes_present < 2


def one_category(c: Confusion) -> Array:
    """The matrix has one class only."""
    return np.full_like(c.total, c.classes < 2, dtype=bool)


def less_than_a_row(c: Confusion) -> Array:
    """The mass is less than that of one row."""
    return c.total < 1


def nothing_expected_right(c: Confusion) -> Array:
    """No class is both in the truth and in the decisions."""
    return c.expected == 0


def no_mistakes(c: Confusion) -> Array:
    """No decision is wrong."""
    return c.wrong == 0


def nothing_positive(t: TwoByTwo) -> Array:
    """There are no positives and nothing is decided positive."""
    return t.tp + t.fp + t.fn == 0


def nothing_right(t: TwoByTwo) -> Array:
    """No decision is right."""
    return t.tp + t.tn == 0


def one_class_without_mistakes(t: TwoByTwo) -> Array:
    """One class is absent and no decision is wrong."""
    return (t.fp + t.fn == 0) & ((t.tp == 0) | (t.tn == 0))


def no_pair_of_classes(r: Ranking) -> Array:
    """The truth holds one class only."""
    return np.max(r.positives * r.negatives, axis=(-2, -1)) == 0


def no_triples(r: Ranking) -> Array:
    """One of the three classes is absent."""
    return r.all_triples == 0


def no_spread(r: Ranking) -> Array:
    """Within neither class do the scores vary by as much as a square can hold."""
    return r.variance_positive + r.variance_negative == 0


def beyond_squares(r: Ranking) -> Array:
    """The scores are so large that the squares of their distances are infinite."""
    return ~np.isfinite(r.variance_positive + r.variance_negative)


def fewer_than_two_in_a_class(r: Ranking) -> Array:
    """A class holds fewer than two rows."""
    return (r.positives <= 1) | (r.negatives <= 1)


def fewer_than_two_rows(r: Ranking) -> Array:
    """There are fewer than two rows."""
    return r.total < 2


def no_recalibration(r: Ranking) -> Array:
    """The logistic regression on the probabilities has no finite solution."""
    return np.isnan(r.recalibration("slope")[..., 1])


def no_shift(r: Ranking) -> Array:
    """No finite shift of the logits fits the labels."""
    return np.isnan(r.recalibration("intercept")[..., 0])


def no_smooth_curve(r: Ranking) -> Array:
    """No smooth curve can be drawn through the labels."""
    return np.isnan(r.smooth_gap)


def certain_and_right(p: Probabilities) -> Array:
    """Probabilities are 0 or 1, or all classes are alike, and no certain one is wrong."""
    return (p.scattered == 0) & (p.pulled == 0)
