"""Models that are made: probabilities whose largest is that of the true class, or of any class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Made:
    """The models of ferri2009, section 6, for two classes or more.

    Rows are uniform among all that sum to one. Where a model is certain the largest probability is
    moved to the true class: of two classes a positive then has a score between 0.5 and 1.
    """

    classes: int
    #: Of more than two classes, the factor of the log-odds, and how many different rows each
    #: decision has; 0 for as many as there are examples.
    confidence: float = 1.0
    values: int = 0

    def certain(self, rng: np.random.Generator, truth: Any) -> Any:
        """Rows that decide for the true class."""
        if self.classes == 2:
            return 0.5 * (rng.random(truth.shape) + truth)
        rows = self._rows(rng, truth)
        there = truth[..., np.newaxis].astype(np.int64)
        largest = rows.argmax(axis=-1)[..., np.newaxis]
        most, other = (np.take_along_axis(rows, place, axis=-1) for place in (largest, there))
        np.put_along_axis(rows, largest, other, axis=-1)
        np.put_along_axis(rows, there, most, axis=-1)
        return rows

    def anew(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
        """Rows that know nothing of the truth."""
        if self.classes == 2:
            return rng.random(shape).astype(np.float64)
        return self.certain(rng, rng.integers(self.classes, size=shape))

    def _rows(self, rng: np.random.Generator, truth: Any) -> Any:
        """Uniform rows, or some of so many for each class."""
        if not self.values:
            parts = rng.standard_exponential((*truth.shape, self.classes))
        else:
            number = rng.integers(self.values, size=truth.shape) + self.values * truth.astype(
                np.int64
            )
            parts = -np.log(_spread(number, self.classes))
        if self.confidence != 1:
            parts = (parts / parts.max(axis=-1, keepdims=True)) ** self.confidence
        return parts / parts.sum(axis=-1, keepdims=True)

    @property
    def area(self) -> float:
        """The area under the ROC curve, one class against one other, of rows that are certain.

        A row drawn anew loses the half of what the area has above 0.5, as does one that it is
        compared with: so the area falls in a straight line with the share of these, to a half.
        """
        if self.classes == 2 or (self.confidence == 1 and not self.values):
            return _certain_area(self.classes)
        return _sampled_area(self)


def _spread(numbers: Any, axes: int) -> Any:
    """Points that fill the unit cube evenly, by their numbers: Roberts' sequence."""
    root = 2.0
    for _ in range(60):
        root = (1 + root) ** (1 / (axes + 1))
    steps = root ** -np.arange(1.0, axes + 1)
    return (0.5 + np.multiply.outer(numbers + 1.0, steps)) % 1.0


@cache
def _certain_area(classes: int) -> float:
    """Return the chance that the largest of a uniform row exceeds a smaller one of another row."""
    # P(max <= x) is a sum over j of (-1)^j C(c, j) (1 - jx)^(c-1), where 1 - jx is not negative,
    # and a single one is above x with (1 - x)^(c-1): so this is the chance that it exceeds the max.
    above = sum(
        (-1) ** j * comb(classes, j) * (classes - 1) * _integral(classes - 2, classes - 1, j)
        for j in range(1, classes + 1)
    )
    # Without j = 0, where the integral is that of the density: one.
    above += 1
    # With 1 of so many times the single one is itself a largest, and the two are as good.
    return float((1 - above - Fraction(1, 2 * classes)) * Fraction(classes, classes - 1))


@cache
def _sampled_area(made: Made) -> float:
    """Return the same chance by drawing, where rows are not uniform."""
    from scipy.stats import rankdata

    count, rng = 100_000, np.random.default_rng(0)
    largest, smaller = (made.certain(rng, np.full(count, code))[:, 0] for code in (0, 1))
    ranks = rankdata(np.concatenate([largest, smaller]))[:count]
    return float((ranks.sum() / count - (count + 1) / 2) / count)


def _integral(a: int, b: int, j: int) -> Fraction:
    """Integrate (1 - x)^a (1 - jx)^b from 0 to 1 / j, by parts."""
    found = Fraction(0)
    for i in range(a + 1):
        found = Fraction(1, j * (a + b + 1 - i)) * (1 - i * found)
    return found
