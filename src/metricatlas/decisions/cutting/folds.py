"""Several ways to part examples into folds of the same make-up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.scored import Scored
    from metricatlas.summaries.facts import Array


@dataclass(frozen=True, eq=False)
class Folds:
    """Several ways to part the examples, each into so many folds of the same make-up."""

    #: The fold of each example, (repeats, examples).
    numbers: Array
    count: int

    @classmethod
    def of(cls, scored: Scored, count: int, repeats: int, seed: int) -> Folds:
        """Deal out the examples, or clusters, those with most positives first."""
        units, positive = scored.units, scored.shared.truth[0] == 1
        ones, sizes = np.bincount(units, weights=positive), np.bincount(units)
        rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(2)[1])
        # There and back: 0 1 2 2 1 0 0 1 ..., so that no fold is always served first.
        turns = np.arange(len(sizes)) % (2 * count)
        served = np.minimum(turns, 2 * count - 1 - turns)
        numbers = np.empty((repeats, len(units)), dtype=np.int32)
        for repeat in range(repeats):
            shuffled = rng.permutation(len(sizes))
            dealt = np.empty(len(sizes), dtype=np.int32)
            dealt[shuffled[np.lexsort((-sizes[shuffled], -ones[shuffled]))]] = served
            numbers[repeat] = dealt[units]
        return cls(numbers, count)
