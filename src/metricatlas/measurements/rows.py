"""The keys that name the rows: choosing and grouping by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from metricatlas.errors import MetricAtlasError
from metricatlas.measurements.columns import nearest

Array = np.ndarray[Any, Any]
#: A sequence of values for each key, one value a row.
RowKeys = Mapping[str, Sequence[Any]]


def plain(value: object) -> object:
    """Turn a NumPy or pandas scalar into Python's own."""
    if isinstance(value, np.datetime64):
        # Nanoseconds would come out as a bare number.
        return value.astype("datetime64[us]").item()
    if isinstance(value, np.timedelta64):
        return _plain_length(value)
    if isinstance(value, np.generic):
        return value.item()
    return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value


def _plain_length(value: np.timedelta64) -> object:
    """A length of time as Python has it, or as pandas has it where it holds nanoseconds."""
    coarse = value.astype("timedelta64[us]")
    if coarse == value:
        return coarse.item()
    import pandas as pd

    return pd.Timedelta(value)


def same(one: object, other: object) -> bool:
    """Whether two key values are the same; NaN is the same as NaN."""
    return bool(one == other) or bool(one != one and other != other)  # noqa: PLR0124 - finds NaN


def same_keys(one: RowKeys, other: RowKeys) -> bool:
    """Whether two tables have the same keys with the same values in the same order."""
    return list(one) == list(other) and all(
        len(one[key]) == len(other[key]) and all(map(same, one[key], other[key])) for key in one
    )


def checked_key(keys: RowKeys, key: str) -> Sequence[Any]:
    """Return the values of a key, or say which keys come near it."""
    if key not in keys:
        msg = f"there is no key {key!r}{nearest(key, list(keys))}"
        raise MetricAtlasError(msg)
    return keys[key]


def checked_row(row: object, count: int) -> int:
    """Return the number of a row, counted from the first."""
    if isinstance(row, int | np.integer) and -count <= row < count:
        return int(row) % count
    msg = (
        f"row must be a whole number below {count}, the number of rows; got {row!r}. Rows are "
        f"counted from 0; `.rows` shows their keys."
    )
    raise MetricAtlasError(msg)


def matching_rows(keys: RowKeys, count: int, wanted: Mapping[str, object]) -> Array:
    """Find the rows that have, for every key, the wanted value or one of the wanted values."""
    kept = np.ones(count, dtype=bool)
    for key, asked in wanted.items():
        column = checked_key(keys, key)
        there = list(dict.fromkeys(column))
        allowed: set[object] = set()
        for value in _several(asked):
            found = [x for x in there if same(x, value)]
            if not found:
                hint = " Put several values into a list." if isinstance(value, tuple) else ""
                msg = f"no row has {key}={plain(value)!r}{nearest(value, there)}{hint}"
                raise MetricAtlasError(msg)
            allowed.update(found)
        kept &= np.fromiter((x in allowed for x in column), dtype=bool, count=count)
    return np.flatnonzero(kept)


def _several(asked: object) -> list[object]:
    """Lists, sets, ranges and columns name several values; a tuple may be a model's name."""
    if isinstance(asked, list | set | frozenset | range):
        return list(asked)
    if not isinstance(asked, np.generic) and hasattr(asked, "tolist"):
        listed = asked.tolist()
        return listed if isinstance(listed, list) else [listed]
    return list(asked.to_list()) if hasattr(asked, "to_list") else [asked]


def group_rows(keys: RowKeys, count: int, within: Any) -> dict[tuple[Any, ...], Array]:
    """Find the row numbers of every group, in the order in which groups first appear."""
    if within is None:
        return {(): np.arange(count)}
    names = [within] if isinstance(within, str) else within
    if not isinstance(names, Iterable):
        msg = f"within must be a key or keys of the rows, {', '.join(keys)}; got {within!r}."
        raise MetricAtlasError(msg)
    names = list(names)
    if not names:
        return {(): np.arange(count)}
    groups: dict[tuple[Any, ...], list[int]] = {}
    columns = [checked_key(keys, name) for name in names]
    for row, name in enumerate(zip(*columns, strict=True)):
        groups.setdefault(name, []).append(row)
    return {name: np.array(rows) for name, rows in groups.items()}
