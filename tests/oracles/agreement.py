"""Answers for agreement beyond chance: scikit-learn, PyCM, and Krippendorff's coincidences."""

from fractions import Fraction

import numpy as np
from pycm import ConfusionMatrix
from sklearn.metrics import cohen_kappa_score

from oracles.case import Oracle
from oracles.tables import fractions_of, of_matrix, one_at_a_time, ratio


def kappa(weights):
    def value(case):
        matrix = case.matrix
        if np.trace(matrix) == matrix.sum() and (matrix > 0).sum() == 1:
            return np.nan
        return cohen_kappa_score(
            case.y,
            case.decided,
            labels=range(case.classes),
            weights=weights,
            sample_weight=case.weight,
        )

    return value


def kappa_of_two(y, d, w):
    alone = len(np.unique([*y, *d])) == 1
    return np.nan if alone else cohen_kappa_score(y, d, labels=[0, 1], sample_weight=w)


def pycm(name):
    """Return an overall statistic of PyCM, which takes whole counts only."""

    def value(case):
        counts = {
            j: {k: int(n) for k, n in enumerate(row)} for j, row in enumerate(case.matrix.tolist())
        }
        found = ConfusionMatrix(matrix=counts).overall_stat[name]
        return np.nan if found == "None" else found

    return value


def beyond_chance(chance):
    """Return (A - E) / (1 - E) in fractions, which weights of any kind have."""

    def formula(matrix, rows, columns, total):
        agreed = sum(matrix[k][k] for k in range(len(rows))) / total
        pooled = [(r + q) / (2 * total) for r, q in zip(rows, columns, strict=True)]
        expected = chance(pooled)
        return ratio(agreed - expected, 1 - expected) if expected != 1 else np.nan

    return of_matrix(formula)


def counted_or_weighed(name, chance):
    """Return PyCM's value of whole counts, and that of the definition for other weights."""

    def value(case):
        whole = case.weight.sum() < 1e6 and (case.matrix == np.floor(case.matrix)).all()
        return (pycm(name) if whole else beyond_chance(chance))(case)

    return value


def krippendorff(case):
    """Return 1 - observed / expected disagreement, from pairs of labels within and across units."""
    matrix, classes = fractions_of(case), range(case.classes)
    coincidences = [[matrix[j][k] + matrix[k][j] for k in classes] for j in classes]
    values = [sum(row) for row in coincidences]
    labels = sum(values)
    if labels < 2:
        return np.nan
    different = [(j, k) for j in classes for k in classes if j != k]
    observed = sum((coincidences[j][k] for j, k in different), Fraction(0)) / labels
    expected = sum((values[j] * values[k] for j, k in different), Fraction(0))
    return float(1 - ratio(observed, expected / (labels * (labels - 1))))


def bangdiwala(matrix, rows, columns, _total):
    squares = sum(matrix[k][k] ** 2 for k in range(len(rows)))
    return ratio(squares, sum(r * q for r, q in zip(rows, columns, strict=True)))


def every(value, source):
    return Oracle(value, source, weighted=True, multiclass=True)


def either(name, chance):
    return every(counted_or_weighed(name, chance), f"PyCM {name}; other weights in fractions")


ORACLES = {
    "kappa": every(kappa(None), "scikit-learn cohen_kappa_score"),
    "kappa_linear": every(kappa("linear"), "scikit-learn cohen_kappa_score"),
    "kappa_quadratic": every(kappa("quadratic"), "scikit-learn cohen_kappa_score"),
    "scott_pi": either("Scott PI", lambda shares: sum(x * x for x in shares)),
    "krippendorff_alpha": every(krippendorff, "Krippendorff 2011, coincidences in fractions"),
    "gwet_ac1": either(
        "Gwet AC1", lambda shares: sum(x * (1 - x) for x in shares) / (len(shares) - 1)
    ),
    "bennett_s": either("Bennett S", lambda shares: Fraction(1, len(shares))),
    "bangdiwala_b": every(of_matrix(bangdiwala), "Bangdiwala 1985, the matrix in fractions"),
}
VARIANTS = {
    "kappa[macro]": every(one_at_a_time(kappa_of_two), "scikit-learn cohen_kappa_score"),
}
