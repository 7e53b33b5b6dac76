"""Areas under and distances within the ROC, precision-recall and precision-recall-gain curves."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import next_to_no_negatives, no_negatives, no_positives
from metricatlas.summaries import Ranking

Array = np.ndarray[Any, Any]
_TWO_CLASSES = (no_positives, no_negatives)
_RATE = (lambda x: 0 < x <= 1, "above 0 and at most 1")


def _up_to_the_rate(_classes: int, *, max_fpr: float = 0.1) -> tuple[float, float]:
    return (0, max_fpr)


def _standardised(_classes: int, *, max_fpr: float = 0.1) -> tuple[float, float]:
    chance = max_fpr * max_fpr / 2
    return ((1 - chance / (max_fpr - chance)) / 2, 1)


@measure(
    bounds=_up_to_the_rate,
    better="higher",
    undefined=_TWO_CLASSES,
    cites=("mcclish1989",),
    checks={"max_fpr": _RATE},
)
def partial_auc(r: Ranking, *, max_fpr: float = 0.1) -> Array:
    r"""Partial area under the ROC curve, up to a false positive rate.

    .. math:: \int_0^x \mathrm{TPR}\, d\,\mathrm{FPR}

    At most the given rate x, which is max_fpr, with ties drawn as straight lines. Others call it
    pAUC; here ``PAUC`` is Ferri et al.'s probabilistic AUC.

    >>> partial_auc(Ranking.from_facts(partial_area={0.1: 0.06}))
    np.float64(0.06)
    """
    return r.partial_area(max_fpr)


@measure(
    bounds=_standardised,
    better="higher",
    undefined=_TWO_CLASSES,
    aliases=("partial_auc_standardized", "mcclish_auc"),
    cites=("mcclish1989",),
    checks={"max_fpr": _RATE},
)
def partial_auc_standardised(r: Ranking, *, max_fpr: float = 0.1) -> Array:
    r"""Partial area under the ROC curve, standardised as McClish does.

    .. math:: \tfrac12 \Bigl(1 + \frac{A_x - x^2 / 2}{x - x^2 / 2}\Bigr)

    Some one half for a ranking by chance and 1 for a perfect one; x is the parameter max_fpr, and
    where that is 1 it is ``auc``.

    >>> partial_auc_standardised(Ranking.from_facts(partial_area={0.1: 0.06})).round(4)
    np.float64(0.7895)
    """
    chance = max_fpr * max_fpr / 2
    return (1 + (r.partial_area(max_fpr) - chance) / (max_fpr - chance)) / 2


@measure(
    bounds=(0.5, 1),
    better="higher",
    undefined=_TWO_CLASSES,
    aliases=("auch", "convex_hull_auc"),
    cites=("provost2001",),
    symmetric=True,
)
def hull_auc(r: Ranking) -> Array:
    r"""Area under the convex hull of the ROC curve.

    .. math:: \int_0^1 \mathrm{hull}(\mathrm{TPR})\, d\,\mathrm{FPR}

    The AUC that the scores reach once isotonic regression has recalibrated them; never below 1/2.

    >>> hull_auc(Ranking.from_facts(hull_area=0.88))
    np.float64(0.88)
    """
    return r.hull_area


@measure(
    bounds=(0, 1),
    better="higher",
    aliases=("hmeasure",),
    undefined=_TWO_CLASSES,
    cites=("hand2009", "hand2014"),
)
def h_measure(r: Ranking) -> Array:
    r"""H-measure: expected loss saved, over a distribution of costs that all classifiers share.

    .. math:: 1 - \frac{L}{L_0}, \quad
        L_0 = \frac{\pi (1 - \pi)\,(2 - 3 (1 - \pi)^{1/\pi})}{1 + 2 \pi}

    L is the expected least loss when the relative cost follows :math:`\mathrm{Beta}(2, 1/\pi)`,
    where :math:`\pi` is the share of positives (severity ratio = prior odds), and :math:`L_0` that
    of the better constant decision.

    >>> h_measure(Ranking.from_facts(hull_loss=0.06, positives=4, negatives=6)).round(4)
    np.float64(0.6132)
    """
    share, rest = r.share, r.negatives / r.total
    # The powers of 1 - pi in Hand's incomplete beta functions collapse into this one.
    decay = np.exp(np.log1p(-share) / share)
    alone = share * rest * (2 - 3 * decay) / (1 + 2 * share)
    return np.maximum(1 - r.hull_loss / alone, 0)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=_TWO_CLASSES,
    aliases=("KSS", "kolmogorov_smirnov"),
    sources=("seliya2009",),
    cites=("kolmogorov1933",),
    symmetric=True,
)
def ks(r: Ranking) -> Array:
    r"""Kolmogorov-Smirnov distance of the two classes' scores.

    .. math:: \max_t |F_1(t) - F_0(t)|

    Unsigned: a ranking that is wholly reversed reaches 1 as well.

    >>> ks(Ranking.from_facts(ks=0.6))
    np.float64(0.6)
    """
    return r.ks


@measure(
    bounds=(-np.inf, np.inf),
    better="neither",
    undefined=_TWO_CLASSES,
    aliases=("KSS_t",),
    sources=("seliya2009",),
    cites=("seliya2009",),
)
def ks_threshold(r: Ranking) -> Array:
    r"""Threshold at which the Kolmogorov-Smirnov distance is reached.

    .. math:: \min \arg\max_{t \in \{0\} \cup s} |F_1(t) - F_0(t)|

    The lowest of equal ones. It describes a prediction and does not rate it.

    >>> ks_threshold(Ranking.from_facts(ks_threshold=0.486))
    np.float64(0.486)
    """
    return r.ks_threshold


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=_TWO_CLASSES,
    aliases=("equal_error_rate",),
    cites=("martin1997",),
    symmetric=True,
)
def eer(r: Ranking) -> Array:
    r"""Equal error rate.

    .. math:: \mathrm{FPR} = \mathrm{FNR}

    Where the ROC curve, with straight lines between its points, crosses the falling diagonal, on
    which the false positive rate FPR and the false negative rate FNR are equal.

    >>> eer(Ranking.from_facts(equal_error=0.25))
    np.float64(0.25)
    """
    return r.equal_error


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_positives,),
    aliases=("APR", "average_precision", "average_precision_score"),
    sources=("caruana2004",),
    cites=("boyd2013",),
)
def ap(r: Ranking) -> Array:
    r"""Average precision.

    .. math:: \sum_t (R_t - R_{t-1})\, P_t

    Precision at every distinct score, weighted by the recall gained there; a tie is one step.

    >>> ap(Ranking.from_facts(precision_sum=3.5, positives=5))
    np.float64(0.7)
    """
    return r.precision_sum / r.positives


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_positives,),
    aliases=("APR_randties",),
    sources=("caruana2004",),
    cites=("caruana2004",),
)
def ap_random_ties(r: Ranking) -> Array:
    r"""Average precision when ties are put in random order.

    .. math:: \mathrm{E}\Bigl[\frac{1}{m_1} \sum_{i \in 1} P_{\mathrm{rank}(i)}\Bigr]

    The expectation over all orders of equal scores, as the program PERF computes it.

    >>> ap_random_ties(Ranking.from_facts(precision_sum_random=3.5, positives=5))
    np.float64(0.7)
    """
    return r.precision_sum_random / r.positives


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_positives,),
    aliases=("APR_11pt", "ap_11"),
    sources=("caruana2004",),
    cites=("manning2008",),
)
def ap_eleven(r: Ranking) -> Array:
    r"""Eleven-point interpolated average precision.

    .. math:: \frac{1}{11} \sum_{k=0}^{10} \max_{R_t \ge k/10} P_t

    The best precision at recall 0, 0.1, ..., 1 or more, averaged.

    >>> ap_eleven(Ranking.from_facts(precision_eleven=0.7))
    np.float64(0.7)
    """
    return r.precision_eleven


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_positives,),
    aliases=("PRC", "auprc", "pr_auc"),
    sources=("seliya2009",),
    cites=("davis2006",),
)
def pr_area(r: Ranking) -> Array:
    r"""Area under the precision-recall curve, interpolated as Davis and Goadrich do.

    .. math:: \int_0^1 P\, dR

    Between two points true positives grow one by one and false positives in proportion; trapezoids
    between these steps, constant precision before the first.

    >>> pr_area(Ranking.from_facts(pr_area=0.7))
    np.float64(0.7)
    """
    return r.pr_area


@measure(
    bounds=(-np.inf, 1),
    better="higher",
    undefined=(*_TWO_CLASSES, next_to_no_negatives),
    aliases=("auprg",),
    cites=("flach2015",),
)
def pr_gain_area(r: Ranking) -> Array:
    r"""Area under the precision-recall-gain curve.

    .. math:: \int_0^1 \mathrm{precG}\, d\,\mathrm{recG}, \quad
        \mathrm{precG} = \frac{P - \pi}{(1 - \pi) P}, \quad
        \mathrm{recG} = \frac{R - \pi}{(1 - \pi) R}

    Precision and recall on the harmonic scale on which the prior is 0.

    >>> pr_gain_area(Ranking.from_facts(gain_area=0.5, positives=6, negatives=4))
    np.float64(0.5)
    """
    return np.where(next_to_no_negatives(r), np.nan, r.gain_area)[()]
