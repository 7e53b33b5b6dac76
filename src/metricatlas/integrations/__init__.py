"""Measures where models are trained and chosen: scikit-learn, and stopping early."""

from metricatlas.integrations.display import MeasurementsDisplay
from metricatlas.integrations.early_stopping import EarlyStopping
from metricatlas.integrations.scorer import Scorer, scorer

__all__ = ["EarlyStopping", "MeasurementsDisplay", "Scorer", "scorer"]
