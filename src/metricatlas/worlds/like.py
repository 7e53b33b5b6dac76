"""What a world takes from real predictions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.predictions import read_predictions
from metricatlas.worlds.real import Real

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array


@dataclass(frozen=True, eq=False)
class Like:
    """Real predictions of one model, and what they are like."""

    rows: Real
    #: How many real examples there are, of which classes; of two the second is the positive one.
    examples: int
    classes: tuple[Any, ...]
    #: The model's error, area under the ROC curve and Brier score where classes are as frequent
    #: as in the world.
    error: float
    auc: float
    brier: float
    #: The share of pairs of examples that have the same probabilities.
    ties: float

    @classmethod
    def of(
        cls, given: object, priors: Sequence[float] | None, *, labels: object, pos_label: object
    ) -> Like:
        """Read predictions through the door that `evaluate` has; classes may be as frequent."""
        truth, values, classes = _read(given, labels, pos_label)
        counts = np.bincount(truth, minlength=len(classes))
        if not counts.all():
            msg = (
                f"like must have examples of every class; there is none of "
                f"{classes[int(np.argmin(counts))]!r}. Leave this class out, or add examples."
            )
            raise WorldError(msg)
        if priors is not None and len(priors) != len(classes):
            msg = (
                f"prior must have a share for each class of like, {list(classes)}; got "
                f"{len(priors)} shares."
            )
            raise WorldError(msg)
        # A weight for each class, if they are to be more or less frequent than they are.
        weights = None if priors is None else np.asarray(priors) * len(truth) / counts
        shares = tuple((counts / len(truth)).tolist()) if priors is None else tuple(priors)
        rows = Real.of(truth, values, shares)
        acc, auc, brier = _quality(truth, values, weights)
        if auc <= 0.5:
            msg = (
                f"like must be predictions that know something, so that another model can be worse;"
                f" their area under the ROC curve is {auc:.3g}. Look at the positive class: "
                f"pos_label= names it."
            )
            raise WorldError(msg)
        return cls(rows, len(truth), classes, 1 - acc, auc, brier, _tied(values))


def _read(given: object, labels: object, pos_label: object) -> tuple[Array, Array, tuple[Any, ...]]:
    if not isinstance(given, tuple | list) or len(given) != 2:
        msg = f"like must be a pair (y_true, probabilities); got {type(given).__name__}."
        raise WorldError(msg)
    blocks, _ = read_predictions(*given, labels=labels, pos_label=pos_label)
    found = blocks[0][1]
    if sum(block.rows for _, block in blocks) != 1:
        msg = "like must be the predictions of one model; got several. Choose one."
        raise WorldError(msg)
    if found.kind != "probabilities":
        msg = (
            f"like must be a pair (y_true, probabilities); got {found.kind}. Pass what "
            f"`predict_proba` gives, or calibrate the scores first."
        )
        raise WorldError(msg)
    return found.truth[0], found.values[0], found.classes


def _quality(truth: Array, values: Array, weights: Array | None) -> list[float]:
    from metricatlas.evaluation.doors import evaluated

    classes = list(range(2 if values.ndim == 1 else values.shape[1]))
    table = evaluated(
        truth,
        values,
        measures=["acc", "auc", "brier"],
        labels=classes,
        kind="probabilities",
        sample_weight=None if weights is None else weights[truth],
    )
    return table.values[0].tolist()


def _tied(values: Array) -> float:
    """The share of pairs of different examples that are tied."""
    n = len(values)
    _, counts = np.unique(values, axis=0, return_counts=True)
    return float((counts * (counts - 1.0)).sum() / max(n * (n - 1), 1))
