"""Calibration over segments: equal predictions, or segments of the ROC hull."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.summaries import Ranking

Array = np.ndarray[Any, Any]


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("CalL", "calibration_loss"),
    sources=("ferri2009",),
    cites=("murphy1973", "ferri2009"),
    symmetric=True,
)
def reliability(r: Ranking) -> Array:
    r"""Reliability: squared distance of probabilities from what happens at them.

    .. math:: \frac{1}{m} \sum_b \sum_{i \in s_b} (p_i - \bar f_b)^2

    A segment s_b holds the rows with the same probability. Murphy's reliability term, and the
    calibration loss of Ferri et al.; with all probabilities distinct it is the squared error.

    >>> reliability(Ranking.from_facts(distinct_deviation=0.5, positives=4, negatives=6))
    np.float64(0.05)
    """
    return r.distinct_deviation / r.total


@measure(
    bounds=(0, np.inf),
    better="lower",
    aliases=("CalL_distinct_sum",),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def calibration_loss_sum(r: Ranking) -> Array:
    r"""Calibration loss as Ferri et al. print it: a sum that grows with the number of rows.

    .. math:: \sum_b \sum_{i \in s_b} (p_i - \bar f_b)^2

    A segment s_b holds the rows with the same probability. Their text says mean; use
    ``reliability``.

    >>> calibration_loss_sum(Ranking.from_facts(distinct_deviation=0.5))
    np.float64(0.5)
    """
    return r.distinct_deviation


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("CalL_hull",),
    sources=("ferri2009",),
    cites=("flach2007",),
    symmetric=True,
)
def calibration_loss_hull(r: Ranking) -> Array:
    r"""Calibration loss over the segments of the ROC hull.

    .. math:: \frac{1}{m} \sum_b \sum_{i \in s_b} (p_i - \bar f_b)^2

    A segment s_b holds the rows that isotonic regression gives the same value.

    >>> calibration_loss_hull(Ranking.from_facts(hull_deviation=0.5, positives=4, negatives=6))
    np.float64(0.05)
    """
    return r.hull_deviation / r.total


@measure(
    bounds=(0, np.inf),
    better="lower",
    aliases=("CalL_hull_sum",),
    sources=("ferri2009",),
    cites=("ferri2009", "flach2007"),
    symmetric=True,
)
def calibration_loss_hull_sum(r: Ranking) -> Array:
    r"""Calibration loss over the segments of the ROC hull, as a sum.

    .. math:: \sum_b \sum_{i \in s_b} (p_i - \bar f_b)^2

    A segment s_b holds the rows that isotonic regression gives the same value. It grows with the
    number of rows; use ``calibration_loss_hull``.

    >>> calibration_loss_hull_sum(Ranking.from_facts(hull_deviation=0.5))
    np.float64(0.5)
    """
    return r.hull_deviation


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("CalL_hull_segmean",),
    sources=("ferri2009",),
    cites=("flach2007",),
    symmetric=True,
)
def calibration_loss_hull_mean(r: Ranking) -> Array:
    r"""Calibration loss of the mean probabilities of the segments of the ROC hull.

    .. math:: \frac{1}{m} \sum_b |s_b| (\bar p_b - \bar f_b)^2

    As ``calibration_loss_hull``, but deviations within a segment s_b, of mass :math:`|s_b|`, may
    cancel.

    >>> calibration_loss_hull_mean(Ranking.from_facts(hull_bias=0.2, positives=4, negatives=6))
    np.float64(0.02)
    """
    return r.hull_bias / r.total
