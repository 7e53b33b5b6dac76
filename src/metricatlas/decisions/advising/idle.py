"""What measures make of predictions that know nothing, or next to nothing."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.evaluation.doors import evaluated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.measurements import Measurements
    from metricatlas.summaries.facts import Array

#: The rarest class has so many examples, unless there are too many of the others.
RAREST = 100
MOST = 100_000
#: With fewer examples of a class a single one is more than next to nothing.
FEW = 20
#: Values that differ by less are equal up to rounding.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Idle:
    """How good nothing looks, by measure: shares of the way from the worst value to the best.

    The best value is that of the truth itself, the worst that of its opposite or of any other
    prediction tried here. The way to or from infinity has no shares: that is NaN.
    """

    #: Of the best prediction that knows nothing: each class always; the shares of the classes
    #: always; as many decisions for each class as it has examples, but at random.
    idle: Array
    #: Of deciding for one class always, but for a single example of another one.
    lone: Array
    #: Whether some certain mistakes, be it one, make the value infinite.
    infinite: Array
    #: Whether both ends of the range are finite.
    bounded: Array
    #: The value of the shares of the classes for every example.
    baseline: Array


def idleness(measures: Sequence[Any], priors: Sequence[float]) -> Idle:
    """Evaluate predictions that know nothing where classes are as frequent as these."""
    truth = _truth(priors)
    kinds = {
        "perfect": _certain(truth, len(priors))[np.newaxis],
        "opposite": _opposite(truth, len(priors)),
        "idle": _knowing_nothing(truth, priors),
        "lone": _lone(truth, len(priors)),
        "slip": _slips(truth, len(priors)),
    }
    values = {kind: _oriented(truth, rows, measures) for kind, rows in kinds.items() if len(rows)}
    nothing = np.full(len(measures), np.nan)
    perfect = values["perfect"][0]
    every = np.concatenate([values[k] for k in ("perfect", "opposite", "idle")])
    worst = np.fmin.reduce(every, axis=0)
    bounded = np.array([np.isfinite(_bounds(m, len(priors))).all() for m in measures])

    def share(kind: str) -> Array:
        best = np.fmax.reduce(values[kind], axis=0) if kind in values else nothing
        return _share(best, worst, perfect, bounded)

    mistaken = np.concatenate([values["opposite"], values["slip"]])
    shares = np.bincount(truth) / len(truth)
    baseline = _evaluated(truth, np.tile(shares, (1, len(truth), 1)), measures).values[0]
    infinite = np.isinf(mistaken).any(axis=0)
    return Idle(share("idle"), share("lone"), infinite, bounded, baseline)


def _bounds(measure: Any, classes: int) -> tuple[float, float]:
    from metricatlas.measures.language import parse

    found: tuple[float, float] = parse(measure).bounds_for(classes)
    return found


def _share(value: Array, worst: Array, perfect: Array, bounded: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(bounded, (value - worst) / (perfect - worst), np.nan)
        reached = value >= perfect - ROUNDING * np.maximum(1.0, np.abs(perfect))
    # Whatever the scale, who reaches the best value has gone all the way.
    found: Array = np.where(reached & ~np.isnan(value), 1.0, share)
    return found


def _truth(priors: Sequence[float]) -> Array:
    """Examples sorted by class, as frequent as these, two of the rarest at least."""
    count = min(ceil(RAREST / min(priors)), MOST)
    sizes = [max(2, round(count * share)) for share in priors]
    return np.repeat(np.arange(len(priors)), sizes)


def _certain(decided: Array, classes: int) -> Array:
    """The whole probability for the class decided for."""
    return np.eye(classes)[decided]


def _opposite(truth: Array, classes: int) -> Array:
    """All certain and all wrong, with each shift of the classes."""
    return np.stack([_certain((truth + s) % classes, classes) for s in range(1, classes)])


def _knowing_nothing(truth: Array, priors: Sequence[float]) -> Array:
    classes = len(priors)
    shares = np.bincount(truth) / len(truth)
    always = [_certain(np.full_like(truth, k), classes) for k in range(classes)]
    # Each class gets its share of the examples of every class, one here and one there.
    sizes = np.bincount(truth)
    within = np.concatenate([(np.arange(size) + 0.5) / size for size in sizes])
    dealt = np.searchsorted(np.cumsum(shares)[:-1], within, side="right")
    constant = np.broadcast_to(shares, (len(truth), classes))
    return np.stack([*always, constant, _certain(dealt, classes)])


def _lone(truth: Array, classes: int) -> Array:
    """One example of a class is found; all else is said to be of the largest other one."""
    sizes = np.bincount(truth)
    found = []
    for k in range(classes):
        if sizes[k] >= FEW:
            other = int(np.argmax(np.where(np.arange(classes) == k, -1, sizes)))
            decided = np.full_like(truth, other)
            decided[np.flatnonzero(truth == k)[0]] = k
            found.append(_certain(decided, classes))
    return np.stack(found) if found else np.empty((0, len(truth), classes))


def _slips(truth: Array, classes: int) -> Array:
    """All certain and right, but for one example of a class."""
    found = []
    for k in range(classes):
        decided = truth.copy()
        decided[np.flatnonzero(truth == k)[0]] = (k + 1) % classes
        found.append(_certain(decided, classes))
    return np.stack(found)


def _oriented(truth: Array, rows: Array, measures: Sequence[Any]) -> Array:
    return _evaluated(truth, rows, measures).oriented().values


def _evaluated(truth: Array, rows: Array, measures: Sequence[Any]) -> Measurements:
    classes = rows.shape[2]
    return evaluated(
        truth,
        rows[:, :, 1:] if classes == 2 else rows,
        measures=list(measures),
        labels=list(range(classes)),
        kind="probabilities",
    )
