"""Entropies of the confusion matrix: what decisions tell of the truth, and how mistakes scatter."""

from typing import Any

import numpy as np

from metricatlas.measures.declaration import Bounds, measure
from metricatlas.measures.undefined import (
    no_mass,
    one_category,
    one_cell,
    one_right_cell,
    one_true_class,
)
from metricatlas.summaries import Confusion
from metricatlas.summaries.confusion import TINY, sum_of_cells
from metricatlas.summaries.facts import class_sum

Array = np.ndarray[Any, Any]
_BIT = np.log(np.float64(2))
#: Confusion entropy of two classes exceeds 1 where 2 / e of the decisions are wrong.
_MOST_BINARY = 2 / np.e * np.log2(np.e)


def _bits(classes: int) -> Bounds:
    return (0, float(np.log2(classes)))


def _bits_of_cells(classes: int) -> Bounds:
    return (0, float(2 * np.log2(classes)))


def _confusion_entropy_bounds(classes: int) -> Bounds:
    return (0, float(_MOST_BINARY) if classes == 2 else 1)


@measure(
    bounds=_confusion_entropy_bounds,
    better="lower",
    undefined=(no_mass, one_category),
    aliases=("confusion_entropy",),
    sources=("jurman2010",),
    cites=("wei2010", "jurman2010"),
    symmetric=True,
)
def cen(c: Confusion) -> Array:
    r"""Confusion entropy.

    .. math:: \sum_j P_j \sum_{k \neq j} \bigl(h(C_{jk} / d_j) + h(C_{kj} / d_j)\bigr), \quad
        d_j = r_j + q_j, \quad P_j = \frac{d_j}{2 s}, \quad h(x) = -x \log_{2N - 2} x

    How widely the mistakes of each class are scattered over the others. Of two classes it can
    exceed 1.

    >>> cen(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.728)
    """
    return _scatter(c, c.either) / (2 * c.total * _log_base(c.classes))


@measure(
    bounds=(0, 1),
    better="lower",
    undefined=(no_mass, one_category),
    aliases=("modified_confusion_entropy",),
    cites=("delgado2019",),
    symmetric=True,
)
def mcen(c: Confusion) -> Array:
    r"""Modified confusion entropy.

    .. math:: \sum_j P_j \sum_{k \neq j} \bigl(h(C_{jk} / d_j) + h(C_{kj} / d_j)\bigr), \quad
        d_j = r_j + q_j - C_{jj}, \quad P_j = \frac{d_j}{2 s - \alpha t}, \quad
        h(x) = -x \log_{2N - 2} x

    Confusion entropy that counts what is right once, not twice. The constant :math:`\alpha` is 1,
    and 1/2 for two classes, which keeps the value below 1.

    >>> mcen(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.688)
    """
    share = np.float64(0.5 if c.classes == 2 else 1)
    mass = 2 * c.total - share * c.correct
    return _scatter(c, c.either - c.hits) / (mass * _log_base(c.classes))


@measure(
    bounds=(0, np.inf),
    better="lower",
    undefined=(no_mass, one_category, one_right_cell),
    aliases=("transformed_mcc",),
    sources=("jurman2010",),
    cites=("jurman2010",),
    symmetric=True,
)
def tmcc(c: Confusion) -> Array:
    r"""Transformed Matthews correlation.

    .. math:: (1 - MCC)(1 - \log_{2N - 2}(1 - A))(1 - 1/N)

    What confusion entropy would be if it depended on the Matthews correlation and the accuracy A
    only. Without mistakes it is 0, unless there is one class only.

    >>> tmcc(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.739)
    """
    wrong = np.log(c.wrong / c.total) / _log_base(c.classes)
    value = (1 - c.correlation) * (1 - wrong) * (1 - 1 / c.classes)
    return np.where(c.wrong > 0, value, 0 / c.expected_wrong)[()]


