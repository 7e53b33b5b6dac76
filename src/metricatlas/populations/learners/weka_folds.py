"""The folds that Weka makes of its rows, without Weka."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PopulationError
from metricatlas.predictions.numbers import is_whole

if TYPE_CHECKING:
    from metricatlas.populations.learners.estimators import Array


class JavaRandom:
    """Java's random numbers: a linear congruential generator of 48 bits."""

    def __init__(self, seed: int) -> None:
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def _next(self, bits: int) -> int:
        self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        return self.state >> (48 - bits)

    def below(self, bound: int) -> int:
        """Return a number from 0 to below the bound, all equally likely."""
        if bound & (bound - 1) == 0:
            return (bound * self._next(31)) >> 31
        while True:
            drawn = self._next(31)
            found = drawn % bound
            if drawn - found + bound - 1 < 1 << 31:
                return found

    def shuffle(self, rows: list[int]) -> None:
        """Let each row, from the last, change places with one that is not after it."""
        for i in range(len(rows) - 1, 0, -1):
            j = self.below(i + 1)
            rows[i], rows[j] = rows[j], rows[i]


def weka_folds(target: Any, *, folds: int = 10, seed: int = 1) -> list[tuple[Array, Array]]:
    """Cut rows into the folds of Weka's cross-validation.

    Rows are shuffled, stratified by dealing them out class by class, and each training part is
    shuffled once more by the same generator: the order of rows matters to some learners.

    Parameters
    ----------
    target
        The class of each row.
    folds
        How many folds, from 2 to the number of rows.
    seed
        The seed that Weka is given, 1 if nothing is said there.

    Returns
    -------
    list of (array, array)
        The numbers of the training and test rows of each fold, in Weka's order.

    Examples
    --------
    >>> folds = weka_folds(list("aabbab"), folds=3)
    >>> [sorted(test.tolist()) for _, test in folds]
    [[2, 4], [0, 5], [1, 3]]
    """
    known = list(target)
    if not is_whole(folds) or not 2 <= folds <= len(known):
        raise PopulationError(
            f"folds must be a whole number from 2 to the {len(known)} rows; got {folds!r}."
        )
    random = JavaRandom(seed)
    rows = list(range(len(known)))
    random.shuffle(rows)
    rows = _dealt(_by_class(rows, known), folds)
    found = []
    starts = _starts(len(rows), folds)
    for start, end in pairwise(starts):
        train = rows[:start] + rows[end:]
        random.shuffle(train)
        found.append((np.array(train), np.array(rows[start:end])))
    return found


def _by_class(rows: list[int], target: list[Any]) -> list[int]:
    """Bring rows of a class together by exchanging, as Weka's Instances.stratify does."""
    rows = rows.copy()
    index = 1
    while index < len(rows):
        first = target[rows[index - 1]]
        for j in range(index, len(rows)):
            if target[rows[j]] == first:
                rows[index], rows[j] = rows[j], rows[index]
                index += 1
        index += 1
    return rows


def _dealt(rows: list[int], folds: int) -> list[int]:
    """Put every so-many-th row beside each other, starting from each in turn."""
    return [rows[i] for start in range(folds) for i in range(start, len(rows), folds)]


def _starts(rows: int, folds: int) -> list[int]:
    """Where each fold starts; the first ones have a row more."""
    size, more = divmod(rows, folds)
    return [i * size + min(i, more) for i in range(folds + 1)]
