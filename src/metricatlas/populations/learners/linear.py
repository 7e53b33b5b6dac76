"""Logistic regression with a ridge, as Weka has it."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from scipy.linalg import LinAlgWarning
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from metricatlas.populations.learners.estimators import Array, Classifier

#: Up to so many coefficients Newton's method is the quicker one.
NEWTON = 500
#: Where classes can be told apart without fault the coefficients grow for ever: this is enough.
STEPS = 1000


class Logistic(Classifier):
    """scikit-learn's logistic regression, with the ridge in Weka's units.

    The ridge counts the squared coefficients of standardised attributes against the log loss of all
    training rows.
    """

    def __init__(self, *, ridge: float = 1e-8, random_state: int = 0) -> None:
        self.ridge = ridge
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Self:
        """Find the coefficients; that the last step was reached is no failure."""
        few = (X.shape[1] + 1) * len(np.unique(y)) <= NEWTON
        self.model_ = LogisticRegression(
            C=1 / (2 * self.ridge),
            solver="newton-cholesky" if few else "lbfgs",
            max_iter=STEPS,
            tol=1e-6,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", LinAlgWarning)
            self.model_.fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class."""
        return self.model_.predict_proba(X)
