"""Ranking: what the order of the scores, and their values, say about one class against another.

It is a sufficient statistic of every measure of a binary scorer that does not care for row order:
per distinct score the mass of positives and of negatives. Its facts are listed here; the loops
that fill them are in `kernels`: `steps` (plain arrays) and `scan` (compiled, for large inputs).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.summaries.facts import Array, Masses, Summary, derived, fact, fact_with_arguments

#: A share of the mass up to here is lost beside all of it.
ROUNDED = 2.0**-50


def _bins_shape(arguments: tuple[Any, ...], _classes: int) -> tuple[int, ...]:
    return (int(arguments[0]), 3)


def _bins_and_rests_shape(arguments: tuple[Any, ...], _classes: int) -> tuple[int, ...]:
    return (int(arguments[0]), 4)


def _two(_arguments: tuple[Any, ...], _classes: int) -> tuple[int, ...]:
    return (2,)


def _three(_arguments: tuple[Any, ...], _classes: int) -> tuple[int, ...]:
    return (3,)


class Ranking(Summary):
    """The facts of a ranking; a ranking of right against wrong decisions has the same ones."""

    positives = fact("mass of the positive class", pairwise=True)
    negatives = fact("mass of the negative class", pairwise=True)
    wins = fact("mass of pairs in the right order; a tie counts half", pairwise=True)
    margin = fact(
        "sum of max(a - b, 0) over pairs of a positive a, a negative b",
        probabilities=True,
        pairwise=True,
    )

    mean_positive = fact("mean score of the positives")
    mean_negative = fact("mean score of the negatives")
    mean_gap = fact("mean score of the positives less that of the negatives")
    variance_positive = fact("variance of the positives' scores, divided by their mass")
    variance_negative = fact("variance of the negatives' scores, divided by their mass")

    ks = fact("largest distance between the two cumulative distributions of the score")
    ks_threshold = fact("lowest threshold at which that distance is reached")
    ks_tp = fact("mass of positives above that threshold")
    ks_fp = fact("mass of negatives above that threshold")
    equal_error = fact("rate at which false positive and false negative rate are equal on the ROC")

    precision_sum = fact("positives times precision at their score, summed over distinct scores")
    precision_sum_random = fact(
        "its expectation when ties are put in random order", counts_rows=True
    )
    precision_eleven = fact("mean interpolated precision at recall 0, .1, ..., 1")
    pr_area = fact("Davis-Goadrich area under the precision-recall curve", counts_rows=True)
    gain_area = fact("area under the precision-recall-gain curve")

    hull_area = fact("area under the convex hull of the ROC curve")
    hull_loss = fact("expected minimum loss under the Beta(2, 1 + negatives / positives) cost")
    hull_squares = fact("squared error left when scores are recalibrated by isotonic regression")
    hull_logs = fact("log loss left when scores are recalibrated by isotonic regression")
    hull_deviation = fact(
        "sum of (p - share of positives in its hull segment)^2", probabilities=True
    )
    hull_bias = fact(
        "over hull segments, mass times (mean p - share of positives)^2", probabilities=True
    )
    distinct_deviation = fact(
        "sum of (p - share of positives among equal predictions)^2", probabilities=True
    )

    top = fact_with_arguments(
        "mass of positives among the highest scores, and how many these are; a tie at the cut "
        "counts in proportion. Arguments: 'share' x, 'size' k, or 'positives'",
        counts_rows=True,
        shape=_two,
    )
    operating_point = fact_with_arguments(
        "mass of positives and of negatives above a threshold, and that. Arguments: 'at' t, "
        "'fpr' x (lowest threshold with at most this rate), 'tpr' x (highest with at least it), "
        "'prevalence', 'top' x (a share, a size or 'positives'; ties in proportion), 'ks', or "
        "'best' 'f1' or 'gmean' (lowest maximiser). Minus infinity decides everything positive",
        shape=_three,
    )
    partial_area = fact_with_arguments("area under the ROC curve up to a false positive rate")
    window_gap = fact_with_arguments(
        "mean over windows of so many neighbours, or a 'tenth', of |share of positives - mean p|",
        probabilities=True,
        counts_rows=True,
    )
    window_deviation = fact_with_arguments(
        "mean over windows of the mean |p - share of positives in the window|",
        probabilities=True,
        counts_rows=True,
    )
    window_deviation_printed = fact_with_arguments(
        "the same summed in each window, without the last window",
        probabilities=True,
        counts_rows=True,
    )
    width_bins = fact_with_arguments(
        "per bin of equal width the mass, the mass of positives and the sum of p",
        probabilities=True,
        shape=_bins_shape,
    )
    mass_bins = fact_with_arguments(
        "per bin of equal mass the mass, the mass of positives, the sums of p and of 1 - p; "
        "ties are shared",
        probabilities=True,
        shape=_bins_and_rests_shape,
    )

    recalibration = fact_with_arguments(
        "intercept and slope of the logistic regression of the label on logit p; "
        "'slope' fits both, 'intercept' the intercept at slope 1",
        probabilities=True,
        slow=True,
        shape=_two,
    )
    smooth_gap = fact(
        "mean |p - smoothed share of positives at p| by local regression",
        probabilities=True,
        slow=True,
    )

    triples = fact(
        "mass of triples of one of each of three classes that are in order; ties count 1/2 or 1/6"
    )
    all_triples = fact("mass of triples of one of each of three classes")

    @derived
    def masses(self) -> Masses:
        """The classes that the truth holds, where each is ranked against the rest."""
        return Masses(self.positives)

    @derived
    def total(self) -> Array:
        """All mass."""
        return self.positives + self.negatives

    @derived
    def pairs(self) -> Array:
        """Mass of pairs of a positive and a negative."""
        return self.positives * self.negatives

    @derived
    def share(self) -> Array:
        """Share of positives."""
        return self.positives / self.total

    @derived
    def variance(self) -> Array:
        """Variance of the label: the squared error of giving every row the share of positives."""
        return self.positives / self.total * (self.negatives / self.total)

    @derived
    def entropy(self) -> Array:
        """Log loss, in nats, of giving every row the share of positives."""
        share, rest = self.share, self.negatives / self.total
        left = np.where(share > 0, share * np.log(share), 0)
        return 0 - left - np.where(rest > 0, rest * np.log(rest), 0)
