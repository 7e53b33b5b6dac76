"""Measures that give each class the same say, however rare it is."""

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import (
    no_mass,
    no_negatives,
    no_positives,
    nothing_right,
    one_class_without_mistakes,
    one_true_class,
)
from metricatlas.summaries import Confusion, TwoByTwo

Array = np.ndarray[Any, Any]
_BOTH_CLASSES = (no_positives, no_negatives)


@measure(
    bounds=(0, 1),
    better="higher",
    chance=lambda classes: 1 / classes,
    undefined=(no_mass,),
    aliases=("bacc", "bac", "average_recall", "uar", "balanced_accuracy_score", "ba"),
    cites=("brodersen2010",),
    symmetric=True,
    monotone=True,
)
def balanced_accuracy(c: Confusion) -> Array:
    r"""Balanced accuracy.

    .. math:: \frac{1}{|S|} \sum_{k \in S} \frac{C_{kk}}{r_k}

    The mean recall over the classes S that the truth holds.

    >>> balanced_accuracy(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.75)
    """
    return c.mean_recall


@measure(
    bounds=(0, 1),
    better="lower",
    chance=lambda classes: 1 - 1 / classes,
    undefined=(no_mass,),
    aliases=("ber", "half_total_error_rate"),
    cites=("brodersen2010",),
    symmetric=True,
    monotone=True,
)
def balanced_error_rate(c: Confusion) -> Array:
    r"""Balanced error rate.

    .. math:: 1 - \frac{1}{|S|} \sum_{k \in S} \frac{C_{kk}}{r_k}

    The mean over the classes of the truth of the share that is decided wrongly.

    >>> balanced_error_rate(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.25)
    """
    return 1 - c.mean_recall


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=(one_true_class,),
    cites=("guyon2015",),
    symmetric=True,
    monotone=True,
)
def adjusted_balanced_accuracy(c: Confusion) -> Array:
    r"""Balanced accuracy above chance.

    .. math:: \frac{\text{balanced accuracy} - 1/|S|}{1 - 1/|S|}

    Balanced accuracy put on a scale where 0 is what decisions get that do not look, 1 is perfect.

    >>> adjusted_balanced_accuracy(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.5)
    """
    chance = 1 / c.classes_present
    value = (c.mean_recall - chance) / (1 - chance)
    return np.where(chance < 1, value, np.nan)[()]


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_mass,),
    aliases=("cba",),
    cites=("mower2005", "mosley2013"),
    symmetric=True,
    monotone=True,
)
def class_balance_accuracy(c: Confusion) -> Array:
    r"""Class balance accuracy.

    .. math:: \frac{1}{|K|} \sum_{k \in K} \frac{C_{kk}}{\max(r_k, q_k)}

    The mean of the smaller of precision and recall, over the classes K that the truth or the
    decisions hold.

    >>> class_balance_accuracy(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.69)
    """
    larger = np.maximum(c.true, c.decided)
    empty = larger == 0
    held = c.classes - np.add.reduce(empty, axis=-1, dtype=np.float64)
    return np.add.reduce(c.hits / (larger + empty), axis=-1) / held


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=_BOTH_CLASSES,
    aliases=("g_mean", "geometric_mean", "DGM", "gm"),
    sources=("seliya2009",),
    cites=("kubat1998", "seliya2009"),
    symmetric=True,
    monotone=True,
)
def gmean(t: TwoByTwo) -> Array:
    r"""G-mean, the geometric mean of the rates of both classes.

    .. math:: \sqrt{\frac{TP}{TP + FN} \cdot \frac{TN}{TN + FP}}

    It is 0 as soon as one class is never decided rightly.

    >>> gmean(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.745)
    """
    return np.sqrt(t.tpr * t.tnr)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(one_class_without_mistakes,),
    aliases=("p4_metric",),
    cites=("sitarz2023",),
    symmetric=True,
    monotone=True,
)
def p4(t: TwoByTwo) -> Array:
    r"""P4, the harmonic mean of precision, recall, specificity and negative predictive value.

    .. math:: \frac{4\, TP\, TN}{4\, TP\, TN + (TP + TN)(FP + FN)}

    The same for both classes, unlike F1. It is 0 where every decision is wrong.

    >>> p4(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.748)
    """
    product = 4 * (t.tp * t.tn)
    right, wrong = t.tp + t.tn, t.fp + t.fn
    return np.where(right > 0, product / (product + right * wrong), 0 / wrong)[()]


@measure(
    bounds=(-1, 1),
    better="higher",
    undefined=(*_BOTH_CLASSES, nothing_right),
    aliases=("optimised_precision",),
    cites=("ranawana2006",),
    symmetric=True,
)
def optimized_precision(t: TwoByTwo) -> Array:
    r"""Optimized precision.

    .. math:: \mathrm{acc} - \frac{|TNR - TPR|}{TNR + TPR}

    Accuracy less a penalty for rates that differ between the classes.

    >>> optimized_precision(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.639)
    """
    gap = np.abs(t.tnr - t.tpr) / (t.tnr + t.tpr)
    return (t.tp + t.tn) / t.total - gap


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=_BOTH_CLASSES,
    aliases=("iba",),
    cites=("garcia2009",),
    checks={"alpha": (lambda alpha: 0 <= alpha <= 1, "between 0 and 1")},
)
def index_of_balanced_accuracy(t: TwoByTwo, *, alpha: float = 0.1) -> Array:
    r"""Index of balanced accuracy.

    .. math:: (1 + \alpha (TPR - TNR))\, TPR\, TNR

    The product of both rates, raised by a share :math:`\alpha` of their difference where the rate
    of the positives is the larger.

    >>> index_of_balanced_accuracy(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.546)
    """
    return (1 + alpha * (t.tpr - t.tnr)) * (t.tpr * t.tnr)


@measure(
    bounds=(0, np.sqrt(2)),
    better="lower",
    undefined=_BOTH_CLASSES,
    aliases=("distance_to_corner",),
    cites=("perkins2006",),
    symmetric=True,
    monotone=True,
)
def roc_distance(t: TwoByTwo) -> Array:
    r"""Distance from the perfect corner of ROC space.

    .. math:: \sqrt{FPR^2 + FNR^2}

    How far the pair of rates is from no false positives and no false negatives.

    >>> roc_distance(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.373)
    """
    return np.sqrt(np.square(t.fpr) + np.square(t.fnr))
