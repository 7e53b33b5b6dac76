"""What models can do at every rate of false alarms and at every weight of the classes.

Both are read off the convex hull of the ROC curve: the points on it can be had by a cut, or by one
of two cuts at random.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.cuts import Cuts
    from metricatlas.summaries.facts import Array

Along = Literal["fpr", "weight"]


@dataclass(frozen=True, eq=False)
class Curve:
    """A function on [0, 1] that is straight between its knots; the higher it is the better."""

    x: Array
    y: Array

    def at(self, x: Array) -> Array:
        """The values at some places."""
        return np.interp(x, self.x, self.y)

    def areas(self, bounds: Array) -> Array:
        """The areas below it between bounds, which are in ascending order."""
        knots = np.union1d(self.x, bounds)
        values = self.at(knots)
        steps = np.diff(knots) * (values[1:] + values[:-1]) / 2
        below = np.append(0.0, np.cumsum(steps))
        found: Array = np.diff(below[np.searchsorted(knots, bounds)])
        return found


def curves(cuts: Cuts, along: Along) -> list[Curve]:
    """The curve of each row; of rows that lack a class there is none, and it is empty."""
    from metricatlas.decisions.cutting.hulls_scan import corners

    places = np.empty(cuts.tp.shape, dtype=np.int64)
    counts = np.empty(len(places), dtype=np.int64)
    corners(cuts.tp, cuts.fp, places, counts)
    found = []
    for row, count in enumerate(counts.tolist()):
        hull = places[row, :count]
        ones, zeros = cuts.tp[row, 0], cuts.fp[row, 0]
        if ones == 0 or zeros == 0:
            found.append(Curve(np.empty(0), np.empty(0)))
            continue
        tpr, fpr = cuts.tp[row, hull] / ones, cuts.fp[row, hull] / zeros
        found.append(_by_rate(tpr, fpr) if along == "fpr" else _by_weight(tpr, fpr))
    return found


def _by_rate(tpr: Array, fpr: Array) -> Curve:
    """The true positive rate by the false positive rate."""
    # Of what can be had without a false alarm the best counts.
    first = int(np.searchsorted(fpr, 0.0, side="right")) - 1
    return Curve(fpr[first:], tpr[first:])


def _by_weight(tpr: Array, fpr: Array) -> Curve:
    """Minus the loss, each weight with its best cut: w (1 - tpr) + (1 - w) fpr.

    The cost curve of Drummond and Holte (2006); it is straight where one cut is best.
    """
    rise, run = np.diff(tpr), np.diff(fpr)
    weights = np.concatenate([[0.0], run / (run + rise), [1.0]])
    # Of neighbouring corners both are best where they meet; at weight 1 the last one is.
    corner = np.minimum(np.arange(len(weights)), len(tpr) - 1)
    corner[1:-1] = np.arange(len(rise))
    loss = weights * (1 - tpr[corner]) + (1 - weights) * fpr[corner]
    kept = np.append(True, np.diff(weights) > 0)
    return Curve(weights[kept], 0.0 - loss[kept])
