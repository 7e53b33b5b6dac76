"""Prediction files: CSV, Parquet and Arrow, in the wide form and the long form."""

from metricatlas.files.contents import Model, Part, PredictionFile
from metricatlas.files.reader import read_prediction_file
from metricatlas.files.roles import Asked

__all__ = ["Asked", "Model", "Part", "PredictionFile", "read_prediction_file"]
