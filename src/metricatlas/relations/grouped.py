"""Measurements as relations read them: one column a measure, higher is better, rows in groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.measurements import Measurements
from metricatlas.measurements.frames import unrepeated
from metricatlas.measurements.rows import group_rows
from metricatlas.relations.agreement import levels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array

#: The key within which rows are compared, where nothing else is said.
DATASET = "dataset"


@dataclass(frozen=True)
class Grouped:
    """Columns and groups of a table."""

    names: tuple[str, ...]
    #: Rows by columns, turned so that higher is better, unless they are left as measured.
    values: Array
    #: The same, but of a two-level measure numbers that order rows as its two levels do.
    ordinal: Array
    #: The name of each group, and its rows.
    groups: dict[Any, Array]
    #: Columns of which no value is better than another; they are as measured.
    sideless: tuple[int, ...]
    #: Columns of which lower is better.
    turned: tuple[int, ...]
    #: Columns of which zero, or one, is best.
    folded: tuple[int, ...]
    #: Columns that are two-level measures, of which a difference is of f + 0.01 g.
    two_level: tuple[int, ...]
    #: The key or keys that name the groups.
    within: str | Sequence[str] | None
    notes: tuple[str, ...]


def grouped(table: Any, within: str | Sequence[str] | None, *, oriented: bool) -> Grouped:
    """Read a table."""
    if not isinstance(table, Measurements):
        msg = (
            f"relations are read off Measurements; got {type(table).__name__}. "
            f"`Measurements.from_frame(frame, keys=[...])` makes them of a frame."
        )
        raise RelationError(msg)
    if not len(table) or not table.schema:
        msg = f"there must be rows and columns to relate; got {len(table)} x {len(table.schema)}."
        raise RelationError(msg)
    notes = []
    if within == DATASET and DATASET not in table.row_keys:
        within = None
        notes.append("there is no key 'dataset', so all rows are one group")
    sideless = tuple(i for i, c in enumerate(table.schema) if c.better == "neither")
    values = np.array(table.oriented().values if oriented else table.values)
    values[:, list(sideless)] = table.values[:, list(sideless)]
    ordinal = values.copy()
    for column, levels in table.pairs.items():
        defined = ~np.isnan(levels).any(axis=1)
        ordinal[:, column] = np.nan
        ordinal[defined, column] = levels_of(levels[defined])
    return Grouped(
        tuple(unrepeated(table.columns)),
        values,
        ordinal,
        named_groups(table, within),
        sideless,
        tuple(i for i, c in enumerate(table.schema) if c.better == "lower"),
        tuple(i for i, c in enumerate(table.schema) if c.better in ("zero", "one")),
        tuple(table.pairs),
        within,
        tuple(notes),
    )


def named_groups(table: Measurements, within: Any) -> dict[Any, Array]:
    """Groups by one key have its values as their names, not tuples of one; all rows are "all"."""
    groups = group_rows(table.row_keys, len(table), within)
    if list(groups) == [()]:
        return {"all": groups[()]}
    return {name[0] if len(name) == 1 else name: rows for name, rows in groups.items()}
