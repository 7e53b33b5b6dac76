"""Measures of how well the scores put one class above another."""

from metricatlas.measures.ranking import curves, cuts, pairs

__all__ = ["curves", "cuts", "pairs"]
