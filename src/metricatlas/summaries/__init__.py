"""Summaries of predictions and the facts that measures read off them."""

from metricatlas.summaries.confusion import Confusion, TwoByTwo
from metricatlas.summaries.facts import Request, Summary
from metricatlas.summaries.probabilities import Probabilities
from metricatlas.summaries.ranking import Ranking

__all__ = ["Confusion", "Probabilities", "Ranking", "Request", "Summary", "TwoByTwo"]
