"""Calibration over windows that slide along the ordered predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import fewer_than_two_rows
from metricatlas.summaries import Ranking

Array = np.ndarray[Any, Any]


@measure(
    bounds=(0, 1),
    better="lower",
    sources=("caruana2004",),
    cites=("caruana2004",),
    checks={"window": (lambda s: s >= 1 and int(s) == s, "a whole number above 0")},
    symmetric=True,
)
def cal(r: Ranking, *, window: int = 100) -> Array:
    r"""Calibration of Caruana and Niculescu-Mizil.

    .. math:: \frac{1}{m - s + 1} \sum_w |\bar f_w - \bar p_w|, \quad s = \min(\text{window}, m)

    The mean, over all windows of s neighbours (100, or the parameter window), of the distance
    between the share of positives and the mean probability. Equal predictions share their mean
    label.

    >>> cal(Ranking.from_facts(window_gap={100: 0.04}))
    np.float64(0.04)
    """
    return r.window_gap(window)


@measure(
    bounds=(0, 1),
    better="lower",
    sources=("ferri2009",),
    cites=("ferri2009",),
    symmetric=True,
)
def calb(r: Ranking) -> Array:
    r"""Calibration by overlapping bins.

    .. math:: \frac{1}{m - s + 1} \sum_w \frac{1}{s} \sum_{i \in w} |p_i - \bar f_w|, \quad
        s = \max(1, \lfloor m / 10 \rfloor)

    The mean over all windows of a tenth of the rows of the mean distance between a probability and
    the window's share of positives.

    >>> calb(Ranking.from_facts(window_deviation={"tenth": 0.3}))
    np.float64(0.3)
    """
    return r.window_deviation("tenth")


@measure(
    bounds=(0, 1),
    better="lower",
    sources=("ferri2009",),
    aliases=("CalB_absmean",),
    cites=("caruana2004",),
    symmetric=True,
)
def calb_mean(r: Ranking) -> Array:
    r"""Calibration by overlapping bins, of mean probabilities.

    .. math:: \frac{1}{m - s + 1} \sum_w |\bar p_w - \bar f_w|, \quad
        s = \max(1, \lfloor m / 10 \rfloor)

    As ``calb``, with the term of Caruana and Niculescu-Mizil: deviations in a window may cancel.

    >>> calb_mean(Ranking.from_facts(window_gap={"tenth": 0.04}))
    np.float64(0.04)
    """
    return r.window_gap("tenth")


@measure(
    bounds=(0, np.inf),
    better="lower",
    undefined=(fewer_than_two_rows,),
    sources=("ferri2009",),
    cites=("ferri2009",),
)
def calb_literal(r: Ranking) -> Array:
    r"""Calibration by overlapping bins, as Ferri et al. print it.

    .. math:: \frac{1}{m - s} \sum_{w < m - s} \sum_{i \in w} |p_i - \bar f_w|, \quad
        s = \max(1, \lfloor m / 10 \rfloor)

    Not divided by the window's size, and without the last window. Kept to show the misprint; use
    ``calb``.

    >>> calb_literal(
    ...     Ranking.from_facts(window_deviation_printed={"tenth": 3.1}, positives=5, negatives=5)
    ... )
    np.float64(3.1)
    """
    return r.window_deviation_printed("tenth")
