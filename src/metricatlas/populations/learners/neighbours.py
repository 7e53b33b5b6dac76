"""Nearest neighbours: counted, weighted by distance, or all rows weighted by a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from metricatlas.populations.learners.attributes import Attributes
from metricatlas.populations.learners.estimators import Array, Staged, normalised

if TYPE_CHECKING:
    from collections.abc import Iterator

#: So many distances, by classes, are held at once.
HELD = 1 << 21


class Neighbours(Staged):
    """Classes of the training rows that are nearest, over a frame of attributes.

    Parameters
    ----------
    neighbours
        How many; all that are as far as the last of them count too. A list has a stage for each.
    weighting
        "none": each neighbour counts the same. "inverse": by the inverse of its distance. "kernel":
        all training rows count, by a normal kernel (locally weighted averaging).
    width
        The kernel's standard deviation, in smallest distances between two different training rows.
        A list has a stage for each.
    attributes
        "mixed": numbers fill 0 to 1, two nominal values are alike or differ by 1, and what is
        missing is as far away as can be. "boolean": nominal values are columns of 0 and 1, missing
        ones are replaced, and all columns are standardised.
    weights
        "none", or "gain-ratio": each attribute's squared difference counts by its gain ratio.
    """

    def __init__(
        self,
        *,
        neighbours: Any = 1,
        weighting: str = "none",
        width: Any = 1.0,
        attributes: str = "mixed",
        weights: str = "none",
    ) -> None:
        self.neighbours = neighbours
        self.weighting = weighting
        self.width = width
        self.attributes = attributes
        self.weights = weights

    def fit(self, X: Any, y: Array) -> Self:
        """Keep the training rows."""
        self.classes_ = np.unique(y)
        self.counted_ = (y[:, None] == self.classes_).astype(np.float64)
        if self.attributes == "mixed":
            self.attributes_ = Attributes(nominal="codes", missing="keep", scale="unit")
        else:
            self.attributes_ = Attributes(missing="replace", scale="standard")
        self.rows_ = self.attributes_.fit(X).transform(X)
        self.nominal_ = np.zeros(self.rows_.shape[1], dtype=bool)
        if self.attributes == "mixed":
            self.nominal_ = self.attributes_.nominal_
        self.scales_ = np.ones(self.rows_.shape[1])
        if self.weights == "gain-ratio":
            from metricatlas.populations.learners.gain_ratio import gain_ratios

            self.scales_ = gain_ratios(self.rows_, y, self.nominal_)
        if self.weighting == "kernel":
            self.nearest_ = self._nearest()
        return self

    @property
    def staged(self) -> str:
        """The parameter that has stages."""
        return "width" if self.weighting == "kernel" else "neighbours"

    def predicted(self, X: Any) -> Iterator[Array]:
        """Return the classes' shares for each number of neighbours or each width."""
        rows = self.attributes_.transform(X)
        found = np.empty((len(self.listed), len(rows), len(self.classes_)))
        shares = self._averaged if self.weighting == "kernel" else self._counted
        step = max(1, HELD // self.counted_.size)
        for start in range(0, len(rows), step):
            found[:, start : start + step] = shares(self._squares(rows[start : start + step]))
        yield from found

    def _counted(self, squares: Array) -> Array:
        """The neighbours' classes, and 1/n of every class, as Weka's IBk counts them."""
        n = len(self.counted_)
        order = np.argsort(squares, axis=1, kind="stable")
        squares = np.take_along_axis(squares, order, axis=1)
        votes = self.counted_[order]
        if self.weighting == "inverse":
            distances = np.sqrt(squares / max(1, len(self.attributes_.columns_)))
            votes /= (distances + 0.001)[:, :, None]
        np.cumsum(votes, axis=1, out=votes)
        found = []
        for k in self.listed:
            last = squares[:, [min(k, n) - 1]]
            reached = (squares <= last).sum(axis=1) - 1
            found.append(votes[np.arange(len(votes)), reached] + 1 / n)
        return np.array([normalised(shares) for shares in found])

    def _averaged(self, squares: Array) -> Array:
        found = []
        for width in self.listed:
            exponent = squares / (-2 * (width * self.nearest_) ** 2)
            exponent -= exponent.max(axis=1, keepdims=True)
            found.append(normalised(np.exp(exponent, out=exponent) @ self.counted_))
        return np.array(found)

    def _nearest(self) -> float:
        """The smallest distance of two training rows that differ; 1 if none do."""
        least = np.inf
        step = max(1, HELD // len(self.rows_))
        for start in range(0, len(self.rows_), step):
            squares = self._squares(self.rows_[start : start + step])
            least = min(least, squares[squares > 0].min(initial=np.inf))
        return float(np.sqrt(least)) if np.isfinite(least) else 1.0

    def _squares(self, rows: Array) -> Array:
        """Squared distances of rows to the training rows."""
        from scipy.spatial.distance import cdist

        found = np.zeros((len(rows), len(self.rows_)))
        gaps = np.isnan(rows).any(axis=0) | np.isnan(self.rows_).any(axis=0)
        plain, nominal = ~gaps & ~self.nominal_, self.nominal_
        if plain.any():
            factor = np.sqrt(self.scales_[plain])
            found += cdist(rows[:, plain] * factor, self.rows_[:, plain] * factor, "sqeuclidean")
        for i in np.flatnonzero(nominal):
            found += self.scales_[i] * (rows[:, [i]] != self.rows_[:, i])
        for i in np.flatnonzero(gaps & ~nominal):
            found += self.scales_[i] * _with_gaps(rows[:, [i]], self.rows_[:, i]) ** 2
        return found


def _with_gaps(ours: Array, theirs: Array) -> Array:
    """The distance of numbers from 0 to 1, some missing: those are as far away as can be."""
    far = np.fmax(np.maximum(ours, 1 - ours), np.maximum(theirs, 1 - theirs))
    found = np.abs(ours - theirs)
    missing = np.isnan(found)
    found[missing] = np.where(np.isnan(far), 1.0, far)[missing]
    return found
