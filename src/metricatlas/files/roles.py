"""Which column is what: the roles that the user gives, and what is left for the models."""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import FileError
from metricatlas.files.classes import listed
from metricatlas.files.column import Array, Column, make_column
from metricatlas.files.numbers import refuse_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.files.asked import Asked
    from metricatlas.files.bytes import Source

#: Options that take one name and may be repeated.
_REPEATED = ("--group", "--ignore", "--model")


@dataclass(frozen=True)
class Roles:
    """The columns by their roles."""

    truth: Column
    groups: tuple[Column, ...]
    weight: Array | None
    #: What is neither, in the order of the file.
    rest: dict[str, Column]
    notes: tuple[str, ...]
    #: The name of the weight's column.
    weighted_by: str | None = None
    #: Rows that were read and left out because they have no weight.
    weightless: int = 0

    @property
    def taken(self) -> tuple[str, ...]:
        """Names of the columns that have a role."""
        weight = () if self.weighted_by is None else (self.weighted_by,)
        return (self.truth.name, *(g.name for g in self.groups), *weight)

    @property
    def rows(self) -> Array | None:
        """Numbers in the file of the rows that are left; None if they all are."""
        return self.truth.rows


def find_roles(source: Source, asked: Asked) -> Roles:
    """Find the columns asked for; check those that have a role and the names of all."""
    names = list(source.table.column_names)
    wanted = {asked.truth: "--truth", **dict.fromkeys(asked.groups, "--group")}
    if asked.weight is not None:
        wanted[asked.weight] = "--weight"
    for name, option in {**wanted, **dict.fromkeys(asked.ignore, "--ignore")}.items():
        _check_there(name, option, names, source.name)
    _check_repeated([n for n in names if n not in asked.ignore], source.name)
    table, weight, rows = _weighted(source, asked.weight)
    if not len(table):
        raise FileError(f"{source.name} must have at least one row below its names; it has none.")
    left_out = _left_out(source.table, [*wanted, *asked.models])
    columns = {
        name: make_column(name, table.column(i), rows, written=source.text)
        for i, name in enumerate(names)
        if name not in asked.ignore and name not in left_out
    }
    groups = tuple(columns[name] for name in asked.groups)
    for group in groups:
        if group.kind == "other":
            msg = (
                f"{group.title} must hold text, numbers, dates or booleans to be a group; got the "
                f"type {group.data.type}."
            )
            raise FileError(msg)
        group.check()
    return Roles(
        truth=columns[asked.truth],
        groups=groups,
        weight=weight,
        rest={name: c for name, c in columns.items() if name not in wanted},
        notes=(*source.notes, *left_out.values()),
        weighted_by=asked.weight,
        weightless=0 if rows is None else len(source.table) - len(rows),
    )


def _check_there(name: str, option: str, names: Sequence[str], file: str) -> None:
    count = names.count(name)
    if count == 1 or (count and option == "--ignore"):
        return
    if count:
        msg = f"{file} must have one column `{name}` for {option}; it has {count}. Rename them."
        raise FileError(msg)
    hint = one_by_one(name, option, names) or nearest(name, names)
    raise FileError(f"{file} has no column `{name}` for {option}; {hint}.")


def one_by_one(text: str, option: str, there: Sequence[str]) -> str:
    """How names are written that stand in a list where one is expected; else nothing."""
    names = [name.strip() for name in text.split(",")]
    if option not in _REPEATED or not set(names) <= set(there):
        return ""
    return f"repeat the option: {' '.join(f'{option} {shlex.quote(name)}' for name in names)}"


def nearest(name: str, there: Sequence[str]) -> str:
    """The names that come nearest, or the first few."""
    folded = {n.casefold(): n for n in reversed(there)}
    close = difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)
    if close:
        return f"the nearest are {', '.join(f'`{folded[c]}`' for c in close)}"
    return f"there are {listed((f'`{n}`' for n in there), 8)}" if there else "there are none"


def _check_repeated(names: Sequence[str], file: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1 and name]
    if twice:
        msg = (
            f"{file} must have different names for its columns; `{twice[0]}` comes "
            f"{names.count(twice[0])} times. Rename one, or leave them out with --ignore."
        )
        raise FileError(msg)


def _left_out(table: Any, used: Sequence[str]) -> dict[str, str]:
    """Columns that the file itself says are no data, and why."""
    index = [
        i for i in (table.schema.pandas_metadata or {}).get("index_columns", ()) if i not in used
    ]
    notes = {i: f"Left out: `{i}`, the row index of pandas." for i in index if isinstance(i, str)}
    if "" in table.column_names and "" not in used:
        notes[""] = "Left out: a column without a name."
    return notes


def _weighted(source: Source, name: str | None) -> tuple[Any, Array | None, Array | None]:
    """The rows that have weight, their weights, and their numbers if some have none."""
    table = source.table
    if name is None or not len(table):
        return table, None, None
    column = make_column(name, table.column(table.column_names.index(name)))
    if column.kind not in ("whole", "number"):
        refuse_text(column)
        msg = f"{column.title} must hold numbers to be the weight; got the type {column.data.type}."
        raise FileError(msg)
    column.check()
    weight = column.numbers().astype(np.float64)
    if (weight < 0).any():
        count, first = int((weight < 0).sum()), column.row(weight < 0)
        msg = f"{column.title} must not be negative; got {count:,} such weights, first in {first}."
        raise FileError(msg)
    if not weight.any():
        msg = f"{column.title} must have a positive weight somewhere; all are 0."
        raise FileError(msg)
    if weight.all():
        return table, weight, None
    import pyarrow.compute as pc

    return table.filter(pc.greater(column.data, 0)), weight[weight > 0], np.flatnonzero(weight)
