"""Frames of mean ranks and of the tests by them."""

from __future__ import annotations

from math import inf, nan
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.datasets.mean_ranks import (
    Friedman,
    critical_difference,
    friedman,
    nemenyi_p,
    runs_alike,
)

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.decisions.datasets.crossed import Contest, Crossed

Rows = list[tuple[Any, ...]]


def ranks_table(read: Crossed) -> pd.DataFrame:
    """Return mean values, mean ranks and wins; see `Across.ranks`."""
    rows: Rows = []
    for contest in read.contests:
        columns = (contest.means, contest.mean_ranks, contest.wins)
        rows += [
            (contest.name, model, *cells, contest.datasets)
            for model, *cells in zip(read.models, *(c.tolist() for c in columns), strict=True)
        ]
    return framed(rows, "measure model value rank wins datasets")


def friedman_table(read: Crossed) -> pd.DataFrame:
    """Return Friedman's test; see `Across.friedman`."""
    rows = [(contest.name, *_friedman(contest), contest.datasets) for contest in read.contests]
    return framed(rows, f"measure {' '.join(Friedman._fields)} datasets")


def nemenyi_table(read: Crossed, level: float) -> pd.DataFrame:
    """Return Nemenyi's test; see `Across.nemenyi`."""
    rows: Rows = []
    for contest in read.contests:
        critical = _critical(contest, level)
        one, other = np.array(read.pairs).T
        apart = contest.mean_ranks[other] - contest.mean_ranks[one]
        p_values = np.full(len(apart), nan)
        if contest.enough:
            p_values = nemenyi_p(apart, contest.datasets, len(read.models))
        columns = (apart, p_values, np.abs(apart) >= critical)
        rows += [
            (*start, difference, critical, p, differs, contest.datasets)
            for start, difference, p, differs in zip(
                read.starts(contest), *(c.tolist() for c in columns), strict=True
            )
        ]
    columns_named = "measure model other difference critical_difference p differs datasets"
    return framed(rows, columns_named)


def groups_table(read: Crossed, level: float) -> pd.DataFrame:
    """Return the sets of models that are not told apart; see `Across.groups`."""
    rows: Rows = []
    for contest in read.contests:
        critical = _critical(contest, level)
        ranks = contest.mean_ranks
        for run in runs_alike(ranks, critical) if contest.enough else []:
            names = tuple(read.models[i] for i in run)
            ends = (float(ranks[run[0]]), float(ranks[run[-1]]))
            rows.append((contest.name, names, *ends, critical, contest.datasets))
    return framed(rows, "measure models first last critical_difference datasets")


def winners_table(read: Crossed, level: float) -> pd.DataFrame:
    """Return the best of each measure; see `Across.winners`."""
    rows: Rows = []
    for contest in read.contests:
        if not contest.enough:
            rows.append((contest.name, None, nan, (), nan, contest.datasets))
            continue
        ranks = contest.mean_ranks
        first, *others = np.argsort(ranks, kind="stable").tolist()
        p = _friedman(contest).f_p
        reach = _critical(contest, level) if p <= 1 - level else inf
        alike = tuple(read.models[i] for i in others if ranks[i] - ranks[first] < reach)
        rows.append(
            (contest.name, read.models[first], float(ranks[first]), alike, p, contest.datasets)
        )
    return framed(rows, "measure winner rank not_told_apart f_p datasets")


def framed(rows: Rows, columns: str) -> pd.DataFrame:
    """Make a frame of rows, with columns named in one text."""
    import pandas as pd

    return pd.DataFrame.from_records(rows, columns=columns.split())


def _friedman(contest: Contest) -> Friedman:
    return friedman(contest.ranks) if contest.enough else Friedman()


def _critical(contest: Contest, level: float) -> float:
    models = contest.values.shape[1]
    return critical_difference(contest.datasets, models, level) if contest.enough else nan
