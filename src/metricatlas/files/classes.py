"""Class names of a file. On the command line and in headers they are text, so text matches them."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import FileError, OptionError
from metricatlas.files.column import Array, Column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Label = Any

#: What a truth that holds one of these alone is one half of.
_PAIRS: dict[Label, tuple[Label, Label]] = {0: (0, 1), 1: (0, 1), -1: (-1, 1)}
#: Up to here numbers with a decimal point tell all whole numbers apart.
_LARGEST = 10.0**15


@dataclass(frozen=True)
class Classes:
    """All classes, typed as the truth is, in the order in which the door gets them."""

    names: tuple[Label, ...]
    #: Of two classes the positive one.
    positive: Label | None

    @cached_property
    def _places(self) -> dict[str, int]:
        return {s: i for i, name in enumerate(self.names) for s in spellings(name)}

    def place(self, value: Label) -> int | None:
        """Which class a value spells; True also spells 1."""
        for spelling in spellings(value):
            if spelling in self._places:
                return self._places[spelling]
        return None

    @property
    def texts(self) -> tuple[str, ...]:
        """Every way to write a class."""
        return tuple(self._places)

    @property
    def binary(self) -> bool:
        """Whether there are two."""
        return len(self.names) == 2

    @property
    def ordered(self) -> tuple[Label, ...]:
        """The names, of two the positive one first."""
        if not self.binary:
            return self.names
        return (self.positive, *(n for n in self.names if n != self.positive))

    def shown(self, most: int = 6) -> str:
        """The names for a message."""
        return listed(self.names, most)

    def labels(self, column: Column) -> Array:
        """The labels of a column whose values all are classes, typed as the truth."""
        codes, values = column.codes()
        places = np.array([self.place(v) for v in values], dtype=np.int64)
        return self.array()[places[codes]]

    def array(self) -> Array:
        """The names as an array of the truth's type."""
        if isinstance(self.names[0], str):
            return np.array(self.names, dtype=object)
        return np.array(self.names)

    def strangers(self, column: Column) -> list[Any]:
        """Values of a column that are no classes."""
        return [v for v in column.distinct if v is not None and self.place(v) is None]


def spellings(label: Label) -> tuple[str, ...]:
    """How a class may be written where it is text; its own way first."""
    if isinstance(label, bool):
        return (str(label), str(label).lower(), str(label).upper(), str(int(label)))
    if isinstance(label, float) and label.is_integer():
        return (str(int(label)), str(label))
    return (str(label), f"{label}.0") if isinstance(label, int) else (str(label),)


def quoted(values: Iterable[Any], most: int = 6) -> str:
    """Some values for a message, texts in quotes."""
    return listed(map(repr, values), most)


def listed(values: Iterable[Any], most: int = 6) -> str:
    """Some values for a message."""
    values = [_told(v) for v in values]
    return ", ".join(values[:most]) + (", ..." if len(values) > most else "")


def _told(value: Any) -> str:
    """In quotes where it would not be seen as it is."""
    text = str(value)
    return text if text.strip() == text != "" and text.isprintable() else repr(text)


def truth_labels(column: Column) -> Column:
    """The truth as text, booleans or whole numbers; numbers that are whole become such."""
    column.check()
    if column.kind == "other":
        msg = f"{column.title} must hold labels to be the truth; got the type {column.data.type}."
        raise FileError(msg)
    if column.kind != "number":
        return column
    import pyarrow as pa

    values = column.numbers()
    wrong = values != np.floor(values)
    if wrong.any():
        place = int(np.argmax(wrong))
        msg = (
            f"{column.title} must hold labels to be the truth: text, whole numbers or booleans; "
            f"got {values[place]} in {column.row(wrong)}. Name the truth column with --truth."
        )
        raise FileError(msg)
    large = np.abs(values) > _LARGEST
    if large.any():
        msg = (
            f"{column.title} must hold whole numbers of at most 15 digits, or text, to be the "
            f"truth; got {values[int(np.argmax(large))]:.15g} in {column.row(large)}. Name these "
            f"classes by text that is no number."
        )
        raise FileError(msg)
    return Column(column.name, "whole", column.data.cast(pa.int64()), column.rows)


