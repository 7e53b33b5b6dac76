"""Measures of decisions: how many examples of each class were decided how."""

from metricatlas.measures.counts import association, balance, cells, overlap, rates

__all__ = ["association", "balance", "cells", "overlap", "rates"]
