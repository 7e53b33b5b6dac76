"""What a file gives: its bytes, and the table that they hold."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PACKED = (".gz", ".bz2", ".zst")
_COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}


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
class Bytes:
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

    @property
    def compression(self) -> str | None:
        """How it is compressed, by its first bytes."""
        return next((c for magic, c in _COMPRESSIONS.items() if self.head.startswith(magic)), None)

    def stream(self) -> Any:
        """The bytes from their beginning, unpacked."""
        import pyarrow as pa

        return pa.input_stream(self.place, compression=self.compression)


def first_line(error: Exception) -> str:
    """What an error of Arrow says, without where in its code."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
