"""Worlds: synthetic scenarios in which it is known which of two models is the better one."""

from metricatlas.worlds.curve import Power
from metricatlas.worlds.power import power
from metricatlas.worlds.reliabilities import Reliabilities
from metricatlas.worlds.reliability import Reliability
from metricatlas.worlds.simulation import simulate

__all__ = ["Power", "Reliabilities", "Reliability", "power", "simulate"]
