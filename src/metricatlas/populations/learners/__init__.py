"""Learners by the papers' names, with the papers' settings; nothing is learnt from test rows."""

from metricatlas.populations.learners.catalogue import learner, learner_names
from metricatlas.populations.learners.grids import grid, models
from metricatlas.populations.learners.learner import Difference, Learner, Parameter, Task
from metricatlas.populations.learners.weka_folds import weka_folds

__all__ = [
    "Difference",
    "Learner",
    "Parameter",
    "Task",
    "grid",
    "learner",
    "learner_names",
    "models",
    "weka_folds",
]
