"""metricatlas: every performance measure of a classifier, in one pass.

The doors are imported when they are first used, so that ``import metricatlas`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metricatlas.errors import (
        DecisionError,
        FileError,
        MeasureError,
        MetricAtlasError,
        PredictionError,
        RelationError,
        UndefinedWarning,
        WorldError,
    )
    from metricatlas.evaluation import baseline, evaluate, evaluate_confusion, measure
    from metricatlas.integrations import EarlyStopping, scorer
    from metricatlas.measurements import Measurements
    from metricatlas.measures import catalogue, define_measure
    from metricatlas.relations import (
        Agreement,
        Agreements,
        Relations,
        agreement,
        agreements,
        confusion_matrices,
        ranked_lists,
        relate,
    )
    from metricatlas.summaries import Confusion, Probabilities, Ranking, TwoByTwo
    from metricatlas.worlds import Power, Reliabilities, Reliability, power, simulate

_HOMES = {
    "baseline": "metricatlas.evaluation",
    "evaluate": "metricatlas.evaluation",
    "evaluate_confusion": "metricatlas.evaluation",
    "measure": "metricatlas.evaluation",
    "EarlyStopping": "metricatlas.integrations",
    "scorer": "metricatlas.integrations",
    "Measurements": "metricatlas.measurements",
    "catalogue": "metricatlas.measures",
    "define_measure": "metricatlas.measures",
    "Agreement": "metricatlas.relations",
    "Agreements": "metricatlas.relations",
    "Relations": "metricatlas.relations",
    "agreement": "metricatlas.relations",
    "agreements": "metricatlas.relations",
    "confusion_matrices": "metricatlas.relations",
    "ranked_lists": "metricatlas.relations",
    "relate": "metricatlas.relations",
    "Power": "metricatlas.worlds",
    "Reliabilities": "metricatlas.worlds",
    "Reliability": "metricatlas.worlds",
    "power": "metricatlas.worlds",
    "simulate": "metricatlas.worlds",
    "Confusion": "metricatlas.summaries",
    "TwoByTwo": "metricatlas.summaries",
    "Ranking": "metricatlas.summaries",
    "Probabilities": "metricatlas.summaries",
    "MetricAtlasError": "metricatlas.errors",
    "PredictionError": "metricatlas.errors",
    "DecisionError": "metricatlas.errors",
    "MeasureError": "metricatlas.errors",
    "FileError": "metricatlas.errors",
    "RelationError": "metricatlas.errors",
    "WorldError": "metricatlas.errors",
    "UndefinedWarning": "metricatlas.errors",
}

__all__ = [
    "Agreement",
    "Agreements",
    "Confusion",
    "DecisionError",
    "EarlyStopping",
    "FileError",
    "MeasureError",
    "Measurements",
    "MetricAtlasError",
    "Power",
    "PredictionError",
    "Probabilities",
    "Ranking",
    "RelationError",
    "Relations",
    "Reliabilities",
    "Reliability",
    "TwoByTwo",
    "UndefinedWarning",
    "WorldError",
    "agreement",
    "agreements",
    "baseline",
    "catalogue",
    "confusion_matrices",
    "define_measure",
    "evaluate",
    "evaluate_confusion",
    "measure",
    "power",
    "ranked_lists",
    "relate",
    "scorer",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("metricatlas")
    if name not in _HOMES:
        msg = f"module 'metricatlas' has no attribute {name!r}"
        raise AttributeError(msg)
    door = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = door
    return door


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
