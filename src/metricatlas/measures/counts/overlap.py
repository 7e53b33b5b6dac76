"""How far what is positive and what is decided positive overlap; true negatives do not count."""

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import no_positives, nothing_decided_positive, nothing_positive
from metricatlas.summaries import TwoByTwo

Array = np.ndarray[Any, Any]
_WEIGHT = (lambda x: 0 < x < np.inf, "a number above 0")


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(nothing_positive,),
    aliases=("f_measure", "f_score", "dice", "sorensen_dice", "DFM", "FSC", "f1_score", "f_meas"),
    sources=("caruana2004", "seliya2009"),
    cites=("vanrijsbergen1979", "dice1945"),
    monotone=True,
)
def f1(t: TwoByTwo) -> Array:
    r"""F1, the harmonic mean of precision and recall.

    .. math:: \frac{2 TP}{2 TP + FP + FN}

    It is 0 where precision has no value because nothing is decided positive, as long as there are
    positives.

    >>> f1(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.727)
    """
    return 2 * t.tp / (t.positives + t.decided_positive)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(nothing_positive,),
    aliases=("f_beta", "fbeta_score"),
    cites=("vanrijsbergen1979",),
    monotone=True,
    checks={"beta": (lambda beta: 0 < beta < np.inf, "a number above 0")},
)
def fbeta(t: TwoByTwo, *, beta: float) -> Array:
    r"""F-beta, the weighted harmonic mean of precision and recall.

    .. math:: \frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + \beta^2 FN + FP}

    Recall counts :math:`\beta` times as much as precision; :math:`\beta` is the parameter beta.
    Seliya et al. print it without the square in the denominator, which is the same for beta = 1
    only.

    >>> fbeta(TwoByTwo(tp=4, fp=1, fn=2, tn=5), beta=2).round(3)
    np.float64(0.69)
    """
    square = np.square(np.float64(beta))
    hits = (1 + square) * t.tp
    return hits / (hits + square * t.fn + t.fp)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(nothing_positive,),
    aliases=(
        "csi",
        "critical_success_index",
        "threat_score",
        "iou",
        "jaccard_score",
        "jaccard_index",
    ),
    cites=("jaccard1901", "gilbert1884"),
    monotone=True,
)
def jaccard(t: TwoByTwo) -> Array:
    r"""Jaccard index, the critical success index.

    .. math:: \frac{TP}{TP + FP + FN}

    The share of what is positive or decided positive that is both.

    >>> jaccard(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.571)
    """
    return t.tp / (t.tp + t.fp + t.fn)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(nothing_positive,),
    aliases=("tversky_index",),
    cites=("tversky1977",),
    monotone=True,
    checks={"alpha": _WEIGHT, "beta": _WEIGHT},
)
def tversky(t: TwoByTwo, *, alpha: float, beta: float) -> Array:
    r"""Tversky index.

    .. math:: \frac{TP}{TP + \alpha FP + \beta FN}

    The Jaccard index where false positives count :math:`\alpha` and false negatives :math:`\beta`,
    which are the parameters alpha and beta; with 1/2 and 1/2 it is F1.

    >>> tversky(TwoByTwo(tp=4, fp=1, fn=2, tn=5), alpha=0.3, beta=0.7).round(3)
    np.float64(0.702)
    """
    return t.tp / (t.tp + np.float64(alpha) * t.fp + np.float64(beta) * t.fn)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_positives, nothing_decided_positive),
    aliases=("fmi", "gpr", "otsuka_ochiai"),
    cites=("fowlkes1983",),
    monotone=True,
)
def fowlkes_mallows(t: TwoByTwo) -> Array:
    r"""Fowlkes-Mallows index, the geometric mean of precision and recall.

    .. math:: \frac{TP}{\sqrt{(TP + FP)(TP + FN)}}

    Also the cosine between the indicators of what is positive and of what is decided so.

    >>> fowlkes_mallows(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.73)
    """
    return t.tp / np.sqrt(t.positives * t.decided_positive)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(nothing_positive,),
    cites=("braunblanquet1932",),
    monotone=True,
)
def braun_blanquet(t: TwoByTwo) -> Array:
    r"""Braun-Blanquet similarity, the smaller of precision and recall.

    .. math:: \frac{TP}{\max(TP + FP,\, TP + FN)}

    What is positive and decided so, as a share of the larger of the two groups.

    >>> braun_blanquet(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.667)
    """
    return t.tp / np.maximum(t.positives, t.decided_positive)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_positives, nothing_decided_positive),
    aliases=("szymkiewicz_simpson",),
    cites=("simpson1943",),
    monotone=True,
)
def overlap_coefficient(t: TwoByTwo) -> Array:
    r"""Overlap coefficient, the larger of precision and recall.

    .. math:: \frac{TP}{\min(TP + FP,\, TP + FN)}

    What is positive and decided so, as a share of the smaller of the two groups.

    >>> overlap_coefficient(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.8)
    """
    return t.tp / np.minimum(t.positives, t.decided_positive)
