"""Confusion: mass by true and decided class, and the probability given to the decided class."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.summaries.facts import Array, Masses, Request, Summary, class_sum, derived, fact

if TYPE_CHECKING:
    from collections.abc import Mapping


#: Smallest normal number: logarithms are taken of at least this, so that 0 log 0 is 0.
TINY = np.finfo(np.float64).tiny
#: Splits a number of 53 bits into halves.
_SPLIT = 2.0**27 + 1


def _matrix_shape(_arguments: tuple[Any, ...], classes: int) -> tuple[int, ...]:
    return (classes, classes)


@lru_cache
def off_diagonal(classes: int) -> Array:
    """One for each wrong decision, zero on the diagonal."""
    mask: Array = 1.0 - np.eye(classes)
    mask.flags.writeable = False
    return mask


def sum_of_cells(cells: Array) -> Array:
    """Sum over both axes of a matrix."""
    # Rows first, so that a matrix and a stack of matrices add up in the same order.
    return class_sum(class_sum(cells))


class Confusion(Summary):
    """A confusion matrix, or any stack of them: rows are the truth, columns the decisions.

    >>> Confusion.of([[5, 1], [2, 4]]).correct
    np.float64(9.0)
    """

    matrix = fact("mass by true class (row) and decided class (column)", shape=_matrix_shape)
    confidence = fact(
        "by cell, the mass of the probability given to the decided class",
        probabilities=True,
        shape=_matrix_shape,
    )
    confidence_squared = fact(
        "by cell, the mass of the square of that probability",
        probabilities=True,
        shape=_matrix_shape,
    )
    margin = fact(
        "by cell, the mass of that probability less the true class's",
        probabilities=True,
        shape=_matrix_shape,
    )

    @classmethod
    def of(cls, matrix: Any) -> Confusion:
        """A confusion matrix given as such."""
        # A view: the array itself stays the caller's to change.
        return cls({("matrix", ()): np.asarray(matrix, dtype=np.float64)[()]})

    @derived
    def classes(self) -> int:
        """How many classes."""
        return int(self.matrix.shape[-1])

    @derived
    def true(self) -> Array:
        """Mass of each true class."""
        return class_sum(self.matrix)

    @derived
    def masses(self) -> Masses:
        """The classes that the truth holds."""
        return Masses(self.true)

    @derived
    def decided(self) -> Array:
        """Mass of each decided class."""
        if self.classes == 2:
            cells = self.matrix.T
            return (cells[:, 0] + cells[:, 1]).T
        return np.add.reduce(self.matrix, axis=-2)

    @derived
    def either(self) -> Array:
        """Mass of each class as truth plus its mass as decision."""
        return self.true + self.decided

    @derived
    def hits(self) -> Array:
        """The diagonal: mass decided rightly, by class."""
        return np.diagonal(self.matrix, axis1=-2, axis2=-1)

    @derived
    def correct(self) -> Array:
        """Mass decided rightly."""
        return class_sum(self.hits)

    @derived
    def mistakes(self) -> Array:
        """The matrix without its diagonal."""
        return self.matrix * off_diagonal(self.classes)

    @derived
    def wrong(self) -> Array:
        """Mass decided wrongly, added up: a difference of totals would lose the last ulps."""
        return sum_of_cells(self.mistakes)

    @derived
    def total(self) -> Array:
        """All mass."""
        return class_sum(self.true)

    @derived
    def classes_present(self) -> Array:
        """How many classes the truth holds."""
        return self.masses.count

    @derived
    def mean_recall(self) -> Array:
        """Share of each true class that is decided rightly, averaged over the classes present."""
        return class_sum(self.hits / (self.true + (self.true == 0))) / self.classes_present

    @derived
    def expected(self) -> Array:
        """Mass decided rightly if decisions were independent of the truth, times the total."""
        return class_sum(self.true * self.decided)

    @derived
    def expected_wrong(self) -> Array:
        """Mass decided wrongly if decisions were independent of the truth, times the total."""
        return class_sum(self.true * (self.total[..., np.newaxis] - self.decided))

    @derived
    def true_spread(self) -> Array:
        """Mass of pairs of rows of different true classes; exactly 0 for one class."""
        return _pairs(self.true, self.total)

    @derived
    def decided_spread(self) -> Array:
        """Mass of pairs of rows of different decided classes; exactly 0 for one class."""
        # Columns may add up to another last ulp than rows do.
        return _pairs(self.decided, class_sum(self.decided))

    @derived
    def either_spread(self) -> Array:
        """Mass of pairs of different classes among true and decided labels taken together."""
        total = self.total + self.total
        return class_sum(self.either * (total[..., np.newaxis] - self.either))

    @derived
    def correlation(self) -> Array:
        """The Matthews correlation; 0 where the truth or the decisions hold one class only."""
        spread = self.true_spread * self.decided_spread
        return np.where(spread > 0, self.excess / np.sqrt(spread), 0 / self.total)[()]

    @derived
    def excess(self) -> Array:
        """Mass decided rightly beyond what independence would give, times the total."""
        if self.classes > 2:
            return self.expected_wrong - self.total * self.wrong
        m = self.matrix
        return 2 * _of_products(m[..., 0, 0], m[..., 1, 1], m[..., 0, 1], m[..., 1, 0])

    @derived
    def chi_square(self) -> Array:
        """Pearson's statistic of the independence of truth and decision."""
        if self.classes == 2:
            # n MCC^2, without the product of four masses.
            by_truth = self.excess / np.maximum(self.true_spread, TINY)
            return self.total * (by_truth * (self.excess / np.maximum(self.decided_spread, TINY)))
        product = self.true[..., :, np.newaxis] * self.decided[..., np.newaxis, :]
        expected = product / self.total[..., np.newaxis, np.newaxis]
        # Where nothing is expected nothing is found, and 0 over the smallest number is 0.
        return sum_of_cells(np.square(self.matrix - expected) / np.maximum(expected, TINY))

    @derived
    def cell_logs(self) -> Array:
        """Natural logarithm of each cell, finite where the cell is empty."""
        return np.log(np.maximum(self.matrix, TINY))

    @derived
    def true_logs(self) -> Array:
        """Entropy of the truth in nats, times the total."""
        return _surprise(self.true, self.total)

    @derived
    def decided_logs(self) -> Array:
        """Entropy of the decisions in nats, times the total."""
        return _surprise(self.decided, self.total)

    @derived
    def equivocation(self) -> Array:
        """Entropy that the truth keeps when the decision is known, in nats, times the total."""
        column_logs = np.log(np.maximum(self.decided, TINY))[..., np.newaxis, :]
        return sum_of_cells(self.matrix * (column_logs - self.cell_logs))

    @derived
    def shared_logs(self) -> Array:
        """Mutual information of truth and decision in nats, times the total."""
        most = np.minimum(self.true_logs, self.decided_logs)
        shared: Array = np.maximum(np.minimum(self.true_logs - self.equivocation, most), 0)
        return shared

    @derived
    def one_vs_rest(self) -> TwoByTwo:
        """Each class against the others; the class axis comes last."""
        # Added up, not subtracted from the total: what is empty is exactly 0, whatever the weights.
        others = off_diagonal(self.classes)
        return TwoByTwo.of_masses(
            self.hits,
            np.add.reduce(self.mistakes, axis=-2),
            np.add.reduce(self.mistakes, axis=-1),
            np.add.reduce(np.matmul(self.matrix, others) * others, axis=-2),
        )


