"""Windows of neighbours where examples come in groups: whole weights, or many ties.

A window that slides within one group at either end changes evenly, so a whole piece of its way is
summed in closed form: the work depends on the number of groups, not on their masses.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from metricatlas.summaries.kernels.scan_groups import Floats, Labels, Weights, add

#: Columns, one line a group: score, and below it mass, positives, and sum of distances from CENTRE,
#: each but the score in two parts. Masses are whole numbers, so that one part holds them.
SCORE, MASS, POSITIVES, TOTAL = 0, 1, 3, 5
CENTRE = 0.5


@njit(cache=True, nogil=True, error_model="numpy")
def groups_of(scores: Floats, positive: Labels, weight: Weights, groups: int) -> Floats:
    """Return the groups of a row, with one line more for what is below the top."""
    out = np.empty((groups + 1, 7))
    sums = np.zeros(6)
    at = -1
    for i in range(scores.size):
        if i == 0 or scores[i] != scores[i - 1]:
            at += 1
            out[at, SCORE] = scores[i]
            out[at, 1:] = sums
        mass = 1.0 if weight is None else weight[i]
        add(sums, 0, mass)
        add(sums, 2, mass * np.float64(positive[i]))
        add(sums, 4, mass * (scores[i] - CENTRE))
    out[groups, SCORE] = np.inf
    out[groups, 1:] = sums
    return out


@njit(cache=True, nogil=True, error_model="numpy")
def _rate(groups: Floats, column: int, group: int) -> float:
    """What each row of a group adds to a cumulative column."""
    if column == TOTAL:
        return groups[group, SCORE] - CENTRE
    mass = groups[group + 1, MASS] - groups[group, MASS]
    return (groups[group + 1, POSITIVES] - groups[group, POSITIVES]) / mass


@njit(cache=True, nogil=True, error_model="numpy")
def _between(groups: Floats, column: int, first: int, start: float, last: int, end: float) -> float:
    """What lies between two places, each in or at the begin of a group."""
    if first == last:
        return (end - start) * _rate(groups, column, first)
    begins = groups[first + 1, MASS]
    whole = (groups[last, column] - groups[first + 1, column]) + (
        groups[last, column + 1] - groups[first + 1, column + 1]
    )
    parts = (begins - start) * _rate(groups, column, first)
    if end > groups[last, MASS]:
        parts += (end - groups[last, MASS]) * _rate(groups, column, last)
    return whole + parts


@njit(cache=True, nogil=True, error_model="numpy")
def _split(groups: Floats, share: float, near: int, first: int, last: int) -> int:
    """Return the first group in [first, last] whose score exceeds the share, or last + 1."""
    step = 1
    left = min(max(near, first), last + 1)
    right = left
    while left > first and groups[left - 1, SCORE] > share:
        left = max(left - step, first)
        step *= 2
    step = 1
    while right <= last and groups[right, SCORE] <= share:
        right = min(right + step, last + 1)
        step *= 2
    while left < right:
        middle = (left + right) // 2
        if groups[middle, SCORE] > share:
            right = middle
        else:
            left = middle + 1
    return left


@njit(cache=True, nogil=True, error_model="numpy")
def _deviation(
    groups: Floats, first: int, last: int, split: int, place: float, size: float
) -> float:
    """Sum |p - share| over the window at a place, with the groups below `split` below the share."""
    total = _between(groups, TOTAL, first, place, last, place + size)
    share = _between(groups, POSITIVES, first, place, last, place + size) / size - CENTRE
    if split <= first:
        return total - share * size
    if split > last:
        return share * size - total
    below = groups[split, MASS] - place
    low = _between(groups, TOTAL, first, place, split, groups[split, MASS])
    return share * (below - (size - below)) + (total - 2.0 * low)


@njit(cache=True, nogil=True, error_model="numpy")
def _even_sum(at_first: float, at_last: float, steps: float) -> float:
    """Sum of sizes of evenly spaced numbers, `steps` of them."""
    if steps == 1.0:
        return abs(at_first)
    if at_first * at_last >= 0.0:
        return 0.5 * steps * abs(at_first + at_last)
    slope = (at_last - at_first) / (steps - 1)
    turn = np.floor(-at_first / slope)
    before = 0.5 * (turn + 1) * abs(at_first + (at_first + slope * turn))
    after = steps - (turn + 1)
    return before + 0.5 * after * abs(at_last + (at_first + slope * (turn + 1)))


@njit(cache=True, nogil=True, error_model="numpy")
def _piece_deviation(
    groups: Floats,
    first: int,
    last: int,
    place: float,
    size: float,
    steps: float,
    split: int,
    sums: Floats,
) -> int:
    """Add the deviations of the windows of one piece; return where its last share divides."""
    rate_low = (groups[first + 1, POSITIVES] - groups[first, POSITIVES]) / (
        groups[first + 1, MASS] - groups[first, MASS]
    )
    rate_high = (groups[last + 1, POSITIVES] - groups[last, POSITIVES]) / (
        groups[last + 1, MASS] - groups[last, MASS]
    )
    slope = (rate_high - rate_low) / size
    done = 0.0
    while done < steps:
        start = place + done
        share = _between(groups, POSITIVES, first, start, last, start + size) / size
        split = _split(groups, share, split, first, last)
        length = steps - done
        if slope > 0.0 and split <= last:
            length = min(length, max(np.floor((groups[split, SCORE] - share) / slope), 0.0) + 1)
        elif slope < 0.0 and split > first:
            length = min(length, max(np.floor((groups[split - 1, SCORE] - share) / slope), 0.0) + 1)
        value = _deviation(groups, first, last, split, start, size)
        if length > 1.0:
            end = _deviation(groups, first, last, split, start + (length - 1), size)
            middle = _deviation(groups, first, last, split, start + 0.5 * (length - 1), size)
            # Twice the curvature: the share moves, and so does what lies below it at both ends.
            below_moves = -2.0 if first < split <= last else 0.0
            bend = slope * below_moves
            value = length * (value + 4.0 * middle + end) / 6.0 + bend * length * (length - 1) / 6.0
        add(sums, 2, value)
        done += length
    return split


@njit(cache=True, nogil=True, error_model="numpy")
def windows_of_groups(groups: Floats, size: float, deviation: bool, out: Floats) -> None:
    """As `windows` in rows: each group is as many rows as its mass says."""
    count = groups.shape[0] - 1
    total = groups[count, MASS]
    sums = np.zeros(4)
    first = last = split = 0
    place = 0.0
    while last + 1 < count and groups[last + 1, MASS] < size:
        last += 1
    windows = total - size + 1
    out[2] = np.nan
    while place < windows:
        while groups[first + 1, MASS] <= place:
            first += 1
        while last + 1 < count and groups[last + 1, MASS] <= place + size:
            last += 1
        # The window may end with its group: the next piece begins there.
        steps = min(
            groups[first + 1, MASS] - place, max(groups[last + 1, MASS] - (place + size), 0.0)
        )
        steps = max(min(steps, windows - place), 1.0)
        at_first = _gap(groups, first, last, place, size)
        at_last = _gap(groups, first, last, place + (steps - 1), size)
        add(sums, 0, _even_sum(at_first, at_last, steps))
        if place + 1.0 == windows and windows > 1.0:  # the last, which is not printed
            out[2] = (sums[2] + sums[3]) / (windows - 1.0)
        if deviation:
            split = _piece_deviation(groups, first, last, place, size, steps, split, sums)
        place += steps
    out[0] = (sums[0] + sums[1]) / size / windows
    out[1] = (sums[2] + sums[3]) / size / windows


@njit(cache=True, nogil=True, error_model="numpy")
def _gap(groups: Floats, first: int, last: int, place: float, size: float) -> float:
    """Positives of a window less its sum of scores."""
    positives = _between(groups, POSITIVES, first, place, last, place + size)
    return (positives - CENTRE * size) - _between(groups, TOTAL, first, place, last, place + size)
