"""Rules of advice: one table file, and the small language that its conditions are written in.

A rule has a condition on the case and one on a measure: ``field operator value``, several joined by
``and``; an empty one always holds. What is not known, an undefined number, satisfies none.
"""

from __future__ import annotations

import csv
import operator
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import TYPE_CHECKING, Any

from metricatlas.errors import DecisionError
from metricatlas.measurements.columns import nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd

#: What a rule may be about: choosing models, telling others how good they are, reading results.
PURPOSES = ("select", "report", "both", "read")
#: What follows for the measure; of reading, the answer.
EFFECTS = ("refuse", "warn", "redundant", "need", "yes", "partly", "no")
#: What there is to know about a case, about a measure in it, and about two measures.
CASE_FIELDS = (
    "n",
    "prior",
    "classes",
    "threshold",
    "probabilities",
    "costs",
    "label_noise",
    "drift",
)
MEASURE_FIELDS = (
    "measure",
    "wrong",
    "undefined",
    "threshold",
    "calibration",
    "ranking",
    "frequency",
    "idle",
    "lone",
    "bounded",
    "infinite",
    "baseline",
    "cut",
    "printed",
    "cost",
)
PAIR_FIELDS = ("measure", "other", "correlation", "low", "models")

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}


@dataclass(frozen=True)
class Condition:
    """One comparison of a field with a number or a word."""

    field: str
    operator: str
    value: float | str

    @classmethod
    def of(cls, text: str, known: Sequence[str]) -> Condition:
        """Read ``field operator value``."""
        parts = text.split()
        if len(parts) != 3 or parts[1] not in _COMPARE:
            msg = (
                f"a condition must be a field, one of {' '.join(_COMPARE)}, and a value, with "
                f"spaces between them, as in 'idle >= 0.9'; got {text!r}."
            )
            raise DecisionError(msg)
        name, sign, value = parts
        if name not in known:
            msg = f"a condition must be about a field that there is; got {name!r}"
            raise DecisionError(f"{msg}{nearest(name, known)}")
        try:
            return cls(name, sign, float(value))
        except ValueError:
            if sign in ("==", "!="):
                return cls(name, sign, value)
        msg = f"a word can only be the same (==) or not (!=); got {text!r}."
        raise DecisionError(msg)

    def holds(self, known: Mapping[str, Any]) -> bool:
        """Whether it is so; what is not known is not so."""
        value = known[self.field]
        if isinstance(value, str) != isinstance(self.value, str) or value != value:  # noqa: PLR0124 - finds NaN
            return False
        return _COMPARE[self.operator](value, self.value)


@dataclass(frozen=True)
class Rule:
    """A row of the table."""

    id: str
    purpose: str
    case: str
    measure: str
    effect: str
    words: str
    source: str

    def __post_init__(self) -> None:
        for name, known in (("purpose", PURPOSES), ("effect", EFFECTS)):
            if getattr(self, name) not in known:
                msg = f"{name} of the rule {self.id!r} must be one of {', '.join(known)}; got "
                raise DecisionError(f"{msg}{getattr(self, name)!r}.")
        told = {name for _, name, _, _ in Formatter().parse(self.words) if name}
        strange = told - {*CASE_FIELDS, *self._fields}
        if strange:
            msg = f"words of the rule {self.id!r} name what there is not: {', '.join(strange)}."
            raise DecisionError(msg)
        _conditions(self.case, CASE_FIELDS)
        _conditions(self.measure, self._fields)

    @property
    def _fields(self) -> tuple[str, ...]:
        about_two = self.purpose == "read" or self.effect == "redundant"
        return PAIR_FIELDS if about_two else MEASURE_FIELDS

    def serves(self, purpose: str) -> bool:
        """Whether it is a rule for this purpose."""
        return self.purpose == purpose or (self.purpose == "both" and purpose != "read")

    def applies(self, case: Mapping[str, Any]) -> bool:
        """Whether the case is one that it is made for."""
        return all(c.holds(case) for c in _conditions(self.case, CASE_FIELDS))

    def holds(self, measure: Mapping[str, Any]) -> bool:
        """Whether it holds for a measure, or for two."""
        return all(c.holds(measure) for c in _conditions(self.measure, self._fields))

    def told(self, case: Mapping[str, Any], measure: Mapping[str, Any]) -> str:
        """Its words, with the numbers filled in; what both have is the measure's."""
        return self.words.format(**{**case, **measure})


@cache
def _conditions(text: str, known: tuple[str, ...]) -> tuple[Condition, ...]:
    return tuple(Condition.of(part, known) for part in text.split(" and ") if part.strip())


def read_rules(lines: Sequence[str]) -> tuple[Rule, ...]:
    """Read a table of rules."""
    columns = [field.name for field in fields(Rule)]
    reader = csv.DictReader(lines, strict=True)
    if reader.fieldnames != columns:
        msg = f"a table of rules must have the columns {', '.join(columns)}; got "
        raise DecisionError(f"{msg}{', '.join(reader.fieldnames or ())}.")
    found = tuple(Rule(**row) for row in reader)
    names = [rule.id for rule in found]
    if len(set(names)) < len(names):
        msg = f"every rule must have an id of its own; got {', '.join(names)}."
        raise DecisionError(msg)
    return found


@cache
def rules() -> tuple[Rule, ...]:
    """The rules that there are, in the order of the file."""
    text = files("metricatlas.decisions.advising").joinpath("rules.csv").read_text(encoding="utf-8")
    return read_rules(text.splitlines())


def rules_for(purpose: str, case: Mapping[str, Any]) -> list[Rule]:
    """The rules for a purpose that apply to a case."""
    return [rule for rule in rules() if rule.serves(purpose) and rule.applies(case)]


def table_of_rules() -> pd.DataFrame:
    """The table file as a frame."""
    import pandas as pd

    columns = [field.name for field in fields(Rule)]
    return pd.DataFrame([[getattr(rule, c) for c in columns] for rule in rules()], columns=columns)
