"""The models of a prediction file, compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from metricatlas.cli.parts import said_here
from metricatlas.decisions.comparing.compare import checked_settings, compare
from metricatlas.errors import DecisionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.decisions.comparing.comparison import Comparison, Settings
    from metricatlas.files import PredictionFile

settings_of = checked_settings


def compare_file(
    file: PredictionFile,
    measures: Sequence[str] | None,
    settings: Settings,
    group_columns: int,
    *,
    threshold: float | None = None,
    kind: str | None = None,
) -> Comparison:
    """Compare all models; of the file's group columns the first are groups, the rest clusters."""
    if len(file.parts) > 1:
        names = " and ".join(part.models[0].name for part in file.parts[:2])
        msg = (
            f"models are compared on the same examples, in the same order; those of {names} "
            f"differ. Leave models out with --model, or rows in the file."
        )
        raise DecisionError(msg)
    part = file.parts[0]
    groups, clusters = _columns(file, part.groups, group_columns)
    with said_here(file, part):
        return compare(
            part.truth,
            part.predictions,
            measures=measures,
            resamples=settings.resamples,
            seed=settings.seed,
            groups=groups,
            clusters=clusters,
            stratified=settings.stratified,
            interval=settings.interval,
            level=settings.level,
            correction=settings.correction,
            sample_weight=part.weight,
            labels=list(file.classes.names),
            pos_label=file.classes.positive,
            threshold=threshold,
            kind=kind,
        )


def _columns(file: PredictionFile, codes: Any, count: int) -> tuple[Any, Any]:
    if file.groups is None:
        return None, None
    names = pd.DataFrame(list(file.groups.names), columns=list(file.groups.keys))
    columns = names.iloc[codes].reset_index(drop=True)
    groups, clusters = columns.iloc[:, :count], columns.iloc[:, count:]
    return (groups if count else None), (clusters if clusters.shape[1] else None)
