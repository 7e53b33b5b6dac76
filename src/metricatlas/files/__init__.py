"""Prediction files: CSV, Parquet and Arrow, in the wide form and the long form."""

from metricatlas.files.asked import Asked
from metricatlas.files.contents import Model, Part, PredictionFile
from metricatlas.files.reader import read_prediction_file

__all__ = ["Asked", "Model", "Part", "PredictionFile", "read_prediction_file"]
