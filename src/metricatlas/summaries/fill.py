"""From predictions to facts: which form of the kernels runs, over which views.

A *view* is a way of looking at scores as a ranking of two classes. ``class``: of two classes the
positive one, of more each against the rest. ``pairwise``: each class against each other one, by its
own column. ``both``: each of two classes against the other. ``pair``: by the difference of two
columns. ``top``: right against wrong decisions by the largest value. ``expected``: three classes by
the mean class index.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metricatlas.summaries.facts import Array, Request

if TYPE_CHECKING:
    from types import ModuleType

    from metricatlas.predictions import Predictions

View = Literal["class", "pairwise", "both", "pair", "top", "expected"]
Target = Literal["confusion", "probabilities"] | View
Facts = dict[Request, Array]
Form = Literal["array", "scan"]
Wanted = Mapping[Target, Iterable[Request]]
#: A module of kernels, or whoever has functions of the same names.
Kernel = Any
#: Is shown rows in order: number, class of many, scores ascending, which are positive, weights.
Watcher = Callable[[int, int, Array, Array, Array | None], None]

NOBODY: Mapping[View, Watcher] = MappingProxyType({})

#: Up to so many examples a model, and so many numbers in all, plain arrays are quick enough, and
#: need nothing compiled or imported.
FEW = 5_000
FEW_IN_ALL = 50_000
#: From so many numbers on, more than one thread pays.
MANY = 200_000


def form(predictions: Predictions) -> Form:
    """Which form of the kernels serves these predictions; it depends on their size only.

    Whole weights count as so many examples: plain arrays would have a place for each.
    """
    values, weight = predictions.values, predictions.weight
    mass = 0.0 if weight is None or predictions.fractional else weight.sum()
    few = max(values.shape[1], mass) <= FEW and values.size <= FEW_IN_ALL
    return "array" if few else "scan"


def summarise(
    predictions: Predictions, wanted: Wanted, watchers: Mapping[View, Watcher] = NOBODY
) -> dict[Target, Facts]:
    """The wanted facts of each target, with the rows of the table as their first axis.

    Watchers are shown every row of their view when it is in order, so that nobody sorts again.
    """
    # Chosen once, for all threads: how many there are must not change the values.
    kernels = form(predictions)
    workers = _workers(predictions)

    def block(part: Predictions, first: int) -> dict[Target, Facts]:
        row = first * predictions.segments
        shown = {view: Shown(watcher, row) for view, watcher in watchers.items()}
        views = TwoClassViews if part.binary else ManyClassViews
        return summarised(part, partial(_kernel, kernels), views, shown, wanted)

    if workers == 1:
        return block(predictions, 0)
    cuts = np.linspace(0, predictions.models, workers + 1).astype(int).tolist()
    blocks = [_models(predictions, first, end) for first, end in pairwise(cuts)]
    with ThreadPoolExecutor(workers) as pool:
        parts = list(pool.map(block, blocks, cuts))
    return {
        target: {
            request: np.concatenate([part[target][request] for part in parts]) for request in facts
        }
        for target, facts in parts[0].items()
    }


def _workers(predictions: Predictions) -> int:
    if predictions.values.size < MANY or predictions.models == 1:
        return 1
    return max(1, min(threads(), predictions.models))


def threads() -> int:
    """How many threads work on many models: METRICATLAS_THREADS, or one a core."""
    given = os.environ.get("METRICATLAS_THREADS", "")
    if given.isdigit() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Shown:
    """Shows the rows of a block to a watcher, under their numbers in the whole table."""

    watcher: Watcher
    first: int

    def __call__(self, ordered: Any, rows: slice, column: int = 1) -> None:
        """Show rows that are in order."""
        for place, row in enumerate(range(rows.start, rows.stop)):
            self.watcher(self.first + row, column, *ordered.row(place))


def _models(predictions: Predictions, first: int, end: int) -> Predictions:
    truth = predictions.truth[first:end] if len(predictions.truth) > 1 else predictions.truth
    return replace(predictions, values=predictions.values[first:end], truth=truth)


def summarised(
    predictions: Predictions,
    kernel: Callable[[str], Kernel],
    views: type[TwoClassViews | ManyClassViews],
    shown: Mapping[View, Shown],
    wanted: Wanted,
) -> dict[Target, Facts]:
    """The wanted facts, from the kernels that serve each subject."""
    asked = {target: list(requests) for target, requests in wanted.items()}
    found: dict[Target, Facts] = {}
    with np.errstate(all="ignore"):
        if "confusion" in asked:
            own = asked.pop("confusion")
            found["confusion"] = _confusion(predictions, kernel("confusion_"), own)
        if "probabilities" in asked:
            own = asked.pop("probabilities")
            found["probabilities"] = _probabilities(predictions, kernel("probability_"), own)
        if asked:
            found |= views(predictions, kernel(""), shown).facts(asked)  # type: ignore[arg-type]
    return found


@cache
def _kernel(kernels: Form, subject: str) -> ModuleType:
    from importlib import import_module

    file = "steps" if kernels == "array" else "scan"
    return import_module(f"metricatlas.summaries.kernels.{subject}{file}")


def _confusion(predictions: Predictions, kernel: Kernel, requests: list[Request]) -> Facts:
    p = predictions
    found: Facts = kernel.confusion_facts(
        p.values, p.truth, p.weight, p.starts, len(p.classes), p.kind, p.threshold, requests
    )
    return found


def _probabilities(predictions: Predictions, kernel: Kernel, requests: list[Request]) -> Facts:
    p = predictions
    found: Facts = kernel.probabilities_facts(
        p.values, p.truth, p.weight, p.starts, len(p.classes), requests
    )
    return found


class TwoClassViews:
    """The views of two classes."""

    def __init__(
        self, predictions: Predictions, kernel: Kernel, shown: Mapping[View, Shown]
    ) -> None:
        self.predictions = predictions
        self.kernel = kernel
        self.shown = shown

    def facts(self, asked: dict[View, list[Request]]) -> dict[Target, Facts]:
        """The facts asked for, by view."""
        p, found = self.predictions, dict[Target, Facts]()
        sides: tuple[View, ...] = ("class", "pair", "pairwise")
        own = tuple({r: None for side in sides for r in asked.get(side, ())})
        if own:
            facts = self.kernel.ranking_facts(
                p.values, p.truth, p.weight, p.starts, own, self.shown.get("class")
            )
            found["class"] = facts
            for side in sides[1:]:
                found[side] = {r: _both_ways(r, facts) for r in asked.get(side, ())}
        if "both" in asked:
            found["both"] = self._both(asked["both"])
        if "top" in asked:
            found["top"] = self._top(asked["top"])
        return found

    def _both(self, requests: list[Request]) -> Facts:
        p = self.predictions
        other = 1 - p.values if p.kind == "probabilities" else -p.values
        both = np.stack([other, p.values], axis=-1)
        found: Facts
        found, _ = self.kernel.class_facts(
            both, p.truth, p.weight, p.starts, tuple(requests), (), self.shown.get("both")
        )
        return found

    def _top(self, requests: list[Request]) -> Facts:
        p = self.predictions
        cut = 0.5 if p.kind == "probabilities" else 0.0
        decided = p.values > cut
        other = 1 - p.values if p.kind == "probabilities" else -p.values
        right = (decided == (p.truth == 1)).astype(np.uint8)
        top = np.where(decided, p.values, other)
        found: Facts = self.kernel.ranking_facts(top, right, p.weight, p.starts, tuple(requests))
        return found


def _both_ways(request: Request, facts: Facts) -> Array:
    """A fact of two classes as the matrix over pairs of classes."""
    opposite = {"positives": "negatives", "negatives": "positives"}.get(request[0], request[0])
    matrix = np.zeros((*facts[request].shape, 2, 2))
    matrix[..., 1, 0] = facts[request]
    matrix[..., 0, 1] = facts.get((opposite, request[1]), facts[request])
    return matrix


class ManyClassViews:
    """The views of more than two classes."""

    def __init__(
        self, predictions: Predictions, kernel: Kernel, shown: Mapping[View, Shown]
    ) -> None:
        self.predictions = predictions
        self.kernel = kernel
        self.shown = shown

    def facts(self, asked: dict[View, list[Request]]) -> dict[Target, Facts]:
        """The facts asked for, by view."""
        p, found = self.predictions, dict[Target, Facts]()
        if "class" in asked or "pairwise" in asked:
            found["class"], found["pairwise"] = self.kernel.class_facts(
                p.values,
                p.truth,
                p.weight,
                p.starts,
                tuple(asked.get("class", ())),
                tuple(asked.get("pairwise", ())),
                self.shown.get("class"),
            )
        if "top" in asked:
            right = (p.values.argmax(axis=-1) == p.truth).astype(np.uint8)
            found["top"] = self.kernel.ranking_facts(
                p.values.max(axis=-1), right, p.weight, p.starts, tuple(asked["top"])
            )
        if "pair" in asked:
            found["pair"] = self.pairs(asked["pair"])
        if "expected" in asked:
            score = p.values @ np.arange(float(len(p.classes)))
            found["expected"] = {
                ("triples", ()): self.kernel.triples(score, p.truth, p.weight, p.starts),
                ("all_triples", ()): self.all_triples(),
            }
        return found

    def all_triples(self) -> Array:
        """The mass of all triples of one example a class."""
        p = self.predictions
        masses = np.empty((p.rows, len(p.classes)))
        for row in range(p.rows):
            model, segment = divmod(row, p.segments)
            here = slice(int(p.starts[segment]), int(p.starts[segment + 1]))
            weight = None if p.weight is None else p.weight[here]
            masses[row] = np.bincount(p.truth_of(model)[here], weight, len(p.classes))
        return masses.prod(axis=-1)

    def pairs(self, requests: list[Request]) -> Facts:
        """Each pair of classes ranked by the difference of their columns."""
        p = self.predictions
        classes = len(p.classes)
        found = {r: np.zeros((p.rows, classes, classes)) for r in requests}
        for row in range(p.rows):
            model, segment = divmod(row, p.segments)
            here = slice(int(p.starts[segment]), int(p.starts[segment + 1]))
            truth, values = p.truth_of(model)[here], p.values[model, here]
            weight = None if p.weight is None else p.weight[here]
            for one in range(1, classes):
                for other in range(one):
                    members = np.flatnonzero((truth == one) | (truth == other))
                    ranked = values[members, one] - values[members, other], truth[members] == one
                    mass = None if weight is None else weight[members]
                    facts = facts_of_pair(self.kernel, *ranked, mass, requests)
                    set_pair(found, slice(row, row + 1), (one, other), facts)
        return found


def facts_of_pair(
    kernel: Kernel, score: Array, positive: Array, weight: Array | None, requests: list[Request]
) -> Facts:
    """The facts of two classes, ranked by the difference of their columns."""
    asked = {*requests, ("positives", ()), ("negatives", ())}
    if len(score) == 0:
        return {r: np.zeros(1) for r in asked}
    facts: Facts = kernel.ranking_facts(
        score[np.newaxis],
        positive[np.newaxis].astype(np.uint8),
        weight,
        np.array([0, len(score)], dtype=np.int64),
        tuple(asked),
    )
    return facts


def set_pair(found: Facts, rows: slice, classes: tuple[int, int], facts: Facts) -> None:
    """Write the facts of a pair of classes, seen from either."""
    one, other = classes
    opposite = {"positives": "negatives", "negatives": "positives"}
    for request, table in found.items():
        name, arguments = request
        table[rows, one, other] = facts[request]
        table[rows, other, one] = facts[opposite.get(name, name), arguments]


def select(facts: Mapping[Request, Array], index: Any) -> Facts:
    """The facts of some rows."""
    return {request: value[index] for request, value in facts.items()}
