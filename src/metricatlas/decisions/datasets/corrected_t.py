"""The corrected resampled t-test of Nadeau and Bengio (2003)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array


class CorrectedT(NamedTuple):
    """Mean differences over resamples with their intervals and tests."""

    difference: Array
    low: Array
    high: Array
    t: Array
    p: Array


def corrected_t(
    differences: Array, test_share: float, level: float, noise: float = 0.0
) -> CorrectedT:
    """Test means of differences, resamples by pairs of models, that share training examples.

    The variance of a mean of n would be a n-th of that of a difference; as the training parts
    overlap, the ratio of test to training examples is added to the n-th.

    >>> test = corrected_t(np.array([[0.02], [0.01], [0.03], [0.02]]), 0.25, 0.95)
    >>> [round(float(x[0]), 4) for x in test]
    [0.02, 0.0002, 0.0398, 3.2071, 0.0491]
    """
    from scipy.stats import t

    count, pairs = differences.shape
    if count < 2:
        return CorrectedT(*np.full((5, pairs), np.nan))
    # In order, so that the order of the folds changes nothing.
    ascending = np.sort(differences, axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean, variance = ascending.mean(axis=0), ascending.var(axis=0, ddof=1)
        mean[np.isinf(differences).any(axis=0)] = np.nan
        # Without any spread a difference is certain, and none is none.
        variance[np.ptp(ascending, axis=0) <= noise] = 0.0
        error = np.sqrt((1 / count + test_share / (1 - test_share)) * variance)
        none = (error == 0) & (np.abs(mean) <= noise)
        mean[none] = 0.0
        ratio = np.where(none, 0.0, mean / error)
    half = t.ppf((1 + level) / 2, count - 1) * error
    return CorrectedT(mean, mean - half, mean + half, ratio, 2 * t.sf(np.abs(ratio), count - 1))
