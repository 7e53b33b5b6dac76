"""The facts of `Probabilities` for more than two classes, scan form.

A block of rows is turned into columns, so that the lanes of a SIMD instruction hold different rows
and a loop over few classes costs nothing to begin and end.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from metricatlas.summaries.kernels.scan_sums import (
    BLOCK,
    LN2,
    SMALLEST_NORMAL,
    Codes,
    Floats,
    Positions,
    add_compensated,
    logarithm,
    settled,
)

# Terms of a row, in the order in which the scan keeps them; clipped logarithms and tops follow.
MASS, GIVEN, ABSOLUTE, SQUARE, RANKED, PULL, SPREAD, SPHERICAL, LOG, INFORMATION, MORE = range(11)
#: Which of the dearer ones are wanted.
LOGS, GAINS, RECEIVED = range(3)

#: Numbers in a block: its columns and its terms fit the first cache.
_BLOCK_NUMBERS = 2560


@njit(cache=True, nogil=True, error_model="numpy")
def many_classes(
    values: Floats,
    truth: Codes,
    weight: Floats,
    weighted: bool,
    starts: Positions,
    least: Floats,
    sizes: Floats,
    wanted: Codes,
    sums: Floats,
    received: Floats,
) -> None:
    """Fill the sums: term, row, class; and what is received: row, receiver, class."""
    classes = values.shape[2]
    rows = min(256, max(32, _BLOCK_NUMBERS // classes))
    columns = np.empty((classes, rows))
    terms = np.zeros((sums.shape[0], rows))
    terms[MASS] = 1.0
    scratch = np.empty((8, rows))
    ones = np.ones(rows)
    sums_now, sums_lost = np.zeros((classes, sums.shape[0])), np.zeros((classes, sums.shape[0]))
    given_now, given_lost = np.zeros((classes, classes)), np.zeros((classes, classes))
    shares = np.zeros((3, classes))
    for segment in range(starts.size - 1):
        start, end = starts[segment], starts[segment + 1]
        for model in range(values.shape[0]):
            labels = truth[model if truth.shape[0] > 1 else 0]
            if wanted[GAINS] and model < truth.shape[0]:
                _shares(labels, weight, weighted, start, end, shares)
            sums_now[:], sums_lost[:], given_now[:], given_lost[:] = 0.0, 0.0, 0.0, 0.0
            for low in range(start, end, rows):
                high = min(low + rows, end)
                p, y = values[model, low:high], labels[low:high]
                w = weight[low:high] if weighted else ones[: high - low]
                tiny = _turn(p, y, columns, scratch)
                _moments(columns, scratch, terms, y.size)
                if sizes.size:
                    _tops(columns, scratch, sizes, terms[MORE + least.size :], y.size)
                if wanted[LOGS]:
                    _logs(scratch, least, tiny, terms, y.size)
                if wanted[GAINS]:
                    _information(y, scratch, shares, terms)
                _deal(y, w, terms, sums_now, sums_lost)
                if wanted[RECEIVED]:
                    _receive(p, y, w, given_now, given_lost)
            row = model * (starts.size - 1) + segment
            _settle(sums_now, sums_lost, sums[:, row])
            sums[INFORMATION, row] /= LN2
            if wanted[RECEIVED]:
                _settle(given_now, given_lost, received[row])


@njit(cache=True, nogil=True, error_model="numpy")
def _settle(total: Floats, lost: Floats, out: Floats) -> None:
    """Write what the blocks have come to, classes last."""
    for k in range(total.shape[0]):
        for i in range(total.shape[1]):
            out[i, k] = settled(total[k, i], lost[k, i])


@njit(cache=True, nogil=True, error_model="numpy")
def _shares(y: Codes, weight: Floats, weighted: bool, start: int, end: int, shares: Floats) -> None:
    """Set of each class the share, its logarithm, and the logarithm of the share of the others."""
    classes = shares.shape[1]
    mass, lost, block = np.zeros(classes), np.zeros(classes), np.zeros(classes)
    step = BLOCK + classes
    for low in range(start, end, step):
        block[:] = 0.0
        for i in range(low, min(low + step, end)):
            block[y[i]] += weight[i] if weighted else 1.0
        add_compensated(mass, lost, block)
    total = 0.0
    for k in range(classes):
        mass[k] += lost[k]
        total += mass[k]
    for k in range(classes):
        shares[0, k] = mass[k] / total
        shares[1, k] = np.log(mass[k] / total)
        shares[2, k] = np.log((total - mass[k]) / total)


# Rows of the scratch.
_CODE, _TRUE, _REST, _OTHERS, _SQUARES, _FIRST, _SECOND, _LOG = range(8)


@njit(cache=True, nogil=True, error_model="numpy")
def _turn(p: Floats, y: Codes, columns: Floats, scratch: Floats) -> int:
    """Turn rows into columns; return how many p are too small for quick logarithms."""
    tiny = 0
    for i in range(p.shape[0]):
        for j in range(p.shape[1]):
            columns[j, i] = p[i, j]
        true = p[i, y[i]]
        scratch[_CODE, i] = y[i]
        scratch[_TRUE, i] = true
        scratch[_REST, i] = 1.0 - true
        tiny += true < SMALLEST_NORMAL
    return tiny


@njit(cache=True, nogil=True, error_model="numpy")
def _moments(columns: Floats, scratch: Floats, terms: Floats, size: int) -> None:
    """Set the terms that need no logarithms."""
    code, true, rest = scratch[_CODE], scratch[_TRUE], scratch[_REST]
    others, squares = scratch[_OTHERS], scratch[_SQUARES]
    others[:size] = 0.0
    squares[:size] = 0.0
    for j in range(columns.shape[0]):
        _add_others(columns[j], code, float(j), others[:size], squares)
    _set_errors(true[:size], rest, others, terms[GIVEN], terms[ABSOLUTE])
    _set_squares(true[:size], rest, squares, terms[SQUARE], terms[PULL])
    _set_spherical(true[:size], squares, terms[SPHERICAL])
    cumulative, gaps, spread = scratch[_FIRST], terms[RANKED], terms[SPREAD]
    cumulative[:size] = 0.0
    gaps[:size] = 0.0
    spread[:size] = 0.0
    last = columns.shape[0] - 1
    for j in range(last):
        _add_gap(columns[j], code, float(j), cumulative[:size], gaps)
    for i in range(size):
        gaps[i] /= last
    for j in range(columns.shape[0]):
        _add_spread(columns[j], squares, spread[:size])


# Few arrays each: the compiler has to see that they are apart. Nothing is contracted or reordered,
# so that a row's terms are those of the array form.
@njit(cache=True, nogil=True, error_model="numpy")
def _set_errors(true: Floats, rest: Floats, others: Floats, given: Floats, error: Floats) -> None:
    for i in range(true.size):
        given[i] = true[i]
    for i in range(true.size):
        error[i] = others[i] + rest[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _set_squares(true: Floats, rest: Floats, squares: Floats, error: Floats, pull: Floats) -> None:
    for i in range(true.size):
        error[i] = squares[i] + rest[i] * rest[i]
    for i in range(true.size):
        pull[i] = squares[i] - true[i] * rest[i]


@njit(cache=True, nogil=True, error_model="numpy")
def _set_spherical(true: Floats, squares: Floats, spherical: Floats) -> None:
    """Set the spherical score, and make the others' squares those of all."""
    for i in range(true.size):
        squares[i] += true[i] * true[i]
    for i in range(true.size):
        spherical[i] = true[i] / np.sqrt(squares[i])


