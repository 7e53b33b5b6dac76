"""Sums and logarithms that the scan forms share, in Numba.

A block of examples is summed in SIMD lanes; the blocks' sums are added with their rounding errors
kept (Knuth), so that 10^9 examples lose no more than one block does.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[Any]
Positions = npt.NDArray[np.int64]

#: A lane adds sixteen numbers one by one: of equal ones, the worst case, that costs 4 last places.
BLOCK = 128
LN2 = float(np.log(2.0))
#: Smaller numbers have fewer digits, and no exponent to read off.
SMALLEST_NORMAL = float(np.finfo(np.float64).tiny)
ROOT_HALF_BITS = int(np.sqrt(0.5).view(np.int64))


# No reassociation here: it would find that the errors are zero.
@njit(cache=True, nogil=True, error_model="numpy")
def add_compensated(totals: Floats, lost: Floats, block: Floats) -> None:
    """Add a block's sums to the totals; gather what the additions lose."""
    for i in range(block.size):
        before, term = totals[i], block[i]
        after = before + term
        shadow = after - before
        lost[i] += (before - (after - shadow)) + (term - shadow)
        totals[i] = after


@njit(cache=True, nogil=True, error_model="numpy")
def settled(total: float, lost: float) -> float:
    """Return the total with what was lost; that is NaN where the total is infinite."""
    return total + (0.0 if np.isnan(lost) else lost)


# Contraction makes fused multiply-adds; the order of operations stays as written.
@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def logarithm(p: float, rest: float) -> float:
    """Return ln p for a normal p = 1 - rest, without branches or tables, so that it runs in lanes.

    p = m 2^k with m within a factor of root two of 1; ln m = 2 artanh(s), s = (m - 1) / (m + 1), as
    a power series. Near one `rest` tells m - 1 more exactly than p does.
    """
    bits = np.float64(p).view(np.int64)
    k = (bits - ROOT_HALF_BITS) >> 52
    d = -rest if k == 0 else np.int64(bits - (k << 52)).view(np.float64) - 1.0
    s = d / (2.0 + d)
    z = s * s
    tail = 2 / 13 + z * (2 / 15 + z * (2 / 17 + z * (2 / 19)))
    tail = z * (2 / 3 + z * (2 / 5 + z * (2 / 7 + z * (2 / 9 + z * (2 / 11 + z * tail)))))
    # ln m = d - h + s (h + tail) with h = d^2 / 2: the first term is exact, the others are small.
    h = 0.5 * d * d
    return np.float64(k) * LN2 + (d - (h - s * (h + tail)))
