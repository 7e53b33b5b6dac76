"""How much each attribute tells of the classes, for what its values tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricatlas.populations.learners.cuts_scan import ENTROPY, best_cuts

if TYPE_CHECKING:
    from metricatlas.populations.learners.estimators import Array


def gain_ratios(X: Array, y: Array, nominal: Array) -> Array:
    """Return the gain ratio of each attribute (Quinlan, 1993, chapter 2).

    A nominal attribute is split into all of its values, a numeric one where the gain is greatest.
    Rows that miss a value are left out, and the gain is lowered by their share.

    >>> X = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]])
    >>> gain_ratios(X, np.array([0, 0, 1, 1]), np.array([False, False]))
    array([1., 0.])
    """
    classes = int(y.max()) + 1
    found = np.zeros(X.shape[1])
    for j in range(X.shape[1]):
        known = ~np.isnan(X[:, j])
        column, own = X[known, j], y[known]
        if not len(column):
            continue
        if nominal[j]:
            values, codes = np.unique(column, return_inverse=True)
            table = np.zeros((len(values), classes))
            np.add.at(table, (codes, own), 1.0)
            gain = entropy(table.sum(axis=0)) - sum(entropy(row) for row in table)
            spread = entropy(table.sum(axis=1))
        else:
            one = column[:, None]
            order = np.argsort(one, axis=0, kind="stable")
            gains, _, masses = best_cuts(one, order, own, np.ones(len(own)), classes, ENTROPY)
            gain = max(float(gains[0]), 0.0)
            spread = entropy(np.array([masses[0], len(own) - masses[0]]))
        if spread > 0:
            found[j] = max(gain, 0.0) / spread * known.mean()
    return found


def entropy(mass: Array) -> float:
    """What it takes to name the part of each row: mass times entropy, in natural units."""
    there = mass[mass > 0]
    return float(there.sum() * np.log(there.sum()) - (there * np.log(there)).sum())
