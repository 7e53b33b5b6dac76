"""Measures: pure formulas over facts, the catalogue of them, the language that composes them."""

from metricatlas.measures import (
    agreement,
    calibration,
    composite,
    cost,
    counts,
    decisions,
    information,
    probability,
    ranking,
)
from metricatlas.measures.catalogue import catalogue
from metricatlas.measures.definition import define_measure

__all__ = [
    "agreement",
    "calibration",
    "catalogue",
    "composite",
    "cost",
    "counts",
    "decisions",
    "define_measure",
    "information",
    "probability",
    "ranking",
]
