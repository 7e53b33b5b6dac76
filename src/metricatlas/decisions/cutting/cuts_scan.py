"""Loops over the examples of resamples, in the order of their scores."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

Counts = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Labels = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float64]
#: Weights, or None where all are 1.
Weights = Any


@njit(cache=True, nogil=True)
def cumulate(
    counts: Counts,
    units: Places,
    positive: Labels,
    weight: Weights,
    cut: Places,
    folds: Codes,
    repeats: Places,
    left_out: int,
    tp: Floats,
    fp: Floats,
) -> None:
    """Fill in the masses above each cut, without those of a fold."""
    last = tp.shape[1] - 1
    for r in range(counts.shape[0]):
        row, fold = counts[r], folds[repeats[r]]
        nothing: Any = np.int64(0) if weight is None else 0.0
        ones = zeros = nothing
        tp[r, last] = fp[r, last] = 0.0
        for i in range(units.size - 1, -1, -1):
            drawn = np.int64(row[units[i]]) * np.int64(fold[i] != left_out)
            mass = drawn if weight is None else drawn * weight[i]
            hits = mass * positive[i]
            ones += hits
            zeros += mass - hits
            # Of equal scores the lowest example comes last, and its sums stay.
            tp[r, cut[i] - 1], fp[r, cut[i] - 1] = ones, zeros


@njit(cache=True, nogil=True)
def decide(
    counts: Counts,
    units: Places,
    positive: Labels,
    weight: Weights,
    cut: Places,
    folds: Codes,
    repeats: Places,
    places: Places,
    cells: Floats,
) -> None:
    """Add up tp, fp, fn, tn, each example decided by its fold's cut; of -1 it is left out."""
    for r in range(counts.shape[0]):
        row, fold, own = counts[r], folds[repeats[r]], places[r]
        cells[r] = 0.0
        for i in range(units.size):
            place = own[fold[i]]
            if place >= 0:
                mass = np.float64(row[units[i]])
                if weight is not None:
                    mass *= weight[i]
                cells[r, 2 * np.int64(cut[i] <= place) + 1 - positive[i]] += mass


@njit(cache=True, nogil=True)
def next_with_mass(tp: Floats, fp: Floats, chosen: Places, found: Places) -> None:
    """Find the first cut that has less above it than the chosen one; itself where there is none."""
    for r in range(chosen.size):
        place = found[r] = chosen[r]
        if place < 0:
            continue
        above = tp[r, place] + fp[r, place]
        for k in range(place + 1, tp.shape[1]):
            if tp[r, k] + fp[r, k] < above:
                found[r] = k
                break
