"""What a threshold is to be best for, as it is written, and the cut that is best.

goal      := measure | rate condition | measure "where" measure condition
condition := (">=" | "<=") number
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.decisions.cutting.judging import Judge
from metricatlas.errors import DecisionError, MeasureError
from metricatlas.measures.language import parse
from metricatlas.measures.spelling import read
from metricatlas.measures.terms import Measure, Term
from metricatlas.predictions.numbers import is_number

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.cuts import Cuts
    from metricatlas.evaluation.task import Task
    from metricatlas.summaries.facts import Array

_WHERE = re.compile(r"\s+where\s+", re.IGNORECASE)
_CONDITION = re.compile(r"(?P<measure>.*?)\s*(?P<sign>>=|<=|[<>≥≤]|==)\s*(?P<number>[^<>=]*)")
#: Conditions that are kept by deciding few positive, so that recall is to be high; and those kept
#: by deciding many, so that specificity is.
_FEW = ("ppv", "fdr", "specificity", "fpr")
_MANY = ("recall", "fnr", "npv", "false_omission_rate")


@dataclass(frozen=True)
class Condition:
    """The least, or the most, that a measure must be."""

    judge: Judge
    bound: float

    @property
    def sign(self) -> str:
        """Which side of the bound is wanted."""
        return ">=" if self.judge.measure.better == "higher" else "<="

    @property
    def least(self) -> float:
        """The least value, turned so that higher is better; rounding is forgiven."""
        low, high = self.judge.measure.bounds
        scale = max(abs(self.bound), *(abs(x) for x in (low, high) if np.isfinite(x)))
        return float(self.judge.measure.oriented(self.bound)) - self.judge.same * scale


@dataclass(frozen=True)
class Goal:
    """A measure to be as good as can be."""

    name: str
    judge: Judge

    @property
    def judges(self) -> tuple[Judge, ...]:
        """Whatever is told of the cut."""
        return (self.judge,)

    @property
    def unreached(self) -> str:
        """Why there is no cut, where there is none."""
        return f"{self.judge.measure} is undefined at every cut."

    def chosen(self, cuts: Cuts) -> Array:
        """The lowest of the best cuts of each row; -1 where none reaches the goal.

        Of examples of one class no cut is chosen.
        """
        return np.where((cuts.tp[:, 0] > 0) & (cuts.fp[:, 0] > 0), self._best(cuts), -1)

    def _best(self, cuts: Cuts) -> Array:
        return self.judge.best(cuts)


@dataclass(frozen=True)
class ConditionalGoal(Goal):
    """A measure to be as good as can be under a condition on another one."""

    condition: Condition

    @property
    def judges(self) -> tuple[Judge, ...]:
        """Whatever is told of the cut."""
        return tuple(dict.fromkeys((self.judge, self.condition.judge)))

    @property
    def unreached(self) -> str:
        """Why there is no cut, where there is none."""
        wanted = self.condition
        return f"No cut has {wanted.judge.measure} {wanted.sign} {wanted.bound:g}."

    def _best(self, cuts: Cuts) -> Array:
        wanted = self.condition.judge.turned(cuts.all)
        met = wanted >= self.condition.least
        return self.judge.lowest(np.where(met, self.judge.turned(cuts.all), -np.inf))


def goal_of(asked: str | Measure, task: Task) -> Goal:
    """Read a goal."""
    if not isinstance(asked, str):
        return Goal(parse(asked).name, Judge.of(asked, task))
    try:
        return _read(asked, task)
    except MeasureError as error:
        msg = f"{error} A goal is a measure, or is written as ppv>=0.9 or recall where fpr<=0.01."
        raise MeasureError(msg) from error


def _read(asked: str, task: Task) -> Goal:
    parts = _WHERE.split(asked.strip())
    if len(parts) > 2:
        raise DecisionError(f"a goal has one condition at most; got {asked!r}.")
    found = _CONDITION.fullmatch(parts[-1])
    if found is None:
        if len(parts) == 2:
            msg = (
                f"after 'where' stands a condition, such as fpr<=0.01; got {asked!r}. Write "
                f"'recall where fpr<=0.01'."
            )
            raise DecisionError(msg)
        return Goal(asked, Judge.of(asked, task))
    condition = _condition(found, asked, task)
    if len(parts) == 2:
        return ConditionalGoal(asked, Judge.of(parts[0], task), condition)
    return ConditionalGoal(asked, Judge.of(_best_under(condition, asked), task), condition)


def _condition(found: re.Match[str], asked: str, task: Task) -> Condition:
    sign, number = found["sign"], read(found["number"].strip())
    if sign not in (">=", "<="):
        msg = f"a condition is written with >= or <=; got {sign!r} in {asked!r}."
        raise DecisionError(msg)
    if not is_number(number):
        msg = (
            f"a condition ends with a number or a share, as in ppv>=0.9 or ppv>=90%; got {asked!r}."
        )
        raise DecisionError(msg)
    judge = Judge.of(found["measure"], task)
    measure = judge.measure
    if measure.better not in ("higher", "lower"):
        msg = f"a condition is on a measure that is best high, or best low; got {asked!r}."
        raise DecisionError(msg)
    condition = Condition(judge, float(number))
    if sign != condition.sign:
        msg = (
            f"{measure} is the better the {measure.better} it is, so a condition on it is "
            f"{measure}{condition.sign}{number}; got {asked!r}."
        )
        raise DecisionError(msg)
    low, high = measure.bounds
    if not low <= number <= high:
        msg = f"{measure} lies between {low:g} and {high:g}, which {asked!r} does not allow."
        raise DecisionError(msg)
    return condition


def _best_under(condition: Condition, asked: str) -> str:
    measure = condition.judge.measure
    plain = isinstance(measure, Term) and measure == Term(measure.declaration)
    if plain and measure.name in _FEW:
        return "recall"
    if plain and measure.name in _MANY:
        return "specificity"
    msg = (
        f"it must be said what is to be best under a condition on {measure}; got {asked!r}. Write "
        f"'recall where {asked}'."
    )
    raise DecisionError(msg)
