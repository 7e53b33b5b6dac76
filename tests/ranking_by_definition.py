"""Every fact of a ranking from its definition: fractions, loops over rows, pairs and windows."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, pairwise

from scipy.stats import beta

HALF = Fraction(1, 2)
NAN = math.nan


class Definition:
    """Rows (score, positive?, weight) as fractions, and the facts by their definitions."""

    def __init__(self, scores, labels, weights):
        self.rows = [
            (
                Fraction(float(s)),
                int(y),
                Fraction(w) if isinstance(w, Fraction) else Fraction(float(w)),
            )
            for s, y, w in zip(scores, labels, weights, strict=True)
        ]
        self.pos = [(s, w) for s, y, w in self.rows if y]
        self.neg = [(s, w) for s, y, w in self.rows if not y]
        self.P, self.N = self.mass(self.pos), self.mass(self.neg)
        self.both = self.P > 0 and self.N > 0
        self.distinct = sorted({s for s, _, _ in self.rows}, reverse=True)
        self.blocks = [
            (x, self.mass(self.pos, x, x), self.mass(self.neg, x, x)) for x in self.distinct
        ]

    @staticmethod
    def mass(rows, low=-math.inf, high=math.inf):
        return sum((w for s, w in rows if low <= s <= high), Fraction(0))

    @cache  # noqa: B019 - a definition lives for one test
    def cut(self, t):
        """Masses of positives and negatives that score above t."""
        return (
            sum((w for s, w in self.pos if s > t), Fraction(0)),
            sum((w for s, w in self.neg if s > t), Fraction(0)),
        )

    @cached_property
    def points(self):
        """The ROC points from nothing positive to everything positive."""
        return [self.cut(t) for t in [*self.distinct, -math.inf]]

    def positives(self):
        return self.P

    def negatives(self):
        return self.N

    def wins(self):
        return sum(v * w * ((a > b) + HALF * (a == b)) for a, v in self.pos for b, w in self.neg)

    def margin(self):
        return sum(v * w * max(a - b, 0) for a, v in self.pos for b, w in self.neg)

    def _moments(self, rows):
        total = self.mass(rows)
        if not total:
            return NAN, NAN
        mean = sum(s * w for s, w in rows) / total
        return mean, sum(w * (s - mean) ** 2 for s, w in rows) / total

    def mean_positive(self):
        return self._moments(self.pos)[0]

    def mean_negative(self):
        return self._moments(self.neg)[0]

    def mean_gap(self):
        return self.mean_positive() - self.mean_negative()

    def variance_positive(self):
        return self._moments(self.pos)[1]

    def variance_negative(self):
        return self._moments(self.neg)[1]

    @cached_property
    def _kolmogorov(self):
        if not self.both:
            return NAN, NAN, NAN, NAN
        best = max(
            (abs(tp / self.P - fp / self.N), -t, tp, fp)
            for t in {*self.distinct, Fraction(0)}
            for tp, fp in [self.cut(t)]
        )
        return best[0], -best[1], best[2], best[3]

    def ks(self):
        return self._kolmogorov[0]

    def ks_threshold(self):
        return self._kolmogorov[1]

    def ks_tp(self):
        return self._kolmogorov[2]

    def ks_fp(self):
        return self._kolmogorov[3]

    def equal_error(self):
        if not self.both:
            return NAN
        rates = [(fp / self.N, 1 - tp / self.P) for tp, fp in self.points]
        for (x0, y0), (x1, y1) in pairwise(rates):
            if x1 >= y1:
                return x0 + (x1 - x0) * (y0 - x0) / ((y0 - x0) - (y1 - x1))
        raise AssertionError

    def precision_sum(self):
        total = Fraction(0)
        for s, w in self.pos:
            above = self.mass(self.pos, s), self.mass(self.neg, s)
            total += w * above[0] / sum(above)
        return total

    def precision_sum_random(self):
        total = Fraction(0)
        for x, a, b in self.blocks:
            tp, fp = self.cut(x)
            if math.comb(int(a + b), int(a)) > 3000:
                # Given a positive at a place, those before it are as likely to hold another.
                for place in range(1, int(a + b) + 1):
                    rank = 1 + (place - 1) * (a - 1) / (a + b - 1)
                    total += a / (a + b) * (tp + rank) / (tp + fp + place)
                continue
            orders = list(combinations(range(1, int(a + b) + 1), int(a)))
            for places in orders:
                for rank, place in enumerate(places, 1):
                    total += (tp + rank) / (tp + fp + place) / len(orders)
        return total

    def precision_eleven(self):
        if not self.P:
            return NAN
        cuts = self.points[1:]
        best = [
            max(tp / (tp + fp) for tp, fp in cuts if tp / self.P >= Fraction(k, 10))
            for k in range(11)
        ]
        return sum(best) / 11

    def pr_area(self):
        if not self.P:
            return NAN
        curve = []
        for x, a, b in self.blocks:
            tp, fp = self.cut(x)
            if tp + fp and a:
                curve.append((tp, tp / (tp + fp)))
            curve.extend(
                (tp + k, (tp + k) / (tp + k + fp + b * Fraction(k, int(a))))
                for k in range(1, int(a) + 1)
            )
        area, last = curve[0][0] * curve[0][1], curve[0]
        for point in curve[1:]:
            area += (point[0] - last[0]) * (point[1] + last[1]) / 2
            last = point
        return area / self.P

    def gain_area(self):
        if not self.both:
            return NAN
        odds, start = self.P / self.N, self.P * self.P / (self.P + self.N)

        def gains(tp, fp):
            return 1 - odds * (self.P - tp) / tp, 1 - odds * fp / tp

        area, points = Fraction(0), self.points
        for (tp0, fp0), (tp1, fp1) in pairwise(points):
            if tp1 <= start or tp1 == tp0:
                continue
            begin = max(tp0, start)
            r0, g0 = gains(begin, fp0 + (fp1 - fp0) * (begin - tp0) / (tp1 - tp0))
            r1, g1 = gains(tp1, fp1)
            area += (r1 - r0) * (g0 + g1) / 2
        return area

    @cached_property
    def segments(self):
        """Share, blocks, masses by segment of isotonic regression, from its max-min formula."""
        size = len(self.blocks)
        tops = [self.cut(x) for x in self.distinct] + [(self.P, self.N)]
        share = {}
        for begin in range(size):
            for end in range(begin + 1, size + 1):
                a, b = (high - low for high, low in zip(tops[end], tops[begin], strict=True))
                share[begin, end] = a / (a + b)
        # Scores fall along the blocks, and so must the fit.
        reach = {}
        for begin in range(size):
            best = None
            for end in range(size, begin, -1):
                best = share[begin, end] if best is None else max(best, share[begin, end])
                reach[begin, end - 1] = best
        fitted = [min(reach[begin, i] for begin in range(i + 1)) for i in range(size)]
        found = []
        for value in sorted(set(fitted), reverse=True):
            part = [b for b, f in zip(self.blocks, fitted, strict=True) if f == value]
            found.append((value, part, sum(b[1] for b in part), sum(b[2] for b in part)))
        return found

    def hull_area(self):
        if not self.both:
            return NAN
        area = tp = Fraction(0)
        for _, _, a, b in self.segments:
            area += b * (tp + a / 2)
            tp += a
        return area / (self.P * self.N)

    def hull_loss(self):
        """As hmeasure: the cost of the errors at each vertex, where that is the best one."""
        if not self.both:
            return NAN
        b = float(1 + self.N / self.P)
        vertices, edges = [(0.0, float(self.P))], [1.0]
        for share, _, pos, neg in self.segments:
            edges.append(float(share))
            vertices.append((vertices[-1][0] + float(neg), vertices[-1][1] - float(pos)))
        edges.append(0.0)
        loss = 0.0
        for (fp, fn), high, low in zip(vertices, edges[:-1], edges[1:], strict=True):
            loss += fp * 2 / (2 + b) * (beta.cdf(high, 3, b) - beta.cdf(low, 3, b))
            loss += fn * b / (2 + b) * (beta.cdf(high, 2, 1 + b) - beta.cdf(low, 2, 1 + b))
        return loss / float(self.P + self.N)

    def hull_squares(self):
        return sum(a * (1 - f) ** 2 + b * f**2 for f, _, a, b in self.segments)

    def hull_logs(self):
        return -sum(
            float(mass) * math.log(mass / (a + b))
            for _, _, a, b in self.segments
            for mass in (a, b)
            if mass
        )

    def hull_deviation(self):
        return sum((a + b) * (x - f) ** 2 for f, part, _, _ in self.segments for x, a, b in part)

    def hull_bias(self):
        return sum(
            sum((a + b) * (x - f) for x, a, b in part) ** 2 / (pos + neg)
            for f, part, pos, neg in self.segments
        )

    def distinct_deviation(self):
        return sum((a + b) * (x - a / (a + b)) ** 2 for x, a, b in self.blocks)

    def partial_area(self, limit):
        if not self.both:
            return NAN
        end, area, points = Fraction(limit) * self.N, Fraction(0), self.points
        for (tp0, fp0), (tp1, fp1) in pairwise(points):
            stop = min(fp1, end)
            if stop > fp0:
                tp = tp0 + (tp1 - tp0) * (stop - fp0) / (fp1 - fp0)
                area += (stop - fp0) * (tp0 + tp) / 2
        return area / (self.P * self.N)

    def _places(self):
        """(score, mean label) of unit masses, lowest score first."""
        return [(x, a / (a + b)) for x, a, b in self.blocks[::-1] for _ in range(int(a + b))]

    def _windows(self, size):
        places = self._places()
        size = max(1, len(places) // 10) if size == "tenth" else min(size, len(places))
        for begin in range(len(places) - size + 1):
            window = places[begin : begin + size]
            yield window, sum(label for _, label in window) / size

    def window_gap(self, size):
        gaps = [abs(f - sum(p for p, _ in w) / len(w)) for w, f in self._windows(size)]
        return sum(gaps) / len(gaps)

    def window_deviation(self, size):
        found = [sum(abs(p - f) for p, _ in w) / len(w) for w, f in self._windows(size)]
        return sum(found) / len(found)

    def window_deviation_printed(self, size):
        found = [sum(abs(p - f) for p, _ in w) for w, f in self._windows(size)][:-1]
        return sum(found) / len(found) if found else NAN

    def width_bins(self, bins):
        found = [[Fraction(0)] * 3 for _ in range(bins)]
        for x, a, b in self.blocks:
            entry = found[max(0, math.ceil(float(x) * bins) - 1)]
            entry[0] += a + b
            entry[1] += a
            entry[2] += (a + b) * x
        return found

    def mass_bins(self, bins):
        found, size = [], (self.P + self.N) / bins
        for j in range(bins):
            entry, below = [size, Fraction(0), Fraction(0), Fraction(0)], Fraction(0)
            for x, a, b in self.blocks[::-1]:
                inside = min(below + a + b, (j + 1) * size) - max(below, j * size)
                if inside > 0:
                    entry[1] += inside * a / (a + b)
                    entry[2] += inside * x
                    entry[3] += inside * (1 - x)
                below += a + b
            found.append(entry)
        return found

    def _size(self, kind, value):
        total = self.P + self.N
        if kind == "share":
            return max(1, math.floor(Fraction(str(value)) * total))
        return self.P if kind == "positives" else min(Fraction(value), total)

    def top(self, kind, value=0):
        size = self._size(kind, value)
        return (self._top(size)[0], size) if size else (NAN, NAN)

    def _top(self, size):
        if not size:
            return NAN, NAN, NAN
        tp = fp = Fraction(0)
        for x, a, b in self.blocks:
            part = min(a + b, size - tp - fp) / (a + b)
            tp, fp = tp + part * a, fp + part * b
            if tp + fp >= size:
                return tp, fp, x
        raise AssertionError

    def operating_point(self, rule, value=None):
        if rule in {"at", "prevalence"}:
            t = value if rule == "at" else float(self.P) / float(self.P + self.N)
            return *self.cut(t), t
        if rule == "ks":
            return self._kolmogorov[2], self._kolmogorov[3], self._kolmogorov[1]
        if rule == "top":
            kind = "positives" if value == "positives" else "share" if value < 1 else "size"
            return self._top(self._size(kind, value))
        return self._best(value) if rule == "best" else self._by_rate(rule, value)

    def _by_rate(self, rule, value):
        rate, total = (1, self.N) if rule == "fpr" else (0, self.P)
        if not total:
            return NAN, NAN, NAN
        x, cuts = Fraction(str(value)), [*self.distinct, -math.inf]
        if rule == "fpr":
            t = min(t for t in cuts if self.cut(t)[rate] / total <= x)
        else:
            t = max(t for t in cuts if self.cut(t)[rate] / total >= x)
        return *self.cut(t), t

    def _best(self, measure):
        found = []
        for t in [*self.distinct, -math.inf]:
            tp, fp = self.cut(t)
            if measure == "f1" and tp + fp + self.P:
                found.append((2 * tp / (tp + fp + self.P), -t, tp, fp))
            if measure == "gmean" and self.both:
                found.append((tp * (self.N - fp), -t, tp, fp))
        if not found:
            return NAN, NAN, NAN
        best = max(found)
        return best[2], best[3], -best[1]


def triples_by_definition(scores, truth, weights):
    """Mass of triples in order of class: the share of the orders of equal scores that are right."""
    rows = [(float(s), int(y), w) for s, y, w in zip(scores, truth, weights, strict=True)]
    total = Fraction(0)
    for a, _, u in (r for r in rows if r[1] == 0):
        for b, _, v in (r for r in rows if r[1] == 1):
            for c, _, w in (r for r in rows if r[1] == 2):
                if a <= b <= c:
                    total += u * v * w / (1, 2, 6)[int(a == b) + int(b == c)]
    return total
