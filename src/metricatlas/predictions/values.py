"""What a prediction is: labels, scores or probabilities, read off its type and its range."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.predictions.labels import (
    as_labels,
    encode,
    look_up,
    same,
    settled,
    shown,
    stranger,
)
from metricatlas.predictions.model import COUNTABLE

if TYPE_CHECKING:
    from metricatlas.predictions.containers import Table
    from metricatlas.predictions.inputs import Input
    from metricatlas.predictions.model import Array, Kind
    from metricatlas.predictions.truth import Truth

_ONE = int(np.float64(1).view(np.uint64))


def as_models(table: Table, what: str) -> Array:
    """Predictions as (models, examples) or (models, examples, classes)."""
    values = table.values
    if values.ndim > 3:
        msg = (
            f"{what} must be (models, examples, classes) at most; got the shape {values.shape}. "
            f"Reshape it, so that all models are on the first axis."
        )
        raise PredictionError(msg)
    if values.size == 0:
        msg = f"{what} must not be empty; got the shape {values.shape}. Pass a value an example."
        raise PredictionError(msg)
    values = values if values.ndim == 3 else values[np.newaxis]
    return values[:, :, 0] if values.ndim == 3 and values.shape[2] == 1 else values


def read_values(
    values: Array, table: Table, what: Input, truth: Truth, kind: Kind | None
) -> tuple[Kind, Array]:
    """The kind of a prediction and its checked values, in the shapes of `Predictions`."""
    values = settled(values, what)
    if values.ndim == 2:
        return _one_column(values, table, what, truth, kind)
    if kind == "labels" or (values.dtype.kind not in "iuf" and kind is None):
        msg = (
            f"{what} as labels must be one column; got {values.shape[2]} columns of type "
            f"{values.dtype}. Convert them to numbers if they are scores."
        )
        raise PredictionError(msg)
    return _class_columns(values, table, what, truth, kind)


def _one_column(
    values: Array, table: Table, what: Input, truth: Truth, kind: Kind | None
) -> tuple[Kind, Array]:
    if kind == "labels" or (kind is None and (table.categorical or values.dtype.kind not in "iuf")):
        return "labels", encode(as_labels(values, what), truth.classes, what)
    unknown = None
    if kind is None and values.dtype.kind in "iu":
        # Integers are labels if all of them are classes, else scores.
        codes, unknown = look_up(values, truth.classes)
        if unknown is None:
            return "labels", codes
    if len(truth.classes) > 2:
        raise PredictionError(_one_for_many(values, unknown, what, truth))
    _refuse_negative_column(table, what, truth)
    return _scores(values, what, kind)


def _scores(values: Array, what: Input, kind: Kind | None) -> tuple[Kind, Array]:
    """Finite float64, and whether they are probabilities: floats that all lie in [0, 1]."""
    if values.dtype.kind not in "biuf":
        msg = (
            f"{what} must be numbers to be {kind}; got text or another type, {values.dtype}. "
            f"Convert them, or say kind='labels'."
        )
        raise PredictionError(msg)
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        _refuse_inexact(values, what)
    scores = np.ascontiguousarray(values, dtype=np.float64)
    # The bits of floats in [0, 1] order like the floats; signs, NaN and infinity are above them.
    if int(scores.view(np.uint64).max()) > _ONE:
        low, high = _finite_range(scores, what)
        if low < 0 or high > 1:
            if kind == "probabilities":
                raise PredictionError(_outside(scores, what))
            return "scores", scores
        if kind != "scores":
            # -0.0 is a probability; as 0.0 its bits order like the others.
            scores = scores + 0.0
    return kind or ("probabilities" if values.dtype.kind == "f" else "scores"), scores


def _refuse_inexact(values: Array, what: Input) -> None:
    """Whole numbers that a float cannot hold would tie with others without a word."""
    if max(int(values.max()), -int(values.min())) <= COUNTABLE:
        return
    whole = values.astype(np.uint64)
    size = np.where(values < 0, ~whole + np.uint64(1), whole)
    # What is left without its factor of two is the number's digits, of which a float has 53.
    even = np.maximum(size & (~size + np.uint64(1)), np.uint64(1))
    wrong = size // even > np.uint64(COUNTABLE)
    if not wrong.any():
        return
    msg = (
        f"{what} must hold whole numbers that a float can hold, up to 2^53 in size, to be scores; "
        f"got {int(wrong.sum())} other(s), the first {values.flat[int(np.argmax(wrong))]} in "
        f"{what.first(wrong)}. Subtract what they have in common, or pass their ranks."
    )
    raise PredictionError(msg)


def _finite_range(values: Array, what: Input) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    if np.isfinite(low) and np.isfinite(high):
        return low, high
    wrong = ~np.isfinite(values)
    msg = (
        f"{what} must be finite; got {int(wrong.sum())} NaN or infinite value(s), the first in "
        f"{what.first(wrong)}. Drop these rows, or replace infinite scores by large finite ones."
    )
    raise PredictionError(msg)


def told(value: float) -> str:
    """A number in few digits, unless these would put it on the other side of 0 or 1."""
    few = f"{value:g}"
    return few if (0 <= float(few) <= 1) == (0 <= value <= 1) else repr(float(value))


def _outside(values: Array, what: Input) -> str:
    wrong = (values < 0) | (values > 1)
    return (
        f"{what} must lie in [0, 1] to be probabilities; got {told(values.min())} to "
        f"{told(values.max())}, {int(wrong.sum())} outside, the first in {what.first(wrong)}. If "
        f"these are margins or other scores, say kind='scores' and ask for ranking measures, or "
        f"calibrate them first."
    )


def _class_columns(
    values: Array, table: Table, what: Input, truth: Truth, kind: Kind | None
) -> tuple[Kind, Array]:
    place = _places(table, what, truth)
    found, scores = _scores(values, what, kind)
    if found == "probabilities":
        _check_sums(scores, table, what)
    if len(place) == 2:
        return found, np.ascontiguousarray(scores[:, :, place[1]])
    return found, scores if place == list(range(len(place))) else scores.take(place, axis=2)


def _places(table: Table, what: Input, truth: Truth) -> list[int]:
    """For each class its column: by name, else as `labels` or sorting has the classes."""
    names, count = table.names, len(truth.classes)
    if table.values.shape[-1] != count:
        came = table.values.shape[-1]
        shape = "" if names is None else f" named {shown(names)}"
        msg = (
            f"{what} must have one column for each of the {count} classes {shown(truth.classes)}; "
            f"got {came}{shape}. Name classes that y_true does not hold in labels=. Several "
            f"models are a dict of columns, or an array (models, examples, 1)."
        )
        raise PredictionError(msg)
    by_position = [truth.columns.index(c) for c in truth.classes]
    if names is None:
        return by_position
    by_name = [[i for i, n in enumerate(names) if is_named(n, c)] for c in truth.classes]
    if table.running:
        # pandas' own numbers are no names; where they could be, both readings must agree.
        if any(len(f) != 1 for f in by_name) or [f[0] for f in by_name] == by_position:
            return by_position
    elif all(len(f) == 1 for f in by_name):
        return [f[0] for f in by_name]
    msg = (
        f"the columns of {what} must be named as the classes {shown(truth.columns)}; got "
        f"{shown(names)}. Rename them, or pass `.to_numpy()` with the columns in the order of the "
        f"classes as listed here. Several models are a dict of columns."
    )
    raise PredictionError(msg)


def is_named(name: object, label: object) -> bool:
    """Whether a column's name is the class: the same label, or its text where names are text."""
    return same(label, name) or (isinstance(name, str) and str(label) == name)


