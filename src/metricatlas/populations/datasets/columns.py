"""Columns as learners meet them: numbers, or categories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PopulationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd


def as_columns(features: Any, name: str) -> pd.DataFrame:
    """Give a frame of float64 columns and categories whose names are text."""
    import pandas as pd

    if not isinstance(features, pd.DataFrame):
        matrix = np.asarray(features)
        if matrix.ndim != 2:
            msg = (
                f"the features of {name} must be a frame or a matrix; got {matrix.ndim} dimensions."
            )
            raise PopulationError(msg)
        features = pd.DataFrame(matrix, columns=[f"x{i}" for i in range(1, matrix.shape[1] + 1)])
    names = [str(column) for column in features.columns]
    if len(set(names)) < len(names):
        twice = next(column for i, column in enumerate(names) if column in names[:i])
        raise PopulationError(
            f"{name} must have columns of different names; {twice!r} is there twice."
        )
    found = {
        column: _column(features.iloc[:, i], f"{column!r} of {name}")
        for i, column in enumerate(names)
    }
    return pd.DataFrame(found, index=pd.RangeIndex(len(features)), columns=names, copy=False)


def _column(column: pd.Series[Any], what: str) -> Any:
    import pandas as pd

    if not (pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column)):
        return as_nominal(column, what)
    if pd.api.types.is_complex_dtype(column):
        raise PopulationError(f"{what} must be real numbers; got {column.dtype}.")
    values = column.to_numpy(np.float64, na_value=np.nan)
    if np.isinf(values).any():
        raise PopulationError(f"{what} must be finite numbers or missing; got an infinite one.")
    return values


def as_nominal(values: Any, what: str) -> pd.Categorical:
    """Give categories that are text: those that are declared, else those found, in order."""
    import pandas as pd

    column = values if isinstance(values, pd.Series) else pd.Series(_one_dimension(values, what))
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes = column.cat.codes.to_numpy(np.int32)
        names = _names(column.cat.categories, what)
    else:
        codes, names = _found(column, what)
    return pd.Categorical.from_codes(codes, categories=pd.Index(names, dtype=object))


def _found(column: pd.Series[Any], what: str) -> tuple[np.ndarray[Any, Any], list[str]]:
    import pandas as pd

    try:
        codes, values = pd.factorize(column)
    except TypeError as error:
        raise PopulationError(f"{what} must be single values; {error}.") from error
    names = _names(values, what)
    order = sorted(range(len(names)), key=lambda i: _sorting(names[i]))
    # What is missing has the code -1, which is the last.
    places = np.full(len(names) + 1, -1, np.int32)
    places[order] = range(len(names))
    return places[codes], [names[i] for i in order]


def _names(values: Iterable[object], what: str) -> list[str]:
    names = [_name(value, what) for value in values]
    if len(set(names)) < len(names):
        twice = next(name for i, name in enumerate(names) if name in names[:i])
        msg = f"{what} must have different values; two of them are written {twice!r}."
        raise PopulationError(msg)
    return names


def _one_dimension(values: Any, what: str) -> Any:
    array = np.asarray(values, dtype=object) if isinstance(values, list | tuple) else values
    if np.ndim(array) != 1:
        raise PopulationError(f"{what} must be one column; got {np.ndim(array)} dimensions.")
    return array


def _name(value: object, what: str) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_ | int | np.integer):
        return str(value)
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    msg = f"{what} must be text, whole numbers or booleans; got {value!r}."
    raise PopulationError(msg)


def _sorting(name: str) -> tuple[int, float, str]:
    """Put whole numbers in their order, before the rest in its own."""
    try:
        return 0, int(name), name
    except ValueError:
        return 1, 0, name
