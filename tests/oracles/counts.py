"""Answers for counts: scikit-learn and SciPy where they know the measure, else fractions."""

import math

import numpy as np
from scipy.spatial.distance import cosine
from scipy.stats import chi2_contingency
from sklearn import metrics

from oracles.case import Oracle
from oracles.tables import of_cells, of_matrix, one_at_a_time, ratio


def labels(score, **options):
    """Return a scikit-learn score of labels as a function of a case."""
    return lambda case: score(case.y, case.decided, sample_weight=case.weight, **options)


def positive(score, **options):
    """Return a scikit-learn score of one class against the others."""
    return one_at_a_time(lambda y, d, w: score(y, d, sample_weight=w, **options))


def negative(score, **options):
    """Return the same score of the others against the class."""
    return one_at_a_time(lambda y, d, w: score(1 - y, 1 - d, sample_weight=w, **options))


def undefined_unless_both(score):
    def value(y, d, w):
        return score(y, d, sample_weight=w, adjusted=True) if 0 < y.sum() < len(y) else np.nan

    return value


def jaccard(y, d, w):
    return metrics.jaccard_score(y, d, sample_weight=w) if (y | d).any() else np.nan


def rates_of_both(y, d, w):
    shares = [
        metrics.recall_score(a, b, sample_weight=w, zero_division=np.nan)
        for a, b in ((y, d), (1 - y, 1 - d))
    ]
    return math.sqrt(shares[0] * shares[1])


def adjusted_balanced_accuracy(case):
    if len(np.unique(case.y)) < 2:
        return np.nan
    return labels(metrics.balanced_accuracy_score, adjusted=True)(case)


def class_balance_accuracy(matrix, rows, columns, _total):
    larger = [max(r, q) for r, q in zip(rows, columns, strict=True)]
    shares = [matrix[k][k] / most for k, most in enumerate(larger) if most]
    return sum(shares) / len(shares)


def p4(tp, fp, fn, tn):
    """Return the harmonic mean of the four shares; all of them are 0 if nothing is right."""
    if tp + tn == 0:
        return 0
    return ratio(4 * tp * tn, 4 * tp * tn + (tp + tn) * (fp + fn))


def optimized_precision(tp, fp, fn, tn):
    sensitivity, specificity = ratio(tp, tp + fn), ratio(tn, tn + fp)
    gap = ratio(abs(sensitivity - specificity), sensitivity + specificity)
    return (tp + tn) / (tp + fp + fn + tn) - gap


def index_of_balanced_accuracy(alpha):
    def formula(tp, fp, fn, tn):
        sensitivity, specificity = ratio(tp, tp + fn), ratio(tn, tn + fp)
        return (1 + alpha * float(sensitivity - specificity)) * float(sensitivity * specificity)

    return formula


def chi_square(case):
    matrix = case.matrix[case.matrix.any(axis=1)][:, case.matrix.any(axis=0)]
    return chi2_contingency(matrix, correction=False).statistic


def cramers_v(case):
    return math.sqrt(chi_square(case) / (case.weight.sum() * (case.classes - 1)))


def pearson_contingency(case):
    found = chi_square(case)
    return math.sqrt(found / (found + case.weight.sum()))


def tversky(alpha, beta):
    return lambda tp, fp, fn, _: ratio(float(tp), float(tp) + alpha * float(fp) + beta * float(fn))


def goodman_kruskal_lambda(matrix, rows, _columns, total):
    known = sum(max(column) for column in zip(*matrix, strict=True))
    return ratio(known - max(rows), total - max(rows))


def peirce(matrix, rows, columns, total):
    """Return Wilks 2011, equation 8.17, from joint and marginal shares."""
    right = sum(matrix[k][k] / total for k in range(len(rows)))
    by_chance = sum(r / total * q / total for r, q in zip(rows, columns, strict=True))
    return ratio(right - by_chance, 1 - sum((r / total) ** 2 for r in rows))


def odds(tp, fp, fn, tn):
    return ratio(tp * tn, fp * fn)


def discriminant_power(tp, fp, fn, tn):
    x = float(odds(tp, fp, fn, tn))
    logarithm = -math.inf if x == 0 else x if math.isinf(x) else math.log(x)
    return math.sqrt(3) / math.pi * logarithm


