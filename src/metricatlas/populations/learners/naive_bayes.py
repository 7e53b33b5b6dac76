"""Naive Bayes for numeric and nominal attributes side by side, as Weka has it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from metricatlas.populations.learners.attributes import Attributes
from metricatlas.populations.learners.estimators import Array, Classifier, normalised

#: The precision of an attribute that has one value alone.
PRECISION = 0.01
#: No attribute makes a class less probable than this.
LEAST = 1e-75


class NaiveBayes(Classifier):
    """Naive Bayes over a frame of attributes, with `classes` classes 0, 1, and so on.

    Numbers are normal within a class and known up to a precision: the mean distance of the values
    that the training rows have. Nominal values are counted, each once more than there are. What is
    missing says nothing. This is what John and Langley (1995) describe and Weka does.
    """

    takes_one_class = True

    def __init__(self, classes: int) -> None:
        self.classes = classes

    def fit(self, X: Any, y: Array) -> Self:
        """Count values, and take means and standard deviations, within each class."""
        self.classes_ = np.arange(self.classes)
        self.attributes_ = Attributes(nominal="codes", missing="keep").fit(X)
        matrix = self.attributes_.transform(X)
        masks = [y == each for each in self.classes_]
        counts = np.array([mask.sum() for mask in masks])
        self.prior_ = np.log((counts + 1) / (len(y) + self.classes))
        self.tables_ = [
            counted(matrix[:, i], masks, size) if size else normal(matrix[:, i], masks)
            for i, size in enumerate(self.attributes_.sizes_)
        ]
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class, as if attributes were independent within it."""
        matrix = self.attributes_.transform(X)
        found = np.tile(self.prior_, (len(matrix), 1))
        for i, size in enumerate(self.attributes_.sizes_):
            known = ~np.isnan(matrix[:, i])
            values, table = matrix[known, i], self.tables_[i]
            likely = table[values.astype(np.intp)] if size else _within(values, table)
            found[known] += np.log(np.maximum(likely, LEAST))
        return normalised(np.exp(found - found.max(axis=1, keepdims=True)))


def counted(column: Array, masks: list[Array], size: int) -> Array:
    """The smoothed share of each value within each class; values by classes."""
    known = ~np.isnan(column)
    found = np.empty((size, len(masks)))
    for i, mask in enumerate(masks):
        seen = np.bincount(column[mask & known].astype(np.intp), minlength=size)
        found[:, i] = (seen + 1) / (seen.sum() + size)
    return found


def normal(column: Array, masks: list[Array]) -> Array:
    """Mean and standard deviation within each class, and the precision of the attribute.

    Values count as rounded to the precision. A standard deviation is at least a sixth of it.
    """
    known = column[~np.isnan(column)]
    values = np.unique(known)
    precision = PRECISION
    if len(values) > 1:
        # Added one after the other, as in Weka: its last bit decides where halves are rounded to.
        precision = float(np.cumsum(np.diff(values))[-1] / (len(values) - 1))
    found = np.full((3, len(masks)), precision)
    for i, mask in enumerate(masks):
        own = _rounded(column[mask & ~np.isnan(column)], precision)
        found[0, i] = own.mean() if len(own) else 0.0
        found[1, i] = max(own.std() if len(own) else 0.0, precision / 6)
    return found


def _rounded(values: Array, precision: float) -> Array:
    return np.rint(values / precision) * precision


def _within(values: Array, table: Array) -> Array:
    """How probable it is to meet each value, give or take half the precision; rows by classes."""
    from scipy.special import ndtr

    mean, deviation, precision = table
    rounded = _rounded(values, precision[0])[:, None]
    low = (rounded - mean - precision / 2) / deviation
    high = (rounded - mean + precision / 2) / deviation
    # The upper tail is taken from the lower one, where small probabilities are exact.
    right = low > 0
    return np.where(right, ndtr(-low) - ndtr(-high), ndtr(high) - ndtr(low))
