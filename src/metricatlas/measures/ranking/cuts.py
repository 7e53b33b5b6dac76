"""What stands at the top of the ranking."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import no_positives
from metricatlas.summaries import Ranking

Array = np.ndarray[Any, Any]
_SHARE = (lambda x: 0 < x <= 1, "above 0 and at most 1")
_SIZE = (lambda k: k >= 1 and int(k) == k, "a whole number above 0")


@measure(
    bounds=(0, np.inf),
    better="higher",
    chance=1,
    undefined=(no_positives,),
    aliases=("LFT",),
    sources=("caruana2004",),
    cites=("giudici2003",),
    checks={"share": _SHARE},
)
def lift(r: Ranking, *, share: float = 0.25) -> Array:
    r"""Lift among the highest scores.

    .. math:: \frac{\mathrm{TP}_k / k}{m_1 / m}, \quad k = \max(1, \lfloor x m \rfloor)

    How many times richer in positives the top share x is than the whole; x is the parameter share,
    and ties at the cut count in proportion.

    >>> lift(Ranking.from_facts(top={("share", 0.25): [2, 5]}, positives=5, negatives=15))
    np.float64(1.6)
    """
    top = r.top("share", share)
    return top[..., 0] / top[..., 1] / r.share


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_positives,),
    aliases=("gain", "cumulative_gain", "capture_rate"),
    cites=("giudici2003",),
    checks={"share": _SHARE},
)
def capture(r: Ranking, *, share: float = 0.25) -> Array:
    r"""Share of the positives captured among the highest scores (cumulative gain).

    .. math:: \mathrm{TP}_k / m_1, \quad k = \max(1, \lfloor x m \rfloor)

    The height of the gain chart at the share x, which is the parameter share; ties at the cut count
    in proportion.

    >>> capture(Ranking.from_facts(top={("share", 0.25): [2, 5]}, positives=5))
    np.float64(0.4)
    """
    return r.top("share", share)[..., 0] / r.positives


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_positives,),
    aliases=("break_even_point", "r_precision"),
    sources=("caruana2004",),
    cites=("caruana2004",),
)
def bep(r: Ranking) -> Array:
    r"""Precision-recall break-even point.

    .. math:: \mathrm{TP}_k / k, \quad k = m_1

    Precision among as many of the highest scores as there are positives, where it equals recall;
    ties at the cut count in proportion.

    >>> bep(Ranking.from_facts(top={"positives": [3, 5]}, positives=5))
    np.float64(0.6)
    """
    return r.top("positives")[..., 0] / r.positives


@measure(
    bounds=(0, 1),
    better="higher",
    aliases=("p_at_k",),
    cites=("manning2008",),
    checks={"k": _SIZE},
)
def precision_at_k(r: Ranking, *, k: int) -> Array:
    r"""Precision among the k highest scores.

    .. math:: \mathrm{TP}_k / \min(k, m)

    Ties at the cut count in proportion.

    >>> precision_at_k(Ranking.from_facts(top={("size", 4): [3, 4]}), k=4)
    np.float64(0.75)
    """
    top = r.top("size", k)
    return top[..., 0] / top[..., 1]
