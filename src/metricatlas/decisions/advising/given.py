"""Models that a user has, of which the best one says what worlds are like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import DecisionError
from metricatlas.evaluation.engine import fill
from metricatlas.predictions import read_predictions

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array
    from metricatlas.worlds.like import Like


@dataclass(frozen=True, eq=False)
class Given:
    """The model with the largest area under the ROC curve, of those that give probabilities."""

    #: What it is called, and how many models there were to take it from.
    model: str
    models: int
    #: The class of each example by its number, and the classes; of two the positive one is second.
    truth: Array
    values: Array
    classes: tuple[Any, ...]

    def like(self, prior: Any) -> Like:
        """Make worlds like its predictions; classes may be as frequent as is said."""
        from metricatlas.worlds.like import Like
        from metricatlas.worlds.profile import shares_of

        truth = np.empty(len(self.truth), dtype=object)
        truth[:] = [self.classes[code] for code in self.truth]
        return Like.of(
            (truth, self.values),
            None if prior is None else shares_of(prior),
            labels=list(self.classes),
            pos_label=self.classes[1] if len(self.classes) == 2 else None,
        )


def given_models(
    y_true: object, predictions: object, *, labels: object, pos_label: object
) -> Given | None:
    """Read the models through the door that `evaluate` has; None if there are none."""
    if y_true is None and predictions is None:
        useless = [n for n, v in (("labels", labels), ("pos_label", pos_label)) if v is not None]
        if useless:
            msg = f"{useless[0]} says what the classes of y_true are; got it without y_true."
            raise DecisionError(msg)
        return None
    if y_true is None or predictions is None:
        lacking = "y_true" if y_true is None else "predictions"
        msg = f"y_true and predictions go together; {lacking} is missing. Pass both, or none."
        raise DecisionError(msg)
    blocks, keys = read_predictions(y_true, predictions, labels=labels, pos_label=pos_label)
    names = [" ".join(map(str, row)) for row in zip(*keys.columns.values(), strict=True)]
    areas = np.full(len(names), -np.inf)
    for rows, block in blocks:
        if block.kind == "probabilities":
            found = fill(block, ("auc",)).values[:, 0]
            areas[rows] = np.where(np.isnan(found), -np.inf, found)
    if np.isneginf(areas).all():
        msg = (
            "predictions must be probabilities of models for examples of every class, so that "
            "worlds can be like them; there are none. Pass what `predict_proba` gives, or say "
            "n, prior and auc instead."
        )
        raise DecisionError(msg)
    best = int(np.argmax(areas))
    ((rows, block),) = ((rows, block) for rows, block in blocks if best in rows.tolist())
    place = rows.tolist().index(best)
    truth = block.truth[place if len(block.truth) > 1 else 0]
    return Given(names[best], len(names), truth, block.values[place], block.classes)
