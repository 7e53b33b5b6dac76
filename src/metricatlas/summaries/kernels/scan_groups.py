"""The stream of tie groups: ordered scores, compressed to distinct ones, a cache's worth at once.

Every fact of a ranking reads groups: a distinct score, its mass of negatives and of positives, and
the masses above it. Ties, weights and long rows end here; the facts' loops see short plain arrays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
Weights = Floats | None
#: Numba counts in 64 bits, whether or not Python knows.
Int = int | np.int64

#: Groups in a block: its lines stay in the L1 cache.
GROUPS = 512
#: Lines of a block. Masses below a group g and at or above it have one entry more than the rest:
#: `[g + 1]` leaves out g itself. They are exactly 0 and the total at the ends. The last line is
#: for whoever needs it.
SCORE, NEGATIVE, POSITIVE, NEGATIVE_BELOW, NEGATIVE_ABOVE, POSITIVE_ABOVE, SPARE = range(7)
#: Columns of the marks, one line a block: where it begins and how many groups it has, the masses
#: below it (compensated pairs) and at or above its begin, and what the stream found in it.
BEGIN, COUNT, BASE, NEGATIVES_FROM, POSITIVES_FROM = 0, 1, 2, 6, 7
AREA, PRECISION = 8, 9
#: The first line also has the masses of the row, as compensated pairs.
TOTAL = 10
MARK_COLUMNS = 14
#: Additions may be regrouped into SIMD lanes; NaN and infinity keep their meaning.
LANES = {"reassoc", "contract", "nsz"}


@njit(cache=True, nogil=True, error_model="numpy")
def new_block() -> Floats:
    """Return scratch for one block."""
    return np.empty((7, GROUPS + 1))


@njit(cache=True, nogil=True, error_model="numpy")
def new_marks(longest: int) -> Floats:
    """Return scratch for the marks of a row; a block holds at least as many rows as groups."""
    return np.empty((longest // GROUPS + 2, MARK_COLUMNS))


@njit(cache=True, nogil=True, error_model="numpy")
def add(sums: Floats, at: Int, term: float) -> None:
    """Add a term to the compensated pair `sums[at], sums[at + 1]` (Neumaier)."""
    old = sums[at]
    new = old + term
    if abs(old) >= abs(term):
        sums[at + 1] += (old - new) + term
    else:
        sums[at + 1] += (term - new) + old
    sums[at] = new


@njit(cache=True, nogil=True, error_model="numpy")
def rest(total: Floats, used: Floats, at: int) -> float:
    """Subtract one compensated pair from another."""
    return (total[at] - used[at]) + (total[at + 1] - used[at + 1])


@njit(cache=True, nogil=True, error_model="numpy")
def count_labels(positive: Labels) -> np.int64:
    """Return how many labels are 1."""
    total = np.int64(0)
    for i in range(positive.size):
        total += np.int64(positive[i])
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def masses(positive: Labels, weight: Weights, total: Floats) -> bool:
    """Fill in the masses of negatives and positives; return whether all weights are whole."""
    total[:] = 0.0
    if weight is None:
        ones = count_labels(positive)
        total[0] = np.float64(positive.size - ones)
        total[2] = np.float64(ones)
        return True
    whole = True
    for i in range(weight.size):
        add(total, 2 * np.int64(positive[i]), weight[i])
        whole = whole and weight[i] == np.floor(weight[i])
    return whole


# Slices instead of offsets: Numba lets every signed offset wrap around, which hinders SIMD.
@njit(cache=True, nogil=True, error_model="numpy")
def has_ties(scores: Floats, begin: int, end: int) -> bool:
    """Return whether neighbours are equal from `begin` up to and with the score at `end`."""
    end = min(end, scores.size - 1)
    left, right = scores[begin:end], scores[begin + 1 : end + 1]
    ties = 0
    for i in range(left.size):
        ties += 1 if left[i] == right[i] else 0
    return ties > 0


@njit(cache=True, nogil=True, error_model="numpy")
def _load_distinct(
    scores: Floats, positive: Labels, total: Floats, below: Floats, block: Floats
) -> None:
    """Fill the block with examples that are groups of their own."""
    score, neg, pos = block[SCORE], block[NEGATIVE], block[POSITIVE]
    neg_below, neg_above = block[NEGATIVE_BELOW], block[NEGATIVE_ABOVE]
    pos_above, spare = block[POSITIVE_ABOVE], block[SPARE]
    count = scores.size
    for g in range(count):
        score[g] = scores[g]
    for g in range(count):
        label = np.float64(positive[g])
        pos[g] = label
        neg[g] = 1.0 - label
    left: Int = int(total[2] - below[2])
    for g in range(count):
        spare[g] = np.float64(left)
        left -= np.int64(positive[g])
    spare[count] = np.float64(left)
    everything = total[0] + total[2] - below[0] - below[2]
    negatives = total[0]
    for g in range(count + 1):
        above = everything - g - spare[g]
        pos_above[g] = spare[g]
        neg_above[g] = above
        neg_below[g] = negatives - above
    below[0], below[2] = neg_below[count], total[2] - pos_above[count]


@njit(cache=True, nogil=True, error_model="numpy")
def _load_tied(
    scores: Floats, positive: Labels, begin: int, total: Floats, below: Floats, block: Floats
) -> tuple[int, int]:
    """Fill the block with groups of equal scores; no branch depends on where groups end."""
    score, neg, pos = block[SCORE], block[NEGATIVE], block[POSITIVE]
    neg_below, neg_above = block[NEGATIVE_BELOW], block[NEGATIVE_ABOVE]
    pos_above = block[POSITIVE_ABOVE]
    tail, labels = scores[begin:], positive[begin:]
    ones_left: Int = int(total[2] - below[2])
    left = int(total[0] - below[0]) + ones_left
    pos_above[0] = np.float64(ones_left)
    neg_above[0] = np.float64(left - ones_left)
    g = i = 0
    final = tail.size - 1
    while i < final and g < GROUPS:
        # What a group writes is written again by its next example, until the group ends.
        ones_left -= np.int64(labels[i])
        score[g] = tail[i]
        pos_above[g + 1] = np.float64(ones_left)
        neg_above[g + 1] = np.float64(left - i - 1 - ones_left)
        g += 1 if tail[i + 1] != tail[i] else 0
        i += 1
    if i == final and g < GROUPS:
        score[g] = tail[i]
        pos_above[g + 1] = neg_above[g + 1] = 0.0
        g += 1
        i += 1
    for k in range(g):
        pos[k] = pos_above[k] - pos_above[k + 1]
        neg[k] = neg_above[k] - neg_above[k + 1]
    for k in range(g + 1):
        neg_below[k] = total[0] - neg_above[k]
    below[0], below[2] = neg_below[g], total[2] - pos_above[g]
    return g, begin + i


@njit(cache=True, nogil=True, error_model="numpy")
def _load_weighted(
    scores: Floats,
    positive: Labels,
    weight: Floats,
    begin: int,
    total: Floats,
    below: Floats,
    block: Floats,
) -> tuple[int, int]:
    """Fill the block with groups of weighted examples; every sum is compensated."""
    g = 0
    i = begin
    group = np.empty(4)
    while True:
        block[NEGATIVE_BELOW, g] = below[0] + below[1]
        block[NEGATIVE_ABOVE, g] = rest(total, below, 0)
        block[POSITIVE_ABOVE, g] = rest(total, below, 2)
        if i == scores.size or g == GROUPS:
            return g, i
        group[:] = 0.0
        value = scores[i]
        while i < scores.size and scores[i] == value:
            at = 2 * np.int64(positive[i])
            add(group, at, weight[i])
            add(below, at, weight[i])
            i += 1
        block[SCORE, g] = value
        block[NEGATIVE, g] = group[0] + group[1]
        block[POSITIVE, g] = group[2] + group[3]
        g += 1


@njit(cache=True, nogil=True, error_model="numpy")
def load(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    begin: int,
    total: Floats,
    below: Floats,
    block: Floats,
) -> tuple[int, int, bool]:
    """Load the groups from `begin` on; `below` moves up to the end of the block.

    Return how many groups, where the next block begins, and whether all are single examples of
    weight 1.
    """
    if weight is not None:
        count, end = _load_weighted(scores, positive, weight, begin, total, below, block)
        return count, end, False
    end = min(begin + GROUPS, scores.size)
    if has_ties(scores, begin, end):
        count, end = _load_tied(scores, positive, begin, total, below, block)
        return count, end, False
    _load_distinct(scores[begin:end], positive[begin:end], total, below, block)
    return end - begin, end, True


@njit(cache=True, nogil=True, error_model="numpy")
def reload(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    marks: Floats,
    wanted: int,
    block: Floats,
    loaded: Positions,
) -> int:
    """Load a block again that the stream has marked, unless it is there; return its groups."""
    if loaded[0] != wanted:
        below = marks[wanted, BASE : BASE + 4].copy()
        total = marks[0, TOTAL : TOTAL + 4]
        begin = int(marks[wanted, BEGIN])
        load(scores, positive, weight, begin, total, below, block)
        loaded[0] = wanted
    return int(marks[wanted, COUNT])
