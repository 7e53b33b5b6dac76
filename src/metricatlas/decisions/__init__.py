"""Decisions: which model wins, how sure that is, where to cut, and which measures to use."""