@njit(cache=True, nogil=True, error_model="numpy")
def _add_others(p: Floats, code: Floats, j: float, others: Floats, squares: Floats) -> None:
    for i in range(others.size):
        other = 0.0 if code[i] == j else p[i]
        others[i] += other
        squares[i] += other * other


@njit(cache=True, nogil=True, error_model="numpy")
def _add_gap(p: Floats, code: Floats, j: float, cumulative: Floats, gaps: Floats) -> None:
    for i in range(cumulative.size):
        sum_so_far = cumulative[i] + p[i]
        gap = sum_so_far - (1.0 if code[i] <= j else 0.0)
        cumulative[i] = sum_so_far
        gaps[i] += gap * gap


@njit(cache=True, nogil=True, error_model="numpy")
def _add_spread(p: Floats, squares: Floats, spread: Floats) -> None:
    for i in range(spread.size):
        away = p[i] - squares[i]
        spread[i] += p[i] * (away * away)


@njit(cache=True, nogil=True, error_model="numpy")
def _add_places(p: Floats, true: Floats, above: Floats, equal: Floats) -> None:
    for i in range(above.size):
        above[i] += 1.0 if p[i] > true[i] else 0.0
        equal[i] += 1.0 if p[i] == true[i] else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _tops(columns: Floats, scratch: Floats, sizes: Floats, terms: Floats, size: int) -> None:
    """Set whether the true class is among so many; a tie at the cut in proportion."""
    above, equal = scratch[_FIRST], scratch[_SECOND]
    above[:size] = 0.0
    equal[:size] = 0.0
    for j in range(columns.shape[0]):
        _add_places(columns[j], scratch[_TRUE], above[:size], equal)
    for t in range(sizes.size):
        for i in range(size):
            inside = (sizes[t] - above[i]) / equal[i]
            inside = inside if inside > 0.0 else 0.0
            terms[t, i] = inside if inside < 1.0 else 1.0


