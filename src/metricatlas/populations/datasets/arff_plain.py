"""The rows of most ARFF files, which are plain enough to be read all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.populations.datasets.arff_header import Attribute

#: What a body has in it that is more than values, commas and ends of lines.
_NOT_PLAIN = (b"'", b'"', b"\\", b"{", b"%", b" ", b"\t")


def read_plain(body: bytes, attributes: Sequence[Attribute]) -> list[Any] | None:
    """Read columns of numbers and codes; nothing where that must be done, or refused, with care."""
    import pyarrow as pa
    from pyarrow import csv

    kinds = {a.kind for a in attributes}
    if kinds - {"numeric", "nominal"} or any(sign in body for sign in _NOT_PLAIN):
        return None
    names = [str(i) for i in range(len(attributes))]
    types = [_type(attribute) for attribute in attributes]
    try:
        table = csv.read_csv(
            pa.BufferReader(body),
            read_options=csv.ReadOptions(column_names=names),
            parse_options=csv.ParseOptions(quote_char=False, escape_char=False),
            convert_options=csv.ConvertOptions(
                column_types=dict(zip(names, types, strict=True)),
                null_values=["?"],
                strings_can_be_null=True,
            ),
        )
        return [_values(*pair) for pair in zip(attributes, table.columns, strict=True)]
    except (pa.ArrowException, KeyError):
        return None


def _type(attribute: Attribute) -> Any:
    import pyarrow as pa

    if attribute.kind == "numeric":
        return pa.float64()
    return pa.dictionary(pa.int32(), pa.string())


def _values(attribute: Attribute, column: Any) -> np.ndarray[Any, Any]:
    if attribute.kind == "numeric":
        return np.array(column.to_numpy(), np.float64)
    there = {value: code for code, value in enumerate(attribute.values)}
    parts = [np.empty(0, np.int32)]
    for chunk in column.chunks:
        # An undeclared value is a KeyError; what is missing has no code, and gets the last, -1.
        codes = np.array([*(there[v] for v in chunk.dictionary.to_pylist()), -1], np.int32)
        parts.append(codes[chunk.indices.fill_null(len(codes) - 1).to_numpy()])
    return np.concatenate(parts)
