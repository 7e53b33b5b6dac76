"""Answers for the ranking measures: scikit-learn, SciPy, hmeasure, or all pairs and thresholds."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hmeasure import h_score
from scipy.spatial import ConvexHull
from scipy.stats import beta, hypergeom
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from oracles.case import Oracle
from oracles.reductions import macro, ordered_pairs, ovo, repeated, two_classes, with_positives


def roc_auc(y, s, w):
    return roc_auc_score(y, s, sample_weight=w)


def over_pairs(term):
    """Return the weighted mean of a term over all pairs of a positive and a negative."""

    def value(y, s, w):
        a, b = s[y == 1, np.newaxis], s[np.newaxis, y == 0]
        weights = w[y == 1, np.newaxis] * w[np.newaxis, y == 0]
        return (term(a, b) * weights).sum() / weights.sum()

    return value


def auc_mu(case):
    pairs = [
        roc_auc_score(part.y == j, part.p[:, j] - part.p[:, k], sample_weight=part.weight)
        for j, k, part in ordered_pairs(case)
    ]
    return np.mean(pairs) if pairs else np.nan


def auc_as_printed(case):
    """Compare p(i, j) with p(t, k), as printed."""
    values = []
    for j, k, part in ordered_pairs(case):
        a, b = part.p[part.y == j, j][:, np.newaxis], part.p[part.y == k, k][np.newaxis]
        weights = part.weight[part.y == j][:, np.newaxis] * part.weight[part.y == k][np.newaxis]
        values.append((((a > b) + (a == b) / 2) * weights).sum() / weights.sum())
    return np.mean(values) if values else np.nan


def weighted_as_printed(case):
    """Weight by the share of the first class and divide by the number of pairs all the same."""
    values = [
        case.weight[case.y == j].sum()
        / case.weight.sum()
        * roc_auc_score(part.y == j, part.p[:, j], sample_weight=part.weight)
        for j, _, part in ordered_pairs(case)
    ]
    return np.mean(values) if values else np.nan


def probabilistic_auc(case):
    values = []
    for j, k, part in ordered_pairs(case):
        own, other = (
            np.average(part.p[part.y == which, j], weights=part.weight[part.y == which])
            for which in (j, k)
        )
        values.append((own - other + 1) / 2)
    return np.mean(values) if values else np.nan


def volume(case):
    index, total, good = case.p @ np.arange(3), 0.0, 0.0
    low, middle, high = ((index[case.y == j], case.weight[case.y == j]) for j in range(3))
    for a, u in zip(*low, strict=True):
        for b, v in zip(*middle, strict=True):
            right = np.where(high[0] > b, 1.0, 0.0) * (a < b)
            one_tie = ((high[0] > b) & (a == b)) | ((high[0] == b) & (a < b))
            all_tied = (high[0] == b) & (a == b)
            good += u * v * ((right + one_tie / 2 + all_tied / 6) * high[1]).sum()
            total += u * v * high[1].sum()
    return good / total if total else np.nan


def curve(y, s, w):
    """Return the ROC curve of scikit-learn with all its points."""
    fpr, tpr, _ = roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    return fpr, tpr


def distance(y, s, w):
    fpr, tpr = curve(y, s, w)
    return np.abs(tpr - fpr).max()


def lowest_threshold(y, s, w):
    exact = [Fraction(x) for x in w]
    of = [sum(x for x, label in zip(exact, y, strict=True) if label == k) for k in (0, 1)]
    best, where = Fraction(-1), None
    for t in sorted({0.0, *s.tolist()}):
        below = [
            sum(x for x, label, score in zip(exact, y, s, strict=True) if label == k and score <= t)
            for k in (0, 1)
        ]
        gap = abs(below[1] * of[0] - below[0] * of[1])
        if gap > best:
            best, where = gap, t
    return where


def equal_error(y, s, w):
    points = list(zip(*curve(y, s, w), strict=True))
    for (f0, t0), (f1, t1) in pairwise(points):
        if f0 + t0 <= 1 <= f1 + t1:
            step = (1 - f0 - t0) / (f1 + t1 - f0 - t0)
            return f0 + step * (f1 - f0)
    return np.nan


def partial(limit):
    def value(y, s, w):
        fpr, tpr = curve(y, s, w)
        height = np.interp(limit, fpr, tpr)
        inside = fpr <= limit
        return np.trapezoid(np.append(tpr[inside], height), np.append(fpr[inside], limit))

    return value


def standardised(limit):
    return lambda y, s, w: roc_auc_score(y, s, sample_weight=w, max_fpr=limit)


def hull(y, s, w):
    # With the corner (1, 0) the hull's area is that below its upper edge.
    return ConvexHull(np.vstack([np.transpose(curve(y, s, w)), [1, 0]])).volume


def h_of_hand(y, s, w):
    if (w == np.floor(w)).all() and w.sum() < 1e6:
        times = w.astype(int)
        return h_score(np.repeat(y, times), np.repeat(s, times))
    return least_losses(y, s, w)


def least_losses(y, s, w):
    """Integrate the least loss of any threshold over the cost of a false positive (Hand 2009)."""
    fpr, tpr = curve(y, s, w)
    share = w[y == 1].sum() / w.sum()
    rest = 1 - share
    false, missed = rest * fpr, share * (1 - tpr)
    # The loss c false + (1 - c) missed has its least elsewhere only where two lines cross.
    with np.errstate(all="ignore"):
        crossed = 1 / (1 + np.subtract.outer(false, false) / np.subtract.outer(missed, missed).T)
    ends = np.unique(np.concatenate([[0, share, 1], crossed[(crossed > 0) & (crossed < 1)]]))
    middle = (ends[1:] + ends[:-1]) / 2
    best = np.argmin(np.outer(middle, false) + np.outer(1 - middle, missed), axis=1)
    mass = np.diff(beta.cdf(ends, 2, 1 / share))
    costs = np.diff(beta.cdf(ends, 3, 1 / share)) * 2 / (2 + 1 / share)
    loss = (costs * false[best] + (mass - costs) * missed[best]).sum()
    always = np.where(middle < share, costs * rest, (mass - costs) * share).sum()
    return 1 - loss / always


def average_precision(y, s, w):
    return average_precision_score(y, s, sample_weight=w)


def blocks(y, s):
    """Yield by falling score how many rows and positives share it."""
    for t in np.unique(s)[::-1]:
        yield int((s == t).sum()), int(y[s == t].sum())


def precision_in_random_order(y, s):
    before = positives = 0
    total = 0.0
    for rows, good in blocks(y, s):
        for i in range(rows):
            if good:
                ahead = np.arange(good)
                chances = hypergeom.pmf(ahead, rows - 1, good - 1, i) if rows > 1 else [1.0]
                expected = (chances * (positives + 1 + ahead)).sum() / (before + i + 1)
                total += good / rows * expected
        before, positives = before + rows, positives + good
    return total / y.sum()


def eleven_points(y, s, w):
    exact = np.array([Fraction(x) for x in w])
    cuts = [(exact[(s >= t) & (y == 1)].sum(), exact[s >= t].sum()) for t in np.unique(s)]
    everything = exact[y == 1].sum()
    best = [max(tp / n for tp, n in cuts if 10 * tp >= k * everything) for k in range(11)]
    return float(sum(best) / 11)


def davis_goadrich(y, s):
    """Let true positives grow one by one and false positives in proportion, then use trapezoids."""
    total, tp, fp, last = 0.0, 0, 0, None
    for rows, good in blocks(y, s):
        bad = rows - good
        for k in range(1, good + 1):
            precision = (tp + k) / (tp + k + fp + bad * k / good)
            first = precision if last is None else last
            total += (first + precision) / 2 / y.sum()
            last = precision
        tp, fp = tp + good, fp + bad
        last = tp / (tp + fp)
    return total


def gain_curve(y, s, w):
    """Integrate precision gain over recall gain, from where recall equals the prior."""
    fpr, tpr = curve(y, s, w)
    positives, negatives = w[y == 1].sum(), w[y == 0].sum()
    prior = positives / (positives + negatives)
    after = int(np.argmax(tpr > prior))
    part = (prior - tpr[after - 1]) / (tpr[after] - tpr[after - 1])
    start = fpr[after - 1] + part * (fpr[after] - fpr[after - 1])
    inside = tpr > prior
    recall = np.concatenate([[prior], tpr[inside]])
    false = np.concatenate([[start], fpr[inside]])
    precision = recall * positives / (recall * positives + false * negatives)
    gains = [(x - prior) / ((1 - prior) * x) for x in (recall, precision)]
    return np.trapezoid(gains[1], gains[0])


def at_the_top(y, s, k):
    """Return how many positives to expect among the k highest scores."""
    found, left = 0.0, k
    for rows, good in blocks(y, s):
        taken = min(rows, left)
        found, left = found + good * taken / rows, left - taken
    return found


def part_of(y, share):
    return max(1, int(len(y) * share))


def lift(share):
    return lambda y, s: at_the_top(y, s, part_of(y, share)) / part_of(y, share) / y.mean()


def capture(share):
    return lambda y, s: at_the_top(y, s, part_of(y, share)) / y.sum()


def break_even(y, s):
    return at_the_top(y, s, y.sum()) / y.sum()


def precision_at(k):
    return lambda y, s: at_the_top(y, s, min(k, len(y))) / min(k, len(y))


def _everywhere(value, source, *, weighted=True):
    return Oracle(value, source, weighted=weighted, multiclass=True)


ORACLES = {
    "auc": _everywhere(ovo(roc_auc), "scikit-learn roc_auc_score"),
    "gini": _everywhere(
        ovo(over_pairs(lambda a, b: np.sign(a - b))), "all pairs: right less wrong"
    ),
    "auc_mu": _everywhere(auc_mu, "scikit-learn roc_auc_score of p_j - p_k (Kleiman and Page)"),
    "auc_printed": _everywhere(auc_as_printed, "all pairs, as Ferri et al. print it"),
    "auc_prior_printed": _everywhere(
        weighted_as_printed, "scikit-learn roc_auc_score, averaged as Ferri et al. print it"
    ),
    "sauc": _everywhere(
        ovo(over_pairs(lambda a, b: np.maximum(a - b, 0))), "all pairs (Wu and Flach)"
    ),
    "pauc": _everywhere(probabilistic_auc, "means of all pairs of classes (Ferri et al.)"),
    "vus": Oracle(
        volume, "all triples (Nakas and Yiannoutsos)", weighted=True, binary=False, multiclass=True
    ),
    "ks": _everywhere(macro(two_classes(distance)), "scikit-learn roc_curve, every threshold"),
    "ks_threshold": _everywhere(macro(two_classes(lowest_threshold)), "fractions, every threshold"),
    "eer": _everywhere(macro(two_classes(equal_error)), "scikit-learn roc_curve"),
    "partial_auc": _everywhere(
        macro(two_classes(partial(0.1))), "scikit-learn roc_curve, trapezoids"
    ),
    "partial_auc_standardised": _everywhere(
        macro(two_classes(standardised(0.1))), "scikit-learn roc_auc_score with max_fpr"
    ),
    "hull_auc": _everywhere(macro(two_classes(hull)), "SciPy ConvexHull"),
    "h_measure": _everywhere(
        macro(two_classes(h_of_hand)), "hmeasure h_score; other weights by integration"
    ),
    "ap": _everywhere(
        macro(with_positives(average_precision)), "scikit-learn average_precision_score"
    ),
    "ap_random_ties": _everywhere(
        macro(with_positives(repeated(precision_in_random_order))),
        "SciPy hypergeom over the orders of each tie",
    ),
    "ap_eleven": _everywhere(macro(with_positives(eleven_points)), "fractions, every threshold"),
    "pr_area": _everywhere(
        macro(with_positives(repeated(davis_goadrich))), "one true positive after the other"
    ),
    "pr_gain_area": _everywhere(
        macro(two_classes(gain_curve)), "scikit-learn roc_curve in gain space (Flach and Kull)"
    ),
    "lift": _everywhere(macro(with_positives(repeated(lift(0.25)))), "counts from the top"),
    "capture": _everywhere(macro(with_positives(repeated(capture(0.25)))), "counts from the top"),
    "bep": _everywhere(macro(with_positives(repeated(break_even))), "counts from the top"),
    "precision_at_k": _everywhere(macro(repeated(precision_at(3))), "counts from the top"),
}

VARIANTS = {
    "partial_auc[max_fpr=0.4]": _everywhere(
        macro(two_classes(partial(0.4))), "scikit-learn roc_curve, trapezoids"
    ),
    "partial_auc_standardised[max_fpr=0.4]": _everywhere(
        macro(two_classes(standardised(0.4))), "scikit-learn roc_auc_score with max_fpr"
    ),
    "lift[share=0.1]": _everywhere(macro(with_positives(repeated(lift(0.1)))), "counts"),
    "capture[share=0.5]": _everywhere(macro(with_positives(repeated(capture(0.5)))), "counts"),
    "precision_at_k[k=10]": _everywhere(macro(repeated(precision_at(10))), "counts from the top"),
}