@njit(cache=True, nogil=True, error_model="numpy")
def _logs(scratch: Floats, least: Floats, tiny: int, terms: Floats, size: int) -> None:
    """Set the logarithms of the true class's probability, as they are and clipped."""
    true, rest, logs = scratch[_TRUE], scratch[_REST], terms[LOG]
    for i in range(size):
        logs[i] = logarithm(true[i], rest[i])
    if tiny:
        for i in range(size):
            if true[i] < SMALLEST_NORMAL:
                logs[i] = np.log(true[i])
    for t in range(least.size):
        for i in range(size):
            log = logs[i]
            terms[MORE + t, i] = log if log > least[t] else least[t]


@njit(cache=True, nogil=True, error_model="numpy")
def _information(y: Codes, scratch: Floats, shares: Floats, terms: Floats) -> None:
    """Set what is gained over the shares, in nats."""
    true, rest = scratch[_TRUE], scratch[_REST]
    other_logs, gains = scratch[_LOG], terms[INFORMATION]
    for i in range(y.size):
        other_logs[i] = logarithm(rest[i], true[i])
    for i in range(y.size):
        gain = terms[LOG, i] - shares[1, y[i]]
        loss = shares[2, y[i]] - other_logs[i]
        gains[i] = gain if true[i] >= shares[0, y[i]] else loss


# A class may get all rows or few, so there are no blocks to sum: each addition keeps what it loses.
@njit(cache=True, nogil=True, error_model="numpy")
def _deal(y: Codes, w: Floats, terms: Floats, totals: Floats, lost: Floats) -> None:
    """Add each row's terms to its class."""
    for i in range(y.size):
        k = y[i]
        for t in range(terms.shape[0]):
            before, term = totals[k, t], w[i] * terms[t, i]
            after = before + term
            shadow = after - before
            lost[k, t] += (before - (after - shadow)) + (term - shadow)
            totals[k, t] = after


@njit(cache=True, nogil=True, error_model="numpy")
def _receive(p: Floats, y: Codes, w: Floats, totals: Floats, lost: Floats) -> None:
    """Add each row's probabilities to its class."""
    for i in range(y.size):
        k = y[i]
        for j in range(p.shape[1]):
            before, term = totals[k, j], w[i] * p[i, j]
            after = before + term
            shadow = after - before
            lost[k, j] += (before - (after - shadow)) + (term - shadow)
            totals[k, j] = after
