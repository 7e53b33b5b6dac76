"""Models of different kinds in one table: probabilities beside scores and labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.evaluation.engine import Filled, Reasons
from metricatlas.measures import catalogue
from metricatlas.measures.language import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.evaluation.task import Task
    from metricatlas.measurements import Column
    from metricatlas.summaries.facts import Array


@dataclass(frozen=True)
class Part:
    """What the models of one kind gave, and the rows of the table that are theirs."""

    rows: Array
    task: Task
    filled: Filled


def together(parts: Sequence[Part]) -> Filled:
    """One table of all parts; what a kind cannot serve is undefined there."""
    schema = _schema(parts)
    places = [_places(part.filled.schema, schema) for part in parts]
    values = np.full((sum(len(part.rows) for part in parts), len(schema)), np.nan)
    levels: dict[int, Any] = {}
    for part, place in zip(parts, places, strict=True):
        values[part.rows[:, np.newaxis], place] = part.filled.values
        for column, pair in part.filled.levels.items():
            levels.setdefault(place[column], np.full((len(values), 2), np.nan))[part.rows] = pair
    return Filled(schema, values, lambda: _reasons(parts, places, schema), levels)


def _places(own: tuple[Column, ...], schema: tuple[Column, ...]) -> list[int]:
    # What is asked for by name may be there twice, and then all parts have it twice.
    return list(range(len(schema))) if own == schema else [schema.index(c) for c in own]


def _schema(parts: Sequence[Part]) -> tuple[Column, ...]:
    """The columns of all parts; where these differ, in the order of the catalogue."""
    first = parts[0].filled.schema
    if all(part.filled.schema == first for part in parts):
        return first
    everything = dict.fromkeys(column for part in parts for column in part.filled.schema)
    task = parts[0].task
    order = list(dict.fromkeys(task.resolved(m).name for m in catalogue.values()))
    return tuple(sorted(everything, key=lambda column: order.index(column.name)))


def _reasons(
    parts: Sequence[Part], places: Sequence[list[int]], schema: tuple[Column, ...]
) -> Reasons:
    found: Reasons = {}
    for part, place in zip(parts, places, strict=True):
        told = part.filled.reasons().items()
        found |= {(int(part.rows[r]), place[c]): why for (r, c), why in told}
        for column in sorted(set(range(len(schema))) - set(place)):
            words = f"It needs {part.task.lacking(parse(schema[column].measure))}."
            found |= dict.fromkeys(((int(row), column) for row in part.rows), words)
    return found
