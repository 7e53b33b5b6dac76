"""Answers for threshold and probability together: the sums of Ferri et al. 2009, written out."""

import numpy as np

from oracles.case import Oracle


def over_mistakes(term):
    """Return the sum of f(i, j) C(i, k) term over i and j other than k, and the mistakes' mass."""

    def sums(case):
        total = mass = 0.0
        for i, w in enumerate(case.weight):
            for j in range(case.classes):
                for k in range(case.classes):
                    if j != k and case.y[i] == j and case.decided[i] == k:
                        total += w * term(case.p[i, k], case.p[i, j])
                        mass += w
        return total, mass

    return sums


def of_all(term):
    return lambda case: over_mistakes(term)(case)[0] / case.weight.sum()


def of_mistakes(term):
    def value(case):
        total, mass = over_mistakes(term)(case)
        return total / mass if mass else np.nan

    return value


def written_out(value):
    return Oracle(value, "Ferri et al. 2009, section 3.2, term by term", True, multiclass=True)


TERMS = {
    "confidence": lambda p, _: p,
    "squared": lambda p, _: p * p,
    "margin": lambda p, q: p - q,
}

ORACLES = {
    "error_confidence": written_out(of_all(TERMS["confidence"])),
    "error_confidence_squared": written_out(of_all(TERMS["squared"])),
    "error_margin": written_out(of_all(TERMS["margin"])),
    "confidence_when_wrong": written_out(of_mistakes(TERMS["confidence"])),
    "squared_confidence_when_wrong": written_out(of_mistakes(TERMS["squared"])),
    "margin_when_wrong": written_out(of_mistakes(TERMS["margin"])),
}
