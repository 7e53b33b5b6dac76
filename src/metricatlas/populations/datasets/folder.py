"""A folder of data sets: its files, what its MANIFEST.csv says of them, its DERIVED.csv."""

from __future__ import annotations

import csv
import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from metricatlas.errors import PopulationError
from metricatlas.populations.datasets.tables import ending_of, read_table
from metricatlas.populations.datasets.tasks import Task, taken_apart

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

MANIFEST = "MANIFEST.csv"
DERIVED = "DERIVED.csv"
#: So much of a hash must be recorded at least for it to prove anything.
HASH_LETTERS = 8


@dataclass(frozen=True)
class Entry:
    """What is known of a file before it is read."""

    name: str
    file: str
    #: The beginning of the SHA-256 of the file; nothing where none is recorded.
    sha256: str = ""
    #: Nothing for the last column.
    class_attribute: str = ""
    source: str = ""


class Folder:
    """A folder that data sets are read from."""

    def __init__(self, path: Path, why: str = "data") -> None:
        if not path.is_dir():
            raise PopulationError(f"{why} must be a folder of data sets; there is none at {path}.")
        self.path = path

    @cached_property
    def entries(self) -> dict[str, Entry]:
        """The files by the names of their data sets: those listed, then the others."""
        found = {entry.name: entry for entry in self.listed}
        files = {entry.file for entry in self.listed} | {MANIFEST, DERIVED}
        for file in sorted(path.name for path in self.path.iterdir()):
            ending = ending_of(file)
            if file in files or ending is None or file.startswith("."):
                continue
            name = file[: -len(ending)]
            if name in found:
                msg = (
                    f"{self.path} must have one file for each data set; {name!r} is in "
                    f"{found[name].file} and in {file}. Move one away, or list it in {MANIFEST} "
                    f"under another name."
                )
                raise PopulationError(msg)
            found[name] = Entry(name, file)
        return found

    @cached_property
    def listed(self) -> list[Entry]:
        """What the manifest says."""
        rows = _rows(self.path / MANIFEST, ("name", "file"))
        return [
            Entry(
                name=row["name"],
                file=row["file"],
                sha256=row.get("sha256", "").lower(),
                class_attribute=row.get("class_attribute", ""),
                source=row.get("source", ""),
            )
            for row in rows
        ]

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The derived tasks that the folder lists itself."""
        rows = _rows(self.path / DERIVED, ("derived", "base", "positive_class_values"))
        return {
            row["derived"]: Task(
                row["derived"], row["base"], positive=taken_apart(row["positive_class_values"])
            )
            for row in rows
        }

    def read(self, name: str) -> tuple[pd.DataFrame, pd.Series[Any], str]:
        """Read attributes and classes from a file that is the recorded one, and say which."""
        entry = self.entries[name]
        path = self.path / entry.file
        checked = self._check_hash(entry, path)
        features, target = read_table(path, entry.class_attribute)
        source = f"{path} ({checked})" + (f", from {entry.source}" if entry.source else "")
        return features, target, source

    def _check_hash(self, entry: Entry, path: Path) -> str:
        if not path.is_file():
            msg = (
                f"{self.path / MANIFEST} lists {entry.file}, which is not there. Bring it back, or "
                f"take its line out."
            )
            raise PopulationError(msg)
        if not entry.sha256:
            return "no hash recorded"
        if len(entry.sha256) < HASH_LETTERS or set(entry.sha256) - set("0123456789abcdef"):
            msg = (
                f"a sha256 in {self.path / MANIFEST} must be {HASH_LETTERS} to 64 hexadecimal "
                f"digits; that of {entry.name} is {entry.sha256!r}."
            )
            raise PopulationError(msg)
        found = sha256_of(path)
        if not found.startswith(entry.sha256):
            msg = (
                f"{path} must be the file whose SHA-256 begins with {entry.sha256}, as {MANIFEST} "
                f"says; its own begins with {found[: len(entry.sha256)]}. It is damaged or another "
                f"version: get it anew, or correct {MANIFEST} if you changed it on purpose."
            )
            raise PopulationError(msg)
        return "hash checked"


def sha256_of(path: Path) -> str:
    """Hash the content of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _rows(path: Path, needed: tuple[str, ...]) -> list[dict[str, str]]:
    if not path.is_file():
        return []
    try:
        with path.open(encoding="utf-8-sig", newline="") as text:
            reader = csv.DictReader(text)
            rows = [{k: (v or "").strip() for k, v in row.items() if k} for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise PopulationError(f"{path} cannot be read: {error}.") from error
    absent = [column for column in needed if column not in (reader.fieldnames or [])]
    if absent:
        msg = f"{path} must have the columns {', '.join(needed)}; {absent[0]!r} is not there."
        raise PopulationError(msg)
    return rows
