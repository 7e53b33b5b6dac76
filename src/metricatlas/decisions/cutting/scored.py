"""Models that give scores of two classes, read and checked; and how their examples are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.cutting.cuts import Line
from metricatlas.errors import DecisionError
from metricatlas.evaluation.task import Task
from metricatlas.predictions import read_predictions
from metricatlas.predictions.labels import shown
from metricatlas.summaries.draws import Bootstrap

if TYPE_CHECKING:
    from metricatlas.predictions import Predictions
    from metricatlas.summaries.facts import Array


@dataclass(frozen=True, eq=False)
class Scored:
    """Models that give scores for the same examples."""

    names: tuple[Any, ...]
    lines: tuple[Line, ...]
    #: The threshold in use of each model; undefined for scores where none is given.
    thresholds: tuple[float, ...]
    kinds: tuple[str, ...]
    #: Truth, weights and clusters, the same for all models.
    shared: Predictions

    @classmethod
    def read(cls, y_true: object, predictions: object, **given: Any) -> Scored:
        """Read models as `evaluate` does; refuse those that there is no threshold of."""
        blocks, keys = read_predictions(y_true, predictions, **given)
        shared = blocks[0][1]
        names = _names(keys.columns)
        _check(shared)
        lines = {}
        for rows, block in blocks:
            if block.kind == "labels":
                named = f" of {names[rows[0]]}" if isinstance(predictions, Mapping) else ""
                msg = (
                    f"thresholds cut scores or probabilities; the predictions{named} are labels. "
                    f"Pass what the model decides by, as from predict_proba or decision_function."
                )
                raise DecisionError(msg)
            usual = 0.5 if block.kind == "probabilities" else np.nan
            for row, values in zip(rows.tolist(), block.values, strict=True):
                line = Line.of(values, block.truth[0] == 1, block.weight)
                cut = usual if block.threshold is None else block.threshold
                lines[row] = line, float(cut), str(block.kind)
        ordered = [lines[row] for row in range(len(names))]
        return cls(
            names,
            tuple(line for line, _, _ in ordered),
            tuple(cut for _, cut, _ in ordered),
            tuple(kind for _, _, kind in ordered),
            shared,
        )

    @property
    def task(self) -> Task:
        """What there is to judge."""
        return Task.of(self.shared)

    @property
    def units(self) -> Array:
        """The unit of each example: what is drawn at once, an example or a cluster."""
        count = self.shared.truth.shape[1]
        return np.arange(count) if self.shared.clusters is None else self.shared.clusters

    def draws(self, resamples: int, seed: int, *, stratified: bool = False) -> Bootstrap:
        """The resamples that `compare` has for the same seed."""
        truth = self.shared.truth[0].astype(np.int64)
        drawn, _ = np.random.SeedSequence(seed).spawn(1)[0].spawn(2)
        seeds = drawn.generate_state(resamples, np.uint64)
        return Bootstrap.of(truth if stratified else 0 * truth, self.shared.clusters, seeds)


def _names(keys: Any) -> tuple[Any, ...]:
    """The name of each model; of a batch among others with its number."""
    names = [n.item() if isinstance(n, np.generic) else n for n in keys["model"]]
    if "member" not in keys:
        return tuple(names)
    return tuple(f"{name}[{member}]" for name, member in zip(names, keys["member"], strict=True))


def _check(shared: Predictions) -> None:
    if not shared.binary:
        msg = (
            f"thresholds are for two classes; these are {len(shared.classes)}: "
            f"{shown(shared.classes)}. Take one against the others: y == class, and its column."
        )
        raise DecisionError(msg)
    if len(shared.truth) > 1:
        msg = (
            f"all models must have the same truth; got one for each of {len(shared.truth)}. Ask "
            f"for them one by one."
        )
        raise DecisionError(msg)
    held = np.unique(shared.truth[0])
    if len(held) < 2:
        msg = (
            f"thresholds need examples of both classes; all {shared.truth.shape[1]} are "
            f"{shared.classes[int(held[0])]!r}."
        )
        raise DecisionError(msg)
    if shared.clusters is not None and shared.clusters.max() == 0:
        msg = (
            "clusters are drawn whole, so there must be two or more; got one. Name a column with "
            "more values, or leave clusters out."
        )
        raise DecisionError(msg)
