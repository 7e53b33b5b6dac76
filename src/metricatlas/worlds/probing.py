"""One trait is changed at a time, and every measure evaluated before and after."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.evaluation.doors import evaluated
from metricatlas.measures.terms import Term, TwoLevel
from metricatlas.summaries import Confusion, TwoByTwo
from metricatlas.worlds.exchanges import NOBODY, decided_for, drawn, repeated, threshold_for
from metricatlas.worlds.influence import Tally, settled, tallied

if TYPE_CHECKING:
    from metricatlas.measurements import Measurements
    from metricatlas.measures.terms import Measure
    from metricatlas.summaries.facts import Array

    #: Values (models, measures), and by two-level measure its levels, (models, 2).
    Values = tuple[Array, dict[int, Array]]
    #: Numbers of measures, and what they are given.
    Evaluation = tuple[list[int], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Probe:
    """Measures, and the examples on which models are made that show their traits."""

    measures: tuple[Measure, ...]
    #: The true class of each example, all classes there.
    truth: Array
    classes: int

    def batch(self, seed: np.random.SeedSequence, count: int) -> Tally:
        """Draw models, and as many others to take traits from; change each trait."""
        rng = np.random.default_rng(seed)
        # Each class has its turn: to be favoured by the decisions, and to be there several times.
        number = np.arange(count)
        turn, second = number % self.classes, number // self.classes % self.classes
        few = number // self.classes**2 % 2 == 1
        models, others = (drawn(rng, self.truth, self.classes, few) for _ in range(2))
        own, nobody = models.probabilities(), np.full(count, NOBODY)
        before = self._values(own, nobody, nobody)
        after = [
            self._without_blind(self._values(own, turn, nobody)),
            self._values(models.calibrated_as(others).probabilities(), nobody, nobody),
            self._values(models.ranked_as(others).probabilities(), nobody, nobody),
            self._values(own, nobody, turn),
            self._values(others.probabilities(), turn, second),
        ]
        return tallied(*self._comparable(before, after), few)

    def _values(self, probabilities: Array, favoured: Array, copied: Array) -> Values:
        """Evaluate each model under its own decisions and class frequencies."""
        values = np.full((len(probabilities), len(self.measures)), np.nan)
        pairs = [i for i, measure in enumerate(self.measures) if isinstance(measure, TwoLevel)]
        levels = {i: np.full((len(probabilities), 2), np.nan) for i in pairs}
        for favour, copy in sorted(set(zip(favoured.tolist(), copied.tolist(), strict=True))):
            rows = np.flatnonzero((favoured == favour) & (copied == copy))
            places = np.arange(len(self.truth)) if copy == NOBODY else repeated(self.truth, copy)
            part = probabilities[np.ix_(rows, places)]
            for asked, given in self._evaluations(part, favour):
                table = self._evaluated(asked, self.truth[places], given)
                values[np.ix_(rows, np.array(asked))] = table.values
                for place, i in enumerate(asked):
                    if i in levels:
                        levels[i][rows] = table.levels(place)
        return values, levels

    def _evaluated(self, asked: list[int], truth: Array, given: dict[str, Any]) -> Measurements:
        measures = [self.measures[i] for i in asked]
        return evaluated(truth, measures=measures, labels=list(range(self.classes)), **given)

    def _evaluations(self, probabilities: Array, favour: int) -> list[Evaluation]:
        """The measures, by their numbers, with what they are to be given."""
        every = list(range(len(self.measures)))
        if self.classes == 2:
            score, cut = probabilities[:, :, 1:], threshold_for(favour)
            return [(every, {"predictions": score, "kind": "probabilities", "threshold": cut})]
        shown = {"predictions": probabilities, "kind": "probabilities"}
        if favour == NOBODY:
            return [(every, shown)]
        # Among several classes the largest probability decides, unless decisions are all there is.
        decided = decided_for(probabilities, favour)[:, :, np.newaxis]
        labels = [i for i in every if self.measures[i].needs == "labels"]
        others = [i for i in every if self.measures[i].needs != "labels"]
        lots: list[Evaluation] = [(labels, {"predictions": decided, "kind": "labels"})]
        return [lot for lot in [*lots, (others, shown)] if lot[0]]

    def _without_blind(self, values: Values) -> Values:
        """Leave undefined what cannot be asked under other decisions among several classes."""
        table, levels = values
        for i, measure in enumerate(self.measures):
            if self.classes > 2 and measure.needs != "labels" and _decides(measure):
                table[:, i] = np.nan
                if i in levels:
                    levels[i][:] = np.nan
        return values

    def _comparable(self, before: Values, after: list[Values]) -> tuple[Array, list[Array]]:
        """Values without rounding; those of two levels as places in the order of all pairs."""
        (first, own), rest = before, [settled(before[0], values) for values, _ in after]
        for i, base in own.items():
            pairs = np.stack([base, *(settled(base, levels[i]) for _, levels in after)])
            flat = pairs.reshape(-1, 2)
            places = np.unique(flat, axis=0, return_inverse=True)[1].astype(np.float64)
            places[np.isnan(flat).any(axis=1)] = np.nan
            first[:, i], *found = places.reshape(pairs.shape[:2])
            for values, ranks in zip(rest, found, strict=True):
                values[:, i] = ranks
        return first, rest


def _decides(measure: Any) -> bool:
    """Whether a measure reads what is decided by the common rule, not by a cut of its own."""
    if isinstance(measure, Term) and not measure.declaration.of:
        return measure.declaration.summary in (Confusion, TwoByTwo) and measure.point is None
    return any(_decides(part) for part in measure.parts)
