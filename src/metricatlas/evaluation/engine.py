"""Blocks of predictions in, a table of values and reasons out."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.evaluation.best import BestCuts
from metricatlas.evaluation.plan import Plan
from metricatlas.evaluation.task import Task
from metricatlas.measures import catalogue
from metricatlas.measures.declaration import generation
from metricatlas.measures.language import parse
from metricatlas.measures.terms import Measure
from metricatlas.predictions import told
from metricatlas.summaries.fill import Facts, Target, select, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from metricatlas.evaluation.sources import Source
    from metricatlas.measurements import Column
    from metricatlas.predictions import Predictions
    from metricatlas.summaries.facts import Array

#: What is asked for: names and measures as given, or None for all that fit.
Asked = tuple[str | Measure, ...] | None
Reasons = dict[tuple[int, int], str]


#: Formulas over so many rows stay in the cache, with all that they share.
TOGETHER = 2048


@dataclass
class Filled:
    """What a block of predictions gave."""

    schema: tuple[Column, ...]
    values: Array
    #: Why values are undefined; looked for when somebody asks.
    reasons: Callable[[], Reasons]
    #: By column of a two-level measure its oriented levels, (rows, 2).
    levels: dict[int, Array]


@lru_cache(maxsize=256)
def _planned(asked: Asked, task: Task, _generation: int) -> Plan:
    if asked is None:
        # Of more than two classes f1 is f1[macro], which has a name of its own too.
        resolved = (task.resolved(m) for m in catalogue.values() if task.default(m))
        fitting = tuple(dict.fromkeys(resolved))
        return Plan(tuple(m.name for m in fitting), fitting, task)
    measures = tuple(parse(name) for name in asked)
    objections = [(n, task.objection(m)) for n, m in zip(asked, measures, strict=True)]
    wrong = [f"{name} {objection}" for name, objection in objections if objection]
    if wrong:
        msg = f"every measure asked for must fit the predictions; {'; '.join(wrong)}."
        raise MeasureError(msg)
    names = (n if isinstance(n, str) else n.name for n in asked)
    return Plan(tuple(names), measures, task)


def planned(asked: Asked, task: Task) -> Plan:
    """The plan for some measures, made once for a task."""
    return _planned(asked, task, generation())


def fill(predictions: Predictions, asked: Asked) -> Filled:
    """Every value of a block."""
    task = Task.of(predictions)
    try:
        plan = planned(asked, task)
    except MeasureError as error:
        raise MeasureError(f"{error}{_advice(task, asked, predictions)}") from None
    best = BestCuts(predictions, plan.sources)
    facts = summarise(predictions, plan.wanted, best.watchers())
    with np.errstate(all="ignore"):
        return filled(plan, facts, best.found, predictions.rows)


def _advice(task: Task, asked: Asked, predictions: Predictions) -> str:
    """What to do where scores came and probabilities are needed."""
    needs = {parse(name).needs for name in asked or ()}
    if task.kind != "scores" or "probabilities" not in needs:
        return ""
    low, high = predictions.values.min(), predictions.values.max()
    return (
        f" These scores lie from {told(low)} to {told(high)}: ask for ranking measures only, or "
        f"calibrate them first."
    )


def filled(
    plan: Plan, facts: Mapping[Target, Facts], best: Mapping[Source, Array], rows: int
) -> Filled:
    """Values from facts, for some rows at a time."""
    # Columns are written one after the other, so they lie together.
    values = np.empty((len(plan.columns), rows)).T
    levels = {column: np.empty((rows, 2)) for column in plan.pairs}
    for start in range(0, rows, TOGETHER):
        part = slice(start, min(start + TOGETHER, rows))
        one = plan.values_of_one(facts, best) if rows == 1 else None
        # Without a program a single row is a batch of one, whose values have the same bits.
        steps = _steps(plan, facts, best, part) if one is None else one
        if one is not None:
            values[0] = [steps[step] for step in plan.columns]
        else:
            for column, step in enumerate(plan.columns):
                values[part, column] = steps[step]
        for column, pair in plan.pairs.items():
            _set_levels(levels[column][part], plan.measures[column], [steps[i] for i in pair])
    values[:, plan.uncountable] = np.nan
    return Filled(plan.schema, values, partial(_reasons, plan, values, facts, best), levels)


def _steps(plan: Plan, facts: Any, best: Any, part: slice) -> Sequence[Any]:
    return plan.values(_read(plan, facts, best, part))


def _read(plan: Plan, facts: Any, best: Any, part: slice) -> Sequence[Any]:
    return plan.read(
        {target: select(found, part) for target, found in facts.items()},
        {source: cut[part] for source, cut in best.items()},
    )


def _set_levels(levels: Array, measure: Any, steps: Sequence[Any]) -> None:
    for level, (part, step) in enumerate(zip(measure.parts, steps, strict=True)):
        levels[:, level] = part.oriented(step)


def _reasons(plan: Plan, values: Array, facts: Any, best: Any) -> Reasons:
    """The words for every undefined value."""
    found: Reasons = {}
    for start in range(0, len(values), TOGETHER):
        part = slice(start, min(start + TOGETHER, len(values)))
        missing = np.isnan(values[part])
        with np.errstate(all="ignore"):
            read = _read(plan, facts, best, part)
            for column in np.flatnonzero(missing.any(axis=0)).tolist():
                rows = np.flatnonzero(missing[:, column])
                for holds, words in _conditions(plan, column, read):
                    where = np.broadcast_to(holds, (len(missing),))
                    for row in rows[where[rows]].tolist():
                        found.setdefault((start + row, column), words)
    return found


def _conditions(plan: Plan, column: int, read: Sequence[Any]) -> list[tuple[Any, str]]:
    if column in plan.uncountable:
        return [(True, "It counts rows, so weights must be whole numbers.")]
    return plan.reasons(column, read)
