"""The array form of the ranking kernels: plain NumPy, one row after the other, for small inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from metricatlas.summaries.facts import Array, Request
from metricatlas.summaries.kernels import (
    steps_curve,
    steps_hull,
    steps_points,
    steps_slow,
    steps_windows,
)
from metricatlas.summaries.kernels.steps_row import Row, cumulated, cumulated_precisely

Fact = Callable[..., float | tuple[float, ...] | Array]
#: What to call for the fact of each name.
FACTS: dict[str, Fact] = {
    fact.__name__: fact
    for module in (steps_curve, steps_points, steps_hull, steps_windows, steps_slow)
    for fact in module.FACTS
}


@dataclass(frozen=True, eq=False)
class Ordered:
    """Rows in order of score, for whoever wants to read more off them without sorting again."""

    rows: tuple[Row, ...]

    def row(self, index: int) -> tuple[Array, Array, Array | None]:
        """Scores ascending, and the class (1 = positive) and weight that go with them."""
        row = self.rows[index]
        weight = None if row.weight is None else row.weight[::-1]
        return -row.turned[::-1], row.labels[::-1], weight


class _Readings:
    """The facts read off row after row."""

    def __init__(self, requests: Sequence[Request]) -> None:
        self.requests = list(dict.fromkeys(requests))
        self.steps = [(FACTS[name], arguments) for name, arguments in self.requests]
        self.rows: list[list[float | tuple[float, ...] | Array]] = []

    def read(self, row: Row) -> None:
        self.rows.append([fact(row, *arguments) for fact, arguments in self.steps])

    def arrays(self, *batch: int) -> dict[Request, Array]:
        """Return each fact with these axes in front; all numbers become arrays at once."""
        numbers = [i for i, value in enumerate(self.rows[0]) if isinstance(value, float)]
        table = np.array([[values[i] for i in numbers] for values in self.rows])
        columns = dict(zip(numbers, table.T.reshape(-1, *batch).copy(), strict=True))
        return {
            request: columns[i] if i in columns else self._stacked(i, batch)
            for i, request in enumerate(self.requests)
        }

    def _stacked(self, index: int, batch: tuple[int, ...]) -> Array:
        stack = np.array([values[index] for values in self.rows])
        return stack if len(batch) == 1 else stack.reshape(*batch, *stack.shape[1:])


def _is_whole(weight: Array | None) -> bool:
    """Return whether all weights are whole numbers, so that sums of them are exact."""
    return weight is None or bool((weight == np.floor(weight)).all())


def _pieces(
    values: Array, truth: Array, weight: Array | None, starts: Array
) -> Iterator[tuple[Array, Array, Array | None]]:
    """Return values, truth and weight of each model's segments, models outermost."""
    bounds = starts.tolist()
    for model in range(len(values)):
        known = truth[model if len(truth) > 1 else 0]
        for begin, end in pairwise(bounds):
            part = None if weight is None else weight[begin:end]
            yield values[model, begin:end], known[begin:end], part


def ranking_facts(
    scores: Array,
    positive: Array,
    weight: Array | None,
    starts: Array,
    requests: Sequence[Request],
    also: Callable[[Ordered, slice], None] | None = None,
) -> dict[Request, Array]:
    """Facts of every model (k, n) on every segment, ``(k * segments, *shape)``.

    `also` is handed each row when it is in order, and which of the rows it is.
    """
    readings = _Readings(requests)
    whole = _is_whole(weight)
    with np.errstate(all="ignore"):
        for i, piece in enumerate(_pieces(scores, positive, weight, starts)):
            row = Row(*piece, whole=whole)
            readings.read(row)
            if also is not None:
                also(Ordered((row,)), slice(i, i + 1))
    return readings.arrays(len(scores) * (len(starts) - 1))


def class_facts(
    values: Array,
    truth: Array,
    weight: Array | None,
    starts: Array,
    requests: Sequence[Request],
    pairwise: Sequence[Request],
    also: Callable[[Ordered, slice, int], None] | None = None,
) -> tuple[dict[Request, Array], dict[Request, Array]]:
    """Facts of each class against the rest and against each other class, ranked by its column."""
    rows, classes = len(values) * (len(starts) - 1), values.shape[2]
    readings = _Readings(requests)
    pairs = {request: np.zeros((rows, classes, classes)) for request in pairwise}
    whole = _is_whole(weight)
    with np.errstate(all="ignore"):
        for i, (block, known, part) in enumerate(_pieces(values, truth, weight, starts)):
            for j, column in enumerate(np.ascontiguousarray(block.T)):
                row = Row(column, (known == j).astype(np.uint8), part, whole=whole)
                readings.read(row)
                if pairs:
                    _read_pairs(row, j, _by_class(row, known, classes), pairs, i)
                if also is not None:
                    also(Ordered((row,)), slice(i, i + 1), j)
    return readings.arrays(rows, classes), pairs


def _by_class(row: Row, truth: Array, classes: int) -> Array:
    """Return the mass of each class (first axis) in each block."""
    mass = (truth.take(row.order) == np.arange(classes)[:, np.newaxis]).astype(np.float64)
    if row.weight is not None:
        mass *= row.weight
    return row.packed(mass)


def _below(row: Row, masses: Array) -> Array:
    """Return the mass of each class below each block."""
    if row.whole:
        sums = cumulated(masses)
        return sums[:, -1:] - sums[:, 1:]
    return cumulated_precisely(np.ascontiguousarray(masses[:, ::-1]))[:, -2::-1]


def _read_pairs(row: Row, j: int, masses: Array, pairs: dict[Request, Array], i: int) -> None:
    """Fill in class j against each other class, for row i of the table."""
    for (name, _), values in pairs.items():
        if name == "positives":
            values[i, j] = row.positives
        elif name == "negatives":
            values[i, j] = np.add.reduce(masses, axis=1)
        elif name == "wins":
            values[i, j] = np.add.reduce(masses * (row.tp[:-1] + 0.5 * row.p), axis=1)
        else:
            crossed = (row.x[:-1] - row.x[1:]) * row.tp[1:-1]
            values[i, j] = np.add.reduce(_below(row, masses)[:, :-1] * crossed, axis=1)
        values[i, j, j] = 0.0


def triples(scores: Array, truth: Array, weight: Array | None, starts: Array) -> Array:
    """Mass of triples, one of each of three classes, in order of class; ties count 1/2 or 1/6."""
    whole = _is_whole(weight)
    found = []
    with np.errstate(all="ignore"):
        for values, known, part in _pieces(scores, truth, weight, starts):
            row = Row(values, (known == 2).astype(np.uint8), part, whole=whole)
            masses = _by_class(row, known, 3)
            first, second, third = masses
            below, above = _below(row, masses)[0], row.tp[:-1]
            ordered = below * above + 0.5 * (below * third + first * above) + first * third / 6
            found.append(float(second.dot(ordered)))
    return np.array(found)