def from_odds(power):
    """Return Yule's coefficients (omega^power - 1) / (omega^power + 1) of the odds ratio omega."""

    def formula(tp, fp, fn, tn):
        omega = odds(tp, fp, fn, tn)
        return 1.0 if omega == math.inf else (omega**power - 1) / (omega**power + 1)

    return formula


def gilbert(tp, fp, fn, tn):
    by_chance = (tp + fp) * (tp + fn) / (tp + fp + fn + tn)
    return ratio(tp - by_chance, tp + fp + fn - by_chance)


def likelihood_ratio(positive_decision):
    def formula(tp, fp, fn, tn):
        of_positives, of_negatives = (tp, fp) if positive_decision else (fn, tn)
        shares = ratio(of_positives, tp + fn), ratio(of_negatives, fp + tn)
        return np.nan if any(map(math.isnan, shares)) else ratio(*shares)

    return formula


def among_top(k):
    """Return the expected share among the k most probable when ties are put in random order."""

    def value(case):
        right = 0.0
        for y, p, w in zip(case.y, case.p, case.weight, strict=True):
            above, level = (p > p[y]).sum(), (p == p[y]).sum()
            right += w * min(max((k - above) / level, 0), 1)
        return right / case.weight.sum()

    return value


def every(value, source):
    return Oracle(value, source, weighted=True, multiclass=True)


def library(value, name):
    return every(value, f"scikit-learn {name}")


def fractions(formula, author):
    return every(of_cells(formula), f"{author}, cells in fractions")


def share(numerator, *denominator):
    """Return one cell as a share of some, all named."""

    def formula(*masses):
        named = dict(zip(("tp", "fp", "fn", "tn"), masses, strict=True))
        return ratio(sum(named[n] for n in numerator.split()), sum(named[n] for n in denominator))

    return formula


_BOTH = undefined_unless_both(metrics.balanced_accuracy_score)
_UNDEFINED = {"zero_division": np.nan}
_SELIYA, _POWERS = "Seliya et al. 2009", "Powers 2011"
_ALL = ("tp", "fp", "fn", "tn")

