"""What a file holds, unpacked."""

from __future__ import annotations

import gzip
import zlib
from typing import TYPE_CHECKING

from metricatlas.errors import PopulationError

if TYPE_CHECKING:
    from pathlib import Path

_MARK = b"\xef\xbb\xbf"


def content_of(path: Path) -> bytes:
    """Read all of a file, packed by gzip where its name says so, without a byte order mark."""
    try:
        content = path.read_bytes()
        if path.suffix.lower() == ".gz":
            content = gzip.decompress(content)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise PopulationError(f"{path} must be a whole file of gzip; {error}.") from error
    except OSError as error:
        raise PopulationError(f"{path} cannot be read: {error.strerror or error}.") from error
    return content.removeprefix(_MARK)
