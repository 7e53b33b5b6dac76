"""Fitted models evaluated into one table, whatever each of them can say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.evaluation.doors import Measures, evaluated
from metricatlas.evaluation.engine import Filled
from metricatlas.evaluation.mixed import Part, together
from metricatlas.evaluation.task import Task
from metricatlas.integrations.answers import KINDS, Question
from metricatlas.integrations.classes import all_classes
from metricatlas.measurements import Measurements
from metricatlas.predictions.numbers import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Case:
    """A fitted model, and what it is judged by."""

    estimator: Any
    X: Any
    y_true: Any
    sample_weight: Any = None


def evaluate_cases(
    cases: Sequence[Case],
    keys: Mapping[str, Sequence[Any]],
    y_true: Any,
    *,
    measures: Measures = None,
    response_method: str = "auto",
    labels: Any = None,
    pos_label: Any = None,
    threshold: float | None = None,
) -> Measurements:
    """Ask every model once; a row for each, with its keys.

    `y_true` is that of all cases, so that all are of the same classes. Without `measures` models
    that say less have undefined values where others have more.
    """
    asked = _checked_measures(measures)
    classes = all_classes([c.estimator for c in cases], y_true, labels, pos_label)
    question = Question(asked, classes, pos_label, threshold, _checked_method(response_method))
    parts = []
    for number, case in enumerate(cases):
        answer = question.answer(case.estimator, case.X)
        table = evaluated(case.y_true, measures=asked, sample_weight=case.sample_weight, **answer)
        task = Task(answer["kind"], classes or (0, 1), decided=True, whole=True)
        parts.append(_part(number, table, task))
    filled = together(parts)
    return Measurements(
        filled.values, filled.schema, keys, reasons=filled.reasons, levels=filled.levels
    )


def _part(number: int, table: Measurements, task: Task) -> Part:
    filled = Filled(table.schema, table.values, lambda: dict(table.reasons), dict(table.pairs))
    return Part(np.array([number]), task, filled)


def _checked_measures(measures: Any) -> tuple[Any, ...] | None:
    if measures is None:
        return None
    asked = tuple(listed(measures))
    if not asked:
        msg = "measures must name at least one measure, or be None for all that fit; got none."
        raise MeasureError(msg)
    return asked


def _checked_method(method: str) -> str | None:
    if method == "auto":
        return None
    if method not in KINDS:
        msg = f"response_method must be auto, {', '.join(KINDS)}; got {method!r}."
        raise MeasureError(msg)
    return method
