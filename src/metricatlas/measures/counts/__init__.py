"""Measures of decisions: how many examples of each class were decided how."""

from metricatlas.measures.counts import association, balance, overlap, rates

__all__ = ["association", "balance", "overlap", "rates"]
