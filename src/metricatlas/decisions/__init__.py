"""Decisions: which model wins, under which measures, how sure that is, and which to use."""

from metricatlas.decisions.across import Across, across
from metricatlas.decisions.advice import Advice
from metricatlas.decisions.advise import advise
from metricatlas.decisions.compare import compare
from metricatlas.decisions.comparison import Comparison
from metricatlas.decisions.selected import Selection
from metricatlas.decisions.transfer import selection

__all__ = [
    "Across",
    "Advice",
    "Comparison",
    "Selection",
    "across",
    "advise",
    "compare",
    "selection",
]
