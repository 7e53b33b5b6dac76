"""The best cut of every attribute: looked for in each of thousands of boosted stumps."""

from __future__ import annotations

from math import inf, lgamma, log, nan
from typing import Any

import numpy as np
from numba import njit

Array = np.ndarray[Any, Any]
GINI, ENTROPY, ERROR, EVIDENCE = range(4)


@njit(cache=True, nogil=True)
def best_cuts(
    X: Array, order: Array, y: Array, weight: Array, classes: int, criterion: int
) -> tuple[Array, Array, Array]:
    """Find where each attribute parts the classes best.

    `order` sorts each column of `X`. Returns the gain of the best cut of each column (-inf where
    there is none), the place of the cut, and the mass to its left.
    """
    rows, columns = X.shape
    gains = np.full(columns, -inf)
    places = np.full(columns, nan)
    masses = np.zeros(columns)
    total = np.zeros(classes)
    for i in range(rows):
        total[y[i]] += weight[i]
    whole = _worth(total, total.sum(), criterion)
    left, right = np.empty(classes), np.empty(classes)
    for j in range(columns):
        left[:] = 0.0
        mass = 0.0
        cuts = 0
        for i in range(rows - 1):
            row, following = order[i, j], order[i + 1, j]
            left[y[row]] += weight[row]
            mass += weight[row]
            here, there = X[row, j], X[following, j]
            if not here < there:
                continue
            cuts += 1
            rest = 0.0
            for k in range(classes):
                right[k] = total[k] - left[k]
                rest += right[k]
            gain = _worth(left, mass, criterion) + _worth(right, rest, criterion) - whole
            if gain > gains[j]:
                gains[j] = gain
                places[j] = here + (there - here) / 2
                if places[j] >= there:
                    places[j] = here
                masses[j] = mass
        if criterion == EVIDENCE and cuts:
            gains[j] -= log(cuts)
    return gains, places, masses


@njit(cache=True, nogil=True)
def _worth(mass: Array, whole: float, criterion: int) -> float:
    """What a node with these class masses is worth, more where one class has most of it."""
    if whole <= 0.0:
        return 0.0
    found = 0.0
    if criterion == GINI:
        for part in mass:
            found += part * part
        return found / whole
    if criterion == ENTROPY:
        for part in mass:
            if part > 0.0:
                found += part * log(part / whole)
        return found
    if criterion == ERROR:
        return mass.max()
    found = lgamma(float(len(mass))) - lgamma(whole + len(mass))
    for part in mass:
        # A difference of sums may be a little less than nothing.
        found += lgamma(max(part, 0.0) + 1.0)
    return found
