"""Populations: many trained models, on data sets as they are, with nothing lost."""
