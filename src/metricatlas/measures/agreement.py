"""Agreement of decisions with the truth beyond chance, for different ideas of chance."""

from functools import lru_cache
from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import (
    less_than_a_row,
    no_mass,
    nothing_expected_right,
    one_category,
    one_right_cell,
)
from metricatlas.summaries import Confusion
from metricatlas.summaries.confusion import sum_of_cells
from metricatlas.summaries.facts import class_sum

Array = np.ndarray[Any, Any]


def _never_right(classes: int) -> tuple[float, float]:
    """Both ideas of chance put the value of no agreement at most so far below 0."""
    return (-1 / max(classes - 1, 1), 1)


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=(no_mass, one_right_cell),
    aliases=("KapS", "cohen_kappa", "kap", "hss", "heidke_skill_score", "cohen_kappa_score"),
    sources=("ferri2009",),
    cites=("cohen1960", "heidke1926"),
    symmetric=True,
    monotone=True,
)
def kappa(c: Confusion) -> Array:
    r"""Cohen's kappa.

    .. math:: \frac{A - E}{1 - E}, \quad A = \frac{t}{s}, \quad E = \sum_k \frac{r_k q_k}{s^2}

    Accuracy beyond what decisions with the same shares would reach by chance; to forecasters the
    Heidke skill score.

    >>> kappa(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.5)
    """
    return 1 - c.total * c.wrong / c.expected_wrong


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=(no_mass, one_right_cell),
    aliases=("linear_kappa", "linear_weighted_kappa"),
    cites=("cohen1968",),
    symmetric=True,
    monotone=True,
)
def kappa_linear(c: Confusion) -> Array:
    r"""Cohen's kappa with linear weights.

    .. math:: 1 - \frac{\sum_{jk} |j - k|\, C_{jk}}{\sum_{jk} |j - k|\, r_j q_k / s}

    For classes in order: a mistake counts by how many classes it is off.

    >>> kappa_linear(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.5)
    """
    return _weighted_kappa(c, np.abs(_steps(c.classes)))


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=(no_mass, one_right_cell),
    aliases=("quadratic_kappa", "qwk", "quadratic_weighted_kappa"),
    cites=("cohen1968",),
    symmetric=True,
    monotone=True,
)
def kappa_quadratic(c: Confusion) -> Array:
    r"""Cohen's kappa with quadratic weights.

    .. math:: 1 - \frac{\sum_{jk} (j - k)^2\, C_{jk}}{\sum_{jk} (j - k)^2\, r_j q_k / s}

    For classes in order: a mistake counts by the square of how many classes it is off.

    >>> kappa_quadratic(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.5)
    """
    return _weighted_kappa(c, np.square(_steps(c.classes)))


@measure(
    bounds=(-1, 1),
    better="higher",
    undefined=(no_mass, one_right_cell),
    aliases=("kappa_unbiased",),
    cites=("scott1955",),
    symmetric=True,
)
def scott_pi(c: Confusion) -> Array:
    r"""Scott's pi.

    .. math:: \frac{A - E}{1 - E}, \quad E = \sum_k \Bigl(\frac{r_k + q_k}{2 s}\Bigr)^2

    As kappa, with chance taken from the shares of truth and decisions pooled.

    >>> scott_pi(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.497)
    """
    return 1 - 4 * c.total * c.wrong / c.either_spread


@measure(
    bounds=(-1, 1),
    better="higher",
    aliases=("alpha",),
    undefined=(no_mass, less_than_a_row, one_right_cell),
    cites=("krippendorff1970", "hayes2007"),
    symmetric=True,
)
def krippendorff_alpha(c: Confusion) -> Array:
    r"""Krippendorff's alpha of nominal labels.

    .. math:: 1 - (n - 1) \frac{2 \sum_{j \neq k} C_{jk}}{\sum_k n_k (n - n_k)}, \quad
        n_k = r_k + q_k, \quad n = 2 s

    Scott's pi, corrected for how few labels there are. Weights count as numbers of rows.

    >>> krippendorff_alpha(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.517)
    """
    labels = c.total + c.total
    value = 1 - 2 * c.wrong * (labels - 1) / c.either_spread
    return np.where(c.total < 1, np.nan, value)[()]


@measure(
    bounds=_never_right,
    better="higher",
    undefined=(no_mass, one_category),
    aliases=("ac1",),
    cites=("gwet2008",),
    symmetric=True,
)
def gwet_ac1(c: Confusion) -> Array:
    r"""Gwet's AC1.

    .. math:: \frac{A - E}{1 - E}, \quad E = \frac{1}{N - 1} \sum_k \pi_k (1 - \pi_k), \quad
        \pi_k = \frac{r_k + q_k}{2 s}

    As kappa, with an idea of chance that stays sensible where one class is far more frequent.

    >>> gwet_ac1(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.503)
    """
    mass = 4 * np.square(c.total) * (c.classes - 1)
    agreed = 4 * c.total * c.wrong * (c.classes - 1)
    return 1 - agreed / (mass - c.either_spread)


@measure(
    bounds=_never_right,
    better="higher",
    undefined=(no_mass, one_category),
    aliases=("brennan_prediger", "pabak"),
    cites=("bennett1954", "brennan1981"),
    symmetric=True,
    monotone=True,
)
def bennett_s(c: Confusion) -> Array:
    r"""Bennett's S.

    .. math:: \frac{A - 1/N}{1 - 1/N}

    As kappa, with chance taken to hit each of the N classes equally often.

    >>> bennett_s(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.5)
    """
    return 1 - c.wrong * c.classes / (c.total * (c.classes - 1))


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_mass, nothing_expected_right),
    cites=("bangdiwala1985", "munoz1997"),
    symmetric=True,
)
def bangdiwala_b(c: Confusion) -> Array:
    r"""Bangdiwala's B.

    .. math:: \frac{\sum_k C_{kk}^2}{\sum_k r_k q_k}

    On the agreement chart, the area of what agrees as a share of the area that could.

    >>> bangdiwala_b(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.569)
    """
    return class_sum(np.square(c.hits)) / c.expected


@lru_cache
def _steps(classes: int) -> Array:
    places = np.arange(float(classes))
    steps: Array = places[:, np.newaxis] - places
    steps.flags.writeable = False
    return steps


def _weighted_kappa(c: Confusion, weights: Array) -> Array:
    seen = sum_of_cells(c.matrix * weights)
    column = class_sum(weights * c.decided[..., np.newaxis, :])
    expected = class_sum(c.true * column)
    return 1 - c.total * seen / expected
