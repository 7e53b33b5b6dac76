"""Why cells of a table are undefined, said below it."""

from __future__ import annotations

import numpy as np

from metricatlas.cli.letters import one_line
from metricatlas.measurements import Measurements

#: More lines than these are no note.
_MOST = 20
_MOST_NAMES = 6
_MOST_ROWS = 3


def undefined_note(table: Measurements) -> str:
    """A line for each reason and the rows that it holds for; empty where all are defined."""
    reasons = _reasons(table)
    if not reasons:
        return ""
    # Of one line every measure is undefined in every row.
    lines: dict[tuple[str, tuple[int, ...]], list[str]] = {}
    for (why, column), rows in reasons.items():
        lines.setdefault((why, tuple(rows)), []).append(table.columns[column])
    total = sum(map(len, reasons.values()))
    said = [f"Undefined: {total:,} of {table.values.size:,} values."]
    said += [f"  {_line(table, why, rows, n)}" for (why, rows), n in list(lines.items())[:_MOST]]
    if len(lines) > _MOST:
        said.append(f"  ... and {len(lines) - _MOST} more; --format json has all of them.")
    return "\n".join(map(one_line, said))


def _reasons(table: Measurements) -> dict[tuple[str, int], list[int]]:
    """The rows in which a column is undefined for a reason."""
    found: dict[tuple[str, int], list[int]] = {}
    for column, row in np.argwhere(np.isnan(table.values.T)).tolist():
        found.setdefault((_sentence(table.reason(row, column)), column), []).append(row)
    return found


def _sentence(why: str) -> str:
    return f"{why[:1].upper()}{why[1:].rstrip('.')}"


def _line(table: Measurements, why: str, rows: tuple[int, ...], columns: list[str]) -> str:
    names = list(dict.fromkeys(columns))
    more = len(names) - _MOST_NAMES
    shown = ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
    return f"{why}: {shown}{_of_rows(table, rows)}."


def _of_rows(table: Measurements, rows: tuple[int, ...]) -> str:
    """Which rows, where they are not all: by their models, or by all keys if they are few."""
    if len(rows) == len(table):
        return ""
    models = table.row_keys["model"]
    whole = list(dict.fromkeys(models[row] for row in rows))
    if len(whole) <= _MOST_NAMES and sum(map(list(models).count, whole)) == len(rows):
        return f" ({', '.join(map(str, whole))})"
    if len(rows) > _MOST_ROWS:
        return f", in {len(rows):,} of {len(table):,} rows"
    keys = table.row_keys.values()
    return " (" + "; ".join(", ".join(str(key[row]) for key in keys) for row in rows) + ")"
