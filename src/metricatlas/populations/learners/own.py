"""The user's own estimators, by the path they are imported from."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.learners.builders import pipeline, state
from metricatlas.populations.learners.learner import Learner, Settings, Task

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class OwnLearner(Learner):
    """A learner that is imported: a class, a function that makes estimators, or an estimator.

    Its parameters are its own; those that are not given are what they are by default.
    """

    def settings(self, parameters: Mapping[str, Any] | None = None) -> Settings:
        """Check that there are such parameters, and that they can be recorded."""
        given = dict(parameters or {})
        there = _parameters(imported(self.name))
        for name, value in given.items():
            if name == "random_state" or name.endswith("__random_state"):
                raise PopulationError(f"{name} of {self.name} is set by the seed; leave it out.")
            if there is not None and name not in there:
                raise PopulationError(
                    f"{self.name} has no parameter {name!r}{nearest(name, sorted(there))}"
                )
            try:
                json.dumps(value)
            except (TypeError, ValueError):
                raise PopulationError(
                    f"parameters must be plain, so that they can be recorded: numbers, texts, "
                    f"lists; {name} of {self.name} is {value!r}. Let a function that makes the "
                    "estimator fill it in."
                ) from None
        return {name: given[name] for name in sorted(given)}


def own_learner(path: str) -> Learner:
    """Make a learner of something that is imported: ``package.module:Name``.

    Examples
    --------
    >>> own_learner("sklearn.naive_bayes:BernoulliNB").settings({"alpha": 0.5})
    {'alpha': 0.5}
    """
    imported(path)

    def make(task: Task, settings: Settings, seed: int) -> Any:
        return _built(path, task, settings, seed)

    return OwnLearner(path, f"The estimator {path}.", (), make)


def imported(path: str) -> Any:
    """Import what a path names, or say what is wrong with it."""
    module, _, name = path.partition(":")
    try:
        there = import_module(module)
    except ImportError as error:
        raise PopulationError(
            f"a learner of your own is written package.module:Name; {path!r} cannot be imported: "
            f"{error}."
        ) from None
    if not hasattr(there, name):
        names = [each for each in vars(there) if not each.startswith("_")]
        raise PopulationError(f"{module} has no {name!r}{nearest(name, names)}")
    return getattr(there, name)


def _parameters(target: Any) -> set[str] | None:
    """The names of the parameters; None where any may be given."""
    if not inspect.isclass(target) and hasattr(target, "get_params"):
        return set(target.get_params())
    found = inspect.signature(target).parameters.values()
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in found):
        return None
    return {each.name for each in found}


def _built(path: str, task: Task, settings: Settings, seed: int) -> Any:
    from sklearn.base import clone
    from sklearn.pipeline import Pipeline

    from metricatlas.populations.learners.attributes import Attributes

    target = imported(path)
    try:
        if inspect.isclass(target) or not hasattr(target, "get_params"):
            model = target(**settings)
        else:
            model = clone(target).set_params(**settings)
    except (TypeError, ValueError) as error:
        raise PopulationError(f"{path} cannot be made from {settings}: {error}") from error
    missing = [name for name in ("fit", "predict_proba") if not hasattr(model, name)]
    if missing:
        raise PopulationError(
            f"a learner must make estimators with fit and predict_proba; {path} makes "
            f"{type(model).__name__}, without {' and '.join(missing)}. A classifier with a "
            "decision_function gets probabilities by scikit-learn's CalibratedClassifierCV."
        )
    model = _seeded(model, seed)
    if isinstance(model, Pipeline):
        return pipeline(task, model)
    return pipeline(task, model, Attributes(missing="replace"))


def _seeded(model: Any, seed: int) -> Any:
    """Set every state of chance that nobody has set."""
    if not hasattr(model, "get_params"):
        return model
    for name, value in model.get_params(deep=True).items():
        if (name == "random_state" or name.endswith("__random_state")) and value is None:
            model.set_params(**{name: state(seed)})
    return model
