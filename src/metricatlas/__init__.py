"""metricatlas: every performance measure of a classifier, in one pass.

The doors are imported when they are first used, so that ``import metricatlas`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from metricatlas.decisions.advising.advice import Advice
    from metricatlas.decisions.advising.advise import advise
    from metricatlas.decisions.comparing.compare import compare
    from metricatlas.decisions.comparing.comparison import Comparison
    from metricatlas.decisions.cutting.crossings import Crossings, crossings
    from metricatlas.decisions.cutting.threshold_table import Thresholds
    from metricatlas.decisions.cutting.thresholds import thresholds
    from metricatlas.decisions.datasets.across import Across, across
    from metricatlas.decisions.reasoning.reasons import reasons
    from metricatlas.decisions.selecting.selected import Selection
    from metricatlas.decisions.selecting.transfer import selection
    from metricatlas.errors import (
        DecisionError,
        FileError,
        MeasureError,
        MetricAtlasError,
        PopulationError,
        PredictionError,
        RelationError,
        UndefinedWarning,
        WorldError,
    )
    from metricatlas.evaluation import baseline, evaluate, evaluate_confusion, measure
    from metricatlas.integrations import EarlyStopping, MeasurementsDisplay, scorer
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
    from metricatlas.worlds import (
        PerturbedLists,
        Power,
        Reliabilities,
        Reliability,
        Traits,
        perturbed_lists,
        power,
        simulate,
        traits,
    )

_HOMES = {
    "Across": "metricatlas.decisions.datasets.across",
    "across": "metricatlas.decisions.datasets.across",
    "Advice": "metricatlas.decisions.advising.advice",
    "advise": "metricatlas.decisions.advising.advise",
    "Comparison": "metricatlas.decisions.comparing.comparison",
    "compare": "metricatlas.decisions.comparing.compare",
    "Selection": "metricatlas.decisions.selecting.selected",
    "selection": "metricatlas.decisions.selecting.transfer",
    "Crossings": "metricatlas.decisions.cutting.crossings",
    "crossings": "metricatlas.decisions.cutting.crossings",
    "reasons": "metricatlas.decisions.reasoning.reasons",
    "Thresholds": "metricatlas.decisions.cutting.threshold_table",
    "thresholds": "metricatlas.decisions.cutting.thresholds",
    "baseline": "metricatlas.evaluation.baseline",
    "evaluate": "metricatlas.evaluation",
    "evaluate_confusion": "metricatlas.evaluation",
    "measure": "metricatlas.evaluation",
    "EarlyStopping": "metricatlas.integrations",
    "MeasurementsDisplay": "metricatlas.integrations",
    "scorer": "metricatlas.integrations.scorer",
    "Measurements": "metricatlas.measurements",
    "catalogue": "metricatlas.measures.catalogue",
    "define_measure": "metricatlas.measures",
    "Agreement": "metricatlas.relations",
    "Agreements": "metricatlas.relations",
    "Relations": "metricatlas.relations",
    "agreement": "metricatlas.relations.agreement",
    "agreements": "metricatlas.relations.agreements",
    "confusion_matrices": "metricatlas.relations",
    "ranked_lists": "metricatlas.relations",
    "relate": "metricatlas.relations.relate",
    "PerturbedLists": "metricatlas.worlds",
    "Power": "metricatlas.worlds",
    "Reliabilities": "metricatlas.worlds",
    "Reliability": "metricatlas.worlds",
    "Traits": "metricatlas.worlds",
    "perturbed_lists": "metricatlas.worlds.perturbed_lists",
    "power": "metricatlas.worlds.power",
    "simulate": "metricatlas.worlds",
    "traits": "metricatlas.worlds.probes",
    "Confusion": "metricatlas.summaries",
    "TwoByTwo": "metricatlas.summaries",
    "Ranking": "metricatlas.summaries",
    "Probabilities": "metricatlas.summaries",
    "MetricAtlasError": "metricatlas.errors",
    "PopulationError": "metricatlas.errors",
    "PredictionError": "metricatlas.errors",
    "DecisionError": "metricatlas.errors",
    "MeasureError": "metricatlas.errors",
    "FileError": "metricatlas.errors",
    "RelationError": "metricatlas.errors",
    "WorldError": "metricatlas.errors",
    "UndefinedWarning": "metricatlas.errors",
}

__all__ = [
    "Across",
    "Advice",
    "Agreement",
    "Agreements",
    "Comparison",
    "Confusion",
    "Crossings",
    "DecisionError",
    "EarlyStopping",
    "FileError",
    "MeasureError",
    "Measurements",
    "MeasurementsDisplay",
    "MetricAtlasError",
    "PerturbedLists",
    "PopulationError",
    "Power",
    "PredictionError",
    "Probabilities",
    "Ranking",
    "RelationError",
    "Relations",
    "Reliabilities",
    "Reliability",
    "Selection",
    "Thresholds",
    "Traits",
    "TwoByTwo",
    "UndefinedWarning",
    "WorldError",
    "across",
    "advise",
    "agreement",
    "agreements",
    "baseline",
    "catalogue",
    "compare",
    "confusion_matrices",
    "crossings",
    "define_measure",
    "evaluate",
    "evaluate_confusion",
    "measure",
    "perturbed_lists",
    "power",
    "ranked_lists",
    "reasons",
    "relate",
    "scorer",
    "selection",
    "simulate",
    "thresholds",
    "traits",
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
