"""Sort scores and what goes with them as whole numbers, which NumPy sorts in SIMD lanes.

Floats that are not negative order as their bits do, and those of probabilities leave room for a
class in the lowest bits. Otherwise the leading bits of a score go together with the number of its
example, and scores that share these bits are put in order afterwards.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

Scores = npt.NDArray[np.float64]
Codes = npt.NDArray[Any]
Keys = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.uint32]
Positions = npt.NDArray[np.int64]

#: Numbers up to 1 leave so many bits; for more classes the lowest score but zero becomes 1.
SPARE = 2
#: So many moves an example put leading bits in order; where more are needed, they tell too little.
MOVES = 4
SIGN = np.uint64(1 << 63)


@njit(cache=True, nogil=True)
def _bits(score: float) -> np.uint64:
    """Return the bits of a score; adding 0.0 makes both zeros one."""
    return np.float64(score + 0.0).view(np.uint64)


@njit(cache=True, nogil=True)
def _pack(scores: Scores, codes: Codes, width: np.uint64, keys: Keys) -> np.uint64:
    """Fill the keys; return what bits the scores have among them."""
    seen = np.uint64(0)
    for i in range(keys.size):
        bits = _bits(scores[i])
        seen |= bits
        keys[i] = (bits << width) | np.uint64(codes[i])
    return seen


@njit(cache=True, nogil=True)
def _copy_bits(scores: Scores, keys: Keys) -> np.uint64:
    """Fill the bits of the scores; return what lies just below the lowest but zero."""
    zero, one = np.uint64(0), np.uint64(1)
    least = ~zero
    for i in range(keys.size):
        bits = _bits(scores[i])
        keys[i] = bits
        # Zero, less one, is the largest number.
        least = min(least, bits - one)
    return least


@njit(cache=True, nogil=True)
def _pack_above(codes: Codes, floor: np.uint64, width: np.uint64, keys: Keys) -> np.uint64:
    """Turn bits into keys above a floor; zero stays."""
    zero, seen = np.uint64(0), np.uint64(0)
    for i in range(keys.size):
        above = keys[i] - floor if keys[i] > zero else zero
        seen |= above
        keys[i] = (above << width) | np.uint64(codes[i])
    return seen


@njit(cache=True, nogil=True)
def _pack_rows(
    scores: Scores,
    codes: Codes,
    starts: Positions,
    bounds: Positions,
    width: np.uint64,
    keys: Keys,
    floors: Keys,
) -> bool:
    """Pack every segment of every model, models outermost; return whether all had room."""
    segments = starts.size - 1
    most = ~np.uint64(0) >> width
    for r in range(bounds.size - 1):
        model, segment = divmod(r, segments)
        begin, end = starts[segment], starts[segment + 1]
        row, known = scores[model, begin:end], codes[model if codes.shape[0] > 1 else 0, begin:end]
        out = keys[bounds[r] : bounds[r + 1]]
        if width <= np.uint64(SPARE):
            floors[r] = np.uint64(0)
            seen = _pack(row, known, width, out)
        else:
            floors[r] = _copy_bits(row, out)
            seen = _pack_above(known, floors[r], width, out)
        if seen > most:
            return False
    return True


@njit(cache=True, nogil=True)
def _unpack_rows(
    bounds: Positions, width: np.uint64, floors: Keys, keys: Keys, codes: Codes
) -> None:
    """Turn keys into the bits of the scores, and fill the codes."""
    zero = np.uint64(0)
    mask = (np.uint64(1) << width) - np.uint64(1)
    for r in range(bounds.size - 1):
        floor = floors[r]
        part, out = keys[bounds[r] : bounds[r + 1]], codes[bounds[r] : bounds[r + 1]]
        for i in range(part.size):
            out[i] = part[i] & mask
        for i in range(part.size):
            above = part[i] >> width
            part[i] = above + floor if above > zero else zero


def _sort(keys: Keys, starts: Positions, bounds: Positions) -> None:
    """Sort every row of keys."""
    if len(starts) == 2:
        keys.reshape(len(bounds) - 1, -1).sort(axis=1)
        return
    for begin, end in pairwise(bounds.tolist()):
        keys[begin:end].sort()


def sorted_with_codes(
    scores: Scores, codes: Codes, starts: Positions, bounds: Positions, classes: int
) -> tuple[Scores, Codes] | None:
    """Each row's scores in ascending order, and the codes; nothing where they leave no room.

    >>> scores, codes = np.array([[0.5, 0.125, 0.25]]), np.array([[1, 0, 2]], dtype=np.uint8)
    >>> sorted_with_codes(scores, codes, np.array([0, 3]), np.array([0, 3]), 3)
    (array([0.125, 0.25 , 0.5  ]), array([0, 2, 1], dtype=uint8))
    """
    width = np.uint64(max(1, (classes - 1).bit_length()))
    keys, floors = np.empty(bounds[-1], np.uint64), np.empty(len(bounds) - 1, np.uint64)
    if not _pack_rows(scores, codes, starts, bounds, width, keys, floors):
        return None
    _sort(keys, starts, bounds)
    sorted_codes = np.empty(len(keys), codes.dtype)
    _unpack_rows(bounds, width, floors, keys, sorted_codes)
    return keys.view(np.float64), sorted_codes


@njit(cache=True, nogil=True)
def _ordered_bits(score: float) -> np.uint64:
    """Return a whole number that orders as the score does."""
    bits = _bits(score)
    return ~bits if bits >= SIGN else bits | SIGN


@njit(cache=True, nogil=True)
def _number(scores: Scores, width: np.uint64, keys: Keys) -> None:
    """Fill leading bits of the scores, as many as fit, and the number of each."""
    low, high = ~np.uint64(0), np.uint64(0)
    for i in range(keys.size):
        bits = _ordered_bits(scores[i])
        low, high = min(low, bits), max(high, bits)
    shift = np.uint64(0)
    while keys.size > 0 and ((high - low) >> shift) > (~np.uint64(0) >> width):
        shift += np.uint64(1)
    for i in range(keys.size):
        keys[i] = (((_ordered_bits(scores[i]) - low) >> shift) << width) | np.uint64(i)


@njit(cache=True, nogil=True)
def _number_rows(
    scores: Scores, starts: Positions, bounds: Positions, width: np.uint64, keys: Keys
) -> None:
    """Number the examples of every segment of every model, models outermost."""
    segments = starts.size - 1
    for r in range(bounds.size - 1):
        model, segment = divmod(r, segments)
        row = scores[model, starts[segment] : starts[segment + 1]]
        _number(row, width, keys[bounds[r] : bounds[r + 1]])


@njit(cache=True, nogil=True)
def _settle(scores: Scores, order: Numbers) -> bool:
    """Sort what is nearly in order, by insertion; give up where that takes too long."""
    moves = 0
    for i in range(1, scores.size):
        score = scores[i]
        if scores[i - 1] > score:
            number = order[i]
            hole = i
            while hole > 0 and scores[hole - 1] > score:
                scores[hole], order[hole] = scores[hole - 1], order[hole - 1]
                hole -= 1
            scores[hole], order[hole] = score, number
            moves += i - hole
            if moves > MOVES * scores.size:
                return False
    return True


@njit(cache=True, nogil=True)
def _settle_rows(
    scores: Scores,
    starts: Positions,
    bounds: Positions,
    first: int,
    width: np.uint64,
    keys: Keys,
    sorted_scores: Scores,
    order: Numbers,
) -> int:
    """Take scores and numbers from sorted keys, from a row on; return the first not in order."""
    segments = starts.size - 1
    mask = (np.uint64(1) << width) - np.uint64(1)
    for r in range(first, bounds.size - 1):
        model, segment = divmod(r, segments)
        row = scores[model, starts[segment] : starts[segment + 1]]
        begin, end = bounds[r], bounds[r + 1]
        for i in range(begin, end):
            example = keys[i] & mask
            order[i] = example
            sorted_scores[i] = row[example] + 0.0
        if not _settle(sorted_scores[begin:end], order[begin:end]):
            return r
    return bounds.size - 1


def sorted_with_numbers(
    scores: Scores, starts: Positions, bounds: Positions
) -> tuple[Scores, Numbers]:
    """Each row's scores in ascending order, and which example of its segment each belongs to.

    >>> sorted_with_numbers(np.array([[2.0, -1.0, 0.5]]), np.array([0, 3]), np.array([0, 3]))
    (array([-1. ,  0.5,  2. ]), array([1, 2, 0], dtype=uint32))
    """
    longest = int(np.diff(starts).max(initial=1))
    width = np.uint64(max(1, (longest - 1).bit_length()))
    keys = np.empty(bounds[-1], np.uint64)
    _number_rows(scores, starts, bounds, width, keys)
    _sort(keys, starts, bounds)
    sorted_scores, order = np.empty(len(keys)), np.empty(len(keys), np.uint32)
    r = _settle_rows(scores, starts, bounds, 0, width, keys, sorted_scores, order)
    while r < len(bounds) - 1:
        model, segment = divmod(r, len(starts) - 1)
        row = scores[model, starts[segment] : starts[segment + 1]] + 0.0
        here = slice(bounds[r], bounds[r + 1])
        order[here] = np.argsort(row, kind="stable")
        sorted_scores[here] = row[order[here]]
        r = _settle_rows(scores, starts, bounds, r + 1, width, keys, sorted_scores, order)
    return sorted_scores, order
