"""ARFF files as they are: nominal attributes with all they declare, missing values missing."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.measurements.columns import nearest
from metricatlas.populations.datasets.arff_header import Attribute, read_header
from metricatlas.populations.datasets.arff_plain import read_plain
from metricatlas.populations.datasets.arff_values import (
    Place,
    Value,
    pairs_of,
    short,
    values_of,
)
from metricatlas.populations.datasets.content import content_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pandas as pd

    from metricatlas.errors import PopulationError

Array = np.ndarray[Any, Any]

#: So many rows are held as text at once.
ROWS = 4096
MISSING = "?"
#: What a question mark in quotes becomes, which is a value like any other.
QUOTED_MARK = "\0?"


def read_arff(path: Path) -> pd.DataFrame:
    """Read a file, a column for each attribute: numbers, or categories as they are declared."""
    import pandas as pd

    content = io.BytesIO(content_of(path))
    lines = _lines(content, path.name)
    attributes = read_header(lines, path.name)
    columns = read_plain(content.getvalue()[content.tell() :], attributes)
    if columns is None:
        columns = _read_rows(lines, attributes, path.name)
    found = zip(attributes, columns, strict=True)
    return pd.DataFrame({a.name: _categories(a, values) for a, values in found}, copy=False)


def _lines(content: io.BytesIO, file: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(content, start=1):
        try:
            yield number, line.decode().strip()
        except UnicodeDecodeError as error:
            raise Place(file, number).wrong("the text must be UTF-8. Convert it first.") from error


def _read_rows(
    lines: Iterator[tuple[int, str]], attributes: Sequence[Attribute], file: str
) -> list[Array]:
    columns = [_Column(attribute) for attribute in attributes]
    while chunk := list(islice(lines, ROWS)):
        _take(chunk, columns, file)
    return [column.values() for column in columns]


def _categories(attribute: Attribute, values: Array) -> Any:
    import pandas as pd

    if attribute.kind in ("numeric", "date"):
        return values
    if attribute.kind == "string":
        return pd.Categorical(values)
    return pd.Categorical.from_codes(values, categories=pd.Index(attribute.values, dtype=object))


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
        self.parts: list[Array] = []
        marked = [QUOTED_MARK if value == MISSING else value for value in attribute.values]
        self.codes = {MISSING: -1} | {value: code for code, value in enumerate(marked)}

    def take(self, values: Sequence[str], numbers: Sequence[int], file: str) -> None:
        """Take the values of some rows, whose numbers of lines are for errors."""
        try:
            self.parts.append(self._read(values))
        except (KeyError, ValueError) as error:
            if len(values) == 1:
                raise self._wrong(values[0], Place(file, numbers[0])) from error
            # Alone, the one that is wrong will be found.
            for value, number in zip(values, numbers, strict=True):
                self.take([value], [number], file)

    def _read(self, values: Sequence[str]) -> Array:
        attribute = self.attribute
        if attribute.kind == "numeric":
            return _numbers(values)
        if attribute.kind == "date":
            return _seconds(values, attribute.pattern)
        if attribute.kind == "string":
            texts = [None if v == MISSING else v.replace(QUOTED_MARK, MISSING) for v in values]
            return np.array(texts, dtype=object)
        return np.fromiter(map(self.codes.__getitem__, values), np.int32, len(values))

    def _wrong(self, value: str, place: Place) -> PopulationError:
        attribute, got = self.attribute, value.replace(QUOTED_MARK, MISSING)
        if attribute.kind == "numeric":
            return place.wrong(f"{attribute.name!r} is declared numeric; got {short(got)}.")
        if attribute.kind == "date":
            what = f"{attribute.name!r} must be dates written as {attribute.pattern}"
            return place.wrong(f"{what}; got {short(got)}.")
        what = f"{attribute.name!r} does not declare the value {short(got)}"
        return place.wrong(f"{what}{nearest(got, attribute.values)}")

    def values(self) -> Array:
        """Give the whole column: numbers, texts, or the codes of declared values."""
        if not self.parts:
            return self._read([])
        return np.concatenate(self.parts)


def _numbers(values: Sequence[str]) -> Array:
    # Python reads 1_000 as a number, which no file means.
    if "_" in "".join(values):
        raise ValueError
    return np.array([np.nan if v == MISSING else float(v) for v in values], np.float64)


def _seconds(values: Sequence[str], pattern: str) -> Array:
    """Give dates as seconds since 1970 began."""
    found = [
        np.nan if v == MISSING else datetime.strptime(v, pattern).replace(tzinfo=UTC).timestamp()
        for v in values
    ]
    return np.array(found, np.float64)
