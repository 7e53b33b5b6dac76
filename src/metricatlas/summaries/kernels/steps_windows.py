"""Calibration facts of one ordered row: sliding windows, bins of equal width and of equal mass."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from metricatlas.summaries.kernels.steps_row import Array, Row, cumulated, ratio

#: Bits of a whole number that a sum may fill; one is the sign, one is left for doubling.
BITS = 61
#: Length from which a tie is long.
LONG = 16
#: Beyond this, the power of two is no float.
MOST = 1000


@dataclass(eq=False, slots=True)
class Places:
    """One place for each unit of mass, highest score first, and sums over the places above each.

    Scores are summed as multiples of a unit below their precision: whole numbers add up without
    rounding, so the difference of two sums is as good as a sum, and quicker than in floats.
    """

    #: Scores with the sign turned, so that they ascend.
    descent: Array
    #: Sums of the positives; each place of a tie holds the tie's share of them.
    positives: Array
    #: Sums of the scores, in units.
    scores: Array
    unit: float
    #: Fractions of positives that ties add.
    fraction: Array | None
    #: Sums of what the unit cuts off the scores. It cancels, but for long ties, which repeat it.
    cut_off: Array | None


def _places(row: Row) -> Places:
    """Return the places of a row."""
    if not row.tied:
        units, unit = _in_units(row.x)
        return Places(row.descent, row.tp, _summed(units), unit, None, None)
    shared = row.ties
    if row.weight is None:
        descent, positives = row.turned, row.running.astype(np.float64)
        shared = shared[row.q.take(shared) > 0]
    else:
        block = np.repeat(np.arange(row.x.size), (row.p + row.q).astype(np.int64))
        descent, positives = row.descent.take(block), np.zeros(block.size + 1)
        positives[1:] = row.tp.take(block + 1)
    fraction = _share_out(row, shared, positives) if shared.size else None
    x = -descent
    units, unit = _in_units(x)
    longest = float(np.maximum.reduce(row.m))
    cut_off = cumulated(x - units * unit) if longest > LONG else None
    return Places(descent, positives, _summed(units), unit, fraction, cut_off)


def _share_out(row: Row, ties: Array, positives: Array) -> Array:
    """Give each place of a tie its part of the tie's positives; return the fractions left."""
    first, before, a, b = (v.take(ties) for v in (row.total, row.tp, row.p, row.q))
    lengths = (a + b).astype(np.int64)
    tie = np.repeat(np.arange(lengths.size), lengths)
    inside = np.arange(1.0, tie.size + 1) - (np.add.accumulate(lengths) - lengths).take(tie)
    length, shared = lengths.take(tie), inside * a.take(tie)
    whole = np.floor(shared / length)
    place = (first.take(tie) + inside).astype(np.int64)
    positives[place] = before.take(tie) + whole
    fraction = np.zeros(positives.size)
    fraction[place] = (shared - whole * length) / length
    return fraction


def _summed(units: Array) -> Array:
    """Return 0 and the running sums of whole numbers, as whole numbers."""
    sums = np.zeros(units.size + 1, np.int64)
    np.add.accumulate(units.astype(np.int64), out=sums[1:])
    return sums


def _in_units(x: Array) -> tuple[Array, float]:
    """Return scores that fall to 0 or more as multiples of a unit, and the unit."""
    _, exponent = math.frexp(float(x[0]))
    bits = min(BITS - exponent - x.size.bit_length(), MOST)
    return np.rint(x * math.ldexp(1.0, bits)), math.ldexp(1.0, -bits)


@dataclass(eq=False, slots=True)
class Windows:
    """All windows of so many neighbouring places."""

    places: Places
    size: int
    count: int
    #: Positives in each.
    positives: Array


