"""Confusion matrices as users have them, checked, and evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.evaluation.engine import Asked, Filled, filled, planned
from metricatlas.evaluation.task import Task
from metricatlas.predictions.labels import parse_classes

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array


def read_matrices(matrices: object, labels: object) -> tuple[Array, tuple[Any, ...]]:
    """A stack (k, c, c) of masses and the names of the classes."""
    names = None
    if hasattr(matrices, "columns") and hasattr(matrices, "index"):
        names = _frame_classes(matrices)
    try:
        stack = np.asarray(matrices, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = (
            f"confusion matrices must be numbers of one shape, (c, c) or (k, c, c); "
            f"NumPy says: {error}."
        )
        raise PredictionError(msg) from error
    if stack.ndim not in (2, 3) or stack.shape[-1] != stack.shape[-2] or stack.size == 0:
        msg = f"confusion matrices must have the shape (c, c) or (k, c, c); got {stack.shape}."
        raise PredictionError(msg)
    stack = stack.reshape(-1, *stack.shape[-2:])
    _check_masses(stack)
    return stack, _classes(names, labels, stack.shape[-1])


def _classes(names: tuple[Any, ...] | None, labels: object, count: int) -> tuple[Any, ...]:
    given = None if labels is None else parse_classes(labels)
    if names is not None and given not in (None, names):
        msg = (
            f"labels must be those of the frame in its order, {list(names)}; got {labels!r}. Leave "
            f"them out, or pass `.to_numpy()`."
        )
        raise PredictionError(msg)
    classes = given or names or tuple(range(count))
    if len(classes) != count or count < 2:
        msg = f"matrices of {count} classes need as many labels, two at least; got {list(classes)}."
        raise PredictionError(msg)
    return classes


def _frame_classes(frame: Any) -> tuple[Any, ...]:
    rows, columns = list(frame.index), list(frame.columns)
    if rows != columns:
        msg = (
            f"a confusion matrix must have the same classes in the same order as rows and "
            f"columns; got {rows} and {columns}. Use .reindex(index=classes, columns=classes, "
            f"fill_value=0)."
        )
        raise PredictionError(msg)
    return parse_classes(columns)


def _check_masses(stack: Array) -> None:
    wrong = ~(np.isfinite(stack) & (stack >= 0))
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        msg = (
            f"confusion matrices must hold finite masses that are not negative; got "
            f"{int(wrong.sum())} others, the first in matrix {place[0]}, row {place[1]}, "
            f"column {place[2]}: {stack[place]}."
        )
        raise PredictionError(msg)
    empty = stack.sum(axis=(1, 2)) == 0
    if empty.any():
        msg = f"confusion matrices must hold some mass; matrix {int(empty.argmax())} is all 0."
        raise PredictionError(msg)


def fill_matrices(stack: Array, classes: tuple[Any, ...], asked: Asked) -> Filled:
    """Every value of a stack of matrices."""
    whole = bool((stack == np.floor(stack)).all())
    task = Task("labels", classes, decided=True, whole=whole, matrix_only=True)
    plan = planned(asked, task)
    with np.errstate(all="ignore"):
        return filled(plan, {"confusion": {("matrix", ()): stack}}, {}, len(stack))
