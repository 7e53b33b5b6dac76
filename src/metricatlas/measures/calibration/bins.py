"""Calibration over bins of equal width or of equal mass."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.summaries import Ranking

Array = np.ndarray[Any, Any]
_BINS = {"bins": (lambda b: 1 <= b <= 10_000, "a whole number from 1 to 10,000")}


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("expected_calibration_error", "ece_l1"),
    cites=("naeini2015", "guo2017"),
    multiclass="top",
    checks=_BINS,
)
def ece(r: Ranking, *, bins: int = 10) -> Array:
    r"""Expected calibration error, in bins of equal width.

    .. math:: \sum_b \frac{m_b}{m} |\bar y_b - \bar p_b|

    Bins are open below and closed above. Of more than two classes, the largest probability of the
    row is set against whether it is right; ``ece[macro]`` is the mean over classes, each
    against the rest.

    >>> bins = [[4, 1, 0.8], [6, 5, 4.5]]
    >>> ece(Ranking.from_facts(width_bins={2: bins}, positives=6, negatives=4), bins=2).round(4)
    np.float64(0.07)
    """
    return _mean_gap(r.width_bins(bins), r.total)


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("rmsce", "root_mean_squared_calibration_error"),
    cites=("hendrycks2019", "kumar2019"),
    multiclass="top",
    checks=_BINS,
)
def ece_l2(r: Ranking, *, bins: int = 10) -> Array:
    r"""Root mean squared calibration error, in bins of equal width.

    .. math:: \sqrt{\sum_b \frac{m_b}{m} (\bar y_b - \bar p_b)^2}

    As ``ece``, but large gaps weigh more.

    >>> bins = [[4, 1, 0.8], [6, 5, 4.5]]
    >>> ece_l2(Ranking.from_facts(width_bins={2: bins}, positives=6, negatives=4), bins=2).round(4)
    np.float64(0.0719)
    """
    return _root_mean_square_gap(r.width_bins(bins), r.total)


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("mce", "maximum_calibration_error"),
    cites=("naeini2015",),
    multiclass="top",
    checks=_BINS,
)
def ece_max(r: Ranking, *, bins: int = 10) -> Array:
    r"""Maximum calibration error, in bins of equal width.

    .. math:: \max_b |\bar y_b - \bar p_b|

    The largest gap of any bin, however few rows it holds.

    >>> bins = [[4, 1, 0.8], [6, 5, 4.5]]
    >>> ece_max(Ranking.from_facts(width_bins={2: bins}), bins=2).round(4)
    np.float64(0.0833)
    """
    return _gaps(r.width_bins(bins)).max(axis=-1)


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("ece_equal_mass", "adaptive_ece"),
    cites=("naeini2015", "nguyen2015"),
    multiclass="top",
    checks=_BINS,
    symmetric=True,
)
def ece_mass(r: Ranking, *, bins: int = 10) -> Array:
    r"""Expected calibration error, in bins of equal mass.

    .. math:: \frac{1}{B} \sum_b |\bar y_b - \bar p_b|

    Every bin holds the same mass; rows and ties that stand on a border are divided in proportion.

    >>> bins = [[5, 1, 1.2], [5, 5, 4.1]]
    >>> ece_mass(Ranking.from_facts(mass_bins={2: bins}, positives=6, negatives=4), bins=2).round(4)
    np.float64(0.11)
    """
    return _mean_gap(r.mass_bins(bins), r.total)


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("ece_l2_equal_mass",),
    cites=("nguyen2015", "kumar2019"),
    multiclass="top",
    checks=_BINS,
    symmetric=True,
)
def ece_mass_l2(r: Ranking, *, bins: int = 10) -> Array:
    r"""Root mean squared calibration error, in bins of equal mass.

    .. math:: \sqrt{\frac{1}{B} \sum_b (\bar y_b - \bar p_b)^2}

    As ``ece_mass``, but large gaps weigh more.

    >>> bins = [[5, 1, 1.2], [5, 5, 4.1]]
    >>> r = Ranking.from_facts(mass_bins={2: bins}, positives=6, negatives=4)
    >>> ece_mass_l2(r, bins=2).round(4)
    np.float64(0.1304)
    """
    return _root_mean_square_gap(r.mass_bins(bins), r.total)


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("ece_max_equal_mass", "mce_equal_mass"),
    cites=("naeini2015", "nguyen2015"),
    multiclass="top",
    checks=_BINS,
    symmetric=True,
)
def ece_mass_max(r: Ranking, *, bins: int = 10) -> Array:
    r"""Maximum calibration error, in bins of equal mass.

    .. math:: \max_b |\bar y_b - \bar p_b|

    The largest gap of any bin.

    >>> bins = [[5, 1, 1.2], [5, 5, 4.1]]
    >>> ece_mass_max(Ranking.from_facts(mass_bins={2: bins}), bins=2).round(4)
    np.float64(0.18)
    """
    return _gaps(r.mass_bins(bins)).max(axis=-1)


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("adaptive_calibration_error",),
    cites=("nixon2019",),
    checks=_BINS,
    symmetric=True,
)
def ace(r: Ranking, *, bins: int = 10) -> Array:
    r"""Adaptive calibration error.

    .. math:: \frac{1}{q B} \sum_{j \in S} \sum_b |\bar y_{jb} - \bar p_{jb}|

    The gap in bins of equal mass, averaged over bins and over all classes present rather than asked
    of the most probable class; for two classes it is ``ece_mass``.

    >>> bins = [[5, 1, 1.2], [5, 5, 4.1]]
    >>> ace(Ranking.from_facts(mass_bins={2: bins}), bins=2).round(4)
    np.float64(0.11)
    """
    return _gaps(r.mass_bins(bins)).mean(axis=-1)


@measure(
    bounds=(0, np.inf),
    better="lower",
    aliases=("hl",),
    cites=("hosmer1980",),
    multiclass="top",
    checks=_BINS,
    symmetric=True,
)
def hosmer_lemeshow(r: Ranking, *, bins: int = 10) -> Array:
    r"""Hosmer-Lemeshow statistic.

    .. math:: \sum_b \frac{(O_b - E_b)^2}{E_b (1 - E_b / m_b)}

    Positives observed, O, against the sum of the probabilities, E, in ten groups of equal mass.
    Infinite where an event happens among probabilities of 0 or fails among probabilities of 1.

    >>> bins = [[5, 1, 1.2, 3.8], [5, 5, 4.1, 0.9]]
    >>> hosmer_lemeshow(Ranking.from_facts(mass_bins={2: bins}), bins=2).round(4)
    np.float64(1.1414)
    """
    groups = r.mass_bins(bins)
    mass, observed, expected, rest = (groups[..., column] for column in range(4))
    gap = observed - expected
    terms = np.square(gap) * mass / (expected * rest)
    # Shared ties leave dust of the whole mass for a gap.
    return np.where(np.abs(gap) <= 1e-15 * bins * mass, 0, terms).sum(axis=-1)


def _gaps(bins: Array) -> Array:
    """Distance of the share of positives from the mean probability, 0 in empty bins."""
    mass = bins[..., 0]
    return np.where(mass > 0, np.abs(bins[..., 1] - bins[..., 2]) / mass, 0)


def _mean_gap(bins: Array, total: Array) -> Array:
    return np.abs(bins[..., 1] - bins[..., 2]).sum(axis=-1) / total


def _root_mean_square_gap(bins: Array, total: Array) -> Array:
    return np.sqrt((bins[..., 0] * np.square(_gaps(bins))).sum(axis=-1) / total)
