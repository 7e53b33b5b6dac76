"""Sums of |p - share| over windows: a table tells where each share divides the scores.

Of the scores in order only those below the share have the other sign, so that what the window's sum
of p - share lacks is twice what these are away from it: a difference of two sums of leading scores.
Those are kept in two parts, so that they lose nothing however many scores there are.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from metricatlas.summaries.kernels.scan_groups import LANES, Floats, add

#: Windows in a block, and scores whose sums are plain before they are compensated.
BLOCK = 512
#: Where there are ties, sums of leading scores are kept at every so many rows.
STRIDE = 32
#: Lines of scratch: sums of the scores that left since the block began; what the table has for each
#: window; results; a pair of sums.
BEFORE, RANKS, RESULTS, STATE = range(4)
LINES = 4
#: A line that holds something else first: at which share each score of a block writes.
PLACES = RESULTS
#: Lines of the table: how many scores do not exceed a share, and the sum of these in two parts.
RANK, SUM, REST = range(3)
#: In the last line of scratch: the sum of what left before the block began, a pair, and in it.
BASE, LEFT = 0, 2


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
def new_windows(largest: int, longest: int) -> tuple[Floats, Floats, Floats]:
    """Return scratch for windows up to a size: for blocks, the table, and sums before blocks."""
    scratch = np.empty((7 + LINES, BLOCK))
    return scratch, np.empty((3, largest + 1)), np.empty((2, longest // BLOCK + 1))


@njit(cache=True, nogil=True, error_model="numpy")
def _leading(scores: Floats, line: Floats) -> Floats:
    """Return the sums of the scores before every so many rows, each in two parts."""
    out = np.zeros((2, scores.size // STRIDE + 1))
    state = np.zeros(2)
    for mark in range(1, out.shape[1]):
        running(scores[(mark - 1) * STRIDE : mark * STRIDE], STRIDE, line)
        add(state, 0, line[STRIDE - 1])
        out[0, mark], out[1, mark] = state[0], state[1]
    return out


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _tabulate(scores: Floats, size: int, table: Floats, bases: Floats, lines: Floats) -> None:
    """For each share j / size: how many scores do not exceed it, and the sum of these in two parts.

    Each score first writes at the lowest share that is not below it; the last one stays.
    """
    ranks, whole, rest, line = table[RANK], table[SUM], table[REST], lines[BEFORE]
    ranks[: size + 1] = 0.0
    places, state = lines[PLACES].view(np.uint64), lines[STATE, :2]
    state[:] = 0.0
    for begin in range(0, scores.size, BLOCK):
        part = scores[begin : min(begin + BLOCK, scores.size)]
        bases[0, begin // BLOCK], bases[1, begin // BLOCK] = state[0], state[1]
        running(part, part.size, line)
        add(state, 0, line[part.size - 1])
        for i in range(part.size):
            scaled = part[i] * size
            under = np.int64(scaled)
            places[i] = np.uint64(under + (1 if under < scaled else 0))
        for i in range(part.size):
            ranks[places[i]] = begin + i + 1
            rest[places[i]] = line[i]
    rank = high = low = 0.0
    for j in range(size + 1):
        if ranks[j] > 0.0:
            rank = ranks[j]
            block = (int(rank) - 1) // BLOCK
            before, local = bases[0, block], rest[j]
            high = before + local
            shadow = high - before
            low = bases[1, block] + ((before - (high - shadow)) + (local - shadow))
        ranks[j], whole[j], rest[j] = rank, high, low


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def prepare(
    scores: Floats, size: int, ties: bool, lines: Floats, table: Floats, bases: Floats
) -> Floats:
    """Fill the table, and what belongs to the first window.

    Return sums before every so many rows if there are ties: only then a share may lie between two
    entries of the table.
    """
    _tabulate(scores, size, table, bases, lines)
    lines[STATE, :3] = 0.0
    lines[BEFORE, 0] = 0.0
    return _leading(scores, lines[RESULTS]) if ties else table


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def slide(behind: Floats, lines: Floats) -> None:
    """Move over a block of rows that leave the window, one after the other."""
    state = lines[STATE]
    add(state, BASE, state[LEFT])
    running(behind, behind.size, lines[BEFORE])
    state[LEFT] = lines[BEFORE, behind.size - 1]


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _of_whole_shares(
    shares: Floats,
    gaps: Floats,
    count: int,
    first: int,
    size: int,
    lines: Floats,
    table: Floats,
) -> None:
    """Sum |p - share| over each window where its positives are a whole number."""
    before, rank, out = lines[BEFORE], lines[RANKS], lines[RESULTS]
    ranks, whole, rest = table[RANK], table[SUM], table[REST]
    base, base_rest = lines[STATE, BASE], lines[STATE, BASE + 1]
    # Looked up first, so that the rest runs in SIMD lanes.
    for i in range(count):
        positives = np.uint32(shares[i])
        rank[i] = ranks[positives]
        out[i] = (whole[positives] - base) + (rest[positives] - base_rest)
    step, all_, start = 1.0 / size, np.float64(size), np.float64(first)
    for i in range(count):
        below = rank[i] - start - np.float64(np.int32(i))
        away = 2.0 * (shares[i] * below * step - (out[i] - before[i])) - gaps[i]
        inside = (below > 0.0) & (below < all_)
        out[i] = away if inside else abs(gaps[i])


@njit(cache=True, nogil=True, error_model="numpy")
def _of_share(
    i: int,
    positives: float,
    gap: float,
    first: int,
    size: int,
    scores: Floats,
    lines: Floats,
    table: Floats,
    prefixes: Floats,
) -> float:
    """Sum |p - share| over one window of the block, whatever the share."""
    whole = int(np.floor(positives))
    left = max(int(table[RANK, whole]), first)
    right = min(int(table[RANK, min(whole + 1, size)]), first + size)
    share = positives / size
    while left < right:
        middle = (left + right) // 2
        if scores[middle] > share:
            right = middle
        else:
            left = middle + 1
    if not first < left < first + size:
        return abs(gap)
    mark = left // STRIDE
    under = (prefixes[0, mark] - lines[STATE, BASE]) + (prefixes[1, mark] - lines[STATE, BASE + 1])
    under -= lines[BEFORE, i]
    for k in range(mark * STRIDE, left):
        under += scores[k]
    return 2.0 * (share * (left - first) - under) - gap


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _all_whole(shares: Floats, count: int) -> bool:
    """Round what is a whole number but for rounding; return whether all are."""
    fractions = 0
    for i in range(count):
        near = np.rint(shares[i])
        close = abs(shares[i] - near) < 1e-9
        shares[i] = near if close else shares[i]
        fractions += 0 if close else 1
    return fractions == 0


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def deviations(
    scores: Floats,
    shares: Floats,
    gaps: Floats,
    count: int,
    first: int,
    size: int,
    ties: bool,
    lines: Floats,
    table: Floats,
    prefixes: Floats,
) -> tuple[float, float]:
    """Add up sums of |p - share| over a block of windows but the last; return it and the last."""
    out = lines[RESULTS]
    whole = not ties or _all_whole(shares, count)
    _of_whole_shares(shares, gaps, count, first, size, lines, table)
    for i in range(0 if whole else count):
        if shares[i] != np.floor(shares[i]):
            out[i] = _of_share(
                i, shares[i], gaps[i], first + i, size, scores, lines, table, prefixes
            )
    return add_up(out, count - 1), out[count - 1]
