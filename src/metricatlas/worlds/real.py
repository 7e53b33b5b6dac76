"""Worlds like real predictions: rows are drawn from those that a model has given."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array


@dataclass(frozen=True, eq=False)
class Real:
    """The predictions of one model, sorted by the true class.

    An example of a world has the row of a random real one of its class. Rows that are tied in the
    data are tied in the world, as often; the others are moved a little, so that drawing one twice
    ties nothing: never past another value, nor to another decision. So the area under the ROC
    curve, the error, the share of ties and the calibration are those of the data. Among several
    classes a row whose values others share stays as it is, and is tied where it is drawn twice.
    """

    #: Of two classes the positive's probabilities, (n,); else (n, classes).
    rows: Array
    #: Where each class begins, and how many examples it has.
    starts: Array
    sizes: Array
    #: How far a row may be moved, and with which chance it is not.
    widths: Array
    stays: Array
    #: How frequent the classes are in the world.
    priors: tuple[float, ...]

    @classmethod
    def of(cls, truth: Array, rows: Array, priors: Sequence[float]) -> Real:
        """Sort rows by class, and see which of them are tied."""
        order = np.argsort(truth, kind="stable")
        sizes = np.bincount(truth, minlength=len(priors))
        kept = np.asarray(rows[order], dtype=np.float64)
        widths, copies = _room(kept)
        n = len(kept)
        # Two drawn from m tied ones of n are tied as often as two different ones in the data.
        stays = np.sqrt((copies - 1) / copies * (n / max(n - 1, 1)))
        starts = np.cumsum(sizes) - sizes
        return cls(kept, starts, sizes, widths, stays, tuple(priors))

    def certain(self, rng: np.random.Generator, truth: Any) -> Any:
        """Rows of real examples of these classes."""
        sizes = self.sizes[truth]
        chosen = self.starts[truth] + np.floor(rng.random(truth.shape) * sizes).astype(np.int64)
        rows, widths = self.rows[chosen], self.widths[chosen]
        moved = rng.random(rows.shape) - 0.5
        if rows.ndim > truth.ndim:
            # What moves in a row moves within it, so that it still sums to one.
            free = widths > 0
            count = np.maximum(free.sum(axis=-1, keepdims=True), 1)
            moved = np.where(free, moved - (moved * free).sum(axis=-1, keepdims=True) / count, 0.0)
        else:
            moved *= 2
        goes = rng.random(truth.shape) >= self.stays[chosen]
        return rows + moved * widths * (goes if rows.ndim == truth.ndim else goes[..., np.newaxis])

    def anew(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Any:
        """Rows of real examples, whatever their class."""
        return self.certain(rng, classes_drawn(rng, shape, self.priors))

    def lost(self, area: float, gap: float) -> float:
        """Return the share of rows to be drawn anew for the area to fall so much; else infinity."""
        # The area is a quadratic of the share: its value at 0, its slope there, and a half at 1.
        slope = 2 * area - self._mixed()
        bend = slope - area + 0.5
        inside = slope * slope - 4 * bend * gap
        return 2 * gap / (slope + sqrt(inside)) if slope > 0 and inside >= 0 else inf

    def _mixed(self) -> float:
        """The mean area over pairs of classes of which one has rows of any class, both ways."""
        columns = self.rows.reshape(len(self.rows), -1)
        weights = np.repeat(np.asarray(self.priors) / self.sizes, self.sizes)
        below = np.stack([_ranks(column, weights) for column in columns.T], axis=1)
        mean = np.add.reduceat(below, self.starts) / self.sizes[:, np.newaxis]
        if len(self.sizes) == 2:
            return float(mean[1, 0] + 1 - mean[0, 0])
        own = np.diagonal(mean)
        others = (mean.sum(axis=0) - own) / (len(own) - 1)
        return float(np.mean(own + 1 - others))


def classes_drawn(
    rng: np.random.Generator, shape: tuple[int, ...], priors: Sequence[float]
) -> Array:
    """Draw classes as frequent as these."""
    if len(priors) == 2:
        return (rng.random(shape) < priors[1]).astype(np.uint8)
    ends = np.cumsum(priors)[:-1]
    return np.searchsorted(ends, rng.random(shape), side="right").astype(
        np.min_scalar_type(len(ends))
    )


def _ranks(column: Array, weights: Array) -> Array:
    """Return the weight below each value, with the half of its own."""
    _, inverse = np.unique(column, return_inverse=True)
    masses = np.bincount(inverse, weights)
    found: Array = (np.cumsum(masses) - masses / 2)[inverse]
    return found


def _room(rows: Array) -> tuple[Array, Array]:
    """Return how far each row may be moved, and how many are the same."""
    if rows.ndim == 1:
        # Half is where decisions turn.
        nearest, copies = _alone(rows, (0.0, 0.5, 1.0))
        return nearest / 2, copies
    _, inverse, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    copies = counts[inverse.reshape(-1)]
    nearest, held = (
        np.stack(part, axis=1)
        for part in zip(*(_alone(column, (0.0, 1.0)) for column in rows.T), strict=True)
    )
    first, second = -np.partition(-rows, 1, axis=1)[:, :2].T
    # A value that other rows have too is a tie of its column, and stays.
    free = (held == copies[:, np.newaxis]) & (nearest > 0)
    least = np.where(free, nearest, np.inf).min(axis=1)
    width = np.where(free.sum(axis=1) > 1, np.minimum(least, first - second) / 2, 0.0)
    return np.where(free, width[:, np.newaxis], 0.0), copies


def _alone(column: Array, borders: Sequence[float]) -> tuple[Array, Array]:
    """Return how far each value is from the next one, and how often it occurs."""
    values, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    every = np.union1d(values, borders)
    steps = np.concatenate([[np.inf], np.diff(every), [np.inf]])
    nearest = np.where(np.isin(every, borders), 0.0, np.minimum(steps[:-1], steps[1:]))
    return nearest[np.searchsorted(every, values)][inverse], counts[inverse]
