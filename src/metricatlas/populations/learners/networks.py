"""Networks with one hidden layer, trained by gradient descent on squared error or cross entropy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from metricatlas.populations.learners import network_scan
from metricatlas.populations.learners.estimators import Array, Staged, normalised

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Weights are drawn evenly from minus this to this, as in Weka.
START = 0.05


class Network(Staged):
    """A network of sigmoids, one output for each class 0, 1, ... up to `classes`.

    Weights change after every row, and by a share of their last change too (momentum). The rows are
    put into a random order once. Probabilities are the outputs, brought to sum to 1.

    scikit-learn's networks train classes on cross entropy alone, and a row at a time takes them
    hundreds of times as long.

    Parameters
    ----------
    hidden
        How many hidden units; "half" is half of the attributes and classes together.
    epochs
        How often to go through the rows; a list has a stage for each.
    loss
        "squared" or "cross-entropy".
    """

    takes_one_class = True

    def __init__(
        self,
        *,
        classes: int,
        hidden: Any = "half",
        epochs: Any = 500,
        rate: float = 0.3,
        momentum: float = 0.2,
        loss: str = "squared",
        random_state: int = 0,
    ) -> None:
        self.classes = classes
        self.hidden = hidden
        self.epochs = epochs
        self.rate = rate
        self.momentum = momentum
        self.loss = loss
        self.random_state = random_state

    def fit(self, X: Array, y: Array) -> Self:
        """Train, and keep the weights after each of the epochs asked for."""
        self.classes_ = np.arange(self.classes)
        self.weights_ = {}
        for epoch, inner, outer in self.trained(X, y, max(self.listed)):
            if epoch in self.listed:
                self.weights_[epoch] = inner.copy(), outer.copy()
        return self

    def trained(self, X: Array, y: Array, epochs: int) -> Iterator[tuple[int, Array, Array]]:
        """Train epoch by epoch; the weights are the same arrays all the time."""
        random = np.random.default_rng(self.random_state)
        hidden = max(1, (X.shape[1] + self.classes) // 2) if self.hidden == "half" else self.hidden
        inner = random.uniform(-START, START, (X.shape[1] + 1, hidden))
        outer = random.uniform(-START, START, (hidden + 1, self.classes))
        changes = np.zeros_like(inner), np.zeros_like(outer)
        order = random.permutation(len(y))
        rows = np.ascontiguousarray(X, dtype=np.float64)
        entropy = self.loss == "cross-entropy"
        for epoch in range(1, epochs + 1):
            network_scan.train(
                rows, y, order, inner, outer, *changes, self.rate, self.momentum, entropy
            )
            yield epoch, inner, outer

    @property
    def staged(self) -> str:
        """The parameter that has stages."""
        return "epochs"

    def predicted(self, X: Any) -> Iterator[Array]:
        """Return the probability of each class after each of the epochs asked for."""
        rows = np.ascontiguousarray(X, dtype=np.float64)
        for epoch in self.listed:
            yield normalised(network_scan.predict(rows, *self.weights_[epoch]))
