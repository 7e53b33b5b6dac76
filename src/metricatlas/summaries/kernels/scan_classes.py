"""Facts of more than two classes, from rows that are sorted with the class of each example."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from metricatlas.summaries.kernels.scan_groups import Floats, Labels, Weights, add

Positions = npt.NDArray[np.int64]
Codes = npt.NDArray[Any]

#: Examples whose sums are plain before they are compensated.
STEP = 32


@njit(cache=True, nogil=True, error_model="numpy")
def mark_class(codes: Codes, wanted: int, out: Labels) -> None:
    """Fill in which examples are of a class."""
    for i in range(codes.size):
        out[i] = codes[i] == wanted


@njit(cache=True, nogil=True, error_model="numpy")
def _flush(local: Floats, sums: Floats) -> None:
    """Move plain sums into compensated ones."""
    for k in range(local.size):
        add(sums, 2 * k, local[k])
        local[k] = 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _masses(codes: Codes, weight: Weights, out: Floats) -> None:
    """Mass of each class."""
    sums = np.zeros(2 * out.size)
    if weight is None:
        for i in range(codes.size):
            sums[2 * np.int64(codes[i])] += 1.0
    else:
        for i in range(codes.size):
            add(sums, 2 * np.int64(codes[i]), weight[i])
    for k in range(out.size):
        out[k] = sums[2 * k] + sums[2 * k + 1]


@njit(cache=True, nogil=True, error_model="numpy")
def _count_wins(scores: Floats, codes: Codes, wanted: int, out: Floats) -> None:
    """Twice the pairs that a class wins against each, in whole numbers; examples have weight 1."""
    below = np.zeros(out.size, np.int64)
    group = np.zeros(out.size, np.int64)
    total = np.zeros(out.size, np.int64)
    i = 0
    n = scores.size
    while i < n:
        if i + 1 == n or scores[i + 1] != scores[i]:
            code = np.int64(codes[i])
            if code == wanted:
                for k in range(out.size):
                    total[k] += 2 * below[k]
            below[code] += 1
            i += 1
            continue
        value = scores[i]
        group[:] = 0
        while i < n and scores[i] == value:
            group[np.int64(codes[i])] += 1
            i += 1
        ours = group[wanted]
        for k in range(out.size):
            total[k] += ours * (2 * below[k] + group[k])
            below[k] += group[k]
    for k in range(out.size):
        out[k] = 0.5 * np.float64(total[k])


@njit(cache=True, nogil=True, error_model="numpy")
def _weigh_wins(scores: Floats, codes: Codes, weight: Floats, wanted: int, out: Floats) -> None:
    """Mass of the pairs that a class wins against each; every sum is compensated."""
    below = np.zeros(2 * out.size)
    group = np.zeros(2 * out.size)
    total = np.zeros(2 * out.size)
    i = 0
    while i < scores.size:
        value = scores[i]
        group[:] = 0.0
        while i < scores.size and scores[i] == value:
            add(group, 2 * np.int64(codes[i]), weight[i])
            i += 1
        ours = group[2 * wanted] + group[2 * wanted + 1]
        for k in range(out.size):
            tied = group[2 * k] + group[2 * k + 1]
            if ours > 0.0:
                add(total, 2 * k, ours * ((below[2 * k] + below[2 * k + 1]) + 0.5 * tied))
            if tied > 0.0:
                add(below, 2 * k, tied)
    for k in range(out.size):
        out[k] = total[2 * k] + total[2 * k + 1]


@njit(cache=True, nogil=True, error_model="numpy")
def _margins(
    scores: Floats, codes: Codes, weight: Weights, wanted: int, ours: float, out: Floats
) -> None:
    """Sum max(a - b, 0) for a of a class and b of each: gap by gap, below times ours above."""
    below, local = np.zeros(out.size), np.zeros(out.size)
    sums, masses, above = np.zeros(2 * out.size), np.zeros(2 * out.size), np.zeros(2)
    add(above, 0, ours)
    for i in range(scores.size):
        if i > 0:
            crossing = (scores[i] - scores[i - 1]) * (above[0] + above[1])
            for k in range(out.size):
                local[k] += crossing * below[k]
            if i % STEP == 0:
                _flush(local, sums)
        code = np.int64(codes[i])
        mass = 1.0 if weight is None else weight[i]
        if weight is None:
            below[code] += 1.0
        else:
            add(masses, 2 * code, mass)
            below[code] = masses[2 * code] + masses[2 * code + 1]
        if code == wanted:
            add(above, 0, -mass)
    _flush(local, sums)
    for k in range(out.size):
        out[k] = sums[2 * k] + sums[2 * k + 1]


@njit(cache=True, nogil=True, error_model="numpy")
def pair_facts(
    scores: Floats,
    codes: Codes,
    weight: Weights,
    bounds: Positions,
    wanted: int,
    wins: bool,
    margins: bool,
    out: Floats,
) -> None:
    """Fill, for each row, masses (0), wins (1) and margins (2) of a class against each class."""
    for r in range(bounds.size - 1):
        begin, end = bounds[r], bounds[r + 1]
        s, y = scores[begin:end], codes[begin:end]
        w = None if weight is None else weight[begin:end]
        _masses(y, w, out[r, 0])
        if wins:
            if w is None:
                _count_wins(s, y, wanted, out[r, 1])
            else:
                _weigh_wins(s, y, w, wanted, out[r, 1])
        if margins:
            _margins(s, y, w, wanted, out[r, 0, wanted], out[r, 2])


@njit(cache=True, nogil=True, error_model="numpy")
def triple_rows(
    scores: Floats, codes: Codes, weight: Weights, bounds: Positions, out: Floats
) -> None:
    """Mass of triples, one of each of three classes, in order; ties count 1/2 or 1/6."""
    group = np.empty(6)
    for r in range(bounds.size - 1):
        lowest, pairs, total = np.zeros(2), np.zeros(2), np.zeros(2)
        i, end = bounds[r], bounds[r + 1]
        while i < end:
            value = scores[i]
            group[:] = 0.0
            while i < end and scores[i] == value:
                add(group, 2 * np.int64(codes[i]), 1.0 if weight is None else weight[i])
                i += 1
            a, b, c = group[0] + group[1], group[2] + group[3], group[4] + group[5]
            low = lowest[0] + lowest[1]
            add(total, 0, c * (pairs[0] + pairs[1] + 0.5 * low * b + a * b / 6.0))
            add(pairs, 0, b * (low + 0.5 * a))
            add(lowest, 0, a)
        out[r] = total[0] + total[1]
