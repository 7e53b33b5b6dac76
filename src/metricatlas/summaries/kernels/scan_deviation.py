"""Sums of |p - share| over windows: what moves along, and a table of where shares divide scores.

A score counts in steps of 1 / size, which is what a share moves by: whole steps, added up exactly,
and the rest of a step. So the large terms of a window's sum cancel without rounding.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from metricatlas.summaries.kernels.scan_groups import LANES, Floats, Positions, add

#: Windows in a block.
BLOCK = 512
#: Sums of the scores before a row are kept at every so many rows, and completed by adding.
STRIDE = 32
#: Lines of scratch: whole steps and rests of scores that come in and that leave, of the window, and
#: of what lies before it; scratch, and the sums at the begin of the block, compensated pairs.
IN, IN_REST, OUT, OUT_REST, WINDOW, WINDOW_REST, BEFORE, BEFORE_REST, STEPS, STATE = range(10)
LINES = 10
#: Pairs in the last line.
AT_WINDOW, AT_WINDOW_REST, AT_BEFORE, AT_BEFORE_REST = 0, 2, 4, 6


@njit(cache=True, nogil=True, error_model="numpy")
def running(steps: Floats, count: int, out: Floats) -> None:
    """Fill running sums, four at a time so that they do not wait for one another."""
    last = 0.0
    fours = count - count % 4
    for i in range(0, fours, 4):
        one = steps[i]
        two = one + steps[i + 1]
        four = two + (steps[i + 2] + steps[i + 3])
        out[i] = last + one
        out[i + 1] = last + two
        out[i + 2] = last + (two + steps[i + 2])
        last += four
        out[i + 3] = last
    for i in range(fours, count):
        last += steps[i]
        out[i] = last


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def add_up(terms: Floats, count: int) -> float:
    """Return a plain sum, in SIMD lanes."""
    total = 0.0
    for i in range(count):
        total += terms[i]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def subtract(ahead: Floats, behind: Floats, count: int, out: Floats) -> None:
    """Fill differences."""
    for i in range(count):
        out[i] = ahead[i] - behind[i]


@njit(cache=True, nogil=True, error_model="numpy")
def move(state: Floats, at: int, local: Floats, count: int) -> None:
    """Turn sums since the block began into sums; move the compensated pair to the block's end."""
    start = state[at] + state[at + 1]
    end = local[count - 1]
    for i in range(count):
        local[i] += start
    add(state, at, end)


@njit(cache=True, nogil=True, error_model="numpy")
def _split(scores: Floats, size: int, steps: Floats, rests: Floats) -> None:
    """Split scores into whole steps and what is left of a step."""
    for i in range(scores.size):
        scaled = scores[i] * size
        steps[i] = np.floor(scaled)
        rests[i] = scaled - steps[i]


@njit(cache=True, nogil=True, error_model="numpy")
def new_windows(largest: int) -> tuple[Floats, Positions, Floats]:
    """Return scratch for windows up to a size: for blocks of them, and for the table of shares."""
    scratch = np.empty((7 + LINES, BLOCK))
    return scratch, np.empty(largest + 1, np.int64), np.empty((2, largest + 1))


@njit(cache=True, nogil=True, error_model="numpy")
def _tabulate(scores: Floats, size: int, ranks: Positions, ranked: Floats) -> None:
    """For each share j / size: how many scores do not exceed it, and the sum of these in steps."""
    rank = np.uint64(0)
    final = np.uint64(scores.size)
    high = low = lost = 0.0
    for j in range(size + 1):
        share = j / size
        local = 0.0
        while rank < final and scores[rank] <= share:
            scaled = scores[rank] * size
            step = np.floor(scaled)
            high += step
            local += scaled - step
            rank += np.uint64(1)
        before = low
        low = before + (local + lost)
        lost = (local + lost) - (low - before)
        ranks[j] = np.int64(rank)
        ranked[0, j], ranked[1, j] = high, low


