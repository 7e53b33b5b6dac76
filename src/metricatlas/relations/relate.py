"""The door: from measurements to the correlations of their measures, group by group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.relations.correlation import FEWEST, METHODS, Method, correlations
from metricatlas.relations.grouped import DATASET, Grouped, grouped
from metricatlas.relations.relations import Relations, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.measurements import Measurements
    from metricatlas.summaries.facts import Array

Missing = Literal["pairwise", "rows"]
Report = list[tuple[Any, str, str, int, str]]

UNDEFINED_HERE = "its correlations are undefined in this group"


def relate(
    m: Measurements,
    *,
    method: Method = "spearman",
    within: str | Sequence[str] | None = DATASET,
    missing: Missing = "pairwise",
    oriented: bool = True,
) -> Relations:
    """Correlate measures over the rows of each group, and average over groups.

    Parameters
    ----------
    m
        Measurements; where they come from does not matter.
    method
        "pearson", "spearman" or "kendall" (tau-b).
    within
        The key, or keys, of groups that are correlated separately and then averaged, each group
        counting once; None pools all rows. Without a key "dataset" all rows are one group.
    missing
        Of two measures with undefined values the rows in which both are defined count
        ("pairwise"), or only rows in which all are ("rows").
    oriented
        Turn every measure so that higher is better; False leaves them as measured.

    Returns
    -------
    Relations
        The correlations, and what follows from them. What could not be correlated is NaN, and
        stands in ``problems`` with what was done about it.

    Examples
    --------
    >>> import metricatlas as ma, pandas as pd
    >>> frame = pd.DataFrame({"auc": [0.9, 0.8, 0.7, 0.6], "brier": [0.1, 0.2, 0.15, 0.3]})
    >>> ma.relate(ma.Measurements.from_frame(frame)).correlation.round(3)
           auc  brier
    auc    1.0    0.8
    brier  0.8    1.0
    """
    if method not in METHODS:
        msg = f"method must be one of {', '.join(METHODS)}; got {method!r}."
        raise RelationError(msg)
    if missing not in ("pairwise", "rows"):
        msg = f"missing must be 'pairwise' or 'rows'; got {missing!r}."
        raise RelationError(msg)
    table = grouped(m, within, oriented=oriented)
    values = table.values if method == "pearson" else table.ordinal
    report: Report = [
        (None, table.names[i], "no value is better than another", len(m), "taken as measured")
        for i in table.sideless
        if oriented
    ]
    report += _two_level(table, method, len(m))
    rows = {}
    for group, members in table.groups.items():
        kept = members
        if missing == "rows":
            kept = members[~np.isnan(values[members]).any(axis=1)]
        rows[group] = kept
        look = _Look(group, table.names, method, missing)
        report += look.over(values[members], values[kept])
    stack = np.stack([correlations(values[kept], method) for kept in rows.values()])
    for (group, kept), cells in zip(rows.items(), stack, strict=True):
        report += _never_together(group, table.names, values[kept], cells)

    def again(asked: Measurements, by: Method = method) -> Relations:
        return relate(asked, method=by, within=within, missing=missing, oriented=oriented)

    return Relations.of_groups(
        table.names,
        stack,
        method=method,
        values=values,
        rows=rows,
        within=table.within,
        negated=frozenset(table.names[i] for i in table.turned if oriented),
        folded=frozenset(table.names[i] for i in table.folded if oriented),
        report=report,
        notes=table.notes,
        source=Source(_named(m, table.names), again),
    )


def _named(m: Measurements, names: Sequence[str]) -> Measurements:
    """The same table with names that differ from each other."""
    if m.columns == tuple(names):
        return m
    schema = (replace(c, name=name) for c, name in zip(m.schema, names, strict=True))
    return m.__replace__(schema=tuple(schema))


def _two_level(table: Grouped, method: Method, count: int) -> Report:
    """Say how two-level measures were taken, and what a number in place of the pair changes."""
    if method != "pearson":
        return []
    report: Report = []
    for i in table.two_level:
        share = _reversed_share(table.ordinal[:, i], table.values[:, i], table.groups.values())
        told = f"taken as f + 0.01 g, which orders {share:.2%} of the pairs the other way round"
        report.append((None, table.names[i], "two-level measure", count, told))
    return report


def _reversed_share(pairs: Array, numbers: Array, groups: Any) -> float:
    from metricatlas.relations.agreement import over_groups

    defined = ~np.isnan(pairs) & ~np.isnan(numbers)
    found = over_groups(pairs, numbers, None, [rows[defined[rows]] for rows in groups])
    return found.S / found.pairs if found.pairs else 0.0


@dataclass(frozen=True)
class _Look:
    """A look at one group for what stands in the way of correlations."""

    group: Any
    names: Sequence[str]
    method: Method
    missing: Missing

    def over(self, values: Array, kept: Array) -> Report:
        """Look at all rows of the group, and at those that are kept."""
        if len(kept) < FEWEST:
            told = f"fewer than {FEWEST} say nothing, so {UNDEFINED_HERE[4:]}"
            return [(self.group, "all", "too few rows", len(kept), told)]
        undefined = np.isnan(values).sum(axis=0)
        infinite = np.isinf(kept).sum(axis=0)
        constant = _constant(kept)
        report: Report = []
        for i, name in enumerate(self.names):
            if undefined[i]:
                told = self._of_undefined(len(values) - int(undefined[i]))
                report.append((self.group, name, "undefined values", int(undefined[i]), told))
            if infinite[i]:
                ranked = "ranked beyond all others"
                told = UNDEFINED_HERE if self.method == "pearson" else ranked
                report.append((self.group, name, "infinite values", int(infinite[i]), told))
            if constant[i]:
                report.append((self.group, name, "constant", len(kept), UNDEFINED_HERE))
        return report

    def _of_undefined(self, left: int) -> str:
        if self.missing == "rows":
            return "the rows are left out"
        return (
            "the rows where both measures are defined count" if left >= FEWEST else UNDEFINED_HERE
        )


def _never_together(group: Any, names: Sequence[str], values: Array, cells: Array) -> Report:
    """Two measures that vary, but not in the rows in which both are defined."""
    known = ~np.isnan(np.diagonal(cells))
    pairs = np.argwhere(np.triu(np.isnan(cells) & known & known[:, np.newaxis], 1))
    return [
        (
            group,
            names[i],
            f"constant, or too few rows, where {names[j]} is defined too",
            int((~np.isnan(values[:, [i, j]]).any(axis=1)).sum()),
            "their correlation is undefined in this group",
        )
        for i, j in pairs.tolist()
    ]


def _constant(values: Array) -> Array:
    with np.errstate(invalid="ignore"):
        highest = np.fmax.reduce(values, axis=0)
        return highest == np.fmin.reduce(values, axis=0)
