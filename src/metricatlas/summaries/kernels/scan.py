"""The scan form of the ranking kernels: rows are sorted, and compiled passes run over them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.summaries.facts import Array, Request
from metricatlas.summaries.kernels import scan_rows, steps_slow
from metricatlas.summaries.kernels.scan_classes import mark_class, pair_facts, triple_rows
from metricatlas.summaries.kernels.scan_plan import Plan
from metricatlas.summaries.kernels.sorting import sorted_with_codes, sorted_with_numbers
from metricatlas.summaries.kernels.steps_row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Facts = dict[Request, Array]

#: Rows are sorted and scanned together up to so many examples, which the cache holds.
TOGETHER = 1 << 16


@dataclass(frozen=True, eq=False)
class Ordered:
    """Rows in ascending order of score, one behind the other, with what their examples carry."""

    scores: Array
    #: The class of each example; 1 is positive.
    codes: Array
    weight: Array | None
    #: Where each row begins, and where the last ends.
    bounds: Array

    @property
    def rows(self) -> int:
        """How many rows."""
        return len(self.bounds) - 1

    @property
    def longest(self) -> int:
        """How many examples the longest row has."""
        return int(np.diff(self.bounds).max(initial=0))

    def row(self, index: int) -> tuple[Array, Array, Array | None]:
        """Scores ascending, and the class and weight that go with them."""
        here = slice(self.bounds[index], self.bounds[index + 1])
        return (
            self.scores[here],
            self.codes[here],
            None if self.weight is None else self.weight[here],
        )

    def against_rest(self, wanted: int) -> Ordered:
        """The same rows with one class as the positive one."""
        positive = np.empty(len(self.codes), np.uint8)
        mark_class(self.codes, wanted, positive)
        return Ordered(self.scores, positive, self.weight, self.bounds)


@dataclass(frozen=True, eq=False)
class _Part:
    """Some models, or some segments of one, that are sorted and scanned together."""

    models: slice
    examples: slice
    starts: Array
    rows: slice

    def of(self, table: Array) -> Array:
        """Return its part of a table with a line a model, or one for all."""
        return table[self.models if len(table) > 1 else slice(None), self.examples]


def _parts(models: int, starts: Array) -> Iterator[_Part]:
    segments, examples = len(starts) - 1, int(starts[-1])
    if examples <= TOGETHER:
        step = max(1, TOGETHER // max(examples, 1))
        for first in range(0, models, step):
            last = min(first + step, models)
            yield _Part(
                slice(first, last), slice(None), starts, slice(first * segments, last * segments)
            )
        return
    for model, (begin, end) in itertools.product(range(models), _runs(starts)):
        where = slice(int(starts[begin]), int(starts[end]))
        rows = slice(model * segments + begin, model * segments + end)
        yield _Part(slice(model, model + 1), where, starts[begin : end + 1] - starts[begin], rows)


def _runs(starts: Array) -> list[tuple[int, int]]:
    """Runs of segments that go together: as many as fit, at least one."""
    runs, begin = [], 0
    while begin < len(starts) - 1:
        end = int(np.searchsorted(starts, starts[begin] + TOGETHER, side="right")) - 1
        end = max(end, begin + 1)
        runs.append((begin, end))
        begin = end
    return runs


def ordered(
    scores: Array, codes: Array, weight: Array | None, starts: Array, classes: int = 2
) -> Ordered:
    """Put every segment (given by `starts`) of every model in order; this is the only sort."""
    lengths = np.diff(starts)
    bounds = np.zeros(len(scores) * len(lengths) + 1, np.int64)
    np.cumsum(np.tile(lengths, len(scores)), out=bounds[1:])
    scores, codes, starts = _writable(scores), _plain(codes), _plain(starts)
    if weight is None:
        together = sorted_with_codes(scores, codes, starts, bounds, classes)
        if together is not None:
            return Ordered(*together, None, bounds)
    sorted_scores, order = sorted_with_numbers(scores, starts, bounds)
    sorted_codes = np.empty(bounds[-1], codes.dtype)
    sorted_weight = None if weight is None else np.empty(bounds[-1])
    held = None if weight is None else _plain(weight)
    scan_rows.gather(order, codes, held, starts, bounds, sorted_codes, sorted_weight)
    return Ordered(sorted_scores, sorted_codes, sorted_weight, bounds)


class _Alias:
    """Memory of an array under another flag; keeps the array alive."""

    def __init__(self, array: Array) -> None:
        self.array = array
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


def _plain(array: Array) -> Array:
    """The array in one piece and not marked read-only."""
    return _writable(np.ascontiguousarray(array))


def _writable(array: Array) -> Array:
    """The array not marked read-only: each mark would be compiled anew. Nothing writes to it."""
    return array if array.flags.writeable else np.asarray(_Alias(array))


def scan(rows: Ordered, requests: Sequence[Request]) -> Facts:
    """Facts of ordered rows."""
    plan = Plan(requests)
    found = plan.run(rows.scores, rows.codes, rows.weight, rows.bounds, rows.longest)
    if plan.slow:
        found |= _slow(rows, plan.slow)
    return found


def _slow(rows: Ordered, requests: Sequence[Request]) -> Facts:
    """What iterates, in plain arrays."""
    facts = {fact.__name__: fact for fact in steps_slow.FACTS}
    values: dict[Request, list[object]] = {request: [] for request in requests}
    for index in range(rows.rows):
        scores, positive, weight = rows.row(index)
        whole = weight is None or bool((weight == np.floor(weight)).all())
        row = Row(scores, positive, weight, whole=whole)
        for name, arguments in requests:
            with np.errstate(all="ignore"):
                values[name, arguments].append(facts[name](row, *arguments))
    return {request: np.array(numbers) for request, numbers in values.items()}


def ranking_facts(
    scores: Array,
    positive: Array,
    weight: Array | None,
    starts: Array,
    requests: Sequence[Request],
    also: Callable[[Ordered, slice], None] | None = None,
) -> Facts:
    """Facts of every model (k, n) on every segment, ``(k * segments, *shape)``.

    `also` is handed each lot of rows when it is in order, and which of the rows it is.
    """
    lots: list[Facts] = []
    for part in _parts(len(scores), starts):
        held = None if weight is None else weight[part.examples]
        rows = ordered(part.of(scores), part.of(positive), held, part.starts)
        lots.append(scan(rows, requests))
        if also is not None:
            also(rows, part.rows)
    return {request: np.concatenate([lot[request] for lot in lots]) for request in requests}


def class_facts(
    values: Array,
    truth: Array,
    weight: Array | None,
    starts: Array,
    requests: Sequence[Request],
    pairwise: Sequence[Request],
    also: Callable[[Ordered, slice, int], None] | None = None,
) -> tuple[Facts, Facts]:
    """Facts of each class against the rest and against each other, both by the class's column.

    Each column is sorted once, with the class of each example.
    """
    classes = values.shape[2]
    truth = truth.astype(np.uint8 if classes <= 256 else np.int64, copy=False)
    own: list[list[Facts]] = [[] for _ in range(classes)]
    pairs: list[list[Facts]] = [[] for _ in range(classes)]
    for part, j in itertools.product(_parts(len(values), starts), range(classes)):
        held = None if weight is None else weight[part.examples]
        column = part.of(values)[:, :, j]
        rows = ordered(column, part.of(truth), held, part.starts, classes)
        pairs[j].append(against_each(rows, j, classes, pairwise))
        if requests or also is not None:
            against_rest = rows.against_rest(j)
            own[j].append(scan(against_rest, requests))
            if also is not None:
                also(against_rest, part.rows, j)
    return _stacked(own, requests), _stacked(pairs, pairwise)


def _stacked(by_class: list[list[Facts]], requests: Sequence[Request]) -> Facts:
    """Put lots of rows of each class into one array, the class behind the row."""
    return {
        request: np.stack([np.concatenate([lot[request] for lot in lots]) for lots in by_class], 1)
        for request in requests
    }


def against_each(rows: Ordered, wanted: int, classes: int, requests: Sequence[Request]) -> Facts:
    """Facts of one class against each other, nothing on the diagonal."""
    if not requests:
        return {}
    names = {name for name, _ in requests}
    out = np.zeros((rows.rows, 3, classes))
    pair_facts(
        rows.scores,
        rows.codes,
        rows.weight,
        rows.bounds,
        wanted,
        "wins" in names,
        "margin" in names,
        out,
    )
    masses, wins, margins = out[:, 0], out[:, 1], out[:, 2]
    ours = np.repeat(masses[:, wanted : wanted + 1], classes, axis=1)
    table = {"positives": ours, "negatives": masses, "wins": wins, "margin": margins}
    others = np.arange(classes) != wanted
    return {request: np.where(others, table[request[0]], 0.0) for request in requests}


def triples(scores: Array, truth: Array, weight: Array | None, starts: Array) -> Array:
    """Mass of triples, one of each of three classes, in order of class; ties count 1/2 or 1/6."""
    truth = truth.astype(np.uint8, copy=False)
    lots = []
    for part in _parts(len(scores), starts):
        held = None if weight is None else weight[part.examples]
        rows = ordered(part.of(scores), part.of(truth), held, part.starts, classes=3)
        lots.append(triples_of(rows))
    return np.concatenate(lots)


def triples_of(rows: Ordered) -> Array:
    """Mass of triples that are in order, of ordered rows."""
    out = np.empty(rows.rows)
    triple_rows(rows.scores, rows.codes, rows.weight, rows.bounds, out)
    return out
