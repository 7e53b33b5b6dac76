"""The convex hull of ROC curves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@njit(cache=True, nogil=True)
def corners(tp: Floats, fp: Floats, places: Places, counts: Places) -> None:
    """Find the cuts at the corners of each row's hull, from the highest cut to the lowest.

    Cuts that lie on a line between corners are no corners.
    """
    for r in range(tp.shape[0]):
        hull, ones, zeros = places[r], tp[r], fp[r]
        size = 0
        for k in range(ones.size - 1, -1, -1):
            while size > 1:
                last, before = hull[size - 1], hull[size - 2]
                rise = (ones[last] - ones[before]) * (zeros[k] - zeros[last])
                if (ones[k] - ones[last]) * (zeros[last] - zeros[before]) < rise:
                    break
                size -= 1
            if size == 1 and ones[k] == ones[hull[0]] and zeros[k] == zeros[hull[0]]:
                continue
            hull[size] = k
            size += 1
        counts[r] = size
