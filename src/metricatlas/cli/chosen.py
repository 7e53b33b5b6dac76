"""Thresholds of the models of a prediction file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricatlas.cli.failures import understood
from metricatlas.cli.parts import said_here
from metricatlas.decisions.comparing.compare import checked_settings
from metricatlas.decisions.cutting.thresholds import thresholds

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.threshold_table import Thresholds
    from metricatlas.files import PredictionFile


def thresholds_of_file(
    file: PredictionFile, *, level: float, resamples: int, seed: int, stratified: bool, **given: Any
) -> list[Thresholds]:
    """Choose thresholds for every model, for those with the same examples together."""
    with understood():
        checked_settings(
            resamples=resamples,
            seed=seed,
            level=level,
            interval="percentile",
            correction="none",
            stratified=stratified,
            clustered=file.groups is not None,
        )
    found = []
    for part in file.parts:
        with said_here(file, part):
            found.append(
                thresholds(
                    part.truth,
                    part.predictions,
                    clusters=part.groups,
                    level=level,
                    resamples=resamples,
                    seed=seed,
                    stratified=stratified,
                    sample_weight=part.weight,
                    labels=list(file.classes.names),
                    pos_label=file.classes.positive,
                    **given,
                )
            )
    return found
