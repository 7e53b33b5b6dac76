"""Experiments on two models that each take away one thing in which they may differ.

Thresholds: every measure of decisions has each model cut where it is best for that measure.
Calibration: probabilities become the shares of positives on the segments of the ROC hull, which is
isotonic regression on the same examples. Class weight: both classes have the same mass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import isclose
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.cutting.cuts import Cells, Drawn, Line
from metricatlas.decisions.cutting.judging import Judge
from metricatlas.errors import MetricAtlasError
from metricatlas.evaluation.engine import fill
from metricatlas.evaluation.mixed import Part, together
from metricatlas.evaluation.task import Task
from metricatlas.measures.terms import Term, TwoLevel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.decisions.cutting.cuts import Cuts
    from metricatlas.measures.terms import Measure
    from metricatlas.predictions import Block, Predictions
    from metricatlas.summaries.facts import Array

#: What can be taken away, in the order in which it is told.
THRESHOLD, CALIBRATION, CLASS_WEIGHT = "threshold", "calibration", "class weight"
#: Values that differ by no more than this, beside their size, are the same.
SAME = 1e-12


def left_out(blocks: Sequence[Block]) -> dict[str, str]:
    """The experiments that make no sense for these predictions, and why."""
    kinds = {block.kind for _, block in blocks}
    found = {}
    if not blocks[0][1].binary:
        words = f"There are {len(blocks[0][1].classes)} classes."
        return {THRESHOLD: words, CALIBRATION: words}
    if "labels" in kinds:
        return dict.fromkeys((THRESHOLD, CALIBRATION), "Labels have no scores.")
    if "scores" in kinds:
        found[CALIBRATION] = "Scores are no probabilities."
    return found


def experiments(blocks: Sequence[Block]) -> list[tuple[str, ...]]:
    """What is taken away together in each experiment: nothing first, everything last."""
    possible = [x for x in (THRESHOLD, CALIBRATION, CLASS_WEIGHT) if x not in left_out(blocks)]
    return [taken for size in range(len(possible) + 1) for taken in combinations(possible, size)]


@dataclass(frozen=True, eq=False)
class Laboratory:
    """Two models, and the measures under which they are looked at."""

    blocks: Sequence[Block]
    measures: tuple[Measure, ...]

    def directions(self) -> dict[tuple[str, ...], Array]:
        """Which model each measure favours: 1 the first, -1 the second, 0 neither, or undefined.

        By what is taken away.
        """
        found = {}
        for taken in experiments(self.blocks):
            if THRESHOLD not in taken:
                blocks = [(rows, _changed(block, taken)) for rows, block in self.blocks]
                values = self._values(blocks)
                found[taken] = np.array([_direction(own) for own in values])
                if THRESHOLD not in left_out(self.blocks):
                    cut = self._cut(blocks, values)
                    found[THRESHOLD, *taken] = np.array([_direction(own) for own in cut])
        return {taken: found[taken] for taken in experiments(self.blocks)}

    def _values(self, blocks: Sequence[Block]) -> list[Array]:
        """For each measure its oriented values, (models, levels)."""
        parts = [Part(rows, Task.of(b), fill(b, self.measures)) for rows, b in blocks]
        filled = parts[0].filled if len(parts) == 1 else together(parts)
        plain = (m.oriented(filled.values[:, [i]]) for i, m in enumerate(self.measures))
        return [filled.levels.get(i, values) for i, values in enumerate(plain)]

    def _cut(self, blocks: Sequence[Block], values: Sequence[Array]) -> list[Array]:
        """The same with those of decisions at each model's best cut."""
        found = [np.array(own) for own in values]
        for rows, block in blocks:
            task = Task.of(block)
            cuts = [line.cuts(Drawn.once(line)) for line in _lines(block)]
            for measure, own in zip(self.measures, found, strict=True):
                levels = measure.parts if isinstance(measure, TwoLevel) else (measure,)
                for level, part in enumerate(levels):
                    judge = _judge(part, task)
                    if judge is not None:
                        best = np.array([at_own_cut(judge, model) for model in cuts])
                        own[rows, level] = judge.measure.oriented(best)
        return found


