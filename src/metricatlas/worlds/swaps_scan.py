"""Swaps of neighbours in a ranking: billions of them, so they are compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

#: Labels, or numbers of examples.
Ranked = npt.NDArray[Any]
States = npt.NDArray[Any]


@njit(cache=True, nogil=True)
def swap(ranked: Ranked, states: States, count: int) -> None:
    """Let random neighbours change places, so many times in each ranking.

    Random numbers are Vigna's xorshift64*, whose state each ranking keeps: so a ranking depends
    neither on the others nor on how often it is looked at.
    """
    last = np.uint64(ranked.shape[2] - 1)
    for r in range(ranked.shape[0]):
        for model in range(ranked.shape[1]):
            row = ranked[r, model]
            state = states[r, model]
            for _ in range(count):
                state ^= state >> np.uint64(12)
                state ^= state << np.uint64(25)
                state ^= state >> np.uint64(27)
                high = (state * np.uint64(2685821657736338717)) >> np.uint64(32)
                place = np.int64((high * last) >> np.uint64(32))
                row[place], row[place + 1] = row[place + 1], row[place]
            states[r, model] = state
