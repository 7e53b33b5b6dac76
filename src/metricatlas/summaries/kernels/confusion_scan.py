"""The facts of `Confusion`, scan form: one pass over the examples, in Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import njit

from metricatlas.summaries.kernels.scan_sums import (
    BLOCK,
    Codes,
    Floats,
    Positions,
    add_compensated,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array, Request

# Sums by cell, in the order in which the scan keeps them.
MASS, CONFIDENCE, CONFIDENCE_SQUARED, MARGIN = range(4)
_SUMS = {
    "matrix": MASS,
    "confidence": CONFIDENCE,
    "confidence_squared": CONFIDENCE_SQUARED,
    "margin": MARGIN,
}


def confusion_facts(
    values: Array,
    truth: Array,
    weight: Array | None,
    starts: Array,
    classes: int,
    kind: str,
    threshold: float | None,
    requests: Sequence[Request],
) -> dict[Request, Array]:
    """Sums by true class and decided class: ``(k * s, classes, classes)`` each.

    ``values`` are codes ``(k, n)`` where the kind is labels; else scores ``(k, n)`` of the second
    of two classes, positive above the threshold (one half), or ``(k, n, c)``, where the first
    largest decides.
    """
    code = np.uint8 if classes <= 256 else np.int64
    labels = kind == "labels"
    detail = any(name != "matrix" for name, _ in requests)
    values = np.ascontiguousarray(values, dtype=code if labels else np.float64)
    examples = (
        np.ascontiguousarray(truth, dtype=code),
        np.ascontiguousarray([] if weight is None else weight, dtype=np.float64),
        weight is not None,
        np.ascontiguousarray(starts, dtype=np.int64),
    )
    rows = len(values) * (len(starts) - 1)
    sums = np.empty((4 if detail else 1, rows, classes, classes))
    if classes == 2 and values.ndim == 2:
        cut = 0.5 if threshold is None or labels else float(threshold)
        _two_classes(*(values, *examples, detail, cut, sums))
    elif labels:
        _many_classes(*(np.empty((len(values), 0, 0)), values, *examples, detail, sums))
    else:
        decided = np.empty(values.shape[:2], dtype=code)
        _many_classes(*(values, decided, *examples, detail, sums))
    return {request: sums[_SUMS[request[0]]] for request in requests}


@njit(cache=True, nogil=True, error_model="numpy")
def _two_classes(
    values: Codes,
    truth: Codes,
    weight: Floats,
    weighted: bool,
    starts: Positions,
    detail: bool,
    threshold: float,
    sums: Floats,
) -> None:
    """Fill the sums: which, row, true class, decided class; positive is above the threshold."""
    kinds = sums.shape[0]
    block, totals, lost = np.empty(4 * kinds), np.empty(4 * kinds), np.empty(4 * kinds)
    ones = np.ones(BLOCK)
    for segment in range(starts.size - 1):
        start, end = starts[segment], starts[segment + 1]
        for model in range(values.shape[0]):
            y = truth[model if truth.shape[0] > 1 else 0]
            totals[:] = 0.0
            lost[:] = 0.0
            for low in range(start, end, BLOCK):
                high = min(low + BLOCK, end)
                w = weight[low:high] if weighted else ones[: high - low]
                p = values[model, low:high]
                _masses(p, y[low:high], w, threshold, block)
                if detail:
                    _confidences(p, y[low:high], w, threshold, block)
                add_compensated(totals, lost, block)
            row = model * (starts.size - 1) + segment
            for i in range(kinds):
                for cell in range(4):
                    sums[i, row, cell >> 1, cell & 1] = totals[4 * i + cell] + lost[4 * i + cell]


# Not "nsz": a sum of x or 0 would become a choice of sums, which does not run in lanes.
@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _masses(p: Codes, y: Codes, w: Floats, threshold: float, block: Floats) -> None:
    """Sum the weights by cell."""
    tn = fp = fn = tp = 0.0
    for i in range(y.size):
        positive, decided, mass = y[i] != 0, p[i] > threshold, w[i]
        tn += 0.0 if positive | decided else mass
        fp += mass if decided & (not positive) else 0.0
        fn += mass if positive & (not decided) else 0.0
        tp += mass if positive & decided else 0.0
    block[0], block[1], block[2], block[3] = tn, fp, fn, tp


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _confidences(p: Floats, y: Codes, w: Floats, threshold: float, block: Floats) -> None:
    """Sum the probability of the decided class, its square, and what it is above the other's."""
    c0 = c1 = c2 = c3 = s0 = s1 = s2 = s3 = m1 = m2 = 0.0
    for i in range(y.size):
        positive, decided, mass = y[i] != 0, p[i] > threshold, w[i]
        other = 1.0 - p[i]
        tn = 0.0 if positive | decided else mass
        fp = mass if decided & (not positive) else 0.0
        fn = mass if positive & (not decided) else 0.0
        tp = mass if positive & decided else 0.0
        c0 += tn * other
        c1 += fp * p[i]
        c2 += fn * other
        c3 += tp * p[i]
        s0 += tn * (other * other)
        s1 += fp * (p[i] * p[i])
        s2 += fn * (other * other)
        s3 += tp * (p[i] * p[i])
        m1 += fp * (p[i] - other)
        m2 += fn * (other - p[i])
    block[4], block[5], block[6], block[7] = c0, c1, c2, c3
    block[8], block[9], block[10], block[11] = s0, s1, s2, s3
    block[12], block[13], block[14], block[15] = 0.0, m1, m2, 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _many_classes(
    values: Floats,
    decided: Codes,
    truth: Codes,
    weight: Floats,
    weighted: bool,
    starts: Positions,
    detail: bool,
    sums: Floats,
) -> None:
    """Fill the sums: which, row, true class, decided class; without values all is decided."""
    classes = sums.shape[2]
    totals, lost = np.empty((classes, classes, 4)), np.empty((classes, classes, 4))
    ones = np.ones(BLOCK)
    for segment in range(starts.size - 1):
        start, end = starts[segment], starts[segment + 1]
        for model in range(decided.shape[0]):
            labels = truth[model if truth.shape[0] > 1 else 0]
            totals[:] = 0.0
            lost[:] = 0.0
            for low in range(start, end, BLOCK):
                high = min(low + BLOCK, end)
                y, choice = labels[low:high], decided[model, low:high]
                w = weight[low:high] if weighted else ones[: high - low]
                if values.shape[1]:
                    _decide(values[model, low:high], choice)
                if detail:
                    _deal_confidences(values[model, low:high], y, choice, w, totals, lost)
                else:
                    _deal_masses(y, choice, w, totals, lost)
            row = model * (starts.size - 1) + segment
            for i in range(sums.shape[0]):
                for k in range(classes):
                    for j in range(classes):
                        sums[i, row, k, j] = totals[k, j, i] + lost[k, j, i]