@njit(cache=True, nogil=True, error_model="numpy")
def prepare(
    scores: Floats, size: int, ties: bool, lines: Floats, ranks: Positions, ranked: Floats
) -> Floats:
    """Fill the table, and what belongs to the first window.

    Return sums before every so many rows if there are ties: only then a share may lie between two
    entries of the table.
    """
    _tabulate(scores, size, ranks, ranked)
    state = lines[STATE]
    state[:8] = 0.0
    for begin in range(0, size, BLOCK):
        part = scores[begin : min(begin + BLOCK, size)]
        _split(part, size, lines[IN], lines[IN_REST])
        add(state, AT_WINDOW, add_up(lines[IN], part.size))
        add(state, AT_WINDOW_REST, add_up(lines[IN_REST], part.size))
    lines[WINDOW, 0] = state[AT_WINDOW]
    lines[WINDOW_REST, 0] = state[AT_WINDOW_REST] + state[AT_WINDOW_REST + 1]
    lines[BEFORE, 0] = lines[BEFORE_REST, 0] = 0.0
    if not ties:
        return ranked
    out = np.zeros((2, scores.size // STRIDE + 1))
    total = np.zeros(2)
    for s in range(1, out.shape[1]):
        _split(scores[(s - 1) * STRIDE : s * STRIDE], size, lines[IN], lines[IN_REST])
        out[0, s] = out[0, s - 1] + add_up(lines[IN], STRIDE)
        add(total, 0, add_up(lines[IN_REST], STRIDE))
        out[1, s] = total[0] + total[1]
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def slide(ahead: Floats, behind: Floats, size: int, lines: Floats) -> None:
    """Move the sums of windows, and before them, over a block of rows that come in and leave."""
    count, steps, state = ahead.size, lines[STEPS], lines[STATE]
    _split(ahead, size, lines[IN], lines[IN_REST])
    _split(behind, size, lines[OUT], lines[OUT_REST])
    subtract(lines[IN], lines[OUT], count, steps)
    running(steps, count, lines[WINDOW])
    move(state, AT_WINDOW, lines[WINDOW], count)
    subtract(lines[IN_REST], lines[OUT_REST], count, steps)
    running(steps, count, lines[WINDOW_REST])
    move(state, AT_WINDOW_REST, lines[WINDOW_REST], count)
    running(lines[OUT], count, lines[BEFORE])
    move(state, AT_BEFORE, lines[BEFORE], count)
    running(lines[OUT_REST], count, lines[BEFORE_REST])
    move(state, AT_BEFORE_REST, lines[BEFORE_REST], count)


@njit(cache=True, nogil=True, error_model="numpy")
def _of_whole_shares(
    shares: Floats,
    count: int,
    first: int,
    size: int,
    lines: Floats,
    ranks: Positions,
    ranked: Floats,
) -> None:
    """Sum |p - share| over each window, in steps, where its positives are a whole number.

    Scores below the share and above it count with opposite signs; the table tells where it divides
    them. The first bracket is exact.
    """
    window, window_rest, out = lines[WINDOW], lines[WINDOW_REST], lines[STEPS]
    before, before_rest = lines[BEFORE], lines[BEFORE_REST]
    whole, rest = ranked[0], ranked[1]
    for i in range(count):
        positives = np.uint64(int(shares[i]))
        below = ranks[positives] - (first + i)
        under = whole[positives] - before[i]
        under_rest = rest[positives] - before_rest[i]
        under = under if below > 0 else 0.0
        under_rest = under_rest if below > 0 else 0.0
        under = under if below < size else window[i]
        under_rest = under_rest if below < size else window_rest[i]
        below = below if below > 0 else 0
        below = below if below < size else size
        exact = shares[i] * np.float64(2 * below - size) + (window[i] - 2.0 * under)
        out[i] = exact + (window_rest[i] - 2.0 * under_rest)


@njit(cache=True, nogil=True, error_model="numpy")
def _of_share(
    i: int,
    positives: float,
    first: int,
    size: int,
    scores: Floats,
    lines: Floats,
    ranks: Positions,
    prefixes: Floats,
) -> float:
    """Sum |p - share| over one window of the block, in steps, whatever the share."""
    whole = int(np.floor(positives))
    left = max(ranks[whole], first)
    right = min(ranks[min(whole + 1, size)], first + size)
    share = positives / size
    while left < right:
        middle = (left + right) // 2
        if scores[middle] > share:
            right = middle
        else:
            left = middle + 1
    below = min(max(left - first, 0), size)
    under = under_rest = 0.0
    if below == size:
        under, under_rest = lines[WINDOW, i], lines[WINDOW_REST, i]
    elif below > 0:
        mark = left // STRIDE
        under, under_rest = prefixes[0, mark], prefixes[1, mark]
        for k in range(mark * STRIDE, left):
            scaled = scores[k] * size
            under += np.floor(scaled)
            under_rest += scaled - np.floor(scaled)
        under -= lines[BEFORE, i]
        under_rest -= lines[BEFORE_REST, i]
    exact = positives * (2.0 * below - size) + (lines[WINDOW, i] - 2.0 * under)
    return exact + (lines[WINDOW_REST, i] - 2.0 * under_rest)


@njit(cache=True, nogil=True, error_model="numpy")
def _all_whole(shares: Floats, count: int) -> bool:
    """Round what is a whole number but for rounding; return whether all are."""
    fractions = 0
    for i in range(count):
        near = np.rint(shares[i])
        close = abs(shares[i] - near) < 1e-9
        shares[i] = near if close else shares[i]
        fractions += 0 if close else 1
    return fractions == 0


@njit(cache=True, nogil=True, error_model="numpy")
def deviations(
    scores: Floats,
    shares: Floats,
    count: int,
    first: int,
    size: int,
    ties: bool,
    lines: Floats,
    ranks: Positions,
    ranked: Floats,
    prefixes: Floats,
) -> tuple[float, float]:
    """Add up sums of |p - share| over a block of windows but the last; return it and the last."""
    out = lines[STEPS]
    whole = not ties or _all_whole(shares, count)
    _of_whole_shares(shares, count, first, size, lines, ranks, ranked)
    for i in range(0 if whole else count):
        if shares[i] != np.floor(shares[i]):
            out[i] = _of_share(i, shares[i], first + i, size, scores, lines, ranks, prefixes)
    return add_up(out, count - 1) / size, out[count - 1] / size
