"""Where results go: a table, CSV, JSON or Parquet, on the terminal or in a file that is whole."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import secrets
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from metricatlas.errors import FileError

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
#: Wider than any table, so that nothing is left out of files and pipes.
_WIDE = 100_000


@dataclass(frozen=True)
class Destination:
    """A format, and a file unless it is the terminal."""

    format: Format
    path: str | None

    @classmethod
    def of(cls, asked: Format | None, out: str | None) -> Destination:
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
        if Path(out).is_dir():
            raise FileError(f"{out} is a directory; name a file in it.")
        if not Path(os.path.realpath(out)).parent.is_dir():
            raise typer.BadParameter(f"there is no folder for {out!r}.", param_hint="--out")
        return cls(asked or ending or Format.table, out)

    def write(self, table: Measurements) -> None:
        """Write measurements, and say where they are if that is a file."""
        if self.path is None:
            sys.stdout.write(as_text(table, self.format))
            return
        if self.format is Format.parquet:
            table.save(self.path)
        else:
            write_text(self.path, as_text(table, self.format, to_file=True))
        typer.echo(
            f"Wrote {len(table):,} x {len(table.columns):,} values to {self.path}.", err=True
        )


def as_text(table: Measurements, asked: Format, *, to_file: bool = False) -> str:
    """Measurements as a text that ends its last line."""
    if asked is Format.csv:
        return as_csv([*table.row_keys, *table.columns], _rows(table))
    if asked is Format.json:
        return as_json(_records(table))
    if not to_file and sys.stdout.isatty():
        return f"{table}\n"
    wide = None if "COLUMNS" in os.environ and not to_file else _WIDE
    return f"{table.to_text(width=wide, lines=max(1, len(table), len(table.columns)))}\n"


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
        record = dict(zip(names, [*keys, *map(_number, values)], strict=False))
        undefined = {
            name: table.reason(row, column)
            for column, (name, value) in enumerate(zip(names[len(keys) :], values, strict=False))
            if math.isnan(value)
        }
        records.append(record | ({names[-1]: undefined} if undefined else {}))
    return records


def _number(value: float) -> float | str | None:
    """JSON knows neither NaN nor infinity."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else str(value)


def write_text(path: str, text: str) -> None:
    """Write a file beside the target first, so that there is the whole file or the old one."""
    target = Path(os.path.realpath(path))
    # A device or a pipe cannot be replaced, only written to.
    special = target.exists() and not target.is_file()
    name = f".{target.name[:100]}.{secrets.token_hex(4)}.partial"
    partial = target if special else target.with_name(name)
    try:
        with partial.open("w" if special else "x", encoding="utf-8", newline="") as file:
            file.write(text)
        if not special:
            partial.replace(target)
    except OSError as error:
        raise FileError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        if not special:
            with contextlib.suppress(OSError):
                partial.unlink(missing_ok=True)