def _refuse_negative_column(table: Table, what: Input, truth: Truth) -> None:
    """Scores named as the negative class are most likely that one's, and would rank reversed."""
    if table.names is None or table.running:
        return
    negative, positive = truth.classes
    if is_named(table.names[0], negative):
        msg = (
            f"{what} must be the scores of the positive class {positive!r}; got a column named as "
            f"the other class, {table.names[0]!r}. Pass the column of {positive!r}, say "
            f"pos_label={negative!r}, or rename the column."
        )
        raise PredictionError(msg)


def _one_for_many(values: Array, unknown: Array | None, what: Input, truth: Truth) -> str:
    if unknown is not None:
        return stranger(values, unknown, truth.classes, what)
    return (
        f"{what} must be labels, or have one column for each of the {len(truth.classes)} classes "
        f"{shown(truth.classes)}; got one column of type {values.dtype}. Pass a column for each "
        f"class, or say kind='labels' if these are labels."
    )


def _check_sums(values: Array, table: Table, what: Input) -> None:
    classes = values.shape[2]
    # For many classes the product with ones is several times faster than a sum along the last axis.
    sums = values[:, :, 0] + values[:, :, 1] if classes == 2 else values @ np.ones(classes)
    if max(1 - float(sums.min()), float(sums.max()) - 1) <= table.tolerance:
        return
    wrong = np.abs(sums - 1) > table.tolerance
    count, total = int(wrong.sum()), sums.flat[int(np.argmax(wrong))]
    msg = (
        f"the rows of {what} must sum to 1 within {table.tolerance:.1e}; got {count} that do not, "
        f"the first {what.first(wrong)} with the sum {total:.10g}. Normalise them yourself if "
        f"that is right, or say kind='scores' if these are scores."
    )
    raise PredictionError(msg)
