"""The convex hull of the ROC, which is isotonic regression of the labels on the scores.

Most of a row never comes near the hull. Stretches of 64 examples are laid out first, as corners of
a coarse hull; a stretch that cannot dip below it even with all its negatives first is passed over.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from metricatlas.summaries.kernels.scan_groups import (
    LANES,
    Floats,
    Int,
    Labels,
    Weights,
    add,
    count_labels,
)

Positions = npt.NDArray[np.int64]

STRETCH = 128
#: Rows added in SIMD lanes before the sum is compensated.
STEP = 512
#: Slopes this close are equal where masses are not whole numbers.
CLOSE = 1e-9
AREA, LOSS, SQUARES, LOGS, DEVIATION, BIAS = range(6)
HULL_COLUMNS = 6
#: Columns of a corner: how many examples, and what masses, lie below it. The end of a stretch also
#: has the compensated pairs that make the masses.
EXAMPLES, NEGATIVES, POSITIVES, PAIRS = range(4)


@njit(cache=True, nogil=True, error_model="numpy")
def new_stretches(longest: int) -> Floats:
    """Return scratch for the ends of the stretches of a row."""
    return np.empty((longest // STRETCH + 2, PAIRS + 4))


@njit(cache=True, nogil=True, error_model="numpy")
def new_corners(longest: int, weighted: bool) -> Floats:
    """Return scratch for a hull: on a lattice it has at most about n^(2/3) corners."""
    most = longest + 2 if weighted else min(longest + 2, int(4 * longest ** (2 / 3)) + 64)
    return np.empty((most, 3))


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _push(hull: Floats, height: int, examples: float, neg: float, pos: float, room: float) -> int:
    """Add a corner; take away those that it leaves above the hull. Equal slopes become one."""
    while height > 1:
        here, before = hull[height - 1], hull[height - 2]
        right = (here[POSITIVES] - before[POSITIVES]) * (neg - here[NEGATIVES])
        left = (pos - here[POSITIVES]) * (here[NEGATIVES] - before[NEGATIVES])
        if right - left < -room * (right + left) or (right < left and room == 0.0):
            break
        height -= 1
    hull[height, EXAMPLES], hull[height, NEGATIVES], hull[height, POSITIVES] = examples, neg, pos
    return height + 1


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _lay_out(scores: Floats, positive: Labels, weight: Weights, sums: Floats, ends: Floats) -> int:
    """Cut the row into stretches that end with a group; return how many."""
    stretches = 0
    end = 0
    sums[:] = 0.0
    ends[0] = 0.0
    while end < scores.size:
        begin = end
        end = min(begin + STRETCH, scores.size)
        while end < scores.size and scores[end] == scores[end - 1]:
            end += 1
        if weight is None:
            ones = count_labels(positive[begin:end])
            sums[0] += np.float64(end - begin - ones)
            sums[2] += np.float64(ones)
        else:
            for i in range(begin, end):
                add(sums, 2 * np.int64(positive[i]), weight[i])
        stretches += 1
        ends[stretches, EXAMPLES] = end
        ends[stretches, NEGATIVES] = sums[0] + sums[1]
        ends[stretches, POSITIVES] = sums[2] + sums[3]
        ends[stretches, PAIRS:] = sums
    return stretches


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _refine(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    start: Floats,
    stop: Floats,
    hull: Floats,
    height: int,
    room: float,
    sums: Floats,
) -> int:
    """Push corners within a stretch: not after pure positives, nor before pure negatives."""
    begin, end = int(start[EXAMPLES]), int(stop[EXAMPLES])
    sums[:] = start[PAIRS:]
    i = begin
    while i < end:
        first = i
        ones: Int = 0
        value = scores[i]
        while i < end and scores[i] == value:
            label = np.int64(positive[i])
            ones += label
            if weight is not None:
                add(sums, 2 * label, weight[i])
            i += 1
        if weight is None:
            sums[0] += np.float64(i - first - ones)
            sums[2] += np.float64(ones)
        if (
            i < end
            and ones < i - first
            and (positive[i] == 1 or (i + 1 < end and scores[i + 1] == scores[i]))
        ):
            height = _push(
                hull,
                height,
                np.float64(i),
                sums[0] + sums[1],
                sums[2] + sums[3],
                room,
            )
    return height


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _bulges(positive: Labels, begin: Floats, low: Floats, high: Floats) -> bool:
    """Return whether some row of a stretch lies beyond the edge of the hull of the stretches.

    Without a branch on labels: most stretches near the edge have no such row.
    """
    right = np.int64(high[POSITIVES] - low[POSITIVES])
    up = np.int64(high[NEGATIVES] - low[NEGATIVES])
    beyond = right * np.int64(begin[NEGATIVES] - low[NEGATIVES])
    beyond -= up * np.int64(begin[POSITIVES] - low[POSITIVES])
    furthest = np.int64(0)
    for i in range(positive.size):
        beyond += right - np.int64(positive[i]) * (right + up)
        furthest = max(furthest, beyond)
    return bool(furthest > 0)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _hull(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    room: float,
    ends: Floats,
    coarse: Floats,
    fine: Floats,
    sums: Floats,
) -> int:
    """Put the corners of the hull into `fine`; return how many."""
    stretches = _lay_out(scores, positive, weight, sums, ends)
    coarse_height = 0
    for s in range(stretches + 1):
        coarse_height = _push(
            coarse, coarse_height, ends[s, EXAMPLES], ends[s, NEGATIVES], ends[s, POSITIVES], room
        )
    height = _push(fine, 0, 0.0, 0.0, 0.0, room)
    edge = 1
    for s in range(stretches):
        start, stop = ends[s], ends[s + 1]
        while coarse[edge, EXAMPLES] < stop[EXAMPLES]:
            edge += 1
        low, high = coarse[edge - 1], coarse[edge]
        rise = (high[NEGATIVES] - low[NEGATIVES]) * (start[POSITIVES] - low[POSITIVES])
        run = (high[POSITIVES] - low[POSITIVES]) * (stop[NEGATIVES] - low[NEGATIVES])
        rows = positive[int(start[EXAMPLES]) : int(stop[EXAMPLES])]
        if rise < run and (weight is not None or _bulges(rows, start, low, high)):
            height = _refine(scores, positive, weight, start, stop, fine, height, room, sums)
        if stop[EXAMPLES] == high[EXAMPLES]:
            height = _push(fine, height, stop[EXAMPLES], stop[NEGATIVES], stop[POSITIVES], room)
    return height


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _away(
    scores: Floats, weight: Weights, begin: int, end: int, share: float
) -> tuple[float, float]:
    """Sum distances of the scores from a share of positives, and their squares."""
    total = squares = 0.0
    part = scores[begin:end]
    for i in range(part.size):
        mass = 1.0 if weight is None else weight[begin + i]
        away = part[i] - share
        total += mass * away
        squares += mass * away * away
    return total, squares


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _losses(neg: float, pos: float, log_rest: float, beta: float) -> float:
    """Return a segment's expected loss: of negatives at costs below its share, else of positives.

    Integrals of c and 1 - c under Beta(2, beta), by parts: nothing cancels for rare positives.
    `log_rest` is the logarithm of the share of negatives.
    """
    share = pos / (pos + neg)
    decided = 0.0
    if share > 0.0:
        growth = np.log1p(beta * share * (1 + (beta + 1) * share / 2))
        decided = -2 / (beta + 2) * np.expm1(beta * log_rest + growth)
    missed = beta / (beta + 2) * np.exp((beta + 1) * log_rest) * (1 + (beta + 1) * share)
    return neg * decided + pos * missed


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def hull_facts(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    p: float,
    n: float,
    whole: bool,
    calibration: bool,
    ends: Floats,
    coarse: Floats,
    fine: Floats,
    out: Floats,
) -> None:
    """Fill the facts of the hull."""
    inside = np.empty(4)
    room = 0.0 if whole else CLOSE
    corners = _hull(scores, positive, weight, room, ends, coarse, fine, inside)
    sums = np.zeros(2 * HULL_COLUMNS)
    for c in range(1, corners):
        if weight is None:
            neg = fine[c, NEGATIVES] - fine[c - 1, NEGATIVES]
            pos = fine[c, POSITIVES] - fine[c - 1, POSITIVES]
        else:
            inside[:] = 0.0
            for i in range(int(fine[c - 1, EXAMPLES]), int(fine[c, EXAMPLES])):
                add(inside, 2 * np.int64(positive[i]), weight[i])
            neg, pos = inside[0] + inside[1], inside[2] + inside[3]
        add(sums, 2 * AREA, neg * (p - fine[c, POSITIVES] + 0.5 * pos))
        log_rest = -np.log1p(pos / neg) if pos > 0.0 else 0.0
        add(sums, 2 * LOSS, _losses(neg, pos, log_rest, 1 + n / p))
        if neg > 0.0 and pos > 0.0:
            add(sums, 2 * SQUARES, pos * neg / (pos + neg))
            add(sums, 2 * LOGS, pos * np.log1p(neg / pos) - neg * log_rest)
        if calibration:
            share = pos / (pos + neg)
            inside[:] = 0.0
            end = int(fine[c, EXAMPLES])
            for begin in range(int(fine[c - 1, EXAMPLES]), end, STEP):
                total, squares = _away(scores, weight, begin, min(begin + STEP, end), share)
                add(inside, 0, total)
                add(inside, 2, squares)
            away = inside[0] + inside[1]
            add(sums, 2 * DEVIATION, inside[2] + inside[3])
            add(sums, 2 * BIAS, away * (away / (pos + neg)))
    for column in range(HULL_COLUMNS):
        out[column] = sums[2 * column] + sums[2 * column + 1]
    out[AREA] = out[AREA] / p / n
    out[LOSS] = out[LOSS] / (p + n) if p > 0.0 and n > 0.0 else np.nan
