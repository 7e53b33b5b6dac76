"""The door: how good are the models that measures select on small samples, on a large one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.selecting.observed import observe
from metricatlas.decisions.selecting.outcome import Judged, outcome
from metricatlas.decisions.selecting.selected import Selection
from metricatlas.decisions.selecting.subsamples import Subsamples
from metricatlas.errors import DecisionError
from metricatlas.evaluation.engine import fill
from metricatlas.measures import catalogue
from metricatlas.measures.language import parse
from metricatlas.predictions import read_predictions
from metricatlas.predictions.numbers import is_whole, listed
from metricatlas.progress import progress
from metricatlas.summaries.fill import threads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metricatlas.decisions.selecting.observed import Blocks
    from metricatlas.decisions.selecting.outcome import Outcome
    from metricatlas.measures.terms import Measure

    Measures = Iterable[str | Measure] | str | Measure

#: Repetitions and numbers that a batch has at most. Both are the same whatever the number of
#: workers, so the results are too.
REPETITIONS, TOGETHER = 50, 1_000_000


def selection(
    y_true: object,
    predictions: object,
    *,
    judged_by: Measures,
    measures: Measures | None = None,
    sizes: Iterable[int] | int | None = None,
    repetitions: int = 1000,
    stratified: bool = True,
    seed: int = 0,
    labels: object = None,
    pos_label: object = None,
    threshold: float | None = None,
    kind: str | None = None,
) -> Selection:
    """Select models by measures on small samples, and judge them by the rows left over.

    Small samples are drawn from a large test set. On each, every measure chooses a model; of tied
    models the mean counts. The rows that are in no small sample of the repetition say how good the
    chosen model is, and which model is the best.

    Parameters
    ----------
    y_true
        The true labels of the test set.
    predictions
        Two models or more, as `evaluate` takes them: a dict, or a batch (k, n, c).
    judged_by
        What counts in the end: names, measures, mixed.
    measures
        What chooses; None for all that fit and say which value is better.
    sizes
        How many examples small samples have, at most half of the test set; by default those of 25,
        50, 100, 200, 500 and 1000 that fit.
    repetitions
        How often samples are drawn.
    stratified
        Whether samples have the classes in the same shares as the test set.
    seed
        Of the random numbers.
    labels, pos_label, threshold, kind
        As `evaluate` takes them.

    Returns
    -------
    Selection
        Value, regret, how often the best model is chosen, and the correlation of the measures on
        small samples with those on large ones.

    Examples
    --------
    >>> import metricatlas as ma
    >>> from metricatlas.worlds import graded_models
    >>> y, models = graded_models(5, n=2000)
    >>> s = ma.selection(y, models, measures=["acc", "auc"], judged_by="acc", sizes=100)
    >>> s
    1,000 times, 2 measure(s) choose one of 5 models on n examples; 1,900 others judge.
    How much worse than the best one the chosen model is, by acc:
    n      100
    acc 0.0112
    auc 0.0129
    """
    for name, number, least in (("repetitions", repetitions, 1), ("seed", seed, 0)):
        if not is_whole(number) or number < least:
            msg = f"{name} must be a whole number from {least} on; got {number!r}."
            raise DecisionError(msg)
    blocks, keys = read_predictions(
        y_true, predictions, labels=labels, pos_label=pos_label, threshold=threshold, kind=kind
    )
    models = _names(keys.columns)
    _check_models(blocks, models)
    judges = _asked(judged_by, "judge")
    base = _judgeable(blocks, judges, models)
    choosers = _defaults(blocks) if measures is None else _asked(measures, "choose")
    first = blocks[0][1]
    samples = Subsamples.of(first.truth[0], first.classes, sizes, stratified=stratified)
    task = _Task(blocks, choosers, judges, samples)
    result = Selection(
        _called(choosers), _called(judges), samples.sizes, len(models), samples.left, base
    )
    _run(task, result, repetitions, seed)
    return result


@dataclass(frozen=True, eq=False)
class _Task:
    """Who chooses, who judges, and from what."""

    blocks: Blocks
    choosers: tuple[Any, ...]
    judges: tuple[Any, ...]
    samples: Subsamples

    @property
    def together(self) -> int:
        """How many repetitions a batch has."""
        rows = self.blocks[0][1].truth.shape[1]
        models = sum(block.models for _, block in self.blocks)
        numbers = max(rows, models * max(len(self.choosers), len(self.judges)))
        return max(1, min(REPETITIONS, TOGETHER // numbers))

    def outcomes(self, rng: np.random.Generator, count: int) -> list[Outcome]:
        """Draw samples, and let everybody choose and judge."""
        small, rest = self.samples.draw(rng, count)
        large = Judged.of(observe(self.blocks, rest, self.judges))
        return [outcome(observe(self.blocks, rows, self.choosers), large) for rows in small]


def _run(task: _Task, result: Selection, repetitions: int, seed: int) -> None:
    size = task.together
    counts = [min(size, repetitions - first) for first in range(0, repetitions, size)]
    seeds = np.random.SeedSequence(seed).spawn(len(counts))

    def batch(number: int) -> list[Outcome]:
        return task.outcomes(np.random.default_rng(seeds[number]), counts[number])

    pool = ThreadPoolExecutor(threads())
    try:
        with progress("Selecting models", repetitions) as tell:
            for found in pool.map(batch, range(len(counts))):
                result.add(found)
                tell(result.repetitions)
    finally:
        # Whoever presses Ctrl-C does not wait for batches that have not begun.
        pool.shutdown(cancel_futures=True)


def _names(keys: dict[str, Any]) -> list[str]:
    """What the models are called, members of batches by their number."""
    return [" ".join(map(str, row)) for row in zip(*keys.values(), strict=True)]


def _check_models(blocks: Blocks, models: Sequence[str]) -> None:
    if len(models) < 2:
        msg = (
            "predictions must hold two models or more to choose from; got one. Pass a dict of "
            "models, or a batch (models, examples, classes)."
        )
        raise DecisionError(msg)
    if any(len(block.truth) > 1 for _, block in blocks):
        msg = (
            "y_true must have one axis, so that all models are chosen on the same examples; got a "
            "row for each model."
        )
        raise DecisionError(msg)


def _called(measures: Sequence[Any]) -> tuple[str, ...]:
    return tuple(m if isinstance(m, str) else m.name for m in measures)


def _asked(measures: Any, verb: str) -> tuple[Any, ...]:
    given = tuple(listed(measures))
    if not given:
        msg = f"at least one measure must {verb}; got none."
        raise DecisionError(msg)
    for name in given:
        if parse(name).better == "neither":
            msg = f"a measure must say which value is better to {verb}; {name} does not."
            raise DecisionError(msg)
    return given


def _defaults(blocks: Blocks) -> tuple[str, ...]:
    """All measures that fit the models of every kind, and choose."""
    schemas = [fill(block, None).schema for _, block in blocks]
    fitting = set.intersection(*({column.name for column in schema} for schema in schemas))
    return tuple(
        column.name
        for column in schemas[0]
        if column.name in fitting and catalogue[column.measure].better != "neither"
    )


def _judgeable(blocks: Blocks, judges: tuple[Any, ...], models: Sequence[str]) -> Any:
    """The values of the first model; refuse measures that have none of some model."""
    found = np.empty((len(models), len(judges)))
    for rows, block in blocks:
        filled = fill(block, judges)
        found[rows] = filled.values
        for row, column in np.argwhere(~np.isfinite(filled.values)).tolist():
            infinite = np.isinf(filled.values[row, column])
            reason = filled.reasons().get((row, column), "")
            msg = (
                f"models must have finite values of the measures that judge; "
                f"{_called(judges)[column]} of the model {models[rows[row]]} is "
                f"{'infinite' if infinite else 'undefined'}. {reason}{' ' if reason else ''}Leave "
                f"this model out, or judge by another measure."
            )
            raise DecisionError(msg)
    return found[0]
