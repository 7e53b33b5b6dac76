"""One column of a file: its values as text, whole numbers or numbers, complete or refused."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metricatlas.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = np.ndarray[Any, Any]
Kind = Literal["text", "boolean", "whole", "number", "other"]


@dataclass(frozen=True)
class Column:
    """A column, with what its values are made of."""

    name: str
    kind: Kind
    #: An Arrow array: large strings, booleans, or numbers as they were.
    data: Any
    #: Numbers of the rows in the file, where rows were left out.
    rows: Array | None = None
    #: Whether it was written as text.
    written: bool = False

    def __len__(self) -> int:
        return len(self.data)

    @property
    def title(self) -> str:
        """What messages call it."""
        return f"the column `{self.name}`"

    def row(self, wrong: Array) -> str:
        """The place of the first True, in words."""
        place = int(np.argmax(wrong))
        return f"row {place if self.rows is None else int(self.rows[place])} (counted from 0)"

    def check(self) -> None:
        """Refuse missing values, and numbers that are none."""
        if self.data.null_count:
            self._refuse(as_array(self.data.is_null()), "missing")
        if self.kind == "text" and "" in self.distinct:
            codes, values = self.codes()
            self._refuse(codes == values.index(""), "missing")
        if self.kind == "number" and not np.isfinite(self.numbers()).all():
            self._refuse(np.isnan(self.numbers()), "missing")
            self._refuse(np.isinf(self.numbers()), "infinite")

    def _refuse(self, wrong: Array, what: str) -> None:
        count = int(wrong.sum())
        if count:
            msg = (
                f"{self.title} must be complete; got {count:,} {what} value{'s' * (count > 1)}, "
                f"the first in {self.row(wrong)}. Drop or fill these rows, or leave the column out "
                f"with --ignore."
            )
            raise FileError(msg)

    @cached_property
    def distinct(self) -> list[Any]:
        """The distinct values, in the order in which they first appear."""
        values: list[Any] = self.data.unique().to_pylist()
        return values

    def numbers(self) -> Array:
        """The values of a complete column of numbers, in the type that they have."""
        return as_array(self.data)

    def are(self, values: set[str]) -> Array:
        """Which values of a text are among these."""
        import pyarrow as pa
        import pyarrow.compute as pc

        return as_array(pc.is_in(self.data, pa.array(sorted(values), type=self.data.type)))

    def codes(self) -> tuple[Array, list[Any]]:
        """A number for each value, and the values that the numbers stand for."""
        found = self.data.combine_chunks().dictionary_encode()
        return as_array(found.indices), found.dictionary.to_pylist()


def as_array(data: Any) -> Array:
    """Complete numbers or booleans of Arrow as an array; its own way there imports pandas."""
    import pyarrow as pa

    if pa.types.is_boolean(data.type):
        return as_array(data.cast(pa.uint8())).view(np.bool_)
    whole = data.combine_chunks() if isinstance(data, pa.ChunkedArray) else data
    kind = np.dtype(whole.type.to_pandas_dtype())
    start = whole.offset * kind.itemsize
    return np.frombuffer(whole.buffers()[1], kind, count=len(whole), offset=start)


def make_column(
    name: str, data: Any, rows: Array | None = None, *, written: bool = False
) -> Column:
    """Look at the type of an Arrow column and bring it into one of few."""
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(data.type):
        data = _decoded(data)
    if types.is_temporal(data.type):
        data = _written_times(data)
    found: Kind = "other"
    if any(
        test(data.type) for test in (types.is_string, types.is_large_string, types.is_string_view)
    ):
        found, data = "text", data.cast(pa.large_string())
    elif types.is_null(data.type) or types.is_decimal(data.type):
        found, data = "number", data.cast(pa.float64())
    else:
        kinds: dict[Kind, Any] = {
            "boolean": types.is_boolean,
            "whole": types.is_integer,
            "number": types.is_floating,
        }
        found = next((kind for kind, test in kinds.items() if test(data.type)), "other")
    return Column(name, found, data, rows, written)


def _written_times(data: Any) -> Any:
    """Times as text, no finer than they are: a date where there is no time of day."""
    import pyarrow as pa

    kinds: list[Any] = []
    if pa.types.is_timestamp(data.type) or pa.types.is_date(data.type):
        zone = data.type.tz if pa.types.is_timestamp(data.type) else None
        kinds = [*([] if zone else [pa.date32()]), *(pa.timestamp(u, zone) for u in _UNITS)]
    elif pa.types.is_time(data.type):
        kinds = [*map(pa.time32, _UNITS[:2]), *map(pa.time64, _UNITS[2:])]
    for kind in kinds:
        coarse = data.cast(kind, safe=False)
        if coarse.cast(data.type).equals(data):
            return coarse.cast(pa.large_string())
    return data.cast(pa.large_string())


def _decoded(data: Any) -> Any:
    """Categories as what they stand for; Arrow cannot cast every type of them."""
    import pyarrow as pa

    kind = data.type.value_type
    if pa.types.is_string_view(kind):
        kind = pa.large_string()
    chunks = [c.dictionary.cast(kind).take(c.indices) for c in data.chunks]
    return pa.chunked_array(chunks, type=kind)


def as_matrix(columns: Sequence[Column]) -> Array:
    """Columns of numbers beside each other.

    Rows of probabilities sum to 1 within what their type can hold. Text has no type: numbers so
    short that single precision holds them have it, if that is what makes their rows sum to 1.
    """
    values = np.column_stack([column.numbers() for column in columns])
    if values.dtype.kind != "f":
        values = values.astype(np.float64)
    gap = np.abs(values.sum(axis=1) - 1).max()
    if not all(column.written for column in columns) or not _EXACT < gap < _SINGLE:
        return values
    single = values.astype(np.float32)
    return single if np.array_equal(_as_written(single), values) else values


_UNITS = ("s", "ms", "us", "ns")
_EXACT, _SINGLE = (float(np.sqrt(np.finfo(kind).eps)) for kind in (np.float64, np.float32))


def _as_written(single: Array) -> Array:
    """What numbers of single precision are once they were written and read."""
    import pyarrow as pa

    text = pa.array(single.ravel()).cast(pa.string())
    return as_array(text.cast(pa.float64())).reshape(single.shape)
