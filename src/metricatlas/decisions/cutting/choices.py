"""What is chosen for each model and goal: on all examples, across folds, and in every resample."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.decisions.cutting.cuts import Drawn, lots
from metricatlas.summaries.fill import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from metricatlas.decisions.cutting.cuts import Line
    from metricatlas.decisions.cutting.folds import Folds
    from metricatlas.decisions.cutting.goals import Goal
    from metricatlas.summaries.draws import Draws
    from metricatlas.summaries.facts import Array


@dataclass(frozen=True, eq=False)
class Choice:
    """A threshold of one model for one goal, in each row."""

    thresholds: Array
    #: Values of the goal's measures, (rows, measures): where chosen, across folds, and in use.
    apparent: Array
    honest: Array
    in_use: Array

    @classmethod
    def joined(cls, parts: Sequence[Choice]) -> Choice:
        """The rows of several, one after the other."""
        fields = ("thresholds", "apparent", "honest", "in_use")
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in fields))


@dataclass(frozen=True, eq=False)
class Chooser:
    """Chooses thresholds of one model for some goals."""

    line: Line
    goals: Sequence[Goal]
    folds: Folds
    #: The threshold in use; it may be undefined.
    in_use: float

    @cached_property
    def places(self) -> Array:
        """The cuts that are chosen without a fold each, (goals, ways, folds); -1 where none is."""
        ways = len(self.folds.numbers)
        found = np.empty((len(self.goals), ways, self.folds.count), dtype=np.int64)
        for part in lots(ways, len(self.line.order)):
            drawn = self._as_they_are(part)
            for fold in range(self.folds.count):
                cuts = self.line.cuts(drawn, left_out=fold)
                for own, goal in zip(found, self.goals, strict=True):
                    chosen = goal.chosen(cuts)
                    own[part, fold] = self.line.places(self.line.between(cuts, chosen))
        return found

    def as_they_are(self) -> list[Choice]:
        """Choose on the examples as they are: a row for each way to part them into folds."""
        parts = lots(len(self.folds.numbers), len(self.line.order))
        return _joined([list(self._chosen(self._as_they_are(part))) for part in parts])

    def resampled(self, draws: Draws, tell: Callable[[int], None]) -> list[Choice]:
        """Choose in every resample.

        Across folds the decisions are those that were made: only the examples are drawn anew. Each
        resample has one way to part them, in turns.
        """
        units = draws.units[self.line.order].astype(np.int64)
        ways = len(self.places[0])

        def batch(part: Array) -> list[Choice]:
            counts = draws.counts(slice(int(part[0]), int(part[-1]) + 1))
            return list(self._chosen(Drawn(counts, units, self._folds, part % ways)))

        parts, done = [], 0
        pool = ThreadPoolExecutor(threads())
        try:
            for found in pool.map(batch, lots(draws.times, len(units))):
                parts.append(found)
                done += len(found[0].thresholds)
                tell(done)
        finally:
            # Whoever presses Ctrl-C does not wait for batches that have not begun.
            pool.shutdown(cancel_futures=True)
        return _joined(parts)

    @cached_property
    def _folds(self) -> Array:
        return np.ascontiguousarray(self.folds.numbers[:, self.line.order])

    def _as_they_are(self, ways: Array) -> Drawn:
        units = np.zeros(len(self.line.order), dtype=np.int64)
        return Drawn(np.ones((len(ways), 1), dtype=np.uint8), units, self._folds, ways)

    def _chosen(self, drawn: Drawn) -> Iterator[Choice]:
        line = self.line
        cuts = line.cuts(drawn)
        in_use = cuts.at(line.places(np.full(len(drawn.counts), self.in_use)))
        for goal, places in zip(self.goals, self.places, strict=True):
            chosen = goal.chosen(cuts)
            across = line.decided(drawn, places[drawn.ways])
            values = [
                np.concatenate([judge.values(cells) for judge in goal.judges], axis=1)
                for cells in (cuts.at(chosen), across, in_use)
            ]
            yield Choice(line.between(cuts, chosen), *values)


def _joined(parts: Sequence[Sequence[Choice]]) -> list[Choice]:
    return [Choice.joined(goal) for goal in zip(*parts, strict=True)]
