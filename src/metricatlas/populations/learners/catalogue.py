"""Learners by name."""

from __future__ import annotations

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.learners.declarations import LEARNERS
from metricatlas.populations.learners.learner import Learner
from metricatlas.populations.learners.own import own_learner
from metricatlas.populations.learners.weka_declarations import WEKA_LEARNERS

_NAMED = {each.name: each for each in (*LEARNERS, *WEKA_LEARNERS)}


def learner(name: str | Learner) -> Learner:
    """Find a learner by its name, or import one of your own.

    Parameters
    ----------
    name
        One of `learner_names`, or ``package.module:Name``: a class, a function that makes
        estimators, or an estimator, as scikit-learn has them. A pipeline gets the rows as they
        are; to anything else nominal attributes are columns of 0 and 1, and what is missing is
        replaced by means and most frequent values.

    Examples
    --------
    >>> learner("naive-bayes").words
    'Naive Bayes with normal numbers and counted nominal values.'
    >>> learner("sklearn.ensemble:ExtraTreesClassifier").settings({"max_depth": 3})
    {'max_depth': 3}
    """
    if isinstance(name, Learner):
        return name
    if name in _NAMED:
        return _NAMED[name]
    if ":" in str(name):
        return own_learner(name)
    raise PopulationError(
        f"there is no learner {name!r}{nearest(name, learner_names())} "
        "One of your own is written package.module:Name."
    )


def learner_names() -> list[str]:
    """List the names of all learners."""
    return list(_NAMED)
