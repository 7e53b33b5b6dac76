"""What all models and transformers of the learners share: scikit-learn's base classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

if TYPE_CHECKING:
    from collections.abc import Iterator

Array = np.ndarray[Any, Any]
Stage = tuple[dict[str, Any], Array]


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


class Staged(Classifier):
    """A model that is fitted once and predicts after each of several stages.

    One of its parameters, which `staged` names, is a value or a list: a list has a stage for each.
    """

    @property
    def staged(self) -> str:
        """The name of that parameter."""
        raise NotImplementedError

    @property
    def listed(self) -> list[Any]:
        """Its values."""
        value = getattr(self, self.staged)
        return value if isinstance(value, list) else [value]

    def stage_names(self) -> list[dict[str, Any]]:
        """What the stages are called; a value alone is a stage without a name."""
        if not isinstance(getattr(self, self.staged), list):
            return [{}]
        return [{self.staged: value} for value in self.listed]

    def stages(self, X: Any) -> Iterator[Stage]:
        """Return what is predicted after each stage."""
        yield from zip(self.stage_names(), self.predicted(X), strict=True)

    def predicted(self, X: Any) -> Iterator[Array]:
        """Return the probabilities after each stage, in the order of the list."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> Array:
        """Return a row of probabilities for each row, after the last stage of the list."""
        *_, last = self.predicted(X)
        return last


def normalised(found: Array) -> Array:
    """Bring rows to sum to 1, evenly where all is 0.

    Sums are taken in ascending order: so two rows with the same values for different classes get
    the same probabilities to the last bit, and ties stay ties.
    """
    mass = np.sort(found, axis=1).sum(axis=1, keepdims=True)
    even = np.full_like(found, 1 / found.shape[1])
    return np.divide(found, mass, out=even, where=mass > 0)
