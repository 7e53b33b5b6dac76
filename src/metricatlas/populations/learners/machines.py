"""Support vector machines, their outputs scaled to probabilities after Platt or linearly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.svm import SVC

from metricatlas.populations.learners.estimators import Array, Staged, normalised

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Into so many parts the training rows are cut to see outputs for rows that were not trained on.
PARTS = 3


class Machine(Staged):
    """A support vector machine by libsvm, one for each class against the rest.

    Training goes on until it is done: with a high cost that can take very long, and a machine that
    is stopped earlier predicts nothing of use.

    Parameters
    ----------
    kernel
        "linear", "polynomial" or "radial", as in SVMlight: (1 + a.b)^degree, exp(-width |a - b|^2).
    scaling
        "platt": a sigmoid fitted to the outputs for training rows that other parts were trained
        for. "linear": outputs from -1 to 1 become 0 to 1, those beyond are cut. A list has a stage
        for each.
    """

    def __init__(
        self,
        *,
        cost: float = 1.0,
        kernel: str = "linear",
        degree: int = 2,
        width: float = 0.1,
        scaling: Any = "platt",
        random_state: int = 0,
    ) -> None:
        self.cost = cost
        self.kernel = kernel
        self.degree = degree
        self.width = width
        self.scaling = scaling
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Self:
        """Train the machines and, if asked for, the sigmoids of their outputs."""
        self.classes_ = np.unique(y)
        sides = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        self.machines_, self.sigmoids_ = [], []
        for each in sides:
            target = np.where(y == each, 1, -1)
            self.machines_.append(self._machine(X, target))
            if "platt" in self.listed:
                self.sigmoids_.append(sigmoid(self._unseen(X, target), target))
        return self

    @property
    def staged(self) -> str:
        """The parameter that has stages."""
        return "scaling"

    def predicted(self, X: Any) -> Iterator[Array]:
        """Return the probability of each class after each scaling."""
        outputs = np.column_stack([each.decision_function(X) for each in self.machines_])
        for scaling in self.listed:
            if scaling == "platt":
                pairs = zip(outputs.T, self.sigmoids_, strict=True)
                found = np.column_stack([scaled(each, *pair) for each, pair in pairs])
            else:
                found = (np.clip(outputs, -1, 1) + 1) / 2
            yield _shared(found)

    def _machine(self, X: Array, target: Array) -> Any:
        kernel = {"linear": "linear", "polynomial": "poly", "radial": "rbf"}[self.kernel]
        return SVC(
            C=self.cost,
            kernel=kernel,
            degree=self.degree,
            gamma=self.width if self.kernel == "radial" else 1.0,
            coef0=1.0,
            cache_size=500,
            random_state=self.random_state,
        ).fit(X, target)

    def _unseen(self, X: Array, target: Array) -> Array:
        """Outputs for each part of the training rows from a machine that was trained on the others.

        With fewer rows of a side than parts there is no such machine: then those seen have to do.
        """
        if min(np.count_nonzero(target == side) for side in (-1, 1)) < PARTS:
            return self.machines_[-1].decision_function(X)
        shuffled = np.random.default_rng(self.random_state).permutation(len(target))
        part = np.empty(len(target), dtype=np.intp)
        part[shuffled[np.argsort(target[shuffled], kind="stable")]] = np.arange(len(target)) % PARTS
        found = np.empty(len(target))
        for each in range(PARTS):
            here = part == each
            machine = self._machine(X[~here], target[~here])
            found[here] = machine.decision_function(X[here])
        return found


def sigmoid(outputs: Array, target: Array) -> tuple[float, float]:
    """Slope and place of the sigmoid that fits outputs to classes of -1 and 1 (Platt, 1999).

    The classes are smoothed after Laplace, as Platt does it.
    """
    from scipy.optimize import minimize

    more, fewer = np.count_nonzero(target > 0), np.count_nonzero(target < 0)
    wanted = np.where(target > 0, (more + 1) / (more + 2), 1 / (fewer + 2))
    size = max(float(np.abs(outputs).max()), 1e-300)
    inner = outputs / size

    def loss(found: Array) -> tuple[float, Array]:
        score = found[0] * inner + found[1]
        error = scaled(score, 1.0, 0.0) - wanted
        value = np.logaddexp(0, score) - wanted * score
        return float(value.sum()), np.array([error @ inner, error.sum()])

    start = np.array([0.0, np.log((more + 1) / (fewer + 1))])
    slope, place = minimize(loss, start, jac=True, method="L-BFGS-B", options={"ftol": 1e-14}).x
    return float(slope / size), float(place)


def scaled(outputs: Array, slope: float, place: float) -> Array:
    """The sigmoid of outputs."""
    from scipy.special import expit

    return expit(slope * outputs + place)


def _shared(found: Array) -> Array:
    """One column is of two classes; more are brought to sum to 1."""
    return np.column_stack([1 - found, found]) if found.shape[1] == 1 else normalised(found)
