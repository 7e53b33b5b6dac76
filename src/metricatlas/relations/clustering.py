"""Clusters of measures: agglomerative, at the distance 1 - correlation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.predictions.numbers import is_number
from metricatlas.relations.text import clusters_as_text, notes_as_text

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.relations.relations import Relations
    from metricatlas.summaries.facts import Array

Linkage = Literal["average", "complete", "single", "weighted"]
LINKAGES: tuple[Linkage, ...] = ("average", "complete", "single", "weighted")
#: Distances are differences of rounded numbers: 1 - 0.9 is more than 0.1 by this order.
SAME = 1e-12


@dataclass(frozen=True, eq=False, repr=False)
class Dendrogram:
    """How measures join, step by step.

    Measures stand in the order of their names, so that nothing depends on the order of columns.
    """

    names: tuple[str, ...]
    #: As SciPy has it: both parts of each step, their distance, and how many measures they have.
    linkage: Array
    #: The distances between the measures.
    distances: Array
    #: The measures in the order of the table.
    table_order: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        shown = clusters_as_text(self.clusters(), 0.1)
        head = f"Dendrogram of {len(self.names)} measures, cophenetic correlation"
        return "\n".join([f"{head} {self.cophenetic:.3f}.", *shown, *notes_as_text(self.notes)])

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The measures of each part, by number: single ones first, then those of each step."""
        found: list[tuple[int, ...]] = [(i,) for i in range(len(self.names))]
        for left, right in self.linkage[:, :2].astype(int).tolist():
            found.append(tuple(sorted((*found[left], *found[right]))))
        return tuple(found)

    @cached_property
    def merges(self) -> pd.DataFrame:
        """The steps: what joins what, at which distance."""
        import pandas as pd

        steps = [
            (
                [self.names[i] for i in self.members[int(left)]],
                [self.names[i] for i in self.members[int(right)]],
                distance,
                int(size),
            )
            for left, right, distance, size in self.linkage.tolist()
        ]
        return pd.DataFrame(steps, columns=["left", "right", "distance", "size"])

    @cached_property
    def leaves(self) -> tuple[str, ...]:
        """The measures as a drawing puts them: the part that joined first stands first."""
        count = len(self.names)
        height = [0.0] * count + self.linkage[:, 2].tolist()
        order: list[int] = []
        waiting = [len(self.members) - 1]
        while waiting:
            part = waiting.pop()
            if part < count:
                order.append(part)
                continue
            ends = self.linkage[part - count, :2].astype(int).tolist()
            first, second = sorted(ends, key=lambda end: (height[end], self.members[end][0]))
            waiting += [second, first]
        return tuple(self.names[i] for i in order)

    @cached_property
    def cophenetic(self) -> float:
        """The correlation of the distances with those at which measures join; NaN of one pair."""
        from scipy.cluster.hierarchy import cophenet

        if len(self.names) < 3:
            return np.nan
        upper = np.triu_indices(len(self.names), 1)
        joined, given = cophenet(self.linkage), self.distances[upper]
        if np.ptp(joined) == 0 or np.ptp(given) == 0:
            return np.nan
        return float(np.corrcoef(joined, given)[0, 1])

    def clusters(self, distance: float = 0.1) -> list[list[str]]:
        """Return the clusters at a distance, in the order of the table."""
        if not is_number(distance) or distance < 0:
            msg = f"distance must be a number from 0 on; got {distance!r}."
            raise RelationError(msg)
        inside: dict[int, int] = {i: i for i in range(len(self.names))}
        for step, height in enumerate(self.linkage[:, 2].tolist()):
            if height <= distance + SAME:
                part = len(self.names) + step
                inside |= dict.fromkeys(self.members[part], part)
        place = {name: i for i, name in enumerate(self.table_order)}
        found: dict[int, list[str]] = {}
        for i, part in inside.items():
            found.setdefault(part, []).append(self.names[i])
        ordered = [sorted(names, key=place.__getitem__) for names in found.values()]
        return sorted(ordered, key=lambda names: place[names[0]])


def dendrogram(relations: Relations, linkage: Linkage) -> Dendrogram:
    """Join the measures whose correlations are all defined."""
    if linkage not in LINKAGES:
        msg = f"linkage must be one of {', '.join(LINKAGES)}; got {linkage!r}."
        raise RelationError(msg)
    whole = relations.complete
    order = sorted(range(len(whole.names)), key=whole.names.__getitem__)
    # From 1 - r at both ends: of a given matrix -0.0 and dust below 0 are no distances.
    distances = np.maximum(1 - whole.matrix[np.ix_(order, order)], 0.0)
    return Dendrogram(
        tuple(whole.names[i] for i in order),
        _joined(distances, linkage),
        distances,
        whole.names,
        whole.notes,
    )


def _joined(distances: Array, linkage: Linkage) -> Array:
    from scipy.cluster.hierarchy import linkage as join

    if len(distances) < 2:
        return np.empty((0, 4))
    found: Array = join(distances[np.triu_indices(len(distances), 1)], method=linkage)
    return found
