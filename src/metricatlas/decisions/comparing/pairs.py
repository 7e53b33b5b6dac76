"""Two models under all measures: by how much one is better, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.decisions.comparing.intervals import Resampled, automatic
from metricatlas.measurements.columns import oriented_values

if TYPE_CHECKING:
    from metricatlas.decisions.comparing.comparison import Settings
    from metricatlas.decisions.comparing.exact import Exact
    from metricatlas.decisions.comparing.replicates import Replicates
    from metricatlas.summaries.facts import Array


@dataclass(frozen=True, eq=False)
class Pair:
    """Two models; differences are turned so that above 0 the first is better."""

    difference: Array
    low: Array
    high: Array
    #: What kind of interval each is.
    methods: list[str]
    #: The share of resamples in which the first is better; equal ones count half.
    probability: Array
    p: Array
    tests: list[str]


def compared(
    replicates: Replicates, exact: Exact | None, settings: Settings, one: int, other: int
) -> Pair:
    """Compare two models."""
    upright, points = replicates.upright, replicates.upright_points
    with np.errstate(invalid="ignore"):
        difference = points[one] - points[other]
        resampled = Resampled(
            upright[one] - upright[other], difference, _without(replicates, one, other)
        )
    if settings.interval == "auto":
        ends = np.full(len(difference), np.inf)
        low, high, found = automatic(resampled, settings.level, -ends, ends)
    else:
        low, high = resampled.interval(settings.method, settings.level)
        found = [settings.method] * len(difference)
    methods: list[str] = list(found)
    probability, p = _probability(replicates.signs(one, other))
    tests = ["bootstrap"] * len(p)
    for i, column in enumerate(replicates.schema if exact is not None else ()):
        if exact is None or column.better == "neither":
            continue
        known = exact.test(one, other, column)
        if known is not None and (exact.lonely or not np.isnan(known.p)):
            # One example of a class has no spread: drawn again and again it is always the same.
            p[i], tests[i] = known
            if exact.lonely and np.isnan(known.p):
                low[i] = high[i] = np.nan
        between = exact.difference(one, other, column, settings.level)
        if between is not None and settings.interval == "auto":
            low[i], high[i], methods[i] = between
    return Pair(difference, low, high, methods, probability, p, tests)


def _without(replicates: Replicates, one: int, other: int) -> Array | None:
    """Differences without a block of examples each."""
    if replicates.without is None:
        return None
    own, others = (
        oriented_values(replicates.points[m] + replicates.without[m], replicates.schema)
        for m in (one, other)
    )
    found: Array = own - others
    return found


def _probability(signs: Array) -> tuple[Array, Array]:
    """The share of resamples in which the first is better, and the p-value that it makes."""
    count = (~np.isnan(signs)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        better, worse = (signs > 0).sum(axis=0), (signs < 0).sum(axis=0)
        probability = (better + 0.5 * (count - better - worse)) / count
        tails = np.minimum(count - better, count - worse) + 1
        p = np.minimum(2 * tails / (count + 1), 1.0)
    return probability, np.where(count == 0, np.nan, p)
