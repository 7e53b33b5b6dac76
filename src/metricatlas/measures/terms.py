"""What a name of the language stands for: a base measure with arguments, reduction and cut."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.measures import wording
from metricatlas.measures.declaration import NEEDS, Better, Bounds, Declaration, Needs, words_of
from metricatlas.measures.interface import Measure
from metricatlas.measures.parameters import equals, settled
from metricatlas.measures.spelling import written, written_name, written_share
from metricatlas.summaries import Confusion, Ranking, TwoByTwo
from metricatlas.summaries.facts import fixed

__all__ = [
    "PAIRS",
    "REDUCTIONS",
    "WEIGHTINGS",
    "Compound",
    "Mean",
    "Measure",
    "Point",
    "Term",
    "TwoLevel",
]

#: Reductions of class values to one, as they are written.
REDUCTIONS = ("macro", "weighted", "micro", "geometric", "top")
PAIRS = ("ovo", "ovr")
WEIGHTINGS = ("uniform", "prior")
#: Cuts that some data do not have, such as a rate of negatives where there are none.
MAY_BE_MISSING = ("ks", "bep", "best", "fpr", "tpr")
#: Weight of the second measure where a two-level measure must be one number (Huang and Ling 2007).
SECOND_LEVEL = 0.01


@dataclass(frozen=True)
class Point:
    """A cut of a ranking: where decisions turn positive."""

    kind: str
    value: float | str | Term | None = None

    def __str__(self) -> str:
        if self.kind == "at":
            return written(self.value)
        return self.kind if self.value is None else f"{self.kind}={self.value_written}"

    @property
    def value_written(self) -> str:
        """The value as it is written; a share of the highest scores in percent."""
        if self.kind == "top" and isinstance(self.value, float):
            return written_share(self.value)
        return str(self.value) if isinstance(self.value, Term) else written(self.value)


@dataclass(frozen=True, repr=False)
class Term(Measure):
    """A base measure, perhaps with arguments, a reduction of its classes, and a cut."""

    declaration: Declaration
    arguments: tuple[tuple[str, Any], ...] = ()
    #: () or ("macro",), ("ovo", "prior"), ("class", label) ...
    reduction: tuple[Any, ...] = ()
    point: Point | None = None

    @property
    def name(self) -> str:
        """The canonical spelling."""
        inside = [f"{name}={written(value)}" for name, value in self.arguments]
        if self.reduction[:1] == ("class",):
            inside.append(f"class={written_name(str(self.reduction[1]))}")
        else:
            inside.extend(self.reduction)
        brackets = f"[{','.join(inside)}]" if inside else ""
        return f"{self.declaration.name}{brackets}{f'@{self.point}' if self.point else ''}"

    def using(self, **parameters: Any) -> Self:
        """The same measure with parameters set: ``catalogue["cost"].using(costs=C)``."""
        new = {name: settled(self.declaration, name, x) for name, x in parameters.items()}
        given = {**dict(self.arguments), **new}
        order = [name for name in self.declaration.parameters if name in given]
        defaults = {n: p.default for n, p in self.declaration.parameters.items()}
        kept = tuple((n, given[n]) for n in order if not equals(given[n], defaults[n]))
        return replace(self, arguments=kept)

    @property
    def better(self) -> Better:
        """Whether higher, lower, nearer to zero or nearer to one is better."""
        return self.declaration.better

    def bounds_for(self, classes: int) -> Bounds:
        """Smallest and largest value for a number of classes."""
        return self.declaration.bounds_for(self._seen(classes), dict(self.arguments))

    def _seen(self, classes: int) -> int:
        """How many classes the formula sees: two where it is of one class against the others."""
        return 2 if self.reduction and self.declaration.summary is Confusion else classes

    def chance_for(self, classes: int) -> float | None:
        """What a prediction that knows nothing gets on average, where that is known."""
        if self.point:
            return None
        reduction = str(self.reduction[0]) if self.reduction else ""
        return self.declaration.chance_for(self._seen(classes), reduction)

    @property
    def title(self) -> str:
        """What it is, in words, with what its brackets and its cut make of it."""
        return wording.title(self)

    @property
    def sources(self) -> tuple[str, ...]:
        """The studies it comes from."""
        return self.declaration.sources

    @property
    def aliases(self) -> tuple[str, ...]:
        """Other names; those of a base measure hold for it without arguments only."""
        plain = not (self.arguments or self.reduction or self.point)
        return self.declaration.aliases if plain else ()

    @property
    def family(self) -> str:
        """The family of measures it belongs to."""
        return self.declaration.family

    @property
    def missing(self) -> tuple[str, ...]:
        """Parameters it needs and has not."""
        given = dict(self.arguments)
        return tuple(name for name in self.declaration.required if name not in given)

    @property
    def keywords(self) -> dict[str, Any]:
        """Its arguments as the formula takes them: matrices are arrays."""
        return {n: fixed(np.array(v)) if isinstance(v, tuple) else v for n, v in self.arguments}

    @property
    def parts(self) -> tuple[Term, ...]:
        """The measures it is a formula of."""
        from metricatlas.measures.language import parse

        return tuple(parse(name) for name in self.declaration.of)  # type: ignore[misc] # no levels

    @property
    def reasons(self) -> tuple[str, ...]:
        """The conditions under which it is undefined, in words."""
        missing = self.point is not None and self.point.kind in MAY_BE_MISSING
        cut = (f"There is no cut @{self.point}.",) if missing else ()
        return (*cut, *map(words_of, self.declaration.undefined))

    def _kinds(self) -> list[Any]:
        summary = self.declaration.summary
        if summary is None or self.missing:
            return []
        matrices = [len(value) for _, value in self.arguments if isinstance(value, tuple)]
        two = summary is TwoByTwo or self.declaration.task == "binary"
        classes = 2 if two else (matrices or [3])[0]
        requests = self.declaration.requests(classes, self.arguments)
        return [summary.kinds[name] for name, _ in requests]

    @property
    def needs(self) -> Needs:
        """The least that predictions must be: labels, scores or probabilities."""
        if self.declaration.of:
            return max((p.needs for p in self.parts), key=NEEDS.index)
        if any(kind.probabilities for kind in self._kinds()):
            return "probabilities"
        if self.point is not None or self.declaration.summary is Ranking:
            return "scores"
        labels_suffice = self.declaration.summary in (Confusion, TwoByTwo)
        return "labels" if labels_suffice else "scores"

    @property
    def counts_rows(self) -> bool:
        """Whether weights must be whole numbers."""
        if self.declaration.of:
            return any(p.counts_rows for p in self.parts)
        highest = self.point is not None and self.point.kind in ("top", "bep")
        return highest or any(kind.counts_rows for kind in self._kinds())

    @property
    def on_request(self) -> bool:
        """Whether it is computed only when asked for by name."""
        if self.declaration.of:
            return any(p.on_request for p in self.parts)
        return self.declaration.forced_on_request or any(kind.slow for kind in self._kinds())


class Compound(Measure):
    """A measure made of others when it is asked for: what it needs is what its parts need."""

    @property
    def better(self) -> Better:
        """Higher: its parts are turned so."""
        return "higher"

    @property
    def family(self) -> str:
        """The family of measures over measures."""
        return "composite"

    @property
    def aliases(self) -> tuple[str, ...]:
        """None of its own."""
        return ()

    @property
    def missing(self) -> tuple[str, ...]:
        """What its parts have not is said of them."""
        return ()

    @property
    def needs(self) -> Needs:
        """The least that predictions must be."""
        return max((p.needs for p in self.parts), key=NEEDS.index)

    @property
    def counts_rows(self) -> bool:
        """Whether weights must be whole numbers."""
        return any(p.counts_rows for p in self.parts)

    @property
    def on_request(self) -> bool:
        """Whether it is computed only when asked for by name."""
        return any(p.on_request for p in self.parts)

    def using(self, **parameters: Any) -> Self:
        """Nothing: the parts have parameters, and are asked for with them."""
        if not parameters:
            return self
        msg = (
            f"{self.name} has no parameters of its own; got {', '.join(parameters)}. Give them to "
            f"its parts by name, as in 'auc:fbeta[beta=2]'."
        )
        raise MeasureError(msg)


@dataclass(frozen=True, repr=False)
class TwoLevel(Compound):
    """Compared by the first measure, ties broken by the second."""

    first: Term
    second: Term

    @property
    def name(self) -> str:
        """The canonical spelling."""
        return f"{self.first.name}:{self.second.name}"

    @property
    def parts(self) -> tuple[Term, ...]:
        """The two levels."""
        return (self.first, self.second)

    def bounds_for(self, classes: int) -> Bounds:
        """The range of its number, first + 0.01 second, both so that higher is better."""
        ends = [np.sort(p.oriented(np.array(p.bounds_for(classes)))) for p in self.parts]
        low, high = self.combined(*ends)
        return float(low), float(high)

    def chance_for(self, classes: int) -> float | None:
        """What a prediction that knows nothing gets on average, where both levels have it."""
        first, second = (p.chance_for(classes) for p in self.parts)
        if first is None or second is None:
            return None
        return float(self.combined(self.first.oriented(first), self.second.oriented(second)))

    @property
    def title(self) -> str:
        """What it is, in words."""
        return f"{self.first.title}, ties broken by {_lowered(self.second.title)}"

    @property
    def sources(self) -> tuple[str, ...]:
        """The study that proposed two-level measures."""
        return ("huang2007",)

    @staticmethod
    def combined(first: Any, second: Any) -> Any:
        """The one number that stands for oriented levels where a pair cannot be used."""
        return first + SECOND_LEVEL * second


@dataclass(frozen=True, repr=False)
class Mean(Compound):
    """The weighted mean of measures; of one where lower is better, one minus its value counts."""

    weighted: tuple[tuple[Term, float], ...]

    @property
    def name(self) -> str:
        """The canonical spelling."""
        return f"mean[{','.join(f'{part}={written(weight)}' for part, weight in self.weighted)}]"

    @property
    def parts(self) -> tuple[Term, ...]:
        """The measures that are averaged."""
        return tuple(part for part, _ in self.weighted)

    def bounds_for(self, classes: int) -> Bounds:
        """The range of the mean."""
        ends = [np.sort(p.upright(np.array(p.bounds_for(classes)))) for p in self.parts]
        low, high = self.combined(ends)
        return float(low), float(high)

    def chance_for(self, classes: int) -> float | None:
        """What a prediction that knows nothing gets on average, where all parts have it."""
        chances = [p.chance_for(classes) for p in self.parts]
        if any(c is None for c in chances):
            return None
        upright = [p.upright(c) for p, c in zip(self.parts, chances, strict=True)]
        return float(self.combined(upright))

    @property
    def title(self) -> str:
        """What it is, in words."""
        return "Weighted mean of " + ", ".join(part.name for part in self.parts)

    @property
    def sources(self) -> tuple[str, ...]:
        """The study that averaged measures."""
        return ("caruana2004",)

    def combined(self, upright: list[Any]) -> Any:
        """The mean of values that are turned so that higher is better."""
        total = sum(weight for _, weight in self.weighted)
        return sum(w * v for (_, w), v in zip(self.weighted, upright, strict=True)) / total


def _lowered(title: str) -> str:
    return title if title[1:2].isupper() else title[:1].lower() + title[1:]
