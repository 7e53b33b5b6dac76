"""Where a term reads its summary: which view, which cut, which class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metricatlas.measures.terms import Point, Term
from metricatlas.summaries import Confusion, Probabilities, Ranking, Summary, TwoByTwo
from metricatlas.summaries.facts import class_sum

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from metricatlas.evaluation.task import Task
    from metricatlas.summaries.facts import Array, Request
    from metricatlas.summaries.fill import Facts, Target, View

Form = Literal["confusion", "positive", "rest", "micro", "class", "ranking", "probabilities"]
_POSITIVES: Request = ("positives", ())
_NEGATIVES: Request = ("negatives", ())
#: Best cuts that the kernels find in passing; others are found on the ordered scores.
IN_PASSING = ("f1", "gmean")


@dataclass(frozen=True)
class Source:
    """A summary as a formula reads it."""

    form: Form
    #: The view of a ranking, and of a cut.
    view: View = "class"
    point: Point | None = None
    #: The class that is positive, where it is not the task's own.
    index: int | None = None
    #: The measure that a best cut is best for.
    best: Term | None = None
    #: Whether the formula reads the four masses as a matrix.
    matrix: bool = False

    def requests(self, read: Iterable[Request]) -> dict[Target, set[Request]]:
        """The facts that must be filled in, given those that the formula reads."""
        if self.point is not None:
            cut = self.cut()
            found = {_POSITIVES, _NEGATIVES} | (set() if cut is None else {cut})
            return {self.view: found}
        if self.form == "ranking":
            return {self.view: {_POSITIVES, _NEGATIVES, *read}}
        if self.form == "probabilities":
            return {"probabilities": set(read)}
        names = set(Confusion.kinds)
        return {"confusion": {("matrix", ())} | {r for r in read if r[0] in names}}

    def cut(self) -> Request | None:
        """The fact that holds the cut; none for a best cut that is found on the ordered scores."""
        point = self.point
        if point is None:
            return None
        if self.best is not None:
            plain = not (self.best.arguments or self.best.reduction)
            if plain and self.best.declaration.name in IN_PASSING:
                return ("operating_point", ("best", self.best.declaration.name))
            return None
        arguments: dict[str, tuple[Any, ...]] = {
            "ks": ("ks",),
            "bep": ("top", "positives"),
            "prevalence": ("prevalence",),
        }
        return ("operating_point", arguments.get(point.kind, (point.kind, point.value)))

    def read(
        self,
        facts: Mapping[Target, Facts],
        confusion: Confusion,
        best: Mapping[Source, Array],
        task: Task,
    ) -> Summary:
        """The summary, from facts with or without a first axis of rows."""
        if self.form == "probabilities":
            return Probabilities(facts["probabilities"])
        if self.form == "ranking":
            found = facts[self.view]
            return Ranking(found if self.index is None else _of_class(found, self.index))
        if self.form == "confusion" and self.point is None:
            return confusion
        cut = self.point is not None
        made = self._cut(facts[self.view], best, task) if cut else self._binary(confusion)
        return made.confusion if self.matrix else made

    def _binary(self, confusion: Confusion) -> TwoByTwo:
        if self.form == "positive":
            m = confusion.matrix
            return TwoByTwo.of_masses(m[..., 1, 1], m[..., 0, 1], m[..., 1, 0], m[..., 0, 0])
        rest = confusion.one_vs_rest
        if self.form == "rest":
            return rest
        return _micro(rest) if self.form == "micro" else rest.select((..., self.index))

    def _cut(self, facts: Facts, best: Mapping[Source, Array], task: Task) -> TwoByTwo:
        request = self.cut()
        if request is None:
            tp, fp, fn, tn = (best[self][..., cell] for cell in range(4))
        else:
            tp, fp = facts[request][..., 0], facts[request][..., 1]
            fn, tn = facts[_POSITIVES] - tp, facts[_NEGATIVES] - fp
        made = TwoByTwo.of_masses(tp, fp, fn, tn)
        if self.form == "micro":
            return _micro(made)
        if self.index is not None and not (task.binary and self.view == "class"):
            return made.select((..., self.index))
        return made

    def conditions(self) -> list[tuple[Callable[[Any], Any], str]]:
        """Why there is no summary, where there is none: a test of it, and its words."""
        if self.point is None:
            return []
        return [(lambda summary: np.isnan(summary.total), f"There is no cut @{self.point}.")]


def _micro(rest: TwoByTwo) -> TwoByTwo:
    return TwoByTwo.of_masses(*map(class_sum, (rest.tp, rest.fp, rest.fn, rest.tn)))


def _of_class(facts: Facts, index: int) -> Facts:
    """Facts of one class of a class view, whose class axis comes right after the rows."""
    kinds = Ranking.kinds
    behind = {r: len(kinds[r[0]].shape(r[1], 2)) for r in facts}
    places: dict[int, Any] = {n: (..., index, *[slice(None)] * n) for n in range(3)}
    return {r: value[places[behind[r]]] for r, value in facts.items()}


def source_of(term: Term, task: Task) -> Source:
    """Where a resolved term reads its summary."""
    summary = term.declaration.summary
    kind = term.reduction[0] if term.reduction else ""
    if summary is Probabilities:
        return Source("probabilities")
    if summary is Ranking:
        view = _view(term, task)
        # Of two classes the plain view is that of one class, and has no axis of classes.
        alone = task.binary and view == "class"
        return Source("ranking", view, index=None if alone else _index(term, task))
    best = None
    if term.point is not None and term.point.kind == "best":
        own = Term(term.declaration, term.arguments)
        best = term.point.value if isinstance(term.point.value, Term) else own
    matrix = summary is Confusion
    if matrix and not kind:
        return Source("confusion", "class", term.point, best=best, matrix=term.point is not None)
    view = "both" if task.binary and kind else "class"
    forms: dict[str, Form] = {"": "positive", "micro": "micro", "class": "class"}
    return Source(forms.get(kind, "rest"), view, term.point, _index(term, task), best, matrix)


def _index(term: Term, task: Task) -> int | None:
    return task.class_index(term) if term.reduction[:1] == ("class",) else None


def _view(term: Term, task: Task) -> View:
    declaration = term.declaration
    kind = term.reduction[0] if term.reduction else ""
    if declaration.view != "class":
        alike = task.binary and declaration.view == "pair"
        return "class" if alike else declaration.view
    if kind == "top":
        return "top"
    if task.binary:
        # Two classes seen from either side give a symmetric measure the same value.
        one_side = not kind or declaration.symmetric
        return "class" if one_side else "pairwise" if kind == "ovo" else "both"
    return "pairwise" if kind == "ovo" else "class"
