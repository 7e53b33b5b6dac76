"""All cuts of a model's scores: for all examples, for some of them, for many resamples at once.

The examples are put in order once. A cut lies above a distinct score, the lowest below all of them;
what is above it is a cumulative sum of masses, whoever has mass in a resample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.draws import Draws
    from metricatlas.summaries.facts import Array

#: Examples of resamples that are held at once.
TOGETHER = 1 << 18
#: A fold that no example is in.
NO_FOLD = -1


@dataclass(frozen=True, eq=False)
class Cells:
    """The four masses of any number of matrices."""

    tp: Array
    fp: Array
    fn: Array
    tn: Array


@dataclass(frozen=True, eq=False)
class Cuts:
    """Masses above each cut, (rows, cuts), the lowest cut first: it decides everything positive."""

    tp: Array
    fp: Array

    @property
    def all(self) -> Cells:
        """The matrices at all cuts."""
        return self.cells(self.tp, self.fp)

    def at(self, places: Array) -> Cells:
        """The matrices at one cut of each row; undefined where the place is -1."""
        rows = np.arange(len(places))
        missing = np.where(places < 0, np.nan, 0.0)
        tp, fp = (part[rows, places] + missing for part in (self.tp, self.fp))
        return self.cells(tp[:, np.newaxis], fp[:, np.newaxis])

    def cells(self, tp: Array, fp: Array) -> Cells:
        """The matrices that have these masses decided positive."""
        # Differences of one total: what is empty is exactly 0.
        return Cells(tp, fp, self.tp[:, :1] - tp, self.fp[:, :1] - fp)


@dataclass(frozen=True, eq=False)
class Drawn:
    """How often the examples of a line are drawn, a row a resample, and in which folds they are."""

    #: How often each unit is drawn, (rows, units), and the unit of each example in order.
    counts: Array
    units: Array
    #: Ways to part the examples in order into folds, (ways, examples), and which one each row has.
    folds: Array
    ways: Array

    @classmethod
    def of(cls, line: Line, counts: Array, draws: Draws) -> Self:
        """Some of the resamples that examples are drawn for; all are in one fold."""
        units = draws.units[line.order].astype(np.int64)
        return cls(counts, units, *_no_folds(counts, units))

    @classmethod
    def once(cls, line: Line) -> Self:
        """Every example once."""
        units = np.zeros(len(line.order), dtype=np.int64)
        counts = np.ones((1, 1), dtype=np.uint8)
        return cls(counts, units, *_no_folds(counts, units))


def _no_folds(counts: Array, units: Array) -> tuple[Array, Array]:
    return np.zeros((1, len(units)), dtype=np.int32), np.zeros(len(counts), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Line:
    """The examples of one model in ascending order of score."""

    #: The place that each example had.
    order: Array
    positive: Array
    weight: Array | None
    #: Minus infinity and the distinct scores: the threshold of each cut.
    scores: Array
    #: The lowest cut that each example is not above.
    cut: Array

    @classmethod
    def of(cls, scores: Array, positive: Array, weight: Array | None) -> Line:
        """Put the examples in order."""
        order = np.argsort(scores, kind="stable")
        own = scores[order].astype(np.float64)
        new = np.append(True, own[1:] != own[:-1])
        return cls(
            order,
            positive[order].astype(np.uint8),
            None if weight is None else weight[order],
            np.append(-np.inf, own[new]),
            np.cumsum(new),
        )

    def cuts(self, drawn: Drawn, left_out: int = NO_FOLD) -> Cuts:
        """All cuts of each row, of the examples that are not in a fold."""
        from metricatlas.decisions.cutting.cuts_scan import cumulate

        tp, fp = np.empty((2, len(drawn.counts), len(self.scores)))
        cumulate(
            drawn.counts,
            drawn.units,
            self.positive,
            self.weight,
            self.cut,
            drawn.folds,
            drawn.ways,
            left_out,
            tp,
            fp,
        )
        return Cuts(tp, fp)

    def decided(self, drawn: Drawn, places: Array) -> Cells:
        """The matrix of each row if every example is decided by its fold's cut, (rows, folds).

        Examples whose fold's cut is -1 are left out; where these are all of a class there is none.
        """
        from metricatlas.decisions.cutting.cuts_scan import decide

        cells = np.empty((len(places), 4))
        decide(
            drawn.counts,
            drawn.units,
            self.positive,
            self.weight,
            self.cut,
            drawn.folds,
            drawn.ways,
            places,
            cells,
        )
        tp, fp, fn, tn = cells.T
        cells[(tp + fn == 0) | (fp + tn == 0)] = np.nan
        return Cells(*(cells[:, i : i + 1] for i in range(4)))

    def between(self, cuts: Cuts, chosen: Array) -> Array:
        """The threshold of each row's cut: midway to the next higher score that has mass there.

        Where there is none it is the score itself, or minus infinity; undefined where the cut is
        -1.
        """
        from metricatlas.decisions.cutting.cuts_scan import next_with_mass

        higher = np.empty(len(chosen), dtype=np.int64)
        next_with_mass(cuts.tp, cuts.fp, chosen, higher)
        low, high = self.scores[chosen], self.scores[higher]
        middle = np.where(np.isfinite(low), low / 2 + high / 2, low)
        # Two scores that are neighbours among all numbers have none between them.
        found = np.where((middle >= low) & (middle < high), middle, low)
        return np.where(chosen < 0, np.nan, found)

    def places(self, thresholds: Array) -> Array:
        """The cut that each threshold makes; -1 where it is undefined."""
        found = np.searchsorted(self.scores, thresholds, side="right") - 1
        return np.where(np.isnan(thresholds), -1, found)


def lots(rows: int, examples: int) -> list[Array]:
    """Rows that are worked on together; it is the same whatever the number of workers."""
    step = max(1, TOGETHER // examples)
    return [np.arange(first, min(first + step, rows)) for first in range(0, rows, step)]
