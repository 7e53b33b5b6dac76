"""What decisions cost, or are worth, where mistakes do not weigh the same."""

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import no_mass, one_true_class
from metricatlas.summaries import Confusion, TwoByTwo
from metricatlas.summaries.confusion import sum_of_cells

Array = np.ndarray[Any, Any]


def _costs(costs: Any) -> bool:
    matrix = np.asarray(costs, dtype=np.float64)
    square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0
    return square and bool(np.all((matrix >= 0) & (matrix < np.inf)))


_COSTS = (
    _costs,
    (
        "a square matrix of costs, none negative: rows are the truth, columns the decisions, both "
        "in the order of labels=, or sorted, or named as a frame's index and columns"
    ),
)


def _losses(costs: Any) -> bool:
    matrix = np.asarray(costs, dtype=np.float64)
    wrong = ~np.eye(len(matrix), dtype=bool)
    return _costs(costs) and not np.diag(matrix).any() and bool((matrix[wrong] > 0).all())


_LOSSES = (_losses, "a square matrix of costs, 0 on the diagonal and above 0 beside it")


def _at_most_the_dearest(_classes: int, *, costs: Any = np.inf) -> tuple[float, float]:
    return (float(np.min(costs)) if np.ndim(costs) else 0.0, float(np.max(costs)))


def _all_false_alarms(_classes: int, *, p: float = 0.5) -> tuple[float, float]:
    return (-p / (1 - p), 1)


@measure(
    bounds=_at_most_the_dearest,
    better="lower",
    undefined=(no_mass,),
    aliases=("cost",),
    cites=("elkan2001",),
    checks={"costs": _COSTS},
)
def expected_cost(c: Confusion, *, costs: Any) -> Array:
    r"""Expected cost of a decision.

    .. math:: \frac{1}{s} \sum_{jk} C_{jk}\, c_{jk}

    The mean of what each decision costs, given the cost of deciding k where the truth is j.

    >>> expected_cost(Confusion.of([[5, 1], [2, 4]]), costs=[[0, 1], [5, 0]]).round(3)
    np.float64(0.917)
    """
    matrix = np.asarray(costs, dtype=np.float64)
    return sum_of_cells(c.matrix * matrix) / c.total


@measure(
    bounds=(0, np.inf),
    better="lower",
    undefined=(no_mass, one_true_class),
    aliases=("normalized_cost", "normalised_expected_cost", "normalized_expected_cost"),
    cites=("ferrer2022",),
    checks={"costs": _LOSSES},
)
def normalised_cost(c: Confusion, *, costs: Any) -> Array:
    r"""Expected cost over that of the cheapest single decision.

    .. math:: \frac{\sum_{jk} C_{jk}\, c_{jk}}{\min_k \sum_j r_j\, c_{jk}}

    Deciding for one class always, the one for which this costs least, has the value 1.

    >>> normalised_cost(Confusion.of([[5, 1], [2, 4]]), costs=[[0, 1], [5, 0]]).round(3)
    np.float64(1.833)
    """
    matrix = np.asarray(costs, dtype=np.float64)
    always = np.add.reduce(c.true[..., :, np.newaxis] * matrix, axis=-2)
    cheapest = np.minimum.reduce(always, axis=-1)
    value = sum_of_cells(c.matrix * matrix) / cheapest
    return np.where(cheapest > 0, value, np.nan)[()]


@measure(
    bounds=_all_false_alarms,
    better="higher",
    undefined=(no_mass,),
    aliases=("decision_curve",),
    cites=("vickers2006",),
    monotone=True,
    checks={"p": (lambda p: 0 < p < 1, "between 0 and 1, both excluded")},
)
def net_benefit(t: TwoByTwo, *, p: float = 0.5) -> Array:
    r"""Net benefit.

    .. math:: \frac{TP}{n} - \frac{FP}{n} \cdot \frac{p}{1 - p}

    What deciding is worth in true positives to somebody who would act from a probability of p on:
    a false positive costs p / (1 - p). Decide there too: ``net_benefit[p=0.2]@0.2``.

    >>> net_benefit(TwoByTwo(tp=4, fp=1, fn=2, tn=5), p=0.2).round(3)
    np.float64(0.312)
    """
    odds = p / (1 - np.float64(p))
    return (t.tp - t.fp * odds) / t.total
