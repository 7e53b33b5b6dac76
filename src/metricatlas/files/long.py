"""The long form: a row is an example as one model sees it; every class has a column of its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import FileError
from metricatlas.files.alike import check_alike, check_alike_models
from metricatlas.files.asked import MODEL, Asked
from metricatlas.files.classes import Classes, Label, completed, listed, with_positive
from metricatlas.files.column import as_matrix
from metricatlas.files.contents import Groups, Model, Part, kind_of_numbers
from metricatlas.files.families import columns_of
from metricatlas.files.numbers import refuse_text
from metricatlas.files.roles import Roles, nearest, one_by_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metricatlas.files.column import Array, Column


@dataclass(frozen=True)
class Long:
    """What a file in the long form holds."""

    classes: Classes
    parts: tuple[Part, ...]
    notes: tuple[str, ...]


def is_long(roles: Roles, truth: Column, labels: tuple[Label, ...] | None) -> bool:
    """Whether there is a column `model` whose values are no classes, and columns of classes."""
    column = roles.rest.get(MODEL)
    if column is None or column.kind not in ("text", "whole"):
        return False
    known = tuple(truth.distinct) if labels is None else labels
    there = _columns_of(known, roles)
    if len(there) == len(known):
        return True
    return len(Classes(known, None).strangers(column)) > 0 and len(there) > 0


def _columns_of(labels: tuple[Label, ...], roles: Roles) -> dict[Label, Column]:
    return columns_of(labels, {n: c for n, c in roles.rest.items() if n != MODEL})


def read_long(
    roles: Roles,
    truth: Column,
    labels: tuple[Label, ...] | None,
    asked: Asked,
    groups: Groups | None,
    file: str,
) -> Long:
    """Every model with its own rows; models that have the same examples share a part."""
    names = labels or completed(truth, asked.pos_label)
    classes = with_positive(names, truth, asked.pos_label)
    columns = _class_columns(roles, classes)
    notes = _leave_out(roles, [c.name for c in columns], file)
    used = {c.name for c in columns}
    check_alike([*roles.taken, *(name for name in roles.rest if name not in used)], file)
    for column in (roles.rest[MODEL], *columns):
        column.check()
    values = as_matrix(columns) if len(columns) > 1 else columns[0].numbers()
    members = _members(roles.rest[MODEL], asked.models, file)
    found = classes.labels(truth)
    parts: dict[tuple[bytes, ...], tuple[Array, list[Model]]] = {}
    for name, rows in members:
        own = values[rows]
        where = rows if roles.rows is None else roles.rows[rows]
        model = Model(name, own, asked.kind or kind_of_numbers(own), where)
        examples = _examples(rows, truth, groups, roles.weight)
        parts.setdefault(examples, (rows, []))[1].append(model)
    return Long(
        classes,
        tuple(
            Part(
                truth=found[rows],
                models=tuple(models),
                weight=None if roles.weight is None else roles.weight[rows],
                groups=None if groups is None else groups.codes[rows],
            )
            for rows, models in parts.values()
        ),
        notes,
    )


def _class_columns(roles: Roles, classes: Classes) -> list[Column]:
    """The columns of the classes in their order, or of two the positive's alone."""
    there = _columns_of(classes.names, roles)
    lacking = [label for label in classes.names if label not in there]
    if lacking and not (classes.binary and classes.positive not in lacking):
        msg = (
            f"in the long form, with its column `{MODEL}`, every class must have a column of its "
            f"name; there is none for {listed(lacking)}. Add it, or leave `{MODEL}` out with "
            f"--ignore if every other column is a model."
        )
        raise FileError(msg)
    columns = list(there.values())
    for column in columns:
        if column.kind not in ("whole", "number"):
            refuse_text(column)
            msg = (
                f"{column.title} must hold numbers, as it is named like a class; got {column.kind}."
            )
            raise FileError(msg)
    return columns


def _leave_out(roles: Roles, used: list[str], file: str) -> tuple[str, ...]:
    """Numbers that nobody asked for may be a class that is absent; text is none."""
    others = [c for name, c in roles.rest.items() if name not in (MODEL, *used)]
    unclear = [f"`{c.name}`" for c in others if c.kind in ("whole", "number")]
    if unclear:
        subject = "this column is" if len(unclear) == 1 else "these columns are"
        msg = (
            f"every column of numbers in {file} must be a class or have a role, and it is not "
            f"clear what {subject}: {listed(unclear, 12)}. Say it: --ignore COLUMN, --group "
            f"COLUMN, or --labels with all classes if some are absent from `{roles.truth.name}`."
        )
        raise FileError(msg)
    names = listed((f"`{c.name}`" for c in others), 12)
    return (f"Left out: {names}.",) if others else ()


def _members(column: Column, wanted: tuple[str, ...], file: str) -> Iterator[tuple[str, Array]]:
    codes, values = column.codes()
    names = [str(v) for v in values]
    if not wanted:
        check_alike_models(names, file)
    for name in wanted:
        if name not in names:
            hint = one_by_one(name, "--model", names) or nearest(name, names)
            raise FileError(f"{file} has no model `{name}` for --model; {hint}.")
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))
    for name, rows in zip(names, np.split(order, ends[:-1]), strict=True):
        if not wanted or name in wanted:
            yield name, rows


def _examples(
    rows: Array, truth: Column, groups: Groups | None, weight: Array | None
) -> tuple[bytes, ...]:
    """What tells whether two models were asked about the same examples in the same order."""
    known = [truth.codes()[0], *([] if groups is None else [groups.codes])]
    known += [] if weight is None else [weight]
    return tuple(column[rows].tobytes() for column in known)
