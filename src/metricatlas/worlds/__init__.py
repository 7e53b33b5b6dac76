"""Worlds: synthetic scenarios in which it is known which of two models is the better one."""

from metricatlas.worlds.probes import traits
from metricatlas.worlds.reliability import Reliability
from metricatlas.worlds.simulation import simulate
from metricatlas.worlds.traits import Traits

__all__ = ["Reliability", "Traits", "simulate", "traits"]
