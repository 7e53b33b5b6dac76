"""The agreement of all pairs of columns of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.measurements.columns import known_column
from metricatlas.measurements.sheet import counted
from metricatlas.progress import progress
from metricatlas.relations.agreement import Agreement, check_tolerance, counted_levels
from metricatlas.relations.counting import (
    FEW_TOGETHER,
    Counts,
    counted_places,
    counted_together,
    in_places,
    total,
)
from metricatlas.relations.grouped import DATASET, grouped
from metricatlas.relations.text import notes_as_text
from metricatlas.summaries.fill import threads

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.measurements import Measurements
    from metricatlas.summaries.facts import Array


#: From so many comparisons on, all with all, the compiled scan is quicker, compiling included.
MANY = 2_000_000


class UnknownPairError(RelationError, KeyError):
    """A pair of measures that were not compared."""

    # That of a key error would put the words into quotes.
    __str__ = RelationError.__str__


@dataclass(frozen=True, eq=False, repr=False)
class Agreements(Mapping[tuple[str, str], Agreement]):
    """The agreement of every measure with every other one: ``agreements["auc", "acc"]``."""

    names: tuple[str, ...]
    #: Of each pair of columns, the earlier one first.
    found: Mapping[tuple[str, str], Agreement]
    #: Rows that a pair could not use, because a value is undefined.
    left_out: Mapping[tuple[str, str], int]
    notes: tuple[str, ...] = ()

    def __getitem__(self, pair: Any) -> Agreement:
        if not isinstance(pair, tuple) or len(pair) != 2:
            msg = f"an agreement is asked for by two measures, as in ['auc', 'acc']; got {pair!r}."
            raise UnknownPairError(msg)
        one, other = (self._called(name) for name in pair)
        if (one, other) in self.found:
            return self.found[one, other]
        if (other, one) in self.found:
            return self.found[other, one].reversed
        msg = f"there is no pair {one!r}, {other!r}; the measures are {', '.join(self.names)}."
        raise UnknownPairError(msg)

    def _called(self, name: str) -> str:
        """What a measure is called here, if it goes by another of its names."""
        if name in self.names:
            return name
        asked = known_column(str(name))
        for own in self.names if asked else ():
            known = known_column(own)
            if asked and known and known.measure == asked.measure:
                return own
        return name

    def __repr__(self) -> str:
        head = f"Agreements of {counted(len(self.found), 'pair')} of measures"
        return "\n".join([f"{head}; `.table` lists them.", *notes_as_text(self.notes)])

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each pair: counts, degrees, verdict."""
        import pandas as pd

        lines = [
            {
                "f": one,
                "g": other,
                "R": a.R,
                "S": a.S,
                "P": a.P,
                "Q": a.Q,
                "ties": a.ties,
                "consistency": a.consistency,
                "discriminancy": a.discriminancy,
                "verdict": a.verdict,
                "ties_broken": a.ties_broken,
                "left_out": self.left_out[one, other],
            }
            for (one, other), a in self.found.items()
        ]
        return pd.DataFrame(lines)

    @cached_property
    def consistency(self) -> pd.DataFrame:
        """The degrees of consistency."""
        return self._matrix(lambda a: a.consistency)

    @cached_property
    def discriminancy(self) -> pd.DataFrame:
        """The degrees of discriminancy of the rows' measures over the columns'."""
        return self._matrix(lambda a: a.discriminancy)

    def _matrix(self, read: Any) -> pd.DataFrame:
        import pandas as pd

        cells = np.full((len(self.names),) * 2, np.nan)
        for i, one in enumerate(self.names):
            for j, other in enumerate(self.names):
                if i != j:
                    cells[i, j] = read(self[one, other])
        return pd.DataFrame(cells, index=list(self.names), columns=list(self.names))


def agreements(
    m: Measurements,
    *,
    within: str | Sequence[str] | None = DATASET,
    tolerance: float = 0.0,
) -> Agreements:
    """Compare every two measures over all pairs of rows of each group.

    Measures are turned so that higher is better; a two-level measure counts as the pair that it
    is. Rows where one of two measures is undefined do not count for these two. Uses all cores, as
    many as METRICATLAS_THREADS says.

    >>> import metricatlas as ma, pandas as pd
    >>> frame = pd.DataFrame({"auc": [0.9, 0.8, 0.8, 0.6], "acc": [0.8, 0.9, 0.7, 0.7]})
    >>> ma.agreements(ma.Measurements.from_frame(frame))["auc", "acc"]
    Agreement(R=3, S=1, P=1, Q=1, ties=0)
    """
    check_tolerance(tolerance)
    table = grouped(m, within, oriented=True)
    # With a tolerance it takes both levels to tell what is tied, without one a number orders both.
    levels = {i: m.levels(i) for i in table.two_level} if tolerance else {}
    groups = list(table.groups.values())
    pairs = list(combinations(range(len(table.names)), 2))
    columns = _Columns(table.ordinal, levels, groups, tolerance)
    found: dict[int, tuple[Agreement, int]] = {}
    with (
        progress(f"Comparing {len(pairs):,} pairs of measures", len(pairs)) as tell,
        ThreadPoolExecutor(threads()) as pool,
    ):
        waiting = {pool.submit(columns.compared, *pair): i for i, pair in enumerate(pairs)}
        for done, future in enumerate(as_completed(waiting), 1):
            found[waiting[future]] = future.result()
            tell(done)
    names = [(table.names[i], table.names[j]) for i, j in pairs]
    return Agreements(
        table.names,
        {pair: found[i][0] for i, pair in enumerate(names)},
        {pair: found[i][1] for i, pair in enumerate(names)},
        table.notes,
    )


class _Columns:
    """Columns put in order once, for all pairs that they are in."""

    def __init__(
        self, values: Array, levels: Mapping[int, Array], groups: list[Array], tolerance: float
    ) -> None:
        self.values, self.levels, self.groups = values, levels, groups
        self.tolerance = tolerance
        self.defined = ~np.isnan(values)
        columns = range(values.shape[1])
        # Without tolerance all forms give the same whole numbers, so any may run.
        self.together = {
            group: counted_together(values[rows])
            for group, rows in enumerate(groups)
            if not tolerance and len(rows) <= FEW_TOGETHER and self.defined[rows].all()
        }
        comparisons = len(columns) ** 2 * sum(len(rows) ** 2 for rows in groups) // 4
        self.scanned = not tolerance and comparisons > MANY
        self.places = {
            (group, i): in_places(values[rows, i])
            for group, rows in enumerate(groups)
            for i in columns
            if self.scanned and group not in self.together and self.defined[rows, i].all()
        }

    def compared(self, one: int, other: int) -> tuple[Agreement, int]:
        """Compare two columns; and say how many rows could not be used."""
        both = self.defined[:, one] & self.defined[:, other]
        counts: list[Counts] = []
        for group, rows in enumerate(self.groups):
            if group in self.together:
                cells = (int(matrix[one, other]) for matrix in self.together[group])
                counts.append(Counts(*cells))
                continue
            mine, yours = self.places.get((group, one)), self.places.get((group, other))
            if mine is not None and yours is not None:
                counts.append(counted_places(mine[0], yours[0], mine[1]))
                continue
            kept = rows[both[rows]]
            f, g = (
                self.levels[i][kept] if i in self.levels else self.values[kept, i]
                for i in (one, other)
            )
            if self.scanned:
                (own, order), (others, _) = in_places(f), in_places(g)
                counts.append(counted_places(own, others, order))
            else:
                counts.append(counted_levels(f, g, None, self.tolerance))
        return Agreement(*total(counts)), int((~both).sum())
