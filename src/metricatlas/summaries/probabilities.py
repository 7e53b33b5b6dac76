"""Probabilities: sums of row terms by true class, in the order the rows come."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.summaries.facts import (
    Array,
    Summary,
    class_sum,
    derived,
    fact,
    fact_with_arguments,
)

#: What a third and its like may be off, each.
ROUNDING = 1e-15


def _by_class(_arguments: tuple[Any, ...], classes: int) -> tuple[int, ...]:
    return (classes,)


def _by_two_classes(_arguments: tuple[Any, ...], classes: int) -> tuple[int, ...]:
    return (classes, classes)


class Probabilities(Summary):
    """Each fact has the true class as its last axis: sums over the rows of that class."""

    mass = fact("mass of each class", shape=_by_class)
    given = fact("probability of the true class", probabilities=True, shape=_by_class)
    square_error = fact(
        "squared distances of all probabilities of the row from the truth",
        probabilities=True,
        shape=_by_class,
    )
    absolute_error = fact(
        "distances of all probabilities of the row from the truth",
        probabilities=True,
        shape=_by_class,
    )
    log = fact("natural logarithm of the true class's", probabilities=True, shape=_by_class)
    log_clipped = fact_with_arguments(
        "natural logarithm of the true class's, not below the given one",
        probabilities=True,
        shape=_by_class,
    )
    spherical = fact(
        "the true class's over the root of the sum of squares",
        probabilities=True,
        shape=_by_class,
    )
    ranked = fact(
        "squared distances of the cumulative probabilities from the truth, over classes - 1",
        probabilities=True,
        shape=_by_class,
    )
    information = fact(
        "bits gained over the class's share (Kononenko and Bratko)",
        probabilities=True,
        shape=_by_class,
    )
    pull = fact(
        "sum of the row's squares less the true class's; of two classes (y - p)(1 - 2p)",
        probabilities=True,
        shape=_by_class,
    )
    spread = fact(
        "its variance if the probabilities hold; of two classes (1 - 2p)^2 p (1 - p)",
        probabilities=True,
        shape=_by_class,
    )
    received = fact(
        "by class (row) the probability that rows of each true class (column) give to it",
        probabilities=True,
        shape=_by_two_classes,
    )
    column_squares = fact(
        "by class (row) the squared distances of its probability from the truth, over the rows of "
        "each true class (column)",
        probabilities=True,
        shape=_by_two_classes,
    )
    column_logs = fact(
        "the same of the logarithms of what the class gives to the truth, which is p or 1 - p",
        probabilities=True,
        shape=_by_two_classes,
    )
    top = fact_with_arguments(
        "mass whose true class is among the k most probable; a tie at the cut counts in proportion",
        shape=_by_class,
    )

    @derived
    def classes(self) -> int:
        """How many classes, absent ones included."""
        return int(self.mass.shape[-1])

    @derived
    def total(self) -> Array:
        """All mass."""
        return class_sum(self.mass)

    @derived
    def present(self) -> Array:
        """Which classes hold mass."""
        return self.mass > 0

    @derived
    def classes_present(self) -> Array:
        """How many classes hold mass."""
        return np.add.reduce(self.present, axis=-1)

    @derived
    def share(self) -> Array:
        """Share of each class in the mass."""
        return self.mass / self.total[..., np.newaxis]

    @derived
    def mean_square(self) -> Array:
        """Mean over the rows of their squared errors, summed over classes."""
        return class_sum(self.square_error) / self.total

    @derived
    def mean_log(self) -> Array:
        """Mean of the natural logarithm of the true class's probability."""
        return class_sum(self.log) / self.total

    def over_columns(self, errors: Array) -> Array:
        """Mean over the classes present of what the rows of each column come to on average."""
        by_class = class_sum(errors) / self.total[..., np.newaxis]
        return class_sum(np.where(self.present, by_class, 0)) / self.classes_present

    @derived
    def rates(self) -> Array:
        """Mean probability of the true class, by class; 0 where there is no mass."""
        return np.where(self.present, self.given / self.mass, 0)

    @derived
    def impurity(self) -> Array:
        """Brier score, summed over classes, of giving every row the shares."""
        return class_sum(self.share * (1 - self.share))

    @derived
    def entropy(self) -> Array:
        """Log loss, in nats, of giving every row the shares."""
        return 0 - class_sum(np.where(self.present, self.share * np.log(self.share), 0))

    @derived
    def pulled(self) -> Array:
        """All pull; probabilities that are all alike have none but rounding."""
        total = class_sum(self.pull)
        alike = (self.scattered == 0) & (np.abs(total) < ROUNDING * self.total)
        return np.where(alike, 0.0, total)[()]

    @derived
    def scattered(self) -> Array:
        """All spread; of more than two probabilities that are alike, without its rounding."""
        total = class_sum(self.spread)
        nothing = np.square(ROUNDING) * self.total if self.classes > 2 else 0.0
        return np.where(total <= nothing, 0.0, total)[()]

    @derived
    def positives(self) -> Array:
        """Mass of the last class, the positive one of two."""
        return self.mass[..., -1]

    @derived
    def negatives(self) -> Array:
        """Mass of the first class, the negative one of two."""
        return self.mass[..., 0]
