"""Groups: every model is evaluated within each, so the rows are put in the groups' order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.labels import distinct, look_up, missing_among, settled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
    #: For each key of the groups its value of each; none without groups.
    keys: Mapping[str, Sequence[Any] | Array] = field(default_factory=dict)


def one_segment(rows: int) -> Segments:
    """All rows in one, for there are no groups."""
    return Segments(np.array([0, rows], dtype=np.int64))


def read_groups(columns: Sequence[Table], kept: Array | None) -> Segments:
    """The groups in sorted order; those without any weighted row are not there."""
    called = ["group" if c.names is None or c.running else str(c.names[0]) for c in columns]
    keys = keys_called(called)
    titles = ["groups"] if len(columns) == 1 else [f"groups[{name!r}]" for name in called]
    coded = [_coded(c, Input(t, kept)) for c, t in zip(columns, titles, strict=True)]
    places, codes = combined([(own, len(names)) for names, own in coded])
    counts = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    ordered = bool((codes[1:] >= codes[:-1]).all())
    order = None if ordered else np.argsort(codes, kind="stable")
    values = [_taken(names, place) for (names, _), place in zip(coded, places, strict=True)]
    return Segments(starts, order, dict(zip(keys, values, strict=True)))


def read_clusters(columns: Sequence[Table], kept: Array | None) -> Array:
    """The number of each row's cluster; clusters are numbered in sorted order."""
    coded = [_coded(c, Input("clusters", kept)) for c in columns]
    _, codes = combined([(own, len(names)) for names, own in coded])
    return np.unique(codes, return_inverse=True)[1]


def keys_called(columns: Sequence[str]) -> tuple[str, ...]:
    """What columns are called as keys of the rows, beside those that name the models."""
    if len(set(columns)) < len(columns):
        names = ", ".join(map(repr, columns))
        msg = f"groups must have columns of different names; got {names}. Rename one."
        raise PredictionError(msg)
    keys: list[str] = []
    for name in columns:
        free = "group" if name in (MODEL, MEMBER) else name
        while free != name and (free in columns or free in keys):
            free += f"_{name}"
        keys.append(free)
    return tuple(keys)


def combined(columns: Sequence[tuple[Array, int]]) -> tuple[list[Array], Array]:
    """The combinations that occur, sorted, from the places of each column's values in its order.

    For each column the place of its value in each combination; for each row the number of its
    combination.
    """
    (codes, size), *others = columns
    places = [np.arange(size)]
    for own, count in others:
        # Numbered anew after every column, so that no product of their sizes is too large.
        found, codes = np.unique(codes * count + own, return_inverse=True)
        before, last = np.divmod(found, count)
        places = [*(place[before] for place in places), last]
    return places, codes


def _taken(names: Sequence[Any] | Array, places: Array) -> Sequence[Any] | Array:
    if isinstance(names, np.ndarray):
        return names[places]
    return [names[place] for place in places.tolist()]


def _coded(table: Table, what: Input) -> tuple[Sequence[Any] | Array, Array]:
    """The values of a column in their order, and for each row the place of its own."""
    values = what.pick(table.values[np.newaxis])
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
