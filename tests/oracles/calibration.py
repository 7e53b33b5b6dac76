"""Answers for the calibration measures: model-diagnostics, scikit-learn, SciPy, or definitions."""

from itertools import pairwise

import numpy as np
from model_diagnostics.scoring import LogLoss, SquaredError, decompose
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from oracles.case import Oracle
from oracles.probability import brier
from oracles.reductions import both_classes, macro, repeated, top


def shared_labels(y, s):
    """Return scores in order, each with the mean label of the rows that share it."""
    order = np.argsort(s, kind="stable")
    return s[order], np.array([y[s == x].mean() for x in s[order]])


def windows(term, size, *, drop=0):
    """Return the mean of a term over all windows of neighbours, but for the last few."""

    def value(y, s):
        p, f = shared_labels(y, s)
        width = size(len(y))
        starts = range(len(y) - width + 1 - drop)
        terms = [term(p[b : b + width], f[b : b + width]) for b in starts]
        return np.mean(terms) if terms else np.nan

    return repeated(value)


def tenth(rows):
    return max(1, rows // 10)


def hundred(rows):
    return min(100, rows)


def of_means(p, f):
    return abs(p.mean() - f.mean())


def of_each(p, f):
    return np.abs(p - f.mean()).mean()


def of_each_summed(p, f):
    return np.abs(p - f.mean()).sum()


def segments(labels_of, term):
    """Return the sum of a term over segments of equal label."""

    def value(y, s, w):
        labels = labels_of(y, s, w)
        parts = [labels == x for x in np.unique(labels)]
        return sum(term(y[b], s[b], w[b]) for b in parts)

    return value


def predictions(y, s, w):
    del y, w
    return s


def isotonic(y, s, w):
    return IsotonicRegression().fit(s, y, sample_weight=w).predict(s).round(10)


def deviation(y, s, w):
    return (w * (s - np.average(y, weights=w)) ** 2).sum()


def bias(y, s, w):
    return w.sum() * (np.average(s, weights=w) - np.average(y, weights=w)) ** 2


def mean(value):
    return lambda y, s, w: value(y, s, w) / w.sum()


def width_bins(y, s, w):
    """Yield mass, positives and probability in tenths of the unit interval, closed above."""
    place = np.maximum(0, np.ceil(s * 10) - 1)
    for b in np.unique(place):
        inside = place == b
        yield w[inside].sum(), (w * y)[inside].sum(), (w * s)[inside].sum()


def mass_bins(y, s, w):
    """Yield the same in ten bins of equal mass; ties are spread evenly over the mass they cover."""
    edges = np.linspace(0, w.sum(), 11)
    groups, begin = [], 0.0
    for x in np.unique(s):
        mass, positives = w[s == x].sum(), (w * y)[s == x].sum()
        groups.append((begin, begin + mass, positives / mass, x))
        begin += mass
    for low, high in pairwise(edges):
        held = [(max(0, min(b, high) - max(a, low)), f, x) for a, b, f, x in groups]
        yield sum(m for m, _, _ in held), *(sum(h[0] * h[k] for h in held) for k in (1, 2))


def error(bins, norm):
    def value(y, s, w):
        mass, positives, p = np.transpose(list(bins(y, s, w)))
        gaps = np.abs(positives - p) / mass
        share = mass / mass.sum()
        return {"1": share @ gaps, "2": np.sqrt(share @ gaps**2), "max": gaps.max()}[norm]

    return value


def hosmer_lemeshow(y, s, w):
    total = 0.0
    for mass, observed, expected in mass_bins(y, s, w):
        if abs(observed - expected) > 1e-12:
            total += (observed - expected) ** 2 / (expected * (1 - expected / mass))
    return total


def corp(score, part):
    def value(y, s, w):
        found = decompose(y, s, weights=w, scoring_function=score, functional="mean")
        return found[part].item()

    return value


def resolution(case):
    overall = np.average(case.y, weights=case.weight)
    total = 0.0
    for x in np.unique(case.score):
        at = case.score == x
        total += (
            case.weight[at].sum() * (np.average(case.y[at], weights=case.weight[at]) - overall) ** 2
        )
    return total / case.weight.sum()


def resolved(case):
    """Check the other way on the way: the three parts must make up the Brier score."""
    uncertainty = corp(SquaredError(), "uncertainty")(case.y, case.score, case.weight)
    murphy = mean(segments(predictions, deviation))(case.y, case.score, case.weight)
    assert np.isclose(murphy - resolution(case) + uncertainty, brier(case))
    return resolution(case)


def logits(s):
    return logit(np.clip(s, 1e-12, 1 - 1e-12))


def certain(s):
    """Return whether no probability is left that a logit can be taken of."""
    return bool(((s <= 1e-12) | (s >= 1 - 1e-12)).all())


def slope(y, s, w):
    positive, negative = s[y == 1], s[y == 0]
    if not len(positive) or not len(negative) or certain(s):
        return np.nan
    if negative.max() <= positive.min() or positive.max() <= negative.min():
        return np.nan
    fit = LogisticRegression(C=np.inf, tol=1e-12, solver="newton-cholesky", max_iter=200)
    return fit.fit(logits(s)[:, np.newaxis], y, sample_weight=w).coef_.item()


def intercept(y, s, w):
    if not 0 < y.sum() < len(y) or certain(s):
        return np.nan
    return brentq(lambda a: (w * (y - expit(a + logits(s)))).sum(), -60, 60, xtol=1e-13)


def smoothed(y, s, w):
    """Fit lines to three quarters of the mass, by least squares with tricube weights."""
    knots = np.unique(s)
    grid = knots if len(knots) <= 129 else np.linspace(knots[0], knots[-1], 129)
    fitted = np.interp(s, grid, [local_line(y, s, w, at) for at in grid])
    return np.average(np.abs(s - fitted), weights=w)


def local_line(y, s, w, at):
    away = np.abs(s - at)
    reach = min(h for h in np.unique(away) if w[away <= h].sum() >= 0.75 * w.sum() - 1e-9)
    near = w * np.clip(1 - (away / reach) ** 3, 0, 1) ** 3 if reach else w * (away == 0)
    if not near.any():
        near = w * (away <= reach)
    design = np.column_stack([np.ones(len(s)), s - at])
    root = np.sqrt(near)[:, np.newaxis]
    # The least norm would bend the line of one single score; its mean is meant.
    if len(np.unique(s[near > 0])) == 1:
        design = design[:, :1]
    line = np.linalg.lstsq(design * root, y * root[:, 0], rcond=None)[0]
    return np.clip(line[0], 0, 1)


def in_the_large(case):
    return np.average(case.y - case.score, weights=case.weight)


def spiegelhalter(case):
    """Compare the Brier score with its moments if classes are drawn from the probabilities."""
    excess = variance = 0.0
    for row, true, weight in zip(case.p, case.y, case.weight, strict=True):
        scores = np.array([((row - unit) ** 2).sum() for unit in np.eye(case.classes)])
        expected = row @ scores
        excess += weight * (scores[true] - expected)
        variance += weight * (row @ (scores - expected) ** 2)
    return excess / np.sqrt(variance)


def _everywhere(value, source, reduction=macro):
    return Oracle(reduction(value), source, weighted=True, multiclass=True)


def _binary(value, source):
    return Oracle(value, source, weighted=True)


CORP = "model-diagnostics decompose"
WINDOWS = "every window of rows"
BINS = "bins filled row by row"
HULL = "scikit-learn IsotonicRegression"

ORACLES = {
    "cal": _everywhere(windows(of_means, hundred), WINDOWS),
    "calb": _everywhere(windows(of_each, tenth), WINDOWS),
    "calb_mean": _everywhere(windows(of_means, tenth), WINDOWS),
    "calb_literal": _everywhere(windows(of_each_summed, tenth, drop=1), WINDOWS),
    "calb_literal[macro]": _everywhere(
        windows(of_each_summed, tenth, drop=1), WINDOWS, both_classes
    ),
    "reliability": _everywhere(
        mean(segments(predictions, deviation)), "equal predictions (Murphy)"
    ),
    "calibration_loss_sum": _everywhere(segments(predictions, deviation), "equal predictions"),
    "calibration_loss_hull": _everywhere(mean(segments(isotonic, deviation)), HULL),
    "calibration_loss_hull_sum": _everywhere(segments(isotonic, deviation), HULL),
    "calibration_loss_hull_mean": _everywhere(mean(segments(isotonic, bias)), HULL),
    "ece": _everywhere(error(width_bins, "1"), BINS, top),
    "ece_l2": _everywhere(error(width_bins, "2"), BINS, top),
    "ece_max": _everywhere(error(width_bins, "max"), BINS, top),
    "ece_mass": _everywhere(error(mass_bins, "1"), BINS, top),
    "ece_mass_l2": _everywhere(error(mass_bins, "2"), BINS, top),
    "ece_mass_max": _everywhere(error(mass_bins, "max"), BINS, top),
    "ace": _everywhere(error(mass_bins, "1"), BINS),
    "hosmer_lemeshow": _everywhere(hosmer_lemeshow, BINS, top),
    "uncertainty": _everywhere(corp(SquaredError(), "uncertainty"), CORP),
    "discrimination": _everywhere(corp(SquaredError(), "discrimination"), CORP),
    "miscalibration": _binary(macro(corp(SquaredError(), "miscalibration")), CORP),
    "uncertainty_log": _everywhere(corp(LogLoss(), "uncertainty"), CORP),
    "discrimination_log": _everywhere(corp(LogLoss(), "discrimination"), CORP),
    "miscalibration_log": _binary(macro(corp(LogLoss(), "miscalibration")), CORP),
    "resolution": _binary(resolved, "equal predictions (Murphy), added up to the Brier score"),
    "calibration_slope": _everywhere(slope, "scikit-learn LogisticRegression"),
    "calibration_intercept": _everywhere(intercept, "SciPy brentq on the score equation"),
    "ici": _everywhere(smoothed, "NumPy lstsq, tricube weights (Austin and Steyerberg)"),
    "calibration_in_the_large": _binary(in_the_large, "row by row"),
    "spiegelhalter": Oracle(
        spiegelhalter, "moments of the Brier score over classes", weighted=True, multiclass=True
    ),
}
