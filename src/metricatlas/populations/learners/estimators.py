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
