"""Which measures are shares of examples, and of which: found by trying, not listed.

A share of a fixed set of examples (all of them, the positives, the negatives) is binomial, so
Wilson's interval holds, and two models are right or wrong on the same examples, so McNemar's test
does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metricatlas.errors import MetricAtlasError
from metricatlas.measures.language import parse

if TYPE_CHECKING:
    from metricatlas.evaluation.task import Task
    from metricatlas.measures.terms import Measure
    from metricatlas.summaries.facts import Array

Among = Literal["all", "positives", "negatives", "decided"]
#: Matrices of which no two shares are equal, and none is the larger in all: [[tn, fp], [fn, tp]].
TRIED: Array = np.array(
    [[[53, 7], [11, 29]], [[3, 41], [17, 2]], [[23, 5], [13, 101]]], dtype=float
)
#: What is tried where there are more classes: masses up to here, drawn from this seed.
MOST, SEED = 100, 1947
#: The cells of a denominator in the order tn, fp, fn, tp, and what they are together.
SETS: dict[tuple[int, ...], Among] = {
    (1, 1, 1, 1): "all",
    (0, 0, 1, 1): "positives",
    (1, 1, 0, 0): "negatives",
}


@dataclass(frozen=True)
class Proportion:
    """A share: the sum of some cells of the confusion matrix over that of some more."""

    #: Of the cells tn, fp, fn, tp those of the numerator, and of the denominator.
    hits: tuple[int, ...]
    among: tuple[int, ...]

    @property
    def examples(self) -> Among:
        """The examples that are counted; "decided" where the decisions say which these are."""
        return SETS.get(self.among, "decided")


#: The right decisions, and the wrong ones, among all.
RIGHT, WRONG = Proportion((1, 0, 0, 1), (1, 1, 1, 1)), Proportion((0, 1, 1, 0), (1, 1, 1, 1))


def proportion(measure: str | Measure, task: Task) -> Proportion | None:
    """The share that a measure is; none if it is no share.

    Of more than two classes only the shares of right and of wrong decisions are known.

    >>> from metricatlas.evaluation.task import Task
    >>> proportion("recall", Task("labels", ("no", "yes"), decided=True, whole=True))
    Proportion(hits=(0, 0, 0, 1), among=(0, 0, 1, 1))
    """
    return _proportion(parse(measure), task)


@lru_cache(maxsize=1024)
def _proportion(measure: Any, task: Task) -> Proportion | None:
    if getattr(measure, "needs", "") not in ("labels", "decisions"):
        return None
    count = len(task.classes)
    masses = np.random.default_rng(SEED).integers(1, MOST, (len(TRIED), count, count))
    tried = TRIED if task.binary else masses.astype(np.float64)
    values = _values(measure, tried, task)
    if values is None:
        return None
    if not task.binary:
        right = np.trace(tried, axis1=1, axis2=2) / tried.sum(axis=(1, 2))
        return RIGHT if _are(values, right) else WRONG if _are(values, 1 - right) else None
    cells = TRIED.reshape(len(TRIED), 4)
    for among in product((0, 1), repeat=4):
        if not any(among):
            continue
        for hits in product(*((0, 1) if cell else (0,) for cell in among)):
            if 0 < sum(hits) < sum(among):
                share = cells @ np.array(hits) / (cells @ np.array(among))
                if _are(values, share):
                    return Proportion(hits, among)
    return None


def _values(measure: Measure, tried: Array, task: Task) -> Array | None:
    """What a measure says of the matrices, whose classes are those of the task."""
    from metricatlas.evaluation.matrices import Matrices, fill_matrices

    try:
        return fill_matrices(Matrices(tried, task.classes, task.declared), (measure,)).values[:, 0]
    except MetricAtlasError:
        return None


def _are(values: Array, shares: Array) -> bool:
    return bool(np.allclose(values, shares, rtol=1e-12, atol=0))


def mcnemar(only_one: int, only_other: int) -> float:
    """Exact two-sided p-value of examples that only one of two models has right.

    >>> round(mcnemar(2, 10), 4)
    0.0386
    """
    from scipy.stats import binomtest

    both = only_one + only_other
    return 1.0 if both == 0 else float(binomtest(only_one, both, 0.5).pvalue)
