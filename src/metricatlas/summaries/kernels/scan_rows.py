"""The scan over many rows: sorting them, and each group of facts, in one compiled loop a group."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from metricatlas.summaries.kernels.scan_bins import mass_bins, width_bins
from metricatlas.summaries.kernels.scan_deviation import new_windows
from metricatlas.summaries.kernels.scan_groups import (
    Floats,
    Labels,
    Weights,
    masses,
    new_block,
    new_marks,
)
from metricatlas.summaries.kernels.scan_hull import hull_facts, new_corners, new_stretches
from metricatlas.summaries.kernels.scan_moments import moments
from metricatlas.summaries.kernels.scan_pieces import groups_of, windows_of_groups
from metricatlas.summaries.kernels.scan_points import (
    KS,
    equal_error,
    operating_point,
    partial_area,
    precision_eleven,
)
from metricatlas.summaries.kernels.scan_stream import (
    NEGATIVES,
    POSITIVES,
    SCRATCH,
    WHOLE,
    WINS,
    Flags,
    stream,
    wins_step,
)
from metricatlas.summaries.kernels.scan_windows import windows

Positions = npt.NDArray[np.int64]
Codes = npt.NDArray[Any]

#: Facts that points of the ROC make: per point three numbers and what was sought.
POINT_COLUMNS = 4
WINDOW_COLUMNS = 3


@njit(cache=True, nogil=True, error_model="numpy")
def gather(
    order: Codes,
    codes: Codes,
    weight: Weights,
    starts: Positions,
    bounds: Positions,
    sorted_codes: Codes,
    sorted_weight: Weights,
) -> None:
    """Bring codes and weights into the order that sorting gave to the numbers of a segment."""
    segments = starts.size - 1
    for r in range(bounds.size - 1):
        model, segment = divmod(r, segments)
        known = codes[model if codes.shape[0] > 1 else 0]
        for i in range(bounds[r], bounds[r + 1]):
            example = starts[segment] + np.int64(order[i])
            sorted_codes[i] = known[example]
            if weight is not None and sorted_weight is not None:
                sorted_weight[i] = weight[example]


@njit(cache=True, nogil=True, error_model="numpy")
def wins_rows(
    scores: Floats, positive: Labels, weight: Weights, bounds: Positions, out: Floats
) -> None:
    """Masses and wins only."""
    block = new_block()
    total, below, sums = np.empty(4), np.empty(4), np.empty(2)
    for r in range(bounds.size - 1):
        begin, end = bounds[r], bounds[r + 1]
        s, y = scores[begin:end], positive[begin:end]
        w = None if weight is None else weight[begin:end]
        out[r, WHOLE] = masses(y, w, total)
        below[:] = 0.0
        sums[:] = 0.0
        at = 0
        while at < s.size:
            at = wins_step(s, y, w, at, total, below, sums, block)
        out[r, POSITIVES], out[r, NEGATIVES] = total[2] + total[3], total[0] + total[1]
        out[r, WINS] = sums[0] + sums[1]


@njit(cache=True, nogil=True, error_model="numpy")
def curve_rows(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    bounds: Positions,
    longest: int,
    want: Flags,
    kinds: Positions,
    values: Floats,
    limits: Floats,
    eleven: bool,
    crossing: bool,
    sums: Floats,
    points: Floats,
    areas: Floats,
    others: Floats,
) -> None:
    """Everything that the stream over the groups and bisection of its marks give."""
    block, marks = new_block(), new_marks(longest)
    loaded, scratch = np.zeros(1, np.int64), np.empty(SCRATCH)
    for r in range(bounds.size - 1):
        begin, end = bounds[r], bounds[r + 1]
        s, y = scores[begin:end], positive[begin:end]
        w = None if weight is None else weight[begin:end]
        blocks = stream(s, y, w, want, block, marks, scratch, sums[r])
        if blocks == 0:
            points[r] = np.nan
            areas[r] = np.nan
            others[r] = np.nan
            continue
        loaded[0] = blocks - 1
        p, n, whole = sums[r, POSITIVES], sums[r, NEGATIVES], sums[r, WHOLE] > 0.0
        for k in range(kinds.size):
            found = points[r, POINT_COLUMNS * k : POINT_COLUMNS * (k + 1)]
            found[3] = operating_point(
                kinds[k], values[k], s, y, w, marks, blocks, block, loaded, p, n, whole, found
            )
            if kinds[k] == KS:
                found[3] = found[3] / p / n
        for k in range(limits.size):
            areas[r, k] = partial_area(limits[k], s, y, w, marks, blocks, block, loaded, p, n)
        if eleven:
            others[r, 0] = precision_eleven(s, y, w, marks, blocks, block, loaded, p, whole)
        if crossing:
            others[r, 1] = equal_error(s, y, w, marks, blocks, block, loaded, p, n)


@njit(cache=True, nogil=True, error_model="numpy")
def moment_rows(
    scores: Floats, positive: Labels, weight: Weights, bounds: Positions, sums: Floats, out: Floats
) -> None:
    """Means and variances of the classes."""
    for r in range(bounds.size - 1):
        begin, end = bounds[r], bounds[r + 1]
        w = None if weight is None else weight[begin:end]
        moments(
            scores[begin:end],
            positive[begin:end],
            w,
            sums[r, POSITIVES],
            sums[r, NEGATIVES],
            out[r],
        )


@njit(cache=True, nogil=True, error_model="numpy")
def hull_rows(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    bounds: Positions,
    longest: int,
    sums: Floats,
    calibration: bool,
    out: Floats,
) -> None:
    """Facts of the convex hull."""
    ends = new_stretches(longest)
    coarse = new_stretches(longest)
    fine = new_corners(longest, weight is not None)
    for r in range(bounds.size - 1):
        begin, end = bounds[r], bounds[r + 1]
        w = None if weight is None else weight[begin:end]
        p, n, whole = sums[r, POSITIVES], sums[r, NEGATIVES], sums[r, WHOLE] > 0.0
        hull_facts(
            scores[begin:end],
            positive[begin:end],
            w,
            p,
            n,
            whole,
            calibration,
            ends,
            coarse,
            fine,
            out[r],
        )


@njit(cache=True, nogil=True, error_model="numpy")
def bin_rows(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    bounds: Positions,
    bins: int,
    by_mass: bool,
    out: Floats,
) -> None:
    """Bins of equal width or of equal mass."""
    scratch = np.empty((4, max(bins, 18)))
    for r in range(bounds.size - 1):
        begin, end = bounds[r], bounds[r + 1]
        s, y = scores[begin:end], positive[begin:end]
        w = None if weight is None else weight[begin:end]
        if by_mass:
            mass_bins(s, y, w, bins, scratch, out[r])
        else:
            width_bins(s, y, w, bins, scratch, out[r])


@njit(cache=True, nogil=True, error_model="numpy")
def _count_groups(scores: Floats) -> int:
    """Return how many distinct scores there are."""
    left, right = scores[:-1], scores[1:]
    count = 1
    for i in range(left.size):
        count += 1 if left[i] != right[i] else 0
    return count


@njit(cache=True, nogil=True, error_model="numpy")
def window_rows(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    bounds: Positions,
    longest: int,
    sums: Floats,
    size: float,
    deviation: bool,
    out: Floats,
) -> None:
    """Windows of a size, or of a tenth of the row where the size is 0."""
    largest = int(size) if size > 0.0 else longest // 10 + 1
    scratch, table, bases = new_windows(min(largest, longest) if deviation else 0, longest)
    for r in range(bounds.size - 1):
        begin, end = bounds[r], bounds[r + 1]
        s, y = scores[begin:end], positive[begin:end]
        if end == begin:
            out[r] = np.nan
            continue
        total = sums[r, POSITIVES] + sums[r, NEGATIVES]
        width = min(size, total) if size > 0.0 else max(1.0, np.floor(total / 10.0))
        groups = _count_groups(s)
        if weight is None and 4 * groups > s.size:
            windows(s, y, int(width), deviation, groups < s.size, scratch, table, bases, out[r])
        else:
            w = None if weight is None else weight[begin:end]
            windows_of_groups(groups_of(s, y, w, groups), width, deviation, out[r])
