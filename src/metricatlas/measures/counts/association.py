"""How strongly decisions depend on the truth: 0, or a ratio of 1, where they do not."""

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import (
    no_mass,
    no_negatives,
    no_positives,
    nothing_decided_negative,
    nothing_decided_positive,
    one_category,
    one_class_without_mistakes,
    one_true_class,
)
from metricatlas.summaries import Confusion, TwoByTwo
from metricatlas.summaries.facts import class_sum

Array = np.ndarray[Any, Any]
_BOTH_CLASSES = (no_positives, no_negatives)
_BOTH_DECISIONS = (nothing_decided_positive, nothing_decided_negative)
_ALL_SIDES = (*_BOTH_CLASSES, *_BOTH_DECISIONS)


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=(no_mass,),
    aliases=("matthews_correlation", "phi_coefficient", "matthews_corrcoef", "matthews_corr_coef"),
    sources=("jurman2010",),
    cites=("matthews1975", "gorodkin2004"),
    symmetric=True,
    monotone=True,
)
def mcc(c: Confusion) -> Array:
    r"""Matthews correlation coefficient.

    .. math:: \frac{t s - \sum_k r_k q_k}{\sqrt{(s^2 - \sum_k r_k^2)(s^2 - \sum_k q_k^2)}}

    The correlation of true and predicted labels; 0 when a row or column carries all mass.

    >>> mcc(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.507)
    """
    return c.correlation


@measure(
    bounds=(0, np.inf),
    better="higher",
    undefined=(no_mass,),
    aliases=("chi2", "chi_squared", "pearson_chi_square"),
    cites=("pearson1900",),
    symmetric=True,
)
def chi_square(c: Confusion) -> Array:
    r"""Pearson's chi-square statistic of truth and decision.

    .. math:: \sum_{jk} \frac{(C_{jk} - r_j q_k / s)^2}{r_j q_k / s}

    Empty rows and columns do not count. Of two classes it is all mass times the square of the
    Matthews correlation; it grows with the number of examples.

    >>> chi_square(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(3.086)
    """
    return c.chi_square


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_mass, one_category),
    aliases=("cramer_v",),
    cites=("cramer1946",),
    symmetric=True,
)
def cramers_v(c: Confusion) -> Array:
    r"""Cramer's V of truth and decision.

    .. math:: \sqrt{\frac{\chi^2}{s (N - 1)}}

    Chi-square put on a scale from 0, independent, to 1; it does not tell a good matrix from a
    consistently wrong one.

    >>> cramers_v(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.507)
    """
    return np.sqrt(c.chi_square / (c.total * (c.classes - 1)))


def _below_one(classes: int) -> tuple[float, float]:
    return (0, float(np.sqrt(1 - 1 / classes)))


@measure(
    bounds=_below_one,
    better="higher",
    undefined=(no_mass,),
    aliases=("pearson_c", "contingency_coefficient"),
    cites=("cramer1946",),
    symmetric=True,
)
def pearson_contingency(c: Confusion) -> Array:
    r"""Pearson's contingency coefficient of truth and decision.

    .. math:: \sqrt{\frac{\chi^2}{\chi^2 + s}}

    Chi-square put on a scale from 0, independent, that ends below 1, the sooner the fewer classes
    there are; ``cramers_v`` reaches 1.

    >>> pearson_contingency(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.452)
    """
    return np.sqrt(c.chi_square / (c.chi_square + c.total))


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(one_true_class,),
    aliases=("lambda_a",),
    cites=("goodman1954",),
    symmetric=True,
)
def goodman_kruskal_lambda(c: Confusion) -> Array:
    r"""Goodman and Kruskal's lambda.

    .. math:: \frac{\bigl(\sum_k \max_j C_{jk}\bigr) - \max_j r_j}{s - \max_j r_j}

    The share of errors in guessing the truth that knowing the decision saves.

    >>> goodman_kruskal_lambda(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.5)
    """
    most = np.arange(c.classes) == c.true.argmax(axis=-1)[..., np.newaxis]
    # What guessing the largest class gets right is left out first, for in totals it hides the rest.
    alone = np.add.reduce(c.matrix * most[..., np.newaxis], axis=-2)
    saved = class_sum(c.matrix.max(axis=-2) - alone)
    return saved / class_sum(np.where(most, 0, c.true))


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=(one_true_class,),
    aliases=("peirce", "hanssen_kuipers"),
    cites=("peirce1884", "wilks2011"),
    symmetric=True,
    monotone=True,
)
def peirce_skill_score(c: Confusion) -> Array:
    r"""Peirce skill score of any number of classes.

    .. math:: \frac{t s - \sum_k r_k q_k}{s^2 - \sum_k r_k^2}

    What is decided rightly beyond chance, where chance knows the shares of the classes. Of two
    classes it is the informedness.

    >>> peirce_skill_score(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.5)
    """
    value = c.excess / c.true_spread
    return np.where(c.true_spread > 0, value, np.nan)[()]


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=_BOTH_CLASSES,
    aliases=(
        "youden_j",
        "j_index",
        "tss",
        "true_skill_statistic",
        "bookmaker_informedness",
        "youden",
        "bm",
    ),
    cites=("youden1950", "powers2011"),
    symmetric=True,
    monotone=True,
)
def informedness(t: TwoByTwo) -> Array:
    r"""Informedness, Youden's J, the true skill statistic.

    .. math:: TPR - FPR

    How much more often a positive is decided positive than a negative is.

    >>> informedness(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.5)
    """
    return t.tpr - t.fpr


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=_BOTH_DECISIONS,
    aliases=("delta_p", "predictive_summary_index", "mk"),
    cites=("powers2011",),
    symmetric=True,
    monotone=True,
)
def markedness(t: TwoByTwo) -> Array:
    r"""Markedness.

    .. math:: PPV + NPV - 1 = \frac{TP}{TP + FP} - \frac{FN}{FN + TN}

    How much more often what is decided positive is positive than what is decided negative is.

    >>> markedness(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.514)
    """
    return t.ppv - t.fn / t.decided_negative


