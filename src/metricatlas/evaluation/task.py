"""What predictions offer, and why a measure cannot be computed from them, where it cannot."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.measures.catalogue import tasks
from metricatlas.measures.declaration import NEEDS
from metricatlas.measures.parameters import NamedMatrix, ordered
from metricatlas.measures.spelling import read
from metricatlas.measures.terms import Measure, Term
from metricatlas.predictions.labels import same, shown
from metricatlas.predictions.values import is_named
from metricatlas.summaries import Confusion, Ranking, TwoByTwo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from metricatlas.predictions import Kind, Predictions


#: What predictions may lack; probabilities offer all of it.
_OFFERS = ("", "decisions", "scores", "probabilities")


def _terms(measure: Any) -> Iterator[Term]:
    """The terms that a measure is made of in the end."""
    if isinstance(measure, Term) and not measure.declaration.of:
        yield measure
    for part in measure.parts:
        yield from _terms(part)


def _reordered(value: Any, places: list[int]) -> Any:
    shape: tuple[int, ...] = np.shape(value)
    square = isinstance(value, tuple) and shape == (len(places), len(places))
    return ordered(value, places) if square else value


def _named(matrix: NamedMatrix, label: Any) -> list[int]:
    """The places at which a matrix names a class."""
    return [i for i, name in enumerate(matrix.names) if is_named(name, label)]


@dataclass(frozen=True)
class Task:
    """What matters of predictions for the choice of formulas."""

    kind: Kind
    classes: tuple[Any, ...]
    #: Whether there are decisions: labels, probabilities, or a threshold for scores.
    decided: bool
    #: Whether weights, if any, are whole numbers.
    whole: bool
    #: Whether there is a matrix and nothing else.
    matrix_only: bool = False
    #: The classes as they were declared: in the order of `labels`, else sorted.
    columns: tuple[Any, ...] = ()

    @classmethod
    def of(cls, predictions: Predictions) -> Task:
        """The task of a block of predictions."""
        decided = (
            predictions.kind != "scores"
            or not predictions.binary
            or predictions.threshold is not None
        )
        return cls(
            predictions.kind,
            predictions.classes,
            decided,
            whole=not predictions.fractional,
            columns=predictions.columns,
        )

    @property
    def binary(self) -> bool:
        """Whether there are two classes."""
        return len(self.classes) == 2

    @property
    def declared(self) -> tuple[Any, ...]:
        """The classes as they were declared, which is the order of matrices of costs."""
        return self.columns or self.classes

    def aligned(self, term: Term) -> Term:
        """A term whose matrices have the order of the classes, the positive one of two last."""
        if self.declared == self.classes:
            return term
        point = term.point
        if point is not None and isinstance(point.value, Term):
            point = replace(point, value=self.aligned(point.value))
        places = [self.declared.index(c) for c in self.classes]
        matrices = tuple((n, _reordered(v, places)) for n, v in term.arguments)
        return replace(term, arguments=matrices, point=point)

    def unnamed(self, measure: Measure) -> Measure:
        """A measure whose matrices have the declared order, whatever names they came with."""
        return self._unnamed_term(measure) if isinstance(measure, Term) else measure

    def _unnamed_term(self, term: Term) -> Term:
        point = term.point
        if point is not None and isinstance(point.value, Term):
            point = replace(point, value=self._unnamed_term(point.value))
        arguments = tuple((n, self._unnamed(v)) for n, v in term.arguments)
        return replace(term, arguments=arguments, point=point)

    def _unnamed(self, value: Any) -> Any:
        if not isinstance(value, NamedMatrix) or self._strangers(value):
            return value
        return ordered(value, [_named(value, c)[0] for c in self.declared])

    def _strangers(self, value: NamedMatrix) -> bool:
        """Whether a matrix has other classes than there are."""
        places = [_named(value, c) for c in self.classes]
        return len(value.names) != len(places) or any(len(place) != 1 for place in places)

    def resolved(self, measure: Measure) -> Measure:
        """The measure with its reduction written out: ``f1[macro]`` for more than two classes."""
        measure = self.unnamed(measure)
        if not isinstance(measure, Term) or self.binary or measure.reduction:
            return measure
        declaration = measure.declaration
        if declaration.summary is TwoByTwo and declaration.multiclass is not None:
            return replace(measure, reduction=("macro",))
        if declaration.summary is Ranking and declaration.view == "class":
            default = {"macro": ("macro",), "ovo": ("ovo", "uniform"), "top": ("top",)}
            return replace(measure, reduction=default.get(str(declaration.multiclass), ()))
        return measure

    def objection(self, measure: Measure) -> str:
        """Why a measure cannot be computed from these predictions; empty where it can."""
        return next(self._objections(measure), "")

    def _objections(self, measure: Any) -> Iterator[str]:
        for part in measure.parts:
            yield from self._objections(part)
        if isinstance(measure, Term):
            yield from self._of_parameters(measure)
            yield from self._of_cut(measure)
            yield from self._of_classes(measure)
            yield from self._of_kind(measure)

    def _of_parameters(self, term: Term) -> Iterator[str]:
        if term.missing:
            example = ",".join(f"{name}=..." for name in term.missing)
            yield f"needs {' and '.join(term.missing)}: write {term.declaration.name}[{example}]"
        best = term.point.value if term.point else None
        for measured, classes in ((term, len(self.classes)), (best, 2)):
            for name, value in measured.arguments if isinstance(measured, Term) else ():
                shape = np.shape(value)
                if isinstance(value, NamedMatrix) and self._strangers(value):
                    yield (
                        f"needs {name} of {shown(self.declared)}; got {shown(value.names)}. Rename "
                        f"them, or pass `.to_numpy()` in the order of the classes"
                    )
                elif len(shape) == 2 and shape != (classes, classes):
                    yield f"needs {name} of {classes} x {classes}; got {shape[0]} x {shape[1]}"

    def _of_classes(self, term: Term) -> Iterator[str]:
        if ("binary" if self.binary else "multiclass") not in tasks(term):
            wanted = "more than two classes" if self.binary else "two classes"
            yield f"is for {wanted}; these are {len(self.classes)}"
        if term.declaration.view == "expected" and len(self.classes) != 3:
            yield f"is for three classes; these are {len(self.classes)}"
        if term.reduction[:1] == ("class",) and len(self._places(term)) != 1:
            yield f"must name one of the classes {shown(self.classes)}; got {term.reduction[1]!r}"

    def _of_cut(self, term: Term) -> Iterator[str]:
        if term.point is None:
            return
        if self.kind == "labels":
            came = "a confusion matrix holds none" if self.matrix_only else "these are labels"
            yield f"needs scores to cut; {came}"
        if term.declaration.summary is Confusion and not term.reduction and not self.binary:
            yield f"can be cut for two classes only; these are {len(self.classes)}"

    def _of_kind(self, term: Term) -> Iterator[str]:
        decides = term.declaration.summary in (Confusion, TwoByTwo)
        if NEEDS.index(term.needs) > NEEDS.index(self.kind):
            came = "a confusion matrix holds none" if self.matrix_only else f"these are {self.kind}"
            yield f"needs {term.needs}; {came}"
        if decides and not self.decided and term.point is None:
            yield (
                "needs decisions; pass threshold= (positive iff score > threshold), or write a cut "
                f"such as {term.declaration.name}@0 or {term.declaration.name}@ks"
            )

    def lacking(self, measure: Any) -> str:
        """What these predictions do not offer and a measure needs."""
        return max({self._lacking(term) for term in _terms(measure)}, key=_OFFERS.index)

    def _lacking(self, term: Term) -> str:
        if NEEDS.index(term.needs) > NEEDS.index(self.kind):
            return term.needs
        return "" if self.decided or term.needs != "labels" else "decisions"

    def class_index(self, term: Term) -> int:
        """Which class ``recall[class=...]`` means."""
        return self._places(term)[0]

    def _places(self, term: Term) -> list[int]:
        """The classes that the label is, by the rule for labels."""
        label = term.reduction[1]
        exact = [i for i, c in enumerate(self.classes) if same(c, label)]
        # The language writes numbers and truth values as text: 1, 1.0 and true are one label.
        meant = read(label) if isinstance(label, str) else label
        return exact or [i for i, c in enumerate(self.classes) if same(c, meant)]

    def default(self, measure: Measure) -> bool:
        """Whether ``measures=None`` includes a measure of the catalogue."""
        if not isinstance(measure, Term):
            return not self.objection(measure)
        declaration = measure.declaration
        both_sides = bool(measure.reduction) or declaration.view == "pairwise"
        if self.binary and declaration.summary is Ranking and both_sides:
            # Of two classes the positive one's view is enough; see docs/decisions/0003.
            return False
        if not self.binary and measure.point is not None:
            return False
        if measure.on_request or (measure.counts_rows and not self.whole):
            return False
        return not self.objection(measure)
