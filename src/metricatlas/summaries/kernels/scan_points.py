"""Points of the ROC, found among the marked blocks by bisection: each costs next to nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from metricatlas.summaries.kernels.scan_groups import (
    AREA,
    BEGIN,
    COUNT,
    NEGATIVE,
    NEGATIVE_ABOVE,
    NEGATIVE_BELOW,
    NEGATIVES_FROM,
    POSITIVE,
    POSITIVE_ABOVE,
    POSITIVES_FROM,
    PRECISION,
    SCORE,
    SPARE,
    Floats,
    Labels,
    Weights,
    add,
    reload,
)
from metricatlas.summaries.kernels.scan_stream import largest, wins_above

Loaded = npt.NDArray[np.int64]

#: What falls, or at last rises, along the thresholds, and so can be bisected.
FPR, TPR, SIZE, BALANCE, FALSE, ABOVE = range(6)
#: Kinds of operating points.
AT, AT_FPR, AT_TPR, PREVALENCE, TOP_SHARE, TOP_SIZE, TOP_POSITIVES, KS, BEST_F1, BEST_PRODUCT = (
    range(10)
)

#: Bounds are taken from sums that may be rounded the other way.
SAFE = 1 + 1e-13


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _passed(kind: int, tp: float, fp: float, p: float, n: float, bound: float) -> bool:
    """Return whether the bound is reached where so much lies above; once true, always true."""
    if kind == FPR:
        return fp / n <= bound
    if kind == TPR:
        return tp / p < bound
    if kind == SIZE:
        return tp + fp < bound
    if kind == BALANCE:
        return fp * p + tp * n <= bound
    return fp <= bound


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _boundary(
    kind: int,
    bound: float,
    scores: Floats,
    positive: Labels,
    weight: Weights,
    marks: Floats,
    blocks: int,
    block: Floats,
    loaded: Loaded,
    p: float,
    n: float,
) -> int:
    """Find the lowest boundary between groups past the bound; its block is loaded then.

    Return the groups of that block below it: 0 only at the bottom, -1 where none is.
    """
    low, high = 0, blocks  # the answer lies at or below the begin of block `high`
    while low < high:
        middle = (low + high) // 2
        if kind == ABOVE:
            passed = scores[int(marks[middle, BEGIN])] > bound
        else:
            tp, fp = marks[middle, POSITIVES_FROM], marks[middle, NEGATIVES_FROM]
            passed = _passed(kind, tp, fp, p, n, bound)
        if passed:
            high = middle
        else:
            low = middle + 1
    wanted = max(low - 1, 0)
    count = reload(scores, positive, weight, marks, wanted, block, loaded)
    if low == 0:
        return 0
    if kind != ABOVE and low == blocks and not _passed(kind, 0.0, 0.0, p, n, bound):
        return -1
    left, right = 0, count
    while left < right:
        middle = (left + right) // 2
        if kind == ABOVE:
            passed = block[SCORE, middle] > bound
        else:
            tp, fp = block[POSITIVE_ABOVE, middle], block[NEGATIVE_ABOVE, middle]
            passed = _passed(kind, tp, fp, p, n, bound)
        if passed:
            right = middle
        else:
            left = middle + 1
    return left


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _set(out: Floats, tp: float, fp: float, threshold: float) -> None:
    out[0], out[1], out[2] = tp, fp, threshold + 0.0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _below(g: int, scores: Floats, marks: Floats, block: Floats, loaded: Loaded) -> float:
    """Return the threshold just below group g of the loaded block."""
    if g > 0:
        return block[SCORE, g - 1]
    begin = int(marks[loaded[0], BEGIN])
    return scores[begin - 1] if begin > 0 else -np.inf


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _size(kind: int, value: float, p: float, n: float) -> float:
    """Return how many are at the top: a share is rounded down, a size cannot exceed all."""
    total = p + n
    if kind == TOP_SHARE:
        return max(1.0, np.floor(value * total * (1 + 1e-12)))
    if kind == TOP_SIZE:
        return min(value, total)
    return p


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _top(
    size: float,
    scores: Floats,
    positive: Labels,
    weight: Weights,
    marks: Floats,
    blocks: int,
    block: Floats,
    loaded: Loaded,
    p: float,
    n: float,
    out: Floats,
) -> None:
    """What so many at the top hold; the group at the cut gives in proportion."""
    g = _boundary(SIZE, size, scores, positive, weight, marks, blocks, block, loaded, p, n)
    if g <= 0:
        whole = size > 0.0
        _set(out, p if whole else 0.0, n if whole else 0.0, scores[0] if whole else scores[-1])
        return
    pos, neg = block[POSITIVE, g - 1], block[NEGATIVE, g - 1]
    tp, fp = block[POSITIVE_ABOVE, g], block[NEGATIVE_ABOVE, g]
    share = (size - (tp + fp)) / (pos + neg)
    _set(out, tp + share * pos, fp + share * neg, block[SCORE, g - 1])


@njit(cache=True, nogil=True, error_model="numpy")
def _value(kind: int, tp: float, fp: float, tn: float, p: float, n: float) -> float:
    """Return what is maximised at a cut."""
    if kind == KS:
        return abs(tp * n - fp * p)
    if kind == BEST_F1:
        return tp / (tp + fp + p)
    return tp * tn


@njit(cache=True, nogil=True, error_model="numpy")
def _fill_values(kind: int, block: Floats, count: int, p: float, n: float) -> None:
    """Fill the spare line with the values at the cuts above the groups of a block."""
    tp, fp = block[POSITIVE_ABOVE, 1:], block[NEGATIVE_ABOVE, 1:]
    tn, spare = block[NEGATIVE_BELOW, 1:], block[SPARE]
    if kind == KS:
        for g in range(count):
            spare[g] = abs(tp[g] * n - fp[g] * p)
    elif kind == BEST_F1:
        for g in range(count):
            spare[g] = tp[g] / (tp[g] + fp[g] + p)
    else:
        for g in range(count):
            spare[g] = tp[g] * tn[g]


@njit(cache=True, nogil=True, error_model="numpy")
def _bound(kind: int, b: int, marks: Floats, blocks: int, p: float, n: float) -> float:
    """Return what no cut within a block exceeds: all its positives above, or all its negatives."""
    last = b + 1 == blocks
    tp, fp = marks[b, POSITIVES_FROM], marks[b, NEGATIVES_FROM]
    tp_end = 0.0 if last else marks[b + 1, POSITIVES_FROM]
    fp_end = 0.0 if last else marks[b + 1, NEGATIVES_FROM]
    bound = _value(kind, tp, fp_end, n - fp_end, p, n)
    if kind == KS:
        bound = max(bound, _value(kind, tp_end, fp, n - fp, p, n))
    return bound * SAFE


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _look(
    kind: int,
    best: float,
    scores: Floats,
    positive: Labels,
    weight: Weights,
    marks: Floats,
    blocks: int,
    block: Floats,
    loaded: Loaded,
    p: float,
    n: float,
    out: Floats,
) -> float:
    """Set the lowest cut with the largest value if that exceeds `best`; return the larger.

    Blocks that cannot hold the cut are left unread, which are most.
    """
    floor = best
    for b in range(1, blocks):
        tp, fp = marks[b, POSITIVES_FROM], marks[b, NEGATIVES_FROM]
        floor = max(floor, _value(kind, tp, fp, n - fp, p, n) / SAFE)
    for b in range(blocks):
        if _bound(kind, b, marks, blocks, p, n) < max(best, floor):
            continue
        count = reload(scores, positive, weight, marks, b, block, loaded)
        _fill_values(kind, block, count, p, n)
        peak = largest(block, count)
        if peak > best:
            best = peak
            g = 0
            while block[SPARE, g] < peak:
                g += 1
            _set(out, block[POSITIVE_ABOVE, g + 1], block[NEGATIVE_ABOVE, g + 1], block[SCORE, g])
    return best


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _best(
    kind: int,
    scores: Floats,
    positive: Labels,
    weight: Weights,
    marks: Floats,
    blocks: int,
    block: Floats,
    loaded: Loaded,
    p: float,
    n: float,
    whole: bool,
    out: Floats,
) -> float:
    """Find the lowest cut with the largest value; fractional masses leave room for rounding."""
    if not (p > 0.0 and n > 0.0 if kind != BEST_F1 else p + n > 0.0):
        return np.nan
    bottom = 0.0 if kind != BEST_F1 else p / (p + n + p)
    # Everything is positive at the bottom, which KS has at 0 where all scores are above it.
    below = kind != KS or scores[0] > 0.0
    _set(out, p, n, 0.0 if kind == KS else -np.inf)
    room = 0.0 if whole else 1e-12 * (p * n if kind != BEST_F1 else 1.0)
    start = bottom if below else -1.0
    best = _look(kind, start, scores, positive, weight, marks, blocks, block, loaded, p, n, out)
    if whole or best == start:
        return best
    _set(out, p, n, 0.0 if kind == KS else -np.inf)
    if below and bottom >= best - room:
        return best
    least = best - room
    for b in range(blocks):
        if _bound(kind, b, marks, blocks, p, n) >= least:
            count = reload(scores, positive, weight, marks, b, block, loaded)
            _fill_values(kind, block, count, p, n)
            for g in range(count):
                if block[SPARE, g] >= least:
                    tp, fp = block[POSITIVE_ABOVE, g + 1], block[NEGATIVE_ABOVE, g + 1]
                    _set(out, tp, fp, block[SCORE, g])
                    return best
    return best


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def operating_point(
    kind: int,
    value: float,
    scores: Floats,
    positive: Labels,
    weight: Weights,
    marks: Floats,
    blocks: int,
    block: Floats,
    loaded: Loaded,
    p: float,
    n: float,
    whole: bool,
    out: Floats,
) -> float:
    """True positives, false positives and the threshold; return the maximum where one is sought."""
    _set(out, np.nan, np.nan, np.nan)
    if KS <= kind <= BEST_PRODUCT:
        return _best(kind, scores, positive, weight, marks, blocks, block, loaded, p, n, whole, out)
    if (kind == AT_FPR and n == 0.0) or (kind in (AT_TPR, TOP_POSITIVES) and p == 0.0):
        return np.nan
    if TOP_SHARE <= kind <= TOP_POSITIVES:
        size = _size(kind, value, p, n)
        _top(size, scores, positive, weight, marks, blocks, block, loaded, p, n, out)
        return size
    bound = p / (p + n) if kind == PREVALENCE else value
    if not whole and kind == AT_FPR:
        bound += 1e-12
    if not whole and kind == AT_TPR:
        bound -= 1e-12
    share = bound
    if not whole and kind == PREVALENCE:
        bound *= 1 + 1e-12
    search = FPR if kind == AT_FPR else (TPR if kind == AT_TPR else ABOVE)
    g = _boundary(search, bound, scores, positive, weight, marks, blocks, block, loaded, p, n)
    if kind == AT_FPR and g < 0:
        return np.nan
    if g < 0:
        g = int(marks[loaded[0], COUNT])
    elif kind == AT_TPR:
        if g == 0:
            return np.nan
        g -= 1
    tp, fp = block[POSITIVE_ABOVE, g], block[NEGATIVE_ABOVE, g]
    at = share if search == ABOVE else _below(g, scores, marks, block, loaded)
    _set(out, tp, fp, at)
    return np.nan


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def equal_error(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    marks: Floats,
    blocks: int,
    block: Floats,
    loaded: Loaded,
    p: float,
    n: float,
) -> float:
    """Return the false positive rate at which it equals the false negative rate, on the ROC."""
    if p == 0.0 or n == 0.0:
        return np.nan
    g = _boundary(BALANCE, p * n, scores, positive, weight, marks, blocks, block, loaded, p, n)
    tp, fp = block[POSITIVE_ABOVE, g], block[NEGATIVE_ABOVE, g]
    pos, neg = block[POSITIVE, g - 1], block[NEGATIVE, g - 1]
    share = (p * n - (fp * p + tp * n)) / (neg * p + pos * n)
    return (fp + share * neg) / n


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def partial_area(
    limit: float,
    scores: Floats,
    positive: Labels,
    weight: Weights,
    marks: Floats,
    blocks: int,
    block: Floats,
    loaded: Loaded,
    p: float,
    n: float,
) -> float:
    """Return the area under the ROC up to a false positive rate."""
    if p == 0.0 or n == 0.0:
        return np.nan
    cut = limit * n
    g = _boundary(FALSE, cut, scores, positive, weight, marks, blocks, block, loaded, p, n)
    area = block[SPARE, :2]
    area[:] = 0.0
    for b in range(loaded[0] + 1, blocks):
        add(area, 0, marks[b, AREA])
    add(area, 0, wins_above(block, g, int(marks[loaded[0], COUNT])))
    if g > 0:
        tp, fp = block[POSITIVE_ABOVE, g], block[NEGATIVE_ABOVE, g]
        width = cut - fp
        rise = width / block[NEGATIVE, g - 1] * block[POSITIVE, g - 1]
        add(area, 0, width * (tp + 0.5 * rise))
    return (area[0] + area[1]) / p / n


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def precision_eleven(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    marks: Floats,
    blocks: int,
    block: Floats,
    loaded: Loaded,
    p: float,
    whole: bool,
) -> float:
    """Return the mean, over recalls 0, .1, ..., 1, of the best precision at this recall or more."""
    if p == 0.0:
        return np.nan
    level = 10
    # Sums of fractional masses may be rounded to just below the level.
    room = 0.0 if whole else 1e-12
    best = 0.0
    total = 0.0
    for b in range(blocks):
        above = marks[b + 1, POSITIVES_FROM] if b + 1 < blocks else 0.0
        if 10.0 * above >= (level - room) * p:
            best = max(best, marks[b, PRECISION])
            continue
        count = reload(scores, positive, weight, marks, b, block, loaded)
        for g in range(count):
            tp = block[POSITIVE_ABOVE, g]
            while 10.0 * tp < (level - room) * p:
                total += best
                level -= 1
            best = max(best, tp / (tp + block[NEGATIVE_ABOVE, g]))
    return (total + best * (level + 1)) / 11.0
