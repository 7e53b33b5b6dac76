"""Attributes made into numbers: what is needed for that is learnt from the training rows alone."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import pandas as pd

from metricatlas.errors import PopulationError
from metricatlas.populations.learners.estimators import Array, Transformer

Nominal = Literal["boolean", "ordered", "codes"]
Missing = Literal["keep", "replace", "zero"]
Scale = Literal["none", "unit", "symmetric", "standard"]


class Attributes(Transformer):
    """Turn a frame of numeric and nominal attributes into a matrix of numbers.

    Numeric columns stay numbers. Nominal ones are columns that pandas holds as categories; texts
    and booleans count as nominal too. A value that the training rows cannot know, since its
    column does not declare it, is missing.

    Parameters
    ----------
    nominal
        "boolean": a column of 0 and 1 for each declared value, one column where there are two.
        "codes": the number of the value among those declared, never scaled. "ordered": the same
        with the values put in an order by the classes of the training rows, so that a cut parts the
        values as a tree would part them.
    missing
        "keep": NaN. "replace": the mean of the training rows, or their most frequent value.
        "zero": 0 after scaling.
    scale
        "unit": the training rows fill 0 to 1. "symmetric": they fill -1 to 1. "standard": they
        have mean 0 and standard deviation 1. A constant becomes 0.

    Examples
    --------
    >>> frame = pd.DataFrame({"size": [1.0, 3.0], "colour": pd.Categorical(["red", "blue"])})
    >>> Attributes(scale="unit").fit(frame).transform(frame)
    array([[0., 1.],
           [1., 0.]])
    """

    def __init__(
        self,
        nominal: Nominal = "boolean",
        missing: Missing = "replace",
        scale: Scale = "none",
    ) -> None:
        self.nominal = nominal
        self.missing = missing
        self.scale = scale

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn values, means and ranges from the training rows."""
        self._learn(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Array:
        """Learn from the training rows and turn them into numbers."""
        return self._scaled(self._learn(X, y))

    def transform(self, X: Any) -> Array:
        """Turn rows into numbers by what was learnt."""
        frame = as_frame(X)
        if list(frame.columns) != self.columns_:
            raise PopulationError(
                "rows must have the attributes of the training rows, in their order: "
                f"{self.columns_}; got {list(frame.columns)}."
            )
        return self._scaled(self._encoded(self._raw(frame)))

    def _learn(self, X: Any, y: Any) -> Array:
        """Learn from the training rows; return them encoded, not scaled yet."""
        frame = as_frame(X)
        if not len(frame):
            raise PopulationError("a model needs training rows; got none.")
        self.columns_: list[Any] = list(frame.columns)
        #: The declared values of each nominal column; None for a numeric one.
        self.values_ = [values_of(column, i) for i, (_, column) in enumerate(frame.items())]
        raw = self._raw(frame)
        self.fill_ = np.array([self._usual(raw[:, i], v) for i, v in enumerate(self.values_)])
        if self.nominal == "ordered":
            self.order_ = [
                None if v is None else places(raw[:, i], len(v), np.asarray(y))
                for i, v in enumerate(self.values_)
            ]
        matrix = self._encoded(raw)
        if self.scale != "none":
            self.shift_, self.width_ = _measure(matrix, self.scale)
            if self.nominal == "codes":
                self.shift_[self.nominal_], self.width_[self.nominal_] = 0.0, 1.0
        return matrix

    def _scaled(self, matrix: Array) -> Array:
        if self.scale != "none":
            matrix -= self.shift_
            matrix /= self.width_
        if self.missing == "zero":
            matrix[np.isnan(matrix)] = 0.0
        return matrix

    @property
    def sizes_(self) -> list[int]:
        """How many values each column declares; 0 for a numeric one."""
        return [0 if v is None else len(v) for v in self.values_]

    @property
    def nominal_(self) -> Array:
        """Which columns are nominal."""
        return np.array([v is not None for v in self.values_], dtype=bool)

    def _raw(self, frame: pd.DataFrame) -> Array:
        """Numbers and the codes of nominal values, with NaN where something is missing."""
        matrix = np.empty(frame.shape)
        for i, ((_, column), values) in enumerate(zip(frame.items(), self.values_, strict=True)):
            matrix[:, i] = numbers(column, i) if values is None else codes(column, values)
        return matrix

    def _usual(self, column: Array, values: pd.Index[Any] | None) -> float:
        """The mean of a numeric column, the most frequent value of a nominal one."""
        known = column[~np.isnan(column)]
        if not len(known):
            return 0.0
        if values is None:
            return float(known.mean())
        return float(np.bincount(known.astype(np.intp)).argmax())

    def _encoded(self, raw: Array) -> Array:
        if self.missing == "replace":
            raw = np.where(np.isnan(raw), self.fill_, raw)
        if self.nominal == "codes":
            return raw
        if self.nominal == "ordered":
            return np.column_stack(
                [
                    raw[:, i] if order is None else placed(raw[:, i], order)
                    for i, order in enumerate(self.order_)
                ]
            )
        parts = [
            raw[:, [i]] if v is None else indicators(raw[:, i], len(v))
            for i, v in enumerate(self.values_)
        ]
        return np.hstack(parts) if parts else raw


def as_frame(X: Any) -> pd.DataFrame:
    """Rows as a frame; an array has numbered columns."""
    return X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))


