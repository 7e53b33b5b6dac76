"""The areas under several ROC curves and their covariances (DeLong, DeLong and Clarke-Pearson)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

#: Ends of intervals are found as near as this.
NEAR = 1e-12


def delong(positive: Array, scores: Array) -> tuple[Array, Array]:
    """Areas of models, (k,), and their covariance matrix, (k, k), from scores (k, n).

    Each positive's share of the negatives it beats is its midrank among all less its midrank among
    the positives, so two sorts a model are enough. With one example of a class there is no
    variance, and the covariance is undefined; without any there is no area either.
    """
    from scipy.stats import rankdata

    truth = positive.astype(bool)
    ones, zeros = int(truth.sum()), int((~truth).sum())
    models = len(scores)
    if ones == 0 or zeros == 0:
        return np.full(models, np.nan), np.full((models, models), np.nan)
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


def score_interval(area: float, ones: int, zeros: int, level: float) -> tuple[float, float]:
    """Newcombe's interval (2006, method 5) of an area, which needs no variance of the examples.

    At either end the area is as far from it as Hanley and McNeil's standard error there, with both
    classes of their mean size, allows. It is what is left where all pairs are in order. Intervals
    of next to no level have no width.
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    z, half = ndtri(0.5 + level / 2), (ones + zeros) / 2

    def beyond(end: float) -> float:
        spread = 1 + (half - 1) * ((1 - end) / (2 - end) + end / (1 + end))
        variance = end * (1 - end) * spread / (ones * zeros)
        return float((area - end) ** 2 - z * z * variance)

    # At 0 and at 1 nothing spreads, so that these would be ends of their own.
    inside = min(max(area, NEAR), 1 - NEAR)
    if beyond(inside) >= 0:
        return area, area
    low = 0.0 if area <= 0 else brentq(beyond, 0.0, inside, xtol=NEAR)
    high = 1.0 if area >= 1 else brentq(beyond, inside, 1.0, xtol=NEAR)
    return float(low), float(high)


def p_of_difference(difference: float, variance: float) -> float:
    """Two-sided p-value of a difference that is normal; equal models differ by nothing.

    None is known where models differ and nothing spreads, as where one has all pairs in order.
    """
    from scipy.special import ndtr

    if np.isnan(variance):
        return float("nan")
    if variance <= 0:
        return 1.0 if difference == 0 else float("nan")
    return float(2 * ndtr(-abs(difference) / np.sqrt(variance)))


def half_width(variance: Any, level: float) -> Any:
    """Half of a normal interval."""
    from scipy.special import ndtri

    return ndtri(0.5 + level / 2) * np.sqrt(np.maximum(variance, 0.0))


def on_log_odds(area: float, half: float) -> tuple[float, float]:
    """Lay a normal interval on the scale of the log-odds, where it fits better, and bring it back.

    Near 1 an area varies more downwards than upwards, so on few examples the plain interval holds
    the truth too rarely.

    >>> low, high = on_log_odds(0.9, 0.09)
    >>> round(low, 4), round(high, 4)
    (0.768, 0.9607)
    """
    from scipy.special import expit, logit

    centre, width = logit(area), half / (area * (1 - area))
    return float(expit(centre - width)), float(expit(centre + width))
