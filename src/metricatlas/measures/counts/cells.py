"""The four cells of two classes as they are: masses, not shares."""

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.summaries import TwoByTwo

Array = np.ndarray[Any, Any]


@measure(
    bounds=(0, np.inf),
    better="higher",
    aliases=("tp",),
    cites=("powers2011",),
    monotone=True,
)
def true_positives(t: TwoByTwo) -> Array:
    r"""True positives.

    .. math:: TP

    The mass of positives decided positive: their number, where there are no weights.

    >>> true_positives(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(4.0)
    """
    return t.tp


@measure(
    bounds=(0, np.inf),
    better="lower",
    aliases=("fp",),
    cites=("powers2011",),
    monotone=True,
)
def false_positives(t: TwoByTwo) -> Array:
    r"""False positives.

    .. math:: FP

    The mass of negatives decided positive: their number, where there are no weights.

    >>> false_positives(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(1.0)
    """
    return t.fp


@measure(
    bounds=(0, np.inf),
    better="lower",
    aliases=("fn",),
    cites=("powers2011",),
    monotone=True,
)
def false_negatives(t: TwoByTwo) -> Array:
    r"""False negatives.

    .. math:: FN

    The mass of positives decided negative: their number, where there are no weights.

    >>> false_negatives(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(2.0)
    """
    return t.fn


@measure(
    bounds=(0, np.inf),
    better="higher",
    aliases=("tn",),
    cites=("powers2011",),
    monotone=True,
)
def true_negatives(t: TwoByTwo) -> Array:
    r"""True negatives.

    .. math:: TN

    The mass of negatives decided negative: their number, where there are no weights.

    >>> true_negatives(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(5.0)
    """
    return t.tn
