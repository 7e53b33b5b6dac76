"""Measures brought to one scale, within groups."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import MetricAtlasError
from metricatlas.measurements.choosing import take_places, take_rows
from metricatlas.measurements.columns import Array, oriented_values
from metricatlas.measurements.rows import group_rows
from metricatlas.measurements.table import Measurements

if TYPE_CHECKING:
    from collections.abc import Mapping

Groups = dict[tuple[Any, ...], Array]

NO_SPREAD = "all values of the group are equal, so there is no scale"
NOT_BETTER = "no value of the group is better than the baseline, so there is no scale"
NO_BASELINE = "the baseline is undefined or infinite"


def normalised(
    table: Measurements, method: str, baseline: Any, within: Any, observed: Any
) -> Measurements:
    """Scale every column within every group; see `Measurements.normalised`."""
    if method not in ("range", "standard"):
        msg = f'method must be "range" or "standard"; got {method!r}.'
        raise MetricAtlasError(msg)
    if method == "standard" and baseline is not None:
        msg = 'a baseline is the zero of method="range"; method="standard" takes none.'
        raise MetricAtlasError(msg)
    oriented = table.oriented()
    groups = group_rows(table.row_keys, len(table), within)
    by_range = _chosen(table, observed)
    zeros = None if baseline is None else _zeros(table, baseline, groups, within, by_range)
    values = np.empty_like(oriented.values)
    reasons = dict(oriented.reasons)
    with np.errstate(all="ignore"):
        for i, rows in enumerate(groups.values()):
            block = oriented.values[rows]
            zero, unit = _scale(block, method, None if zeros is None else zeros[i])
            if zeros is not None and by_range.any():
                lowest, length = _scale(block, method, None)
                zero, unit = (np.where(by_range, a, b) for a, b in ((lowest, zero), (length, unit)))
            scaled = (block - zero) / np.where(unit > 0, unit, np.nan)
            values[rows] = scaled
            for row, column in np.argwhere(np.isnan(scaled) & ~np.isnan(block)).tolist():
                known = zeros is None or np.isfinite(zero[column])
                why = NO_SPREAD if zeros is None or by_range[column] else NOT_BETTER
                reasons[int(rows[row]), column] = why if known else NO_BASELINE
    lower, upper = (
        (-inf, inf) if method == "standard" else (-inf if zeros is not None else 0.0, 1.0)
    )
    schema = (
        replace(c, lower=lower, upper=upper, title=f"{c.title or c.name}, normalised")
        for c in oriented.schema
    )
    return table.__replace__(values=values, schema=tuple(schema), reasons=reasons, levels={})


def above(table: Measurements, baseline: Any, within: Any, exempt: Any) -> Measurements:
    """Set aside rows; see `Measurements.above`."""
    exempted = _chosen(table, exempt)
    decides = ~exempted & np.array([c.better != "neither" for c in table.schema], dtype=bool)
    asked = take_places(table, np.flatnonzero(decides).tolist())
    if isinstance(baseline, Measurements):
        baseline = baseline.select(asked.columns)
        asked, baseline = _pairs_as_places(asked, baseline)
    elif hasattr(baseline, "items"):
        deciding = set(np.flatnonzero(decides).tolist())
        baseline = {n: x for n, x in baseline.items() if table.place(n) in deciding}
    else:
        baseline = _zeros_in_order(table, baseline)[decides]
    worse = _below(asked, baseline, within)
    kept = take_rows(table, np.flatnonzero(~worse))
    note = f"{int(worse.sum())} of {len(table)} rows are set aside: below the baseline"
    if exempted.any():
        names = [name for name, out in zip(table.columns, exempted, strict=True) if out]
        verb = "do" if len(names) > 1 else "does"
        note = f"{note}, where {', '.join(names)} {verb} not count"
    return kept.__replace__(notes=(*table.notes, note))


def _pairs_as_places(
    table: Measurements, baseline: Measurements
) -> tuple[Measurements, Measurements]:
    """Two-level measures as numbers that order both tables as their pairs do."""
    values, zeros = np.array(table.values), np.array(baseline.values)
    for column in table.pairs.keys() & baseline.pairs.keys():
        levels = np.vstack([table.pairs[column], baseline.pairs[column]])
        places = np.unique(levels, axis=0, return_inverse=True)[1].ravel().astype(np.float64)
        places[np.isnan(levels).any(axis=1)] = np.nan
        values[:, column], zeros[:, column] = np.split(places, [len(table)])
    return table.__replace__(values=values), baseline.__replace__(values=zeros)


def _below(table: Measurements, baseline: Any, within: Any) -> Array:
    """Which rows are worse than the baseline of their group under some measure."""
    oriented = table.oriented().values
    groups = group_rows(table.row_keys, len(table), within)
    zeros = _zeros(table, baseline, groups, within)
    worse = np.zeros(len(table), dtype=bool)
    for rows, zero in zip(groups.values(), zeros, strict=True):
        worse[rows] = (oriented[rows] < zero).any(axis=1)
    return worse


def _chosen(table: Measurements, names: Any) -> Array:
    """Which columns are named."""
    chosen = np.zeros(len(table.schema), dtype=bool)
    listed = [names] if isinstance(names, str) else list(names)
    chosen[[table.place(name) for name in listed]] = True
    return chosen


def _scale(block: Array, method: str, zero: Array | None) -> tuple[Array, Array]:
    """What becomes 0 and how long 1 is, by column; infinite values do not count."""
    finite = np.where(np.isfinite(block), block, np.nan)
    count = np.isfinite(block).sum(axis=0)
    highest = np.fmax.reduce(finite, axis=0, initial=np.nan)
    lowest = np.fmin.reduce(finite, axis=0, initial=np.nan)
    if method == "range":
        start = lowest if zero is None else zero
        return start, np.where(np.isfinite(start), highest - start, np.nan)
    mean = np.nansum(finite, axis=0) / count
    spread = np.sqrt(np.nansum(np.square(finite - mean), axis=0) / count)
    # Equal values have no spread, whatever the rounding of their mean.
    return mean, np.where(highest > lowest, spread, 0.0)


def _zeros(
    table: Measurements, baseline: Any, groups: Groups, within: Any, left: Array | None = None
) -> Array:
    """The baseline as groups by columns, oriented; columns that are left out need have none."""
    if isinstance(baseline, Measurements):
        raw = _zeros_of_table(table, baseline, groups, within)
    elif hasattr(baseline, "items"):
        raw = _zeros_by_name(table, dict(baseline.items()), left)
    else:
        raw = _zeros_in_order(table, baseline)
    return oriented_values(np.broadcast_to(raw, (len(groups), len(table.schema))), table.schema)


def _zeros_in_order(table: Measurements, numbers: Any) -> Array:
    try:
        raw = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        came = f"{numbers!r}"[:60]
    else:
        if raw.shape == (len(table.schema),):
            return raw
        came = f"the shape {raw.shape}"
    msg = (
        f"baseline must be a table, a number for each column by name, or an array with a number "
        f"for each of the {len(table.schema)} columns; got {came}."
    )
    raise MetricAtlasError(msg)


def _zeros_by_name(table: Measurements, numbers: Mapping[Any, float], left: Array | None) -> Array:
    by_measure = {table.schema[table.place(name)].measure: x for name, x in numbers.items()}
    if left is not None:
        for column, out in zip(table.schema, left, strict=True):
            if out:
                by_measure.setdefault(column.measure, np.nan)
    lacking = [c.name for c in table.schema if c.measure not in by_measure]
    if lacking:
        msg = (
            f"baseline must have a number for every column; {len(lacking)} are missing, the first "
            f"is {lacking[0]!r}. `.select` the columns to be scaled first."
        )
        raise MetricAtlasError(msg)
    return _zeros_in_order(table, [by_measure[c.measure] for c in table.schema])


def _zeros_of_table(
    table: Measurements,
    baseline: Measurements,
    groups: Groups,
    within: Any,
) -> Array:
    chosen = baseline if baseline.columns == table.columns else baseline.select(table.columns)
    # An oriented baseline beside a table that is not, or the other way round, has other signs.
    if [c.better for c in chosen.schema] != [c.better for c in table.schema]:
        msg = "baseline and table must have the same directions: orient both or neither."
        raise MetricAtlasError(msg)
    names = [within] if isinstance(within, str) else list(within or ())
    if len(chosen) == 1 and not any(name in chosen.row_keys for name in names):
        return chosen.values
    there = group_rows(chosen.row_keys, len(chosen), within)
    for name in groups:
        if len(there.get(name, ())) != 1:
            group = f" for {name}" if name else ""
            msg = (
                f"baseline must have one row in all, or one for each group; got "
                f"{len(there.get(name, ()))}{group}."
            )
            raise MetricAtlasError(msg)
    return np.stack([chosen.values[there[name][0]] for name in groups])
