"""The areas under several ROC curves and their covariances (DeLong, DeLong and Clarke-Pearson)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array


def delong(positive: Array, scores: Array) -> tuple[Array, Array]:
    """Areas of models, (k,), and their covariance matrix, (k, k), from scores (k, n).

    Each positive's share of the negatives it beats is its midrank among all less its midrank among
    the positives, so two sorts a model are enough. With one example of a class there is no
    variance, and the covariance is undefined.
    """
    from scipy.stats import rankdata

    truth = positive.astype(bool)
    ones, zeros = int(truth.sum()), int((~truth).sum())
    ranks = rankdata(scores, axis=1)
    of_positives = (ranks[:, truth] - rankdata(scores[:, truth], axis=1)) / zeros
    of_negatives = 1 - (ranks[:, ~truth] - rankdata(scores[:, ~truth], axis=1)) / ones
    spread = _covariance(of_positives) / ones + _covariance(of_negatives) / zeros
    return of_positives.mean(axis=1), spread


def _covariance(table: Array) -> Array:
    if table.shape[1] < 2:
        return np.full((len(table), len(table)), np.nan)
    away = table - table.mean(axis=1, keepdims=True)
    found: Array = away @ away.T / (table.shape[1] - 1)
    return found


def p_of_difference(difference: float, variance: float) -> float:
    """Two-sided p-value of a difference that is normal; equal models differ by nothing."""
    from scipy.special import ndtr

    if np.isnan(variance):
        return float("nan")
    if variance <= 0:
        return 1.0 if difference == 0 else 0.0
    return float(2 * ndtr(-abs(difference) / np.sqrt(variance)))


def half_width(variance: Any, level: float) -> Any:
    """Half of a normal interval."""
    from scipy.special import ndtri

    return ndtri(0.5 + level / 2) * np.sqrt(np.maximum(variance, 0.0))
