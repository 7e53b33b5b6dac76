"""Models of scikit-learn's that decide at a threshold of their own."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from metricatlas.predictions.labels import same


def own_method(estimator: Any) -> str | None:
    """The method on whose scale a model has a threshold of its own, if it has one."""
    model = _thresholded(estimator)
    if model is None:
        return None
    if model.response_method != "auto":
        return str(model.response_method)
    return "predict_proba" if hasattr(model, "predict_proba") else "decision_function"


def own_cut(estimator: Any, positive: Any) -> float | None:
    """The cut above which a fitted model decides a class, if it has a threshold of its own."""
    model = _thresholded(estimator)
    if model is None:
        return None
    one = 1.0 if own_method(model) == "predict_proba" else 0.0
    if hasattr(model, "best_threshold_"):
        value = model.best_threshold_
        decided = model._curve_scorer._get_pos_label()  # noqa: SLF001 - it is told nowhere else
    else:
        value, decided = model.threshold, model.pos_label
    if value == "auto":
        value = one / 2
    if same(model.classes_[-1] if decided is None else decided, positive):
        # These models decide the class where the score is not below the threshold.
        return float(np.nextafter(value, -np.inf))
    return one - float(value)


def _thresholded(estimator: Any) -> Any:
    """The model that has a threshold of its own, inside searches and pipelines; None if none."""
    selection = sys.modules.get("sklearn.model_selection")
    model = innermost(estimator)
    if selection is None:
        return None
    kinds = (selection.FixedThresholdClassifier, selection.TunedThresholdClassifierCV)
    return model if isinstance(model, kinds) else None


def innermost(estimator: Any) -> Any:
    """The model that decides, inside searches and pipelines."""
    while True:
        if hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        elif hasattr(estimator, "steps"):
            estimator = estimator.steps[-1][1]
        else:
            return estimator
