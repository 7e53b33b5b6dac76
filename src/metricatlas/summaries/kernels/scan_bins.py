"""Bins of the probability: bounds are found by bisection, contents added in SIMD lanes."""

from __future__ import annotations

import numpy as np
from numba import njit

from metricatlas.summaries.kernels.scan_groups import LANES, Floats, Labels, Weights, add, has_ties

#: Rows added in SIMD lanes before the sum is compensated.
STEP = 512
#: Up to so many rows a bin, the rows are dealt out one by one.
FEW = 16


@njit(cache=True, nogil=True, error_model="numpy")
def _rest(score: float) -> float:
    """Return one minus a score; of LANES this must stay one operation, or its digits are lost."""
    return 1.0 - score


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _step(
    scores: Floats, positive: Labels, weight: Weights, begin: int, end: int
) -> tuple[float, float, float, float]:
    mass = ones = total = rest = 0.0
    part, labels = scores[begin:end], positive[begin:end]
    for i in range(part.size):
        w = 1.0 if weight is None else weight[begin + i]
        mass += w
        ones += w * np.float64(labels[i])
        total += w * part[i]
        rest += w * _rest(part[i])
    return mass, ones, total, rest


@njit(cache=True, nogil=True, error_model="numpy")
def _add_rows(
    scores: Floats, positive: Labels, weight: Weights, begin: int, end: int, sums: Floats
) -> None:
    """Add the mass, the positives, the scores and the rests of some rows."""
    for first in range(begin, end, STEP):
        mass, ones, total, rest = _step(scores, positive, weight, first, min(first + STEP, end))
        add(sums, 0, mass)
        add(sums, 2, ones)
        add(sums, 4, total)
        add(sums, 6, rest)


@njit(cache=True, nogil=True, error_model="numpy")
def _flush(sums: Floats, out: Floats) -> None:
    for column in range(out.size):
        out[column] = sums[2 * column] + sums[2 * column + 1]
    sums[:] = 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def width_bins(
    scores: Floats, positive: Labels, weight: Weights, bins: int, scratch: Floats, out: Floats
) -> None:
    """Fill bins of equal width, closed above; 0 is in the first."""
    if weight is None and scores.size <= FEW * bins:
        out[:] = 0.0
        for i in range(scores.size):
            b = 3 * max(int(np.ceil(scores[i] * bins)) - 1, 0)
            out[b] += 1.0
            out[b + 1] += np.float64(positive[i])
            out[b + 2] += scores[i]
        return
    sums = scratch[0, :8]
    sums[:] = 0.0
    begin = 0
    for b in range(bins):
        left, right = begin, scores.size
        while left < right and b + 1 < bins:
            middle = (left + right) // 2
            if scores[middle] * bins > b + 1:
                right = middle
            else:
                left = middle + 1
        _add_rows(scores, positive, weight, begin, right, sums)
        _flush(sums, out[3 * b : 3 * b + 3])
        begin = right


@njit(cache=True, nogil=True, error_model="numpy")
def _group(
    scores: Floats, positive: Labels, weight: Weights, begin: int, sums: Floats, out: Floats
) -> int:
    """Fill in what the group at `begin` holds; return its end."""
    end = begin + 1
    while end < scores.size and scores[end] == scores[begin]:
        end += 1
    if end == begin + 1:
        mass = 1.0 if weight is None else weight[begin]
        out[0], out[1] = mass, mass * np.float64(positive[begin])
        out[2], out[3] = mass * scores[begin], mass * _rest(scores[begin])
    else:
        _add_rows(scores, positive, weight, begin, end, sums)
        _flush(sums, out)
    return end


@njit(cache=True, nogil=True, error_model="numpy")
def _share_group(group: Floats, part: float, sums: Floats) -> None:
    """Give a part of a group to a bin."""
    for column in range(4):
        add(sums, 2 * column, part * group[column])


@njit(cache=True, nogil=True, error_model="numpy")
def _product(a: float, b: float) -> tuple[float, float]:
    """Return a product and what rounding took from it (Dekker)."""
    product = a * b
    high = a * 134217729.0 - (a * 134217729.0 - a)
    other = b * 134217729.0 - (b * 134217729.0 - b)
    low, rest = a - high, b - other
    return product, ((high * other - product) + high * rest + low * other) + low * rest


@njit(cache=True, nogil=True, error_model="numpy")
def _cuts(scores: Floats, weight: Weights, bins: int, out: Floats) -> None:
    """Fill the upper ends of bins of equal mass, each in two parts."""
    total = np.zeros(2)
    if weight is None:
        total[0] = float(scores.size)
    else:
        for i in range(weight.size):
            add(total, 0, weight[i])
    width = total[0] / bins
    product, error = _product(width, float(bins))
    rest = ((total[0] - product) - error + total[1]) / bins
    for b in range(bins):
        out[0, b], error = _product(width, b + 1.0)
        out[1, b] = error + rest * (b + 1)


@njit(cache=True, nogil=True, error_model="numpy")
def _deal(scores: Floats, positive: Labels, bins: int, out: Floats) -> None:
    """Fill bins of equal mass with at least one row each, from rows without ties."""
    out[:] = 0.0
    b = 0
    cut = scores.size / bins
    for i in range(scores.size):
        left = 1.0
        label, score = np.float64(positive[i]), scores[i]
        if i + 1.0 > cut and b + 1 < bins:
            inside = cut - i
            out[4 * b] += inside
            out[4 * b + 1] += inside * label
            out[4 * b + 2] += inside * score
            out[4 * b + 3] += inside * _rest(score)
            left = 1.0 - inside
            b += 1
            cut = scores.size * (b + 1.0) / bins
        out[4 * b] += left
        out[4 * b + 1] += left * label
        out[4 * b + 2] += left * score
        out[4 * b + 3] += left * _rest(score)


@njit(cache=True, nogil=True, error_model="numpy")
def mass_bins(
    scores: Floats, positive: Labels, weight: Weights, bins: int, scratch: Floats, out: Floats
) -> None:
    """Fill bins of equal mass; a group of equal scores is spread evenly over the bins it covers."""
    few = weight is None and bins <= scores.size <= FEW * bins
    if few and not has_ties(scores, 0, scores.size):
        _deal(scores, positive, bins, out)
        return
    sums, parts, filled, group = scratch[0, :8], scratch[0, 8:16], scratch[0, 16:18], scratch[1, :4]
    scratch[0] = 0.0
    cuts = scratch[2:4]
    _cuts(scores, weight, bins, cuts)
    i = 0
    b = 0
    while i < scores.size:
        if weight is None:  # whole groups up to the last before the cut at once
            last = scores.size if b + 1 == bins else min(int(np.floor(cuts[0, b])), scores.size)
            while i < last < scores.size and scores[last - 1] == scores[last]:
                last -= 1
            if last > i:
                _add_rows(scores, positive, weight, i, last, sums)
                filled[0] += float(last - i)
                i = last
                continue
        i = _group(scores, positive, weight, i, parts, group)
        used = 0.0
        free = (cuts[0, b] - filled[0]) + (cuts[1, b] - filled[1])
        while b + 1 < bins and group[0] > free:
            _share_group(group, max(free - used, 0.0) / group[0], sums)
            _flush(sums, out[4 * b : 4 * b + 4])
            used = max(free, used)
            b += 1
            free = (cuts[0, b] - filled[0]) + (cuts[1, b] - filled[1])
        _share_group(group, (group[0] - used) / group[0], sums)
        add(filled, 0, group[0])
    while b < bins:
        _flush(sums, out[4 * b : 4 * b + 4])
        b += 1
