"""Answers for the probability measures: scikit-learn, or the definition row by row."""

from fractions import Fraction
from math import inf, log, log2, sqrt

import numpy as np
from sklearn.metrics import (
    brier_score_loss,
    d2_brier_score,
    d2_log_loss_score,
    mean_absolute_error,
    mean_squared_error,
)
from sklearn.metrics import log_loss as sklearn_log_loss

from oracles.case import Oracle
from oracles.reductions import macro


def indicators(case):
    return np.eye(case.classes)[case.y]


def given(case):
    return case.p[np.arange(len(case.y)), case.y]


def brier(case):
    if case.classes == 2:
        return brier_score_loss(case.y, case.score, sample_weight=case.weight, pos_label=1)
    return brier_score_loss(
        case.y, case.p, sample_weight=case.weight, labels=range(case.classes), scale_by_half=False
    )


def brier_sum(case):
    squares = ((case.p - indicators(case)) ** 2).sum(axis=1)
    return np.average(squares, weights=case.weight)


def one_class(case):
    return len(np.unique(case.y)) < 2


def brier_skill(case):
    if one_class(case):
        return np.nan
    return d2_brier_score(
        case.y, case.p, sample_weight=case.weight, labels=list(range(case.classes))
    )


def d2_log_loss(case):
    if one_class(case):
        return np.nan
    if (given(case) == 0).any():
        return -inf
    return d2_log_loss_score(
        case.y, case.p, sample_weight=case.weight, labels=list(range(case.classes))
    )


def squared(case):
    return mean_squared_error(indicators(case), case.p, sample_weight=case.weight)


def absolute(case):
    return mean_absolute_error(indicators(case), case.p, sample_weight=case.weight)


def mean_of(term):
    """Return the weighted mean of a term of each row's probabilities and true class."""

    def value(case):
        terms = [term(row.tolist(), int(true)) for row, true in zip(case.p, case.y, strict=True)]
        return np.average(terms, weights=case.weight)

    return value


def macro_rate(case):
    return np.mean(
        [
            np.average(case.p[case.y == j, j], weights=case.weight[case.y == j])
            for j in np.unique(case.y)
        ]
    )


def spherical(row, true):
    return row[true] / sqrt(sum(x * x for x in row))


def ranked(row, true):
    steps = len(row) - 1
    return sum((sum(row[: k + 1]) - (true <= k)) ** 2 for k in range(steps)) / steps


def logarithmic(case):
    if (given(case) == 0).any():
        return inf
    labels = list(range(case.classes))
    return sklearn_log_loss(case.y, case.p, sample_weight=case.weight, labels=labels)


def column_log_loss(y, s, w):
    if (np.where(y == 1, s, 1 - s) == 0).any():
        return inf
    return sklearn_log_loss(y, s, sample_weight=w, labels=[0, 1])


def clipped(base, least=1e-5):
    return mean_of(lambda row, true: -log(max(row[true], least)) / log(base))


def information(case):
    """Score the change from the prior to the posterior, as in Kononenko and Bratko (1991)."""
    if one_class(case):
        return np.nan
    share = np.bincount(case.y, weights=case.weight, minlength=case.classes) / case.weight.sum()
    total = 0.0
    for true, p, weight in zip(case.y, given(case), case.weight, strict=True):
        prior = share[true]
        if p >= prior:
            total += weight * (-log2(prior) + log2(p))
        else:
            total -= weight * (-log2(1 - prior) + log2(1 - p))
    return total / case.weight.sum()


def tjur(case):
    if one_class(case):
        return np.nan
    means = [
        np.average(case.score[case.y == k], weights=case.weight[case.y == k]) for k in range(2)
    ]
    return means[1] - means[0]


def moments(s, w):
    """Return mean, variance and mass in fractions."""
    x, w = [Fraction(a) for a in s.tolist()], [Fraction(a) for a in w.tolist()]
    mass = sum(w)
    mean = sum(a * b for a, b in zip(x, w, strict=True)) / mass
    return mean, sum(b * (a - mean) ** 2 for a, b in zip(x, w, strict=True)) / mass, mass


def divergence(y, s, w, *, sample=False):
    if not 0 < y.sum() < len(y):
        return np.nan
    (m1, v1, n1), (m0, v0, n0) = (moments(s[y == k], w[y == k]) for k in (1, 0))
    if sample:
        if min(n1, n0) <= 1:
            return np.nan
        v1, v0 = v1 * n1 / (n1 - 1), v0 * n0 / (n0 - 1)
    return float((m1 - m0) ** 2 / ((v1 + v0) / 2)) if v1 + v0 else np.nan


def divergence_sample(y, s, w):
    return divergence(y, s, w, sample=True)


def _everywhere(value, source):
    return Oracle(value, source, weighted=True, multiclass=True)


ORACLES = {
    "brier": _everywhere(brier, "scikit-learn brier_score_loss"),
    "macro_brier": _everywhere(
        macro(lambda y, s, w: mean_squared_error(y, s, sample_weight=w)),
        "scikit-learn mean_squared_error of each column",
    ),
    "macro_log_loss": _everywhere(macro(column_log_loss), "scikit-learn log_loss of each column"),
    "brier_sum": _everywhere(brier_sum, "rows of squares (Brier)"),
    "brier_skill": _everywhere(brier_skill, "scikit-learn d2_brier_score"),
    "mse": _everywhere(squared, "scikit-learn mean_squared_error"),
    "mae": _everywhere(absolute, "scikit-learn mean_absolute_error"),
    "rms": _everywhere(lambda c: sqrt(squared(c)), "root of scikit-learn mean_squared_error"),
    "mpr": _everywhere(mean_of(lambda row, true: row[true]), "row by row"),
    "mapr": _everywhere(macro_rate, "class by class (Ferri et al.)"),
    "spherical": _everywhere(mean_of(spherical), "row by row (Gneiting and Raftery)"),
    "ranked_probability_score": _everywhere(mean_of(ranked), "row by row (Epstein)"),
    "log_loss": _everywhere(logarithmic, "scikit-learn log_loss"),
    "log_loss_bits": _everywhere(lambda c: logarithmic(c) / log(2), "scikit-learn log_loss"),
    "log_loss_clipped": _everywhere(clipped(np.e), "row by row"),
    "log_loss_clipped_bits": _everywhere(clipped(2), "row by row (Ferri et al.)"),
    "d2_log_loss": _everywhere(d2_log_loss, "scikit-learn d2_log_loss_score"),
    "information_score": _everywhere(information, "row by row (Kononenko and Bratko)"),
    "tjur_r2": Oracle(tjur, "mean of either class (Tjur)", weighted=True),
    "divergence": _everywhere(macro(divergence), "fractions (Seliya et al.)"),
    "divergence_sample": _everywhere(macro(divergence_sample), "fractions (Seliya et al.)"),
}

VARIANTS = {
    "log_loss_clipped[eps=0.01]": _everywhere(clipped(np.e, 0.01), "row by row"),
    "log_loss_clipped_bits[eps=0.2]": _everywhere(clipped(2, 0.2), "row by row"),
}
