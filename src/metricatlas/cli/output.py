"""How results are written: a table, CSV, JSON or Parquet."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from metricatlas.cli.letters import escaped, legible, one_line
from metricatlas.cli.writing import check_target, to_stdout, write_file

if TYPE_CHECKING:
    from metricatlas.measurements import Measurements


class TextFormat(StrEnum):
    """How a list may be written."""

    table = "table"
    csv = "csv"
    json = "json"


class Format(StrEnum):
    """How measurements may be written."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


_ENDINGS = {
    ".csv": Format.csv,
    ".json": Format.json,
    ".parquet": Format.parquet,
    ".pq": Format.parquet,
    ".txt": Format.table,
}
#: How Python's table says where the reasons are, wherever its lines end.
_ASK = re.compile(r"\s?\.reason\(row,\s+column\)\s+says\s+why")
_ASKED = "--format json says why"
#: Wider than any table, so that nothing is left out of files and pipes.
_WIDE = 100_000


@dataclass(frozen=True)
class Destination:
    """A format, and a file unless it is the terminal."""

    format: Format
    path: str | None

    @classmethod
    def of(cls, asked: Format | None, out: str | None, source: str) -> Destination:
        """Settle the format before anything is read: by ``--format``, else by the ending."""
        if out is None:
            if asked is Format.parquet:
                raise typer.BadParameter("parquet needs a file: --out FILE.", param_hint="--format")
            return cls(asked or Format.table, None)
        ending = _ENDINGS.get(Path(out).suffix.lower())
        if asked is None and ending is None:
            msg = (
                f"the format cannot be told from the name {out!r}, which ends in none of "
                f"{', '.join(_ENDINGS)}; say it with --format."
            )
            raise typer.BadParameter(msg, param_hint="--out")
        if Format.parquet in (asked, ending) and (asked or ending) is not ending and ending:
            msg = f"{asked} and the ending of {out!r} contradict each other."
            raise typer.BadParameter(msg, param_hint="--format")
        check_target(out, source)
        return cls(asked or ending or Format.table, out)

    def write(self, table: Measurements) -> None:
        """Write measurements, and say where they are if that is a file."""
        if self.path is None:
            to_stdout(for_stdout(as_text(table, self.format), self.format))
            return
        if self.format is Format.parquet:
            content = _as_parquet(table)
        else:
            content = as_text(table, self.format, to_file=True).encode("utf-8", "backslashreplace")
        write_file(self.path, content)
        said = f"Wrote {len(table):,} x {len(table.columns):,} values to {self.path}."
        typer.echo(one_line(said), err=True)


def _as_parquet(table: Measurements) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "measurements.parquet"
        table.save(path)
        return path.read_bytes()


def for_stdout(text: str, asked: Format | TextFormat) -> str:
    """Data are never mended by question marks; what people read is in letters that they see."""
    encoding = sys.stdout.encoding
    return legible(text, encoding) if asked == Format.table else escaped(text, encoding)


def as_text(table: Measurements, asked: Format, *, to_file: bool = False) -> str:
    """Measurements as a text that ends its last line."""
    if asked is Format.csv:
        return as_csv([*table.row_keys, *table.columns], _rows(table))
    if asked is Format.json:
        return as_json(_records(table))
    if not to_file and sys.stdout.isatty():
        return f"{_said_here(str(table))}\n"
    lines = max(1, len(table), len(table.columns))
    return f"{_said_here(table.to_text(width=_WIDE, lines=lines))}\n"


def _said_here(text: str) -> str:
    """Say how to ask for reasons on the command line, in lines that are no longer."""
    return _ASK.sub(lambda found: ("\n" if "\n" in found[0] else " ") + _ASKED, text)


def as_csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Comma-separated lines; what is undefined is empty."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def as_json(records: list[dict[str, Any]]) -> str:
    """A list of records that every reader of JSON takes."""
    return json.dumps(records, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _rows(table: Measurements) -> Iterable[list[Any]]:
    for row, values in enumerate(table.values.tolist()):
        keys = [column[row] for column in table.row_keys.values()]
        yield [*keys, *("" if math.isnan(v) else v for v in values)]


def _records(table: Measurements) -> list[dict[str, Any]]:
    """Keys, measures, and under "undefined" the reasons of those that are null."""
    from metricatlas.measurements.frames import unrepeated

    names = unrepeated([*table.row_keys, *table.columns, "undefined"])
    records = []
    for row, values in enumerate(table.values.tolist()):
        keys = [column[row] for column in table.row_keys.values()]
        record = dict(zip(names, [*keys, *map(number, values)], strict=False))
        undefined = {
            name: table.reason(row, column)
            for column, (name, value) in enumerate(zip(names[len(keys) :], values, strict=False))
            if math.isnan(value)
        }
        records.append(record | ({names[-1]: undefined} if undefined else {}))
    return records


def number(value: float) -> float | str | None:
    """JSON knows neither NaN nor infinity."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)
