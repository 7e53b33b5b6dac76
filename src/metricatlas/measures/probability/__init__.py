"""Measures of the probabilities themselves."""

from metricatlas.measures.probability import distances, logarithmic, separation

__all__ = ["distances", "logarithmic", "separation"]
