"""Every class of the data set has a column of probabilities, those that a fold lacks too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.learners.estimators import Array, Classifier, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator


class EveryClass(Classifier):
    """Let a model learn the classes that the training rows have, and predict all that there are.

    The model sees classes as whole numbers in the declared order. A class without training rows
    has probability 0, unless the model itself smooths; where there is one class alone, it is
    certain.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = EveryClass(GaussianNB(), ("no", "perhaps", "yes"))
    >>> model.fit([[0.0], [0.1], [1.0]], ["no", "no", "yes"]).predict_proba([[0.0]]).round(3)
    array([[1., 0., 0.]])
    """

    def __init__(self, model: Any, classes: tuple[Any, ...]) -> None:
        self.model = model
        self.classes = classes

    def fit(self, X: Any, y: Any) -> Self:
        """Let a copy of the model learn from the training rows."""
        if not hasattr(self.model, "predict_proba"):
            raise PopulationError(
                f"a learner needs predict_proba; {type(self.model).__name__} has none. By "
                "scikit-learn's CalibratedClassifierCV a decision_function becomes probabilities."
            )
        target = self._numbered(y)
        if not len(target):
            raise PopulationError("a model needs training rows; got none.")
        self.classes_ = np.array(self.classes, dtype=object)
        self.there_ = np.unique(target)
        self.model_ = None
        if len(self.there_) > 1 or getattr(self.model, "takes_one_class", False):
            self.model_ = clone(self.model).fit(X, target)
            self.there_ = np.asarray(self.model_.classes_)
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return a row of probabilities for each row, a column for each class."""
        if self.model_ is None:
            return self._spread(np.ones((len(X), 1)))
        return self._spread(self.model_.predict_proba(X))

    def stages(self, X: Any) -> Iterator[Stage]:
        """Return what the model predicts after each of its stages; the last one alone if none."""
        if self.model_ is None:
            names = self.model.stage_names() if hasattr(self.model, "stage_names") else [{}]
            yield from ((name, self.predict_proba(X)) for name in names)
        elif hasattr(self.model_, "stages"):
            yield from ((name, self._spread(found)) for name, found in self.model_.stages(X))
        else:
            yield {}, self.predict_proba(X)

    def _numbered(self, y: Any) -> Array:
        numbers = {name: i for i, name in enumerate(self.classes)}
        try:
            return np.array([numbers[name] for name in y], dtype=np.intp)
        except (KeyError, TypeError):
            unknown = next(name for name in y if name not in self.classes)
            raise PopulationError(
                f"training rows must have the classes {list(self.classes)}; got {unknown!r}"
                f"{nearest(unknown, self.classes)}"
            ) from None

    def _spread(self, found: Array) -> Array:
        if found.shape[1] == len(self.classes):
            return found
        whole = np.zeros((len(found), len(self.classes)))
        whole[:, self.there_] = found
        return whole
