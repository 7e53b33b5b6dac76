"""The list of measures: what it says of each, and as a table."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import Any

from metricatlas.measures import catalogue
from metricatlas.measures.catalogue import tasks
from metricatlas.measures.terms import Measure

_SHOWN = ("name", "title", "better", "range", "needs", "aliases")
#: What stands on the first line of a measure where not all has room on one.
_FIRST = ("name", "range", "better", "needs")
_INDENT = " " * 4


def record(measure: Measure) -> dict[str, Any]:
    """What a list says of a measure."""
    m: Any = measure
    return {
        "name": m.name,
        "title": m.title,
        "better": m.better,
        "range": written_range(m.bounds),
        "needs": m.needs,
        "tasks": list(tasks(measure)),
        "family": m.family,
        "on_request": m.on_request,
        "aliases": list(catalogue.aliases(measure)),
        "sources": list(catalogue.sources(measure)),
    }


def written_range(bounds: tuple[float, float]) -> str:
    """Bounds as an interval, which is open at infinity."""
    low, high = bounds
    left = "(-inf" if low == float("-inf") else f"[{low:g}"
    right = "inf)" if high == float("inf") else f"{high:g}]"
    return f"{left}, {right}"


def as_table(records: list[dict[str, Any]]) -> str:
    """Aligned columns; on a narrow terminal two lines a measure, of which nothing is cut."""
    if not records:
        return "No measure is like that.\n"
    lines = _aligned(records, _SHOWN)
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns
        if max(map(len, lines)) > room:
            lines = _in_two(records, room)
    count = f"{len(records)} measure{'s' * (len(records) > 1)}"
    return "\n".join([*lines, "", f"{count}; 'metricatlas catalogue NAME' tells more.", ""])


def _aligned(records: list[dict[str, Any]], shown: tuple[str, ...]) -> list[str]:
    cells = [[_written(r[key]) for key in shown] for r in records]
    table = [[key.upper() for key in shown], *cells]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in table
    ]


def _in_two(records: list[dict[str, Any]], room: int) -> list[str]:
    head, *first = _aligned(records, _FIRST)
    lines = [head]
    for line, r in zip(first, records, strict=True):
        title = textwrap.wrap(
            r["title"], max(20, room), initial_indent=_INDENT, subsequent_indent=_INDENT
        )
        lines += [line, *title]
    return lines


def _written(value: Any) -> str:
    return ", ".join(value) if isinstance(value, list) else str(value)
