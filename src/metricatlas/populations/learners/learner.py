"""What a learner is: a name, its parameters, and how a model is built from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.predictions.numbers import is_number, is_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    import pandas as pd

Settings = dict[str, Any]


class Task(Protocol):
    """What a learner must know of a data set before it sees training rows."""

    @property
    def features(self) -> pd.DataFrame:
        """The attributes; their names and kinds are read, never their values."""

    @property
    def classes(self) -> Sequence[Any]:
        """The classes in their declared order."""


@dataclass(frozen=True)
class Parameter:
    """A parameter of a learner: what it may be, and what it is if nothing is said."""

    name: str
    default: Any
    #: What it means, in words.
    words: str
    #: All that it may be; empty for a number.
    choices: tuple[Any, ...] = ()
    #: What it may be instead of a number.
    names: tuple[str, ...] = ()
    #: Whether it is any text.
    text: bool = False
    #: The least number it may be.
    least: float | None = None
    #: The greatest number it may be.
    greatest: float | None = None
    whole: bool = False
    #: Whether it may be a list: then one fit has a row for each.
    staged: bool = False

    def checked(self, learner: str, value: Any) -> Any:
        """Return a value as it is recorded, or say why it cannot be."""
        if self.staged and isinstance(value, list | tuple):
            found = [self._one(learner, each) for each in value]
            if not found or len(set(found)) < len(found):
                raise PopulationError(
                    f"{self.name} of {learner} must list one or more values, each once; "
                    f"got {list(value)}."
                )
            return found
        return self._one(learner, value)

    def _one(self, learner: str, value: Any) -> Any:
        allowed = self.choices or self.names
        if any(value == each and type(value) is type(each) for each in allowed):
            return value
        if self.text and isinstance(value, str):
            return value
        fits = not self.choices and not self.text
        fits = fits and (is_whole(value) if self.whole else is_number(value))
        if fits and self._within(value):
            return int(value) if self.whole else float(value)
        raise PopulationError(
            f"{self.name} of {learner} must be {self.range}; got {value!r}"
            f"{nearest(value, allowed) if allowed and isinstance(value, str) else '.'}"
        )

    def _within(self, value: float) -> bool:
        low = self.least is None or value >= self.least
        return low and (self.greatest is None or value <= self.greatest)

    @property
    def range(self) -> str:
        """Say what it may be."""
        if self.text:
            return "a text"
        if self.choices:
            return "one of " + ", ".join(repr(each) for each in self.choices)
        kind = "a whole number" if self.whole else "a number"
        if self.greatest is not None:
            kind += f" from {self.least:g} to {self.greatest:g}"
        elif self.least is not None:
            kind += f" from {self.least:g} on"
        return " or ".join([kind, *(repr(name) for name in self.names)])


@dataclass(frozen=True)
class Difference:
    """A setting in which a learner differs from Weka's of the same name."""

    setting: str
    weka: str
    ours: str
    #: Weka's scheme with the setting as ours, where Weka can do that.
    as_ours: str = ""


@dataclass(frozen=True)
class Learner:
    """A kind of model: its parameters, and what builds it."""

    name: str
    #: What it is, in a sentence.
    words: str
    parameters: tuple[Parameter, ...]
    #: Builds an estimator from a task, complete settings and a seed.
    make: Callable[[Task, Settings, int], Any] = field(repr=False)
    #: In what it differs from Weka's of the same name.
    differences: tuple[Difference, ...] = field(default=(), repr=False)
    #: What each `type` sets, for learners that have types.
    types: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    #: Counts up whenever the same settings build another model.
    version: int = 1

    def settings(self, parameters: Mapping[str, Any] | None = None) -> Settings:
        """Check parameters and add those that were not given.

        What it returns is plain (texts, numbers, lists), in a fixed order, and can be given again.

        Examples
        --------
        >>> from metricatlas.populations.learners import learner
        >>> learner("knn").settings({"neighbours": 5})["neighbours"]
        5
        """
        given = dict(parameters or {})
        there = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in there:
                raise PopulationError(
                    f"{self.name} has no parameter {name!r}{nearest(name, list(there))}"
                )
        checked = {name: there[name].checked(self.name, value) for name, value in given.items()}
        of_type = self.types.get(checked.get("type", ""), {})
        for name in of_type.keys() & checked.keys():
            if checked[name] != of_type[name]:
                raise PopulationError(
                    f"type {checked['type']!r} of {self.name} sets {name} to {of_type[name]!r}; "
                    f"got {checked[name]!r}. Leave out one of the two."
                )
        defaults = {name: parameter.default for name, parameter in there.items()}
        return {**defaults, **of_type, **checked}

    def build(self, task: Task, parameters: Mapping[str, Any] | None = None, seed: int = 0) -> Any:
        """Build a model that learns from raw rows; what it needs is learnt where `fit` is called.

        Parameters
        ----------
        task
            Something with `features`, a frame of which names and kinds are read, and `classes`.
        parameters
            What differs from the defaults.
        seed
            A whole number from 0 on; the same seed gives the same model.

        Returns
        -------
        Pipeline
            An estimator of scikit-learn's; ``predict_proba`` has a column for each class.
        """
        if not is_whole(seed) or seed < 0:
            raise PopulationError(f"seed must be a whole number from 0 on; got {seed!r}.")
        return self.make(task, self.settings(parameters), int(seed))

    @staticmethod
    def stages(fitted: Any, features: pd.DataFrame) -> Iterator[tuple[Settings, np.ndarray]]:
        """Return what a fitted model predicts after each stage that its parameters list.

        A model without stages has one, without a name: ``({}, probabilities)``.
        """
        prepared = fitted[:-1].transform(features) if len(fitted) > 1 else features
        last = fitted[-1]
        if not hasattr(last, "stages"):
            yield {}, last.predict_proba(prepared)
            return
        for name, found in last.stages(prepared):
            yield dict(name), found
