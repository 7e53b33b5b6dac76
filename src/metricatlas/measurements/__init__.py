"""Measurements: the waist. Rows are evaluated prediction sets, columns are measures."""

from metricatlas.measurements.columns import Column
from metricatlas.measurements.table import Measurements

__all__ = ["Column", "Measurements"]
