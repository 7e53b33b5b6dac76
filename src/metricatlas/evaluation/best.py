"""The cut at which any measure of decisions is best, found while the rows pass by in order.

F1 and G-mean, which the papers ask for, are found by the kernels themselves. For another measure
every cut is a batch of 2 x 2 matrices for its formula. Where a measure is monotone, a block of
neighbouring cuts is no better than the true positives of its lowest cut with the false positives of
its highest, so most blocks need not be looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from metricatlas.measures.terms import Measure, Term
from metricatlas.summaries import Confusion, TwoByTwo
from metricatlas.summaries.kernels.steps_row import cumulated_precisely

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metricatlas.evaluation.sources import Source
    from metricatlas.predictions import Predictions
    from metricatlas.summaries.facts import Array
    from metricatlas.summaries.fill import View, Watcher

#: Neighbouring cuts that are looked at together.
BLOCK = 1024
#: Values are equal within this, times their scale: whole weights leave the formula's own rounding,
#: fractional ones also that of the masses.
SAME, SAME_IF_FRACTIONAL = 1e-14, 1e-12
#: What an infinitely bad value counts as: better than none.
WORST = np.finfo(np.float64).min


class BestCuts:
    """The best cuts of some sources; filled in by whoever shows it the ordered rows."""

    def __init__(
        self, predictions: Predictions, sources: Iterable[Source], rows: int | None = None
    ) -> None:
        rows = predictions.rows if rows is None else rows
        self.whole = not predictions.fractional
        #: For every source, of each row, and of each class but of two: (tp, fp, fn, tn).
        self.found: dict[Source, Array] = {}
        for source in sources:
            if source.best is not None and source.cut() is None:
                alone = predictions.binary and source.view == "class"
                classes = () if alone else (len(predictions.classes),)
                self.found[source] = np.full((rows, *classes, 4), np.nan)

    def watchers(self) -> dict[View, Watcher]:
        """For each view that is needed, what to show its rows to."""
        return {view: self._watcher(view) for view in {source.view for source in self.found}}

    def _watcher(self, view: View) -> Watcher:
        wanted: dict[Term, list[Array]] = {}
        for source, found in self.found.items():
            if source.view == view:
                wanted.setdefault(cast("Term", source.best), []).append(found)

        def watch(
            row: int, column: int, scores: Array, positive: Array, weight: Array | None
        ) -> None:
            cuts = _cuts(scores, positive, weight)
            for term, tables in wanted.items():
                best = _best(term, cuts, whole=self.whole)
                if best is None:
                    continue
                for found in tables:
                    place = (row, column) if found.ndim == 3 else row
                    found[place] = cuts.masses(best)

        return watch


@dataclass(frozen=True)
class _Cuts:
    """Every cut, the lowest first: the masses of positives and negatives above it."""

    tp: Array
    fp: Array

    def masses(self, cut: int) -> tuple[Array, Array, Array, Array]:
        """True and false positives, false and true negatives: of one total, so none is dust."""
        tp, fp = self.tp[cut], self.fp[cut]
        return tp, fp, self.tp[0] - tp, self.fp[0] - fp

    def values(self, term: Term, tp: Array, fp: Array) -> Array:
        """What a measure says of some of them, so that higher is better; -inf if undefined."""
        cuts = TwoByTwo(tp=tp, fp=fp, fn=self.tp[0] - tp, tn=self.fp[0] - fp)
        summary: TwoByTwo | Confusion = cuts
        if term.declaration.summary is Confusion:
            matrix = np.array([[cuts.tn, cuts.fp], [cuts.fn, cuts.tp]])
            summary = Confusion.of(np.moveaxis(matrix, (0, 1), (-2, -1)))
        found = term.oriented(term.declaration.formula(summary, **term.keywords))
        return np.where(np.isnan(found), -np.inf, np.maximum(found, WORST))


def _cuts(scores: Array, positive: Array, weight: Array | None) -> _Cuts:
    """All cuts of scores in ascending order."""
    first = np.flatnonzero(np.append(True, scores[1:] != scores[:-1]))
    mass = np.ones(len(scores)) if weight is None else weight
    hits = np.where(positive == 1, mass, 0.0)
    tp, fp = (cumulated_precisely(part[::-1])[::-1] for part in (hits, mass - hits))
    last = len(scores)
    return _Cuts(np.append(tp[first], tp[last]), np.append(fp[first], fp[last]))


def _best(term: Term, cuts: _Cuts, *, whole: bool) -> int | None:
    """The number of the lowest of the best cuts; none if the measure is undefined everywhere."""
    tp, fp = cuts.tp, cuts.fp
    starts = np.arange(0, len(tp), BLOCK)
    values = cuts.values(term, tp[starts], fp[starts])
    same = SAME if whole else SAME_IF_FRACTIONAL
    floor = lowest_equal(term, values, same)
    if term.declaration.monotone and len(starts) > 2:
        ends = np.minimum(starts + BLOCK, len(tp)) - 1
        bounds = cuts.values(term, tp[starts], fp[ends])
        starts = starts[(bounds >= floor) | (bounds == -np.inf)]
    blocks = [cuts.values(term, tp[s : s + BLOCK], fp[s : s + BLOCK]) for s in starts.tolist()]
    values = np.concatenate(blocks)
    if values.max() == -np.inf:
        return None
    floor = lowest_equal(term, values, same)
    start, block = next(
        (s, b) for s, b in zip(starts.tolist(), blocks, strict=True) if b.max() >= floor
    )
    return int(start + np.argmax(block >= floor))


def lowest_equal(measure: Measure, values: Array, same: float) -> Array:
    """The lowest value that counts as equal to the best; the cuts are the last axis, which stays.

    Values are turned so that higher is better, and -inf where the measure is undefined.
    """
    best = values.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        found = np.maximum(best - same * _scale(measure, values, best), WORST)
    return np.where(np.isfinite(best), found, best)


def _scale(measure: Measure, values: Array, best: Array) -> Array | float:
    """The size of what a formula adds up, of which it loses the last digits.

    Other units of costs or weights multiply the scale as they do the values.
    """
    low, high = measure.bounds_for(2)
    grows = isinstance(measure, Term) and bool(measure.declaration.bounded_by)
    if np.isfinite([low, high]).all() and not grows:
        return max(abs(low), abs(high))
    if low >= 0 and measure.better in ("higher", "lower"):
        # Sums and ratios of masses: nothing cancels.
        return np.abs(best)
    sizes = np.abs(values, where=values > WORST, out=np.zeros(values.shape))
    return sizes.max(axis=-1, keepdims=True)
