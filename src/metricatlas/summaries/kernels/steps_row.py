"""One row in order, highest score first, packed to its distinct scores: all facts start here."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, Any]
Made = TypeVar("Made")
Rest = TypeVarTuple("Rest")

#: Whole weights compare exactly; fractional ones carry rounding, so such differences are none.
SAME_RATE = 1e-12
SAME_SLOPE = 1e-9


def ratio(a: float, b: float) -> float:
    """Return a / b, and NaN for a division by zero."""
    return a / b if b else math.nan


def cumulated(values: Array) -> Array:
    """Return 0 and the running sums, exact for whole numbers below 2^53."""
    sums = np.empty((*values.shape[:-1], values.shape[-1] + 1))
    sums[..., 0] = 0.0
    np.add.accumulate(values, axis=-1, out=sums[..., 1:])
    return sums


def cumulated_precisely(values: Array) -> Array:
    """Return 0 and the running sums of values >= 0, each rounded about once.

    Adding and subtracting a power of two above the total rounds each value to a grid on which all
    sums are exact. What that leaves off is some 2^-52 of the total, so its own rounding is none.
    """
    _, exponent = math.frexp(float(np.add.reduce(values, axis=None)))
    grid = math.ldexp(1.0, min(exponent + 1, 1023))
    coarse = (values + grid) - grid
    return cumulated(coarse) + cumulated(values - coarse)


class Row:
    """Blocks of equal scores, highest first, with their masses; and the cuts between them.

    Cut j lies above block j: j blocks are decided positive. So `tp` and `fp` have one entry more
    than `x`, `p` and `q`, and the threshold that makes cut j is the score of block j.
    """

    def __init__(
        self, scores: Array, positive: Array, weight: Array | None, *, whole: bool
    ) -> None:
        self._made: dict[Any, Any] = {}
        self.whole = whole
        #: Difference of two rates that counts as none.
        self.slack = 0.0 if whole else SAME_RATE
        turned = -scores
        self.order = order = turned.argsort()
        #: All scores in order, with the sign turned.
        self.turned = turned = turned.take(order)
        self.labels = labels = positive.take(order)
        self.weight = None if weight is None else weight.take(order)
        new = turned[1:] != turned[:-1]
        #: First row of each block and the end of the last; None where every row is a block.
        self.cuts: Array | None = None
        blocks = np.count_nonzero(new) + 1
        if blocks < turned.size:
            self.cuts = np.empty(blocks + 1, np.int64)
            self.cuts[0], self.cuts[-1] = 0, turned.size
            np.add(new.nonzero()[0], 1, out=self.cuts[1:-1])
            turned = turned.take(self.cuts[:-1])
        #: Scores with the sign turned, so that they ascend as a search wants them.
        self.descent = turned
        self.x = -turned
        if self.weight is None:
            self._count(labels)
        else:
            self._weigh(labels, self.weight)
        self.positives = float(self.tp[-1])
        self.negatives = float(self.fp[-1])
        self.mass = self.positives + self.negatives
        self.both = self.positives > 0 and self.negatives > 0

    def _count(self, labels: Array) -> None:
        """Fill in the masses of rows that count one each."""
        if self.cuts is None:
            self.p = labels.astype(np.float64)
            #: Mass of a block, a number if all are the same.
            self.m: Array | float = 1.0
            self.q = 1.0 - self.p
            below = np.add.accumulate(labels, dtype=np.int64)
            self.tp = np.empty(labels.size + 1)
            self.tp[0] = 0.0
            self.tp[1:] = below
            self.total = np.arange(labels.size + 1.0)
        else:
            #: Positives above each row, and in all.
            self.running = running = np.zeros(labels.size + 1, np.int64)
            np.add.accumulate(labels, out=running[1:], dtype=np.int64)
            self.tp = running.take(self.cuts).astype(np.float64)
            self.total = self.cuts.astype(np.float64)
            self.p = self.tp[1:] - self.tp[:-1]
            self.m = self.total[1:] - self.total[:-1]
            self.q = self.m - self.p
        self.fp = self.total - self.tp

    def _weigh(self, labels: Array, weight: Array) -> None:
        """Fill in the masses of weighted rows."""
        self.p = self.packed(weight * labels)
        self.q = self.packed(weight * (labels == 0))
        self.m = self.p + self.q
        running = cumulated if self.whole else cumulated_precisely
        self.tp, self.fp = running(self.p), running(self.q)
        self.total = self.tp + self.fp

    def packed(self, values: Array) -> Array:
        """Sum values of ordered rows (the last axis) over each block."""
        if self.cuts is None:
            return values
        return np.add.reduceat(values, self.cuts[:-1], axis=-1)

    @property
    def tied(self) -> bool:
        """Whether some block may hold more than a mass of one."""
        return not isinstance(self.m, float)

    @cached_property
    def ties(self) -> Array:
        """The blocks of more than a mass of one that hold positives: their order matters."""
        return ((self.m > 1) & (self.p > 0)).nonzero()[0]

    @cached_property
    def tie_masses(self) -> tuple[Array, Array, Array, Array]:
        """Positives and negatives above each tie, and in it."""
        ties = self.ties
        return self.tp.take(ties), self.fp.take(ties), self.p.take(ties), self.q.take(ties)

    @cached_property
    def precision(self) -> Array:
        """Share of positives above each cut; above the first cut, that of the first block."""
        precision = self.tp / self.total
        precision[0] = precision[1]
        return precision

    @cached_property
    def share(self) -> Array:
        """Share of positives in each block."""
        return self.p / self.m if self.tied else self.p

    @cached_property
    def crossed(self) -> tuple[Array, Array]:
        """True positives by all negatives, false positives by all positives: undivided rates."""
        return self.tp * self.negatives, self.fp * self.positives

    @cached_property
    def negatives_below(self) -> Array:
        """Mass of negatives below each cut."""
        if self.whole:
            return self.negatives - self.fp
        return cumulated_precisely(self.q[::-1])[::-1]

    def once(self, make: Callable[[Row, *Rest], Made], *arguments: *Rest) -> Made:
        """Return what a function makes of the row, made once."""
        key = make, arguments
        made = self._made.get(key)
        if made is None:
            made = self._made[key] = make(self, *arguments)
        return made

    def threshold(self, cut: int) -> float:
        """Return the highest threshold of a cut; -inf where everything is positive."""
        return float(self.x[cut]) + 0.0 if cut < self.x.size else -math.inf

    def at(self, cut: int) -> tuple[float, float, float]:
        """Return true positives, false positives and threshold of a cut."""
        return float(self.tp[cut]), float(self.fp[cut]), self.threshold(cut)
