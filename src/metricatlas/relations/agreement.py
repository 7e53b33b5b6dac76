"""Agreement: which pairs of objects two measures order alike, differently, or not at all.

The degrees of consistency and discriminancy are those of Ling, Huang and Zhang (2003), as
huang2007 and jurman2010 use them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.predictions.containers import read_columns, read_table
from metricatlas.relations.counting import Counts, counted, in_places, total

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metricatlas.summaries.facts import Array


@dataclass(frozen=True)
class Agreement:
    """How two measures f and g agree over all pairs of objects.

    Counts are whole numbers, of any size; masses where the objects have weights.

    >>> Agreement(R=8, S=2, P=3, Q=1).verdict
    'consistent and finer'
    """

    #: Pairs that both put in the same order.
    R: float
    #: Pairs that they put in opposite orders.
    S: float
    #: Pairs that f tells apart and g does not.
    P: float
    #: Pairs that g tells apart and f does not.
    Q: float
    #: Pairs that neither tells apart.
    ties: float = 0

    @property
    def consistency(self) -> float:
        """The degree of consistency, R / (R + S); NaN where no pair is ordered by both."""
        return _ratio(self.R, self.R + self.S)

    @property
    def discriminancy(self) -> float:
        """The degree of discriminancy of f over g, P / Q; infinite, or NaN, where Q is 0."""
        return _ratio(self.P, self.Q)

    @property
    def consistent(self) -> bool:
        """Whether they agree on more than half of the pairs that both order."""
        return self.R > self.S

    @property
    def finer(self) -> bool:
        """Whether f tells more pairs apart that g does not than the other way round."""
        return self.P > self.Q

    @property
    def verdict(self) -> str:
        """Both in words; what cannot be said is undecided."""
        known = self.R + self.S > 0
        first = ("consistent" if self.consistent else "not consistent") if known else "undecided"
        second = ("finer" if self.finer else "not finer") if self.P + self.Q > 0 else "equally fine"
        joined = "and" if first.startswith("not") == second.startswith("not") else "but"
        return f"{first} {joined} {second}"

    @property
    def ties_broken(self) -> float:
        """Share of the pairs that f ties which g tells apart: what f:g adds to f."""
        return _ratio(self.Q, self.Q + self.ties)

    @property
    def kendall(self) -> float:
        """Kendall's tau-b; NaN where one of them is constant."""
        by_f, by_g = self.R + self.S + self.P, self.R + self.S + self.Q
        if not (by_f and by_g):
            return np.nan
        # One root of the product: the same twice is exactly 1, and f and g may change places.
        return min(max((self.R - self.S) / _root_of_product(by_f, by_g), -1.0), 1.0)

    @property
    def reversed(self) -> Agreement:
        """The same of g and f."""
        return Agreement(self.R, self.S, self.Q, self.P, self.ties)

    @property
    def pairs(self) -> float:
        """All pairs."""
        return self.R + self.S + self.P + self.Q + self.ties

    # The names that the studies and their worked cases use.

    @property
    def C(self) -> float:  # noqa: N802 - as it is written in the papers
        """The degree of consistency."""
        return self.consistency

    @property
    def D_F_over_G(self) -> float:  # noqa: N802 - as it is written in the papers
        """The degree of discriminancy of f over g."""
        return self.discriminancy

    @property
    def D_G_over_F(self) -> float:  # noqa: N802 - as it is written in the papers
        """The degree of discriminancy of g over f."""
        return self.reversed.discriminancy

    def __str__(self) -> str:
        return (
            f"C = {self.consistency:.4g}, D = {self.discriminancy:.4g}: f is {self.verdict} "
            f"(R {self.R:,}, S {self.S:,}, P {self.P:,}, Q {self.Q:,})"
        )


def _ratio(part: float, whole: float) -> float:
    """Divide, also whole numbers that no float holds."""
    if not whole:
        return np.inf if part > 0 else np.nan
    try:
        return float(part / whole)
    except OverflowError:
        return np.inf


def _root_of_product(one: float, other: float) -> float:
    """The root of a product, also of whole numbers that no float holds."""
    try:
        return math.sqrt(one * other)
    except OverflowError:
        return math.isqrt(int(one) * int(other))


def agreement(
    f: object,
    g: object,
    *,
    weights: object = None,
    within: object = None,
    tolerance: float = 0.0,
) -> Agreement:
    """Compare two measures over all pairs of objects.

    Parameters
    ----------
    f, g
        A value for each object, higher is better; for a two-level measure both levels, (n, 2), of
        which the second breaks the ties of the first.
    weights
        A weight for each object; a pair counts by the product of its two.
    within
        A group for each object: only pairs of one group count.
    tolerance
        Values are tied where they differ by no more than this; the levels of a two-level measure
        where a chain of such steps joins them. Sums of logarithms need some 1e-10.

    Returns
    -------
    Agreement
        The counts R, S, P and Q, and what follows from them.

    Examples
    --------
    >>> import metricatlas as ma
    >>> ma.agreement([1, 2, 2, 3], [1, 3, 2, 2])
    Agreement(R=3, S=1, P=1, Q=1, ties=0)
    """
    one, other = _read(f, "f"), _read(g, "g")
    if len(one) != len(other):
        msg = f"f and g must have a value for each object; got {len(one)} and {len(other)}."
        raise RelationError(msg)
    check_tolerance(tolerance)
    mass = None if weights is None else _read_weights(weights, len(one))
    return over_groups(one, other, mass, _groups(within, len(one)), tolerance)


