"""Learners by name."""

from __future__ import annotations

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.learners.declarations import LEARNERS
from metricatlas.populations.learners.learner import Learner
from metricatlas.populations.learners.weka_declarations import WEKA_LEARNERS

_NAMED = {each.name: each for each in (*LEARNERS, *WEKA_LEARNERS)}


def learner(name: str | Learner) -> Learner:
    """Find a learner by its name.

    Examples
    --------
    >>> learner("naive-bayes").words
    'Naive Bayes with normal numbers and counted nominal values.'
    """
    if isinstance(name, Learner):
        return name
    if name in _NAMED:
        return _NAMED[name]
    raise PopulationError(
        f"there is no learner {name!r}{nearest(name, learner_names())} "
        "One of your own is written package.module:Name."
    )


def learner_names() -> list[str]:
    """List the names of all learners."""
    return list(_NAMED)