def _pairs(masses: Array, total: Array) -> Array:
    """Mass of pairs of rows of different classes."""
    if masses.shape[-1] == 2:
        return 2 * (masses[..., 0] * masses[..., 1])
    return class_sum(masses * (total[..., np.newaxis] - masses))


def _of_products(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Return a b - c d; what rounding takes from the products is put back (Dekker 1971)."""
    one, other = a * b, c * d
    found: Array = (one - other) + (_rounded_off(a, b, one) - _rounded_off(c, d, other))
    return found


def _rounded_off(a: Array, b: Array, product: Array) -> Array:
    """Return what rounding took from a product."""
    # Halves of 26 bits: their products are exact.
    high = a * _SPLIT - (a * _SPLIT - a)
    other = b * _SPLIT - (b * _SPLIT - b)
    low, rest = a - high, b - other
    found: Array = ((high * other - product) + high * rest + low * other) + low * rest
    return found


def _surprise(masses: Array, total: Array) -> Array:
    # A difference of logarithms: exactly 0 where one class holds all mass.
    logs = np.log(np.maximum(masses, TINY))
    return class_sum(masses * (np.log(total)[..., np.newaxis] - logs))


#: A matrix for each cell, row by row, with one there and zeros elsewhere.
_CELLS = tuple(np.eye(4).reshape(4, 2, 2))


class TwoByTwo(Summary):
    """The four masses of a binary decision.

    >>> TwoByTwo(tp=4, fp=1, fn=2, tn=5).positives
    np.float64(6.0)
    """

    tp = fact("mass of positives decided positive")
    fp = fact("mass of negatives decided positive")
    fn = fact("mass of positives decided negative")
    tn = fact("mass of negatives decided negative")

    def __init__(
        self,
        facts: Mapping[Request, Array] | None = None,
        **masses: Any,
    ) -> None:
        if facts is None:
            facts = {(n, ()): np.asarray(m, dtype=np.float64)[()] for n, m in masses.items()}
        super().__init__(facts)

    @classmethod
    def of(cls, matrix: Any) -> TwoByTwo:
        """From a 2 x 2 matrix with the positive class last."""
        m = np.asarray(matrix, dtype=np.float64)
        return cls.of_masses(m[..., 1, 1], m[..., 0, 1], m[..., 1, 0], m[..., 0, 0])

    @classmethod
    def of_masses(cls, tp: Array, fp: Array, fn: Array, tn: Array) -> TwoByTwo:
        """From four masses that are float64 already."""
        return cls({("tp", ()): tp[()], ("fp", ()): fp[()], ("fn", ()): fn[()], ("tn", ()): tn[()]})

    @derived
    def confusion(self) -> Confusion:
        """The same as a matrix."""
        masses = (self.tn, self.fp, self.fn, self.tp)
        # Sums with zeros are exact, and follow any batch and any kind of number.
        tn, fp, fn, tp = (
            m[..., np.newaxis, np.newaxis] * c for m, c in zip(masses, _CELLS, strict=True)
        )
        return Confusion({("matrix", ()): tn + fp + fn + tp})

    @derived
    def positives(self) -> Array:
        """Mass of positives."""
        return self.tp + self.fn

    @derived
    def negatives(self) -> Array:
        """Mass of negatives."""
        return self.fp + self.tn

    @derived
    def decided_positive(self) -> Array:
        """Mass decided positive."""
        return self.tp + self.fp

    @derived
    def decided_negative(self) -> Array:
        """Mass decided negative."""
        return self.fn + self.tn

    @derived
    def total(self) -> Array:
        """All mass."""
        return self.positives + self.negatives

    @derived
    def tpr(self) -> Array:
        """Share of the positives that are decided positive."""
        return self.tp / self.positives

    @derived
    def tnr(self) -> Array:
        """Share of the negatives that are decided negative."""
        return self.tn / self.negatives

    @derived
    def fpr(self) -> Array:
        """Share of the negatives that are decided positive."""
        return self.fp / self.negatives

    @derived
    def fnr(self) -> Array:
        """Share of the positives that are decided negative."""
        return self.fn / self.positives

    @derived
    def ppv(self) -> Array:
        """Share of what is decided positive that is so."""
        return self.tp / self.decided_positive

    @derived
    def npv(self) -> Array:
        """Share of what is decided negative that is so."""
        return self.tn / self.decided_negative
