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
    from metricatlas.measures.terms import Measure
    from metricatlas.summaries.facts import Array

Among = Literal["all", "positives", "negatives", "decided"]
#: Matrices of which no two shares are equal: [[tn, fp], [fn, tp]].
TRIED: Array = np.array(
    [[[53, 7], [11, 29]], [[3, 41], [17, 2]], [[101, 13], [5, 23]]], dtype=float
)
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


def proportion(measure: str | Measure) -> Proportion | None:
    """The share that a measure of two classes is; none if it is no share.

    >>> proportion("recall")
    Proportion(hits=(0, 0, 0, 1), among=(0, 0, 1, 1))
    """
    return _proportion(parse(measure))


@lru_cache(maxsize=1024)
def _proportion(measure: Any) -> Proportion | None:
    from metricatlas.evaluation.doors import evaluate_confusion

    if getattr(measure, "needs", "") not in ("labels", "decisions"):
        return None
    try:
        values = evaluate_confusion(TRIED, measures=[measure]).values[:, 0]
    except MetricAtlasError:
        return None
    cells = TRIED.reshape(len(TRIED), 4)
    for among in product((0, 1), repeat=4):
        if not any(among):
            continue
        for hits in product(*((0, 1) if cell else (0,) for cell in among)):
            if 0 < sum(hits) < sum(among):
                share = cells @ np.array(hits) / (cells @ np.array(among))
                if np.allclose(share, values, rtol=1e-12, atol=0):
                    return Proportion(hits, among)
    return None


def mcnemar(only_one: int, only_other: int) -> float:
    """Exact two-sided p-value of examples that only one of two models has right.

    >>> round(mcnemar(2, 10), 4)
    0.0386
    """
    from scipy.stats import binomtest

    both = only_one + only_other
    return 1.0 if both == 0 else float(binomtest(only_one, both, 0.5).pvalue)
