"""Saving and loading: Parquet that others can read too, with metadata that loses nothing.

The file holds the keys, the measures, then for two-level measures their levels and for measures
with undefined cells the reasons. The metadata says what each column is.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import os
import secrets
from dataclasses import asdict
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import FileError
from metricatlas.measurements.columns import Column
from metricatlas.measurements.frames import ascii_safe, key_array, unrepeated
from metricatlas.measurements.rows import plain
from metricatlas.measurements.table import Measurements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

_METADATA = b"metricatlas"
_FORMAT = 1
_OTHER_FORMATS = (".csv", ".tsv", ".json", ".xlsx", ".feather", ".arrow", ".pkl", ".html")
#: What lengths of time, months and the like, and intervals are made from again.
_PARTS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "timedelta": lambda x: (x.days, x.seconds, x.microseconds),
    "Timedelta": lambda x: (x.isoformat(),),
    "Period": lambda x: (str(x), x.freqstr),
    "Interval": lambda x: (x.left, x.right, x.closed),
}
#: Types that Parquet gives back as they were.
_NATIVE = (str, bool, int, float, dt.datetime, dt.date)


def save(table: Measurements, path: str | os.PathLike[str]) -> None:
    """Write a file beside the target first, so that there is the whole file or the old one."""
    target = _checked_target(_name(path))
    content = _to_arrow(table)
    partial = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.partial")
    try:
        _write(content, partial)
        partial.replace(target)
    except OSError as error:
        msg = f"{os.fspath(path)} cannot be written: {error.strerror or error}."
        raise FileError(msg) from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> Measurements:
    """Read a saved table; say what a file is that is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = _name(path)
    if Path(name).is_dir():
        msg = f"{name} is a directory; name the Parquet file in it."
        raise FileError(msg)
    try:
        with Path(name).open("rb") as file:
            content = pq.read_table(file, page_checksum_verification=True)
    except FileNotFoundError as error:
        msg = f"there is no file {name}."
        raise FileError(msg) from error
    except OSError as error:
        msg = f"{name} cannot be read: {error.strerror or _first_line(error)}."
        raise FileError(msg) from error
    except (pa.ArrowException, ValueError) as error:
        msg = f"{name} is not a Parquet file, or a broken one: {_first_line(error)}."
        raise FileError(msg) from error
    return _from_arrow(content, name)


def _name(path: Any) -> str:
    if not isinstance(path, str | os.PathLike):
        msg = (
            f"a file is named by a text or a path; got {path!r}. Name one such as 'table.parquet'."
        )
        raise FileError(msg)
    return os.fsdecode(path)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def _checked_target(name: str) -> Path:
    """The file to be written, behind links; what is no plain file is never replaced."""
    target = Path(os.path.realpath(name))
    if target.suffix.lower() in _OTHER_FORMATS:
        msg = (
            f"measurements are saved as Parquet; got the name {name}. Let it end in .parquet, or "
            f"use `.to_pandas()` and pandas' own writers."
        )
        raise FileError(msg)
    if target.is_dir():
        msg = f"{name} is a directory; name a file in it."
    elif target.exists() and not target.is_file():
        msg = f"{name} is no plain file; name another."
    elif not target.parent.is_dir():
        msg = f"{name} cannot be written: there is no folder {target.parent}. Create it first."
    else:
        return target
    raise FileError(msg)


def _write(content: pa.Table, partial: Path) -> None:
    import pyarrow.parquet as pq

    with partial.open("xb") as file:
        pq.write_table(content, file, compression="zstd", write_page_checksum=True)
        file.flush()
        os.fsync(file.fileno())


def _to_arrow(table: Measurements) -> pa.Table:
    import pyarrow as pa

    described, arrays = zip(*_described_columns(table), strict=True) if _any(table) else ((), ())
    names = unrepeated(ascii_safe(d["title"]) for d in described)
    metadata = {
        "format": _FORMAT,
        "rows": len(table),
        "columns": [_column_to_json(column) for column in table.schema],
        "notes": table.notes,
        "content": [{k: v for k, v in d.items() if k != "title"} for d in described],
    }
    return pa.table(list(arrays), names=names).replace_schema_metadata(
        {_METADATA: json.dumps(metadata)}
    )


def _any(table: Measurements) -> bool:
    return bool(table.row_keys or table.schema)


