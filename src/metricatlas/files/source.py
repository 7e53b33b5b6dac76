"""A file becomes an Arrow table; what it is, its first bytes tell."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metricatlas.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Callable

_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_PACKED = (".gz", ".bz2", ".zst")
_TABS = (".tsv", ".tab")
_TEXTS = (".csv", ".txt", *_TABS)
_ENDINGS = {".parquet": "Parquet", ".pq": "Parquet", ".arrow": "Arrow", ".feather": "Arrow"}
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons"}
#: Lines are cut into blocks of this many bytes at most, within which types are guessed.
_LARGEST_BLOCK = 2**31 - 1


@dataclass(frozen=True)
class Source:
    """What a file holds: columns in their order, whose names may repeat."""

    name: str
    table: Any
    #: What there is to say about how it was read.
    notes: tuple[str, ...] = ()
    #: Whether its numbers were written as text, which does not tell their precision.
    text: bool = False


@dataclass(frozen=True)
class _Bytes:
    """Where the bytes are: a path that can be opened again and again, or all that a pipe gave."""

    name: str
    #: A path as text, or a buffer of Arrow.
    place: Any
    head: bytes
    size: int

    @property
    def suffix(self) -> str:
        """The ending of the name, that of a compression aside."""
        path = Path(self.name.lower())
        return path.with_suffix("").suffix if path.suffix in _PACKED else path.suffix


def read_source(path: str) -> Source:
    """Read a file of any known kind, or say why it cannot be read."""
    import pyarrow as pa

    try:
        source = _opened(path)
        return _reader(source)(source)
    except FileError:
        raise
    except OSError as error:
        raise FileError(
            f"{path} cannot be read: {error.strerror or _first_line(error)}."
        ) from error
    except (pa.ArrowException, ValueError, NotImplementedError) as error:
        raise FileError(f"{path} cannot be read: {_first_line(error)}.") from error


def _opened(name: str) -> _Bytes:
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
    return _Bytes(name, name if stat.S_ISREG(mode) else pa.py_buffer(head), head[:16], size)


def _neighbours(name: str) -> str:
    import difflib

    folder = Path(name).parent
    if not folder.is_dir():
        return f"; there is no folder {folder} either"
    there = [entry.name for entry in folder.iterdir() if entry.is_file()]
    near = difflib.get_close_matches(Path(name).name, there, n=2)
    return f"; near it are {' and '.join(near)}" if near else ""


def _reader(source: _Bytes) -> Callable[[_Bytes], Source]:
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
    if source.suffix in _TEXTS or not isinstance(source.place, str) or not source.suffix:
        return _from_text
    msg = (
        f"{source.name} must end in .csv, .tsv, .csv.gz, .parquet, .arrow or .feather; "
        f"{source.suffix} is none of them. Rename it if it is one, or convert it."
    )
    raise FileError(msg)


def _from_parquet(source: _Bytes) -> Source:
    import pyarrow.parquet as pq

    try:
        # A dataset, which `read_table` reads, takes columns from the names of folders.
        with pq.ParquetFile(source.place) as file:
            return Source(source.name, file.read())
    except (OSError, ValueError) as error:
        msg = f"{source.name} is a broken file of Parquet: {_first_line(error)}."
        raise FileError(msg) from error


def _from_arrow_file(source: _Bytes) -> Source:
    return _from_arrow(source, stream=False)


def _from_arrow_stream(source: _Bytes) -> Source:
    return _from_arrow(source, stream=True)


def _from_arrow(source: _Bytes, *, stream: bool) -> Source:
    import pyarrow as pa
    from pyarrow import ipc

    place = source.place
    opened = pa.memory_map(place) if isinstance(place, str) else pa.BufferReader(place)
    try:
        reader = ipc.open_stream(opened) if stream else ipc.open_file(opened)
        return Source(source.name, reader.read_all())
    except (OSError, ValueError) as error:
        msg = f"{source.name} is a broken file of Arrow: {_first_line(error)}."
        raise FileError(msg) from error


def _from_text(source: _Bytes) -> Source:
    import pyarrow as pa

    header = _header(source)
    separator = "\t" if source.suffix in _TABS else _separator(header)
    try:
        table = _parsed(source, separator, careful=False)
    except pa.ArrowInvalid:
        # Types are guessed from the first block, which later ones may contradict: one block then,
        # and one thread, which knows the number of a bad row.
        try:
            table = _parsed(source, separator, careful=True)
        except pa.ArrowInvalid as error:
            raise FileError(_of_bad_text(source.name, error)) from error
    table = table.rename_columns([name.strip() for name in table.column_names])
    usual = "\t" if source.suffix in _TABS else ","
    notes = () if separator == usual else (f"It is separated by {_SEPARATORS[separator]}.",)
    return Source(source.name, table, notes, text=True)


def _stream(source: _Bytes) -> Any:
    import pyarrow as pa

    packed = next((c for magic, c in _COMPRESSIONS.items() if source.head.startswith(magic)), None)
    return pa.input_stream(source.place, compression=packed)


def _header(source: _Bytes) -> str:
    with _stream(source) as stream:
        start = stream.read(1 << 16)
    line: bytes = start.lstrip(b"\r\n").partition(b"\n")[0]
    if b"\0" in line:
        msg = f"{source.name} is no file of text: its first line holds zero bytes."
        raise FileError(msg)
    return line.decode("utf-8", "replace")


def _separator(header: str) -> str:
    """The separator that the header has most of; the comma, if it is among those."""
    return max(_SEPARATORS, key=header.count)


def _parsed(source: _Bytes, separator: str, *, careful: bool) -> Any:
    import pyarrow.csv as pc

    # The size of what is compressed is not known before.
    block = min(_LARGEST_BLOCK, max(1 << 20, source.size * 64)) if careful else 1 << 20
    with _stream(source) as stream:
        return pc.read_csv(
            stream,
            read_options=pc.ReadOptions(use_threads=not careful, block_size=block),
            parse_options=pc.ParseOptions(delimiter=separator, newlines_in_values=careful),
            # A missing class name is missing, but a class may be called "NA", in quotes.
            convert_options=pc.ConvertOptions(
                strings_can_be_null=True, quoted_strings_can_be_null=False
            ),
        )


def _of_bad_text(name: str, error: Exception) -> str:
    text = _first_line(error)
    if "Empty CSV" in text:
        return f"{name} is empty: it has no line with the names of the columns."
    if "Expected" in text and "columns" in text:
        what = text.removeprefix("CSV parse error: ")
        return f"{name} must have as many values in every row as in its first line; {what}."
    return f"{name} cannot be read: {text}."


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
