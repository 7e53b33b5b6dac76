"""Columns `MODEL:CLASS`: which model and which class the name of a column means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from metricatlas.errors import FileError
from metricatlas.files.alike import folded
from metricatlas.files.asked import MODEL
from metricatlas.files.classes import Classes, Label, listed, quoted, spellings, typed_or_none
from metricatlas.files.column import Column, as_matrix
from metricatlas.files.numbers import refuse_text

Columns = Mapping[str, Column]
#: For each model with columns `MODEL:CLASS` its columns by class.
Families = dict[str, dict[Label, Column]]
#: How far from 1 the rows of two columns may sum, and still be seen to be rounded probabilities.
_ROUNDED = 0.02


@dataclass(frozen=True)
class Naming:
    """How names of columns are read, given the classes that are known."""

    truth: Column
    known: tuple[Label, ...]

    def split(self, name: str) -> tuple[str, Label | None]:
        """The model and the class: split at the last colon, or before a class that has one."""
        readings = dict(self._readings(name))
        if len(readings) > 1:
            (one, first), (other, second) = list(readings.items())[:2]
            msg = (
                f"the column `{name}` must mean one class of one model; it may be the class "
                f"{first!r} of `{one}` or the class {second!r} of `{other}`. Rename the classes, "
                f"or leave it out with --ignore."
            )
            raise FileError(msg)
        if readings:
            return next(iter(readings.items()))
        return self._at_last_colon(name)

    def _at_last_colon(self, name: str) -> tuple[str, Label | None]:
        prefix, _, suffix = name.rpartition(":")
        return prefix.strip(), typed_or_none(suffix.strip(), self.truth)

    def _readings(self, name: str) -> list[tuple[str, Label]]:
        """Every way to read a known class at the end of a name, if one of them has a colon."""
        found: list[tuple[str, Label]] = []
        for label in self.known:
            if isinstance(label, str) and ":" in label and name.endswith(label):
                prefix, colon, rest = name.removesuffix(label).rpartition(":")
                if prefix and colon and not rest.strip():
                    found.append((prefix.strip(), label))
        prefix, last = self._at_last_colon(name)
        return [*found, (prefix, last)] if found and last in self.known else found


def find_families(columns: Columns, naming: Naming) -> Families:
    """The columns of numbers that are named `MODEL:CLASS`."""
    families: Families = {}
    for name, column in columns.items():
        prefix, label = naming.split(name)
        if not prefix or label is None:
            continue
        if column.kind not in ("whole", "number"):
            if label in naming.known:
                refuse_text(column)
            continue
        other = families.setdefault(prefix, {}).setdefault(label, column)
        if other is not column:
            msg = (
                f"the columns `{other.name}` and `{name}` look alike: both are class {label!r} of "
                f"model `{prefix}`. Rename one, or leave it out with --ignore."
            )
            raise FileError(msg)
    return families


def classes_of(whole: Families) -> tuple[Label, ...]:
    """The classes that the columns of models name; a class may be absent from the truth."""
    if not whole:
        return ()
    every = {label for family in whole.values() for label in family}
    for prefix, family in whole.items():
        lacking = sorted(every - set(family))
        if lacking:
            other = next(p for p, f in whole.items() if lacking[0] in f)
            msg = (
                f"every model must have a column for every class; `{prefix}` has none for "
                f"{listed(lacking)}, `{other}` has `{whole[other][lacking[0]].name}`. Name all "
                f"classes with --labels, or leave columns out with --ignore."
            )
            raise FileError(msg)
    return tuple(sorted(every))


def refuse_partial(families: Families, classes: Classes) -> None:
    """Columns for some classes are a mistake, unless their names only look like it."""
    for prefix, family in families.items():
        there = [label for label in family if label in classes.names]
        lacking = [label for label in classes.names if label not in family]
        if not there or not lacking:
            continue
        # Names such as `run:1`, `run:7` need not mean classes; a lone score of the positive is one.
        if classes.binary and (there == [classes.positive] or len(there) < len(family)):
            continue
        msg = (
            f"model `{prefix}` must have a column for every class; it has "
            f"{listed(f'`{family[label].name}`' for label in there)} but none for "
            f"{listed(lacking)}. Add it, or leave these out with --ignore; --model NAME:CLASS "
            f"takes a column as a model of its own."
        )
        raise FileError(msg)


def columns_of(labels: Iterable[Label], columns: Columns) -> dict[Label, Column]:
    """The columns that are named as the classes and nothing else."""
    named = {label: next((s for s in spellings(label) if s in columns), None) for label in labels}
    return {label: columns[name] for label, name in named.items() if name is not None}


def names_of(columns: Mapping[Label, Column]) -> str:
    """The names of columns for a message."""
    return listed(f"`{column.name}`" for column in columns.values())


def find_nameless(columns: Columns, whole: Families, classes: Classes) -> dict[Label, Column]:
    """The columns of the one model without a name: there is one for every class, of that name."""
    found = columns_of(classes.names, columns)
    numbers = all(column.kind in ("whole", "number") for column in found.values())
    if len(found) < len(classes.names) or not numbers:
        return {}
    if all(c.kind == "whole" and not classes.strangers(c) for c in found.values()):
        # Decisions of models that are called as the classes are: 0, 1, 2.
        return {}
    if MODEL in whole:
        msg = (
            f"the columns {names_of(found)}, of a model without a name, and those named "
            f"`{MODEL}:CLASS` are two models of one name. Rename one, or leave it out with "
            f"--ignore."
        )
        raise FileError(msg)
    for column in found.values():
        column.check()
    sums = as_matrix(list(found.values())).sum(axis=1)
    if classes.binary and not np.allclose(sums, 1, rtol=0, atol=_ROUNDED):
        msg = (
            f"the columns {names_of(found)} must sum to 1 to be the probabilities of the classes "
            f"that they are named as; they do not. Say --model NAME for each if they are models, "
            f"--labels with all classes if the truth lacks some, or name them MODEL:CLASS."
        )
        raise FileError(msg)
    return found


def refuse_beside(singles: list[str], whole: Families, classes: Classes) -> None:
    """Where classes have colons, a column that begins like a model is no model of its own."""
    if not any(":" in str(name) for name in classes.names):
        return
    for name in singles:
        prefix = next((p for p in whole if name.startswith(f"{p}:")), None)
        if prefix is not None:
            msg = (
                f"the column `{name}` must be a class of model `{prefix}`, as its name begins "
                f"so; the classes are {listed(classes.names)}. Name all classes with --labels, or "
                f"leave the column out with --ignore."
            )
            raise FileError(msg)


def refuse_nearly(singles: list[str], classes: Classes) -> None:
    """Columns that name every class, but written otherwise, are no models of their own."""
    found: dict[str, dict[str, str]] = {}
    for name in singles:
        prefix, _, suffix = name.rpartition(":")
        if prefix:
            found.setdefault(folded(prefix), {})[_loosely(suffix)] = name
    for columns in found.values():
        near = [_near(label, columns) for label in classes.names]
        if all(near):
            msg = (
                f"the columns {listed(f'`{name}`' for name in near)} look like the classes "
                f"{quoted(classes.names)} of one model, but are written otherwise. Write them as "
                f"the classes are; --model NAME takes a column as a model of its own."
            )
            raise FileError(msg)


def _near(label: Label, columns: Mapping[str, str]) -> str | None:
    keys = map(_loosely, spellings(label))
    return next((columns[key] for key in keys if key in columns), None)


def _loosely(text: str) -> str:
    """A class without what is easily written otherwise: zeros at the ends, too."""
    return re.sub(r"^0+(?=\d)|\.0+$", "", folded(text))