ORACLES = {
    "acc": library(labels(metrics.accuracy_score), "accuracy_score"),
    "error_rate": library(labels(metrics.hamming_loss), "hamming_loss"),
    "recall": library(positive(metrics.recall_score, **_UNDEFINED), "recall_score"),
    "specificity": library(negative(metrics.recall_score, **_UNDEFINED), "recall_score"),
    "fpr": fractions(share("fp", "fp", "tn"), _SELIYA),
    "fnr": fractions(share("fn", "fn", "tp"), _SELIYA),
    "ppv": library(positive(metrics.precision_score, **_UNDEFINED), "precision_score"),
    "npv": library(negative(metrics.precision_score, **_UNDEFINED), "precision_score"),
    "fdr": fractions(share("fp", "fp", "tp"), _POWERS),
    "false_omission_rate": fractions(share("fn", "fn", "tn"), _POWERS),
    "prevalence": fractions(share("tp fn", *_ALL), _POWERS),
    "predicted_positive_rate": fractions(share("tp fp", *_ALL), _POWERS),
    "frequency_bias": fractions(share("tp fp", "tp", "fn"), "Wilks 2011"),
    "true_positives": fractions(lambda tp, fp, fn, tn: tp, _POWERS),  # noqa: ARG005 - one of four
    "false_positives": fractions(lambda tp, fp, fn, tn: fp, _POWERS),  # noqa: ARG005
    "false_negatives": fractions(lambda tp, fp, fn, tn: fn, _POWERS),  # noqa: ARG005
    "true_negatives": fractions(lambda tp, fp, fn, tn: tn, _POWERS),  # noqa: ARG005
    "top_k": every(among_top(3), "Russakovsky et al. 2015, each row's rank"),
    "f1": library(positive(metrics.f1_score, **_UNDEFINED), "f1_score"),
    "fbeta": library(positive(metrics.fbeta_score, beta=2, **_UNDEFINED), "fbeta_score"),
    "jaccard": library(one_at_a_time(jaccard), "jaccard_score"),
    "tversky": fractions(tversky(0.3, 2), "Tversky 1977"),
    "fowlkes_mallows": every(
        one_at_a_time(lambda y, d, w: 1 - cosine(y, d, w) if y.any() and d.any() else np.nan),
        "SciPy spatial.distance.cosine of the indicators",
    ),
    "braun_blanquet": fractions(
        lambda tp, fp, fn, _: ratio(tp, max(tp + fp, tp + fn)), "Braun-Blanquet 1932"
    ),
    "overlap_coefficient": fractions(
        lambda tp, fp, fn, _: ratio(tp, min(tp + fp, tp + fn)), "Simpson 1943"
    ),
    "balanced_accuracy": library(
        labels(metrics.balanced_accuracy_score), "balanced_accuracy_score"
    ),
    "balanced_error_rate": library(
        lambda case: 1 - labels(metrics.balanced_accuracy_score)(case), "balanced_accuracy_score"
    ),
    "adjusted_balanced_accuracy": library(adjusted_balanced_accuracy, "balanced_accuracy_score"),
    "class_balance_accuracy": every(
        of_matrix(class_balance_accuracy), "Mosley 2013, the matrix in fractions"
    ),
    "gmean": library(one_at_a_time(rates_of_both), "recall_score of both classes"),
    "p4": fractions(p4, "Sitarz 2023"),
    "optimized_precision": fractions(optimized_precision, "Ranawana and Palade 2006"),
    "index_of_balanced_accuracy": fractions(index_of_balanced_accuracy(0.1), "Garcia et al. 2009"),
    "roc_distance": fractions(
        lambda tp, fp, fn, tn: math.hypot(ratio(fp, fp + tn), ratio(fn, fn + tp)),
        "Perkins and Schisterman 2006",
    ),
    "mcc": library(labels(metrics.matthews_corrcoef), "matthews_corrcoef"),
    "chi_square": every(chi_square, "SciPy chi2_contingency without empty rows and columns"),
    "cramers_v": every(
        cramers_v, "SciPy chi2_contingency, over the matrix's size as in Cramer 1946"
    ),
    "pearson_contingency": every(pearson_contingency, "SciPy chi2_contingency"),
    "goodman_kruskal_lambda": every(
        of_matrix(goodman_kruskal_lambda), "Goodman and Kruskal 1954, the matrix in fractions"
    ),
    "peirce_skill_score": every(of_matrix(peirce), "Wilks 2011, the matrix in fractions"),
    "informedness": library(one_at_a_time(_BOTH), "balanced_accuracy_score, adjusted"),
    "markedness": library(
        one_at_a_time(lambda y, d, w: _BOTH(d, y, w)),
        "balanced_accuracy_score, adjusted, with truth and decision exchanged",
    ),
    "positive_likelihood_ratio": fractions(likelihood_ratio(True), "Deeks and Altman 2004"),
    "negative_likelihood_ratio": fractions(likelihood_ratio(False), "Deeks and Altman 2004"),
    "diagnostic_odds_ratio": fractions(odds, "Glas et al. 2003"),
    "discriminant_power": Oracle(
        of_cells(discriminant_power), "Sokolova et al. 2006, cells in fractions", weighted=True
    ),
    "yule_q": fractions(from_odds(1), "Yule 1900"),
    "yule_y": fractions(from_odds(0.5), "Yule 1912"),
    "gilbert_skill_score": fractions(gilbert, "Schaefer 1990"),
}

VARIANTS = {
    "acc[macro]": fractions(lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn), "Powers 2011"),
    "balanced_accuracy[macro]": library(
        one_at_a_time(lambda y, d, w: metrics.balanced_accuracy_score(y, d, sample_weight=w)),
        "balanced_accuracy_score of each class",
    ),
    "mcc[macro]": library(positive(metrics.matthews_corrcoef), "matthews_corrcoef of each class"),
    "tversky[alpha=1,beta=0.2]": fractions(tversky(1, 0.2), "Tversky 1977"),
    "top_k[k=1]": every(among_top(1), "Russakovsky et al. 2015, each row's rank"),
    "top_k[k=2]": every(among_top(2), "Russakovsky et al. 2015, each row's rank"),
    "fbeta[beta=0.5]": library(
        positive(metrics.fbeta_score, beta=0.5, **_UNDEFINED), "fbeta_score"
    ),
    "index_of_balanced_accuracy[alpha=0.5]": fractions(
        index_of_balanced_accuracy(0.5), "Garcia et al. 2009"
    ),
}
