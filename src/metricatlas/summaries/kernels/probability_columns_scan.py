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
    for segment in range(starts.size - 1):
        start, end = starts[segment], starts[segment + 1]
        for model in range(values.shape[0]):
            labels = truth[model if truth.shape[0] > 1 else 0]
            total[:], lost[:] = 0.0, 0.0
            for i in range(start, end):
                w = weight[i] if weighted else 1.0
                _add(values[model, i], labels[i], w, logs, total, lost)
            row = model * (starts.size - 1) + segment
            for j in range(classes):
                for true in range(classes):
                    out[row, j, true] = settled(total[true, j], lost[true, j])


@njit(cache=True, nogil=True, error_model="numpy")
def _add(p: Floats, true: int, w: float, logs: bool, total: Floats, lost: Floats) -> None:
    """Add the term of every class, with what the addition loses."""
    for j in range(p.size):
        own, rest = (p[j], 1.0 - p[j]) if j == true else (1.0 - p[j], p[j])
        term = w * (_log(own, rest) if logs else rest * rest)
        before = total[true, j]
        after = before + term
        shadow = after - before
        lost[true, j] += (before - (after - shadow)) + (term - shadow)
        total[true, j] = after


@njit(cache=True, nogil=True, error_model="numpy")
def _log(p: float, rest: float) -> float:
    return logarithm(p, rest) if p >= SMALLEST_NORMAL else np.log(p)
