"""The facts of resamples: each row is put in order once, and then counted again and again.

What adds up over examples (confusion matrices, sums of probabilities) is a sum of terms, each as
often as its example is drawn. What depends on the order of scores reads the examples in the order
that they have anyhow, each as often as it is drawn.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.summaries.draws import Members, kept
from metricatlas.summaries.fill import (
    NOBODY,
    ManyClassViews,
    Shown,
    TwoClassViews,
    facts_of_pair,
    set_pair,
    summarised,
    threads,
)
from metricatlas.summaries.kernels import probability_steps, resampling_scan, scan
from metricatlas.summaries.kernels.scan import Ordered
from metricatlas.summaries.terms import cells_of, terms_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from metricatlas.predictions import Predictions
    from metricatlas.summaries.draws import Draws
    from metricatlas.summaries.facts import Array, Request
    from metricatlas.summaries.fill import Target, View, Wanted, Watcher

Facts = dict["Request", "Array"]
#: Numbers that resamples laid out together have at most; more are laid out one after the other.
TOGETHER = 1 << 16
#: Facts that need no more than the counts.
COUNTED = {("positives", ()): 0, ("negatives", ()): 1, ("wins", ()): 2}


def summarise_resampled(
    predictions: Predictions,
    wanted: Wanted,
    draws: Draws,
    watchers: Mapping[View, Watcher] = NOBODY,
) -> dict[Target, Facts]:
    """The wanted facts of every resample of every model, one model behind the other.

    Predictions have one segment.
    """
    # Every model and view reads the same counts.
    kernel = Resampler(kept(draws, threads()), threads())
    shown = {view: Shown(watcher, 0) for view, watcher in watchers.items()}
    views = TwoClassViews if predictions.binary else _ManyClassViews
    return summarised(predictions, lambda _subject: kernel, views, shown, wanted)


class _ManyClassViews(ManyClassViews):
    """Views of more than two classes whose rows are resamples."""

    kernel: Resampler

    def all_triples(self) -> Array:
        """The mass of all triples of one example a class."""
        p, matrix = self.predictions, ("matrix", ())
        facts = self.kernel.confusion_facts(
            p.values, p.truth, p.weight, p.starts, len(p.classes), p.kind, p.threshold, [matrix]
        )
        return facts[matrix].sum(axis=-1).prod(axis=-1)

    def pairs(self, requests: list[Request]) -> Facts:
        """Each pair of classes ranked by the difference of their columns."""
        p, times, classes = self.predictions, self.kernel.times, len(self.predictions.classes)
        found = {r: np.zeros((p.models * times, classes, classes)) for r in requests}
        for model, values in enumerate(p.values):
            truth = p.truth_of(model)
            rows = slice(model * times, (model + 1) * times)
            for one in range(1, classes):
                for other in range(one):
                    members = np.flatnonzero((truth == one) | (truth == other))
                    ranked = values[members, one] - values[members, other], truth[members] == one
                    mass = None if p.weight is None else p.weight[members]
                    facts = facts_of_pair(self.kernel.of_some(members), *ranked, mass, requests)
                    set_pair(found, rows, (one, other), facts)
        return found


class Resampler:
    """The kernels of `scan` and its like, for resamples: behind each model its resamples.

    Its methods take what theirs take, of a single segment.
    """

    def __init__(self, draws: Draws, workers: int) -> None:
        self.draws = draws
        self.workers = workers

    @property
    def times(self) -> int:
        """How many rows there are for each model."""
        return self.draws.times

    def of_some(self, members: Array) -> Resampler:
        """The same resamples of some of the examples."""
        return Resampler(Members(self.draws, self.draws.units[members]), self.workers)

    def _batches(self, work: Callable[[slice], Facts], size: int) -> Facts:
        """Lots of resamples, in threads; the lots' size does not depend on how many these are."""
        step = max(1, TOGETHER // max(size, 1))
        parts = [slice(first, first + step) for first in range(0, self.times, step)]

        def quietly(part: slice) -> Facts:
            # What NumPy is told to ignore, it is told for each thread.
            with np.errstate(all="ignore"):
                return work(part)

        if self.workers == 1 or len(parts) == 1:
            found = [quietly(part) for part in parts]
        else:
            with ThreadPoolExecutor(self.workers) as pool:
                found = list(pool.map(quietly, parts))
        return {request: np.concatenate([lot[request] for lot in found]) for request in found[0]}

    def _stacked(self, by_model: list[Facts]) -> Facts:
        return {r: np.concatenate([facts[r] for facts in by_model]) for r in by_model[0]}

    def ranking_facts(
        self,
        scores: Array,
        positive: Array,
        weight: Array | None,
        starts: Array,
        requests: Sequence[Request],
        also: Callable[[Ordered, slice], None] | None = None,
    ) -> Facts:
        """Facts of every resample of every model, ``(k * times, *shape)``."""
        by_model = []
        for model, own in enumerate(scores):
            line = _Line.of(own, positive[model if len(positive) > 1 else 0], weight, self.draws)

            def work(part: slice, line: _Line = line, model: int = model) -> Facts:
                counts = self.draws.counts(part)
                if line.weight is None and also is None and COUNTED.keys() >= set(requests):
                    return line.wins(counts, requests)
                rows = line.rows(counts, self.draws)
                if also is not None:
                    also(rows, self._places(model, part))
                return scan.scan(rows, requests)

            by_model.append(self._batches(work, int(starts[-1])))
        return self._stacked(by_model)

    def _places(self, model: int, part: slice) -> slice:
        first = model * self.times
        return slice(first + part.start, first + min(part.stop, self.times))

    def class_facts(  # noqa: PLR0917 - called as the kernels are
        self,
        values: Array,
        truth: Array,
        weight: Array | None,
        starts: Array,
        requests: Sequence[Request],
        pairwise: Sequence[Request],
        also: Callable[[Ordered, slice, int], None] | None = None,
    ) -> tuple[Facts, Facts]:
        """Facts of each class against the rest and against each other, both by its column."""
        classes = values.shape[2]
        truth = truth.astype(np.uint8 if classes <= 256 else np.int64, copy=False)
        own: list[Facts] = []
        against: list[Facts] = []
        for j in range(classes):
            columns: tuple[list[Facts], list[Facts]] = ([], [])
            for model in range(len(values)):
                codes = truth[model if len(truth) > 1 else 0]
                line = _Line.of(values[model, :, j], codes, weight, self.draws)

                def work(part: slice, line: _Line = line, j: int = j, model: int = model) -> Facts:
                    rows = line.rows(self.draws.counts(part), self.draws)
                    pairs = scan.against_each(rows, j, classes, pairwise)
                    found = {("pairs", r): value for r, value in pairs.items()}
                    if requests or also is not None:
                        rest = rows.against_rest(j)
                        ranked = scan.scan(rest, requests)
                        found |= {("own", r): ranked[r] for r in requests}
                        if also is not None:
                            also(rest, self._places(model, part), j)
                    return found

                found: dict[Any, Array] = self._batches(work, int(starts[-1]))
                columns[0].append({r: found["own", r] for r in requests})
                columns[1].append({r: found["pairs", r] for r in pairwise})
            own.append(self._stacked(columns[0]))
            against.append(self._stacked(columns[1]))
        return _by_class(own, requests), _by_class(against, pairwise)

    def triples(self, scores: Array, truth: Array, weight: Array | None, starts: Array) -> Array:
        """Mass of triples of one of each of three classes that are in order."""
        request = ("triples", ())
        by_model = []
        for model, own in enumerate(scores):
            codes = truth[model if len(truth) > 1 else 0].astype(np.uint8, copy=False)
            line = _Line.of(own, codes, weight, self.draws)

            def work(part: slice, line: _Line = line) -> Facts:
                rows = line.rows(self.draws.counts(part), self.draws)
                return {request: scan.triples_of(rows)}

            by_model.append(self._batches(work, int(starts[-1])))
        return self._stacked(by_model)[request]

    def confusion_facts(  # noqa: PLR0917 - called as the kernels are
        self,
        values: Array,
        truth: Array,
        weight: Array | None,
        starts: Array,
        classes: int,
        kind: str,
        threshold: float | None,
        requests: Sequence[Request],
    ) -> Facts:
        """Sums by true class and decided class: ``(k * times, classes, classes)`` each."""
        by_model = []
        for model in range(len(values)):
            codes = truth[model if len(truth) > 1 else 0][np.newaxis]
            cells, terms = cells_of(
                values[model : model + 1], codes, classes, kind, threshold, requests
            )
            shape = (classes, classes)
            sums = self._sums(cells, terms, weight, classes * classes, int(starts[-1]))
            by_model.append({r: sums[:, :, i].reshape(-1, *shape) for i, r in enumerate(requests)})
        return self._stacked(by_model)

    def probabilities_facts(
        self,
        values: Array,
        truth: Array,
        weight: Array | None,
        starts: Array,  # noqa: ARG002 - called as the kernels are
        classes: int,
        requests: Sequence[Request],
    ) -> Facts:
        """Sums of row terms by true class: ``(k * times, classes)``, or a matrix for some."""
        by_model = []
        adding = [r for r in requests if r != ("information", ())]
        for model in range(len(values)):
            own = values[model : model + 1]
            codes = truth[model if len(truth) > 1 else 0][np.newaxis]
            facts: Facts = {}
            if adding:
                terms, places = terms_of(own, codes, classes, adding)
                sums = self._sums(codes[0].astype(np.int64), terms, weight, classes, terms.shape[0])
                for request, place in places.items():
                    found = sums[:, :, place]
                    matrix = request[0] in probability_steps.MATRICES
                    facts[request] = found.transpose(0, 2, 1) if matrix else found[:, :, 0]
            if len(adding) < len(requests):
                facts["information", ()] = self._information(own[0], codes[0], weight, classes)
            by_model.append(facts)
        return self._stacked(by_model)

    def _sums(
        self, codes: Array, terms: Array, weight: Array | None, count: int, size: int
    ) -> Array:
        """Sum each example's terms under its code: (times, codes, terms)."""
        endless = ~np.isfinite(terms)
        columns = np.flatnonzero(endless.any(axis=0))
        # An infinite term is infinite if its example is drawn, and nothing if it is not.
        table = np.concatenate([np.where(endless, 0.0, terms), endless[:, columns]], axis=1)
        if weight is not None:
            table *= weight[:, np.newaxis]
        order = np.argsort(codes, kind="stable")
        bounds = np.append(0, np.cumsum(np.bincount(codes, minlength=count)))
        units, lines = self.draws.units[order], np.ascontiguousarray(table[order].T)

        def work(part: slice) -> Facts:
            counts = self.draws.counts(part)
            out = np.empty((len(counts), count, len(lines)))
            resampling_scan.sums(units, counts, bounds, lines, out)
            return {("sums", ()): out}

        sums = self._batches(work, size)["sums", ()]
        width = terms.shape[1]
        for i, column in enumerate(columns.tolist()):
            sign = np.sign(terms[endless[:, column], column][0])
            drawn = sums[:, :, width + i] > 0
            sums[:, :, column] = np.where(drawn, sign * np.inf, sums[:, :, column])
        return sums[:, :, :width]

    def _information(
        self, values: Array, codes: Array, weight: Array | None, classes: int
    ) -> Array:
        """Bits gained over the classes' shares, which every resample has its own of."""
        own = probability_steps.true_and_rest(values, codes)
        logs, logs_of_rest = (probability_steps.precise_log(*pair) for pair in (own, own[::-1]))
        mass = np.ones(len(codes)) if weight is None else weight
        whole_codes = codes.astype(np.int64)

        def work(part: slice) -> Facts:
            counts = self.draws.counts(part)
            out = np.empty((len(counts), classes))
            resampling_scan.information(
                self.draws.units, counts, whole_codes, mass, own[0], logs, logs_of_rest, out
            )
            return {("information", ()): out}

        return self._batches(work, len(codes))["information", ()]


def _by_class(by_class: list[Facts], requests: Sequence[Request]) -> Facts:
    return {r: np.stack([facts[r] for facts in by_class], axis=1) for r in requests}


@dataclass(frozen=True, eq=False)
class _Line:
    """The examples of a model in ascending order of score, with the units that they belong to."""

    scores: Array
    codes: Array
    units: Array
    weight: Array | None
    #: Where the groups of equal scores begin and end that hold more than one class, (groups, 2).
    mixed: Array

    @classmethod
    def of(cls, scores: Array, codes: Array, weight: Array | None, draws: Draws) -> _Line:
        # Among equal scores by class, the negatives first.
        by_class = np.argsort(codes, kind="stable")
        order = by_class[np.argsort(scores[by_class], kind="stable")]
        own, sorted_codes = scores[order].astype(np.float64, copy=False), codes[order]
        ends = np.flatnonzero(np.append(own[1:] != own[:-1], True)) + 1
        bounds = np.stack([np.append(0, ends[:-1]), ends], axis=1)
        mixed = bounds[sorted_codes[bounds[:, 0]] != sorted_codes[bounds[:, 1] - 1]]
        held = None if weight is None else weight[order]
        return cls(own, sorted_codes, draws.units[order], held, mixed)

    def wins(self, counts: Array, requests: Sequence[Request]) -> Facts:
        """Count pairs without laying the rows out."""
        out = np.empty((len(counts), 3))
        resampling_scan.wins(self.units, self.codes, self.mixed, counts, out)
        return {request: out[:, COUNTED[request]] for request in requests}

    def rows(self, counts: Array, draws: Draws) -> Ordered:
        """Rows in order, one for each resample."""
        sizes = np.full(len(counts), len(self.scores), dtype=np.int64)
        weighted = self.weight is not None
        if weighted or not draws.constant:
            resampling_scan.lengths(self.units, counts, weighted, sizes)
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        end = int(bounds[-1])
        # With room for what the last example may write too much.
        scores, codes = np.empty(end + 2), np.empty(end + 2, self.codes.dtype)
        if self.weight is None:
            resampling_scan.lay_out(
                self.units, counts, self.scores, self.codes, bounds, scores, codes
            )
            return Ordered(scores[:end], codes[:end], None, bounds)
        masses = np.empty(end)
        resampling_scan.lay_out_weighted(
            self.units,
            counts,
            self.scores,
            self.codes,
            self.weight,
            bounds,
            scores,
            codes,
            masses,
        )
        return Ordered(scores[:end], codes[:end], masses, bounds)