@measure(
    bounds=(0, np.inf),
    better="higher",
    undefined=(*_BOTH_CLASSES, nothing_decided_positive),
    aliases=("plr", "lr_plus", "lr+"),
    cites=("deeks2004",),
    monotone=True,
)
def positive_likelihood_ratio(t: TwoByTwo) -> Array:
    r"""Positive likelihood ratio.

    .. math:: LR_+ = \frac{TPR}{FPR}

    By how much a positive decision multiplies the odds of being positive; infinite where a positive
    is decided positive and no negative is.

    >>> positive_likelihood_ratio(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(4.0)
    """
    return t.tpr / t.fpr


@measure(
    bounds=(0, np.inf),
    better="lower",
    undefined=(*_BOTH_CLASSES, nothing_decided_negative),
    aliases=("nlr", "lr_minus", "lr-"),
    cites=("deeks2004",),
    monotone=True,
)
def negative_likelihood_ratio(t: TwoByTwo) -> Array:
    r"""Negative likelihood ratio.

    .. math:: LR_- = \frac{FNR}{TNR}

    By how much a negative decision multiplies the odds of being positive; infinite where a positive
    is decided negative and no negative is.

    >>> negative_likelihood_ratio(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.4)
    """
    return t.fnr / t.tnr


@measure(
    bounds=(0, np.inf),
    better="higher",
    undefined=_ALL_SIDES,
    aliases=("dor", "odds_ratio"),
    cites=("glas2003",),
    symmetric=True,
    monotone=True,
)
def diagnostic_odds_ratio(t: TwoByTwo) -> Array:
    r"""Diagnostic odds ratio.

    .. math:: DOR = \frac{TP \cdot TN}{FP \cdot FN}

    The ratio of the two likelihood ratios; infinite where one kind of mistake does not occur.

    >>> diagnostic_odds_ratio(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(10.0)
    """
    return (t.tp * t.tn) / (t.fp * t.fn)


@measure(
    bounds=(-np.inf, np.inf),
    better="higher",
    undefined=_ALL_SIDES,
    aliases=("dp",),
    cites=("blakeley1995", "sokolova2006"),
    multiclass=None,
    symmetric=True,
    monotone=True,
)
def discriminant_power(t: TwoByTwo) -> Array:
    r"""Discriminant power.

    .. math:: \frac{\sqrt 3}{\pi} \ln DOR

    The logarithm of the diagnostic odds ratio in standard deviations of a logistic distribution;
    infinite where the ratio is 0 or infinite.

    >>> discriminant_power(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(1.269)
    """
    return (np.sqrt(3.0) / np.pi) * np.log((t.tp * t.tn) / (t.fp * t.fn))


@measure(
    bounds=(-1, 1),
    better="higher",
    undefined=_ALL_SIDES,
    aliases=("yules_q",),
    cites=("yule1900",),
    symmetric=True,
    monotone=True,
)
def yule_q(t: TwoByTwo) -> Array:
    r"""Yule's Q.

    .. math:: \frac{TP \cdot TN - FP \cdot FN}{TP \cdot TN + FP \cdot FN}

    The odds ratio put on a scale from -1 to 1.

    >>> yule_q(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.818)
    """
    right, wrong = t.tp * t.tn, t.fp * t.fn
    return (right - wrong) / (right + wrong)


@measure(
    bounds=(-1, 1),
    better="higher",
    undefined=_ALL_SIDES,
    aliases=("yules_y", "colligation"),
    cites=("yule1912",),
    symmetric=True,
    monotone=True,
)
def yule_y(t: TwoByTwo) -> Array:
    r"""Yule's Y, the coefficient of colligation.

    .. math:: \frac{\sqrt{TP\, TN} - \sqrt{FP\, FN}}{\sqrt{TP\, TN} + \sqrt{FP\, FN}}

    As Yule's Q, of the root of the odds ratio.

    >>> yule_y(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.519)
    """
    right, wrong = np.sqrt(t.tp * t.tn), np.sqrt(t.fp * t.fn)
    return (right - wrong) / (right + wrong)


@measure(
    bounds=(-1 / 3, 1),
    better="higher",
    undefined=(one_class_without_mistakes,),
    aliases=("gss", "ets", "equitable_threat_score"),
    cites=("gilbert1884", "schaefer1990"),
    symmetric=True,
    monotone=True,
)
def gilbert_skill_score(t: TwoByTwo) -> Array:
    r"""Gilbert skill score, the equitable threat score.

    .. math:: \frac{TP - a}{TP + FP + FN - a}, \quad a = \frac{(TP + FP)(TP + FN)}{n}

    The Jaccard index, corrected for the hits that chance alone gives.

    >>> gilbert_skill_score(TwoByTwo(tp=4, fp=1, fn=2, tn=5)).round(3)
    np.float64(0.333)
    """
    excess = t.tp * t.tn - t.fp * t.fn
    return excess / (excess + t.total * (t.fp + t.fn))
