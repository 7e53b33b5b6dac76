"""Every fact of `Probabilities` and `Confusion` from its definition, row by row, to 60 digits."""

from decimal import Decimal, localcontext

DIGITS = 60
#: What differences of numbers of that many digits may be wrong by.
FLOOR = 1e-50


def vector(p):
    """Probabilities of all classes; a single number is that of the second of two."""
    if hasattr(p, "__len__"):
        return [Decimal(float(x)) for x in p]
    return [1 - Decimal(float(p)), Decimal(float(p))]


def logarithm(x):
    return x.ln() if x > 0 else Decimal("-Infinity")


def clamped(x):
    return min(max(x, Decimal(0)), Decimal(1))


class Row:
    """One example: probabilities, true class, and the shares of the classes in the mass."""

    def __init__(self, p, y, shares):
        self.p, self.y, self.shares = vector(p), int(y), shares
        self.true = self.p[self.y]
        self.errors = [abs((j == self.y) - x) for j, x in enumerate(self.p)]
        self.squares = sum(x * x for x in self.p)

    def mass(self):
        return Decimal(1)

    def given(self):
        return self.true

    def absolute_error(self):
        return sum(self.errors)

    def square_error(self):
        return sum(x * x for x in self.errors)

    def log(self):
        return logarithm(self.true)

    def log_clipped(self, least):
        return logarithm(max(self.true, Decimal(least)))

    def spherical(self):
        return self.true / self.squares.sqrt()

    def ranked(self):
        steps = range(len(self.p) - 1)
        gaps = [sum(self.p[: j + 1]) - (self.y <= j) for j in steps]
        return sum(gap * gap for gap in gaps) / len(gaps)

    def information(self):
        share = self.shares[self.y]
        if self.true >= share:
            nats = logarithm(self.true) - logarithm(share)
        else:
            nats = logarithm(1 - share) - logarithm(1 - self.true)
        return nats / Decimal(2).ln()

    def received(self):
        return self.p

    def column_squares(self):
        return [(x - (j == self.y)) ** 2 for j, x in enumerate(self.p)]

    def column_logs(self):
        if len(self.p) == 2:  # Each class's rest is the other's probability.
            return [logarithm(self.true)] * 2
        return [logarithm(x if j == self.y else 1 - x) for j, x in enumerate(self.p)]

    def pull(self):
        return self.squares - self.true

    def spread(self):
        return sum(x * (x - self.squares) ** 2 for x in self.p)

    def top(self, size):
        above = sum(x > self.true for x in self.p)
        return clamped(Decimal(size - above) / sum(x == self.true for x in self.p))


#: Facts by class and true class.
MATRICES = ("received", "column_squares", "column_logs")


def _weights(weight, count):
    return [Decimal(1)] * count if weight is None else [Decimal(float(w)) for w in weight]


def probabilities(p, truth, weight, classes, request):
    """By true class the sum of a fact's terms, and the sum of their absolute values."""
    name, arguments = request
    with localcontext() as context:
        context.prec = DIGITS
        weights = _weights(weight, len(truth))
        masses = [
            sum((w for y, w in zip(truth, weights, strict=True) if y == k), Decimal(0))
            for k in range(classes)
        ]
        shares = [mass / sum(masses) for mass in masses]
        terms = [[] for _ in range(classes)]
        for x, y, w in zip(p, truth, weights, strict=True):
            row = Row(x, y, shares)
            term = getattr(row, name)(*arguments)
            term = term if name in MATRICES else [term]
            terms[y].append([w * t for t in term])
        length = classes if name in MATRICES else 1
        sums = [[sum((t[i] for t in own), Decimal(0)) for own in terms] for i in range(length)]
        sizes = [
            [sum((abs(t[i]) for t in own), Decimal(0)) for own in terms] for i in range(length)
        ]
    return (sums, sizes) if name in MATRICES else (sums[0], sizes[0])


def decision(p, kind, threshold):
    if kind == "labels":
        return int(p)
    if not hasattr(p, "__len__"):
        return int(p > (0.5 if threshold is None else threshold))
    return min(j for j, x in enumerate(p) if x == max(p))


def confusion(p, truth, weight, classes, kind, threshold, name):
    """By true and decided class the sum of a fact's terms."""
    with localcontext() as context:
        context.prec = DIGITS
        cells = [[Decimal(0)] * classes for _ in range(classes)]
        for x, y, w in zip(p, truth, _weights(weight, len(truth)), strict=True):
            k = decision(x, kind, threshold)
            most = true = Decimal(0)
            if kind != "labels":
                most, true = vector(x)[k], vector(x)[y]
            terms = {
                "matrix": Decimal(1),
                "confidence": most,
                "confidence_squared": most * most,
                "margin": most - true,
            }
            cells[y][k] += w * terms[name]
    return cells
