"""The table itself. What it looks like, how it is saved and scaled stands beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Self

import numpy as np

from metricatlas.errors import MeasureError, MetricAtlasError
from metricatlas.measurements.columns import (
    Array,
    Better,
    Column,
    Named,
    find_column,
    oriented_values,
)
from metricatlas.measurements.rows import RowKeys, checked_row, matching_rows, same_keys

if TYPE_CHECKING:
    import os

    import pandas as pd
    import polars as pl
    import pyarrow as pa

#: Why a cell is undefined, by row and column number.
Reasons = Mapping[tuple[int, int], str]

UNRECORDED = "undefined; no reason was recorded"


class Measurements:
    """A table of measurements: a row is an evaluated prediction set, a column a measure.

    Tables are never changed; every method that chooses or scales returns another table. Two tables
    are equal when all that they hold is equal, undefined cells included.
    """

    #: The measurements, rows by columns, read-only; NaN where undefined.
    values: Array
    #: What there is to know about each column.
    schema: tuple[Column, ...]
    #: What names the rows: a sequence of values for each key.
    row_keys: RowKeys
    #: What whoever made the table wants its reader to know.
    notes: tuple[str, ...]

    #: Both levels of the two-level measures by column number, oriented; see `levels`.
    pairs: Mapping[int, Array]

    _given_reasons: Reasons | Callable[[], Reasons]

    def __init__(
        self,
        values: Array,
        schema: tuple[Column, ...],
        row_keys: RowKeys,
        *,
        reasons: Reasons | Callable[[], Reasons] | None = None,
        levels: Mapping[int, Array] | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        # A view of its own can be made read-only without touching the caller's array.
        table = np.asarray(values, dtype=np.float64).view()
        table.flags.writeable = False
        _check_shape(table, schema, row_keys)
        self.__dict__.update(
            values=table,
            schema=schema,
            row_keys=row_keys,
            notes=notes,
            pairs={} if levels is None else levels,
            _given_reasons={} if reasons is None else reasons,
        )

    # -- What it holds ---------------------------------------------------------------------------

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns as asked for, duplicates included."""
        return tuple(column.name for column in self.schema)

    @property
    def rows(self) -> pd.DataFrame:
        """The keys as a frame: one row a row, one column a key."""
        from metricatlas.measurements.frames import keys_frame

        return keys_frame(self)

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        try:
            find_column(self.schema, name)  # type: ignore[arg-type]
        except MeasureError:
            return False
        return True

    def __getitem__(self, name: str | Named) -> Array:
        """Return a column by its name, else by its measure's name or alias."""
        column: Array = self.values[:, find_column(self.schema, name)]
        return column

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:  # noqa: FBT001 - NumPy's protocol
        return np.array(self.values, dtype=dtype, copy=copy)

    def reason(self, row: int, column: str | int | Named) -> str:
        """Say why a cell is undefined; nothing where it is defined."""
        number, place = checked_row(row, len(self)), self.place(column)
        if not np.isnan(self.values[number, place]):
            return ""
        return self.reasons.get((number, place), UNRECORDED)

    def levels(self, column: str | int | Named) -> Array:
        """Return both levels of a two-level measure, rows by two, higher is better in both."""
        place = self.place(column)
        if place not in self.pairs:
            msg = (
                f"only a two-level measure such as auc:acc has levels; {self.columns[place]!r} has "
                f"none{' any more, because it was scaled' if ':' in self.columns[place] else ''}."
            )
            raise MeasureError(msg)
        levels = self.pairs[place].view()
        levels.flags.writeable = False
        return levels

    @cached_property
    def reasons(self) -> Reasons:
        """Why cells are undefined, by row and column number."""
        given = self._given_reasons
        return given() if callable(given) else given

    def place(self, column: str | int | Named) -> int:
        """Find the number of a column by its name, else by its measure's name or alias."""
        if isinstance(column, int | np.integer):
            if not -len(self.schema) <= column < len(self.schema):
                msg = f"column must be a name or a number below {len(self.schema)}; got {column}."
                raise MeasureError(msg)
            return int(column) % len(self.schema)
        return find_column(self.schema, column)

    # -- Choosing --------------------------------------------------------------------------------

    def select(self, names: str | Named | Iterable[str | Named]) -> Measurements:
        """Return a table of some columns, in the order and under the names asked for."""
        from metricatlas.measurements.choosing import take_columns

        return take_columns(self, names)

    def where(self, **keys: object) -> Measurements:
        """Return the rows that have these keys: a value, or a list of values, for each."""
        from metricatlas.measurements.choosing import take_rows

        return take_rows(self, matching_rows(self.row_keys, len(self), keys))

    @classmethod
    def concat(
        cls,
        tables: Iterable[Measurements] | Mapping[Any, Measurements],
        *,
        key: str = "part",
    ) -> Measurements:
        """Put the rows of tables with the same columns below each other.

        The names of a mapping, for example of data sets, become another key of the rows.
        """
        from metricatlas.measurements.choosing import concatenated

        return concatenated(tables, key)

    # -- Scaling ---------------------------------------------------------------------------------

    def oriented(self) -> Measurements:
        """Turn every column so that higher is better.

        Where lower is better the values are negated; where zero (or one) is best they become minus
        the distance from it; where no value is better than another they are undefined.
        """
        if all(column.better == "higher" for column in self.schema):
            return self
        schema = tuple(column.oriented() for column in self.schema)
        sideless = [i for i, column in enumerate(schema) if column.better == "neither"]
        words = "No value of this measure is better than another."
        reasons = {(row, i): words for row in range(len(self)) for i in sideless}
        return self.__replace__(
            values=oriented_values(self.values, self.schema),
            schema=schema,
            reasons=lambda: {**self.reasons, **reasons},
        )

    def normalised(
        self,
        method: Literal["range", "standard"] = "range",
        *,
        baseline: Measurements | Mapping[str, float] | Sequence[float] | Array | None = None,
        within: str | Sequence[str] | None = None,
        observed: Iterable[str | Named] = (),
    ) -> Measurements:
        """Bring all measures to one scale, on which higher is better.

        ``"range"`` is (v - zero) / (best - zero): best is the best value observed, zero the
        baseline, or without one the worst value observed. With the measurements of a constant
        prediction as the baseline and ``within="dataset"`` these are the normalised scores of
        caruana2004. ``"standard"`` is (v - mean) / standard deviation.

        Parameters
        ----------
        method
            ``"range"`` or ``"standard"``.
        baseline
            A table with one row, or one for each group (``m.where(model="constant")``); a number
            for each measure by name; or an array with a number for each column. All are as
            measured, not oriented.
        within
            The key or keys of groups that are scaled separately.
        observed
            Measures whose zero is the worst value observed although there is a baseline. CAL of
            caruana2004 is one: a constant prediction is nearly perfectly calibrated.

        Returns
        -------
        Measurements
            Undefined where nothing is better than the baseline or all values are equal. Infinite
            values set no scale and stay infinite. Two-level measures are scaled as one number.
        """
        from metricatlas.measurements.scaling import normalised

        return normalised(self, method, baseline, within, observed)

    def above(
        self,
        baseline: Measurements | Mapping[str, float] | Sequence[float] | Array,
        *,
        within: str | Sequence[str] | None = None,
        exempt: Iterable[str | Named] = (),
    ) -> Measurements:
        """Set aside the rows that are worse than a baseline under any measure.

        How many these are is said in ``notes``. Exempt measures decide nothing, as CAL in
        caruana2004; nor do undefined values, nor measures of which no value is better than another.

        >>> import metricatlas as ma
        >>> y, models = [0, 1, 1, 1], {"good": [0.2, 0.9, 0.7, 0.8], "bad": [0.9, 0.1, 0.8, 0.7]}
        >>> m = ma.evaluate(y, models, measures=["auc", "brier"])
        >>> m.above({"auc": 0.5, "brier": 0.1875}).rows["model"].tolist()
        ['good']
        """
        from metricatlas.measurements.scaling import above

        return above(self, baseline, within, exempt)

    # -- Elsewhere -------------------------------------------------------------------------------

    def to_pandas(self) -> pd.DataFrame:
        """Return a pandas frame: the keys, then the measures."""
        from metricatlas.measurements.frames import to_pandas

        return to_pandas(self)

    def to_polars(self) -> pl.DataFrame:
        """Return a polars frame; a repeated name gets a number, because polars has none twice."""
        from metricatlas.measurements.frames import to_polars

        return to_polars(self)

    def to_arrow(self) -> pa.Table:
        """Return an Arrow table: the keys, then the measures."""
        from metricatlas.measurements.frames import to_arrow

        return to_arrow(self)

    @classmethod
    def from_frame(
        cls,
        frame: object,
        keys: str | Sequence[str] = (),
        *,
        better: Mapping[str, Better] | None = None,
    ) -> Measurements:
        """Read measurements that were computed elsewhere from a frame of pandas, polars or Arrow.

        All columns but the keys are measures. Bounds are not checked. Names that no measure has
        count as higher-is-better, unless ``better`` says otherwise, and are noted in ``notes``.
        """
        from metricatlas.measurements.frames import from_frame

        return from_frame(frame, keys, better or {})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything that the table holds to a Parquet file, or nothing at all."""
        from metricatlas.measurements.files import save

        save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Measurements:
        """Read a table that was saved."""
        from metricatlas.measurements.files import load

        return load(path)

    # -- As an object ----------------------------------------------------------------------------

    def to_text(self, *, width: int | None = None, lines: int | None = None) -> str:
        """Return the terminal form, at most so wide, with at most so many rows of numbers."""
        from metricatlas.measurements.terminal import as_text

        return as_text(self, width, lines)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return self.to_text(lines=40)

    def _repr_html_(self) -> str:
        from metricatlas.measurements.notebook import as_html

        return as_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measurements):
            return NotImplemented
        return (
            self.schema == other.schema
            and self.notes == other.notes
            and same_keys(self.row_keys, other.row_keys)
            and np.array_equal(self.values, other.values, equal_nan=True)
            and dict(self.reasons) == dict(other.reasons)
            and self._same_levels(other)
        )

    def _same_levels(self, other: Measurements) -> bool:
        ours, theirs = self.pairs, other.pairs
        return ours.keys() == theirs.keys() and all(
            np.array_equal(ours[i], theirs[i], equal_nan=True) for i in ours
        )

    # Tables are compared by content, and content is mutable by force.
    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, name: str, value: object) -> NoReturn:
        msg = f"measurements are never changed; {name!r} cannot be set."
        raise AttributeError(msg)

    def __delattr__(self, name: str) -> NoReturn:
        msg = f"measurements are never changed; {name!r} cannot be deleted."
        raise AttributeError(msg)

    def __reduce__(self) -> tuple[Callable[..., Measurements], tuple[object, ...]]:
        # Reasons that are still to be worked out need what made the table, which stays behind.
        return _rebuilt, ({**self._parts(), "reasons": dict(self.reasons)},)

    def _parts(self) -> dict[str, Any]:
        """Everything that the constructor takes."""
        return {
            "values": self.values,
            "schema": self.schema,
            "row_keys": self.row_keys,
            "reasons": self._given_reasons,
            "levels": self.pairs,
            "notes": self.notes,
        }

    def __replace__(self, **changes: Any) -> Self:
        """Return the same table but for some of its parts, as `copy.replace` does."""
        return type(self)(**{**self._parts(), **changes})


def _rebuilt(parts: dict[str, Any]) -> Measurements:
    return Measurements(**parts)


def _check_shape(table: Array, schema: tuple[Column, ...], row_keys: RowKeys) -> None:
    if table.ndim != 2 or table.shape[1] != len(schema):
        msg = f"values must be rows by {len(schema)} columns; got the shape {table.shape}."
        raise MetricAtlasError(msg)
    for key, column in row_keys.items():
        if len(column) != len(table):
            msg = f"key {key!r} must have a value a row: {len(table)}; got {len(column)}."
            raise MetricAtlasError(msg)
