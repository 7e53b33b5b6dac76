"""Measures of one's own in other processes, which know them no more than they know the session."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from metricatlas.measures.declaration import declarations
from metricatlas.measures.definition import define_measure
from metricatlas.measures.language import parse
from metricatlas.measures.terms import Term

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from metricatlas.measures.declaration import Declaration
    from metricatlas.measures.terms import Measure

#: What a declaration holds under the name that `define_measure` takes it by.
_OPTIONS = (
    "name",
    "bounds",
    "better",
    "chance",
    "undefined",
    "aliases",
    "multiclass",
    "task",
    "symmetric",
    "monotone",
)


@dataclass(frozen=True)
class OwnMeasure:
    """What `define_measure` was given; where it is unpickled, it is defined again."""

    formula: Callable[..., Any]
    options: dict[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return defined, (self.formula, self.options)


def defined(formula: Callable[..., Any], options: dict[str, Any]) -> OwnMeasure:
    """Define a measure, unless the module of its formula has done so."""
    if options["name"] not in declarations():
        define_measure(**options)(formula)
    return OwnMeasure(formula, options)


def own_measures(measures: Iterable[str | Measure]) -> tuple[OwnMeasure, ...]:
    """The definitions outside of the catalogue that measures are made of, the parts first."""
    found = {d.name: d for name in measures for d in _declarations(parse(name))}
    return tuple(_definition(d) for d in found.values() if d.family == "own")


def _declarations(measure: Measure) -> Iterator[Declaration]:
    for part in measure.parts:
        yield from _declarations(part)
    if isinstance(measure, Term):
        if measure.point is not None and isinstance(measure.point.value, Term):
            yield from _declarations(measure.point.value)
        yield measure.declaration


def _definition(declaration: Declaration) -> OwnMeasure:
    options = {name: getattr(declaration, name) for name in _OPTIONS}
    checks = {name: (check.holds, check.words) for name, check in declaration.checks.items()}
    return OwnMeasure(inspect.unwrap(declaration.formula), {**options, "checks": checks or None})
