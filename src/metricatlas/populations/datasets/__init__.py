"""Data sets, read from folders, from OpenML and from scikit-learn, as they are."""

from metricatlas.populations.datasets.dataset import DataSet, dataset_of
from metricatlas.populations.datasets.sources import load, names

__all__ = ["DataSet", "dataset_of", "load", "names"]
