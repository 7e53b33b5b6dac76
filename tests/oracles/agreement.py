"""Answers for agreement beyond chance: scikit-learn, PyCM, and Krippendorff's coincidences."""

from fractions import Fraction

import numpy as np
from pycm import ConfusionMatrix
from sklearn.metrics import cohen_kappa_score

from oracles.case import Oracle
from oracles.tables import fractions_of, of_matrix, ratio


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


def pycm(name):
    """Return an overall statistic of PyCM, which takes whole counts only."""

    def value(case):
        counts = {
            j: {k: int(n) for k, n in enumerate(row)} for j, row in enumerate(case.matrix.tolist())
        }
        found = ConfusionMatrix(matrix=counts).overall_stat[name]
        return np.nan if found == "None" else found

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


def whole(name):
    return Oracle(pycm(name), f"PyCM {name}", multiclass=True)


ORACLES = {
    "kappa": every(kappa(None), "scikit-learn cohen_kappa_score"),
    "kappa_linear": every(kappa("linear"), "scikit-learn cohen_kappa_score"),
    "kappa_quadratic": every(kappa("quadratic"), "scikit-learn cohen_kappa_score"),
    "scott_pi": whole("Scott PI"),
    "krippendorff_alpha": every(krippendorff, "Krippendorff 2011, coincidences in fractions"),
    "gwet_ac1": whole("Gwet AC1"),
    "bennett_s": whole("Bennett S"),
    "bangdiwala_b": every(of_matrix(bangdiwala), "Bangdiwala 1985, the matrix in fractions"),
}
