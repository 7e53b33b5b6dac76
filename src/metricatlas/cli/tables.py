"""Tables of measurements as files: what metricatlas saved, or frames that others wrote."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricatlas.errors import FileError, MetricAtlasError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.measurements import Measurements

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def read_measurements(name: str, keys: Sequence[str]) -> Measurements:
    """Read a saved table; or a CSV, TSV or Parquet file, of which keys name the rows."""
    from metricatlas.measurements import Measurements

    path = Path(name)
    ending = next((e for e in path.suffixes[::-1] if e != ".gz"), "").lower()
    if ending in _SEPARATORS:
        frame = _read_text(path, _SEPARATORS[ending])
    elif keys:
        frame = _read_parquet(path)
    else:
        return _loaded(name)
    try:
        return Measurements.from_frame(frame, keys=list(keys))
    except MetricAtlasError as error:
        raise FileError(f"{name}: {error}".replace("keys=", "--keys")) from error


def _loaded(name: str) -> Measurements:
    from metricatlas.measurements import Measurements

    try:
        return Measurements.load(name)
    except FileError as error:
        # What to do stands in the words of Python.
        known = "was not saved by metricatlas" in str(error)
        if not known:
            raise
        msg = (
            f"{name} is a Parquet file that metricatlas did not save; name the columns that name "
            f"its rows with --keys, as in --keys dataset,model."
        )
        raise FileError(msg) from error


def _read_text(path: Path, separator: str) -> Any:
    import pandas as pd

    _check(path)
    try:
        return pd.read_csv(path, sep=separator)
    except (ValueError, UnicodeError, EOFError, OSError) as error:
        raise FileError(f"{path} cannot be read as a table: {_first_line(error)}.") from error


def _read_parquet(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    _check(path)
    try:
        with path.open("rb") as file:
            return pq.read_table(file)
    except (pa.ArrowException, ValueError, OSError) as error:
        msg = f"{path} is not a Parquet file, or a broken one: {_first_line(error)}."
        raise FileError(msg) from error


def _check(path: Path) -> None:
    if path.is_dir():
        raise FileError(f"{os.fspath(path)} is a directory; name a file in it.")
    if not path.exists():
        raise FileError(f"there is no file {os.fspath(path)}.")


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
