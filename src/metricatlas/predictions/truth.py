"""The truth: which classes there are, which of two is the positive one, and the rows' codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.labels import (
    Label,
    as_bits,
    as_labels,
    distinct,
    encode,
    parse_classes,
    plain,
    same,
    settled,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.predictions.containers import Table
    from metricatlas.predictions.model import Array

#: What a truth that holds one of these alone is one half of.
_PAIRS: dict[Label, tuple[Label, Label]] = {0: (0, 1), 1: (0, 1), -1: (-1, 1)}


@dataclass(frozen=True, slots=True)
class Truth:
    """The truth as read."""

    #: Class codes (1 | k, n).
    codes: Array
    #: Class names; of two classes the second is the positive one.
    classes: tuple[Label, ...]
    #: The same names in the order of probability columns that have no names.
    columns: tuple[Label, ...]


def as_rows(table: Table, predictions: Sequence[Table]) -> Array:
    """The truth as (1 | models, examples)."""
    values = table.values
    if values.size == 0:
        msg = f"y_true must have at least one row; got the shape {values.shape}."
        raise PredictionError(msg)
    if values.ndim == 1:
        return values[np.newaxis]
    if values.ndim > 2:
        msg = f"y_true must have one axis, or be (models, examples); got the shape {values.shape}."
        raise PredictionError(msg)
    batches = all(t.values.ndim == 3 and t.values.shape[1] == 1 for t in predictions)
    if values.shape[1] == 1 and (table.names is not None or not batches):
        return values.T
    if table.names is not None:
        msg = f"y_true must be one column; got a frame with the columns {list(table.names)}."
        raise PredictionError(msg)
    return values


def read_truth(
    values: Array, what: Input, predictions: Sequence[Table], labels: object, pos_label: object
) -> Truth:
    """Find the classes and encode the truth, which has the axes (models, examples)."""
    names = as_labels(settled(values, what), what)
    # The usual truth is 0 and 1: one pass over the rows finds that out and encodes them.
    bits = as_bits(names)
    if labels is not None:
        columns = parse_classes(labels)
    elif bits is not None and _are_zero_and_one(bits, predictions):
        columns = (False, True) if names.dtype.kind == "b" else (0, 1)
    else:
        columns = _classes(distinct(names), predictions, pos_label)
    codes = encode(names if bits is None else bits, columns, what)
    if len(columns) == 2 and _positive_class(columns, pos_label) == 0:
        return Truth(codes ^ 1, columns[::-1], columns)
    if len(columns) > 2 and pos_label is not None:
        raise PredictionError(_no_positive_class(columns, pos_label))
    return Truth(codes, columns, columns)


def _are_zero_and_one(bits: Array, predictions: Sequence[Table]) -> bool:
    if any(_width(t) > 2 for t in predictions):
        return False
    return not (any(_has_minus_one(t) for t in predictions) and bits.all())


def _width(table: Table) -> int:
    return 1 if table.values.ndim == 1 else int(table.values.shape[-1])


def _classes(
    seen: tuple[Label, ...], predictions: Sequence[Table], pos_label: object
) -> tuple[Label, ...]:
    named = next((c for t in predictions if (c := _named_classes(t, seen))), seen)
    if len(named) > 1:
        return named
    (only,) = seen
    if all(_width(t) <= 2 for t in predictions):
        if only == 1 and any(_has_minus_one(t) for t in predictions):
            return (-1, 1)
        if not isinstance(only, str) and only in _PAIRS:
            return _PAIRS[only]
        positive = plain(pos_label)
        if type(positive) is type(only):
            other = _other_class(only, predictions) if positive == only else positive
            if other is not None:
                return (only, other) if only < other else (other, only)
    msg = (
        f"y_true holds one class, {only!r}, and the others cannot be known from it. Name all "
        f"classes in labels=."
    )
    raise PredictionError(msg)


def _other_class(only: Label, predictions: Sequence[Table]) -> Label | None:
    """What is decided where it is not the only true class; any name if that is nowhere."""
    others: set[Label] = set()
    for table in predictions:
        others |= _decided(table, only) - {only}
    if others:
        return others.pop() if len(others) == 1 else None
    if any(_width(t) > 1 for t in predictions):
        # Which of two nameless columns is whose cannot be known.
        return None
    return f"not {only}" if isinstance(only, str) else 0


def _decided(table: Table, only: Label) -> set[Label]:
    """The labels among which a model decides; none if these are no labels."""
    what = Input("predictions")
    values = table.values[np.newaxis] if _width(table) == 1 else np.empty((1, 0))
    if values.dtype.kind in "fc" or values.size == 0:
        return set()
    try:
        found = set(distinct(as_labels(settled(values, what), what)))
    except PredictionError:
        # Whoever reads the prediction says what is wrong with it.
        return set()
    # Whole numbers of which none is the true class are scores.
    return found if isinstance(only, str) or only in found else set()


def _named_classes(table: Table, seen: tuple[Label, ...]) -> tuple[Label, ...]:
    """The classes that column names tell, where they name every label seen."""
    if table.names is None or table.running or len(table.names) < 2:
        return ()
    names: set[Label] = {plain(n) for n in table.names}
    if not isinstance(seen[0], str):
        names = {int(n) if isinstance(n, str) and is_whole(n) else n for n in names}
    kind = str if isinstance(seen[0], str) else int
    if not names >= set(seen) or not all(isinstance(n, kind) for n in names):
        return ()
    return tuple(sorted(names))


def is_whole(name: str) -> bool:
    """Whether the name of a column is a whole number as text."""
    return name.isascii() and name.removeprefix("-").isdigit() and str(int(name)) == name


def _has_minus_one(table: Table) -> bool:
    """Whether these are labels -1 and 1, to a truth that happens to hold 1 alone."""
    values = table.values
    if values.dtype.kind != "i" or _width(table) != 1 or values.size == 0:
        return False
    return int(values.min()) == -1 and bool((np.abs(values) == 1).all())


def _no_positive_class(classes: tuple[Label, ...], pos_label: object) -> str:
    return (
        f"pos_label is for two classes; these are {len(classes)}: {shown(classes)}. Leave it out, "
        f"or ask for the class in the measure, as in recall[class={plain(pos_label)!r}]."
    )


def _positive_class(classes: tuple[Label, ...], pos_label: object) -> int:
    """Index of the positive class of two: ``pos_label``, else True, else 1 of {0,1}, {-1,1}."""
    first, second = (repr(c) for c in classes)
    if pos_label is None:
        if not isinstance(classes[0], str) and set(classes) in ({0, 1}, {-1, 1}):
            return classes.index(1)
        msg = (
            f"which of the two classes {first} and {second} is the positive one must be said: "
            f"pass pos_label={first} or pos_label={second}."
        )
        raise PredictionError(msg)
    matches = [
        i for i, c in enumerate(classes) if _is_scalar(pos_label) and same(c, plain(pos_label))
    ]
    if not matches:
        msg = f"pos_label must be one of the classes {first} and {second}; got {pos_label!r}."
        raise PredictionError(msg)
    return matches[0]


def _is_scalar(label: object) -> bool:
    return isinstance(label, str | int | float | np.generic)
