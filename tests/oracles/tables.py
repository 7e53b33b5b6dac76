"""How oracles of decisions see a case: cells in fractions, or labels of one class at a time."""

from fractions import Fraction

import numpy as np


def cells(truth, decided, weight):
    """Return the masses ``tp fp fn tn`` as exact fractions, counted row by row."""
    counted = dict.fromkeys([(1, 1), (0, 1), (1, 0), (0, 0)], Fraction(0))
    for y, d, w in zip(truth, decided, weight, strict=True):
        counted[int(y), int(d)] += Fraction(float(w))
    return tuple(counted.values())


def one_at_a_time(value):
    """Return the positive class's value; of more than two classes the mean over those present."""

    def of_classes(case):
        classes = [1] if case.classes == 2 else np.unique(case.y)
        labels = [((case.y == j).astype(int), (case.decided == j).astype(int)) for j in classes]
        return float(np.mean([float(value(y, d, case.weight)) for y, d in labels]))

    return of_classes


def of_cells(formula):
    """Return a formula of the four cells in fractions as a function of a case."""
    return one_at_a_time(lambda y, d, w: formula(*cells(y, d, w)))


def ratio(numerator, denominator):
    """Return a quotient: infinite where only the denominator is 0, undefined where both are."""
    if denominator != 0:
        return numerator / denominator
    return np.nan if numerator == 0 else np.copysign(np.inf, float(numerator))


def fractions_of(case):
    """Return the confusion matrix as a list of rows of exact fractions."""
    matrix = [[Fraction(0)] * case.classes for _ in range(case.classes)]
    for y, d, w in zip(case.y, case.decided, case.weight, strict=True):
        matrix[int(y)][int(d)] += Fraction(float(w))
    return matrix


def of_matrix(formula):
    """Return a formula of the matrix, its row sums, its column sums and its total."""

    def of_case(case):
        matrix = fractions_of(case)
        rows = [sum(row) for row in matrix]
        columns = [sum(column) for column in zip(*matrix, strict=True)]
        return float(formula(matrix, rows, columns, sum(rows)))

    return of_case
