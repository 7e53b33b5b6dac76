"""Shares of decisions: of one true class, of one decision, of all."""

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import (
    no_mass,
    no_negatives,
    no_positives,
    nothing_decided_negative,
    nothing_decided_positive,
    nothing_positive,
)
from metricatlas.summaries import Confusion, Probabilities, TwoByTwo

Array = np.ndarray[Any, Any]


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_mass,),
    aliases=("accuracy", "DACR", "accuracy_score"),
    sources=("ferri2009", "caruana2004", "seliya2009", "huang2007", "jurman2010"),
    cites=("ferri2009",),
    symmetric=True,
    monotone=True,
)
def acc(c: Confusion) -> Array:
    r"""Accuracy.

    .. math:: \frac{1}{s} \sum_k C_{kk}

    The share of decisions that are right.

    >>> acc(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.75)
    """
    return c.correct / c.total


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=(no_mass,),
    aliases=(
        "hamming",
        "hamming_loss",
        "zero_one_loss",
        "misclassification_rate",
        "ce",
        "mcr",
        "err",
    ),
    cites=("ferri2009",),
    symmetric=True,
    monotone=True,
)
def error_rate(c: Confusion) -> Array:
    r"""Error rate.

    .. math:: \frac{1}{s} \sum_{j \neq k} C_{jk}

    The share of decisions that are wrong; of single labels this is the Hamming loss too.

    >>> error_rate(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.25)
    """
    return c.wrong / c.total


@measure(
    bounds=(0, 1),
    better="higher",
    macro_chance=lambda classes: 1 / classes,
    undefined=(no_positives,),
    aliases=(
        "tpr",
        "sensitivity",
        "true_positive_rate",
        "hit_rate",
        "probability_of_detection",
        "recall_score",
        "sens",
    ),
    cites=("yerushalmy1947",),
    monotone=True,
)
def recall(t: TwoByTwo) -> Array:
    r"""Recall, the true positive rate.

    .. math:: \frac{TP}{TP + FN}

    The share of the positives that are decided positive.

    >>> recall(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.667)
    """
    return t.tpr


@measure(
    bounds=(0, 1),
    better="higher",
    macro_chance=lambda classes: 1 - 1 / classes,
    undefined=(no_negatives,),
    aliases=("tnr", "selectivity", "true_negative_rate", "spec"),
    cites=("yerushalmy1947",),
    monotone=True,
)
def specificity(t: TwoByTwo) -> Array:
    r"""Specificity, the true negative rate.

    .. math:: \frac{TN}{TN + FP}

    The share of the negatives that are decided negative.

    >>> specificity(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.833)
    """
    return t.tnr


@measure(
    bounds=(0, 1),
    better="lower",
    macro_chance=lambda classes: 1 / classes,
    undefined=(no_negatives,),
    aliases=(
        "DFPR",
        "false_positive_rate",
        "fall_out",
        "probability_of_false_detection",
        "fallout",
    ),
    sources=("seliya2009",),
    cites=("seliya2009",),
    monotone=True,
)
def fpr(t: TwoByTwo) -> Array:
    r"""False positive rate.

    .. math:: \frac{FP}{FP + TN}

    The share of the negatives that are decided positive.

    >>> fpr(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.167)
    """
    return t.fpr