def _described_columns(table: Measurements) -> Iterator[tuple[dict[str, Any], pa.Array]]:
    """What the file holds, column by column, and what each is."""
    import pyarrow as pa

    for key, column in table.row_keys.items():
        values = [plain(x) for x in column]
        native = _survives(values)
        array = key_array(values) if native else pa.array([json.dumps(_to_json(x)) for x in values])
        yield {"title": key, "role": "key", "name": key, "native": native}, array
    for i, name in enumerate(table.columns):
        yield {"title": name, "role": "measure", "column": i}, pa.array(table.values[:, i])
    for i, pair in table.pairs.items():
        for level, ordinal in enumerate(("first", "second")):
            title = f"{table.columns[i]}, {ordinal} level"
            yield {"title": title, "role": "level", "column": i}, pa.array(pair[:, level])
    undefined = dict.fromkeys(i for _, i in table.reasons)
    reasons: dict[int, list[str | None]] = {i: [None] * len(table) for i in undefined}
    for (row, i), reason in table.reasons.items():
        reasons[i][row] = ascii_safe(reason)
    for i, column in reasons.items():
        title = f"{table.columns[i]}, why undefined"
        yield {"title": title, "role": "reason", "column": i}, pa.array(column).dictionary_encode()


def _survives(values: Sequence[object]) -> bool:
    """Whether Parquet gives the values of a key back as they were."""
    types = {type(x) for x in values if x is not None}
    if not types:
        return True
    if len(types) > 1 or types.isdisjoint(_NATIVE):
        return False
    if int in types and not all(x is None or -(2**63) <= x < 2**63 for x in values):  # type: ignore[operator]
        return False
    return str not in types or all(x is None or x == ascii_safe(x) for x in values)  # type: ignore[arg-type]


def _to_json(value: object) -> object:
    """A value of a key of mixed types, so that its type comes back."""
    if value is None or type(value) in (str, bool, int, float):
        return value
    if isinstance(value, tuple):
        return {"tuple": [_to_json(plain(x)) for x in value]}
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return {type(value).__name__: value.isoformat()}
    kind = type(value).__name__
    if kind in _PARTS:
        return {kind: [_to_json(plain(part)) for part in _PARTS[kind](value)]}
    msg = (
        f"keys of rows must be text, numbers, dates, times, intervals, None or tuples of these to "
        f"be saved; got {kind}: {value!r}. Make them text."
    )
    raise FileError(msg)


def _from_json(value: Any) -> object:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "tuple":
        return tuple(_from_json(x) for x in content)
    if kind == "timedelta":
        return dt.timedelta(*content)
    if kind in _PARTS:
        return _pandas_thing(kind, [_from_json(part) for part in content])
    return getattr(dt, kind).fromisoformat(content)


def _pandas_thing(kind: str, parts: list[Any]) -> object:
    import pandas as pd

    # Intervals of time take pandas' own times only.
    own = {dt.datetime: pd.Timestamp, dt.timedelta: pd.Timedelta}
    return getattr(pd, kind)(*(own.get(type(x), lambda x: x)(x) for x in parts))


def _column_to_json(column: Column) -> dict[str, Any]:
    # JSON has no infinity; a bound that is none is null.
    described = asdict(column)
    for bound in ("lower", "upper"):
        described[bound] = float(described[bound]) if np.isfinite(described[bound]) else None
    return described


def _column_from_json(described: dict[str, Any]) -> Column:
    lower, upper = described["lower"], described["upper"]
    bounds = {"lower": -inf if lower is None else lower, "upper": inf if upper is None else upper}
    return Column(**{**described, **bounds})


def _from_arrow(content: pa.Table, name: str) -> Measurements:
    written = (content.schema.metadata or {}).get(_METADATA)
    if written is None:
        msg = (
            f"{name} is a Parquet file, but was not saved by metricatlas. Read it as a frame, then "
            f"use `Measurements.from_frame(frame, keys=[...])`."
        )
        raise FileError(msg)
    try:
        metadata = json.loads(written)
        newer = metadata["format"] > _FORMAT
        table = None if newer else _assembled(content, metadata)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        msg = f"{name} was changed after metricatlas saved it; what it says of itself is wrong."
        raise FileError(msg) from error
    if table is None:
        msg = f"{name} was saved by a newer metricatlas; update metricatlas to read it."
        raise FileError(msg)
    return table


def _assembled(content: pa.Table, metadata: dict[str, Any]) -> Measurements:
    schema = tuple(_column_from_json(described) for described in metadata["columns"])
    values = np.full((metadata["rows"], len(schema)), np.nan)
    keys: dict[str, list[Any]] = {}
    levels: dict[int, list[Any]] = {}
    reasons: dict[tuple[int, int], str] = {}
    for described, column in zip(metadata["content"], content.columns, strict=True):
        role = described["role"]
        if role == "key":
            read = column.to_pylist()
            keys[described["name"]] = (
                read if described["native"] else [_from_json(json.loads(x)) for x in read]
            )
        elif role == "measure":
            values[:, described["column"]] = column.to_numpy()
        elif role == "level":
            levels.setdefault(described["column"], []).append(column.to_numpy())
        else:
            told = enumerate(column.to_pylist())
            reasons.update(
                {(row, described["column"]): why for row, why in told if why is not None}
            )
    return Measurements(
        values,
        schema,
        keys,
        reasons=reasons,
        levels={i: np.column_stack(pair) for i, pair in levels.items()},
        notes=tuple(metadata["notes"]),
    )
