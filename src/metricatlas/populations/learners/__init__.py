"""Learners by the papers' names, with the papers' settings; nothing is learnt from test rows."""

from metricatlas.populations.learners.catalogue import learner, learner_names
from metricatlas.populations.learners.learner import Difference, Learner, Parameter, Task

__all__ = ["Difference", "Learner", "Parameter", "Task", "learner", "learner_names"]