def values_of(column: pd.Series[Any], place: int) -> pd.Index[Any] | None:
    """The values that a nominal column declares, or has in the training rows; None if numeric."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return column.dtype.categories
    if pd.api.types.is_bool_dtype(column.dtype):
        return pd.Index([False, True])
    if pd.api.types.is_numeric_dtype(column.dtype) and column.dtype.kind in "iuf":
        return None
    if pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column.dtype):
        return pd.Index(sorted(column.dropna().unique(), key=str))
    raise PopulationError(
        f"attributes must be numbers or nominal; column {place + 1}, {column.name!r}, is "
        f"{column.dtype}. Turn it into numbers or into categories first."
    )


def numbers(column: pd.Series[Any], place: int) -> Array:
    """A numeric column as floats; NaN is missing, and infinite values are refused."""
    try:
        found = column.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise PopulationError(
            f"column {place + 1}, {column.name!r}, holds numbers in the training rows; "
            f"got {column.dtype}."
        ) from None
    if np.isinf(found).any():
        raise PopulationError(
            f"attributes must be finite or missing; column {place + 1}, {column.name!r}, has "
            "infinite values. Replace them or leave the rows out."
        )
    return found


def codes(column: pd.Series[Any], values: pd.Index[Any]) -> Array:
    """The number of each value among those declared; NaN for missing and unknown ones."""
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype) and dtype.categories.equals(values):
        found = column.array.codes.astype(np.float64)
    else:
        found = values.get_indexer(pd.Index(column.astype(object))).astype(np.float64)
    found[found < 0] = np.nan
    return found


def indicators(column: Array, count: int) -> Array:
    """A column of 0 and 1 for each value; one alone where there are two."""
    known = np.isnan(column)
    wanted = np.array([1.0]) if count == 2 else np.arange(count, dtype=np.float64)
    found = (column[:, None] == wanted).astype(np.float64)
    found[known] = np.nan
    return found


def placed(column: Array, order: Array) -> Array:
    """The place of each value in an order; NaN stays."""
    found = np.full(len(column), np.nan)
    known = ~np.isnan(column)
    found[known] = order[column[known].astype(np.intp)]
    return found


def places(column: Array, count: int, target: Array) -> Array:
    """Give each value of a nominal column its place in an order by the classes.

    With two classes that is the share of one of them, and then some cut through the order is the
    best of all ways to part the values into two (Breiman and others, 1984, section 4.2). With more
    it is the first principal component of the values' class shares (Coppersmith and others, 1999).
    Values that no training row has stand in the middle.
    """
    known = ~np.isnan(column)
    _, classes = np.unique(target, return_inverse=True)
    table = np.zeros((count, classes.max(initial=0) + 1))
    np.add.at(table, (column[known].astype(np.intp), classes[known]), 1.0)
    sizes = table.sum(axis=1)
    there = np.flatnonzero(sizes)
    if len(there) < 2:
        return np.zeros(count)
    shares = table[there] / sizes[there, None]
    mean = np.average(shares, axis=0, weights=sizes[there])
    spread = (shares - mean) * np.sqrt(sizes[there, None])
    axis = np.linalg.svd(spread, full_matrices=False)[2][0]
    score = (shares - mean) @ (axis * np.sign(axis[np.abs(axis).argmax()]))
    found = np.full(count, (len(there) - 1) / 2)
    found[there[np.argsort(np.round(score, 12), kind="stable")]] = np.arange(len(there))
    return found


def _measure(matrix: Array, scale: Scale) -> tuple[Array, Array]:
    """What to subtract from each column and what to divide by."""
    empty = np.isnan(matrix).all(axis=0)
    known = np.where(empty, 0.0, matrix)
    low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    if scale == "standard":
        shift, width = np.nanmean(known, axis=0), np.nanstd(known, axis=0)
    elif scale == "unit":
        shift, width = low, high - low
    else:
        shift, width = low + (high - low) / 2, (high - low) / 2
    constant = low == high
    shift[constant], width[constant] = low[constant], 1.0
    return shift, width
