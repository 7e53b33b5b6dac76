"""Frames of tests of pairs of models over data sets."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.comparing.corrections import Correction, corrected
from metricatlas.decisions.datasets.rank_tables import framed
from metricatlas.decisions.datasets.signed_rank import sign_test, signed_rank
from metricatlas.progress import progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from metricatlas.decisions.datasets.crossed import Contest, Crossed
    from metricatlas.summaries.facts import Array


def pairs_table(read: Crossed, correction: Correction) -> pd.DataFrame:
    """Return the signed rank and the sign test; see `Across.pairs`."""
    rows: list[tuple[Any, ...]] = []
    for contest in read.contests:
        tests = np.array([_signed_rank(contest, *pair) for pair in read.pairs])
        p_corrected = corrected(tests[:, 2], correction)
        one, other = np.array(read.pairs).T
        ours, theirs = contest.ordinal[:, one], contest.ordinal[:, other]
        wins, losses = (ours > theirs).sum(axis=0), (ours < theirs).sum(axis=0)
        by_sign = sign_test(wins, losses) if contest.enough else np.full(len(one), nan)
        ties = contest.datasets - wins - losses
        columns = (*tests.T, p_corrected, wins, ties, losses, by_sign)
        rows += [
            (*start, *cells, contest.datasets)
            for start, *cells in zip(
                read.starts(contest), *(column.tolist() for column in columns), strict=True
            )
        ]
    return framed(
        rows,
        "measure model other difference statistic p p_corrected wins ties losses sign_p datasets",
    )


def bayesian_table(
    read: Crossed, ropes: Mapping[str, float], samples: int, seed: int
) -> pd.DataFrame:
    """Return the Bayesian signed rank test; see `Across.bayesian`."""
    from metricatlas.decisions.datasets.bayesian import signed_rank_posterior

    rows: list[tuple[Any, ...]] = []
    with progress("Bayesian signed rank test", len(read.contests)) as done:
        for count, contest in enumerate(read.contests):
            rope = ropes[contest.name]
            shares = np.full((len(read.pairs), 3), nan)
            if contest.enough:
                apart = [contest.differences(*pair) for pair in read.pairs]
                shares = signed_rank_posterior(apart, rope, samples, seed, noise=contest.noise)
            rows += [
                (*start, *cells, rope, contest.datasets)
                for start, cells in zip(read.starts(contest), shares.tolist(), strict=True)
            ]
            done(count + 1)
    return framed(rows, "measure model other better equal worse rope datasets")


def mean_of(apart: Array) -> float:
    """Return the mean, whatever the order; undefined where infinite differences contradict."""
    with np.errstate(invalid="ignore"):
        return float(np.sort(apart).mean())


def _signed_rank(contest: Contest, one: int, other: int) -> tuple[float, float, float]:
    """The mean difference, and the statistic and p-value of its test."""
    if not contest.enough:
        return nan, nan, nan
    apart = contest.differences(one, other)
    return mean_of(apart), *signed_rank(apart, contest.noise)
