"""Decision stumps: trees of one cut, by any of five criteria."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from metricatlas.populations.learners import cuts_scan
from metricatlas.populations.learners.cuts_scan import best_cuts
from metricatlas.populations.learners.estimators import Array, Classifier
from metricatlas.populations.learners.gain_ratio import entropy

CRITERIA = {
    "entropy": cuts_scan.ENTROPY,
    "gini": cuts_scan.GINI,
    "gain-ratio": cuts_scan.ENTROPY,
    "evidence": cuts_scan.EVIDENCE,
    "error": cuts_scan.ERROR,
}


class Stump(Classifier):
    """The best single cut through one attribute, with the classes 0, 1, ... up to `classes`.

    scikit-learn's trees know two of the five criteria, and sort the rows anew in every step of
    boosting; here the order is kept for as long as the rows are the same ones.
    """

    takes_one_class = True

    def __init__(self, *, classes: int, criterion: str = "entropy") -> None:
        self.classes = classes
        self.criterion = criterion

    def fit(
        self, X: Array, y: Array, sample_weight: Array | None = None, order: Array | None = None
    ) -> Self:
        """Find the cut; `order` sorts each column, if that is known."""
        self.classes_ = np.arange(self.classes)
        weight = np.ones(len(y)) if sample_weight is None else sample_weight
        order = sorting(X) if order is None else order
        gains, places, masses = best_cuts(
            X, order, y, weight, self.classes, CRITERIA[self.criterion]
        )
        if self.criterion == "gain-ratio":
            gains = _ratios(gains, masses, weight.sum())
        self.attribute_ = int(np.argmax(gains)) if len(gains) else 0
        self.place_ = np.inf
        if len(gains) and np.isfinite(gains[self.attribute_]):
            self.place_ = float(places[self.attribute_])
        right = self._right(X)
        table = np.zeros((2, self.classes))
        np.add.at(table, (right.astype(np.intp), y), weight)
        table[table.sum(axis=1) == 0] = table.sum(axis=0)
        self.table_ = table / table.sum(axis=1, keepdims=True)
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the class shares on each row's side of the cut."""
        return self.table_[self._right(X).astype(np.intp)]

    def _right(self, X: Array) -> Array:
        if not X.shape[1]:
            return np.zeros(len(X), dtype=bool)
        return X[:, self.attribute_] > self.place_


def sorting(X: Array) -> Array:
    """The order that sorts each column."""
    return np.argsort(X, axis=0, kind="stable")


def _ratios(gains: Array, masses: Array, whole: float) -> Array:
    """Gain ratios, of attributes with no less than the mean gain alone (Quinlan, 1993)."""
    there = np.isfinite(gains) & (gains > 0)
    if not there.any():
        return gains
    found = np.full(len(gains), -np.inf)
    spread = np.array([entropy(np.array([mass, whole - mass])) for mass in masses[there]])
    enough = gains[there] >= gains[there].mean() * (1 - 1e-12)
    found[there] = np.where(enough, gains[there] / np.maximum(spread, 1e-300), -np.inf)
    return found
