"""What is known of some measures without resampling: areas under the ROC, and shares of examples.

Only where every example stands for itself: no weights, no clusters, one group.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from metricatlas.decisions.comparing.delong import (
    delong,
    half_width,
    on_log_odds,
    p_of_difference,
    score_interval,
)
from metricatlas.decisions.comparing.intervals import wilson
from metricatlas.decisions.comparing.proportions import Proportion, mcnemar, proportion
from metricatlas.errors import MeasureError
from metricatlas.evaluation.task import Task
from metricatlas.summaries.terms import cells_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.measurements import Column
    from metricatlas.predictions import Block
    from metricatlas.summaries.facts import Array


class Ends(NamedTuple):
    """An interval, and what it is called."""

    low: float
    high: float
    method: str


class Test(NamedTuple):
    """A p-value, and the test's name."""

    p: float
    name: str


@dataclass(frozen=True, eq=False)
class Exact:
    """The models' predictions, block by block, of one segment."""

    blocks: Sequence[Block]

    @classmethod
    def of(cls, blocks: Sequence[Block]) -> Exact | None:
        """What is known, if examples stand for themselves."""
        plain = all(p.segments == 1 and p.weight is None and p.clusters is None for _, p in blocks)
        return cls(blocks) if plain else None

    @cached_property
    def classes(self) -> int:
        """How many classes."""
        return len(self.blocks[0][1].classes)

    @cached_property
    def _truth(self) -> Array:
        truth: Array = self.blocks[0][1].truth[0]
        return truth

    @cached_property
    def _areas(self) -> tuple[dict[int, int], Array, Array]:
        """The place of each model that has scores, and DeLong's areas and covariances."""
        ranked = [(rows, p.values) for rows, p in self.blocks if p.kind != "labels"]
        places = {int(m): i for i, m in enumerate(np.concatenate([rows for rows, _ in ranked]))}
        return places, *delong(self._truth == 1, np.concatenate([values for _, values in ranked]))

    @cached_property
    def _cells(self) -> dict[int, Array]:
        """By model the cell of the confusion matrix that each example is in."""
        found: dict[int, Array] = {}
        for rows, p in self.blocks:
            if p.kind == "scores" and p.threshold is None:
                continue
            for model, values in zip(rows.tolist(), p.values, strict=True):
                found[model] = cells_of(
                    values[np.newaxis], p.truth, self.classes, p.kind, p.threshold, ()
                )[0]
        return found

    @cached_property
    def lonely(self) -> bool:
        """Whether some class has a single example."""
        return bool((np.bincount(self._truth.astype(np.intp)) == 1).any())

    def knows_all(self, schema: Sequence[Column]) -> bool:
        """Whether all intervals, those of differences too, are known without resampling."""
        return all(self._is_area(column) for column in schema)

    def _is_area(self, column: Column) -> bool:
        return self.classes == 2 and column.measure == "auc"

    def _share(self, column: Column) -> Proportion | None:
        """The share that a column is."""
        try:
            return proportion(column.measure, Task.of(self.blocks[0][1]))
        except MeasureError:
            return None

    def _outcomes(self, model: int, share: Proportion) -> tuple[Array, Array]:
        """Which examples are hits, and which are counted at all."""
        true, decided = np.divmod(self._cells[model], self.classes)
        if self.classes > 2:
            return (true == decided) == (share.hits[0] == 1), np.ones(len(true), dtype=bool)
        cell = 2 * true + decided
        return np.array(share.hits, bool)[cell], np.array(share.among, bool)[cell]

    def interval(self, model: int, column: Column, level: float) -> Ends | None:
        """DeLong's interval of an area, Wilson's of a share."""
        if self._is_area(column) and model in self._areas[0]:
            places, areas, covariances = self._areas
            place = places[model]
            area, variance = float(areas[place]), covariances[place, place]
            if np.isnan(area):
                return None
            if not variance > 0:
                ones = int((self._truth == 1).sum())
                ends = score_interval(area, ones, len(self._truth) - ones, level)
                return Ends(*ends, "Newcombe")
            return Ends(*on_log_odds(area, half_width(variance, level)), "DeLong")
        share = self._share(column)
        if share is None or model not in self._cells:
            return None
        hits, counted = self._outcomes(model, share)
        count = int(counted.sum())
        if count == 0:
            return None
        low, high = wilson(np.asarray(hits.sum() / count), np.asarray(count), level)
        return Ends(float(low), float(high), "Wilson")

    def difference(self, one: int, other: int, column: Column, level: float) -> Ends | None:
        """DeLong's interval of the difference of two areas."""
        if not self._is_area(column) or not {one, other} <= self._areas[0].keys():
            return None
        gap, variance = self._gap(one, other)
        half = half_width(variance, level)
        return None if np.isnan(half) else Ends(gap - half, gap + half, "DeLong")

    def _gap(self, one: int, other: int) -> tuple[float, float]:
        """The difference of two areas, and its variance."""
        places, areas, covariances = self._areas
        i, j = places[one], places[other]
        variance = covariances[i, i] + covariances[j, j] - 2 * covariances[i, j]
        return float(areas[i] - areas[j]), float(variance)

    def test(self, one: int, other: int, column: Column) -> Test | None:
        """DeLong's test of two areas, McNemar's of two shares of the same examples."""
        if self._is_area(column) and {one, other} <= self._areas[0].keys():
            return Test(p_of_difference(*self._gap(one, other)), "DeLong")
        share = self._share(column)
        if share is None or share.examples == "decided" or not {one, other} <= self._cells.keys():
            return None
        hits, counted = self._outcomes(one, share)
        others, _ = self._outcomes(other, share)
        if not counted.any():
            return None
        return Test(mcnemar(int((hits & ~others).sum()), int((others & ~hits).sum())), "McNemar")
