"""Sort scores and carry a payload, in Numba: a distribution sort in cache-sized steps.

NumPy's AVX-512 sort leans on an instruction that Zen 4 runs as microcode, so we bring our own. A
long row is dealt once into buckets that fit the cache; a bucket is dealt into about as many cells
as it has scores; an insertion sort finishes. What stays crowded is dealt again by the bits of its
scores: such a step takes at least six of the 64 bits, so eleven steps are the worst case, and
nothing is quadratic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

Scores = npt.NDArray[np.float64]
Payload = npt.NDArray[Any]
Counters = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Positions = npt.NDArray[np.int64]

CROWDED = 24  # below this an insertion sort beats a deal, and a cell counts as crowded above it
# A piece this long is dealt straight into cells: all of it, counters too, fits the L2 cache.
SMALL = 4096
BUCKET = 512  # scores aimed at in a bucket of a long piece: its own deal runs inside the L1 cache
BUCKETS = 4096  # more write streams than this overflow the TLB and the L2 cache
FEWEST_CELLS = 64  # so that one deal by bits takes six bits at least
SMALLEST_SPAN = 1e-290  # a narrower range could make the number of cells per unit infinite
SIGN_FREE = np.int64(0x7FFF_FFFF_FFFF_FFFF)


@njit(cache=True, nogil=True)
def new_cells() -> Counters:
    """Return the scratch that `sort_row` counts in: one a thread, for any number of rows."""
    return np.empty(SMALL, np.int32)


# Finite scores make `nnan` exact, and equal zeros may be swapped here: only the range is read off.
@njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})
def _bounds(source: Scores) -> tuple[float, float]:
    """Return the smallest and the largest score."""
    low = source[0]
    high = low
    for i in range(source.size):
        score = source[i]
        low = score if score < low else low
        high = score if score > high else high
    return low, high


@njit(cache=True, nogil=True)
def _ordered_bits(score: float) -> np.int64:
    """Return an integer that orders as the score does; adding 0.0 makes both zeros one."""
    bits = np.float64(score + 0.0).view(np.int64)
    return bits ^ SIGN_FREE if bits < 0 else bits


@njit(cache=True, nogil=True)
def _bit_shift(low: float, high: float, wanted: int) -> np.uint64:
    """Return the shift that brings every difference of ordered bits below `wanted`."""
    span = np.uint64(_ordered_bits(high)) - np.uint64(_ordered_bits(low))
    shift = np.uint64(0)
    while (span >> shift) >= np.uint64(wanted):
        shift += np.uint64(1)
    return shift


@njit(cache=True, nogil=True)
def _cell_by_value(score: float, low: float, scale: float) -> np.uint64:
    """Cells of equal width. Unsigned, because Numba checks signed indices for wrapping."""
    return np.uint64(np.int64((score - low) * scale))


@njit(cache=True, nogil=True)
def _cell_by_bits(score: float, low_bits: np.uint64, shift: np.uint64) -> np.uint64:
    """Cells of equal width in the order of floats, so a geometric spread comes out even."""
    return (np.uint64(_ordered_bits(score)) - low_bits) >> shift


@njit(cache=True, nogil=True)
def _counts_to_starts(cells: Counters) -> int:
    """Turn the counts into first positions; return the fullest count."""
    fullest = 0
    position = 0
    for cell in range(cells.size):
        count = cells[cell]
        cells[cell] = position
        position += count
        fullest = max(fullest, count)
    return fullest


@njit(cache=True, nogil=True)
def _deal_by_value(
    source: Scores,
    labels: Payload,
    out: Scores,
    out_labels: Payload,
    cells: Counters,
    low: float,
    scale: float,
) -> int:
    """Deal into cells of equal width."""
    for i in range(source.size):
        cells[_cell_by_value(source[i], low, scale)] += 1
    fullest = _counts_to_starts(cells)
    for i in range(source.size):
        score = source[i]
        cell = _cell_by_value(score, low, scale)
        position = np.uint64(cells[cell])
        cells[cell] += 1
        out[position] = score
        out_labels[position] = labels[i]
    return fullest


@njit(cache=True, nogil=True)
def _deal_by_bits(
    source: Scores,
    labels: Payload,
    out: Scores,
    out_labels: Payload,
    cells: Counters,
    low: float,
    shift: np.uint64,
) -> int:
    """Deal into cells of equal ranges of ordered bits."""
    low_bits = np.uint64(_ordered_bits(low))
    for i in range(source.size):
        cells[_cell_by_bits(source[i], low_bits, shift)] += 1
    fullest = _counts_to_starts(cells)
    for i in range(source.size):
        score = source[i]
        cell = _cell_by_bits(score, low_bits, shift)
        position = np.uint64(cells[cell])
        cells[cell] += 1
        out[position] = score
        out_labels[position] = labels[i]
    return fullest


@njit(cache=True, nogil=True)
def _deal(
    source: Scores,
    labels: Payload,
    out: Scores,
    out_labels: Payload,
    cells: Counters,
    low: float,
    high: float,
    by_value: bool,
) -> int:
    """Deal by value where that is asked for and the range allows it, by bits otherwise.

    `cells` then holds the end of each cell. Return the size of the fullest.
    """
    cells[:] = 0
    span = high - low
    if by_value and SMALLEST_SPAN < span < np.inf:
        scale = (cells.size - 1) / span
        return _deal_by_value(source, labels, out, out_labels, cells, low, scale)
    shift = _bit_shift(low, high, cells.size)
    return _deal_by_bits(source, labels, out, out_labels, cells, low, shift)


@njit(cache=True, nogil=True)
def _copy(source: Scores, labels: Payload, out: Scores, out_labels: Payload) -> None:
    """Copy in plain loops, which vectorise; assigning slices would check for overlap first."""
    for i in range(source.size):
        out[i] = source[i]
    for i in range(source.size):
        out_labels[i] = labels[i]


@njit(cache=True, nogil=True)
def _order_neighbours(out: Scores, out_labels: Payload) -> None:
    """Exchange the members of each pair (0, 1), (2, 3), ... that is out of order, branch-free."""
    for pair in range(out.size // 2):
        i = np.uint64(2) * np.uint64(pair)
        j = i + np.uint64(1)
        left, right = out[i], out[j]
        left_label, right_label = out_labels[i], out_labels[j]
        swap = left > right
        out[i] = right if swap else left
        out[j] = left if swap else right
        out_labels[i] = right_label if swap else left_label
        out_labels[j] = left_label if swap else right_label


@njit(cache=True, nogil=True)
def _settle(out: Scores, out_labels: Payload) -> None:
    """Sort what is nearly in order, by insertion; a run of equal scores costs its length.

    Three rounds over neighbours, which are SIMD, first spare most of the mispredicted branches.
    """
    _order_neighbours(out, out_labels)
    _order_neighbours(out[1:], out_labels[1:])
    _order_neighbours(out, out_labels)
    for i in range(1, out.size):
        score = out[i]
        if out[i - 1] > score:
            label = out_labels[i]
            hole = i
            while hole > 0 and out[hole - 1] > score:
                out[hole] = out[hole - 1]
                out_labels[hole] = out_labels[hole - 1]
                hole -= 1
            out[hole] = score
            out_labels[hole] = label


@njit(cache=True, nogil=True)
def _finish_cells(
    out: Scores, out_labels: Payload, begin: int, cells: Counters, todo: Positions, top: int
) -> int:
    """Settle a piece dealt from `begin` on; push what is too full on `todo`; return its height."""
    unsettled = begin
    first = begin
    for cell in range(cells.size):
        end = begin + cells[cell]
        if end - first > CROWDED:
            low, high = _bounds(out[first:end])
            if low < high:
                _settle(out[unsettled:first], out_labels[unsettled:first])
                unsettled = end
                todo[top], todo[top + 1] = first, end
                top += 2
        first = end
    _settle(out[unsettled:first], out_labels[unsettled:first])
    return top


@njit(cache=True, nogil=True)
def _sort_crowded(out: Scores, out_labels: Payload, cells: Counters, scratch: Counters) -> None:
    """Finish a dealt small piece with crowded cells: those are dealt again, by bits."""
    todo = np.empty(2 * (SMALL // CROWDED + 1), np.int64)
    top = _finish_cells(out, out_labels, 0, cells, todo, 0)
    if top == 0:
        return
    spare = np.empty(out.size, np.float64)
    spare_labels = np.empty(out.size, out_labels.dtype)
    while top > 0:
        top -= 2
        begin, end = todo[top], todo[top + 1]
        count = end - begin
        piece, labels = out[begin:end], out_labels[begin:end]
        low, high = _bounds(piece)
        _copy(piece, labels, spare, spare_labels)
        again = scratch[: max(FEWEST_CELLS, count)]
        _deal(spare[:count], spare_labels, piece, labels, again, low, high, False)
        top = _finish_cells(out, out_labels, begin, again, todo, top)


@njit(cache=True, nogil=True)
def _sort_small(
    source: Scores, labels: Payload, out: Scores, out_labels: Payload, scratch: Counters
) -> None:
    """Sort at most `SMALL` scores from the source into the output."""
    if source.size <= CROWDED:
        _copy(source, labels, out, out_labels)
        _settle(out, out_labels)
        return
    low, high = _bounds(source)
    if low == high:
        _copy(source, labels, out, out_labels)
        return
    cells = scratch[: max(FEWEST_CELLS, source.size)]
    if _deal(source, labels, out, out_labels, cells, low, high, True) <= CROWDED:
        _settle(out, out_labels)
    else:
        _sort_crowded(out, out_labels, cells, scratch)


@njit(cache=True, nogil=True)
def _finish_buckets(
    out: Scores,
    out_labels: Payload,
    begin: int,
    buckets: Positions,
    spare: Scores,
    spare_labels: Payload,
    scratch: Counters,
    todo: Positions,
    top: int,
) -> int:
    """Sort the small buckets dealt from `begin` on; push the long on `todo`; return its height."""
    first = begin
    for bucket in range(buckets.size):
        end = begin + buckets[bucket]
        count = end - first
        if count > SMALL:
            todo[top], todo[top + 1] = first, end
            top += 2
        elif count > 1:
            piece, labels = out[first:end], out_labels[first:end]
            _copy(piece, labels, spare, spare_labels)
            _sort_small(spare[:count], spare_labels, piece, labels, scratch)
        first = end
    return top


@njit(cache=True, nogil=True)
def _buckets_for(count: int) -> int:
    """Return how many buckets a long piece is dealt into."""
    return min(max(FEWEST_CELLS, count // BUCKET), BUCKETS)


@njit(cache=True, nogil=True)
def _sort_long(
    scores: Scores, payload: Payload, out: Scores, out_labels: Payload, scratch: Counters
) -> None:
    """Deal into buckets and sort each; a bucket that stays long is dealt again, by bits."""
    low, high = _bounds(scores)
    if low == high:
        _copy(scores, payload, out, out_labels)
        return
    ends = np.empty(BUCKETS, np.int64)
    todo = np.empty(2 * (scores.size // SMALL + 1), np.int64)
    spare = np.empty(SMALL, np.float64)
    spare_labels = np.empty(SMALL, out_labels.dtype)
    buckets = ends[: _buckets_for(scores.size)]
    _deal(scores, payload, out, out_labels, buckets, low, high, True)
    top = _finish_buckets(out, out_labels, 0, buckets, spare, spare_labels, scratch, todo, 0)
    while top > 0:
        top -= 2
        begin, end = todo[top], todo[top + 1]
        piece, labels = out[begin:end], out_labels[begin:end]
        low, high = _bounds(piece)
        if low == high:
            continue
        if piece.size > spare.size:
            spare = np.empty(piece.size, np.float64)
            spare_labels = np.empty(piece.size, out_labels.dtype)
        _copy(piece, labels, spare, spare_labels)
        buckets = ends[: _buckets_for(piece.size)]
        _deal(spare[: piece.size], spare_labels, piece, labels, buckets, low, high, False)
        top = _finish_buckets(
            out, out_labels, begin, buckets, spare, spare_labels, scratch, todo, top
        )


@njit(cache=True, nogil=True)
def sort_row(
    scores: Scores,
    payload: Payload,
    sorted_scores: Scores,
    sorted_payload: Payload,
    cells: Counters,
) -> None:
    """Sort finite scores ascending and carry the payload along; `cells` comes from `new_cells`.

    Outputs must not overlap inputs. Equal scores come in an arbitrary, reproducible order.
    """
    if scores.size <= SMALL:
        _sort_small(scores, payload, sorted_scores, sorted_payload, cells)
    else:
        _sort_long(scores, payload, sorted_scores, sorted_payload, cells)


@njit(cache=True, nogil=True)
def sort_rows(
    scores: Scores, payload: Payload, sorted_scores: Scores, sorted_payload: Payload
) -> None:
    """Sort every row of `scores` as `sort_row` does; a payload of one row serves all of them."""
    cells = new_cells()
    for row in range(scores.shape[0]):
        carried = payload[row if payload.shape[0] > 1 else 0]
        sort_row(scores[row], carried, sorted_scores[row], sorted_payload[row], cells)


def sorted_by_score(scores: Scores, payload: Payload) -> tuple[Scores, Payload]:
    """Return the scores in ascending order and the payload that came with each.

    >>> sorted_by_score(np.array([0.5, -1.0, 0.25]), np.array([1, 0, 2], dtype=np.uint8))
    (array([-1.  ,  0.25,  0.5 ]), array([0, 2, 1], dtype=uint8))
    """
    sorted_scores = np.empty(scores.size, np.float64)
    sorted_payload = np.empty(scores.size, payload.dtype)
    sort_row(scores, payload, sorted_scores, sorted_payload, new_cells())
    return sorted_scores, sorted_payload
