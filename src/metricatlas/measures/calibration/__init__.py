"""Measures of whether events happen as often as their probabilities say."""

from metricatlas.measures.calibration import bins, decomposition, regression, segments, windows

__all__ = ["bins", "decomposition", "regression", "segments", "windows"]
