"""What all models and transformers of the learners share: scikit-learn's base classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

Array = np.ndarray[Any, Any]


class Transformer(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What turns attributes into others."""


class Classifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A model with a row of probabilities for each row, a column for each of its classes."""

    classes_: Array

    def predict_proba(self, X: Any) -> Array:
        """Return a row of probabilities for each row."""
        raise NotImplementedError

    def predict(self, X: Any) -> Array:
        """Return the most probable class of each row."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def normalised(found: Array) -> Array:
    """Bring rows to sum to 1, evenly where all is 0.

    Sums are taken in ascending order: so two rows with the same values for different classes get
    the same probabilities to the last bit, and ties stay ties.
    """
    mass = np.sort(found, axis=1).sum(axis=1, keepdims=True)
    even = np.full_like(found, 1 / found.shape[1])
    return np.divide(found, mass, out=even, where=mass > 0)
