"""The facts of `Probabilities`, scan form: one pass over blocks of examples, in Numba."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

from metricatlas.summaries.kernels import probability_classes_scan as classes_scan
from metricatlas.summaries.kernels import probability_columns_scan as columns_scan
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array, Request

# Sums of two classes, in the order in which the scan keeps them.
MASS, GIVEN, REST, SQUARE, PULL, SPREAD, RIGHT, SPHERICAL, LOG, INFORMATION, CLIPPED = range(11)

#: Facts of two classes: which sum, how often. The rest counts for both classes.
_TWO_CLASSES = {
    "mass": (MASS, 1.0),
    "given": (GIVEN, 1.0),
    "absolute_error": (REST, 2.0),
    "square_error": (SQUARE, 2.0),
    "ranked": (SQUARE, 1.0),
    "pull": (PULL, 1.0),
    "spread": (SPREAD, 1.0),
    "spherical": (SPHERICAL, 1.0),
    "log": (LOG, 1.0),
    "information": (INFORMATION, 1.0),
}
_MANY_CLASSES = {
    "mass": classes_scan.MASS,
    "given": classes_scan.GIVEN,
    "absolute_error": classes_scan.ABSOLUTE,
    "square_error": classes_scan.SQUARE,
    "ranked": classes_scan.RANKED,
    "pull": classes_scan.PULL,
    "spread": classes_scan.SPREAD,
    "spherical": classes_scan.SPHERICAL,
    "log": classes_scan.LOG,
    "information": classes_scan.INFORMATION,
}


def probabilities_facts(
    values: Array,
    truth: Array,
    weight: Array | None,
    starts: Array,
    classes: int,
    requests: Sequence[Request],
) -> dict[Request, Array]:
    """Sums of row terms by true class: ``(k * s, classes)``, or a matrix for `received`.

    ``values`` is ``(k, n)``, the probability of the second of two classes, or ``(k, n, c)``.
    """
    examples = (
        np.ascontiguousarray(values, dtype=np.float64),
        np.ascontiguousarray(truth, dtype=np.uint8 if classes <= 256 else np.int64),
        np.ascontiguousarray([] if weight is None else weight, dtype=np.float64),
        weight is not None,
        np.ascontiguousarray(starts, dtype=np.int64),
    )
    form = _facts_of_two if values.ndim == 2 else _facts_of_many
    return form(examples, len(values) * (len(starts) - 1), classes, requests)


def _arguments(name: str, requests: Sequence[Request]) -> list[float]:
    return [arguments[0] for asked, arguments in requests if asked == name]


def _logs_of(numbers: list[float]) -> Array:
    return np.log(np.array(numbers, dtype=np.float64))


def _facts_of_two(
    examples: tuple[Any, ...], rows: int, _classes: int, requests: Sequence[Request]
) -> dict[Request, Array]:
    least = _arguments("log_clipped", requests)
    names = {name for name, _ in requests}
    gains = "information" in names
    wanted = np.array(
        [
            "spherical" in names,
            gains or bool(least) or not names.isdisjoint(("log", "column_logs")),
            gains,
        ]
    )
    sums = np.empty((CLIPPED + len(least), rows, 2))
    _two_classes(*(*examples, _logs_of(least), wanted, sums))

    def fact(name: str, arguments: tuple[Any, ...]) -> Array:
        if name == "received":
            # What rows of the first class give to the second is their rest.
            own, rest = sums[GIVEN], sums[REST]
            first, second = (own[:, 0], rest[:, 1]), (rest[:, 0], own[:, 1])
            return np.stack([*first, *second], axis=-1).reshape(rows, 2, 2)
        if name in ("column_squares", "column_logs"):
            # Both columns of a row are as far from the truth.
            own = sums[LOG if name == "column_logs" else SQUARE]
            return np.stack([own, own], axis=-2)
        if name == "log_clipped":
            return sums[CLIPPED + least.index(arguments[0])]
        if name == "top":
            return sums[RIGHT if arguments[0] == 1 else MASS]
        index, times = _TWO_CLASSES[name]
        return sums[index] if times == 1.0 else sums[index] * times

    return {(name, arguments): fact(name, arguments) for name, arguments in requests}


def _facts_of_many(
    examples: tuple[Any, ...], rows: int, classes: int, requests: Sequence[Request]
) -> dict[Request, Array]:
    least, sizes = _arguments("log_clipped", requests), _arguments("top", requests)
    names = {name for name, _ in requests}
    gains = "information" in names
    wanted = np.array([gains or "log" in names or bool(least), gains, "received" in names])
    sums = np.empty((classes_scan.MORE + len(least) + len(sizes), rows, classes))
    received = np.empty((rows if "received" in names else 0, classes, classes))
    tops = np.array(sizes, dtype=np.float64)
    classes_scan.many_classes(*(*examples, _logs_of(least), tops, wanted, sums, received))
    facts: dict[Request, Array] = {}
    for name, arguments in requests:
        if name in ("column_squares", "column_logs"):
            facts[name, arguments] = np.empty((rows, classes, classes))
            logs = name == "column_logs"
            columns_scan.column_errors(*(*examples, logs, facts[name, arguments]))
            continue
        if name == "log_clipped":
            index = classes_scan.MORE + least.index(arguments[0])
        elif name == "top":
            index = classes_scan.MORE + len(least) + sizes.index(arguments[0])
        else:
            index = _MANY_CLASSES.get(name, 0)
        facts[name, arguments] = received if name == "received" else sums[index]
    return facts


@njit(cache=True, nogil=True, error_model="numpy")
def _two_classes(
    values: Floats,
    truth: Codes,
    weight: Floats,
    weighted: bool,
    starts: Positions,
    least: Floats,
    wanted: Codes,
    sums: Floats,
) -> None:
    """Fill the sums: which, row, class."""
    segments = starts.size - 1
    size = 2 * sums.shape[0]
    block, totals, lost = np.zeros(size), np.empty(size), np.empty(size)
    p_true, p_rest, logs = np.empty(BLOCK), np.empty(BLOCK), np.empty(BLOCK)
    ones = np.ones(BLOCK)
    for segment in range(segments):
        start, end = starts[segment], starts[segment + 1]
        own = other = 0.0
        for model in range(values.shape[0]):
            y = truth[model if truth.shape[0] > 1 else 0]
            if model < truth.shape[0]:
                own, other = _masses(y, weight, weighted, start, end)
            totals[:] = 0.0
            lost[:] = 0.0
            for low in range(start, end, BLOCK):
                high = min(low + BLOCK, end)
                w = weight[low:high] if weighted else ones[: high - low]
                tiny = _moments(values[model, low:high], y[low:high], w, p_true, p_rest, block)
                if wanted[0]:
                    _spherical(y[low:high], w, p_true, p_rest, block)
                if wanted[1]:
                    _logs(y[low:high], w, p_true, p_rest, tiny, logs, block)
                    smallest = _smallest(logs, high - low)
                    for i in range(least.size):
                        if smallest < least[i]:
                            _clipped(y[low:high], w, logs, least[i], block, CLIPPED + i)
                        else:
                            block[2 * (CLIPPED + i)] = block[2 * LOG]
                            block[2 * (CLIPPED + i) + 1] = block[2 * LOG + 1]
                if wanted[2]:
                    _information(y[low:high], w, p_true, p_rest, logs, own, other, block)
                add_compensated(totals, lost, block)
            _settle(totals, lost, sums, model * segments + segment)


@njit(cache=True, nogil=True, error_model="numpy")
def _settle(totals: Floats, lost: Floats, sums: Floats, row: int) -> None:
    """Write what the blocks have come to."""
    for i in range(sums.shape[0]):
        sums[i, row, 0] = settled(totals[2 * i], lost[2 * i])
        sums[i, row, 1] = settled(totals[2 * i + 1], lost[2 * i + 1])
    sums[INFORMATION, row, 0] /= LN2
    sums[INFORMATION, row, 1] /= LN2


@njit(cache=True, nogil=True, error_model="numpy")
def _masses(y: Codes, weight: Floats, weighted: bool, start: int, end: int) -> tuple[float, float]:
    """Return the mass of the first and of the second class."""
    total, lost, block = np.zeros(2), np.zeros(2), np.zeros(2)
    for low in range(start, end, BLOCK):
        high = min(low + BLOCK, end)
        if weighted:
            _mass(y[low:high], weight[low:high], block)
        else:
            block[1] = _count(y[low:high])
            block[0] = high - low - block[1]
        add_compensated(total, lost, block)
    return total[0] + lost[0], total[1] + lost[1]


@njit(cache=True, nogil=True, error_model="numpy")
def _count(y: Codes) -> int:
    count = 0
    for i in range(y.size):
        count += y[i]
    return count


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _mass(y: Codes, w: Floats, block: Floats) -> None:
    """Sum the weights of the two classes."""
    first = second = 0.0
    for i in range(y.size):
        positive, mass = y[i] != 0, w[i]
        first += 0.0 if positive else mass
        second += mass if positive else 0.0
    block[0], block[1] = first, second


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _moments(p: Floats, y: Codes, w: Floats, p_true: Floats, p_rest: Floats, block: Floats) -> int:
    """Sum what needs no roots and logarithms; return how many p are too small for them."""
    m0 = m1 = g0 = g1 = e0 = e1 = q0 = q1 = u0 = u1 = s0 = s1 = r0 = r1 = 0.0
    tiny = 0
    for i in range(p.size):
        positive = y[i] != 0
        q = 1.0 - p[i]
        t = p[i] if positive else q
        e = q if positive else p[i]
        p_true[i] = t
        p_rest[i] = e
        tiny += 1 if t < SMALLEST_NORMAL else 0
        a = 0.0 if positive else w[i]
        b = w[i] if positive else 0.0
        d = e - t
        half = (1.0 if t > e else 0.5) if t >= e else 0.0
        m0 += a
        m1 += b
        g0 += a * t
        g1 += b * t
        e0 += a * e
        e1 += b * e
        q0 += a * (e * e)
        q1 += b * (e * e)
        u0 += a * (e * d)
        u1 += b * (e * d)
        s0 += a * (e * t * (d * d))
        s1 += b * (e * t * (d * d))
        r0 += a * half
        r1 += b * half
    block[2 * MASS], block[2 * MASS + 1] = m0, m1
    block[2 * GIVEN], block[2 * GIVEN + 1] = g0, g1
    block[2 * REST], block[2 * REST + 1] = e0, e1
    block[2 * SQUARE], block[2 * SQUARE + 1] = q0, q1
    block[2 * PULL], block[2 * PULL + 1] = u0, u1
    block[2 * SPREAD], block[2 * SPREAD + 1] = s0, s1
    block[2 * RIGHT], block[2 * RIGHT + 1] = r0, r1
    return tiny


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _spherical(y: Codes, w: Floats, p_true: Floats, p_rest: Floats, block: Floats) -> None:
    first = second = 0.0
    for i in range(y.size):
        positive, t, e = y[i] != 0, p_true[i], p_rest[i]
        term = w[i] * (t / np.sqrt(t * t + e * e))
        first += 0.0 if positive else term
        second += term if positive else 0.0
    block[2 * SPHERICAL], block[2 * SPHERICAL + 1] = first, second


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _logs(
    y: Codes, w: Floats, p_true: Floats, p_rest: Floats, tiny: int, logs: Floats, block: Floats
) -> None:
    for i in range(y.size):
        logs[i] = logarithm(p_true[i], p_rest[i])
    if tiny:
        for i in range(y.size):
            if p_true[i] < SMALLEST_NORMAL:
                logs[i] = np.log(p_true[i])
    _clipped(y, w, logs, -np.inf, block, LOG)


@njit(cache=True, nogil=True, error_model="numpy")
def _smallest(logs: Floats, count: int) -> float:
    """Return the smallest logarithm, or 0.

    None is positive, so that they order as their bits do, the other way round.
    """
    bits = logs.view(np.uint64)
    largest = np.uint64(0)
    for i in range(count):
        largest = max(largest, bits[i])
    return np.uint64(largest).view(np.float64)


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _clipped(y: Codes, w: Floats, logs: Floats, least: float, block: Floats, place: int) -> None:
    """Sum logarithms, none below the least; selected, because an infinite one times 0 is NaN."""
    first = second = 0.0
    for i in range(y.size):
        positive, log = y[i] != 0, logs[i]
        term = w[i] * (log if log > least else least)
        first += 0.0 if positive else term
        second += term if positive else 0.0
    block[2 * place], block[2 * place + 1] = first, second


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _information(
    y: Codes,
    w: Floats,
    p_true: Floats,
    p_rest: Floats,
    logs: Floats,
    negatives: float,
    positives: float,
    block: Floats,
) -> None:
    """Sum what is gained over the shares, in nats."""
    total = negatives + positives
    share0, share1 = negatives / total, positives / total
    log0, log1 = np.log(share0), np.log(share1)
    first = second = 0.0
    for i in range(y.size):
        positive, t, e = y[i] != 0, p_true[i], p_rest[i]
        gained = t >= (share1 if positive else share0)
        gain = logs[i] - (log1 if positive else log0)
        loss = (log0 if positive else log1) - logarithm(e, t)
        term = w[i] * (gain if gained else loss)
        first += 0.0 if positive else term
        second += term if positive else 0.0
    block[2 * INFORMATION], block[2 * INFORMATION + 1] = first, second
