"""Files of text: CSV and TSV, in UTF-8, their types guessed without merging what differs."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from metricatlas.errors import FileError
from metricatlas.files.bytes import Bytes, Source, first_line

if TYPE_CHECKING:
    from collections.abc import Sequence

TABS = (".tsv", ".tab")
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons"}
#: Lines are cut into blocks of this many bytes at most, within which types are guessed.
_LARGEST_BLOCK = 2**31 - 1
#: What begins with zeros is a name, such as "007", and no number.
_PADDED = re.compile(r"\s*[+-]?0\d.*")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def from_text(source: Bytes) -> Source:
    """Read a file of text."""
    import pyarrow as pa

    header = _header(source)
    separator = "\t" if source.suffix in TABS else _separator(header)
    careful = False
    try:
        table = _parsed(source, separator, careful=careful)
    except pa.ArrowInvalid:
        # Types are guessed from the first block, which later ones may contradict: one block then.
        careful = True
        try:
            table = _parsed(source, separator, careful=careful)
        except pa.ArrowInvalid as error:
            raise FileError(_of_bad_text(source, separator, header, error)) from error
    _check(source.name, table, header)
    table = _with_padded(table, source, separator, careful=careful)
    table = table.rename_columns([name.strip() for name in table.column_names])
    usual = "\t" if source.suffix in TABS else ","
    notes = () if separator == usual else (f"It is separated by {_SEPARATORS[separator]}.",)
    return Source(source.name, table, notes, text=True)


def _header(source: Bytes) -> str:
    with source.stream() as stream:
        start = stream.read(1 << 16)
    line: bytes = start.lstrip(b"\r\n").partition(b"\n")[0]
    if start.startswith(_UTF_16):
        raise FileError(f"{source.name} must be text in UTF-8; it is in UTF-16. Save it as UTF-8.")
    if b"\0" in line:
        msg = (
            f"{source.name} is no file of text: its first line holds zero bytes. If it is text in "
            f"UTF-16, save it as UTF-8."
        )
        raise FileError(msg)
    header = line.decode("utf-8", "replace").strip("\ufeff\r")
    if header.casefold().startswith("sep="):
        msg = f"{source.name} must begin with the names of its columns; got {header!r}. Remove it."
        raise FileError(msg)
    return header


def _separator(header: str) -> str:
    """The separator that the header has most of; the comma, if it is among those."""
    return max(_SEPARATORS, key=header.count)


def _parsed(
    source: Bytes, separator: str, *, careful: bool, as_text: Sequence[str] | None = None
) -> Any:
    """All columns with their types guessed, or only some, as text."""
    import pyarrow as pa
    import pyarrow.csv as pc

    # The size of what is compressed is not known before.
    block = min(_LARGEST_BLOCK, max(1 << 20, source.size * 64)) if careful else 1 << 20
    kind = pa.dictionary(pa.int32(), pa.string())
    with source.stream() as stream:
        return pc.read_csv(
            stream,
            read_options=pc.ReadOptions(use_threads=not careful, block_size=block),
            parse_options=pc.ParseOptions(delimiter=separator, newlines_in_values=careful),
            # A missing class name is missing, but a class may be called "NA", in quotes.
            convert_options=pc.ConvertOptions(
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                include_columns=as_text,
                column_types=None if as_text is None else dict.fromkeys(as_text, kind),
            ),
        )


def _check(name: str, table: Any, header: str) -> None:
    """Refuse other encodings and other separators."""
    import pyarrow as pa

    if any(pa.types.is_binary(kind) for kind in table.schema.types):
        raise FileError(of_encoding(name))
    if table.num_columns == 1 and any(mark in header.strip() for mark in ",;|\t "):
        msg = (
            f"{name} must be separated by commas, semicolons or tabs (tabs alone in .tsv); its "
            f"first line is {header[:60]!r}. Write it so."
        )
        raise FileError(msg)


def of_encoding(name: str) -> str:
    """The error for text that is not in UTF-8."""
    return (
        f"{name} must be text in UTF-8; it is in another encoding, perhaps Latin-1. Save it as "
        f"UTF-8."
    )


def _with_padded(table: Any, source: Bytes, separator: str, *, careful: bool) -> Any:
    """Columns of whole numbers stay text where some are padded with zeros: 01 is not 1."""
    count = Counter(table.column_names)
    whole = [n for n in count if count[n] == 1 and _is_whole(table.column(n))]
    if not whole:
        return table
    texts = _parsed(source, separator, careful=careful, as_text=whole)
    for name in whole:
        column = texts.column(name)
        known = {text for chunk in column.chunks for text in chunk.dictionary.to_pylist()}
        if any(_PADDED.fullmatch(text) for text in known):
            table = table.set_column(table.column_names.index(name), name, column)
    return table


def _is_whole(column: Any) -> bool:
    """Whether a column was read as whole numbers, if only by their values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(column.type):
        return bool(pa.types.is_integer(column.type))
    # Most columns of scores tell it in their first rows.
    return all(
        pc.all(pc.equal(part, pc.floor(part)), min_count=0).as_py()
        for part in (column.slice(0, 1000), column)
    )


def _of_bad_text(source: Bytes, separator: str, header: str, error: Exception) -> str:
    text = first_line(error)
    if "Empty CSV" in text:
        if header.strip():
            return f"{source.name} must have at least one row below its names; it has none."
        return f"{source.name} is empty: it has no line with the names of the columns."
    if "Expected" in text and "columns" in text:
        what = _ragged(source, separator) or text.removeprefix("CSV parse error: ")
        return f"{source.name} must have as many values in every row as in its first line; {what}."
    return f"{source.name} cannot be read: {text}."


def _ragged(source: Bytes, separator: str) -> str:
    """The first row that is too short or too long, by its line in the file."""
    with source.stream() as stream:
        lines = io.TextIOWrapper(stream, encoding="utf-8", errors="replace", newline="")
        rows = csv.reader(lines, delimiter=separator)
        names = next((row for row in rows if row), [])
        for row in rows:
            if row and len(row) != len(names):
                return f"line {rows.line_num} has {len(row)} where {len(names)} are expected"
    return ""
