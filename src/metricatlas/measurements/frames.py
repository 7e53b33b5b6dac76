"""Frames of pandas, polars and Arrow: measurements given away, and taken in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from metricatlas.errors import MeasureError, MetricAtlasError
from metricatlas.measurements.columns import Array, Better, Column, known_column, nearest
from metricatlas.measurements.rows import plain
from metricatlas.measurements.table import Measurements

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    import polars as pl
    import pyarrow as pa

MISSING = "missing in the frame"


def keys_frame(table: Measurements) -> pd.DataFrame:
    """Return the keys as a pandas frame."""
    import pandas as pd

    keys = {key: list(column) for key, column in table.row_keys.items()}
    return pd.DataFrame(keys, index=pd.RangeIndex(len(table)))


def to_pandas(table: Measurements) -> pd.DataFrame:
    """Return the keys, then the measures; repeated names stay repeated."""
    import pandas as pd

    values = pd.DataFrame(table.values, columns=list(table.columns), copy=True)
    return pd.concat([keys_frame(table), values], axis=1)


def to_arrow(table: Measurements) -> pa.Table:
    """Return the keys, then the measures; repeated names stay repeated."""
    return _arrow(table, [*table.row_keys, *table.columns])


def to_polars(table: Measurements) -> pl.DataFrame:
    """Return the keys, then the measures; repeated names get a number."""
    try:
        import polars as pl
    except ModuleNotFoundError as error:
        msg = "polars is not installed; `pip install metricatlas[polars]` installs it."
        raise MetricAtlasError(msg) from error
    frame = pl.from_arrow(_arrow(table, unrepeated([*table.row_keys, *table.columns])))
    assert isinstance(frame, pl.DataFrame)  # noqa: S101 - a table gives a frame, not a series
    return frame


def unrepeated(names: Iterable[str]) -> list[str]:
    """Number the second and later uses of a name: auc, auc (2)."""
    taken: set[str] = set()
    unique = []
    for name in names:
        number, made = 1, name
        while made in taken:
            number += 1
            made = f"{name} ({number})"
        taken.add(made)
        unique.append(made)
    return unique


def _arrow(table: Measurements, names: list[str]) -> pa.Table:
    import pyarrow as pa

    keys = [key_array(column) for column in table.row_keys.values()]
    return pa.table([*keys, *map(pa.array, table.values.T)], names=names)


def key_array(column: Sequence[object]) -> pa.Array:
    """Return the values of a key as an Arrow array; as text where their types are mixed."""
    import pyarrow as pa

    values = [plain(x) for x in column]
    if len({type(x) for x in values if x is not None}) <= 1:
        try:
            return pa.array(values)
        except (pa.ArrowException, OverflowError, UnicodeError):
            pass
    return pa.array([None if x is None else ascii_safe(str(x)) for x in values])


def ascii_safe(text: str) -> str:
    """Replace what UTF-8 cannot hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def from_frame(
    frame: object, keys: str | Sequence[str], better: Mapping[str, Better]
) -> Measurements:
    """Read measurements computed elsewhere; see `Measurements.from_frame`."""
    asked = _names(keys)
    names, series = _columns(frame, asked)
    _check_keys(names, asked)
    places = [i for i, name in enumerate(names) if name not in asked]
    numbers = [_numbers(names[i], series[i]) for i in places]
    values = np.column_stack(numbers) if numbers else np.empty((len(series[0]) if series else 0, 0))
    schema, unknown = _schema([names[i] for i in places], better)
    note = f"no measure has these names, so higher counts as better: {', '.join(unknown)}"
    return Measurements(
        values,
        schema,
        {key: _key_values(series[names.index(key)]) for key in asked},
        reasons=lambda: dict.fromkeys(_places(np.isnan(values)), MISSING),
        notes=(note,) if unknown else (),
    )


def _names(keys: Any) -> list[str]:
    names = [keys] if isinstance(keys, str) else keys
    if isinstance(names, Iterable) and all(isinstance(name, str) for name in names):
        return list(names)
    msg = (
        f"keys must be names of columns, in a list; got {keys!r}. Leave keys= out if no column "
        f"names the rows."
    )
    raise MetricAtlasError(msg)


