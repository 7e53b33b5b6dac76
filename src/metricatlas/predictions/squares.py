"""A matrix of classes in a frame of any library, as a frame of pandas, whose rows have names."""

from __future__ import annotations

from typing import Any

from metricatlas.errors import PredictionError
from metricatlas.predictions.containers import read_table


def is_frame(thing: object) -> bool:
    """Whether it has columns, which a matrix of NumPy has not."""
    return hasattr(type(thing), "columns")


def has_row_names(frame: Any) -> bool:
    """Whether it is a frame of pandas, or of a library like it."""
    return all(hasattr(type(frame), name) for name in ("columns", "index", "to_numpy"))


def unwrapped(frame: Any) -> Any:
    """The frame itself, where narwhals holds it."""
    import narwhals.stable.v1 as nw

    return nw.to_native(frame, pass_through=True)


def with_row_names(frame: Any, title: str) -> Any:
    """The frame with names for its rows: where these have none, those of the columns in order."""
    frame = unwrapped(frame)
    if has_row_names(frame):
        return frame
    table = read_table(frame, title)
    names = list(table.names or ())
    if table.values.shape != (len(names), len(names)):
        msg = (
            f"{title} must have a row and a column for each class; got the shape "
            f"{table.values.shape} with the columns {names}. Leave other columns out."
        )
        raise PredictionError(msg)
    import pandas as pd

    if names == [f"column_{i}" for i in range(len(names))]:
        # Names that polars makes up where nobody gave any.
        return pd.DataFrame(table.values)
    return pd.DataFrame(table.values, index=names, columns=names)
