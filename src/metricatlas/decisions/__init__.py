"""Decisions: which model wins, under which measures, and how sure that is."""

from metricatlas.decisions.across import Across, across
from metricatlas.decisions.compare import compare
from metricatlas.decisions.comparison import Comparison
from metricatlas.decisions.selected import Selection
from metricatlas.decisions.transfer import selection

__all__ = ["Across", "Comparison", "Selection", "across", "compare", "selection"]