def read_labels(
    texts: Sequence[str], truth: Column, pos_label: str | None = None
) -> tuple[Label, ...]:
    """``--labels`` as classes typed as the truth, which must all be among them."""
    names = tuple(_typed(text, truth, "--labels") for text in texts)
    if len(set(names)) < max(2, len(names)):
        msg = f"--labels must name two or more different classes; got {listed(texts, 20)}."
        raise OptionError(msg)
    if pos_label is not None and _typed(pos_label, truth, "--pos-label") not in names:
        msg = f"--pos-label must be one of --labels, {quoted(names)}; got {pos_label!r}."
        raise OptionError(msg)
    missing = [v for v in truth.distinct if v not in names]
    if missing:
        msg = (
            f"--labels must name every class; {truth.title} also holds {listed(missing)}. "
            f"Add {'it' if len(missing) == 1 else 'them'}."
        )
        raise FileError(msg)
    return names


def typed_or_none(text: str, truth: Column) -> Label | None:
    """A text as a value of the truth's type, if it can be one."""
    if truth.kind == "text":
        return text
    if truth.kind == "boolean":
        return next((b for b in (False, True) if text in spellings(b)), None)
    number = text.removesuffix(".0")
    if number.isascii() and number.removeprefix("-").isdigit():
        # What begins with zeros is a name, not a number.
        return int(number) if number == str(int(number)) else None
    return next((int(b) for b in (False, True) if text in spellings(b)), None)


def _typed(text: str, truth: Column, option: str) -> Label:
    found = text if text in truth.distinct else typed_or_none(text.strip(), truth)
    if found is None:
        kind = {"whole": "whole numbers", "boolean": "true and false"}[truth.kind]
        msg = f"{option} must name classes of {truth.title}, which are {kind}; got {text!r}."
        raise FileError(msg)
    return found


def completed(
    truth: Column, pos_label: str | None, models: Iterable[Column] = ()
) -> tuple[Label, ...]:
    """The classes where nothing but the truth, and what models decide, tells them."""
    seen = tuple(sorted(truth.distinct))
    if len(seen) > 1:
        return seen
    (only,) = seen
    if isinstance(only, bool):
        return (False, True)
    positive = None if pos_label is None else _typed(pos_label, truth, "--pos-label")
    decided = [set(c.distinct) - {None, ""} for c in models if c.kind == truth.kind]
    if only == 1 and positive in (None, 1) and any(-1 in d and d <= {-1, 1} for d in decided):
        return (-1, 1)
    if not isinstance(only, str) and only in _PAIRS and positive in (None, *_PAIRS[only]):
        return _PAIRS[only]
    if positive is not None and positive != only:
        return (only, positive)
    if positive is not None:
        # Whole numbers of which none is the true class are scores.
        sure = [d for d in decided if isinstance(only, str) or only in d]
        others = set[Label]().union(*sure) - {only} or {_other_than(only)}
        if len(others) == 1:
            return tuple(sorted((only, *others)))
    msg = (
        f"{truth.title} holds one class, {only!r}, and the others cannot be known from it. Name "
        f"all classes with --labels."
    )
    raise FileError(msg)


def _other_than(only: Label) -> Label:
    """Any name for a class that is nowhere."""
    return f"not {only}" if isinstance(only, str) else 0


def with_positive(names: tuple[Label, ...], truth: Column, pos_label: str | None) -> Classes:
    """Settle which class of two is the positive one."""
    positive = None if pos_label is None else _typed(pos_label, truth, "--pos-label")
    if len(names) > 2:
        if positive is not None:
            msg = (
                f"--pos-label is for two classes; {truth.title} has {len(names)}: {listed(names)}. "
                f"Leave it out, or ask for the class in the measure, as in "
                f"'recall[class=\"{pos_label}\"]'."
            )
            raise FileError(msg)
        return Classes(names, None)
    if positive is None:
        if isinstance(names[0], str) or set(names) not in ({0, 1}, {-1, 1}):
            first, second = (shlex.quote(str(name)) for name in names)
            msg = (
                f"which of the two classes {first} and {second} of {truth.title} is the positive "
                f"one must be said: --pos-label {first} or --pos-label {second}."
            )
            raise FileError(msg)
        positive = max(names)
    if positive not in names:
        msg = f"--pos-label must be one of the classes {quoted(names)}; got {pos_label!r}."
        raise FileError(msg)
    return Classes(names, positive)
