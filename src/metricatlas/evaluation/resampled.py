"""Every measure of every resample of the same predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricatlas.evaluation.best import BestCuts
from metricatlas.evaluation.engine import Asked, Filled, filled, planned
from metricatlas.evaluation.task import Task
from metricatlas.summaries.resampled import summarise_resampled

if TYPE_CHECKING:
    from metricatlas.predictions import Predictions
    from metricatlas.summaries.draws import Draws


def fill_resampled(predictions: Predictions, asked: Asked, draws: Draws) -> Filled:
    """Values of the resamples of each model, one model behind the other; one segment."""
    plan = planned(asked, Task.of(predictions))
    rows = predictions.rows * draws.times
    best = BestCuts(predictions, plan.sources, rows)
    facts = summarise_resampled(predictions, plan.wanted, draws, best.watchers())
    with np.errstate(all="ignore"):
        return filled(plan, facts, best.found, rows)
