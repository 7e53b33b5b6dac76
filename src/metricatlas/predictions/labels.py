"""One rule for labels: they are equal when Python says ``==``, and text never equals a number.

So ``True == 1 == 1.0`` name one class, ``"1"`` another. The same rule holds for the truth,
predicted labels, ``labels=``, ``pos_label=`` and the arguments of measures.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.predictions.containers import read_column
from metricatlas.predictions.inputs import Input

if TYPE_CHECKING:
    from metricatlas.predictions.model import Array

Label = Any

_LARGEST = 2**63
# Wider ranges of numbers are looked up by bisection in place of a table.
_TABLE = 1 << 16


def settled(values: Array, what: Input) -> Array:
    """Objects as what they are: booleans, integers, floats, or objects that are all text."""
    kind = values.dtype.kind
    if kind == "U":
        return values.astype(object)
    if kind == "S":
        return _decoded(values, what)
    return _from_objects(values.astype(object), what) if kind in "OT" else values


def _decoded(values: Array, what: Input) -> Array:
    try:
        return np.char.decode(values).astype(object)
    except UnicodeDecodeError as error:
        raise PredictionError(f"{what} must be text; got bytes that are none: {error}.") from error


def _from_objects(values: Array, what: Input) -> Array:
    kinds = set(map(type, values.ravel().tolist()))
    if kinds == {str}:
        return values
    if any(not issubclass(k, str | int) for k in kinds):
        missing = missing_among(values)
        if missing.any():
            raise what.refuse_missing(missing)
    if all(issubclass(k, str) for k in kinds):
        return _each(str.__str__, values)
    if not all(
        issubclass(k, int | float | np.bool_ | np.number | Decimal | Fraction) for k in kinds
    ):
        raise PredictionError(_of_mixed_kinds(values, what))
    return _numbers(values, kinds, what)


def missing_among(values: Array) -> Array:
    """Which objects stand for a value that is not there."""
    found = [_is_missing(x) for x in values.ravel().tolist()]
    return np.array(found, dtype=bool).reshape(values.shape)


def _is_missing(value: object) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating | Decimal) and math.isnan(value)


def _each(change: Any, values: Array) -> Array:
    changed = np.fromiter(map(change, values.ravel().tolist()), dtype=object, count=values.size)
    return changed.reshape(values.shape)


def _numbers(values: Array, kinds: set[type], what: Input) -> Array:
    whole = all(issubclass(k, int | np.integer | np.bool_) for k in kinds)
    truths = all(issubclass(k, bool | np.bool_) for k in kinds)
    try:
        return values.astype(bool if truths else np.int64 if whole else np.float64)
    except OverflowError as error:
        msg = f"{what} must hold whole numbers of at most 64 bits; got larger ones. Make them text."
        raise PredictionError(msg) from error


def _of_mixed_kinds(values: Array, what: Input) -> str:
    flat = values.ravel().tolist()
    text = [isinstance(x, str) for x in flat]
    odd = np.array([t != text[0] for t in text]) if any(text) else np.zeros(len(text), dtype=bool)
    if not odd.any():
        known = int | float | np.bool_ | np.number | Decimal | Fraction
        odd = np.array([not isinstance(x, known) for x in flat])
    place = int(np.argmax(odd))
    where = what.first(odd.reshape(values.shape))
    mixed = f" beside {flat[0]!r} in the first" if any(text) and place else ""
    return (
        f"{what} must hold text, numbers or booleans, and one kind of them; got {flat[place]!r} of "
        f"type {type(flat[place]).__name__} in {where}{mixed}. Convert the column to one type."
    )


def as_labels(values: Array, what: Input) -> Array:
    """Settled values as labels: booleans, integers, or objects that are all text."""
    kind = values.dtype.kind
    if kind in "bi" or values.dtype == object:
        return values
    if kind == "f":
        return _whole_numbers(values, what)
    if kind == "u":
        if values.dtype.itemsize == 8 and values.max(initial=0) >= _LARGEST:
            msg = f"{what} must hold whole numbers below 2^63; got {values.max()}. Make them text."
            raise PredictionError(msg)
        return values
    msg = f"{what} must hold text, whole numbers or booleans; got the type {values.dtype}."
    raise PredictionError(msg)


def _whole_numbers(values: Array, what: Input) -> Array:
    finite = np.isfinite(values)
    if not finite.all():
        raise what.refuse_missing(~finite, "NaN or infinite")
    wrong = (values != np.floor(values)) | (np.abs(values) >= _LARGEST)
    if wrong.any():
        number = values.flat[int(np.argmax(wrong))]
        order = " y_true comes first, predictions second." if what.title == "y_true" else ""
        msg = (
            f"{what} must hold labels: text, whole numbers or booleans; got {int(wrong.sum())} "
            f"other number(s), the first {number} in {what.first(wrong)}.{order}"
        )
        raise PredictionError(msg)
    return values.astype(np.int64)


def as_bits(labels: Array) -> Array | None:
    """Labels that are all 0, 1, False or True as uint8; None if others are among them."""
    if labels.dtype.kind == "b":
        return labels.view(np.uint8)
    # One pass: the union of all bits is 0 or 1 exactly if every number is.
    if labels.dtype.kind in "iu" and int(np.bitwise_or.reduce(labels, axis=None)) in (0, 1):
        return labels.astype(np.uint8, copy=False)
    return None


def distinct(labels: Array) -> tuple[Label, ...]:
    """The distinct labels, sorted, as plain Python values."""
    flat = labels.ravel()
    if flat.dtype.kind == "b":
        return tuple(x for x in (False, True) if (flat.any() if x else not flat.all()))
    if flat.dtype == object:
        return tuple(sorted(set(flat.tolist())))
    low, high = int(flat.min()), int(flat.max())
    if high - low >= _TABLE:
        return tuple(np.unique(flat).tolist())
    seen = np.zeros(high - low + 1, dtype=bool)
    seen[_above(flat, low)] = True
    return tuple((np.flatnonzero(seen) + low).tolist())


def _above(numbers: Array, low: int) -> Array:
    return numbers.astype(np.int64, copy=False) - low if low else numbers


def parse_classes(labels: object) -> tuple[Label, ...]:
    """Read ``labels=``: distinct class names in the order of the probability columns."""
    what = Input("labels")
    values = read_column(labels, "labels").values
    classes = tuple(as_labels(settled(values[np.newaxis], what), what)[0].tolist())
    if len(classes) < 2:
        msg = f"labels must name at least two classes; got {list(classes)}."
        raise PredictionError(msg)
    if len(set(classes)) < len(classes):
        twice = next(c for i, c in enumerate(classes) if c in classes[:i])
        msg = f"labels must differ from each other; got {twice!r} more than once. Name it once."
        raise PredictionError(msg)
    return classes


def look_up(labels: Array, classes: tuple[Label, ...]) -> tuple[Array, Array | None]:
    """Codes 0 ... c-1 in the order of the classes, and which labels are none of them, if any."""
    bits = as_bits(labels)
    text = labels.dtype == object
    if text != isinstance(classes[0], str):
        return np.zeros(labels.shape, dtype=np.uint8), np.ones(labels.shape, dtype=bool)
    if bits is not None and set(classes) == {0, 1}:
        return np.ascontiguousarray(bits if classes[0] == 0 else bits ^ 1), None
    codes = _look_up_text(labels, classes) if text else _look_up_numbers(labels, classes)
    unknown = codes < 0 if codes.size and codes.min() < 0 else None
    return codes.astype(
        np.uint8 if len(classes) <= 256 else np.int64, order="C", copy=False
    ), unknown


def _look_up_text(labels: Array, classes: tuple[Label, ...]) -> Array:
    place = {label: i for i, label in enumerate(classes)}
    codes = [place.get(x, -1) for x in labels.ravel().tolist()]
    return np.array(codes, dtype=np.int64).reshape(labels.shape)


def _look_up_numbers(labels: Array, classes: tuple[Label, ...]) -> Array:
    numbers = np.array([int(c) for c in classes], dtype=np.int64)
    low, high = int(numbers.min()), int(numbers.max())
    if labels.dtype == np.uint64 and labels.max(initial=0) >= _LARGEST:
        large = labels >= _LARGEST
        return np.where(large, -1, _look_up_numbers(np.where(large, 0, labels), classes))
    labels = labels.astype(np.int64, copy=False)
    if high - low >= _TABLE:
        order = np.argsort(numbers)
        codes = order[np.minimum(np.searchsorted(numbers, labels, sorter=order), len(order) - 1)]
        return np.where(numbers[codes] == labels, codes, -1)
    table = np.full(high - low + 1, -1, dtype=np.int64)
    table[numbers - low] = np.arange(len(numbers))
    if low <= int(labels.min()) and int(labels.max()) <= high:
        return table.take(_above(labels, low))
    inside = (labels >= low) & (labels <= high)
    return np.where(inside, table[np.where(inside, labels, low) - low], -1)


def encode(labels: Array, classes: tuple[Label, ...], what: Input) -> Array:
    """Codes of the labels, all of which must be among the classes."""
    codes, unknown = look_up(labels, classes)
    if unknown is not None:
        raise PredictionError(stranger(labels, unknown, classes, what))
    return codes


def stranger(labels: Array, unknown: Array, classes: tuple[Label, ...], what: Input) -> str:
    """The message for labels that are none of the classes."""
    label = plain(labels.flat[int(np.argmax(unknown))])
    count = int(unknown.sum())
    alike = any(str(c) == str(label) for c in classes)
    hint = f" Text never equals a number: {label!r} is {type(label).__name__}." if alike else ""
    return (
        f"{what} must hold only the labels {shown(classes)}; got {count} other{'s' * (count > 1)}, "
        f"the first {label!r} in {what.first(unknown)}.{hint} Name every class in labels=, in the "
        f"order of the probability columns, or correct these rows."
    )


def plain(label: Any) -> Label:
    """A NumPy scalar as the Python value it holds."""
    return label.item() if isinstance(label, np.generic) else label


def shown(classes: tuple[Label, ...], most: int = 8) -> str:
    """Class names for a message, shortened when there are many."""
    names = ", ".join(repr(plain(c)) for c in classes[:most])
    return f"[{names}{', ...' if len(classes) > most else ''}]"


def same(one: Label, other: Label) -> bool:
    """The rule for labels: equal in Python, and text never equals a number."""
    return isinstance(one, str) == isinstance(other, str) and bool(one == other)
