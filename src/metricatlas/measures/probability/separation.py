"""How far apart the two classes' scores lie on average."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import (
    beyond_squares,
    fewer_than_two_in_a_class,
    no_negatives,
    no_positives,
    no_spread,
)
from metricatlas.summaries import Probabilities, Ranking

Array = np.ndarray[Any, Any]


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=(no_positives, no_negatives),
    aliases=("discrimination_slope", "coefficient_of_discrimination", "tjur"),
    cites=("tjur2009",),
    task="binary",
    symmetric=True,
)
def tjur_r2(p: Probabilities) -> Array:
    r"""Tjur's R2: mean probability of the positives less that of the negatives.

    .. math:: \bar p_1 - \bar p_0

    1 when every positive gets 1 and every negative 0.

    >>> tjur_r2(Probabilities.from_facts(mass=[6, 4], received=[[4, 1], [2, 3]])).round(4)
    np.float64(0.4167)
    """
    received = p.received[..., 1, :]
    return received[..., 1] / p.positives - received[..., 0] / p.negatives


@measure(
    bounds=(0, np.inf),
    better="higher",
    undefined=(no_positives, no_negatives, no_spread, beyond_squares),
    aliases=("DVG",),
    sources=("seliya2009",),
    cites=("seliya2009",),
    symmetric=True,
)
def divergence(r: Ranking) -> Array:
    r"""Divergence of the two classes' scores.

    .. math:: \frac{(\mu_1 - \mu_0)^2}{\tfrac12 (\sigma_1^2 + \sigma_0^2)}

    The squared distance of the means in units of the mean variance (population variances).

    >>> spread = {"variance_positive": 0.02, "variance_negative": 0.06}
    >>> divergence(Ranking.from_facts(mean_gap=0.4, **spread)).round(4)
    np.float64(4.0)
    """
    distance = np.square(r.mean_gap)
    value = 2 * distance / (r.variance_positive + r.variance_negative)
    return np.where(no_spread(r) | beyond_squares(r), np.nan, value)[()]


@measure(
    bounds=(0, np.inf),
    better="higher",
    undefined=(fewer_than_two_in_a_class, no_spread, beyond_squares),
    aliases=("DVG_sample",),
    sources=("seliya2009",),
    cites=("seliya2009",),
    symmetric=True,
)
def divergence_sample(r: Ranking) -> Array:
    r"""Divergence of the two classes' scores, with sample variances.

    .. math:: \frac{(\mu_1 - \mu_0)^2}{\tfrac12 (s_1^2 + s_0^2)}, \quad
        s_k^2 = \frac{m_k}{m_k - 1} \sigma_k^2

    As ``divergence``, with the variances divided by one less than the number of rows.

    >>> spread = {"variance_positive": 0.02, "variance_negative": 0.06}
    >>> masses = {"positives": 5, "negatives": 7}
    >>> divergence_sample(Ranking.from_facts(mean_gap=0.4, **spread, **masses)).round(4)
    np.float64(3.3684)
    """
    distance = np.square(r.mean_gap)
    positive = r.variance_positive * r.positives / (r.positives - 1)
    negative = r.variance_negative * r.negatives / (r.negatives - 1)
    senseless = fewer_than_two_in_a_class(r) | no_spread(r) | beyond_squares(r)
    return np.where(senseless, np.nan, 2 * distance / (positive + negative))[()]
