"""Whatever holds a column or a table becomes NumPy, with its names and its row index."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PredictionError

if TYPE_CHECKING:
    from metricatlas.predictions.model import Array

_WANTED = "an array, a list, or a series or frame of pandas, polars or pyarrow"


@dataclass(frozen=True, slots=True)
class Table:
    """Values as they came, and what their container knows about them.

    Missing values of frames and lists are still inside, as None: rows of weight 0 may hold them.
    """

    values: Array
    #: Names of the columns, or of the one column; None where the container has none.
    names: tuple[Any, ...] | None = None
    #: The names are those that pandas counts up where nobody gave any.
    running: bool = False
    #: The row index of a pandas object.
    index: Any = None
    #: Declared to be labels, whatever they are made of.
    categorical: bool = False
    #: A list of series that have names or an index: each of them is a row of the values.
    rows_are_series: bool = False
    #: Root of the epsilon of the coarsest floats that came, within which sums hold.
    tolerance: float = float(np.sqrt(np.finfo(np.float64).eps))


def read_table(thing: object, title: str) -> Table:
    """Read a column, a table or a batch; the number of axes tells which."""
    if type(thing) is not np.ndarray:
        read = _read_other(thing, title)
        if isinstance(read, Table):
            return read
        thing = read
    if thing.ndim == 0:
        msg = f"{title} must be {_WANTED}; got the single value {thing.item()!r}."
        raise PredictionError(msg)
    if thing.dtype.kind == "f" and thing.dtype.itemsize != 8:
        return Table(thing, tolerance=_tolerance([thing]))
    return Table(thing)


def read_column(thing: object, title: str) -> Table:
    """Read what must be one column; its values have one axis."""
    table = read_table(thing, title)
    column = _as_column(table)
    if column is None:
        msg = f"{title} must be one column; got the shape {table.values.shape}."
        raise PredictionError(msg)
    return column


def read_columns(thing: object, title: str) -> tuple[Table, ...]:
    """Read one column, or the columns of a frame that names them, each of its own type."""
    if not isinstance(thing, np.ndarray | Sequence):
        import narwhals.stable.v1 as nw

        frame, native, index = _in_narwhals(thing, title)
        if isinstance(frame, nw.DataFrame) and frame.shape[1] > 1:
            if index is not None and _counts_up(native.columns):
                raise _without_names(title, frame.shape)
            # Columns of pyarrow do not know their names.
            names = frame.columns if index is None else native.columns
            columns = (read_table(frame[:, i], title) for i in range(frame.shape[1]))
            return tuple(replace(c, names=(n,)) for c, n in zip(columns, names, strict=True))
    table = read_table(thing, title)
    column = _as_column(table)
    if column is None:
        raise _without_names(title, table.values.shape)
    return (column,)


def _without_names(title: str, shape: tuple[int, ...]) -> PredictionError:
    return PredictionError(
        f"{title} must be one column, or a frame that names its columns; got the shape {shape} "
        f"without names. Name them, as in pandas.DataFrame({title}, columns=['fold', 'site'])."
    )


def _as_column(table: Table) -> Table | None:
    values = table.values
    if values.ndim == 1:
        return table
    if values.ndim == 2 and values.shape[1] == 1:
        return Table(values[:, 0], table.names, table.running, table.index, table.categorical)
    return None


def _tolerance(columns: Sequence[Array]) -> float:
    given = [c.dtype for c in columns if c.dtype.kind == "f"]
    return float(np.sqrt(max(np.finfo(d).eps for d in [*given, np.dtype(np.float64)])))


def _read_other(thing: object, title: str) -> Table | Array:
    if isinstance(thing, np.ma.MaskedArray):
        return _with_missing(thing.data, np.ma.getmaskarray(thing))
    if isinstance(thing, np.ndarray):
        return np.asarray(thing)
    if isinstance(thing, Sequence) and not isinstance(thing, str | bytes | bytearray):
        return _from_sequence(thing, title)
    return _from_frame_library(thing, title)


def _with_missing(values: Array, missing: Array) -> Array:
    if not missing.any():
        return values
    objects = values.astype(object)
    objects[missing] = None
    return objects


def _from_sequence(thing: Sequence[Any], title: str) -> Table | Array:
    kinds = set(map(type, thing))
    if any(map(_may_have_names, kinds)):
        return _stacked([read_table(x, f"{title}[{i}]") for i, x in enumerate(thing)], title)
    try:
        if all(issubclass(k, int | float | np.bool_ | np.number) for k in kinds):
            return np.asarray(thing)
        if any(issubclass(k, str) or not hasattr(k, "__len__") for k in kinds):
            # NumPy would turn a mixed list into text; as objects its values stay what they are.
            return np.fromiter(thing, dtype=object, count=len(thing))
        rows = np.asarray(thing)
        return np.array(thing, dtype=object) if rows.dtype.kind in "US" else rows
    except Exception as error:
        msg = f"{title} must have rows of one length that hold text or numbers; got: {error}."
        raise PredictionError(msg) from error


def _may_have_names(kind: type) -> bool:
    """Whether it is a series or a frame: NumPy would drop its names and its row index."""
    plain = issubclass(kind, str | Sequence | np.ndarray | np.generic | Mapping | AbstractSet)
    return not plain and any("__len__" in vars(base) for base in kind.__mro__)


def _stacked(members: Sequence[Table], title: str) -> Table:
    """A batch of tables, or of columns, whose columns and rows are the same ones."""
    first = members[0].values.shape
    for number, member in enumerate(members):
        if member.values.shape != first:
            msg = (
                f"{title} must be tables of one shape; {title}[0] has {first}, {title}[{number}] "
                f"has {member.values.shape}. Pass the same rows and columns of each."
            )
            raise PredictionError(msg)
    check_alignment(
        [(f"{title}[{i}]", m.index) for i, m in enumerate(members) if m.index is not None]
    )
    series = len(first) == 1
    values = [m.values for m in members] if series else _with_columns_alike(members, title)
    if any(v.dtype.kind in "OUST" for v in values):
        # NumPy would turn numbers beside text into text.
        values = [v.astype(object) for v in values]
    return Table(
        np.stack(values),
        names=None if series else members[0].names,
        running=all(m.running for m in members),
        index=next((m.index for m in members if m.index is not None), None),
        categorical=any(m.categorical for m in members),
        rows_are_series=series and any(m.index is not None or m.names for m in members),
        tolerance=max(m.tolerance for m in members),
    )


def _with_columns_alike(members: Sequence[Table], title: str) -> list[Array]:
    """The tables of a batch with their columns in the order of the first."""
    order = members[0].names
    values = []
    for number, member in enumerate(members):
        names = member.names
        if names == order and member.running == members[0].running:
            values.append(member.values)
        elif names is None or order is None or set(names) != set(order):
            shown = ["no names" if n is None else list(n) for n in (order, names)]
            msg = (
                f"the tables of {title} must have columns of the same names; {title}[0] has "
                f"{shown[0]}, {title}[{number}] has {shown[1]}. Pass a dict of models, or "
                f"`.to_numpy()` of each if the columns do correspond by position."
            )
            raise PredictionError(msg)
        else:
            values.append(member.values[..., [names.index(name) for name in order]])
    return values


def _from_frame_library(thing: Any, title: str) -> Table:
    import narwhals.stable.v1 as nw

    frame, native, index = _in_narwhals(thing, title)
    if frame is None:
        return _from_array_protocol(thing, title)
    if isinstance(frame, nw.DataFrame):
        return _from_frame(frame, native, index, title)
    name, values = getattr(native, "name", None), _series_values(frame)
    return Table(
        values,
        names=None if name is None or name == "" else (name,),
        index=index,
        categorical=_is_categorical(frame),
        tolerance=_tolerance([values]),
    )


def _in_narwhals(thing: Any, title: str) -> tuple[Any, Any, Any]:
    """A series or frame as narwhals has it, None if it is neither; the thing, and its index."""
    import narwhals.stable.v1 as nw

    native, index = _known_to_narwhals(nw.to_native(thing, pass_through=True))
    try:
        frame = nw.from_native(native, allow_series=True)
    except TypeError:
        return None, native, index
    except nw.exceptions.DuplicateError as error:
        msg = (
            f"{title} must have distinct column names; {' '.join(str(error).split())}. Rename them."
        )
        raise PredictionError(msg) from error
    if isinstance(frame, nw.LazyFrame):
        msg = f"{title} must be data; got a lazy {type(native).__name__}. Collect it first."
        raise PredictionError(msg)
    return frame, native, index


def _known_to_narwhals(thing: Any) -> tuple[Any, Any]:
    """What narwhals can read, and its row index: bare arrays of the libraries become series."""
    pandas, arrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    if pandas is not None and isinstance(thing, pandas.DataFrame | pandas.Series):
        return thing, thing.index
    if pandas is not None and isinstance(thing, pandas.MultiIndex):
        return thing, None
    if pandas is not None and isinstance(
        thing, pandas.Index | pandas.api.extensions.ExtensionArray
    ):
        return pandas.Series(thing, name=None), None
    if arrow is not None and isinstance(thing, arrow.RecordBatch):
        return arrow.Table.from_batches([thing]), None
    if arrow is not None and isinstance(thing, arrow.Array):
        return arrow.chunked_array([thing]), None
    return thing, None


def _from_frame(frame: Any, native: Any, index: Any, title: str) -> Table:
    series = [frame[:, i] for i in range(frame.shape[1])]
    if not series:
        msg = f"{title} must have at least one column; got a frame without any."
        raise PredictionError(msg)
    names = tuple(frame.columns if index is None else native.columns)
    columns = [_series_values(s) for s in series]
    if len(columns) > 1:
        _refuse_text(columns, names, title)
    return Table(
        np.column_stack(columns),
        names=names,
        running=index is not None and _counts_up(native.columns),
        index=index,
        categorical=len(series) == 1 and _is_categorical(series[0]),
        tolerance=_tolerance(columns),
    )


def _refuse_text(columns: Sequence[Array], names: tuple[Any, ...], title: str) -> None:
    text = [n for n, c in zip(names, columns, strict=True) if not _may_be_numbers(c)]
    if text:
        msg = f"{title} must hold numbers in each of its columns; {text} hold none. Leave them out."
        raise PredictionError(msg)


def _may_be_numbers(column: Array) -> bool:
    if column.dtype != object:
        return column.dtype.kind in "biuf"
    return not any(isinstance(x, str | bytes) for x in column.flat)


def _counts_up(names: Any) -> bool:
    """Whether these are the numbers 0, 1, ... that pandas gives to columns without names."""
    pandas = sys.modules["pandas"]
    return isinstance(names, pandas.RangeIndex) and names.start == 0 and names.step == 1


def _is_categorical(series: Any) -> bool:
    import narwhals.stable.v1 as nw

    return series.dtype in (nw.Categorical, nw.Enum)


def _series_values(series: Any) -> Array:
    import narwhals.stable.v1 as nw

    if series.dtype.is_float():
        return np.asarray(series.to_numpy())
    missing = series.is_null().to_numpy().astype(bool)
    as_objects = _is_categorical(series) or series.dtype in (nw.String, nw.Int128, nw.Struct)
    # NumPy has no zones: it would shift times to UTC.
    zoned = getattr(series.dtype, "time_zone", None) is not None
    if as_objects or zoned or missing.any():
        objects = np.fromiter(series.to_list(), dtype=object, count=len(missing))
        objects[missing] = None
        return objects
    return np.asarray(series.to_numpy())


def _from_array_protocol(thing: Any, title: str) -> Table:
    if hasattr(thing, "tocsr"):
        msg = f"{title} must be a dense array; got a sparse one. Pass `.toarray()`."
        raise PredictionError(msg)
    if not any(hasattr(thing, p) for p in ("__array__", "__array_interface__", "__buffer__")):
        msg = f"{title} must be {_WANTED}; got {_called(thing)}."
        raise PredictionError(msg)
    try:
        values = np.asarray(thing)
    except Exception as error:
        msg = f"{title} must be {_WANTED}; got {_called(thing)}, which is none: {error}."
        raise PredictionError(msg) from error
    return read_table(values, title)


def _called(thing: object) -> str:
    return "None" if thing is None else f"the {type(thing).__name__} {str(thing)[:40]!r}"


def check_alignment(indices: Sequence[tuple[str, Any]]) -> None:
    """Refuse pandas objects whose rows are not the same rows in the same order."""
    for title, index in indices[1:]:
        first, rows = indices[0]
        if index is rows or index.equals(rows):
            continue
        pairs = list(zip(index.tolist(), rows.tolist(), strict=True))
        row = next((i for i, (a, b) in enumerate(pairs) if repr(a) != repr(b)), 0)
        own, other = pairs[row]
        msg = (
            f"the index of {title} must be that of {first}; in row {row} they are {own!r} and "
            f"{other!r}. Align them first (`.reindex` or `.loc`), or pass `.to_numpy()` if the "
            f"rows do correspond by position."
        )
        raise PredictionError(msg)
