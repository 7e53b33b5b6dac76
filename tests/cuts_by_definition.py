"""Operating points found by trying every threshold, in exact fractions."""

from fractions import Fraction
from math import inf, nan, sqrt

import numpy as np


def ratio(a, b):
    return a / b if b else nan


def mcc(tp, fp, fn, tn):
    spread = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / sqrt(spread) if spread else 0.0


#: Measures of the four cells, with how to compare their values.
MEASURES = {
    "recall": lambda tp, _fp, fn, _tn: ratio(tp, tp + fn),
    "ppv": lambda tp, fp, _fn, _tn: ratio(tp, tp + fp),
    "npv": lambda _tp, _fp, fn, tn: ratio(tn, tn + fn),
    "fpr": lambda _tp, fp, _fn, tn: ratio(fp, fp + tn),
    "f1": lambda tp, fp, fn, _tn: ratio(2 * tp, 2 * tp + fp + fn),
    "fbeta[beta=2]": lambda tp, fp, fn, _tn: ratio(5 * tp, 5 * tp + 4 * fn + fp),
    "jaccard": lambda tp, fp, fn, _tn: ratio(tp, tp + fp + fn),
    "acc": lambda tp, fp, fn, tn: ratio(tp + tn, tp + fp + fn + tn),
    "error_rate": lambda tp, fp, fn, tn: ratio(fp + fn, tp + fp + fn + tn),
    "informedness": lambda tp, fp, fn, tn: ratio(tp, tp + fn) - ratio(fp, fp + tn),
    "markedness": lambda tp, fp, fn, tn: ratio(tp, tp + fp) + ratio(tn, tn + fn) - 1,
    "frequency_bias": lambda tp, fp, fn, _tn: inf if fp > tp + fn == 0 else ratio(tp + fp, tp + fn),
    "mcc": mcc,
    "expected_cost[costs=((0,1),(5,0))]": lambda tp, fp, fn, tn: ratio(
        fp + 5 * fn, tp + fp + fn + tn
    ),
}
LOWER = {"fpr", "error_rate", "expected_cost[costs=((0,1),(5,0))]"}


def size_of(text, total):
    """Return how many are the highest: a share of all, rounded down but 1 at least, or a number."""
    if text.endswith("%"):
        return max(1, Fraction(text[:-1]) / 100 * total // 1)
    return min(int(text), total)


class Scores:
    """One ranking, with masses in exact fractions."""

    def __init__(self, y, scores, weight=None):
        weight = np.ones(len(y)) if weight is None else weight
        self.rows = [
            (float(s), bool(t), Fraction(float(w)))
            for s, t, w in zip(scores, y, weight, strict=True)
        ]
        self.cuts = sorted({-inf, *(s for s, _, _ in self.rows)})
        self.known = {}
        self.positives = sum((w for _, t, w in self.rows if t), Fraction(0))
        self.negatives = sum((w for _, t, w in self.rows if not t), Fraction(0))

    def cells(self, tp, fp):
        return tp, fp, self.positives - tp, self.negatives - fp

    def above(self, threshold):
        if threshold not in self.known:
            self.known[threshold] = self.counted(threshold)
        return self.known[threshold]

    def counted(self, threshold):
        tp = sum((w for s, t, w in self.rows if s > threshold and t), Fraction(0))
        fp = sum((w for s, t, w in self.rows if s > threshold and not t), Fraction(0))
        return self.cells(tp, fp)

    def highest(self, size):
        """Return the cells when so much mass is positive; a tie at the cut counts in proportion."""
        tp = fp = Fraction(0)
        for cut in sorted({s for s, _, _ in self.rows}, reverse=True):
            p = sum((w for s, t, w in self.rows if s == cut and t), Fraction(0))
            n = sum((w for s, t, w in self.rows if s == cut and not t), Fraction(0))
            share = max(Fraction(0), min(Fraction(1), (size - tp - fp) / (p + n)))
            tp, fp = tp + share * p, fp + share * n
        return self.cells(tp, fp)

    def at(self, point):
        """Return the cells at a point of the language; None where there is none."""
        total = self.positives + self.negatives
        kind, _, value = point.partition("=")
        rules = {
            "ks": self.ks,
            "bep": lambda: self.highest(self.positives) if self.positives else None,
            "prevalence": lambda: self.above(float(self.positives / total)),
            "best": lambda: self.best(value),
            "top": lambda: self.highest(size_of(value, total)),
            "fpr": lambda: self.rate("fpr", Fraction(value)),
            "tpr": lambda: self.rate("tpr", Fraction(value)),
        }
        return rules[kind]() if kind in rules else self.above(float(kind))

    def ks(self):
        if not self.positives or not self.negatives:
            return None
        gaps = {}
        for t in sorted({0.0, *self.cuts} - {-inf}):
            tp, fp, _, _ = self.above(t)
            gaps[t] = abs(tp / self.positives - fp / self.negatives)
        return self.above(min(t for t, gap in gaps.items() if gap == max(gaps.values())))

    def best(self, name):
        """Return the lowest cut whose value is the best but for rounding."""
        values = {}
        for t in self.cuts:
            value = MEASURES[name](*self.above(t))
            if value == value:  # noqa: PLR0124 - NaN differs from itself
                far = -abs(value - 1) if name == "frequency_bias" else value
                values[t] = -far if name in LOWER else far
        if not values:
            return None
        most = max(values.values())
        return self.above(min(t for t, v in values.items() if v >= most - 1e-13))

    def rate(self, kind, wanted):
        cells = {t: self.above(t) for t in self.cuts}
        if kind == "fpr":
            if not self.negatives:
                return None
            return cells[min(t for t, c in cells.items() if c[1] / self.negatives <= wanted)]
        if not self.positives:
            return None
        return cells[max(t for t, c in cells.items() if c[0] / self.positives >= wanted)]

    def value(self, name, point):
        cells = self.at(point)
        return nan if cells is None else float(MEASURES[name](*cells))
