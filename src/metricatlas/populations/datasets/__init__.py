"""Data sets, read from folders, from OpenML and from scikit-learn, as they are."""

from metricatlas.populations.datasets.catalogue import Known, Printed, differences, known, printed
from metricatlas.populations.datasets.dataset import DataSet, dataset_of
from metricatlas.populations.datasets.openml import check_fetchable, fetch
from metricatlas.populations.datasets.overview import Line, check_study, overview
from metricatlas.populations.datasets.sources import load, names

__all__ = [
    "DataSet",
    "Known",
    "Line",
    "Printed",
    "check_fetchable",
    "check_study",
    "dataset_of",
    "differences",
    "fetch",
    "known",
    "load",
    "names",
    "overview",
    "printed",
]
