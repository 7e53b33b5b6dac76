"""What a measure of decisions says of many cuts, of many resamples, at once; and which is best."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.decisions.cutting.cuts import Cells
from metricatlas.errors import DecisionError
from metricatlas.evaluation.best import SAME, SAME_IF_FRACTIONAL, WORST, lowest_equal
from metricatlas.evaluation.engine import planned
from metricatlas.measures.language import parse
from metricatlas.measures.terms import Mean, Measure, Term, TwoLevel

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.cuts import Cuts
    from metricatlas.evaluation.plan import Plan
    from metricatlas.evaluation.task import Task
    from metricatlas.summaries.facts import Array

#: Cuts whose values are worked out together, so that what formulas share stays in the cache.
TOGETHER = 1 << 15
#: Neighbouring cuts that are looked at, or passed over, together.
BLOCK = 256


@dataclass(frozen=True)
class Judge:
    """A measure of decisions about two classes."""

    measure: Measure
    task: Task

    @classmethod
    def of(cls, asked: str | Measure, task: Task) -> Judge:
        """The judge for a task; refuses what cannot be judged at one cut."""
        measure = parse(asked)
        if isinstance(measure, Term) and measure.point is not None and measure.point.kind == "best":
            # At its own best cut is where a goal is anyhow.
            own = measure.point.value is None
            measure = replace(measure, point=None) if own else measure
        if isinstance(measure, TwoLevel):
            msg = (
                f"a cut is judged by a measure of one level; got {measure}, which has two. Ask for "
                f"{measure.first}."
            )
            raise DecisionError(msg)
        points = [part.point for part in (measure, *measure.parts) if isinstance(part, Term)]
        if measure.needs != "labels" or any(points):
            msg = (
                f"a cut is judged by a measure of decisions, such as f1, mcc or cost, without a "
                f"cut of its own; got {measure}, which {_lacks(measure)}."
            )
            raise DecisionError(msg)
        if measure.better == "neither":
            msg = f"no value of {measure} is better than another, so it cannot judge a cut."
            raise DecisionError(msg)
        judge = cls(measure, replace(task, kind="labels", decided=True, matrix_only=True))
        # The plan refuses what does not fit two classes or lacks parameters.
        _ = judge.plan
        return judge

    @property
    def plan(self) -> Plan:
        """How the measure is computed from matrices."""
        return planned((self.measure,), self.task)

    @property
    def same(self) -> float:
        """Values are equal within this, times their scale."""
        return SAME if self.task.whole else SAME_IF_FRACTIONAL

    def values(self, cells: Cells) -> Array:
        """The value of each matrix; NaN where it is undefined."""
        plan, shape = self.plan, cells.tp.shape
        masses = np.array([[cells.tn, cells.fp], [cells.fn, cells.tp]]).reshape(2, 2, -1)
        found = np.empty(masses.shape[2])
        with np.errstate(all="ignore"):
            for first in range(0, len(found), TOGETHER):
                part = slice(first, first + TOGETHER)
                stack = np.moveaxis(masses[:, :, part], -1, 0)
                read = plan.read({"confusion": {("matrix", ()): stack}}, {})
                found[part] = plan.values(read)[plan.columns[0]]
        return found.reshape(shape)

    def turned(self, cells: Cells) -> Array:
        """The values so that higher is better; -inf where the measure is undefined."""
        found = self.measure.oriented(self.values(cells))
        return np.where(np.isnan(found), -np.inf, np.maximum(found, WORST))

    def best(self, cuts: Cuts) -> Array:
        """The lowest of the best cuts of each row; -1 where the measure is undefined at all."""
        count = cuts.tp.shape[1]
        if count <= 4 * BLOCK or not _monotone(self.measure):
            return self.lowest(self.turned(cuts.all))
        rows, blocks = self._worth_a_look(cuts)
        padded = -(-count // BLOCK) * BLOCK
        # The last cut is repeated, and never chosen for it: the lowest is.
        places = np.minimum(np.arange(padded).reshape(-1, BLOCK), count - 1)[blocks]
        row = rows[:, np.newaxis]
        totals = cuts.tp[row, 0], cuts.fp[row, 0]
        tp, fp = cuts.tp[row, places], cuts.fp[row, places]
        values = self.turned(Cells(tp, fp, totals[0] - tp, totals[1] - fp))
        return self._lowest_of_blocks(values, rows, places)

    def _worth_a_look(self, cuts: Cuts) -> tuple[Array, Array]:
        """The blocks that may hold the best cut, as rows and numbers of blocks.

        In a monotone measure a block is no better than the true positives of its lowest cut with
        the false positives of its highest.
        """
        count = cuts.tp.shape[1]
        starts = np.arange(0, count, BLOCK)
        ends = np.minimum(starts + BLOCK, count) - 1
        values = self.turned(cuts.cells(cuts.tp[:, starts], cuts.fp[:, starts]))
        bounds = self.turned(cuts.cells(cuts.tp[:, starts], cuts.fp[:, ends]))
        floor = lowest_equal(self.measure, values, self.same)
        found: tuple[Array, Array] = np.nonzero((bounds >= floor) | (bounds == -np.inf))  # type: ignore[assignment] # of two axes
        return found

    def _lowest_of_blocks(self, values: Array, rows: Array, places: Array) -> Array:
        """The same as `lowest`, of rows whose cuts come in blocks."""
        begins = np.flatnonzero(np.append(True, rows[1:] != rows[:-1]))
        found = []
        for part in np.split(np.arange(len(rows)), begins[1:]):
            flat = self.lowest(values[part].reshape(1, -1))[0]
            found.append(-1 if flat < 0 else places[part].reshape(-1)[flat])
        return np.array(found)

    def equal_to_best(self, values: Array) -> Array:
        """Which values of each row are as good as the best; none where all are -inf."""
        floor = lowest_equal(self.measure, values, self.same)
        return (values >= floor) & (floor > -np.inf)

    def lowest(self, values: Array) -> Array:
        """The first of the best values of each row; -1 where all are -inf."""
        equal = self.equal_to_best(values)
        return np.where(equal.any(axis=1), np.argmax(equal, axis=1), -1)


def _monotone(measure: Measure) -> bool:
    """Whether more true positives, or fewer false ones, never make a measure worse.

    What is so of a class is so of the other one, and of all means of them.
    """
    if isinstance(measure, Term) and not measure.declaration.of:
        return measure.declaration.monotone
    return isinstance(measure, Mean) and all(map(_monotone, measure.parts))


def _lacks(measure: Measure) -> str:
    if measure.needs == "labels" or (isinstance(measure, Term) and measure.point is not None):
        return "has one"
    return f"needs {measure.needs}"
