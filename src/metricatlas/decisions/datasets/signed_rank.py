"""Tests of two models over data sets: Wilcoxon's signed rank test, and the sign test."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from metricatlas.decisions.datasets.rounding import settled

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

#: Up to so many differences the p-value is counted exactly.
EXACT = 50


class SignedRank(NamedTuple):
    """Wilcoxon's signed rank test."""

    #: The smaller one of the two sums of ranks.
    statistic: float
    p: float


def signed_rank(differences: Array, noise: float = 0.0) -> SignedRank:
    """Test whether differences lie around zero, from both sides.

    Zeros are ranked with the others and then set aside (Pratt 1959). If they were dropped first, a
    test could find a difference that it would not find had the zeros spoken for it. The p-value is
    exact for up to 50 differences that are not zero, ties included: of the possible signs of these
    ranks it is the share that gives so small a sum. For more the sum is taken as normal, with the
    variance of these very ranks.

    >>> signed_rank(np.array([0.3, 0.2, 0.1, 0.0, -0.1]))
    SignedRank(statistic=2.5, p=0.375)
    """
    from scipy.stats import norm, rankdata

    sizes = settled(np.append(np.abs(differences), 0.0), noise)[:-1]
    there = sizes > 0
    ranks = rankdata(sizes)[there]
    if not len(ranks):
        return SignedRank(0.0, 1.0)
    favour = ranks[differences[there] > 0].sum()
    smaller = float(min(favour, ranks.sum() - favour))
    if len(ranks) <= EXACT:
        # Shared ranks are halves, so that twice a rank is a whole number.
        doubled = tuple(sorted((2 * ranks).astype(int).tolist()))
        tail = int(_counts_below(doubled)[int(2 * smaller)]) / 2 ** len(ranks)
    else:
        tail = float(norm.cdf((smaller - ranks.sum() / 2) / (np.sqrt(np.square(ranks).sum()) / 2)))
    return SignedRank(smaller, min(1.0, 2 * tail))


@lru_cache(maxsize=256)
def _counts_below(ranks: tuple[int, ...]) -> Array:
    """For every sum: how many choices of ranks sum up to it or less."""
    counts = np.zeros(sum(ranks) + 1, dtype=np.int64)
    counts[0] = 1
    for rank in ranks:
        counts[rank:] += counts[:-rank].copy()
    return np.cumsum(counts)


def sign_test(wins: Array, losses: Array) -> Array:
    """P-values of wins against losses, from both sides, exact; ties speak for nobody.

    >>> sign_test(np.array([5, 3]), np.array([0, 3])).tolist()
    [0.0625, 1.0]
    """
    from scipy.stats import binom

    found: Array = np.minimum(1.0, 2 * binom.cdf(np.minimum(wins, losses), wins + losses, 0.5))
    return found
