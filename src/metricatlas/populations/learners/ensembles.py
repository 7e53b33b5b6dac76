"""Trees and stumps boosted, and trees bagged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import clone

from metricatlas.populations.learners.estimators import Array, Classifier, Staged, normalised
from metricatlas.populations.learners.stumps import Stump, sorting

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Less than this counts as no error, as in Weka.
NOTHING = 1e-6


class Boosting(Staged):
    """AdaBoost.M1 (Freund and Schapire, 1996), with what it predicts after any number of steps.

    Parameters
    ----------
    model
        What is boosted: it takes weights, and its classes are 0, 1, ...
    steps
        How many models at most; a list has a stage for each. Boosting ends before a model that is
        wrong for half of the weight, or for none; later stages are then like the last one.
    output
        "logistic": the exponentials of the votes of each class, as Weka has it. "votes": the share
        of all votes.
    """

    takes_one_class = True

    def __init__(self, *, model: Any, steps: Any = 10, output: str = "logistic") -> None:
        self.model = model
        self.steps = steps
        self.output = output

    def fit(self, X: Array, y: Array) -> Self:
        """Train one model after the other, each on what those before got wrong."""
        X = prepared(self.model, X)
        order = {"order": sorting(X)} if isinstance(self.model, Stump) else {}
        weight = np.ones(len(y))
        self.models_: list[Any] = []
        self.votes_: list[float] = []
        for step in range(max(self.listed)):
            model = clone(self.model)
            if "random_state" in model.get_params():
                model.set_params(random_state=(self.model.random_state + step) % 2**32)
            model.fit(X, y, sample_weight=weight, **order)
            wrong = model.predict(X) != y
            error = weight[wrong].sum() / weight.sum()
            if error >= 0.5 - NOTHING or error <= NOTHING:
                if not step:
                    self._add(model, 1.0)
                break
            self._add(model, float(np.log((1 - error) / error)))
            weight[wrong] *= (1 - error) / error
            weight *= len(y) / weight.sum()
        self.classes_ = self.models_[0].classes_
        return self

    @property
    def staged(self) -> str:
        """The parameter that has stages."""
        return "steps"

    def predicted(self, X: Any) -> Iterator[Array]:
        """Return what the vote makes of each row after each number of steps."""
        found = dict(self._after(sorted(self.listed), X))
        yield from (found[each] for each in self.listed)

    def _add(self, model: Any, vote: float) -> None:
        self.models_.append(model)
        self.votes_.append(vote)

    def _after(self, steps: list[int], X: Any) -> Iterator[tuple[int, Array]]:
        """What is predicted after so many steps, in ascending order."""
        X = prepared(self.model, X)
        votes = np.zeros((len(X), len(self.classes_)))
        done = 0
        for each in steps:
            for model, vote in zip(self.models_[done:each], self.votes_[done:each], strict=True):
                votes[np.arange(len(X)), model.predict(X)] += vote
            done = max(done, each)
            yield each, self._probabilities(votes, each, X)

    def _probabilities(self, votes: Array, steps: int, X: Any) -> Array:
        if min(steps, len(self.models_)) == 1:
            return self.models_[0].predict_proba(X)
        if self.output == "votes":
            return normalised(votes)
        return normalised(np.exp(votes - votes.max(axis=1, keepdims=True)))


class Bagging(Classifier):
    """Trees of bootstrap samples, their probabilities averaged (Breiman, 1996).

    Every tree knows all classes, those too that its sample lacks; scikit-learn's own would not tell
    it of them.
    """

    takes_one_class = True

    def __init__(self, *, model: Any, trees: int = 25, random_state: int = 0) -> None:
        self.model = model
        self.trees = trees
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Self:
        """Train each tree on as many rows, drawn with replacement."""
        X = prepared(self.model, X)
        self.models_ = []
        for child in np.random.SeedSequence(self.random_state).spawn(self.trees):
            random = np.random.default_rng(child)
            drawn = random.integers(len(y), size=len(y))
            model = clone(self.model).set_params(random_state=int(random.integers(2**32)))
            self.models_.append(model.fit(X[drawn], y[drawn]))
        self.classes_ = self.models_[0].classes_
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the mean of what the trees predict."""
        rows = prepared(self.model, X)
        return sum(model.predict_proba(rows) for model in self.models_) / len(self.models_)


def prepared(model: Any, X: Any) -> Array:
    """What a model makes of numbers before it looks at them: once for many models."""
    return model.prepared(X) if hasattr(model, "prepared") else X
