"""What two models are compared along: rates or weights on their hulls, or common thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.decisions.cutting.curves import Along, curves
from metricatlas.decisions.cutting.cuts import Drawn
from metricatlas.decisions.cutting.ranges import Ranges, of_curves, of_steps, step_means

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.cuts import Line
    from metricatlas.decisions.cutting.judging import Judge
    from metricatlas.summaries.draws import Draws
    from metricatlas.summaries.facts import Array

Lines = tuple["Line", "Line"]


@dataclass(frozen=True, eq=False)
class OnHulls:
    """The hulls of two models, along false positive rates or along weights of the classes."""

    lines: Lines
    along: Along

    @cached_property
    def ranges(self) -> Ranges:
        """Where which model is better."""
        one, other = (curves(line.cuts(Drawn.once(line)), self.along)[0] for line in self.lines)
        return of_curves(one, other)

    def means(self, counts: Array, draws: Draws) -> Array:
        """The mean difference in each range, (rows, ranges); undefined where a class is lacking."""
        bounds = self.ranges.bounds
        pairs = (
            curves(line.cuts(Drawn.of(line, counts, draws)), self.along) for line in self.lines
        )
        undefined = np.full(len(bounds) - 1, np.nan)
        return np.array(
            [
                (one.areas(bounds) - other.areas(bounds)) / np.diff(bounds)
                if len(one.x)
                else undefined
                for one, other in zip(*pairs, strict=True)
            ]
        )


@dataclass(frozen=True, eq=False)
class AtThresholds:
    """Two models cut at the same threshold, under a measure."""

    lines: Lines
    judge: Judge

    @cached_property
    def edges(self) -> Array:
        """The thresholds at which anything changes, between the infinite ones."""
        one, other = (line.scores for line in self.lines)
        return np.append(np.union1d(one, other), np.inf)

    @cached_property
    def _places(self) -> list[Array]:
        """The cut of each model that every edge makes."""
        return [line.places(self.edges[:-1]) for line in self.lines]

    @cached_property
    def ranges(self) -> Ranges:
        """Where which model is better."""
        one, other = (Drawn.once(line) for line in self.lines)
        return of_steps(self.edges, self._gaps(one, other)[0])

    @cached_property
    def _first(self) -> Array:
        """The step that each range begins with."""
        return np.searchsorted(self.edges, self.ranges.bounds[:-1])

    def means(self, counts: Array, draws: Draws) -> Array:
        """The mean difference in each range, (rows, ranges)."""
        drawn = (Drawn.of(line, counts, draws) for line in self.lines)
        return np.array([step_means(self.edges, gap, self._first) for gap in self._gaps(*drawn)])

    def _gaps(self, one: Drawn, other: Drawn) -> Array:
        """By how much the first model is better from each edge on, (rows, edges less one)."""
        values = []
        for line, drawn, places in zip(self.lines, (one, other), self._places, strict=True):
            own = self.judge.measure.oriented(self.judge.values(line.cuts(drawn).all))
            values.append(own[:, places])
        with np.errstate(invalid="ignore"):
            found: Array = np.where(values[0] == values[1], 0.0, values[0] - values[1])
        return found