@measure(
    bounds=_bits,
    better="higher",
    undefined=(no_mass,),
    aliases=("mi", "information_gain"),
    cites=("shannon1948",),
    symmetric=True,
)
def mutual_information(c: Confusion) -> Array:
    r"""Mutual information of truth and decision, in bits.

    .. math:: \sum_{jk} \frac{C_{jk}}{s} \log_2 \frac{s\, C_{jk}}{r_j q_k}

    How many bits of the truth a decision tells.

    >>> mutual_information(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.196)
    """
    return c.shared_logs / (c.total * _BIT)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(no_mass, one_cell),
    aliases=("nmi", "normalized_mutual_information"),
    cites=("kvalseth1987",),
    symmetric=True,
)
def normalised_mutual_information(c: Confusion) -> Array:
    r"""Normalised mutual information.

    .. math:: \frac{2\, I(T; D)}{H(T) + H(D)}

    Mutual information as a share of the mean entropy of truth T and decision D.

    >>> normalised_mutual_information(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.198)
    """
    return 2 * c.shared_logs / (c.true_logs + c.decided_logs)


@measure(
    bounds=(0, 1),
    better="higher",
    undefined=(one_true_class,),
    aliases=("rci", "uncertainty_coefficient", "theils_u"),
    cites=("sindhwani2001", "theil1970"),
    symmetric=True,
)
def relative_classifier_information(c: Confusion) -> Array:
    r"""Relative classifier information.

    .. math:: \frac{I(T; D)}{H(T)}

    The share of the truth's entropy that the decisions take away.

    >>> relative_classifier_information(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.196)
    """
    return c.shared_logs / c.true_logs


@measure(
    bounds=_bits,
    better="lower",
    undefined=(no_mass,),
    cites=("shannon1948",),
    symmetric=True,
)
def equivocation(c: Confusion) -> Array:
    r"""Entropy of the truth that is left when the decision is known, in bits.

    .. math:: H(T \mid D) = -\sum_{jk} \frac{C_{jk}}{s} \log_2 \frac{C_{jk}}{q_k}

    How many bits of the truth a decision leaves open.

    >>> equivocation(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(0.804)
    """
    return c.equivocation / (c.total * _BIT)


@measure(
    bounds=_bits_of_cells,
    better="lower",
    undefined=(no_mass,),
    aliases=("joint_entropy",),
    cites=("shannon1948", "vanson1995"),
    symmetric=True,
)
def confusion_matrix_entropy(c: Confusion) -> Array:
    r"""Entropy of the confusion matrix, in bits.

    .. math:: H(T, D) = -\sum_{jk} \frac{C_{jk}}{s} \log_2 \frac{C_{jk}}{s}

    The joint entropy of truth and decision: low where the mass lies in few cells.

    >>> confusion_matrix_entropy(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(1.784)
    """
    return (c.decided_logs + c.equivocation) / (c.total * _BIT)


@measure(
    bounds=_bits_of_cells,
    better="lower",
    undefined=(no_mass,),
    aliases=("vi",),
    cites=("meila2007",),
    symmetric=True,
)
def variation_of_information(c: Confusion) -> Array:
    r"""Variation of information, in bits.

    .. math:: H(T \mid D) + H(D \mid T)

    What truth and decision each say that the other does not; a distance between labellings.

    >>> variation_of_information(Confusion.of([[5, 1], [2, 4]])).round(3)
    np.float64(1.588)
    """
    value = 2 * c.equivocation + c.decided_logs - c.true_logs
    return np.maximum(value, 0) / (c.total * _BIT)


def _log_base(classes: int) -> Any:
    return np.log(np.float64(2 * classes - 2)) if classes > 1 else np.float64(np.nan)


def _scatter(c: Confusion, surroundings: Array) -> Array:
    """Sum over mistakes C_jk of C_jk (log d_j / C_jk + log d_k / C_jk), in nats."""
    around = (c.either - 2 * c.hits) * np.log(np.maximum(surroundings, TINY))
    within = sum_of_cells(c.mistakes * c.cell_logs)
    return np.maximum(class_sum(around) - 2 * within, 0)
