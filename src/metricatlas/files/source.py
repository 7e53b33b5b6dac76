"""A file becomes an Arrow table; what it is, its first bytes tell."""

from __future__ import annotations

import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from metricatlas.errors import FileError
from metricatlas.files.bytes import Bytes, Source, first_line
from metricatlas.files.text import TABS, from_text, of_encoding

if TYPE_CHECKING:
    from collections.abc import Callable

#: What a file is called that came through `-`.
STDIN = "standard input"
_TEXTS = (".csv", ".txt", *TABS)
_ENDINGS = {".parquet": "Parquet", ".pq": "Parquet", ".arrow": "Arrow", ".feather": "Arrow"}


def read_source(path: str) -> Source:
    """Read a file of any known kind, or say why it cannot be read."""
    import pyarrow as pa

    try:
        source = _from_stdin() if path == "-" else _opened(path)
        return _reader(source)(source)
    except FileError:
        raise
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror or first_line(error)}."
        raise FileError(msg) from error
    except UnicodeDecodeError as error:
        raise FileError(of_encoding(path)) from error
    except (pa.ArrowException, ValueError, NotImplementedError) as error:
        raise FileError(f"{path} cannot be read: {first_line(error)}.") from error


def _from_stdin() -> Bytes:
    import pyarrow as pa

    content = sys.stdin.buffer.read()
    if not content:
        raise FileError(f"{STDIN} is empty.")
    return Bytes(STDIN, pa.py_buffer(content), content[:16], len(content))


def _opened(name: str) -> Bytes:
    import pyarrow as pa

    try:
        mode = Path(name).stat().st_mode
    except FileNotFoundError as error:
        raise FileError(f"there is no file {name}{_neighbours(name)}.") from error
    if stat.S_ISDIR(mode):
        raise FileError(f"{name} is a directory; name one file in it.")
    with Path(name).open("rb") as file:
        # What a pipe gives, it gives once.
        head = file.read(16 if stat.S_ISREG(mode) else -1)
    size = Path(name).stat().st_size if stat.S_ISREG(mode) else len(head)
    if not size:
        raise FileError(f"{name} is empty.")
    return Bytes(name, name if stat.S_ISREG(mode) else pa.py_buffer(head), head[:16], size)


def _neighbours(name: str) -> str:
    import difflib

    folder = Path(name).parent
    if not folder.is_dir():
        return f"; there is no folder {folder} either"
    there = [entry.name for entry in folder.iterdir() if entry.is_file()]
    near = difflib.get_close_matches(Path(name).name, there, n=2)
    return f"; near it are {' and '.join(near)}" if near else ""


def _reader(source: Bytes) -> Callable[[Bytes], Source]:
    if source.head.startswith(b"PAR1"):
        return _from_parquet
    if source.head.startswith(b"ARROW1"):
        return _from_arrow_file
    if source.suffix in _ENDINGS:
        kind = _ENDINGS[source.suffix]
        if kind == "Arrow" and source.head.startswith(b"\xff\xff\xff\xff"):
            return _from_arrow_stream
        old = " It is Feather version 1; write it anew." if source.head.startswith(b"FEA1") else ""
        msg = f"{source.name} is not a file of {kind}, or a broken one: it begins otherwise.{old}"
        raise FileError(msg)
    if (
        source.suffix in _TEXTS
        or source.name == STDIN
        or not isinstance(source.place, str)
        or not source.suffix
    ):
        return from_text
    msg = (
        f"{source.name} must end in .csv, .tsv, .csv.gz, .parquet, .arrow or .feather; "
        f"{source.suffix} is none of them. Rename it if it is one, or convert it."
    )
    raise FileError(msg)


def _from_parquet(source: Bytes) -> Source:
    import pyarrow.parquet as pq

    try:
        # A dataset, which `read_table` reads, takes columns from the names of folders.
        with pq.ParquetFile(source.place) as file:
            return Source(source.name, file.read())
    except (OSError, ValueError) as error:
        msg = f"{source.name} is a broken file of Parquet: {first_line(error)}."
        raise FileError(msg) from error


def _from_arrow_file(source: Bytes) -> Source:
    return _from_arrow(source, stream=False)


def _from_arrow_stream(source: Bytes) -> Source:
    return _from_arrow(source, stream=True)


def _from_arrow(source: Bytes, *, stream: bool) -> Source:
    import pyarrow as pa
    from pyarrow import ipc

    place = source.place
    opened = pa.memory_map(place) if isinstance(place, str) else pa.BufferReader(place)
    try:
        reader = ipc.open_stream(opened) if stream else ipc.open_file(opened)
        return Source(source.name, reader.read_all())
    except (OSError, ValueError) as error:
        msg = f"{source.name} is a broken file of Arrow: {first_line(error)}."
        raise FileError(msg) from error
