"""What pairs of a positive and a negative say: the area under the ROC curve and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.measures.undefined import (
    no_negatives,
    no_pair_of_classes,
    no_positives,
    no_triples,
    one_class,
)
from metricatlas.summaries import Probabilities, Ranking
from metricatlas.summaries.facts import class_sum

Array = np.ndarray[Any, Any]
_TWO_CLASSES = (no_positives, no_negatives)


@measure(
    bounds=(0, 1),
    better="higher",
    chance=0.5,
    undefined=_TWO_CLASSES,
    aliases=("roc_auc", "auroc", "roc_auc_score", "area_under_curve"),
    sources=("ferri2009", "huang2007", "seliya2009", "caruana2004"),
    cites=("hanley1982", "hand2001"),
    multiclass="ovo",
    symmetric=True,
)
def auc(r: Ranking) -> Array:
    r"""Area under the ROC curve.

    .. math:: \frac{1}{m_1 m_0} \sum_{i \in 1} \sum_{t \in 0} I(s_i, s_t), \quad
        I = 1, \tfrac12, 0 \text{ for } s_i >, =, < s_t

    The share of pairs of a positive i and a negative t whose scores s are in the right order; a tie
    counts half. Of more than two classes, the mean over ordered pairs of classes (Hand and Till's
    M).

    >>> auc(Ranking.from_facts(wins=21, positives=5, negatives=5))
    np.float64(0.84)
    """
    return r.wins / r.pairs


@measure(
    bounds=(-1, 1),
    better="higher",
    chance=0,
    undefined=_TWO_CLASSES,
    aliases=("somers_d", "accuracy_ratio"),
    cites=("somers1962",),
    multiclass="ovo",
    symmetric=True,
)
def gini(r: Ranking) -> Array:
    r"""Gini coefficient of the ranking.

    .. math:: 2\,\mathrm{AUC} - 1

    Pairs in the right order less pairs in the wrong order, as a share of all.

    >>> gini(Ranking.from_facts(wins=21, positives=5, negatives=5)).round(2)
    np.float64(0.68)
    """
    return 2 * r.wins / r.pairs - 1


@measure(
    bounds=(0, 0.5),
    better="higher",
    chance=lambda classes: 0.5 / classes,
    undefined=(no_pair_of_classes,),
    aliases=("AU1P_printed",),
    sources=("ferri2009",),
    cites=("ferri2009",),
    view="pairwise",
)
def auc_prior_printed(r: Ranking) -> Array:
    r"""AU1P as Ferri et al. print it.

    .. math:: \frac{1}{q (q - 1)} \sum_{j \neq k} \pi_j \mathrm{AUC}(j, k)

    The divisor counts the classes twice, because the shares sum to one: the best value is 1 / q
    where the truth holds q classes, so it reaches 1/2 where it holds two. Kept to show
    the misprint; use ``auc[ovo,prior]``.

    >>> pairs = [[0, 21], [21, 0]]
    >>> auc_prior_printed(
    ...     Ranking.from_facts(wins=pairs, positives=[[0, 5], [5, 0]], negatives=[[0, 5], [5, 0]])
    ... ).round(2)
    np.float64(0.42)
    """
    pairs = r.positives * r.negatives
    areas = np.where(pairs > 0, r.wins / np.where(pairs > 0, pairs, 1), 0)
    masses = r.positives.max(axis=-1)
    classes = (masses > 0).sum(axis=-1)
    share = masses / masses.sum(axis=-1, keepdims=True)
    return (share * areas.sum(axis=-1)).sum(axis=-1) / (classes * (classes - 1))


@measure(
    bounds=(0, 1),
    better="higher",
    aliases=("mauc_mu",),
    chance=0.5,
    undefined=_TWO_CLASSES,
    cites=("kleiman2019",),
    multiclass="ovo",
    view="pair",
    symmetric=True,
)
def auc_mu(r: Ranking) -> Array:
    r"""AUC-mu: pairs of classes ranked by the difference of their scores.

    .. math:: \frac{2}{q (q - 1)} \sum_{j < k} \mathrm{AUC}_{p_j - p_k}(j, k)

    The mean over pairs of classes j and k of AUC(j, k), the area under the ROC curve of the one
    against the other, ranked by the difference of their probabilities p_j and p_k; what is given to
    third classes does not matter. For two classes it is ``auc``.

    >>> auc_mu(Ranking.from_facts(wins=21, positives=5, negatives=5))
    np.float64(0.84)
    """
    return r.wins / r.pairs


@measure(
    bounds=(0.5, 0.5),
    better="higher",
    chance=0.5,
    undefined=_TWO_CLASSES,
    aliases=("AU1U_printed",),
    sources=("ferri2009",),
    cites=("ferri2009",),
    multiclass="ovo",
    symmetric=True,
)
def auc_printed(r: Ranking) -> Array:
    r"""Pairwise AUC as Ferri et al. print it, which is one half whatever the predictions.

    .. math:: \tfrac12 (\mathrm{AUC}'(j, k) + \mathrm{AUC}'(k, j)), \quad \mathrm{AUC}'(j, k) =
        \frac{1}{m_j m_k} \sum_{i \in j} \sum_{t \in k} I(p(i, j), p(t, k))

    AUC' sets examples i of class j against examples t of class k by the comparison :math:`I` of
    ``auc``; p(i, j) is the probability that i gives to class j. Printed with p(t, k) in place of
    p(t, j), each comparison counts once for either class: its two halves add up to one. Kept to
    show the misprint; use ``auc``.

    >>> auc_printed(Ranking.from_facts(positives=5, negatives=5))
    np.float64(0.5)
    """
    return r.pairs / (2 * r.pairs)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=_TWO_CLASSES,
    aliases=("scored_auc",),
    sources=("ferri2009",),
    cites=("wu2005",),
    multiclass="ovo",
    symmetric=True,
)
def sauc(r: Ranking) -> Array:
    r"""Scored AUC: pairs in the right order count by the distance of their probabilities.

    .. math:: \frac{1}{m_1 m_0} \sum_{i \in 1} \sum_{t \in 0} \max(p_i - p_t, 0)

    High only where the positives i are far above the negatives t.

    >>> sauc(Ranking.from_facts(margin=10, positives=5, negatives=5))
    np.float64(0.4)
    """
    return r.margin / r.pairs


@measure(
    bounds=(0, 1),
    better="higher",
    chance=0.5,
    undefined=(one_class,),
    aliases=("probabilistic_auc",),
    sources=("ferri2009",),
    cites=("ferri2005",),
    symmetric=True,
)
def pauc(p: Probabilities) -> Array:
    r"""Probabilistic AUC: the distance of the classes' mean probabilities.

    .. math:: \frac{1}{q (q - 1)} \sum_{j \ne k}
        \tfrac12 (\bar p_j(\cdot, j) - \bar p_k(\cdot, j) + 1)

    Here :math:`\bar p_k(\cdot, j)` is the mean probability that class k's examples give to class j.
    For two classes it equals MAPR. The name is Ferri et al.'s: what others call pAUC, the area up
    to a false positive rate, is ``partial_auc``.

    >>> pauc(
    ...     Probabilities.from_facts(mass=[4, 6], given=[3, 4], received=[[3, 2], [1, 4]])
    ... ).round(4)
    np.float64(0.7083)
    """
    received = np.where(p.present[..., np.newaxis, :], p.received / p.mass[..., np.newaxis, :], 0)
    classes = p.classes_present
    gaps = classes[..., np.newaxis] * p.rates - class_sum(received)
    total = class_sum(np.where(p.present, gaps, 0))
    return 0.5 + total / (2 * classes * (classes - 1))


@measure(
    bounds=(0, 1),
    better="higher",
    chance=1 / 6,
    undefined=(no_triples,),
    aliases=("volume_under_roc",),
    cites=("nakas2004",),
    view="expected",
)
def vus(r: Ranking) -> Array:
    r"""Volume under the ROC surface of three ordered classes.

    .. math:: \frac{1}{m_0 m_1 m_2} \sum_{i \in 0} \sum_{t \in 1} \sum_{u \in 2} I(s_i < s_t < s_u),
        \quad s = \sum_j j\, p(\cdot, j)

    The share of triples i, t and u, one of each class, that the expected class index s puts in the
    order of the labels: the indicator :math:`I` is 1 there. In s every class j counts by its
    probability :math:`p(\cdot, j)`. One tie counts 1/2, three equal scores 1/6.

    >>> vus(Ranking.from_facts(triples=6, all_triples=8))
    np.float64(0.75)
    """
    return r.triples / r.all_triples
