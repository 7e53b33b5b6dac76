"""Facts of `Probabilities` by class and true class, scan form: each class against the rest."""

from __future__ import annotations

import numpy as np
from numba import njit

from metricatlas.summaries.kernels.scan_sums import (
    SMALLEST_NORMAL,
    Codes,
    Floats,
    Positions,
    logarithm,
    settled,
)


@njit(cache=True, nogil=True, error_model="numpy")
def column_errors(
    values: Floats,
    truth: Codes,
    weight: Floats,
    weighted: bool,
    starts: Positions,
    logs: bool,
    out: Floats,
) -> None:
    """Fill row, class, true class: sums of squares, or of logarithms."""
    classes = values.shape[2]
    total, lost = np.zeros((classes, classes)), np.zeros((classes, classes))
    terms = np.empty(classes)
    for segment in range(starts.size - 1):
        start, end = starts[segment], starts[segment + 1]
        for model in range(values.shape[0]):
            labels = truth[model if truth.shape[0] > 1 else 0]
            total[:], lost[:] = 0.0, 0.0
            for i in range(start, end):
                w = weight[i] if weighted else 1.0
                true = labels[i]
                _add(values[model, i], true, w, logs, terms, total[true], lost[true])
            row = model * (starts.size - 1) + segment
            for j in range(classes):
                for true in range(classes):
                    out[row, j, true] = settled(total[true, j], lost[true, j])


# The loops over classes have no branches, so that they run in lanes; the true class comes after.
@njit(cache=True, nogil=True, error_model="numpy")
def _add(
    p: Floats, true: int, w: float, logs: bool, terms: Floats, total: Floats, lost: Floats
) -> None:
    """Add the term of every class, with what the addition loses."""
    if logs:
        _set_logs(p, true, terms)
    else:
        for j in range(p.size):
            terms[j] = p[j] * p[j]
        terms[true] = (1.0 - p[true]) * (1.0 - p[true])
    for j in range(p.size):
        before, term = total[j], w * terms[j]
        after = before + term
        shadow = after - before
        lost[j] += (before - (after - shadow)) + (term - shadow)
        total[j] = after


@njit(cache=True, nogil=True, error_model="numpy")
def _set_logs(p: Floats, true: int, terms: Floats) -> None:
    certain = 0
    for j in range(p.size):
        terms[j] = logarithm(1.0 - p[j], p[j])
        certain += p[j] == 1.0
    if certain:
        for j in range(p.size):
            if p[j] == 1.0:
                terms[j] = -np.inf
    own = p[true]
    terms[true] = logarithm(own, 1.0 - own) if own >= SMALLEST_NORMAL else np.log(own)
