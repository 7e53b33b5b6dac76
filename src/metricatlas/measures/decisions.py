"""Threshold and probability together: how sure the wrong decisions were.

Ferri et al. (section 3.2) find no measure that reads both the decision C(i, k) and the probability
p(i, k), and propose terms f(i, j) C(i, k) p(i, k), which count a probability only where the
classifier fails. In the formulas w(i) is 1 where example i is decided wrongly, j its true class, k
the decided one. Each term is averaged over all m examples, so that it is small where mistakes are
few or unsure, or over the mistakes alone.
"""

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import no_mass, no_mistakes
from metricatlas.summaries import Confusion
from metricatlas.summaries.confusion import off_diagonal, sum_of_cells

Array = np.ndarray[Any, Any]


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=(no_mass,),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def error_confidence(c: Confusion) -> Array:
    r"""Probability given to the wrong decisions, over all examples.

    .. math:: \frac{1}{m} \sum_i w(i)\, p(i, k)

    The error rate, each mistake weighted by the probability of the class k that was decided.

    >>> c = Confusion.from_facts(matrix=[[1, 1], [1, 1]], confidence=[[0.9, 0.8], [0.6, 0.7]])
    >>> error_confidence(c).round(3)
    np.float64(0.35)
    """
    return _of_mistakes(c.confidence) / c.total


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=(no_mass,),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def error_confidence_squared(c: Confusion) -> Array:
    r"""Squared probability given to the wrong decisions, over all examples.

    .. math:: \frac{1}{m} \sum_i w(i)\, p(i, k)^2

    As ``error_confidence``, of the decided class k; sure mistakes weigh more.

    >>> squares = [[0.81, 0.64], [0.36, 0.49]]
    >>> c = Confusion.from_facts(matrix=[[1, 1], [1, 1]], confidence_squared=squares)
    >>> error_confidence_squared(c).round(3)
    np.float64(0.25)
    """
    return _of_mistakes(c.confidence_squared) / c.total


@measure(
    bounds=(-1, 1),
    better="lower",
    undefined=(no_mass,),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def error_margin(c: Confusion) -> Array:
    r"""Margin of the wrong decisions over the truth, over all examples.

    .. math:: \frac{1}{m} \sum_i w(i)\, (p(i, k) - p(i, j))

    The error rate, each mistake weighted by how much more probable the decided class k seemed than
    the true one j. Thresholds other than 1/2 can make it negative.

    >>> c = Confusion.from_facts(matrix=[[1, 1], [1, 1]], margin=[[0, 0.6], [0.2, 0]])
    >>> error_margin(c).round(3)
    np.float64(0.2)
    """
    return _of_mistakes(c.margin) / c.total


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=(no_mistakes,),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def confidence_when_wrong(c: Confusion) -> Array:
    r"""Mean probability of the wrong decisions.

    .. math:: \frac{\sum_i w(i)\, p(i, k)}{\sum_i w(i)}

    How sure of itself the classifier is when it fails: k is the decided class.

    >>> c = Confusion.from_facts(matrix=[[1, 1], [1, 1]], confidence=[[0.9, 0.8], [0.6, 0.7]])
    >>> confidence_when_wrong(c).round(3)
    np.float64(0.7)
    """
    return _of_mistakes(c.confidence) / c.wrong


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=(no_mistakes,),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def squared_confidence_when_wrong(c: Confusion) -> Array:
    r"""Mean squared probability of the wrong decisions.

    .. math:: \frac{\sum_i w(i)\, p(i, k)^2}{\sum_i w(i)}

    As ``confidence_when_wrong``, of the decided class k; sure mistakes weigh more.

    >>> squares = [[0.81, 0.64], [0.36, 0.49]]
    >>> c = Confusion.from_facts(matrix=[[1, 1], [1, 1]], confidence_squared=squares)
    >>> squared_confidence_when_wrong(c).round(3)
    np.float64(0.5)
    """
    return _of_mistakes(c.confidence_squared) / c.wrong


@measure(
    bounds=(-1, 1),
    better="lower",
    undefined=(no_mistakes,),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def margin_when_wrong(c: Confusion) -> Array:
    r"""Mean margin of the wrong decisions over the truth.

    .. math:: \frac{\sum_i w(i)\, (p(i, k) - p(i, j))}{\sum_i w(i)}

    How much more probable than the true class j the decided class k seemed, where the classifier
    fails.

    >>> c = Confusion.from_facts(matrix=[[1, 1], [1, 1]], margin=[[0, 0.6], [0.2, 0]])
    >>> margin_when_wrong(c).round(3)
    np.float64(0.4)
    """
    return _of_mistakes(c.margin) / c.wrong


def _of_mistakes(cells: Array) -> Array:
    return sum_of_cells(cells * off_diagonal(cells.shape[-1]))
