"""What a table shows of itself, in words, before it is laid out for a terminal or a notebook."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.measurements.columns import Array, Column, oriented_values

if TYPE_CHECKING:
    from metricatlas.measurements.table import Measurements

#: So few rows stand beside each other, with the measures below each other.
FEW_ROWS = 8
MOST_MEASURES = 500
MOST_ROWS = 60
UNDEFINED = "–"  # noqa: RUF001 - a dash is what tables have where there is no number

LEGEND = {
    "lower": "↓ lower is better",
    "zero": "→0 nearer to 0 is better",
    "one": "→1 nearer to 1 is better",
    "neither": "· neither side is better",
}


@dataclass(frozen=True)
class Label:
    """A name, with what else there is to say about it."""

    text: str
    hint: str = ""


@dataclass(frozen=True)
class Cell:
    """A measurement as written, why it is undefined, and whether no row has a better one."""

    text: str
    hint: str = ""
    best: bool = False


@dataclass(frozen=True)
class Sheet:
    """Lines of labels and cells with their heads; what is left out is said in the caption."""

    label_heads: list[Label]
    heads: list[Label]
    lines: list[tuple[list[Label], list[Cell]]]
    caption: list[str]
    #: What the columns of cells are, to say how many had no room.
    across: str


def make_sheet(table: Measurements, most_lines: int | None = None) -> Sheet:
    """Few rows become columns, so that the measures can be read from top to bottom."""
    if 0 < len(table) <= FEW_ROWS and len(table.schema) > len(table):
        return _measures_below(table, most_lines or MOST_MEASURES)
    return _rows_below(table, most_lines or MOST_ROWS)


def _measures_below(table: Measurements, most: int) -> Sheet:
    cells = _cells(table, np.arange(len(table)), most)
    heads, constant = _row_names(table)
    lines = [
        ([_measure_label(column)], cells[i]) for i, column in enumerate(table.schema[: len(cells)])
    ]
    left_out = len(table.schema) - len(cells)
    hidden = [f"{counted(left_out, 'more measure')} not shown"] if left_out else []
    caption = [*hidden, *constant, *_caption(table, cells)]
    return Sheet([Label("")], heads, lines, caption, "row")


def _rows_below(table: Measurements, most: int) -> Sheet:
    rows = np.arange(min(len(table), most))
    cells = _cells(table, rows, len(table.schema))
    lines = [
        (
            [Label(str(column[row])) for column in table.row_keys.values()],
            [column[row] for column in cells],
        )
        for row in rows.tolist()
    ]
    left_out = len(table) - len(rows)
    hidden = [f"{counted(left_out, 'more row')} not shown"] if left_out else []
    heads = [_measure_label(column) for column in table.schema]
    keys = [Label(key) for key in table.row_keys]
    return Sheet(keys, heads, lines, [*hidden, *_caption(table, cells)], "measure")


def _measure_label(column: Column) -> Label:
    hint = column.title
    if column.measure != column.name:
        hint = f"{hint} ({column.measure})" if hint else column.measure
    return Label(f"{column.name} {column.mark}".strip(), hint)


def _row_names(table: Measurements) -> tuple[list[Label], list[str]]:
    """Name rows by the keys that tell them apart; the other keys go into the caption."""
    keys = table.row_keys
    telling = [key for key, column in keys.items() if any(x != column[0] for x in column)]
    if not telling and "model" in keys and len(table) == 1 and isinstance(keys["model"][0], str):
        telling = ["model"]
    names = [", ".join(str(keys[key][row]) for key in telling) for row in range(len(table))]
    # A running number that never ran is no news.
    constant = [
        f"{key}: {column[0]}"
        for key, column in keys.items()
        if key not in telling and len(column) and column[0] != 0
    ]
    return [Label(name or "value") for name in names], constant


def _caption(table: Measurements, cells: list[list[Cell]]) -> list[str]:
    shown = {column.better for column in table.schema}
    caption = [
        f"{counted(len(table), 'row')}, {counted(len(table.schema), 'measure')}",
        *(text for better, text in LEGEND.items() if better in shown),
    ]
    if any(cell.text == UNDEFINED for line in cells for cell in line):
        caption.append(f"{UNDEFINED} undefined: .reason(row, column) says why")
    return [*caption, *table.notes]


def counted(number: int, noun: str) -> str:
    """Write a number with its noun, as one or as many."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _cells(table: Measurements, rows: Array, most: int) -> list[list[Cell]]:
    """Cells by measure, then by row."""
    best = best_rows(table)
    return [
        [
            Cell(text, table.reason(row, i), bool(best[row, i]))
            for row, text in zip(
                rows.tolist(), written_cells(column, table.values[rows, i]), strict=True
            )
        ]
        for i, column in enumerate(table.schema[:most])
    ]


def best_rows(table: Measurements) -> Array:
    """Which cells are the best of their column, if any is worse; pairs count where there are."""
    values = oriented_values(table.values, table.schema)
    best = np.zeros(values.shape, dtype=bool)
    if len(table) < 2:
        # Nothing is worse.
        return best
    best[:] = values == np.fmax.reduce(values, axis=0)
    for i, pair in table.pairs.items():
        first = pair[:, 0] == np.fmax.reduce(pair[:, 0])
        best[:, i] = first & (pair[:, 1] == np.fmax.reduce(np.where(first, pair[:, 1], np.nan)))
    best[:, (best | np.isnan(values)).all(axis=0)] = False
    return best


def written_cells(column: Column, values: Array) -> list[str]:
    """Counts are whole numbers; those too long for that are written as other values are."""
    texts = written(values)
    if not _counts(column, values):
        return texts
    whole = (np.abs(values) < 1e15).tolist()
    return [
        f"{x + 0.0:.0f}" if short else text
        for x, short, text in zip(values.tolist(), whole, texts, strict=True)
    ]


def _counts(column: Column, values: Array) -> bool:
    """Whether values are whole and without end above 0; below it once higher is better."""
    finite = values[np.isfinite(values)]
    endless = (column.lower, column.upper) in ((0, np.inf), (-np.inf, 0))
    return endless and bool((finite == np.rint(finite)).all())


def written(values: Array) -> list[str]:
    """Write the numbers of one measure: as many decimals as its largest needs for five digits."""
    sizes = np.abs(values[np.isfinite(values) & (values != 0)])
    largest = float(sizes.max()) if sizes.size else 1.0
    if largest >= 1e6 or largest < 1e-3:
        return [_special(x) or f"{x + 0.0:.4g}" for x in values.tolist()]
    decimals = min(4, max(0, 4 - int(np.floor(np.log10(largest)))))
    return [_special(x) or _decimal(x, decimals) for x in values.tolist()]


def _special(value: float) -> str:
    if value != value:  # noqa: PLR0124 - finds NaN
        return UNDEFINED
    return {np.inf: "inf", -np.inf: "-inf"}.get(value, "")


def _decimal(value: float, decimals: int) -> str:
    if 0 < abs(value) < 0.5 * 10.0**-decimals:
        # Small is not nothing.
        return f"{value:.0e}"
    return f"{value + 0.0:.{decimals}f}"
