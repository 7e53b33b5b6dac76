"""What huang2007 proves of two-level measures, so that it can be checked on anything counted."""

from __future__ import annotations

from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING

from metricatlas.relations.agreement import Agreement

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Three measures of three objects: f is consistent with g, and g with h, but f is not with h.
NOT_TRANSITIVE: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {"f": (1, 2, 3), "g": (1, 3, 2), "h": (2, 3, 1)}
)


def of_two_level(fg: Agreement, one: tuple[str, ...], other: tuple[str, ...]) -> Agreement:
    """The agreement of two measures, each of which is f or g, or both of them in some order.

    Everything follows from how f and g agree: a two-level measure orders a pair as its first level
    does, and where that ties as the second. Measures are named by their levels; the first level of
    `one` is f.

    >>> of_two_level(Agreement(R=113, S=1, P=62, Q=4), ("auc", "acc"), ("auc",))
    Agreement(R=176, S=0, P=4, Q=0, ties=0)
    """
    counts = [0, 0, 0, 0, fg.ties]
    # How f and how g order each kind of pair.
    kinds = ((fg.R, 1, 1), (fg.S, 1, -1), (fg.P, 1, 0), (fg.Q, 0, 1))
    for pairs, by_f, by_g in kinds:
        first, second = (
            next((sign for sign in signs if sign), 0)
            for signs in (
                [by_f if level == one[0] else by_g for level in levels] for levels in (one, other)
            )
        )
        place = 4 if not (first or second) else 2 if not second else 3 if not first else None
        counts[(0 if first == second else 1) if place is None else place] += pairs
    return Agreement(*counts)


def finer_is_transitive(fg: Agreement, gh: Agreement, fh: Agreement) -> bool:
    """Whether Theorem 1 holds: what is finer than something finer is finer."""
    return fh.finer or not (fg.finer and gh.finer)


def two_level_is_finer(fg: Agreement, with_f: Agreement, with_g: Agreement) -> bool:
    """Whether Theorem 2 holds, given how f:g agrees with f and with g.

    If f is finer than g but does not tell apart all that g does, then f:g never contradicts f, is
    as consistent with g as f is or more, and tells apart all that each of them does, and more.
    """
    if not fg.finer or not fg.Q:
        return True
    finer = with_f.discriminancy == with_g.discriminancy == inf
    # Where no pair is ordered by both, f and g have no degree of consistency to keep.
    return finer and with_f.consistency == 1 and not with_g.consistency < fg.consistency
