"""What a prediction file was understood to hold, ready for the door, and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.files.classes import Classes, Label, listed
from metricatlas.predictions.groups import combined, keys_called

if TYPE_CHECKING:
    from metricatlas.files.column import Array, Column


@dataclass(frozen=True)
class Model:
    """The predictions of one model, and what they are."""

    name: str
    #: Labels, scores of the positive class, or (examples, classes).
    values: Array
    kind: str
    #: Numbers of its rows in the file; None if they are all rows in their order.
    rows: Array | None = None

    def row(self, number: int) -> int:
        """The number in the file of one of its rows."""
        return number if self.rows is None else int(self.rows[number])


@dataclass(frozen=True)
class Part:
    """Examples, and the models that were asked about them."""

    truth: Array
    models: tuple[Model, ...]
    weight: Array | None
    #: For each example the number of its group.
    groups: Array | None

    @property
    def predictions(self) -> dict[str, Array]:
        """The models as the door takes them."""
        return {model.name: model.values for model in self.models}


@dataclass(frozen=True)
class Groups:
    """The groups of a file: values of one or more columns, numbered in their order."""

    keys: tuple[str, ...]
    #: For each group its value of each key.
    names: tuple[tuple[Any, ...], ...]
    codes: Array


@dataclass(frozen=True)
class PredictionFile:
    """A file, understood."""

    name: str
    rows: int
    truth: str
    classes: Classes
    #: How many examples each class has, in the order of the classes.
    counts: tuple[int, ...]
    parts: tuple[Part, ...]
    groups: Groups | None
    long: bool
    weight: str | None
    notes: tuple[str, ...]
    #: Whether its numbers were written as text.
    text: bool = False

    @property
    def models(self) -> tuple[Model, ...]:
        """All models, in the order of the file."""
        return tuple(model for part in self.parts for model in part.models)

    def description(self, groups: str = "groups") -> str:
        """What was understood, in one sentence, and what else there is to say.

        `groups` is what the groups are for whoever asked for them.
        """
        form = " in the long form" if self.long else ""
        parts = [f"truth `{self.truth}` ({self._classes()})", self._models()]
        if self.groups is not None:
            parts.append(
                f"{groups} by {' and '.join(self.groups.keys)} ({len(self.groups.names):,})"
            )
        if self.weight is not None:
            parts.append(f"weights `{self.weight}`")
        notes = self.notes
        single = [m.name for m in self.models if m.values.dtype == np.float32 and self.text]
        if single:
            notes = (*notes, f"Read in single precision, as it was written: {listed(single)}.")
        said = f"Read {counted(self.rows, 'row')} of {self.name}{form}: {', '.join(parts)}."
        return " ".join([said, *notes])

    def _classes(self) -> str:
        counts = dict(zip(self.classes.names, self.counts, strict=True))
        said = listed((f"{name} {counts[name]:,}" for name in self.classes.ordered), 12)
        return f"{said}; positive: {self.classes.positive}" if self.classes.binary else said

    def _models(self) -> str:
        models = self.models
        kinds = {model.kind for model in models}
        if len(kinds) == 1 and len(models) > 3:
            said = f"{models[0].kind}: {listed((m.name for m in models), 8)}"
        else:
            said = listed((f"{m.name}: {m.kind}" for m in models), 8)
        return f"{counted(len(models), 'model')} ({said})"


def counted(number: int, noun: str) -> str:
    """A number with its noun, as one or as many."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def kind_of_numbers(values: Array) -> str:
    """Probabilities, iff all lie in [0, 1]."""
    if values.dtype.kind in "iu":
        return "scores"
    inside = values.size and values.min() >= 0 and values.max() <= 1
    return "probabilities" if inside else "scores"


def number_groups(columns: tuple[Column, ...]) -> Groups | None:
    """Number the groups, which are the combinations that occur, in the order of their values."""
    if not columns:
        return None
    coded = [_sorted_codes(column) for column in columns]
    places, codes = combined([(own, len(values)) for own, values in coded])
    names = [
        [values[place] for place in own.tolist()]
        for (_, values), own in zip(coded, places, strict=True)
    ]
    keys = keys_called([column.name for column in columns])
    return Groups(keys, tuple(zip(*names, strict=True)), codes)


def _sorted_codes(column: Column) -> tuple[Array, list[Label]]:
    codes, values = column.codes()
    order = sorted(range(len(values)), key=values.__getitem__)
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(len(values))
    return rank[codes], [values[i] for i in order]
