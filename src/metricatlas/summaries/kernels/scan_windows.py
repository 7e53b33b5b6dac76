"""Windows of neighbours in order of probability, where rows weigh 1 and few are tied.

Sums over a window move along with it: compensated from block to block, plain within one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from metricatlas.summaries.kernels.scan_deviation import (
    BLOCK,
    add_up,
    deviations,
    move,
    prepare,
    running,
    slide,
    subtract,
)
from metricatlas.summaries.kernels.scan_groups import (
    LANES,
    Floats,
    Labels,
    add,
    count_labels,
    has_ties,
)

#: Compensated pairs: of the window its positives less its scores, and its positives; the results.
GAP, SHARES, GAPS, DEVIATIONS = 0, 2, 4, 6
STATES = 8


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _shares(
    scores: Floats, positive: Labels, begin: int, end: int, ties: bool, group: Floats, out: Floats
) -> None:
    """Fill the label of each row, or the mean label of its tie; `group` is the tie's end and mean.

    Calls go through a row from its begin to its end.
    """
    labels = positive[begin:end]
    for i in range(labels.size):
        out[i] = np.float64(labels[i])
    if not ties or (group[0] <= begin and not has_ties(scores, begin, end)):
        return
    here = scores[begin : min(end + 1, scores.size)]
    i = 0
    while i < labels.size:
        if begin + i >= group[0]:
            if i + 1 >= here.size or here[i] != here[i + 1]:
                i += 1
                continue
            last = begin + i + 2
            while last < scores.size and scores[last] == here[i]:
                last += 1
            group[0] = last
            group[1] = np.float64(count_labels(positive[begin + i : last])) / (last - begin - i)
        out[i] = group[1]
        i += 1


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _add_sizes(terms: Floats, count: int) -> float:
    total = 0.0
    for i in range(count):
        total += abs(terms[i])
    return total


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def windows(
    scores: Floats,
    positive: Labels,
    size: int,
    deviation: bool,
    ties: bool,
    scratch: Floats,
    table: Floats,
    bases: Floats,
    out: Floats,
) -> None:
    """Fill the means over all windows of |share - mean p| and, if wanted, of mean |p - share|.

    The third is as printed: sums of |p - share|, and without the last window. The first window is
    what remains when as many rows have come in, and none has left.
    """
    n = scores.size
    lead, trail, steps, gaps, shares = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    state = scratch[5, :STATES]
    lead_group, trail_group = scratch[6, :2], scratch[6, 2:4]
    scratch[5:7, :STATES] = 0.0
    for begin in range(0, size, BLOCK):
        end = min(begin + BLOCK, size)
        _shares(scores, positive, begin, end, ties, lead_group, lead)
        add(state, SHARES, add_up(lead, end - begin))
        subtract(lead, scores[begin:end], end - begin, steps)
        add(state, GAP, add_up(steps, end - begin))
    gaps[0], shares[0] = state[GAP] + state[GAP + 1], state[SHARES] + state[SHARES + 1]
    prefixes = prepare(scores, size, ties, scratch[7:], table, bases) if deviation else table
    count, first, final = 1, 0, 0.0
    while True:
        add(state, GAPS, _add_sizes(gaps, count))
        if deviation:
            add(state, DEVIATIONS, final)
            total, final = deviations(
                scores, shares, gaps, count, first, size, ties, scratch[7:], table, prefixes
            )
            add(state, DEVIATIONS, total)
        first += count
        if first > n - size:
            break
        count = min(BLOCK, n - size + 1 - first)
        begin = first - 1  # the row that leaves first
        ahead, behind = scores[begin + size : begin + size + count], scores[begin : begin + count]
        _shares(scores, positive, begin + size, begin + size + count, ties, lead_group, lead)
        _shares(scores, positive, begin, begin + count, ties, trail_group, trail)
        for i in range(count):
            steps[i] = (lead[i] - trail[i]) - (ahead[i] - behind[i])
        running(steps, count, gaps)
        move(state, GAP, gaps, count)
        if deviation:
            subtract(lead, trail, count, steps)
            running(steps, count, shares)
            move(state, SHARES, shares, count)
            slide(behind, scratch[7:])
    out[0] = (state[GAPS] + state[GAPS + 1]) / size / (n - size + 1)
    without = state[DEVIATIONS] + state[DEVIATIONS + 1]
    out[1] = (without + final) / size / (n - size + 1)
    out[2] = without / (n - size) if n > size else np.nan
