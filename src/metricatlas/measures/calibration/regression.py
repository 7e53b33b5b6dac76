"""Calibration by regression of the label on the probability, and by the moments of its errors."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import (
    certain_and_right,
    no_recalibration,
    no_shift,
    no_smooth_curve,
)
from metricatlas.summaries import Probabilities, Ranking
from metricatlas.summaries.facts import class_sum

Array = np.ndarray[Any, Any]


@measure(
    bounds=(-np.inf, np.inf),
    better="one",
    aliases=("slope",),
    undefined=(no_recalibration,),
    cites=("cox1958", "vancalster2019"),
    symmetric=True,
)
def calibration_slope(r: Ranking) -> Array:
    r"""Calibration slope.

    .. math:: b \text{ in } \mathrm{logit}\,\Pr(y = 1) = a + b\,\mathrm{logit}\,p

    The regression fits an intercept :math:`a` and the slope b. Below 1 where probabilities are too
    extreme, above 1 where they are too timid. Probabilities are kept 1e-12 away from 0 and 1.

    >>> calibration_slope(Ranking.from_facts(recalibration={"slope": [0.1, 0.8]}))
    np.float64(0.8)
    """
    return r.recalibration("slope")[..., 1][()]


@measure(
    bounds=(-np.inf, np.inf),
    better="zero",
    aliases=("intercept",),
    undefined=(no_shift,),
    cites=("cox1958", "vancalster2019"),
)
def calibration_intercept(r: Ranking) -> Array:
    r"""Calibration intercept.

    .. math:: a \text{ in } \mathrm{logit}\,\Pr(y = 1) = a + \mathrm{logit}\,p

    The intercept :math:`a` is fitted with the slope held at 1: above 0 where probabilities are too
    low on the whole. Probabilities are kept 1e-12 away from 0 and 1.

    >>> calibration_intercept(Ranking.from_facts(recalibration={"intercept": [0.2, 1]}))
    np.float64(0.2)
    """
    return r.recalibration("intercept")[..., 0][()]


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=(no_smooth_curve,),
    aliases=("integrated_calibration_index",),
    cites=("austin2019",),
    symmetric=True,
)
def ici(r: Ranking) -> Array:
    r"""Integrated calibration index.

    .. math:: \frac{1}{m} \sum_i |p_i - \hat y(p_i)|

    The mean distance of the probabilities from the share of positives at them, smoothed by local
    regression. After Austin and Steyerberg, whose loess fits parabolas: here the regression is
    local and linear, over the nearest three quarters of the mass with tricube weights, at no more
    than 129 evenly spaced points with straight lines between them, and kept within 0 and 1.

    >>> ici(Ranking.from_facts(smooth_gap=0.03))
    np.float64(0.03)
    """
    return r.smooth_gap


@measure(
    bounds=(-1, 1),
    better="zero",
    aliases=("citl",),
    cites=("vancalster2019",),
    task="binary",
)
def calibration_in_the_large(p: Probabilities) -> Array:
    r"""Calibration in the large.

    .. math:: \bar y - \bar p

    The share of positives less the mean probability: above 0 where probabilities are too low.

    >>> calibration_in_the_large(
    ...     Probabilities.from_facts(mass=[6, 4], received=[[4, 1.5], [2, 2.5]])
    ... ).round(4)
    np.float64(-0.05)
    """
    return (p.positives - class_sum(p.received[..., 1, :])) / p.total


@measure(
    bounds=(-np.inf, np.inf),
    better="zero",
    undefined=(certain_and_right,),
    aliases=("spiegelhalter_z",),
    cites=("spiegelhalter1986",),
    symmetric=True,
)
def spiegelhalter(p: Probabilities) -> Array:
    r"""Spiegelhalter's z: the Brier score against what it should be if the probabilities hold.

    .. math:: \frac{\sum_i (y_i - p_i)(1 - 2 p_i)}{\sqrt{\sum_i (1 - 2 p_i)^2 p_i (1 - p_i)}}

    Standard normal if they do; above 0 where they are too extreme. Of more than two classes, the
    same with the Brier score of all classes.

    >>> z = spiegelhalter(Probabilities.from_facts(mass=[6, 4], pull=[0.3, 0.5], spread=[0.2, 0.2]))
    >>> z.round(4)
    np.float64(1.2649)
    """
    return p.pulled / np.sqrt(p.scattered)
