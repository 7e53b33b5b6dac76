"""From values by class, or by pair of classes, to one: over the classes that the truth holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.evaluation.sources import Source
from metricatlas.summaries import Ranking
from metricatlas.summaries.facts import class_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.evaluation.task import Task
    from metricatlas.measures.terms import Term
    from metricatlas.summaries.facts import Array, Masses
    from metricatlas.summaries.fill import View


@dataclass(frozen=True)
class Reducer:
    """How values by class become one value."""

    kind: str
    prior: bool
    #: Where the masses of the classes are read, and its place among what is read.
    masses: Source
    place: int

    def value(self, values: Array, read: Sequence[Any]) -> Array:
        """The one value."""
        masses: Masses = read[self.place].masses
        share, present, count = masses.share, masses.present, masses.count
        if self.kind == "ovo":
            kept = np.where(_pairs(present), values, 0.0)
            # One class makes no pair: 0 / 0 is undefined.
            if self.prior:
                return class_sum(share * class_sum(kept)) / (count - 1)
            return class_sum(class_sum(kept)) / (count * (count - 1))
        kept = np.where(present, values, 1.0 if self.kind == "geometric" else 0.0)
        if self.kind == "geometric":
            # By logarithms, because a product of many shares is less than the smallest number.
            return np.exp(np.add.reduce(np.log(kept), axis=-1) / count)
        return class_sum(share * kept) if self.prior else class_sum(kept) / count

    def holds(self, condition: Array, read: Sequence[Any]) -> Array:
        """Whether a condition holds for a class, or a pair, that counts."""
        present = read[self.place].masses.present
        if self.kind == "ovo":
            return np.any(condition & _pairs(present), axis=(-2, -1))
        return np.any(condition & present, axis=-1)

    def reasons(self, read: Sequence[Any]) -> list[tuple[Array, str]]:
        """Why there is nothing to reduce."""
        if self.kind != "ovo":
            return []
        return [(read[self.place].masses.count < 2, "The truth holds one class only.")]


def _pairs(present: Array) -> Array:
    """Pairs of different classes that are both there."""
    both = present[..., :, np.newaxis] & present[..., np.newaxis, :]
    return both & ~np.eye(present.shape[-1], dtype=bool)


def masses_of(term: Term, task: Task) -> Source | None:
    """Where the masses of the classes are read; none where the formula gives one value already."""
    declaration = term.declaration
    kind = _kind(term)
    ranks = declaration.summary is Ranking
    if kind in ("", "class", "micro", "top") or (task.binary and ranks and declaration.symmetric):
        return None
    # Pairs of columns are sorted by their differences; the classes' own orders are not needed.
    ordered = (ranks and declaration.view != "pair") or term.point is not None
    view: View = "both" if task.binary else "class"
    return Source("ranking", view) if ordered else Source("confusion")


def reducer(term: Term, masses: Source, place: int) -> Reducer:
    """The reducer of a resolved term."""
    kind = _kind(term)
    prior = kind == "weighted" or term.reduction[1:] == ("prior",)
    return Reducer(kind, prior, masses, place)


def _kind(term: Term) -> str:
    own = "ovo" if term.declaration.view == "pair" else ""
    return str(term.reduction[0]) if term.reduction else own
