"""Groups: every model is evaluated within each, so the rows are put in the groups' order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.labels import distinct, look_up, missing_among, settled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.predictions.containers import Table
    from metricatlas.predictions.model import Array

#: Keys that name the models.
MODEL, MEMBER = "model", "member"


@dataclass(frozen=True, slots=True)
class Segments:
    """Where the groups' rows are, once they are put in order."""

    #: Where each segment begins, and the end.
    starts: Array
    #: The rows in the groups' order; None if they are so already.
    order: Array | None = None
    #: The key's name and the groups' names; None without groups.
    key: str | None = None
    names: Sequence[Any] | Array = ()


def one_segment(rows: int) -> Segments:
    """All rows in one, for there are no groups."""
    return Segments(np.array([0, rows], dtype=np.int64))


def read_groups(table: Table, kept: Array | None) -> Segments:
    """The groups in sorted order; those without any weighted row are not there."""
    what = Input("groups", kept)
    values = what.pick(table.values[np.newaxis])
    names, codes = _coded(values, what)
    counts = np.bincount(codes, minlength=len(names))
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    ordered = bool((codes[1:] >= codes[:-1]).all())
    order = None if ordered else np.argsort(codes, kind="stable")
    return Segments(starts, order, _key(table), names)


def _key(table: Table) -> str:
    name = "group" if table.names is None or table.running else str(table.names[0])
    return "group" if name in (MODEL, MEMBER) else name


def _coded(values: Array, what: Input) -> tuple[Sequence[Any] | Array, Array]:
    """The groups' names, and for each row the number of its group."""
    if values.dtype.kind in "OT":
        return _coded_objects(values.astype(object), what)
    values = settled(values, what)
    # NaN and NaT are the values that differ from themselves.
    missing = values != values  # noqa: PLR0124
    if missing.any():
        raise what.refuse_missing(missing)
    if values.dtype == object or values.dtype.kind in "bi":
        names = distinct(values)
        return list(names), look_up(values, names)[0][0]
    if values.dtype.kind not in "ufmM":
        msg = f"{what} must be text, numbers, booleans or dates; got the type {values.dtype}."
        raise PredictionError(msg)
    found, codes = np.unique(values[0], return_inverse=True)
    return found, codes


def _coded_objects(values: Array, what: Input) -> tuple[Sequence[Any], Array]:
    """Anything that can be told apart and sorted, such as intervals and dates."""
    missing = missing_among(values)
    if missing.any():
        raise what.refuse_missing(missing)
    flat = values[0].tolist()
    try:
        names = sorted(set(flat))
    except (TypeError, ValueError, OverflowError) as error:
        kinds = " and ".join(sorted({type(x).__name__ for x in flat}))
        msg = f"{what} must be of one kind that can be sorted; got {kinds}. Make them text."
        raise PredictionError(msg) from error
    place = {name: i for i, name in enumerate(names)}
    return names, np.array([place[x] for x in flat], dtype=np.int64)
