"""From the measures asked for to the facts they need, and from the facts to the values.

A plan is made once for a list of measures and a task, and kept. Its steps are formulas over
summaries and formulas over earlier steps; a step that two measures share is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.evaluation.program import Program, compiled
from metricatlas.evaluation.reductions import Reducer, masses_of, reducer
from metricatlas.evaluation.sources import Source, source_of
from metricatlas.measurements import Column
from metricatlas.measures.declaration import words_of
from metricatlas.measures.terms import Mean, Measure, Term, TwoLevel
from metricatlas.measures.trial import try_with_arguments
from metricatlas.summaries import Confusion
from metricatlas.summaries.facts import fixed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metricatlas.evaluation.task import Task
    from metricatlas.summaries.facts import Array, Request
    from metricatlas.summaries.fill import Facts, Target


#: The summaries that steps read, by their place in the plan.
Read = Sequence[Any]


@dataclass(frozen=True)
class Leaf:
    """A formula over a summary."""

    formula: Callable[..., Any]
    source: Source
    place: int
    arguments: dict[str, Any]
    reducer: Reducer | None
    term: Term

    def value(self, read: Read, _earlier: list[Any]) -> Any:
        """The value for one row, or one value a row."""
        summary = read[self.place]
        found = self.formula(summary, **self.arguments) if self.arguments else self.formula(summary)
        return found if self.reducer is None else self.reducer.value(found, read)


@dataclass(frozen=True)
class Join:
    """A formula over the values of earlier steps."""

    combine: Callable[..., Any]
    of: tuple[int, ...]

    def value(self, _read: Read, earlier: list[Any]) -> Any:
        """The value for one row, or one value a row."""
        return self.combine(*[earlier[i] for i in self.of])


class Plan:
    """The steps that lead to the values of some measures, which are the columns of a table."""

    def __init__(self, names: tuple[str, ...], measures: tuple[Measure, ...], task: Task) -> None:
        self.task = task
        self.measures = measures
        self.schema = tuple(
            _column(name, task.resolved(m), len(task.classes))
            for name, m in zip(names, measures, strict=True)
        )
        self.steps: list[Leaf | Join] = []
        self.sources: list[Source] = []
        self._known: dict[Measure, int] = {}
        self._program: Program | None = None
        self._followed = False
        #: Columns that count rows although weights are fractions: undefined.
        self.uncountable = (
            () if task.whole else tuple(c for c, m in enumerate(measures) if m.counts_rows)
        )
        self.columns = [
            self._nothing() if column in self.uncountable else self._step(task.resolved(m))
            for column, m in enumerate(measures)
        ]
        self.pairs = {
            column: tuple(self._known[task.resolved(p)] for p in m.parts)
            for column, m in enumerate(measures)
            if isinstance(m, TwoLevel) and column not in self.uncountable
        }
        self.wanted = self._wanted()

    def _nothing(self) -> int:
        """The step of a column that is undefined in every row."""
        self.steps.append(Join(lambda: np.nan, ()))
        return len(self.steps) - 1

    def _step(self, measure: Measure) -> int:
        if measure not in self._known:
            made = self._made(measure)
            self._known[measure] = len(self.steps)
            self.steps.append(made)
        return self._known[measure]

    def _made(self, measure: Measure) -> Leaf | Join:
        if isinstance(measure, Term):
            try_with_arguments(measure.declaration, len(self.task.classes), measure.arguments)
        if isinstance(measure, Term) and not measure.declaration.of:
            return self._leaf(measure)
        parts = [self.task.resolved(part) for part in measure.parts]
        steps = tuple(self._step(part) for part in parts)
        if isinstance(measure, Term):
            return Join(partial(measure.declaration.formula, **measure.keywords), steps)
        return Join(_combination(measure, parts), steps)

    def _leaf(self, resolved: Term) -> Leaf:
        term = self.task.aligned(resolved)
        source = source_of(term, self.task)
        reducer = self._reducer(term)
        formula = term.declaration.formula
        return Leaf(formula, source, self._place(source), term.keywords, reducer, term)

    def _reducer(self, term: Term) -> Reducer | None:
        masses = masses_of(term, self.task)
        return None if masses is None else reducer(term, masses, self._place(masses))

    def _place(self, source: Source) -> int:
        if source not in self.sources:
            self.sources.append(source)
        return self.sources.index(source)

    def _wanted(self) -> dict[Target, tuple[Request, ...]]:
        wanted: dict[Target, set[Request]] = {}
        for leaf in self.steps:
            if isinstance(leaf, Leaf):
                read = leaf.term.declaration.requests(len(self.task.classes), leaf.term.arguments)
                for target, requests in leaf.source.requests(read).items():
                    wanted.setdefault(target, set()).update(requests)
                if leaf.reducer is not None:
                    for target, requests in leaf.reducer.masses.requests(()).items():
                        wanted.setdefault(target, set()).update(requests)
        return {target: tuple(sorted(requests, key=repr)) for target, requests in wanted.items()}

    def read(self, facts: Mapping[Target, Facts], best: Mapping[Source, Array]) -> Read:
        """The summaries that the steps read."""
        # One for all, so that what formulas share is computed once.
        confusion = Confusion(facts.get("confusion", {}))
        return [source.read(facts, confusion, best, self.task) for source in self.sources]

    def values_of_one(
        self, facts: Mapping[Target, Facts], best: Mapping[Source, Array]
    ) -> Sequence[Any] | None:
        """The value of every step for a single row; none where no program says them."""
        if best:
            return None
        if not self._followed:
            self._followed = True
            self._program = compiled(facts, lambda one: self.values(self.read(one, {})))
        return None if self._program is None else self._program.values(facts)

    def values(self, read: Read) -> list[Any]:
        """The value of every step; runs with NumPy's warnings silenced."""
        found: list[Any] = []
        for step in self.steps:
            found.append(fixed(step.value(read, found)))
        return found

    def reasons(self, column: int, read: Read) -> list[tuple[Array, str]]:
        """Conditions under which a column is undefined: where each holds, and its words."""
        return self._reasons_of(self.columns[column], read)

    def _reasons_of(self, step: int, read: Read) -> list[tuple[Array, str]]:
        made = self.steps[step]
        if isinstance(made, Join):
            return [reason for i in made.of for reason in self._reasons_of(i, read)]
        summary = read[made.place]
        declared = [(c, words_of(c)) for c in made.term.declaration.undefined]
        found = []
        for condition, words in [*made.source.conditions(), *declared]:
            holds = condition(summary)
            found.append((made.reducer.holds(holds, read) if made.reducer else holds, words))
        return found + (made.reducer.reasons(read) if made.reducer else [])


def _column(name: str, m: Any, classes: int) -> Column:
    low, high = m.bounds_for(classes)
    return Column(name=name, measure=m.name, better=m.better, lower=low, upper=high, title=m.title)


def _combination(measure: Measure, parts: list[Measure]) -> Callable[..., Any]:
    if isinstance(measure, TwoLevel):
        first, second = parts
        return lambda f, g: measure.combined(first.oriented(f), second.oriented(g))
    if isinstance(measure, Mean):
        return lambda *vs: measure.combined(
            [part.upright(v) for part, v in zip(parts, vs, strict=True)]
        )
    raise TypeError(measure)
