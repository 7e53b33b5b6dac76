"""How a measure of two classes is used for more, written out."""

import numpy as np

from oracles.case import Case


def macro(value):
    """Average over the classes that are present, each against the others."""

    def over_classes(case):
        if case.classes == 2:
            return value(case.y, case.score, case.weight)
        return np.mean([_one(value, case, j) for j in np.unique(case.y)])

    return over_classes


def both_classes(value):
    """Average over the classes that are present, also of two."""
    return lambda case: np.mean([_one(value, case, j) for j in np.unique(case.y)])


def _one(value, case, j):
    return value((case.y == j).astype(int), case.p[:, j], case.weight)


def ovo(value):
    """Average over ordered pairs of classes that are present, ranked by the first one's column."""

    def over_pairs(case):
        pairs = [
            value((part.y == j).astype(int), part.p[:, j], part.weight)
            for j, _, part in ordered_pairs(case)
        ]
        return np.mean(pairs) if pairs else np.nan

    return over_pairs


def ordered_pairs(case):
    there = np.unique(case.y)
    for j in there:
        for k in there:
            if j != k:
                kept = (case.y == j) | (case.y == k)
                yield j, k, Case(case.y[kept], case.p[kept], case.weight[kept])


def top(value):
    """Whether the most probable class is right, by its probability."""

    def of_the_top(case):
        if case.classes == 2:
            return value(case.y, case.score, case.weight)
        right = (case.p.argmax(axis=1) == case.y).astype(int)
        return value(right, case.p.max(axis=1), case.weight)

    return of_the_top


def repeated(value):
    """Weights as numbers of rows; a measure that counts rows knows no other weights."""

    def of_rows(y, s, w):
        if (w != np.floor(w)).any():
            return np.nan
        times = w.astype(int)
        return value(np.repeat(y, times), np.repeat(s, times))

    return of_rows


def two_classes(value):
    """Undefined unless both classes are present."""
    return lambda y, s, w: value(y, s, w) if 0 < y.sum() < len(y) else np.nan


def with_positives(value):
    """Undefined without positives."""
    return lambda y, s, w: value(y, s, w) if y.any() else np.nan
