"""ARFF files, read as they are: nominal attributes with what they declare, missing values missing."""

from __future__ import annotations

import gzip
import zlib
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.datasets.arff_header import Attribute, read_header
from metricatlas.populations.datasets.arff_values import (
    Place,
    Value,
    pairs_of,
    short,
    values_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

#: So many lines are held as text at once.
LINES = 4096
MISSING = "?"
#: What a question mark in quotes becomes, which is a value like any other.
QUOTED_MARK = "\0?"


def read_arff(path: Path) -> pd.DataFrame:
    """Read a file, a column for each attribute: numbers, or categories as they are declared."""
    import pandas as pd

    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8-sig") as text:
            lines = ((i, line.strip()) for i, line in enumerate(text, start=1))
            attributes = read_header(lines, path.name)
            columns = [_Column(attribute) for attribute in attributes]
            while chunk := list(islice(lines, LINES)):
                _take(chunk, columns, path.name)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise PopulationError(f"{path} must be a whole gzip file; {error}.") from error
    except UnicodeDecodeError as error:
        msg = f"{path} must be text in UTF-8; byte {error.start} is not. Convert it first."
        raise PopulationError(msg) from error
    return pd.DataFrame({c.attribute.name: c.series() for c in columns}, copy=False)


def _take(chunk: list[tuple[int, str]], columns: list[_Column], file: str) -> None:
    attributes = [column.attribute for column in columns]
    numbers: list[int] = []
    rows: list[list[str]] = []
    for number, line in chunk:
        if not line or line.startswith("%"):
            continue
        row = _row(line, attributes, Place(file, number))
        if len(row) != len(columns):
            what = f"a row must have {len(columns)} values, one for each attribute; got {len(row)}."
            raise Place(file, number).wrong(what)
        numbers.append(number)
        rows.append(row)
    for column, values in zip(columns, zip(*rows, strict=True), strict=False):
        column.take(values, numbers, file)


def _row(line: str, attributes: Sequence[Attribute], place: Place) -> list[str]:
    if line.startswith("{"):
        return _sparse_row(line, attributes, place)
    if "'" in line or '"' in line:
        return [_told_apart(value) for value in values_of(line, place)]
    row = line.split(",")
    return [value.strip() for value in row] if " " in line or "\t" in line else row


def _told_apart(value: Value) -> str:
    return QUOTED_MARK if value.quoted and value.text == MISSING else value.text


def _sparse_row(line: str, attributes: Sequence[Attribute], place: Place) -> list[str]:
    """Fill a row in braces: what it leaves out is 0, or the first value that is declared."""
    if not line.endswith("}"):
        raise place.wrong(f"a row in braces must close them on its line; got {short(line)}.")
    given = pairs_of(line[1:-1], place)
    beyond = [index for index in given if index >= len(attributes)]
    if beyond:
        what = f"indices must be below {len(attributes)}, the number of attributes; got {beyond[0]}"
        raise place.wrong(f"{what}.")
    row = []
    for i, attribute in enumerate(attributes):
        if i not in given and attribute.kind in ("string", "date"):
            raise place.wrong(f"a row in braces must give the {attribute.kind} {attribute.name!r}.")
        first = attribute.values[0] if attribute.kind == "nominal" else "0"
        row.append(_told_apart(given.get(i, Value(first, quoted=True))))
    return row


class _Column:
    """What is read of one attribute so far."""

    def __init__(self, attribute: Attribute) -> None:
        self.attribute = attribute
        self.parts: list[np.ndarray[Any, Any]] = []
        marked = [QUOTED_MARK if v == MISSING else v for v in attribute.values]
        self.codes = {MISSING: -1} | {value: code for code, value in enumerate(marked)}

    def take(self, values: Sequence[str], numbers: Sequence[int], file: str) -> None:
        """Take the values of some rows, whose numbers of lines are for errors."""
        kind = self.attribute.kind
        try:
            if kind == "numeric":
                self.parts.append(_numbers(values))
            elif kind == "date":
                self.parts.append(_seconds(values, self.attribute.pattern))
            else:
                self._take_codes(values)
        except (KeyError, ValueError) as error:
            if len(values) == 1:
                raise self._wrong(values[0], Place(file, numbers[0])) from error
            # Row by row, the one that is wrong is found.
            for value, number in zip(values, numbers, strict=True):
                self.take([value], [number], file)
            raise

    def _take_codes(self, values: Sequence[str]) -> None:
        codes = self.codes
        if self.attribute.kind == "string":
            for value in values:
                codes.setdefault(value, len(codes) - 1)
        self.parts.append(np.fromiter(map(codes.__getitem__, values), np.int32, len(values)))

    def _wrong(self, value: str, place: Place) -> PopulationError:
        attribute, got = self.attribute, short(value.replace(QUOTED_MARK, MISSING))
        if attribute.kind == "numeric":
            return place.wrong(f"{attribute.name!r} is declared numeric; got {got}.")
        if attribute.kind == "date":
            what = f"{attribute.name!r} must be dates written as {attribute.pattern}; got {got}."
            return place.wrong(what)
        return place.wrong(
            f"{attribute.name!r} declares no value {got}{nearest(value, attribute.values)}"
        )

    def series(self) -> Any:
        """Give the whole column."""
        import pandas as pd

        empty = np.empty(0, np.float64 if self.attribute.kind in ("numeric", "date") else np.int32)
        values = np.concatenate([empty, *self.parts])
        if values.dtype == np.float64:
            return values
        names = [v.replace(QUOTED_MARK, MISSING) for v, code in self.codes.items() if code >= 0]
        return pd.Categorical.from_codes(values, categories=pd.Index(names, dtype=object))


def _numbers(values: Sequence[str]) -> np.ndarray[Any, Any]:
    try:
        found = list(map(float, values))
    except ValueError:
        found = [np.nan if value == MISSING else float(value) for value in values]
    # Python reads 1_000 as a number, which no file means.
    if "_" in "".join(values):
        raise ValueError
    return np.array(found, np.float64)


def _seconds(values: Sequence[str], pattern: str) -> np.ndarray[Any, Any]:
    """Give dates as seconds since 1970 began."""
    found = [
        np.nan if v == MISSING else datetime.strptime(v, pattern).replace(tzinfo=UTC).timestamp()
        for v in values
    ]
    return np.array(found, np.float64)
