"""Pairs of objects, counted by how two measures order them.

Few objects are compared by plain arrays, all with all; many are counted while a compiled scan runs
over them in order. Both give the same counts, and masses up to the order in which they are added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

#: Up to so many objects plain arrays are quick enough, and need nothing compiled or imported.
FEW = 600
#: Up to so many objects all columns of a table are compared by products of matrices.
FEW_TOGETHER = 100


class Counts(NamedTuple):
    """Pairs, or masses of pairs: whole numbers where the objects have no weights."""

    #: Both measures put the pair in the same order.
    same: float
    #: They put it in opposite orders.
    opposite: float
    #: The first tells it apart, the second does not.
    first_only: float
    #: The second tells it apart, the first does not.
    second_only: float
    #: Neither tells it apart.
    neither: float


NOTHING = Counts(0, 0, 0, 0, 0)
#: By how much values of each of two measures may differ and still be tied.
Tolerances = tuple[float, float]
EXACT: Tolerances = (0.0, 0.0)


def total(counts: list[Counts]) -> Counts:
    """Add up counts of different groups."""
    return Counts(*(sum(kind) for kind in zip(*counts, strict=True))) if counts else NOTHING


def counted(
    f: Array, g: Array, weight: Array | None = None, tolerances: Tolerances = EXACT
) -> Counts:
    """Count the pairs of objects with these values; NaN must not be among them."""
    if len(f) <= FEW:
        return _compared(f, g, weight, tolerances)
    if weight is None and tolerances == EXACT:
        (f_places, f_order), (g_places, _) = in_places(f), in_places(g)
        return counted_places(f_places, g_places, f_order)
    return _weighed(f, g, weight, tolerances)


def counted_together(values: Array) -> tuple[Array, ...]:
    """Count the pairs of objects for all pairs of columns at once, in the order of `Counts`.

    Each count is a matrix, of which rows are f.

    A product of matrices compares all columns: the signs of all pairs of objects have room where
    these are few.
    """
    one, other = np.triu_indices(len(values), 1)
    above, below = values[one] > values[other], values[one] < values[other]
    signs = above.astype(np.float64) - below
    apart = np.abs(signs)
    difference, both = signs.T @ signs, apart.T @ apart
    own = apart.sum(axis=0)
    same, opposite = (both + difference) / 2, (both - difference) / 2
    first, second = own[:, np.newaxis] - both, own - both
    return same, opposite, first, second, len(one) - both - first - second


def in_places(values: Array) -> tuple[Array, Array]:
    """Whole numbers in the order of the values, equal for equal values; and the order."""
    order = values.argsort()
    ordered = values.take(order)
    steps = np.empty(len(values), np.int32)
    steps[:1] = 0
    np.not_equal(ordered[1:], ordered[:-1], out=steps[1:], casting="unsafe")
    places = np.empty(len(values), np.int32)
    places[order] = np.add.accumulate(steps, dtype=np.int32)
    return places, order.astype(np.int32)


def counted_places(f: Array, g: Array, order: Array) -> Counts:
    """Count pairs on places, given the order of the first."""
    from metricatlas.relations.counting_scan import count_pairs

    values = int(g.max(initial=-1)) + 1
    found = count_pairs(f, g, order, values)
    return Counts(*found, len(f) * (len(f) - 1) // 2 - sum(found))


def _compared(f: Array, g: Array, weight: Array | None, tolerances: Tolerances) -> Counts:
    """Compare all with all."""
    one, other = np.triu_indices(len(f), 1)
    by_f, by_g = (
        _signs(v.take(one), v.take(other), tolerance)
        for v, tolerance in zip((f, g), tolerances, strict=True)
    )
    kinds = np.where(
        by_f == 0, np.where(by_g == 0, 4, 3), np.where(by_g == 0, 2, np.where(by_f == by_g, 0, 1))
    )
    if weight is None:
        return Counts(*np.bincount(kinds, minlength=5).tolist())
    masses = weight.take(one) * weight.take(other)
    return Counts(*np.bincount(kinds, masses, minlength=5).tolist())


def _signs(one: Array, other: Array, tolerance: float) -> Array:
    """1, 0 or -1 for each pair; infinite values tie with each other only."""
    above, below = one > other, one < other
    if tolerance:
        with np.errstate(invalid="ignore"):
            close = np.abs(one - other) <= tolerance
        above, below = above & ~close, below & ~close
    return above.astype(np.int8) - below


def _weighed(f: Array, g: Array, weight: Array | None, tolerances: Tolerances) -> Counts:
    """Scan twice, because what the second alone tells apart is counted from its side."""
    from metricatlas.relations.counting_scan import count_masses

    held = np.ones(len(f)) if weight is None else weight
    f_order, g_order = f.argsort(kind="stable"), g.argsort(kind="stable")
    same, opposite, first = count_masses(f, g, f_order, g_order, held, *tolerances)
    *_, second = count_masses(g, f, g_order, f_order, held, *tolerances[::-1])
    if weight is None:
        found = int(same), int(opposite), int(first), int(second)
        return Counts(*found, len(f) * (len(f) - 1) // 2 - sum(found))
    everything = float(np.add.reduce(held * (np.add.accumulate(held) - held)))
    neither = everything - (same + opposite + first + second)
    return Counts(same, opposite, first, second, max(neither, 0.0))
