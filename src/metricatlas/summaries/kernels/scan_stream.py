"""The stream: one pass over a row's groups that adds up what concerns all of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from metricatlas.summaries.kernels.scan_groups import (
    AREA,
    BASE,
    BEGIN,
    COUNT,
    GROUPS,
    LANES,
    NEGATIVE,
    NEGATIVE_ABOVE,
    NEGATIVE_BELOW,
    NEGATIVES_FROM,
    POSITIVE,
    POSITIVE_ABOVE,
    POSITIVES_FROM,
    PRECISION,
    SCORE,
    SPARE,
    TOTAL,
    Floats,
    Labels,
    Weights,
    add,
    has_ties,
    load,
    masses,
)

Flags = npt.NDArray[np.bool_]

#: Columns of what the stream adds up, and the switches that ask for them.
POSITIVES, NEGATIVES, WHOLE, WINS, MARGIN, SUM, RANDOM, STEPS, GAIN, DISTINCT = range(10)
#: A switch beyond those of the columns: the largest precision of each block is marked.
PRECISIONS = 10
STREAM_COLUMNS = 10
SWITCHES = 11
#: Numbers that the stream keeps while it runs.
SCRATCH = 8 + 2 * STREAM_COLUMNS
#: Sums over longer runs of equal scores are done in closed form; only weights make them.
LONG_RUN = 4096
#: How many terms of such a sum are added one by one, so that the rest is smooth.
ROUGH = 1024


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def wins_above(block: Floats, first: int, count: int) -> float:
    """Pairs won against the negatives of some groups: the area under this piece of the ROC."""
    neg, above = block[NEGATIVE], block[POSITIVE_ABOVE]
    total = 0.0
    for g in range(first, count):
        total += neg[g] * (0.5 * (above[g] + above[g + 1]))
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _wins_below(block: Floats, count: int) -> float:
    """Pairs won by the positives of a block against the negatives below them, here or before."""
    pos, below = block[POSITIVE], block[NEGATIVE_BELOW]
    total = 0.0
    for g in range(count):
        total += pos[g] * (0.5 * (below[g] + below[g + 1]))
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _ranks(positive: Labels) -> tuple[np.int64, np.int64]:
    """Return how many labels are 1, and the sum of their places."""
    ones = places = np.int32(0)
    for i in range(positive.size):
        ones += np.int32(positive[i])
        places += np.int32(i) * np.int32(positive[i])
    return np.int64(ones), np.int64(places)


@njit(cache=True, nogil=True, error_model="numpy")
def wins_step(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    begin: int,
    total: Floats,
    below: Floats,
    sums: Floats,
    block: Floats,
) -> int:
    """Add the wins of the next block's positives to the compensated `sums`; return where it ends.

    With weights those of its negatives, as the stream does, so that the sums have the same bits.
    """
    end = min(begin + GROUPS, scores.size)
    if weight is None and not has_ties(scores, begin, end):
        ones, places = _ranks(positive[begin:end])
        won = np.float64(places - ones * (ones - 1) // 2)
        add(sums, 0, won + np.float64(ones) * below[0])
        below[0] += np.float64(end - begin - ones)
        below[2] += np.float64(ones)
        return end
    count, end, _ = load(scores, positive, weight, begin, total, below, block)
    add(sums, 0, _wins_below(block, count) if weight is None else wins_above(block, 0, count))
    return end


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _margin(block: Floats, count: int, previous: float) -> float:
    """Gap to the group before, times negatives below it, times positives above it."""
    score, neg, above = block[SCORE], block[NEGATIVE_BELOW], block[POSITIVE_ABOVE]
    total = (score[0] - previous) * neg[0] * above[0]
    for g in range(1, count):
        total += (score[g] - score[g - 1]) * neg[g] * above[g]
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _precision(block: Floats, count: int) -> float:
    """Sum of positives times precision; the precisions are left in the spare line."""
    pos, pos_above = block[POSITIVE], block[POSITIVE_ABOVE]
    neg_above, spare = block[NEGATIVE_ABOVE], block[SPARE]
    total = 0.0
    for g in range(count):
        precision = pos_above[g] / (pos_above[g] + neg_above[g])
        spare[g] = precision
        total += pos[g] * precision
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _area_distinct(block: Floats, count: int) -> float:
    """Davis-Goadrich area times positives where each group is one example.

    A positive is a step between the precisions just above and at it, which the spare line holds;
    the highest has but its own.
    """
    pos, precision = block[POSITIVE], block[SPARE]
    above = block[POSITIVE_ABOVE, count] + block[NEGATIVE_ABOVE, count]
    precision[count] = block[POSITIVE_ABOVE, count] / above if above > 0.0 else precision[count - 1]
    total = 0.0
    for g in range(count):
        total += pos[g] * 0.5 * (precision[g] + precision[g + 1])
    return total


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _ratios(a: float, b: float, c: float, d: float, count: int) -> float:
    """Sum of (a + b i) / (c + d i) for i = 1, ..., count, term by term."""
    total = 0.0
    for i in range(1, count + 1):
        total += (a + b * i) / (c + d * i)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_of_ratios(a: float, b: float, c: float, d: float, count: float) -> float:
    """Sum (a + b i) / (c + d i) for i = 1, ..., count; by Euler and Maclaurin where it is long."""
    if count == 1.0:
        return (a + b) / (c + d)
    if count <= LONG_RUN:
        return _ratios(a, b, c, d, int(count))
    a += b * ROUGH
    c += d * ROUGH
    length = count - ROUGH
    u = d * length / c
    if u < 0.01:
        bend = u * u * (1 / 2 - u * (1 / 3 - u * (1 / 4 - u * (1 / 5 - u * (1 / 6 - u / 7)))))
    else:
        bend = u - np.log1p(u)
    end = c + d * length
    ends = 0.5 * (a + b * length) / end - 0.5 * a / c
    turn = b * c - d * a
    slopes = turn * (1 / end / end - 1 / c / c) / 12
    thirds = turn * d * d * (1 / end / end / end / end - 1 / c / c / c / c) / 120
    integral = a / d * np.log1p(u) + b * c / d / d * bend
    return _ratios(a - b * ROUGH, b, c - d * ROUGH, d, ROUGH) + integral + ends + slopes - thirds


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _is_pure(block: Floats, count: int) -> bool:
    """Return whether every group is of one class, as where examples are drawn again and again."""
    pos, neg = block[POSITIVE], block[NEGATIVE]
    mixed = 0.0
    for g in range(count):
        mixed += pos[g] * neg[g]
    return mixed == 0.0


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _steps_pure(block: Floats, count: int, found: Floats) -> None:
    """As `_steps_tied`, where every group is of one class.

    The first and the last example of each group in lanes, what is between them one by one.
    """
    pos, pos_above, neg_above = block[POSITIVE], block[POSITIVE_ABOVE], block[NEGATIVE_ABOVE]
    ranked = halves = 0.0
    more = 0.0
    for g in range(count):
        here, above = pos[g], pos_above[g + 1]
        size = above + neg_above[g + 1]
        first = (above + 1.0) / (size + 1.0)
        last = (above + here) / (size + here)
        start = above / size
        start = start if size > 0.0 else first
        ranked += (first if here > 0.0 else 0.0) + (last if here > 1.0 else 0.0)
        halves += start - last if here > 0.0 else 0.0
        more = more if more > here else here
    if more > 2.0:
        for g in range(count):
            for i in range(2, int(pos[g])):
                above = pos_above[g + 1]
                ranked += (above + i) / (above + neg_above[g + 1] + i)
    found[0], found[1] = ranked + 0.5 * halves, ranked


@njit(cache=True, nogil=True, error_model="numpy")
def _steps_tied(block: Floats, count: int, found: Floats) -> None:
    """Davis-Goadrich area times positives, and expected sum of precisions in random order of ties.

    For the first negatives come evenly among a group's positives. Where a group has none, both add
    up the same precisions.
    """
    total = np.zeros(4)
    for g in range(count):
        pos, neg = block[POSITIVE, g], block[NEGATIVE, g]
        if pos > 0.0:
            above, fp_above = block[POSITIVE_ABOVE, g + 1], block[NEGATIVE_ABOVE, g + 1]
            share = neg / pos
            size, own = above + fp_above, pos + neg
            first = (above + 1.0) / (size + 1.0 + share)
            start = above / size if size > 0.0 else first
            last = (above + pos) / (size + own)
            evenly = _sum_of_ratios(above, 1.0, size, 1.0 + share, pos)
            expected = evenly
            if neg > 0.0:
                rate = (pos - 1.0) / (own - 1.0) if own > 1.0 else 0.0
                expected = _sum_of_ratios(above + 1.0 - rate, rate, size, 1.0, own)
            add(total, 0, evenly)
            add(total, 0, 0.5 * (start - last))
            add(total, 2, pos / own * expected)
    found[0], found[1] = total[0] + total[1], total[2] + total[3]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _gain_distinct(block: Floats, count: int, start: float) -> float:
    """As `_gain_tied`, where each group is of one class."""
    pos_above, neg_above = block[POSITIVE_ABOVE], block[NEGATIVE_ABOVE]
    total = 0.0
    for g in range(count):
        high, low = pos_above[g], pos_above[g + 1]
        high = high if high > start else start
        low = low if low > start else start
        both = high * low
        total += (high - low) * neg_above[g] * (high + low) / (both * both)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _gain_tied(block: Floats, count: int, start: float) -> float:
    """Sum of (1/TP' - 1/TP) (FP/TP + FP'/TP'): what precision gain loses, but for constants.

    Lines of the ROC are lines of precision-recall gain; recall gain 0 is at `start` true positives.
    """
    total = np.zeros(2)
    for g in range(count):
        tp, tp_above = block[POSITIVE_ABOVE, g], block[POSITIVE_ABOVE, g + 1]
        if tp > start and tp > tp_above:
            fp, fp_above = block[NEGATIVE_ABOVE, g], block[NEGATIVE_ABOVE, g + 1]
            if tp_above < start:
                fp_above += (fp - fp_above) * ((start - tp_above) / (tp - tp_above))
                tp_above = start
            add(total, 0, (tp - tp_above) / (tp * tp_above) * (fp / tp + fp_above / tp_above))
    return total[0] + total[1]


@njit(cache=True, nogil=True, error_model="numpy", fastmath=LANES)
def _distinct_deviation(block: Floats, count: int) -> float:
    """Mass times squared distance of a score from its group's share of positives."""
    score, neg, pos = block[SCORE], block[NEGATIVE], block[POSITIVE]
    total = 0.0
    for g in range(count):
        mass = pos[g] + neg[g]
        away = score[g] - pos[g] / mass
        total += mass * away * away
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def largest(block: Floats, count: int) -> float:
    """Return the largest number in the spare line.

    Floats that are not negative order as their bits do, and a maximum of whole numbers is SIMD.
    """
    bits = block[SPARE].view(np.int64)
    best = np.int64(0)
    for g in range(count):
        best = bits[g] if bits[g] > best else best
    return np.int64(best).view(np.float64)


@njit(cache=True, nogil=True, error_model="numpy")
def stream(
    scores: Floats,
    positive: Labels,
    weight: Weights,
    want: Flags,
    block: Floats,
    marks: Floats,
    scratch: Floats,
    out: Floats,
) -> int:
    """Add up what is wanted of a row into `out`, mark its blocks, and return how many these are."""
    total, below, sums = scratch[:4], scratch[4:8], scratch[8:]
    scratch[:] = 0.0
    out[WHOLE] = masses(positive, weight, total)
    positives, negatives = total[2] + total[3], total[0] + total[1]
    start = positives * (positives / (positives + negatives))
    by_class = want[RANDOM] or want[STEPS] or want[GAIN]
    tied = np.empty(2)
    begin = blocks = 0
    previous = scores[0] if scores.size > 0 else 0.0
    marks[0, TOTAL : TOTAL + 4] = total
    while begin < scores.size:
        mark = marks[blocks]
        mark[BEGIN] = begin
        mark[BASE : BASE + 4] = below
        count, begin, simple = load(scores, positive, weight, begin, total, below, block)
        mark[COUNT] = count
        mark[NEGATIVES_FROM] = block[NEGATIVE_ABOVE, 0]
        mark[POSITIVES_FROM] = block[POSITIVE_ABOVE, 0]
        mark[AREA] = wins_above(block, 0, count)
        add(sums, 2 * WINS, mark[AREA])
        # Copies of an example are ties of one class.
        pure = simple or (weight is None and by_class and _is_pure(block, count))
        if want[MARGIN]:
            add(sums, 2 * MARGIN, _margin(block, count, previous))
        if want[SUM]:
            ranked = _precision(block, count)
            add(sums, 2 * SUM, ranked)
            if not simple and (want[RANDOM] or want[STEPS]):
                if pure:
                    _steps_pure(block, count, tied)
                else:
                    _steps_tied(block, count, tied)
            if want[RANDOM]:
                add(sums, 2 * RANDOM, ranked if simple else tied[1])
            if want[PRECISIONS]:
                mark[PRECISION] = largest(block, count)
            if want[STEPS]:
                add(sums, 2 * STEPS, _area_distinct(block, count) if simple else tied[0])
        if want[GAIN] and positives > 0.0:
            lost = _gain_distinct(block, count, start) if pure else _gain_tied(block, count, start)
            add(sums, 2 * GAIN, lost)
        if want[DISTINCT]:
            add(sums, 2 * DISTINCT, _distinct_deviation(block, count))
        previous = block[SCORE, count - 1]
        blocks += 1
    for column in range(POSITIVES + 1, STREAM_COLUMNS):
        if column != WHOLE:
            out[column] = sums[2 * column] + sums[2 * column + 1]
    out[POSITIVES], out[NEGATIVES] = positives, negatives
    out[STEPS] /= positives
    loss = positives / negatives * (positives / negatives) * positives / 2.0
    out[GAIN] = 1.0 - out[GAIN] * loss if positives > 0.0 and negatives > 0.0 else np.nan
    return blocks
