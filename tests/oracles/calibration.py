"""Answers for the calibration measures: model-diagnostics, scikit-learn, SciPy, or definitions."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from model_diagnostics.scoring import LogLoss, SquaredError, decompose
from scipy.optimize import brentq
from scipy.special import expit, logit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import mean_squared_error

from oracles.case import Oracle
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


def at_most(most):
    return lambda rows: min(most, rows)


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


def in_fractions(y, s, w):
    """Yield each row's weight, the positive part of it and its weighted score, exactly."""
    for label, score, weight in zip(y.tolist(), s.tolist(), w.tolist(), strict=True):
        mass = Fraction(weight)
        yield Fraction(score), (mass, mass * int(label), mass * Fraction(score))


def width_bins(bins):
    """Add rows up in bins of equal width that are closed above: Naeini et al., in fractions."""

    def filled(y, s, w):
        sums = [[Fraction(0)] * 3 for _ in range(bins)]
        for score, row in in_fractions(y, s, w):
            place = next(b for b in range(bins) if b == bins - 1 or score * bins <= b + 1)
            sums[place] = [a + b for a, b in zip(sums[place], row, strict=True)]
        return [row for row in sums if row[0]]

    return filled


def mass_bins(bins):
    """Cut the running sums over the ordered rows at equal steps of mass.

    Between two scores the sums grow in proportion, so that ties and rows on a border are shared.
    """

    def filled(y, s, w):
        groups = {}
        for score, row in in_fractions(y, s, w):
            known = groups.get(score, (Fraction(0),) * 3)
            groups[score] = tuple(a + b for a, b in zip(known, row, strict=True))
        running = [(Fraction(0),) * 3]
        for score in sorted(groups):
            running.append(tuple(a + b for a, b in zip(running[-1], groups[score], strict=True)))
        total = running[-1][0]
        knots = [at_mass(running, total * b / bins) for b in range(bins + 1)]
        return [[b - a for a, b in zip(*pair, strict=True)] for pair in pairwise(knots)]

    return filled


def at_mass(running, mass):
    """Return the running sums where the first of them is so much."""
    for low, high in pairwise(running):
        if low[0] <= mass <= high[0]:
            part = (mass - low[0]) / (high[0] - low[0])
            return [a + part * (b - a) for a, b in zip(low, high, strict=True)]
    raise AssertionError(mass)


def error(bins, norm):
    def value(y, s, w):
        filled = bins(y, s, w)
        total = sum(mass for mass, _, _ in filled)
        gaps = [(mass / total, abs(o - e) / mass) for mass, o, e in filled]
        return {
            "1": lambda: float(sum(share * gap for share, gap in gaps)),
            "2": lambda: float(sum(share * gap**2 for share, gap in gaps)) ** 0.5,
            "max": lambda: float(max(gap for _, gap in gaps)),
        }[norm]()

    return value


def hosmer_lemeshow(bins):
    """Compare positives and negatives of each group with what is expected: Pearson's statistic."""

    def value(y, s, w):
        cells = []
        for mass, observed, expected in mass_bins(bins)(y, s, w):
            cells += [(observed, expected), (mass - observed, mass - expected)]
        if any(e == 0 and o != 0 for o, e in cells):
            return np.inf
        return float(sum((o - e) ** 2 / e for o, e in cells if e))

    return value


def corp(score, part):
    def value(y, s, w):
        if len(y) == 1:
            # The library refuses a single row; the row twice has the same means.
            y, s, w = (np.repeat(a, 2) for a in (y, s, w))
        found = decompose(y, s, weights=w, scoring_function=score, functional="mean")
        return found[part].item()

    return value


def resolution(y, s, w):
    overall = np.average(y, weights=w)
    parts = [s == x for x in np.unique(s)]
    distances = [w[b].sum() * (np.average(y[b], weights=w[b]) - overall) ** 2 for b in parts]
    return sum(distances) / w.sum()


def resolved(y, s, w):
    """Check the other way on the way: the three parts must make up the Brier score."""
    uncertainty = corp(SquaredError(), "uncertainty")(y, s, w)
    murphy = mean(segments(predictions, deviation))(y, s, w)
    assert np.isclose(murphy - resolution(y, s, w) + uncertainty, squared_error(y, s, w))
    return resolution(y, s, w)


def squared_error(y, s, w):
    return mean_squared_error(y, s, sample_weight=w)


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
BINS = "bins filled in fractions"
HULL = "scikit-learn IsotonicRegression"

ORACLES = {
    "cal": _everywhere(windows(of_means, at_most(100)), WINDOWS),
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
    "ece": _everywhere(error(width_bins(10), "1"), BINS, top),
    "ece_l2": _everywhere(error(width_bins(10), "2"), BINS, top),
    "ece_max": _everywhere(error(width_bins(10), "max"), BINS, top),
    "ece_mass": _everywhere(error(mass_bins(10), "1"), BINS, top),
    "ece_mass_l2": _everywhere(error(mass_bins(10), "2"), BINS, top),
    "ece_mass_max": _everywhere(error(mass_bins(10), "max"), BINS, top),
    "ace": _everywhere(error(mass_bins(10), "1"), BINS),
    "hosmer_lemeshow": _everywhere(hosmer_lemeshow(10), BINS, top),
    "uncertainty": _everywhere(corp(SquaredError(), "uncertainty"), CORP),
    "discrimination": _everywhere(corp(SquaredError(), "discrimination"), CORP),
    "miscalibration": _everywhere(corp(SquaredError(), "miscalibration"), CORP),
    "uncertainty_log": _everywhere(corp(LogLoss(), "uncertainty"), CORP),
    "discrimination_log": _everywhere(corp(LogLoss(), "discrimination"), CORP),
    "miscalibration_log": _everywhere(corp(LogLoss(), "miscalibration"), CORP),
    "resolution": _everywhere(resolved, "equal predictions (Murphy), added up to the Brier score"),
    "calibration_slope": _everywhere(slope, "scikit-learn LogisticRegression"),
    "calibration_intercept": _everywhere(intercept, "SciPy brentq on the score equation"),
    "ici": _everywhere(
        smoothed, "NumPy lstsq, lines with tricube weights (after Austin and Steyerberg)"
    ),
    "calibration_in_the_large": _binary(in_the_large, "row by row"),
    "spiegelhalter": Oracle(
        spiegelhalter, "moments of the Brier score over classes", weighted=True, multiclass=True
    ),
}

VARIANTS = {
    "cal[window=7]": _everywhere(windows(of_means, at_most(7)), WINDOWS),
    "ece[bins=5]": _everywhere(error(width_bins(5), "1"), BINS, top),
    "ece[macro]": _everywhere(error(width_bins(10), "1"), BINS, both_classes),
    "ece_l2[bins=7]": _everywhere(error(width_bins(7), "2"), BINS, top),
    "ece_max[bins=3]": _everywhere(error(width_bins(3), "max"), BINS, top),
    "ece_mass[bins=4]": _everywhere(error(mass_bins(4), "1"), BINS, top),
    "ece_mass_l2[bins=3]": _everywhere(error(mass_bins(3), "2"), BINS, top),
    "ece_mass_max[bins=7]": _everywhere(error(mass_bins(7), "max"), BINS, top),
    "ace[bins=5]": _everywhere(error(mass_bins(5), "1"), BINS),
    "hosmer_lemeshow[bins=4]": _everywhere(hosmer_lemeshow(4), BINS, top),
}
