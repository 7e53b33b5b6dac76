"""The door: from measurements to the correlations of their measures, group by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.relations.correlation import FEWEST, METHODS, Method, correlations
from metricatlas.relations.grouped import DATASET, Grouped, grouped
from metricatlas.relations.relations import Relations

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
        report += _looked_over(group, table.names, values[members], len(kept), method, missing)
    stack = np.stack([correlations(values[kept], method) for kept in rows.values()])

    def again(asked: Measurements) -> Relations:
        return relate(asked, method=method, within=within, missing=missing, oriented=oriented)

    return Relations.of_groups(
        table.names,
        stack,
        method=method,
        values=values,
        rows=rows,
        within=table.within,
        oriented=oriented,
        report=report,
        notes=table.notes,
        source=(m, again),
    )


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


def _looked_over(
    group: Any,
    names: Sequence[str],
    values: Array,
    kept: int,
    method: Method,
    missing: Missing,
) -> Report:
    """Find what stands in the way of correlations in one group."""
    report: Report = []
    if kept < FEWEST:
        told = f"{kept}: fewer than {FEWEST} rows say nothing, so {UNDEFINED_HERE[4:]}"
        return [(group, "all", "too few rows", len(values), told)]
    undefined, infinite = np.isnan(values).sum(axis=0), np.isinf(values).sum(axis=0)
    for i in np.flatnonzero(undefined).tolist():
        told = "the rows where both measures are defined count"
        if undefined[i] == len(values):
            told = UNDEFINED_HERE
        elif missing == "rows":
            told = "the rows are left out"
        report.append((group, names[i], "undefined values", int(undefined[i]), told))
    for i in np.flatnonzero(infinite).tolist():
        told = UNDEFINED_HERE if method == "pearson" else "ranked beyond all others"
        report.append((group, names[i], "infinite values", int(infinite[i]), told))
    for i in np.flatnonzero(_constant(values)).tolist():
        report.append((group, names[i], "constant", len(values), UNDEFINED_HERE))
    return report


def _constant(values: Array) -> Array:
    with np.errstate(invalid="ignore"):
        highest = np.fmax.reduce(values, axis=0)
        return highest == np.fmin.reduce(values, axis=0)
