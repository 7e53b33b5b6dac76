"""Resamples by counts: how often each example is drawn, laid out on rows that are in order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

Counts = npt.NDArray[np.uint8]
Units = npt.NDArray[np.int32]
Positions = npt.NDArray[np.int64]
Seeds = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[Any]

#: Additions may be regrouped into SIMD lanes.
LANES = {"reassoc", "contract", "nsz"}
#: The low half of 64 bits, and what SplitMix64 adds to its state.
LOW, STEP = 0xFFFFFFFF, 0x9E3779B97F4A7C15


@njit(cache=True, nogil=True, inline="always")
def _mixed(state: np.uint64) -> np.uint64:
    """Return the random number of a state."""
    z = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.uint64(z ^ (z >> np.uint64(31)))


@njit(cache=True, nogil=True)
def draw(seeds: Seeds, starts: Positions, counts: Counts) -> None:
    """Draw from each stratum as many units as it has, with replacement, once a seed.

    Random numbers are Steele, Lea and Flood's SplitMix64, each used for two places; a place is the
    high half of a product (Lemire), and those few that would favour some places are drawn again. No
    unit is drawn 256 times: of that the chance is below 1 in 256 factorial.
    """
    low, step = np.uint64(LOW), np.uint64(STEP)
    for r in range(seeds.size):
        counts[r] = 0
        state = seeds[r]
        for s in range(starts.size - 1):
            part = counts[r, starts[s] : starts[s + 1]]
            if part.size == 0:
                continue
            size = np.uint64(part.size)
            refused = np.uint64(1 << 32) % size
            missing = np.int64(part.size % 2)
            for _ in range(part.size // 2):
                state += step
                z = _mixed(state)
                one, other = (z >> np.uint64(32)) * size, (z & low) * size
                good, also = np.uint8((one & low) >= refused), np.uint8((other & low) >= refused)
                part[one >> np.uint64(32)] += good
                part[other >> np.uint64(32)] += also
                missing += 2 - np.int64(good) - np.int64(also)
            while missing > 0:
                state += step
                one = (_mixed(state) >> np.uint64(32)) * size
                if (one & low) >= refused:
                    part[one >> np.uint64(32)] += np.uint8(1)
                    missing -= 1


@njit(cache=True, nogil=True)
def lengths(units: Units, counts: Counts, kept: bool, out: Positions) -> None:
    """Fill in how many examples each resample has: all that are drawn, or those drawn at all."""
    for r in range(counts.shape[0]):
        row = counts[r]
        total = np.int64(0)
        for i in range(units.size):
            count = np.int64(row[units[i]])
            total += (1 if count > 0 else 0) if kept else count
        out[r] = total


@njit(cache=True, nogil=True)
def lay_out(
    units: Units,
    counts: Counts,
    scores: Floats,
    codes: Codes,
    bounds: Positions,
    new_scores: Floats,
    new_codes: Codes,
) -> None:
    """Write every example as often as it is drawn; rows in order stay so.

    There is room for two examples more than the last row has.
    """
    for r in range(counts.shape[0]):
        row = counts[r]
        at = np.uint64(bounds[r])
        one, two = np.uint64(1), np.uint64(2)
        for i in range(units.size):
            count = np.uint64(row[units[i]])
            score, code = scores[i], codes[i]
            # Two in any case: what is too much the next example overwrites.
            new_scores[at] = new_scores[at + one] = score
            new_codes[at] = new_codes[at + one] = code
            if count > two:
                for k in range(at + two, at + count):
                    new_scores[k], new_codes[k] = score, code
            at += count


@njit(cache=True, nogil=True)
def lay_out_weighted(
    units: Units,
    counts: Counts,
    scores: Floats,
    codes: Codes,
    weight: Floats,
    bounds: Positions,
    new_scores: Floats,
    new_codes: Codes,
    new_weight: Floats,
) -> None:
    """Write every example that is drawn once, with its weight as often as it is drawn."""
    for r in range(counts.shape[0]):
        row = counts[r]
        at = bounds[r]
        for i in range(units.size):
            count = row[units[i]]
            if count > 0:
                new_scores[at], new_codes[at] = scores[i], codes[i]
                new_weight[at] = weight[i] * np.float64(count)
                at += 1


@njit(cache=True, nogil=True)
def wins(units: Units, positive: Codes, mixed: Positions, counts: Counts, out: Floats) -> None:
    """Positives, negatives and pairs won; among equal scores the negatives come first.

    So ties count as won, and half of them is taken back: those of the groups that are `mixed`.
    """
    for r in range(counts.shape[0]):
        row = counts[r]
        below = doubled = ones = np.int64(0)
        for i in range(units.size):
            count = np.int64(row[units[i]])
            hits = count * np.int64(positive[i])
            doubled += hits * below
            ones += hits
            below += count - hits
        doubled *= 2
        for g in range(mixed.shape[0]):
            tied = ours = np.int64(0)
            for i in range(mixed[g, 0], mixed[g, 1]):
                count = np.int64(row[units[i]])
                tied += count
                ours += count * np.int64(positive[i])
            doubled -= ours * (tied - ours)
        out[r, 0], out[r, 1] = np.float64(ones), np.float64(below)
        out[r, 2] = 0.5 * np.float64(doubled)


@njit(cache=True, nogil=True, fastmath=LANES)
def _product(counts: Floats, terms: Floats) -> float:
    total = 0.0
    for i in range(counts.size):
        total += counts[i] * terms[i]
    return total


@njit(cache=True, nogil=True)
def sums(units: Units, counts: Counts, bounds: Positions, terms: Floats, out: Floats) -> None:
    """Add up terms (term, example), each as often as its example is drawn: (r, code, term).

    Examples are in the order of their codes, which begin and end at the bounds.
    """
    drawn = np.empty(units.size)
    for r in range(counts.shape[0]):
        row = counts[r]
        for i in range(units.size):
            drawn[i] = np.float64(row[units[i]])
        for c in range(bounds.size - 1):
            begin, end = bounds[c], bounds[c + 1]
            for t in range(terms.shape[0]):
                out[r, c, t] = _product(drawn[begin:end], terms[t, begin:end])


@njit(cache=True, nogil=True)
def information(
    units: Units,
    counts: Counts,
    codes: Positions,
    weight: Floats,
    true: Floats,
    logs: Floats,
    logs_of_rest: Floats,
    out: Floats,
) -> None:
    """Add up the bits gained over the shares that the classes have in the resample."""
    classes = out.shape[1]
    shares, others = np.empty(classes), np.empty(classes)
    for r in range(counts.shape[0]):
        row = counts[r]
        shares[:] = 0.0
        for i in range(units.size):
            shares[codes[i]] += weight[i] * np.float64(row[units[i]])
        total = shares.sum()
        for c in range(classes):
            others[c] = (total - shares[c]) / total
            shares[c] /= total
        out[r] = 0.0
        for i in range(units.size):
            mass = weight[i] * np.float64(row[units[i]])
            if mass > 0.0:
                c = codes[i]
                if true[i] >= shares[c]:
                    out[r, c] += mass * (logs[i] - np.log(shares[c]))
                else:
                    out[r, c] += mass * (np.log(others[c]) - logs_of_rest[i])
        out[r] /= np.log(2.0)