@measure(
    bounds=(0, 1),
    better="lower",
    macro_chance=lambda classes: 1 - 1 / classes,
    undefined=(no_positives,),
    aliases=("DFNR", "false_negative_rate", "miss_rate"),
    sources=("seliya2009",),
    cites=("seliya2009",),
    monotone=True,
)
def fnr(t: TwoByTwo) -> Array:
    r"""False negative rate.

    .. math:: \frac{FN}{FN + TP}

    The share of the positives that are decided negative.

    >>> fnr(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.333)
    """
    return t.fnr


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(nothing_decided_positive,),
    aliases=("precision", "DPPV", "positive_predictive_value", "precision_score"),
    sources=("seliya2009",),
    cites=("seliya2009",),
    monotone=True,
)
def ppv(t: TwoByTwo) -> Array:
    r"""Precision, the positive predictive value.

    .. math:: \frac{TP}{TP + FP}

    The share of what is decided positive that is so. A number behind the name is a threshold:
    ``precision@3`` decides for scores above 3, and ``precision_at_k[k=3]`` for the 3 highest.

    >>> ppv(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.8)
    """
    return t.ppv


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(nothing_decided_negative,),
    aliases=("DNPV", "negative_predictive_value"),
    sources=("seliya2009",),
    cites=("seliya2009",),
    monotone=True,
)
def npv(t: TwoByTwo) -> Array:
    r"""Negative predictive value.

    .. math:: \frac{TN}{TN + FN}

    The share of what is decided negative that is so.

    >>> npv(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.714)
    """
    return t.npv


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=(nothing_decided_positive,),
    aliases=("false_discovery_rate", "false_alarm_ratio"),
    cites=("benjamini1995",),
    monotone=True,
)
def fdr(t: TwoByTwo) -> Array:
    r"""False discovery rate.

    .. math:: \frac{FP}{TP + FP}

    The share of what is decided positive that is not so.

    >>> fdr(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.2)
    """
    return t.fp / t.decided_positive


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=(nothing_decided_negative,),
    aliases=("for", "fomr"),
    cites=("powers2011",),
    monotone=True,
)
def false_omission_rate(t: TwoByTwo) -> Array:
    r"""False omission rate.

    .. math:: \frac{FN}{TN + FN}

    The share of what is decided negative that is not so.

    >>> false_omission_rate(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.286)
    """
    return t.fn / t.decided_negative


@measure(
    bounds=(0, 1),
    better="neither",
    undefined=(no_mass,),
    aliases=("base_rate",),
    cites=("powers2011",),
)
def prevalence(t: TwoByTwo) -> Array:
    r"""Prevalence of the positive class.

    .. math:: \frac{TP + FN}{n}

    The share of positives. It describes the data, not the decisions: models on the same data tie.

    >>> prevalence(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.5)
    """
    return t.positives / t.total


@measure(
    bounds=(0, 1),
    better="neither",
    undefined=(no_mass,),
    aliases=("ppr", "detection_prevalence", "rate_of_positive_predictions"),
    cites=("powers2011",),
)
def predicted_positive_rate(t: TwoByTwo) -> Array:
    r"""Predicted positive rate.

    .. math:: \frac{TP + FP}{n}

    The share that is decided positive; neither more nor less of it is better.

    >>> predicted_positive_rate(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.417)
    """
    return t.decided_positive / t.total


@measure(
    bounds=(0, np.inf),
    better="one",
    undefined=(nothing_positive,),
    aliases=("bias_score",),
    cites=("wilks2011",),
)
def frequency_bias(t: TwoByTwo) -> Array:
    r"""Frequency bias.

    .. math:: \frac{TP + FP}{TP + FN}

    How many are decided positive for each positive: 1 is without bias; infinite where there are no
    positives.

    >>> frequency_bias(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.833)
    """
    return t.decided_positive / t.positives


@measure(
    bounds=(0, 1),
    better="higher",
    aliases=("top_k_accuracy",),
    cites=("russakovsky2015",),
    checks={"k": (lambda k: isinstance(k, int) and k >= 1, "a whole number above 0")},
)
def top_k(p: Probabilities, *, k: int) -> Array:
    r"""Top-k accuracy.

    .. math:: \frac{1}{m} \sum_i [\,p(i, y_i) \text{ is among the } k \text{ largest of the row}\,]

    The share of examples whose true class is among the k highest; classes that tie at the cut count
    in proportion.

    >>> p = Probabilities.from_facts(mass=[2, 2, 1], top={2: [1, 2, 1]})
    >>> top_k(p, k=2)
    np.float64(0.8)
    """
    return np.add.reduce(p.top(k), axis=-1) / p.total
