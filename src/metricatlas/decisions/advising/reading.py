"""Whether results under one measure can be read as results under another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.advising.advice_text import reading_as_text
from metricatlas.decisions.advising.rules import rules_for
from metricatlas.errors import DecisionError
from metricatlas.relations.agreement import agreement
from metricatlas.relations.relate import relate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from metricatlas.decisions.advising.populations import Populations
    from metricatlas.decisions.advising.rules import Rule
    from metricatlas.measurements import Measurements
    from metricatlas.relations import Relations
    from metricatlas.summaries.facts import Array

#: Nine of ten populations lie between these.
BETWEEN = (0.05, 0.95)
#: Fewer models say nothing of a correlation.
FEWEST = 3


@dataclass(frozen=True, eq=False)
class Related:
    """Measures over populations of models, or over those that a user has measured."""

    relations: Relations
    #: The groups of the relations, by what their models are like.
    kinds: dict[str, list[int]]

    @classmethod
    def of(cls, table: Measurements, within: Any, kind: str | None = None) -> Related:
        """Correlate measures within groups; the first key may be the kind of the group."""
        relations = relate(table, within=within)
        kinds: dict[str, list[int]] = {}
        for number, group in enumerate(relations.groups):
            kinds.setdefault(kind or str(group[0]), []).append(number)
        return cls(relations, kinds)

    def correlation(self, one: str, other: str) -> float:
        """The mean over all groups of the rank correlation; NaN where there is none."""
        places = [self._place(name) for name in (one, other)]
        if None in places:
            return np.nan
        return float(self.relations.matrix[places[0], places[1]])

    def has(self, name: str) -> bool:
        """Whether a measure is among those that are related."""
        return self._place(name) is not None

    def _place(self, name: str) -> int | None:
        if name in self.relations.names:
            return self.relations.names.index(name)
        source = self.relations.source
        if source is not None and name in source.table:
            return source.table.place(name)
        return None

    def reading(self, one: str, other: str, case: dict[str, Any]) -> Reading:
        """Compare what two measures say of the models of each group."""
        places = []
        for name in (one, other):
            place = self._place(name)
            if place is None:
                msg = f"there are no measurements of {name!r} to compare; measure it, too."
                raise DecisionError(msg)
            places.append(place)
        lines = []
        for kind, groups in self.kinds.items():
            alike = [self._alike(self.relations.groups[g], places) for g in groups]
            own = self.relations.stack[groups, places[0], places[1]]
            lines.append((kind, len(groups), *_spread(own), *_spread(np.array(alike))))
        return Reading(one, other, tuple(lines), case)

    def _alike(self, group: Any, places: list[int]) -> float:
        """The share of pairs of models in the same order; half where only one tells them apart."""
        values = self.relations.values
        if values is None:
            return np.nan
        f, g = values[self.relations.rows[group]][:, places].T
        known = ~(np.isnan(f) | np.isnan(g))
        if known.sum() < FEWEST:
            return np.nan
        found = agreement(f[known], g[known])
        return float((found.R + found.ties + (found.P + found.Q) / 2) / found.pairs)


@dataclass(frozen=True, eq=False)
class Models:
    """The models that measures are related over: those that were measured, else made ones."""

    populations: Populations
    measurements: Measurements | None

    def related(self, measures: Sequence[Any]) -> Related:
        """Relate measures over these models."""
        if self.measurements is not None:
            return Related.of(self.measurements, "dataset", "as measured")
        return Related.of(self.populations.measured(measures), ["models", "population"])


def _spread(numbers: Array) -> tuple[float, float, float]:
    """The mean, and between which numbers nine of ten lie; NaN of a single one."""
    known = numbers[~np.isnan(numbers)]
    if not len(known):
        return np.nan, np.nan, np.nan
    low, high = np.quantile(known, BETWEEN) if len(known) > 1 else (np.nan, np.nan)
    return float(known.mean()), float(low), float(high)


@dataclass(frozen=True, repr=False)
class Reading:
    """Can a result in f be read as one in g? In data like the user's, with its spread."""

    f: str
    g: str
    lines: tuple[tuple[Any, ...], ...]
    case: dict[str, Any]

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each kind of models.

        ``correlation`` is Spearman's over models, the mean over ``populations``, of which nine of
        ten lie from ``low`` to ``high``; ``alike`` is the share of pairs of models that both
        measures order alike, where a pair that only one of them tells apart counts half.
        """
        import pandas as pd

        columns = ["models", "populations", "correlation", "low", "high"]
        columns += ["alike", "alike_low", "alike_high"]
        return pd.DataFrame(list(self.lines), columns=columns)

    @property
    def least(self) -> dict[str, Any]:
        """What rules ask of: the kind of models with the smallest correlation."""
        known = [line for line in self.lines if not np.isnan(line[2])]
        least = min(known, key=lambda line: line[2], default=None)
        correlation, low = (np.nan, np.nan) if least is None else least[2:4]
        # Of a single group nothing is known of the spread.
        low = correlation if np.isnan(low) else low
        kind = "" if least is None else least[0]
        names = {"measure": self.f, "other": self.g, "models": kind}
        return {**names, "correlation": correlation, "low": low}

    @property
    def _rule(self) -> Rule | None:
        """The first rule that holds."""
        return next((r for r in rules_for("read", self.case) if r.holds(self.least)), None)

    @property
    def verdict(self) -> str:
        """Say "yes", "partly" or "no"; "unknown" where nothing correlates."""
        return "unknown" if self._rule is None else self._rule.effect

    @property
    def words(self) -> str:
        """The verdict in words."""
        if self._rule is None:
            return f"Nothing is known of {self.f} and {self.g}: one of them is constant here."
        return self._rule.told(self.case, self.least)

    def __repr__(self) -> str:
        return reading_as_text(self)
