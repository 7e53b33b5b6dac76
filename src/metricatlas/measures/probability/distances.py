"""How far the probabilities lie from the truth: squared, absolute, spherical, ranked."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import one_class
from metricatlas.summaries import Probabilities
from metricatlas.summaries.facts import class_sum

Array = np.ndarray[Any, Any]


def _per_class(classes: int) -> tuple[float, float]:
    return (0, 2 / classes)


def _once_or_twice(classes: int) -> tuple[float, float]:
    return (0, 1 if classes == 2 else 2)


@measure(
    bounds=_once_or_twice,
    better="lower",
    aliases=("brier_score", "brier_score_loss", "bbrier"),
    cites=("brier1950",),
    symmetric=True,
)
def brier(p: Probabilities) -> Array:
    r"""Brier score.

    .. math:: \frac{1}{m} \sum_i (p_i - y_i)^2
        \quad \text{or} \quad \frac{1}{m} \sum_i \sum_j (p(i, j) - f(i, j))^2

    The mean squared error of the positive class's probability; of more than two classes, of all
    probabilities of the row added up.

    >>> brier(Probabilities.from_facts(mass=[6, 4], square_error=[0.8, 1.2]))
    np.float64(0.1)
    """
    return p.mean_square / 2 if p.classes == 2 else p.mean_square


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("macro_average_brier",),
    cites=("brier1950", "dimitriadis2021"),
    symmetric=True,
)
def macro_brier(p: Probabilities) -> Array:
    r"""Brier score of each class against the rest, averaged over the classes present.

    .. math:: \frac{1}{q} \sum_{j \in S} \frac{1}{m} \sum_i (p(i, j) - f(i, j))^2

    What the terms of the Brier score's decompositions add up to, for any number of classes; for two
    it is ``brier``.

    >>> macro_brier(Probabilities.from_facts(mass=[6, 4], square_error=[0.8, 1.2]))
    np.float64(0.1)
    """
    return p.mean_square / 2 if p.classes == 2 else p.over_columns(p.column_squares)


@measure(
    bounds=(0, 2),
    better="lower",
    aliases=("BRI", "mbrier"),
    sources=("seliya2009",),
    cites=("brier1950",),
    symmetric=True,
)
def brier_sum(p: Probabilities) -> Array:
    r"""Brier score as Brier defined it: the squares of a row added up.

    .. math:: \frac{1}{m} \sum_i \sum_j (p(i, j) - f(i, j))^2

    Twice the binary ``brier``, and the same as ``brier`` for more classes.

    >>> brier_sum(Probabilities.from_facts(mass=[6, 4], square_error=[0.8, 1.2]))
    np.float64(0.2)
    """
    return p.mean_square


@measure(
    bounds=(-np.inf, 1),
    better="higher",
    undefined=(one_class,),
    aliases=("d2_brier", "d2_brier_score", "brier_skill_score", "bss"),
    cites=("brier1950", "murphy1973"),
    symmetric=True,
)
def brier_skill(p: Probabilities) -> Array:
    r"""Brier skill score: squared error explained, D2 for the Brier score.

    .. math:: 1 - \frac{B}{\sum_j \pi_j (1 - \pi_j)}

    Set against giving every row the shares of the classes in the test set, which gets 0.

    >>> brier_skill(Probabilities.from_facts(mass=[5, 5], square_error=[0.8, 1.2]))
    np.float64(0.6)
    """
    skill = 1 - p.mean_square / p.impurity
    return np.where(one_class(p), np.nan, skill)[()]


@measure(
    bounds=_per_class,
    better="lower",
    aliases=("mean_squared_error", "brier_mean"),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def mse(p: Probabilities) -> Array:
    r"""Mean squared error of the probabilities.

    .. math:: \frac{1}{m c} \sum_i \sum_j (f(i, j) - p(i, j))^2

    The mean over all c classes, absent ones included.

    >>> mse(Probabilities.from_facts(mass=[6, 4], square_error=[0.8, 1.2]))
    np.float64(0.1)
    """
    return p.mean_square / p.classes


@measure(
    bounds=_per_class,
    better="lower",
    aliases=("mean_absolute_error", "mean_probability_error"),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def mae(p: Probabilities) -> Array:
    r"""Mean absolute error of the probabilities.

    .. math:: \frac{1}{m c} \sum_i \sum_j |f(i, j) - p(i, j)|

    The mean over all c classes, absent ones included; it is 2 (1 - MPR) / c.

    >>> mae(Probabilities.from_facts(mass=[6, 4], absolute_error=[2, 3]))
    np.float64(0.25)
    """
    return class_sum(p.absolute_error) / p.total / p.classes


def _root_per_class(classes: int) -> tuple[float, float]:
    return (0, float(np.sqrt(2 / classes)))


@measure(
    bounds=_root_per_class,
    better="lower",
    aliases=("root_mean_squared_error", "rmse"),
    sources=("caruana2004", "huang2007"),
    cites=("caruana2004",),
    symmetric=True,
)
def rms(p: Probabilities) -> Array:
    r"""Root of the mean squared error.

    .. math:: \sqrt{\mathrm{MSE}}

    In the units of the probabilities; for two classes the root of ``brier``.

    >>> rms(Probabilities.from_facts(mass=[6, 4], square_error=[0.8, 1.2])).round(4)
    np.float64(0.3162)
    """
    return np.sqrt(p.mean_square / p.classes)


@measure(
    bounds=(0, 1),
    better="higher",
    aliases=("mean_probability_rate",),
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def mpr(p: Probabilities) -> Array:
    r"""Mean probability rate: the mean probability of the true class.

    .. math:: \frac{1}{m} \sum_i p(i, y_i)

    Accuracy with probabilities in place of hits and misses.

    >>> mpr(Probabilities.from_facts(mass=[6, 4], given=[4.5, 2]))
    np.float64(0.65)
    """
    return class_sum(p.given) / p.total


@measure(
    bounds=(0, 1),
    better="higher",
    chance=lambda classes: 1 / classes,
    aliases=("macro_average_mean_probability_rate",),
    sources=("ferri2009",),
    cites=("mossman1999", "ferri2009"),
    symmetric=True,
)
def mapr(p: Probabilities) -> Array:
    r"""Macro average mean probability rate.

    .. math:: \frac{1}{q} \sum_{j \in S} \frac{1}{m_j} \sum_{i \in j} p(i, j)

    The mean probability of the true class, averaged over the classes that are present.

    >>> mapr(Probabilities.from_facts(mass=[6, 4], given=[4.5, 2]))
    np.float64(0.625)
    """
    return class_sum(p.rates) / p.classes_present


@measure(
    bounds=(0, 1),
    better="higher",
    aliases=("spherical_score",),
    cites=("gneiting2007",),
    symmetric=True,
)
def spherical(p: Probabilities) -> Array:
    r"""Spherical score.

    .. math:: \frac{1}{m} \sum_i \frac{p(i, y_i)}{\sqrt{\sum_j p(i, j)^2}}

    A strictly proper score: the cosine between the probabilities and the truth.

    >>> spherical(Probabilities.from_facts(mass=[6, 4], spherical=[5, 3]))
    np.float64(0.8)
    """
    return class_sum(p.spherical) / p.total


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("rps",),
    cites=("epstein1969",),
    symmetric=True,
)
def ranked_probability_score(p: Probabilities) -> Array:
    r"""Ranked probability score, for classes in the order of the labels.

    .. math:: \frac{1}{m (c - 1)} \sum_i \sum_{k < c}
        \Bigl(\sum_{j \le k} \bigl(p(i, j) - f(i, j)\bigr)\Bigr)^2

    Probability far from the true class costs more than probability beside it; for two classes it is
    ``brier``.

    >>> ranked_probability_score(Probabilities.from_facts(mass=[6, 4], ranked=[0.4, 0.6]))
    np.float64(0.1)
    """
    return class_sum(p.ranked) / p.total
