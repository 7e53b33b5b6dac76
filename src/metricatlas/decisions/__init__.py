"""Decisions: which model wins, under which measures, and how sure that is."""
