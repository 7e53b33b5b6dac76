"""Predictions: the one carrier of truth, prediction, weight, class names and groups."""

from metricatlas.predictions.door import read_predictions
from metricatlas.predictions.model import Kind, Predictions, RowKeys

__all__ = ["Kind", "Predictions", "RowKeys", "read_predictions"]
