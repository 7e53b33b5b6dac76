"""Worlds: synthetic scenarios in which it is known which of two models is the better one."""

from metricatlas.worlds.reliability import Reliability
from metricatlas.worlds.simulation import simulate

__all__ = ["Reliability", "simulate"]