def _places(where: Array) -> list[tuple[int, int]]:
    rows, columns = np.nonzero(where)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _columns(frame: object, keys: list[str]) -> tuple[list[str], list[Any]]:
    """The columns as narwhals series, and their names, which pandas and Arrow may repeat."""
    import narwhals.stable.v1 as nw

    if hasattr(frame, "collect"):
        msg = f"frame must be computed; got a {type(frame).__name__}. Call its `.collect()` first."
        raise MetricAtlasError(msg)
    frame = _with_index_keys(frame, keys)
    # Arrow calls its arrays `columns`, and what is no frame may call anything so.
    given: list[object] = list(getattr(frame, "column_names", getattr(frame, "columns", ())))
    names = [str(name) for name in given]
    if len(set(names)) < len(names) or not all(isinstance(name, str) for name in given):
        frame = _renamed(frame, unrepeated(names))
    try:
        native = nw.from_native(frame, eager_only=True)
    except TypeError as error:
        msg = f"frame must be a frame of pandas, polars or pyarrow; got {type(frame).__name__}."
        raise MetricAtlasError(msg) from error
    return names, [native[name] for name in native.columns]


def _with_index_keys(frame: object, keys: list[str]) -> Any:
    """Make columns of those index levels of a pandas frame that are asked for as keys."""
    levels = getattr(getattr(frame, "index", None), "names", ())
    there = [key for key in keys if key in levels and key not in getattr(frame, "columns", ())]
    return frame.reset_index(there) if there and hasattr(frame, "reset_index") else frame


def _renamed(frame: Any, names: list[str]) -> Any:
    return (
        frame.rename_columns(names)
        if hasattr(frame, "rename_columns")
        else frame.set_axis(names, axis=1)
    )


def _check_keys(names: list[str], keys: list[str]) -> None:
    count = Counter(names)
    for key in keys:
        if key not in count:
            msg = f"the frame has no column {key!r} to be a key{nearest(key, names)}"
            raise MetricAtlasError(msg)
        if count[key] > 1 or keys.count(key) > 1:
            msg = f"a key must be one column; {key!r} comes more than once."
            raise MetricAtlasError(msg)


def _key_values(series: Any) -> list[Any]:
    missing = series.is_null().to_list()
    return [None if m else plain(x) for x, m in zip(series.to_list(), missing, strict=True)]


def _numbers(name: str, series: Any) -> Array:
    import narwhals.stable.v1 as nw

    if series.dtype.is_numeric() or series.dtype == nw.Boolean:
        return np.array(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    # Objects of Python may be numbers, and a column of nothing but nulls has whatever type.
    there = [x for x, m in zip(series.to_list(), series.is_null().to_list(), strict=True) if not m]
    odd = [x for x in there if not isinstance(x, Real)]
    if odd:
        msg = (
            f"the frame's column {name!r} must hold numbers to be a measure; got {series.dtype}, "
            f"such as {odd[0]!r}. Name it in keys= if it names the rows, or drop it."
        )
        raise MetricAtlasError(msg)
    values = np.full(len(series), np.nan)
    values[~np.array(series.is_null().to_list(), dtype=bool)] = there
    return values


def _schema(names: list[str], better: Any) -> tuple[tuple[Column, ...], list[str]]:
    """Describe the columns, and list the names that nobody knows."""
    if not isinstance(better, Mapping):
        msg = f'better= must be a dict such as {{"loss": "lower"}}; got {better!r}.'
        raise MeasureError(msg)
    for name, direction in better.items():
        if name not in names or direction not in get_args(Better):
            msg = (
                f"better= takes columns of measures and {', '.join(get_args(Better))}; got "
                f"{name!r}: {direction!r}."
            )
            raise MeasureError(msg)
    known = {name: known_column(name) for name in dict.fromkeys(names) if name not in better}
    schema = tuple(
        known.get(name) or Column(name, name, better.get(name, "higher")) for name in names
    )
    return schema, [name for name, column in known.items() if column is None]
