"""What the truth costs in logarithms of its probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import one_class
from metricatlas.summaries import Probabilities
from metricatlas.summaries.facts import class_sum

Array = np.ndarray[Any, Any]
_LN2 = float(np.log(2))
_EPS = (lambda x: 0 < x < 1, "between 0 and 1")


def _down_to_the_least(_classes: int, *, eps: float = 1e-5) -> tuple[float, float]:
    return (0, float(-np.log(eps)))


def _down_to_the_least_in_bits(_classes: int, *, eps: float = 1e-5) -> tuple[float, float]:
    return (0, float(-np.log(eps)) / _LN2)


@measure(
    bounds=(0, np.inf),
    better="lower",
    aliases=("LGS", "MXE", "cross_entropy", "logloss", "mn_log_loss"),
    sources=("seliya2009", "caruana2004"),
    cites=("good1952",),
    symmetric=True,
)
def log_loss(p: Probabilities) -> Array:
    r"""Log loss in nats.

    .. math:: -\frac{1}{m} \sum_i \ln p(i, y_i)

    Infinite as soon as a true class gets probability 0, as the papers define it. scikit-learn moves
    such a probability off 0 and stays finite, as ``log_loss_clipped`` does here.

    >>> log_loss(Probabilities.from_facts(mass=[6, 4], log=[-2, -3]))
    np.float64(0.5)
    """
    # Not the negative, so that no loss is 0 and not -0.
    return 0 - p.mean_log


@measure(
    bounds=(0, np.inf),
    better="lower",
    cites=("good1952", "dimitriadis2021"),
    symmetric=True,
)
def macro_log_loss(p: Probabilities) -> Array:
    r"""Log loss of each class against the rest, averaged over the classes present, in nats.

    .. math:: -\frac{1}{q} \sum_{j \in S} \frac{1}{m} \sum_i
        \ln |1 - f(i, j) - p(i, j)|

    What the terms of the log loss's decomposition add up to, for any number of classes; for two it
    is ``log_loss``.

    >>> macro_log_loss(Probabilities.from_facts(mass=[6, 4], log=[-2, -3]))
    np.float64(0.5)
    """
    return 0 - (p.mean_log if p.classes == 2 else p.over_columns(p.column_logs))


@measure(
    bounds=(0, np.inf),
    better="lower",
    cites=("good1952",),
    symmetric=True,
)
def log_loss_bits(p: Probabilities) -> Array:
    r"""Log loss in bits.

    .. math:: -\frac{1}{m} \sum_i \log_2 p(i, y_i)

    Infinite as soon as a true class gets probability 0.

    >>> log_loss_bits(Probabilities.from_facts(mass=[6, 4], log=[-2, -3])).round(4)
    np.float64(0.7213)
    """
    return (0 - p.mean_log) / _LN2


@measure(
    bounds=_down_to_the_least,
    better="lower",
    aliases=("LGS_eps1e-5",),
    sources=("seliya2009",),
    cites=("seliya2009",),
    checks={"eps": _EPS},
    symmetric=True,
)
def log_loss_clipped(p: Probabilities, *, eps: float = 1e-5) -> Array:
    r"""Log loss in nats, clipped.

    .. math:: -\frac{1}{m} \sum_i \ln \max(p(i, y_i), \varepsilon)

    Finite: no row costs more than :math:`-\ln \varepsilon`, where :math:`\varepsilon` is the
    parameter eps.

    >>> log_loss_clipped(Probabilities.from_facts(mass=[6, 4], log_clipped={1e-5: [-2, -3]}))
    np.float64(0.5)
    """
    return (0 - class_sum(p.log_clipped(eps))) / p.total


@measure(
    bounds=_down_to_the_least_in_bits,
    better="lower",
    aliases=("LogL",),
    sources=("ferri2009",),
    cites=("ferri2009",),
    checks={"eps": _EPS},
    symmetric=True,
)
def log_loss_clipped_bits(p: Probabilities, *, eps: float = 1e-5) -> Array:
    r"""Log loss in bits, clipped.

    .. math:: -\frac{1}{m} \sum_i \log_2 \max(p(i, y_i), \varepsilon)

    Finite: no row costs more than 16.61 bits at the usual clipping point.

    >>> facts = {"mass": [6, 4], "log_clipped": {1e-5: [-2, -3]}}
    >>> log_loss_clipped_bits(Probabilities.from_facts(**facts)).round(4)
    np.float64(0.7213)
    """
    return (0 - class_sum(p.log_clipped(eps))) / p.total / _LN2


@measure(
    bounds=(-np.inf, 1),
    better="higher",
    undefined=(one_class,),
    aliases=("d2_log_loss_score", "mcfadden_r2", "d2"),
    cites=("mcfadden1974",),
    symmetric=True,
)
def d2_log_loss(p: Probabilities) -> Array:
    r"""Share of the log loss explained: D2, McFadden's pseudo R2.

    .. math:: 1 - \frac{\sum_i \ln p(i, y_i)}{m \sum_j \pi_j \ln \pi_j}

    Set against giving every row the shares of the classes in the test set, which gets 0. Minus
    infinity as soon as a true class gets probability 0, which scikit-learn moves off 0 first.

    >>> d2_log_loss(Probabilities.from_facts(mass=[5, 5], log=[-2, -3])).round(4)
    np.float64(0.2787)
    """
    explained = 1 + p.mean_log / p.entropy
    return np.where(one_class(p), np.nan, explained)[()]


@measure(
    bounds=(-np.inf, np.inf),
    better="higher",
    undefined=(one_class,),
    cites=("kononenko1991",),
    symmetric=True,
)
def information_score(p: Probabilities) -> Array:
    r"""Information score of Kononenko and Bratko, in bits.

    .. math:: \frac{1}{m} \sum_i
        \begin{cases} \log_2 p_i - \log_2 \pi_i & p_i \ge \pi_i \\
        \log_2 (1 - \pi_i) - \log_2 (1 - p_i) & p_i < \pi_i \end{cases}

    With :math:`p_i` the probability and :math:`\pi_i` the share of the true class of example i:
    bits won over knowing the shares, and bits lost where the true class gets less than its share.

    >>> information_score(Probabilities.from_facts(mass=[5, 5], information=[3, 4]))
    np.float64(0.7)
    """
    bits = class_sum(p.information) / p.total
    return np.where(one_class(p), np.nan, bits)[()]
