"""Every ranked list of n examples with k positives, as huang2007 compares measures on them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.measures.language import parse
from metricatlas.measures.terms import Term, TwoLevel
from metricatlas.predictions.numbers import is_whole, listed
from metricatlas.relations.agreements import agreements
from metricatlas.relations.theory.counts_of_lists import agreement_of_area_and_accuracy
from metricatlas.relations.theory.theorems import of_two_level
from metricatlas.summaries import Confusion, TwoByTwo

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd

    from metricatlas.measurements import Measurements
    from metricatlas.relations.agreement import Agreement
    from metricatlas.relations.agreements import Agreements

#: So many lists are written down at most; more are only counted.
MOST = 400_000
#: Areas by accuracies that are counted at most.
MOST_CELLS = 6_000_000
#: Measures of information retrieval, of which two-level measures may be made.
RETRIEVAL = ("ap", "f1", "bep", "precision_at_k[k=3]", "auc", "acc")
#: Values differ by rounding where they are equal.
SAME = 1e-10


@dataclass(frozen=True)
class RankedLists:
    """All orders of so many positives among n examples, each as likely as any other."""

    n: int
    positives: int
    #: So many of the highest places are decided positive.
    cut: int

    @property
    def count(self) -> int:
        """How many lists there are."""
        return comb(self.n, self.positives)

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return True

    def agreement(self, f: str, g: str) -> Agreement:
        """Compare two measures over all pairs of lists.

        "auc" and "acc", and the two-level measures of these two, are counted without writing lists
        down; others are evaluated on every list. Of equal lists only different ones are a pair.
        """
        first, second = (self._counted(name) for name in (f, g))
        if first and second:
            self._check_size()
            return _of_two(first, second, self)
        found = self.agreements([f, g])
        return found[found.names[0], found.names[1]]

    def _check_size(self) -> None:
        """Refuse what would take hours: a table of areas by accuracies, of numbers that long."""
        areas = self.positives * (self.n - self.positives) + 1
        if areas * min(self.positives, self.cut) > MOST_CELLS:
            msg = (
                f"lists are counted up to n = 350 or so; {self.n} with {self.positives} positives "
                f"have {areas:,} different areas. Take shorter lists."
            )
            raise RelationError(msg)

    def _counted(self, name: str) -> tuple[str, ...]:
        """The levels of a measure of area and accuracy; none of others."""
        levels = tuple(part.name for part in _levels(name))
        return levels if set(levels) <= {"auc", "acc"} else ()

    def agreements(self, measures: Iterable[str]) -> Agreements:
        """Compare every two of some measures over all pairs of lists."""
        return agreements(self.measurements(measures), within=None, tolerance=SAME)

    def measurements(self, measures: Iterable[str]) -> Measurements:
        """Evaluate measures on every list; those of decisions with the upper part positive."""
        from metricatlas.evaluation import evaluate

        if self.count > MOST:
            msg = (
                f"at most {MOST:,} lists are evaluated; there are {self.count:,}. Of more only "
                f"'auc' and 'acc' and their two-level measures are counted."
            )
            raise RelationError(msg)
        places = np.array(list(combinations(range(self.n), self.positives)), dtype=np.int64)
        truth = np.zeros((len(places), self.n), dtype=np.int64)
        np.put_along_axis(truth, places, 1, axis=1)
        scores = np.tile(np.arange(1.0, self.n + 1), (len(places), 1))[:, :, np.newaxis]
        names = [self.at_cut(name) for name in listed(measures)]
        return evaluate(truth, scores, measures=names, kind="scores", labels=[0, 1])

    def at_cut(self, name: str) -> str:
        """Name a measure so that those of decisions look at the upper part of the list."""
        return ":".join(self._at_cut(part) for part in _levels(name))

    def _at_cut(self, part: Term) -> str:
        decides = part.declaration.summary in (TwoByTwo, Confusion) and part.point is None
        if not decides:
            return part.name
        # The highest none are named by a score that none is above; scores are places, from 1 on.
        return f"{part.name}@top={self.cut}" if self.cut else f"{part.name}@{self.n}"

    def two_level_measures(self, measures: Iterable[str] = RETRIEVAL) -> pd.DataFrame:
        """Search for two-level measures f:g that are finer than both, and consistent with both.

        They are where f is consistent with g and finer, but does not tell everything apart that g
        does (Theorem 2 of huang2007): ``better`` says where.
        """
        import pandas as pd

        names = list(measures)
        found = self.agreements(names)
        lines = []
        for (i, f), (j, g) in permutations(enumerate(names), 2):
            pair = found[found.names[i], found.names[j]]
            lines.append(
                {
                    "measure": f"{f}:{g}",
                    "consistency": pair.consistency,
                    "discriminancy": pair.discriminancy,
                    "ties_broken": pair.ties_broken,
                    "better": pair.consistent and pair.finer and pair.Q > 0,
                }
            )
        table = pd.DataFrame(lines)
        return table.sort_values(
            ["better", "ties_broken"], ascending=False, kind="stable", ignore_index=True
        )


def _levels(name: str) -> tuple[Term, ...]:
    measure = parse(name)
    if isinstance(measure, TwoLevel):
        return measure.parts
    if isinstance(measure, Term):
        return (measure,)
    msg = f"lists are compared by measures and two-level measures; got {measure.name}."
    raise RelationError(msg)


def _of_two(f: tuple[str, ...], g: tuple[str, ...], lists: RankedLists) -> Agreement:
    """The agreement of two measures, each of which is area or accuracy, or both in some order."""
    base = agreement_of_area_and_accuracy(lists.n, lists.positives, lists.cut)
    levels = {"auc": base, "acc": base.reversed}
    return of_two_level(levels[f[0]], f, g)


def ranked_lists(n: int, positives: int | None = None, *, cut: int | None = None) -> RankedLists:
    """All ranked lists of n examples, counted rather than listed where that can be.

    Parameters
    ----------
    n
        How many examples a list has.
    positives
        How many of them are positive; half of them by default.
    cut
        How many of the highest places are decided positive; half of them by default.

    Examples
    --------
    >>> import metricatlas as ma
    >>> ma.ranked_lists(6).agreement("auc", "acc")
    Agreement(R=113, S=1, P=62, Q=4, ties=10)
    """
    if not is_whole(n) or n < 1:
        msg = f"n must be a whole number from 1 on; got {n!r}."
        raise RelationError(msg)
    count = n // 2 if positives is None else positives
    upper = n // 2 if cut is None else cut
    for name, number in (("positives", count), ("cut", upper)):
        if not is_whole(number) or not 0 <= number <= n:
            msg = f"{name} must be a whole number from 0 to n = {n}; got {number!r}."
            raise RelationError(msg)
    return RankedLists(int(n), int(count), int(upper))
