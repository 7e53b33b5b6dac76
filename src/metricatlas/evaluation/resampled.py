"""Every measure of every resample of the same predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricatlas.evaluation.best import BestCuts
from metricatlas.evaluation.engine import Asked, Filled, filled, planned
from metricatlas.evaluation.mixed import Part, together
from metricatlas.evaluation.task import Task
from metricatlas.summaries.resampled import summarise_resampled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.predictions import Block, Predictions
    from metricatlas.summaries.draws import Draws


def evaluate_resamples(blocks: Sequence[Block], asked: Asked, draws: Draws) -> Filled:
    """Values of the resamples of each model, one model behind the other.

    A block is of one segment, and its numbers are those of its models.
    """
    parts = []
    for models, block in blocks:
        rows = models[:, np.newaxis] * draws.times + np.arange(draws.times)
        parts.append(Part(rows.ravel(), Task.of(block), _fill(block, asked, draws)))
    return parts[0].filled if len(parts) == 1 else together(parts)


def _fill(predictions: Predictions, asked: Asked, draws: Draws) -> Filled:
    plan = planned(asked, Task.of(predictions))
    rows = predictions.rows * draws.times
    best = BestCuts(predictions, plan.sources, rows)
    facts = summarise_resampled(predictions, plan.wanted, draws, best.watchers())
    with np.errstate(all="ignore"):
        return filled(plan, facts, best.found, rows)
