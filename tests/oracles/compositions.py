"""Answers for the measures that the language composes."""

import numpy as np
from sklearn import metrics

from oracles import reductions
from oracles.case import Oracle


def present(case):
    return np.unique(case.y)


def macro(function):
    """Average scikit-learn's value by class over the classes that the truth holds."""

    def value(case):
        by_class = function(
            case.y,
            case.decided,
            labels=range(case.classes),
            average=None,
            sample_weight=case.w,
            zero_division=0.0,
        )
        return float(np.mean(by_class[present(case)]))

    return value


def geometric_recall(case):
    by_class = metrics.recall_score(
        case.y, case.decided, labels=present(case), average=None, sample_weight=case.w
    )
    return float(np.prod(by_class) ** (1 / len(by_class)))


def pairwise_auc(case, one, other):
    """Area under the curve of one class against another, ranked by the first one's column."""
    kept = np.isin(case.y, [one, other])
    return metrics.roc_auc_score(
        case.y[kept] == one, case.p[kept, one], sample_weight=case.weight[kept]
    )


def shares(case):
    mass = np.bincount(case.y, case.weight, case.classes)
    return mass / mass.sum()


def one_against_rest(weights):
    def value(case):
        there = present(case)
        if len(there) < 2:
            return np.nan
        areas = [
            metrics.roc_auc_score(case.y == j, case.p[:, j], sample_weight=case.w) for j in there
        ]
        return float(np.average(areas, weights=weights(case)[there]))

    return value


def one_against_one(weights):
    def value(case):
        there = present(case)
        if len(there) < 2:
            return np.nan
        areas = [np.mean([pairwise_auc(case, j, k) for k in there if k != j]) for j in there]
        return float(np.average(areas, weights=weights(case)[there]))

    return value


def equal(case):
    return np.ones(case.classes)


def masses(y, s, w, threshold):
    above = s > threshold
    counted = [(1, True), (0, True), (1, False), (0, False)]
    return [w[(y == label) & (above == side)].sum() for label, side in counted]


def at_ks(formula):
    """Cut where the distance between the two distributions is largest, the lowest such cut."""

    def value(y, s, w):
        positives, negatives = (w[y == label].sum() for label in (1, 0))
        if positives == 0 or negatives == 0:
            return np.nan
        cuts = np.unique([0.0, *s])
        gaps = []
        for t in cuts:
            tp, fp, _, _ = masses(y, s, w, t)
            gaps.append(abs(tp / positives - fp / negatives))
        gaps = np.array(gaps)
        return formula(*masses(y, s, w, cuts[np.argmax(gaps > gaps.max() - 1e-12)]))

    return value


def best_of(formula):
    def value(y, s, w):
        found = [formula(*masses(y, s, w, t)) for t in (-np.inf, *np.unique(s))]
        return np.nan if np.all(np.isnan(found)) else float(np.nanmax(found))

    return value


def ratio(numerator, denominator):
    return numerator / denominator if denominator else np.nan


def f1(tp, fp, fn, _tn):
    return ratio(2 * tp, 2 * tp + fp + fn)


def gmean(tp, fp, fn, tn):
    return np.sqrt(ratio(tp, tp + fn) * ratio(tn, tn + fp))


def share_of(numerator, *others):
    """Return the rate of one cell among some, all named as in ``tp fp fn tn``."""

    def formula(*cells):
        named = dict(zip(("tp", "fp", "fn", "tn"), cells, strict=True))
        return ratio(named[numerator], named[numerator] + sum(named[other] for other in others))

    return formula


def accuracy(tp, fp, fn, tn):
    return (tp + tn) / (tp + fp + fn + tn)


def auc_then_accuracy(case):
    area = metrics.roc_auc_score(case.y, case.score, sample_weight=case.w)
    accuracy = metrics.accuracy_score(case.y, case.decided, sample_weight=case.w)
    return area + 0.01 * accuracy


def auc_then_accuracy_of_many(case):
    area = one_against_one(equal)(case)
    return area + 0.01 * metrics.accuracy_score(case.y, case.decided, sample_weight=case.w)


def every_task(value, source):
    return Oracle(value, source, weighted=True, multiclass=True)


def cut(formula):
    source = "the definition of Seliya et al. 2009, every threshold tried"
    return every_task(reductions.macro(at_ks(formula)), source)


def best(formula):
    return every_task(reductions.macro(best_of(formula)), "every threshold tried")


ORACLES = {
    "f1[macro]": every_task(macro(metrics.f1_score), "scikit-learn f1_score"),
    "recall[macro]": every_task(macro(metrics.recall_score), "scikit-learn recall_score"),
    "recall[geometric]": every_task(geometric_recall, "scikit-learn recall_score, multiplied"),
    "auc[ovr,uniform]": every_task(one_against_rest(equal), "scikit-learn roc_auc_score"),
    "auc[ovr,prior]": every_task(one_against_rest(shares), "scikit-learn roc_auc_score"),
    "auc[ovo,uniform]": every_task(one_against_one(equal), "scikit-learn roc_auc_score"),
    "auc[ovo,prior]": every_task(one_against_one(shares), "scikit-learn roc_auc_score"),
    "fpr@ks": cut(share_of("fp", "tn")),
    "fnr@ks": cut(share_of("fn", "tp")),
    "ppv@ks": cut(share_of("tp", "fp")),
    "npv@ks": cut(share_of("tn", "fn")),
    "acc@ks": cut(accuracy),
    "f1@ks": cut(f1),
    "gmean@ks": cut(gmean),
    "f1@best": best(f1),
    "gmean@best": best(gmean),
    "auc:acc": Oracle(
        lambda case: (auc_then_accuracy if case.classes == 2 else auc_then_accuracy_of_many)(case),
        "scikit-learn roc_auc_score and accuracy_score",
        weighted=True,
        multiclass=True,
    ),
}