def check_tolerance(tolerance: object) -> None:
    """Refuse what is no number from 0 on."""
    number = isinstance(tolerance, int | float | np.number) and not isinstance(tolerance, bool)
    if not number or not 0 <= tolerance < np.inf:  # type: ignore[operator]
        msg = f"tolerance must be a number from 0 on; got {tolerance!r}."
        raise RelationError(msg)


def over_groups(
    f: Array, g: Array, weight: Array | None, groups: Iterable[Array | None], tolerance: float = 0.0
) -> Agreement:
    """Add up the pairs of each group, given by its rows; None is all rows."""
    counts: list[Counts] = []
    for rows in groups:
        here = slice(None) if rows is None else rows
        mass = None if weight is None else weight[here]
        counts.append(counted_levels(f[here], g[here], mass, tolerance))
    return Agreement(*total(counts))


def counted_levels(f: Array, g: Array, weight: Array | None, tolerance: float) -> Counts:
    """Count pairs; of two-level measures, (n, 2), the levels are tied by chains already."""
    (one, first), (other, second) = (_as_one_level(v, tolerance) for v in (f, g))
    return counted(one, other, weight, (first, second))


def _read(values: object, name: str) -> Array:
    table = read_table(values, name).values
    if table.dtype.kind not in "biuf" or table.ndim > 2 or (table.ndim == 2 and len(table.T) != 2):
        msg = (
            f"{name} must be numbers, one for each object, or two for a two-level measure; got "
            f"{table.dtype} of the shape {table.shape}."
        )
        raise RelationError(msg)
    numbers = np.ascontiguousarray(table, dtype=np.float64)
    missing = np.isnan(numbers)
    if missing.any():
        rows = missing.any(axis=1) if missing.ndim == 2 else missing
        msg = (
            f"{name} must be defined for every object; got {int(rows.sum())} NaN, the first in row "
            f"{int(rows.argmax())} (counted from 0). Drop these objects from both measures."
        )
        raise RelationError(msg)
    return numbers


def _read_weights(weights: object, count: int) -> Array:
    mass = _read(weights, "weights")
    if mass.shape != (count,):
        msg = f"weights must have one for each of the {count} objects; got {mass.shape}."
        raise RelationError(msg)
    wrong = ~(np.isfinite(mass) & (mass >= 0))
    if wrong.any():
        msg = (
            f"weights must be finite and not negative; got {int(wrong.sum())} others, the first "
            f"{mass[wrong][0]} in row {int(wrong.argmax())} (counted from 0)."
        )
        raise RelationError(msg)
    return mass


def _groups(within: object, count: int) -> list[Array | None]:
    """The rows of each group."""
    if within is None or count == 0:
        return [None]
    import pandas as pd

    named = hasattr(within, "columns")
    tables = read_columns(within, "within") if named else (read_table(within, "within"),)
    came = len(tables[0].values)
    if came != count:
        msg = f"within must have a group for each of the {count} objects; got {came}."
        raise RelationError(msg)
    columns = [column for table in tables for column in table.values.reshape(count, -1).T]
    frame = pd.DataFrame(dict(enumerate(columns)))
    codes = frame.groupby(list(frame.columns), dropna=False).ngroup().to_numpy()
    order = codes.argsort(kind="stable")
    cuts = np.flatnonzero(np.diff(codes[order])) + 1
    return list(np.split(order, cuts))


def _as_one_level(values: Array, tolerance: float) -> tuple[Array, float]:
    """Values, or numbers that order as pairs of levels do; and the tolerance that is left."""
    if values.ndim == 1:
        return values, tolerance
    first, second = (chained(level, tolerance) for level in values.T)
    return lexicographic(first, second).astype(np.float64), 0.0


def lexicographic(first: Array, second: Array) -> Array:
    """Numbers in the order of pairs of places: by the first, ties by the second."""
    return first * (float(second.max(initial=0)) + 1.0) + second


def chained(values: Array, tolerance: float) -> Array:
    """Places of values; those that a chain of steps within the tolerance joins are one place."""
    if not tolerance:
        return in_places(values)[0]
    order = values.argsort(kind="stable")
    ordered = values[order]
    with np.errstate(invalid="ignore"):
        apart = ~(ordered[1:] - ordered[:-1] <= tolerance) & (ordered[1:] != ordered[:-1])
    places = np.empty(len(values), np.int64)
    places[order] = np.concatenate([[0], np.add.accumulate(apart, dtype=np.int64)])
    return places


def levels_of(values: Any) -> Array:
    """One column that orders as a two-level measure's levels do."""
    return lexicographic(*(in_places(np.asarray(level))[0] for level in np.asarray(values).T))