def _changed(block: Predictions, taken: Sequence[str]) -> Predictions:
    """Predictions from which something is taken away, but for thresholds."""
    if CLASS_WEIGHT in taken:
        block = replace(block, weight=_equal_weights(block))
    if CALIBRATION in taken:
        block = replace(block, values=np.array([recalibrated(x) for x in _lines(block)]))
    return block


def _direction(values: Array) -> float:
    """Compare two models, (models, levels), by the first level in which they differ."""
    for one, other in values.T.tolist():
        if one != one or other != other:  # noqa: PLR0124 - finds NaN
            return float("nan")
        # An infinite value is not the same as a finite one.
        if one != other and not isclose(one, other, rel_tol=SAME, abs_tol=SAME):
            return 1.0 if one > other else -1.0
    return 0.0


def _lines(block: Predictions) -> list[Line]:
    return [
        Line.of(values, block.truth_of(model) == 1, block.weight)
        for model, values in enumerate(block.values)
    ]


def _equal_weights(block: Predictions) -> Array:
    """Weights that give every class that is there the same mass, and leave the total as it is."""
    truth = block.truth[0]
    weight = np.ones(len(truth)) if block.weight is None else block.weight
    masses = np.bincount(truth, weights=weight)
    shares = weight.sum() / (np.count_nonzero(masses) * masses[truth])
    return np.asarray(weight * shares)


def recalibrated(line: Line) -> Array:
    """The share of positives on each example's segment of the ROC hull, in the examples' order."""
    from metricatlas.decisions.cutting.hulls_scan import corners

    cuts = line.cuts(Drawn.once(line))
    places, count = np.empty(cuts.tp.shape, dtype=np.int64), np.empty(1, dtype=np.int64)
    corners(cuts.tp, cuts.fp, places, count)
    # From the lowest cut to the highest.
    hull = places[0, : int(count[0])][::-1]
    ones, zeros = -np.diff(cuts.tp[0, hull]), -np.diff(cuts.fp[0, hull])
    shares = ones / (ones + zeros)
    found = np.empty(len(line.order))
    found[line.order] = shares[np.searchsorted(hull, line.cut, side="left") - 1]
    return found


def _judge(measure: Any, task: Task) -> Judge | None:
    """The judge of a measure of decisions, whatever the threshold it is asked at; else none."""
    if isinstance(measure, Term) and measure.point is not None:
        # A cut that is chosen by the scores' order is the model's own already.
        if measure.point.kind not in ("at", "prevalence"):
            return None
        measure = replace(measure, point=None)
    try:
        return Judge.of(measure, task)
    except MetricAtlasError:
        return None


def at_own_cut(judge: Judge, cuts: Cuts) -> float:
    """The value of one model at its best cut.

    A measure that is perfect where all examples, or all but one, are decided alike has no best cut
    worth the name. It is read where as many are decided positive as there are positives, of equal
    scores a share.
    """
    if is_one_sided(judge):
        above, wanted = (cuts.tp + cuts.fp)[0, ::-1], cuts.tp[0, 0]
        tp, fp = (
            np.atleast_2d(np.interp(wanted, above, part[0, ::-1])) for part in (cuts.tp, cuts.fp)
        )
        return float(judge.values(cuts.cells(tp, fp))[0, 0])
    best = judge.best(cuts)
    return float(judge.values(cuts.at(best))[0, 0])


def is_one_sided(judge: Judge) -> bool:
    """Whether a measure is as good as can be if all but at most one example are decided alike."""
    tp, fp = np.array([[8.0, 8.0, 0.0, 1.0, 8.0]]), np.array([[0.0, 8.0, 0.0, 0.0, 7.0]])
    values = judge.turned(Cells(tp, fp, 8 - tp, 8 - fp))
    return bool(judge.equal_to_best(values)[0, 1:].any())
