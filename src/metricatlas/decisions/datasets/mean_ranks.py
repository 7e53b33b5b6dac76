"""Tests by mean ranks: Friedman's, Iman and Davenport's, and Nemenyi's after them."""

from __future__ import annotations

from math import inf, nan, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array


class Friedman(NamedTuple):
    """Whether the models differ at all."""

    statistic: float = nan
    p: float = nan
    #: Iman and Davenport's correction, which is less timid.
    f: float = nan
    f_p: float = nan
    #: Kendall's W: 1 where all data sets rank the models alike, about 0 where they rank at random.
    concordance: float = nan


def ranks_of(ordinal: Array) -> Array:
    """Rank the models within each data set, the best one 1; equal ones share their ranks."""
    from scipy.stats import rankdata

    found: Array = rankdata(-ordinal, axis=1)
    return found


def friedman(ranks: Array) -> Friedman:
    """Test whether all models are alike, from ranks, data sets by models; ties are allowed for.

    >>> friedman(np.array([[1, 2, 3], [1, 3, 2], [1, 2, 3.0]])).statistic.round(3)
    np.float64(4.667)
    """
    from scipy.stats import chi2, f

    count, models = ranks.shape
    middle = (models + 1) / 2
    between = np.square(ranks.sum(axis=0) - count * middle).sum()
    within = np.square(ranks - middle).sum()
    if within == 0:
        # All models are equal everywhere: nothing speaks for a difference.
        return Friedman(0.0, 1.0, 0.0, 1.0, 0.0)
    statistic = (models - 1) * between / within
    most = count * (models - 1)
    ratio = (count - 1) * statistic / (most - statistic) if statistic < most else inf
    return Friedman(
        statistic,
        float(chi2.sf(statistic, models - 1)),
        ratio,
        float(f.sf(ratio, models - 1, (models - 1) * (count - 1))),
        statistic / most,
    )


def nemenyi_error(count: int, models: int) -> float:
    """The standard error of the difference of two mean ranks, over the root of two."""
    return sqrt(models * (models + 1) / (12 * count))


def critical_difference(count: int, models: int, level: float) -> float:
    """Two mean ranks this far apart are different (Nemenyi).

    >>> round(critical_difference(14, 4, 0.95), 2)
    1.25
    """
    from scipy.stats import studentized_range

    # Infinitely many degrees of freedom: the variance of ranks is known.
    return float(studentized_range.ppf(level, models, inf)) * nemenyi_error(count, models)


def nemenyi_p(differences: Array, count: int, models: int) -> Array:
    """P-values of differences of mean ranks."""
    from scipy.stats import studentized_range

    sizes, places = np.unique(np.abs(differences), return_inverse=True)
    tails = studentized_range.sf(sizes / nemenyi_error(count, models), models, inf)
    found: Array = np.clip(tails, 0.0, 1.0)[places]
    return found


def runs_alike(ranks: Array, critical: float) -> list[list[int]]:
    """Find the largest sets of models of which no two are told apart, best models first.

    >>> runs_alike(np.array([3.0, 1.0, 2.0]), 1.5)
    [[1, 2], [2, 0]]
    """
    order = np.argsort(ranks, kind="stable")
    ascending = ranks[order]
    runs: list[list[int]] = []
    last = 0
    for start, first in enumerate(ascending):
        end = int((ascending - first < critical).sum())
        if end > last:
            runs.append(order[start:end].tolist())
            last = end
    return runs
