"""What an oracle is given and what it is."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Case:
    """Truth as codes 0 ... c-1, a row of probabilities an example, weights where there are any."""

    y: np.ndarray
    p: np.ndarray
    w: np.ndarray | None = None

    @property
    def classes(self):
        return self.p.shape[1]

    @property
    def weight(self):
        return np.ones(len(self.y)) if self.w is None else self.w

    @property
    def score(self):
        """Return the positive class's probability."""
        return self.p[:, 1]

    @property
    def decided(self):
        return (self.score > 0.5).astype(int) if self.classes == 2 else self.p.argmax(axis=1)

    @property
    def matrix(self):
        matrix = np.zeros((self.classes, self.classes))
        np.add.at(matrix, (self.y, self.decided), self.weight)
        return matrix


@dataclass(frozen=True)
class Oracle:
    """An independent way to a measure's value (NaN where it is undefined), and whose way it is."""

    value: Callable[[Case], float]
    source: str
    weighted: bool = False
    binary: bool = True
    multiclass: bool = False
