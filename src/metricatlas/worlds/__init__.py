"""Worlds: synthetic scenarios in which it is known which of two models is the better one."""

from metricatlas.worlds.correlations import PerturbedLists
from metricatlas.worlds.curve import Power
from metricatlas.worlds.graded import graded_models
from metricatlas.worlds.perturbed_lists import perturbed_lists
from metricatlas.worlds.power import power
from metricatlas.worlds.probes import traits
from metricatlas.worlds.reliabilities import Reliabilities
from metricatlas.worlds.reliability import Reliability
from metricatlas.worlds.simulation import simulate
from metricatlas.worlds.traits import Traits

__all__ = [
    "PerturbedLists",
    "Power",
    "Reliabilities",
    "Reliability",
    "Traits",
    "graded_models",
    "perturbed_lists",
    "power",
    "simulate",
    "traits",
]