@njit(cache=True, nogil=True, error_model="numpy")
def _decide(p: Floats, choice: Codes) -> None:
    """Set the code of the first largest of each row."""
    for i in range(choice.size):
        best, code = p[i, 0], 0
        for j in range(1, p.shape[1]):
            better = p[i, j] > best
            best = p[i, j] if better else best
            code = j if better else code
        choice[i] = code


# A cell may get all rows or none, so there are no blocks to sum: each addition keeps what it loses.
@njit(cache=True, nogil=True, error_model="numpy")
def _deal_masses(y: Codes, choice: Codes, w: Floats, totals: Floats, lost: Floats) -> None:
    """Add each row's weight to its cell."""
    for i in range(y.size):
        k, j = y[i], choice[i]
        before, term = totals[k, j, MASS], w[i]
        after = before + term
        shadow = after - before
        lost[k, j, MASS] += (before - (after - shadow)) + (term - shadow)
        totals[k, j, MASS] = after


@njit(cache=True, nogil=True, error_model="numpy")
def _deal_confidences(
    p: Floats, y: Codes, choice: Codes, w: Floats, totals: Floats, lost: Floats
) -> None:
    """Add the decided class's probability, its square, and what it is above the true class's."""
    for i in range(y.size):
        k, j = y[i], choice[i]
        most = p[i, j]
        terms = (w[i], w[i] * most, w[i] * (most * most), w[i] * (most - p[i, k]))
        for t in range(4):
            before, term = totals[k, j, t], terms[t]
            after = before + term
            shadow = after - before
            lost[k, j, t] += (before - (after - shadow)) + (term - shadow)
            totals[k, j, t] = after
