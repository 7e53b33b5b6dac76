"""Confusion matrices as users have them, checked, and evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.evaluation.cells import read_cells
from metricatlas.evaluation.engine import Asked, Filled, filled, planned
from metricatlas.evaluation.task import Task
from metricatlas.predictions.labels import parse_classes, same, shown
from metricatlas.predictions.squares import is_frame, unwrapped, with_row_names
from metricatlas.predictions.truth import is_whole
from metricatlas.predictions.values import is_named

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array


@dataclass(frozen=True)
class Matrices:
    """A stack (k, c, c) of masses; of two classes the second is the positive one."""

    stack: Array
    classes: tuple[Any, ...]
    #: The classes in the order in which the matrices, or `labels`, have them.
    columns: tuple[Any, ...]


def read_matrices(matrices: object, labels: object) -> Matrices:
    """Check matrices, match those that name their classes by the names, and order two classes."""
    stack, names = _stack(matrices, None if labels is None else parse_classes(labels))
    _check_masses(stack)
    count = stack.shape[-1]
    columns = tuple(range(count)) if names is None else names
    if len(columns) != count or count < 2:
        msg = f"matrices of {count} classes need as many labels, two at least; got {list(columns)}."
        raise PredictionError(msg)
    if count == 2 and _positive(columns) == 0:
        return Matrices(stack[:, ::-1, ::-1], columns[::-1], columns)
    return Matrices(stack, columns, columns)


def _positive(classes: tuple[Any, ...]) -> int:
    """True, or 1 of {0, 1} or {-1, 1}, wherever it stands; of any other two the second."""
    numbers = not isinstance(classes[0], str)
    return classes.index(1) if numbers and set(classes) in ({0, 1}, {-1, 1}) else 1


def _stack(matrices: Any, labels: tuple[Any, ...] | None) -> tuple[Array, tuple[Any, ...] | None]:
    """The masses, and the classes if labels or frames name them."""
    if is_frame(matrices):
        matrices = [matrices]
    several = isinstance(matrices, list | tuple) and any(map(is_frame, matrices))
    if several and all(map(is_frame, matrices)):
        matrices = [_as_pandas(frame, i, labels) for i, frame in enumerate(matrices)]
        found = [_frame_classes(frame) for frame in matrices]
        if any(found):
            return _matched(matrices, found, labels)
        _refuse_other_numbers(matrices[0], labels)
        matrices = [frame.to_numpy() for frame in matrices]
    elif several:
        msg = (
            "confusion matrices must be frames, all of them, or arrays; got both. Pass "
            "`.to_numpy()` of the frames if their classes are in the same order."
        )
        raise PredictionError(msg)
    cells = read_cells(matrices)
    if cells.ndim not in (2, 3) or cells.shape[-1] != cells.shape[-2] or cells.size == 0:
        msg = (
            f"confusion matrices must have the shape (c, c) or (k, c, c); got {cells.shape}. Rows "
            f"are the true classes, columns the decided ones."
        )
        raise PredictionError(msg)
    return cells.reshape(-1, *cells.shape[-2:]), labels


def _as_pandas(frame: Any, number: int, labels: tuple[Any, ...] | None) -> Any:
    """A frame whose rows have names; those that have none are in the order of the columns."""
    named = with_row_names(frame, f"the confusion matrix {number}")
    names = tuple(named.columns.tolist())
    if named is unwrapped(frame) or names == tuple(range(len(names))):
        return named
    if labels is None:
        labels = tuple(map(int, names)) if all(map(is_whole, names)) else names
    if len(labels) != len(names) or not all(map(is_named, names, labels)):
        msg = (
            f"a confusion matrix whose rows have no names must have the columns {shown(labels)}, "
            f"in the order of labels; got {shown(names)}. Pass a frame of pandas with the classes "
            f"as index and columns, or `.to_numpy()`."
        )
        raise PredictionError(msg)
    return named.set_axis(list(labels), axis=0).set_axis(list(labels), axis=1)


def _frame_classes(frame: Any) -> tuple[Any, ...] | None:
    """The classes that a frame names, in the order of its columns; none for running numbers."""
    rows, columns = (tuple(names.tolist()) for names in (frame.index, frame.columns))
    count = tuple(range(len(columns)))
    if rows == columns == count:
        return None
    alike = len(rows) == len(columns) and all(any(same(c, r) for r in rows) for c in columns)
    if not alike or rows == count:
        msg = (
            f"a confusion matrix must have the same classes as rows and as columns; got "
            f"{list(rows)} and {list(columns)}. Name both, or use .reindex(index=classes, "
            f"columns=classes, fill_value=0)."
        )
        raise PredictionError(msg)
    return parse_classes(list(columns))


def _refuse_other_numbers(frame: Any, labels: tuple[Any, ...] | None) -> None:
    """Numbers that pandas gave are no names; where they could be, both readings must agree."""
    running = tuple(range(len(frame.columns)))
    if labels is not None and labels != running and set(labels) == set(running):
        msg = (
            f"labels must be those of the frame, {list(running)}, in its order; got "
            f"{list(labels)}. Leave them out, or pass `.to_numpy()`."
        )
        raise PredictionError(msg)


def _matched(
    frames: list[Any], found: list[tuple[Any, ...] | None], labels: tuple[Any, ...] | None
) -> tuple[Array, tuple[Any, ...]]:
    """Frames with their rows and columns in one order, that of `labels` or of the first."""
    order = labels or next(names for names in found if names)
    for number, names in enumerate(found):
        if names is None or len(names) != len(order) or set(names) != set(order):
            came = "no names" if names is None else shown(names)
            source = "labels" if labels else "the first"
            msg = (
                f"the classes of all frames must be those of {source}, {shown(order)}; frame "
                f"{number} has {came}. Use .reindex(index=classes, columns=classes, fill_value=0)."
            )
            raise PredictionError(msg)
    return np.stack([_ordered(frame, order) for frame in frames]), order


def _ordered(frame: Any, order: tuple[Any, ...]) -> Array:
    rows, columns = ([*names.tolist()] for names in (frame.index, frame.columns))
    cells = read_cells(frame.to_numpy())
    return cells[np.ix_([rows.index(c) for c in order], [columns.index(c) for c in order])]


def _check_masses(stack: Array) -> None:
    wrong = ~(np.isfinite(stack) & (stack >= 0))
    if wrong.any():
        place = tuple(int(i) for i in np.argwhere(wrong)[0])
        msg = (
            f"confusion matrices must hold finite masses that are not negative; got "
            f"{int(wrong.sum())} others, the first in matrix {place[0]}, row {place[1]}, "
            f"column {place[2]}: {stack[place]}. Drop or correct these matrices."
        )
        raise PredictionError(msg)
    empty = stack.sum(axis=(1, 2)) == 0
    if empty.any():
        msg = (
            f"confusion matrices must hold some mass; matrix {int(empty.argmax())} is all 0. Leave "
            f"it out."
        )
        raise PredictionError(msg)


def fill_matrices(matrices: Matrices, asked: Asked) -> Filled:
    """Every value of a stack of matrices."""
    stack = matrices.stack
    whole = bool((stack == np.floor(stack)).all())
    task = Task(
        "labels",
        matrices.classes,
        decided=True,
        whole=whole,
        matrix_only=True,
        columns=matrices.columns,
    )
    plan = planned(asked, task)
    with np.errstate(all="ignore"):
        return filled(plan, {"confusion": {("matrix", ()): stack}}, {}, len(stack))
