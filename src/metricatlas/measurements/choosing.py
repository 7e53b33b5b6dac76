"""Tables made of parts of tables: some columns, some rows, several tables in one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from metricatlas.errors import MetricAtlasError
from metricatlas.measurements.columns import Array, Column, Named, find_column, nearest
from metricatlas.measurements.table import Measurements


def take_columns(table: Measurements, columns: str | Named | Iterable[str | Named]) -> Measurements:
    """Choose columns; each gets the name by which it was asked for."""
    one = isinstance(columns, str) or not isinstance(columns, Iterable)
    asked: list[Any] = [columns] if one else list(columns)  # type: ignore[arg-type]
    chosen = take_places(table, [find_column(table.schema, name) for name in asked])
    names = [name if isinstance(name, str) else name.name for name in asked]
    schema = (replace(c, name=name) for c, name in zip(chosen.schema, names, strict=True))
    return chosen.__replace__(schema=tuple(schema))


def take_places(table: Measurements, places: Sequence[int]) -> Measurements:
    """Choose columns by their numbers; each keeps its name."""
    target: dict[int, list[int]] = {}
    for new, old in enumerate(places):
        target.setdefault(old, []).append(new)
    return table.__replace__(
        values=table.values[:, list(places)],
        schema=tuple(table.schema[i] for i in places),
        reasons=lambda: {
            (row, new): reason
            for (row, old), reason in table.reasons.items()
            for new in target.get(old, ())
        },
        levels={new: table.pairs[i] for new, i in enumerate(places) if i in table.pairs},
    )


def take_rows(table: Measurements, rows: Array) -> Measurements:
    """Choose rows by their numbers, each at most once."""
    chosen = rows.tolist()
    place = {old: new for new, old in enumerate(chosen)}
    return table.__replace__(
        values=table.values[rows],
        row_keys={key: [column[i] for i in chosen] for key, column in table.row_keys.items()},
        reasons=lambda: {
            (place[row], column): reason
            for (row, column), reason in table.reasons.items()
            if row in place
        },
        levels={i: part[rows] for i, part in table.pairs.items()},
    )


def concatenated(
    tables: Iterable[Measurements] | Mapping[Any, Measurements], key: str
) -> Measurements:
    """Put tables below each other; the names of a mapping become another key, the first."""
    given = _several(tables)
    parts = _keyed(given, key) if isinstance(given, Mapping) else list(given)
    if not parts:
        msg = "there must be at least one table to put together; got none. Pass some."
        raise MetricAtlasError(msg)
    first = parts[0]
    parts = [first, *(_like(first, part) for part in parts[1:])]
    starts = np.cumsum([0, *map(len, parts)]).tolist()
    return Measurements(
        np.concatenate([part.values for part in parts]),
        tuple(_joined(columns) for columns in zip(*(part.schema for part in parts), strict=True)),
        {name: [x for part in parts for x in part.row_keys[name]] for name in first.row_keys},
        reasons=lambda: {
            (start + row, column): reason
            for start, part in zip(starts, parts, strict=False)
            for (row, column), reason in part.reasons.items()
        },
        levels={
            i: np.concatenate([part.pairs[i] for part in parts])
            for i in first.pairs
            if all(i in part.pairs for part in parts)
        },
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )


def _several(tables: Any) -> Iterable[Measurements] | Mapping[Any, Measurements]:
    """Tables and nothing else."""
    if isinstance(tables, Iterable) and not isinstance(tables, Measurements | str):
        kept = tables if isinstance(tables, Mapping) else list(tables)
        parts = kept.values() if isinstance(kept, Mapping) else kept
        odd = [part for part in parts if not isinstance(part, Measurements)]
        if not odd:
            return kept
        tables = odd[0]
    msg = (
        f"what is put together must be tables, in a list or a dict; got the "
        f"{type(tables).__name__} {str(tables)[:40]!r}. Make a table of it with "
        f"`Measurements.from_frame`, or leave it out."
    )
    raise MetricAtlasError(msg)


def _keyed(tables: Mapping[Any, Measurements], key: str) -> list[Measurements]:
    for part in tables.values():
        if key in part.row_keys:
            msg = f"the tables have a key {key!r} already; choose another name with key=."
            raise MetricAtlasError(msg)
    return [
        part.__replace__(row_keys={key: [name] * len(part), **part.row_keys})
        for name, part in tables.items()
    ]


def _like(first: Measurements, other: Measurements) -> Measurements:
    """Check that a table has the keys and columns of the first, in whatever order."""
    for key in set(first.row_keys) ^ set(other.row_keys):
        lacking = other if key in first.row_keys else first
        msg = (
            f"all tables must have the same keys; {key!r} is missing in one of them"
            f"{nearest(key, list(lacking.row_keys))}"
        )
        raise MetricAtlasError(msg)
    if first.columns == other.columns:
        return other
    if sorted(first.columns) != sorted(other.columns):
        odd = sorted(set(first.columns) ^ set(other.columns))
        msg = (
            f"all tables must have the same columns; {', '.join(map(repr, odd[:8])) or 'some'} "
            f"differ. `.select` the columns that all of them have."
        )
        raise MetricAtlasError(msg)
    return take_columns(other, first.columns)


def _joined(columns: Sequence[Column]) -> Column:
    """One column for several: where their measures differ (f1, f1[macro]) the name remains."""
    first = columns[0]
    if all(column == first for column in columns):
        return first
    if len({column.better for column in columns}) > 1:
        msg = (
            f"column {first.name!r} must have one direction in all tables; in one it is "
            f"{columns[0].better}, in another it is not. Use `.oriented()` tables."
        )
        raise MetricAtlasError(msg)
    return replace(
        first,
        measure=first.measure if len({c.measure for c in columns}) == 1 else first.name,
        lower=min(column.lower for column in columns),
        upper=max(column.upper for column in columns),
    )