def _size(row: Row, size: int | str) -> int:
    """Return a size as a number: a "tenth" is one of all places; no window is longer than all."""
    places = row.once(_places).descent.size
    return min(max(1, places // 10) if isinstance(size, str) else size, places)


def _windows(row: Row, size: int) -> Windows:
    """Return the windows of that many places."""
    places = row.once(_places)
    count = places.descent.size - size + 1
    positives = places.positives[size:] - places.positives[:count]
    if places.fraction is not None:
        positives += places.fraction[size:] - places.fraction[:count]
    return Windows(places, size, count, positives)


def _mean_gap(row: Row, size: int) -> float:
    """Return the mean over windows of |share of positives - mean score|."""
    windows = row.once(_windows, size)
    places, count = windows.places, windows.count
    gaps = windows.positives - (places.scores[size:] - places.scores[:count]) * places.unit
    if places.cut_off is not None:
        gaps -= places.cut_off[size:] - places.cut_off[:count]
    return float(np.add.reduce(np.abs(gaps))) / (size * count)


def _deviations(row: Row, size: int) -> Array:
    """Return for each window the sum of |score - share of positives|, highest window first.

    The scores above the share are those before one place, so running sums give both halves.
    """
    windows = row.once(_windows, size)
    places, count = windows.places, windows.count
    share = windows.positives / size
    first = np.arange(count)
    if places.fraction is None and size < count:
        # Whole positives make few shares, which are sought once each.
        sought = places.descent.searchsorted(np.arange(size + 1.0) / -size)
        middle = sought.take(windows.positives.astype(np.int64))
    else:
        middle = places.descent.searchsorted(-share)
    middle = np.minimum(np.maximum(middle, first), first + size)
    sums = places.scores
    above = (2 * sums.take(middle) - sums[:count] - sums[size:]) * places.unit
    if places.cut_off is not None:
        rest = places.cut_off
        above += 2 * rest.take(middle) - rest[:count] - rest[size:]
    return above + share * (2 * (first - middle) + size)


def window_gap(row: Row, size: int | str) -> float:
    """Return the mean over windows of |share of positives - mean score|."""
    return row.once(_mean_gap, _size(row, size)) if row.whole else math.nan


def window_deviation(row: Row, size: int | str) -> float:
    """Return the mean over windows of the mean |score - share of positives|."""
    if not row.whole:
        return math.nan
    deviations = row.once(_deviations, _size(row, size))
    return float(np.add.reduce(deviations)) / (_size(row, size) * deviations.size)


def window_deviation_printed(row: Row, size: int | str) -> float:
    """Return the mean of the sums instead, without the window of the highest scores."""
    if not row.whole:
        return math.nan
    deviations = row.once(_deviations, _size(row, size))
    return ratio(float(np.add.reduce(deviations[1:])), deviations.size - 1)


def _sums_between(values: Array, cuts: Array) -> Array:
    """Return the sums of values (the last axis) from each cut to the next."""
    padded = np.zeros((*values.shape[:-1], values.shape[-1] + 1))
    padded[..., :-1] = values
    found = np.add.reduceat(padded, cuts, axis=-1)[..., :-1]
    return np.where(cuts[1:] > cuts[:-1], found, 0.0)


def _scores_between(row: Row, cuts: Array) -> Array:
    """Return the sums of the scores from each cut to the next."""
    return _sums_between(row.m * row.x if row.tied else row.x, cuts)


def _masses_between(row: Row, cuts: Array) -> tuple[Array, Array]:
    """Return mass and positives from each cut to the next; fractions are not had by differences."""
    if row.whole:
        total, tp = row.total.take(cuts), row.tp.take(cuts)
        return total[1:] - total[:-1], tp[1:] - tp[:-1]
    tp = _sums_between(row.p, cuts)
    return tp + _sums_between(row.q, cuts), tp


def width_bins(row: Row, bins: int) -> Array:
    """Return mass, positives and score sum of the bins (j/k, (j+1)/k]; 0 is in the first."""
    cuts = np.zeros(bins + 1, np.int64)
    cuts[1:bins] = (row.descent * bins).searchsorted(np.arange(1.0 - bins, 0.0))
    cuts[bins] = row.x.size
    found = np.empty((bins, 3))
    found[::-1, 0], found[::-1, 1] = _masses_between(row, cuts)
    found[::-1, 2] = _scores_between(row, cuts)
    return found


def mass_bins(row: Row, bins: int) -> Array:
    """Return mass, positives and sums of p and 1 - p of bins of equal mass, lowest first.

    Ties are shared. A cut falls into a block: what of the block lies above the cut goes with the
    blocks above it.
    """
    cuts = np.arange(bins + 1) * row.mass / bins
    block = np.minimum(np.maximum(row.total.searchsorted(cuts), 1), row.x.size) - 1
    part = cuts - row.total.take(block)
    tp = row.tp.take(block) + part * row.share.take(block)
    # Sums of 1 - p are not had by differences where p is near 1.
    values = np.empty((2, row.x.size))
    values[0] = row.x
    np.subtract(1.0, row.x, out=values[1])
    inside = part * values.take(block, axis=1)
    between = _sums_between(row.m * values if row.tied else values, block)
    found = np.empty((4, bins))
    found[0] = row.mass / bins
    found[1, ::-1] = tp[1:] - tp[:-1]
    found[2:, ::-1] = (between - inside[:, :-1]) + inside[:, 1:]
    return found.T


FACTS = (window_gap, window_deviation, window_deviation_printed, width_bins, mass_bins)
