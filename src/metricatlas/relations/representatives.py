"""Redundancy: few measures that stand for all, and measures that say the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.measurements.sheet import counted
from metricatlas.predictions.numbers import is_number
from metricatlas.relations.correlation import correlations
from metricatlas.relations.text import notes_as_text, wrapped

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from metricatlas.relations.relations import Relations
    from metricatlas.summaries.facts import Array

#: A perfect correlation, as it is after rounding.
PERFECT = 1e-12
#: How strongly a representative goes with those that it stands for, if nothing is said.
USUAL = 0.9
#: Two covers of the same size are told apart by their correlations to this.
GAP = 1e-9


@dataclass(frozen=True, eq=False, repr=False)
class Representatives:
    """Few measures, the best one first, and for which measures each stands."""

    names: tuple[str, ...]
    #: For every measure its representative, and their correlation.
    table: pd.DataFrame
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [f"{counted(len(self.names), 'representative')} of {len(self.table)} measures:"]
        for name in self.names:
            others = [other for other in self.of(name) if other != name]
            lines += wrapped("  - ", [f"{name}: {', '.join(others)}" if others else name])
        return "\n".join([*lines, *notes_as_text(self.notes)])

    def __iter__(self) -> Any:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def of(self, name: str) -> list[str]:
        """Return the measures that a representative stands for, itself included."""
        if name not in self.names:
            msg = f"{name!r} is no representative; these are {', '.join(self.names)}."
            raise RelationError(msg)
        chosen = self.table["representative"] == name
        return [str(measure) for measure in self.table.index[chosen]]


def representatives(
    relations: Relations, correlation: float | None, by: str, factors: Mapping[str, Any]
) -> Representatives:
    """Choose; see `Relations.representatives`."""
    whole = relations.complete
    if by == "factor" and correlation is None:
        return _by_factor(whole, factors)
    if by != "correlation" or factors:
        msg = (
            f"by must be 'correlation', without further arguments, or 'factor', without a "
            f"correlation; got {by!r}"
            f"{' and ' * bool(factors)}{', '.join(factors)}."
        )
        raise RelationError(msg)
    correlation = USUAL if correlation is None else correlation
    if not is_number(correlation) or not 0 < correlation <= 1:
        msg = f"correlation must be above 0 and at most 1; got {correlation!r}."
        raise RelationError(msg)
    strength = np.abs(whole.matrix)
    # By name, so that the choice does not depend on the order of columns.
    order = np.array(sorted(range(len(strength)), key=whole.names.__getitem__))
    chosen = order[_smallest_cover(strength[np.ix_(order, order)], correlation - PERFECT)]
    return _assigned(whole, chosen.tolist(), correlation)


def _smallest_cover(strength: Array, least: float) -> Array:
    """Find the smallest set that covers all, and of those the most strongly correlated."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    near = strength >= least
    count = len(near)
    whole = np.ones(count)
    integers = np.ones(count, dtype=np.int64)
    first = milp(
        whole,
        integrality=integers,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(near.astype(float), lb=1),
    )
    size = round(float(first.fun or 0))
    # Every measure is assigned to one that is near, and only to those that are chosen.
    of, to = np.nonzero(near)
    cells = np.arange(len(of))
    ones = np.ones(len(of))
    each = coo_array((ones, (of, count + cells)), shape=(count, count + len(of)))
    linked = coo_array(
        (np.concatenate([ones, -ones]), (np.tile(cells, 2), np.concatenate([count + cells, to]))),
        shape=(len(of), count + len(of)),
    )
    number = np.concatenate([whole, np.zeros(len(of))])[np.newaxis]
    second = milp(
        np.concatenate([np.zeros(count), -strength[of, to]]),
        integrality=np.concatenate([integers, np.zeros(len(of), dtype=np.int64)]),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(each.tocsr(), lb=1, ub=1),
            LinearConstraint(linked.tocsr(), ub=0),
            LinearConstraint(number, lb=size, ub=size),
        ],
        options={"mip_rel_gap": GAP},
    )
    return np.flatnonzero(np.round(np.asarray(second.x)[:count]))


def _assigned(relations: Relations, chosen: list[int], correlation: float) -> Representatives:
    """Let every measure be represented by the one it goes with best, itself if it is one."""
    import pandas as pd

    # Of two that are equally close the first by name, whatever the order of the columns.
    chosen = sorted(chosen, key=relations.names.__getitem__)
    strength = np.abs(relations.matrix[:, chosen])
    strength[chosen, np.arange(len(chosen))] = 2.0
    to = strength.argmax(axis=1)
    signed = relations.matrix[np.arange(len(to)), [chosen[i] for i in to]]
    names = [relations.names[i] for i in chosen]
    table = pd.DataFrame(
        {"representative": [names[i] for i in to], "correlation": signed},
        index=pd.Index(relations.names, name="measure"),
    )
    # The best stands for the most, and of those for the closest.
    value = [
        (-(to == i).sum(), -np.abs(signed[to == i]).sum(), names[i]) for i in range(len(names))
    ]
    best = sorted(range(len(names)), key=value.__getitem__)
    note = f"{len(names)} for {len(to)} measures, correlations of {correlation:g} or more"
    return Representatives(tuple(names[i] for i in best), table, (*relations.notes, note))


def _by_factor(relations: Relations, given: Mapping[str, Any]) -> Representatives:
    import pandas as pd

    found = relations.factors(**given)
    chosen: list[int] = []
    for factor in range(found.weights.shape[1]):
        size = np.abs(found.weights[:, factor])
        size[chosen] = -np.inf
        chosen.append(int(np.argmax(size)))
    largest = np.abs(found.weights).argmax(axis=1)
    # A representative of one factor may load more on another that has a better one.
    largest[chosen] = np.arange(len(chosen))
    to = [chosen[factor] for factor in largest.tolist()]
    table = pd.DataFrame(
        {
            "representative": [found.names[i] for i in to],
            "correlation": relations.matrix[np.arange(len(to)), to],
        },
        index=pd.Index(found.names, name="measure"),
    )
    return Representatives(tuple(found.names[i] for i in chosen), table, found.notes)


def _of_ranks(relations: Relations) -> Array:
    """Correlations that are perfect where a relation is monotone, by group."""
    if relations.values is None:
        return relations.matrix[np.newaxis]
    if relations.method != "pearson":
        return relations.stack
    groups = relations.rows.values()
    return np.stack([correlations(relations.values[rows], "spearman") for rows in groups])


def identities(relations: Relations) -> pd.DataFrame:
    """List perfect relations; see `Relations.identities`."""
    import pandas as pd

    stack = _of_ranks(relations)
    defined = ~np.isnan(stack)
    filled = np.where(defined, stack, 0.0)
    perfect = (~defined | (np.abs(filled) >= 1 - PERFECT)).all(axis=0) & defined.any(axis=0)
    # As measured: of two losses, and of two gains, the same.
    signs = np.where(relations.turned, -1.0, 1.0)
    filled = filled * np.multiply.outer(signs, signs)
    one_way = (filled >= 0).all(axis=0) | (filled <= 0).all(axis=0)
    found = []
    for i, j in np.argwhere(np.triu(perfect & one_way, 1)).tolist():
        direction = "same" if filled[:, i, j].sum() > 0 else "opposite"
        if (relations.names[i] in relations.folded) != (relations.names[j] in relations.folded):
            # One of them was folded at its best value, so it is its distance that goes along.
            direction = "with its distance from the best value"
        said = (relations.names[i], relations.names[j], direction, int(defined[:, i, j].sum()))
        found.append(said)
    return pd.DataFrame(found, columns=["measure", "other", "direction", "groups"])
