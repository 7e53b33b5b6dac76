"""Predictions: the one carrier of truth, prediction, weight, class names and groups."""

from metricatlas.predictions.blocks import Block
from metricatlas.predictions.door import read_predictions
from metricatlas.predictions.model import Kind, Predictions, RowKeys
from metricatlas.predictions.outside import whose
from metricatlas.predictions.values import told

__all__ = ["Block", "Kind", "Predictions", "RowKeys", "read_predictions", "told", "whose"]
