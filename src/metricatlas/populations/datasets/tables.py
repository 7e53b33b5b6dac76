"""Files of data as frames: ARFF, CSV and Parquet, told by how their names end."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.datasets.arff import read_arff
from metricatlas.populations.datasets.content import content_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

#: The endings that are read, longest first.
ENDINGS = (".arff.gz", ".csv.gz", ".arff", ".csv", ".parquet", ".pq")
_MISSING = ("", "?")


def ending_of(file: str) -> str | None:
    """How a name ends, if that is a kind of file that is read."""
    return next((ending for ending in ENDINGS if file.lower().endswith(ending)), None)


def read_table(path: Path, class_attribute: str) -> tuple[pd.DataFrame, Any]:
    """Read a file, and give its attributes and the column of the class.

    The class is the column that is named, else the last.
    """
    ending = ending_of(path.name)
    if ending is None:
        raise PopulationError(f"{path} must end in {', '.join(ENDINGS)}; it does not.")
    if ending.startswith(".arff"):
        frame = read_arff(path)
    elif ending.startswith(".csv"):
        frame = _read_csv(path, class_attribute)
    else:
        frame = _read_parquet(path)
    name = class_attribute or str(frame.columns[-1])
    if name not in frame.columns:
        msg = f"{path} must have the column {name!r}, which is its class"
        raise PopulationError(f"{msg}{nearest(name, list(frame.columns))}")
    target = frame.pop(name)
    if ending.startswith(".arff") and target.dtype.kind == "f":
        msg = f"the class of {path}, {name!r}, must be nominal; it is declared numeric."
        raise PopulationError(msg)
    return frame, target


def _read_csv(path: Path, class_attribute: str) -> pd.DataFrame:
    import pandas as pd

    try:
        # Lines end as they end in the file: within quotes they belong to the value.
        reader = csv.reader(io.StringIO(content_of(path).decode(), newline=""), strict=True)
        names = [name.strip() for name in next(reader, [])]
        rows = [_checked(row, names, path, reader.line_num) for row in reader if row]
    except UnicodeDecodeError as error:
        msg = f"{path} must be text in UTF-8; byte {error.start} is not. Convert it first."
        raise PopulationError(msg) from error
    except csv.Error as error:
        raise PopulationError(f"{path}, line {reader.line_num}: {error}.") from error
    if len(set(names)) < max(2, len(names)) or not all(names):
        msg = (
            f"the first line of {path} must name two columns or more, each differently, with "
            f"commas between them."
        )
        raise PopulationError(msg)
    target = class_attribute or names[-1]
    columns = zip(names, zip(*rows, strict=True) if rows else [()] * len(names), strict=True)
    return pd.DataFrame({n: _text(v) if n == target else _guessed(v) for n, v in columns})


def _checked(row: list[str], names: Sequence[str], path: Path, line: int) -> list[str]:
    if len(row) != len(names):
        msg = (
            f"{path}, line {line}: a row must have {len(names)} values, as many as the first line "
            f"has; got {len(row)}."
        )
        raise PopulationError(msg)
    return [value.strip() for value in row]


def _guessed(values: Sequence[str]) -> Any:
    """Give numbers where all are numbers, else text."""
    try:
        if "_" in "".join(values):
            return _text(values)
        return np.array([np.nan if v in _MISSING else float(v) for v in values])
    except ValueError:
        return _text(values)


def _text(values: Sequence[str]) -> Any:
    return np.array([None if v in _MISSING else v for v in values], dtype=object)


def _read_parquet(path: Path) -> pd.DataFrame:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # A dataset, which `read_table` reads, takes columns from the names of folders.
        with pq.ParquetFile(path) as file:
            table = file.read()
    except (pa.ArrowException, OSError, ValueError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
        raise PopulationError(f"{path} cannot be read as Parquet: {first}.") from error
    names = table.column_names
    if len(set(names)) < max(2, len(names)):
        msg = f"{path} must have two columns or more, each of another name; it has {names}."
        raise PopulationError(msg)
    frame: pd.DataFrame = table.to_pandas(ignore_metadata=True)
    return frame
