"""Answers for relations: definitions in plain loops and exact fractions, and nothing of ours."""

import json
import os
from fractions import Fraction
from itertools import combinations, product
from math import isnan
from pathlib import Path

import pytest


def published():
    """Return the papers' printed numbers, or skip where they are not there."""
    beside = Path(__file__).parents[2] / "shared" / "reference"
    folder = Path(os.environ.get("METRICATLAS_REFERENCE") or beside)
    if not folder.is_dir():
        pytest.skip(f"there is no folder {folder}; let METRICATLAS_REFERENCE name the one to use")
    return json.loads((folder / "published.json").read_text(encoding="utf-8"))


# -- Pairs of objects ------------------------------------------------------------------------------


def order_of(one, other, tolerance=0.0):
    """1, -1, or 0 for a tie; values may be tuples of levels."""
    if one == other:
        return 0
    if tolerance and abs(one - other) <= tolerance:
        return 0
    return 1 if one > other else -1


def kind_of(by_f, by_g):
    """0 to 4: R, S, P, Q, a tie of both."""
    if by_f and by_g:
        return 0 if by_f == by_g else 1
    return 2 if by_f else 3 if by_g else 4


def pairs_by_definition(f, g, *, weights=None, within=None, tolerance=0.0):
    """R, S, P, Q and ties, looked at pair by pair."""
    counts = [0, 0, 0, 0, 0]
    for i, j in combinations(range(len(f)), 2):
        if within is not None and within[i] != within[j]:
            continue
        by_f, by_g = order_of(f[i], f[j], tolerance), order_of(g[i], g[j], tolerance)
        counts[kind_of(by_f, by_g)] += (
            1 if weights is None else Fraction(weights[i]) * Fraction(weights[j])
        )
    return tuple(counts)


def pairs_of_classes(counted):
    """The same of objects that come as {(f, g): how many}."""
    counts = [0, 0, 0, 0, 0]
    cells = list(counted.items())
    for here, ((f, g), many) in enumerate(cells):
        counts[4] += many * (many - 1) // 2
        for (other_f, other_g), others in cells[:here]:
            by_f, by_g = order_of(f, other_f), order_of(g, other_g)
            counts[kind_of(by_f, by_g)] += many * others
    return tuple(counts)


def chained_places(values, tolerance):
    """Places of values; a chain of steps within the tolerance is one place."""
    ordered = sorted(set(values))
    places, place = {}, 0
    for i, value in enumerate(ordered):
        if i and value - ordered[i - 1] > tolerance:
            place += 1
        places[value] = place
    return [places[value] for value in values]


# -- Ranked lists: 0 and 1 in ascending order of the score -----------------------------------------


def every_list(n, positives):
    for places in combinations(range(n), positives):
        yield tuple(int(i in places) for i in range(n))


def area(ranked):
    pairs = good = 0
    for i, j in product(range(len(ranked)), repeat=2):
        if ranked[i] == 1 and ranked[j] == 0:
            pairs += 1
            good += i > j
    return Fraction(good, pairs)


def cells_at(ranked, cut):
    """tp, fp, fn, tn where the highest `cut` places are decided positive."""
    upper, lower = ranked[len(ranked) - cut :], ranked[: len(ranked) - cut]
    return sum(upper), cut - sum(upper), sum(lower), len(lower) - sum(lower)


def accuracy(ranked, cut):
    tp, _, _, tn = cells_at(ranked, cut)
    return Fraction(tp + tn, len(ranked))


def f1(ranked, cut):
    tp, fp, fn, _ = cells_at(ranked, cut)
    return Fraction(2 * tp, 2 * tp + fp + fn)


def matthews(ranked, cut):
    """The square of the correlation with its sign, which orders lists as the correlation does."""
    tp, fp, fn, tn = cells_at(ranked, cut)
    covariance = tp * tn - fp * fn
    variance = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return Fraction(abs(covariance) * covariance, variance) if variance else Fraction(0)


def average_precision(ranked):
    found, total = 0, Fraction(0)
    for rank, positive in enumerate(reversed(ranked), 1):
        if positive:
            found += 1
            total += Fraction(found, rank)
    return total / found


def precision_of_first(ranked, k):
    return Fraction(sum(ranked[len(ranked) - k :]), k)


def of_list(name, ranked, cut):
    """The value of a measure, or of both levels of a two-level measure."""
    if ":" in name:
        return tuple(of_list(part, ranked, cut) for part in name.split(":"))
    return {
        "auc": lambda: area(ranked),
        "acc": lambda: accuracy(ranked, cut),
        "f1": lambda: f1(ranked, cut),
        "mcc": lambda: matthews(ranked, cut),
        "ap": lambda: average_precision(ranked),
        "bep": lambda: precision_of_first(ranked, sum(ranked)),
        "precision_at_k[k=3]": lambda: precision_of_first(ranked, 3),
    }[name]()


def lists_by_area_and_accuracy(n, positives, cut):
    """How many lists have so many pairs in order and positives above, place by place.

    A list is written down from the lowest place; a positive is above the negatives so far.
    """
    states = {(0, 0, 0): 1}
    for place in range(n):
        following = {}
        for (held, ordered, above), many in states.items():
            negative = (held, ordered, above)
            upper = above + (place >= n - cut)
            positive = (held + 1, ordered + (place - held), upper)
            for state in (negative, positive):
                following[state] = following.get(state, 0) + many
        states = following
    return {
        (ordered, above): many
        for (held, ordered, above), many in states.items()
        if held == positives
    }


# -- Confusion matrices ----------------------------------------------------------------------------


def every_row(size, classes):
    if classes == 1:
        yield (size,)
        return
    for first in range(size + 1):
        for rest in every_row(size - first, classes - 1):
            yield (first, *rest)


def every_matrix(sizes):
    return product(*(every_row(size, len(sizes)) for size in sizes))


def marginals(matrix):
    return [sum(row) for row in matrix], [sum(column) for column in zip(*matrix, strict=True)]


def matthews_key(matrix):
    """The square of the correlation with its sign; 0 where all mass is in one row or column."""
    rows, columns = marginals(matrix)
    total, right = sum(rows), sum(matrix[k][k] for k in range(len(matrix)))
    covariance = right * total - sum(r * q for r, q in zip(rows, columns, strict=True))
    variance = (total**2 - sum(r * r for r in rows)) * (total**2 - sum(q * q for q in columns))
    return Fraction(covariance * abs(covariance), variance) if variance else Fraction(0)


def confusion_entropy_key(matrix):
    """Minus nothing but a power of the entropy: (2N-2)^(2 s CEN), a product of whole powers.

    Of 2 s CEN each cell beside the diagonal has C log(d_j / C) + C log(d_k / C).
    """
    rows, columns = marginals(matrix)
    either = [r + q for r, q in zip(rows, columns, strict=True)]
    found = Fraction(1)
    for j, k in product(range(len(matrix)), repeat=2):
        cell = matrix[j][k]
        if j != k and cell:
            found *= Fraction(either[j] * either[k], cell * cell) ** cell
    return -found


def accuracy_key(matrix):
    return Fraction(sum(matrix[k][k] for k in range(len(matrix))), sum(map(sum, matrix)))


def places_of(keys):
    """Whole numbers in the order of exact keys."""
    place = {key: i for i, key in enumerate(sorted(set(keys)))}
    return [place[key] for key in keys]


# -- Correlations ----------------------------------------------------------------------------------


def mean_of_defined(numbers):
    known = [x for x in numbers if not isnan(x)]
    return sum(known) / len(known) if known else float("nan")
