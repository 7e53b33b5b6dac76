"""Data sets written into a folder, from which they are read like any others."""

from __future__ import annotations

import csv
import gzip
import io
import math
import os
import secrets
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from metricatlas.errors import PopulationError
from metricatlas.populations.datasets.arff_values import quoted
from metricatlas.populations.datasets.folder import MANIFEST, Entry, Folder, sha256_of

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd


def keep(frame: pd.DataFrame, entry: Entry, folder: Path) -> None:
    """Write a data set into a folder, and into its manifest with the hash of the file."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        listed = Folder(folder).listed
        content = as_arff(frame, entry.name).encode()
        _replace(folder / entry.file, gzip.compress(content, mtime=0))
        row = asdict(replace(entry, sha256=sha256_of(folder / entry.file)))
        others = [asdict(there) for there in listed if there.name != entry.name]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(row), lineterminator="\n")
        writer.writeheader()
        writer.writerows([*others, row])
        _replace(folder / MANIFEST, text.getvalue().encode())
    except OSError as error:
        msg = f"{entry.name} cannot be kept in {folder}: {error.strerror or error}."
        raise PopulationError(msg) from error


def as_arff(frame: pd.DataFrame, name: str) -> str:
    """Write a frame of numbers and categories as ARFF, of which nothing is lost."""
    head = [f"@relation {quoted(name)}", ""]
    columns: list[list[str]] = []
    for column, values in frame.items():
        kind, texts = _written(values)
        head.append(f"@attribute {quoted(str(column))} {kind}")
        columns.append(texts)
    rows = [",".join(row) for row in zip(*columns, strict=True)]
    return "\n".join([*head, "", "@data", *rows, ""])


def _written(values: pd.Series[Any]) -> tuple[str, list[str]]:
    if values.dtype.kind == "f":
        # The shortest text that is read as the same number.
        return "numeric", ["?" if math.isnan(x) else repr(x) for x in values.tolist()]
    names = [quoted(str(category)) for category in values.cat.categories]
    # A value that is missing has the code -1, which is the last.
    return f"{{{','.join(names)}}}", [[*names, "?"][code] for code in values.cat.codes]


def _replace(path: Path, content: bytes) -> None:
    """Write beside the file first, so that there is the whole file or the old one."""
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    try:
        with partial.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
