"""What a score is made of: calibration, discrimination and the uncertainty of the data.

CORP (Dimitriadis, Gneiting and Jordan) recalibrates by isotonic regression; Murphy takes what
happens at every distinct probability. In both, score = calibration - discrimination + uncertainty.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure
from metricatlas.summaries import Ranking

Array = np.ndarray[Any, Any]
_LN2 = float(np.log(2))


@measure(
    bounds=(0, 0.25), better="neither", aliases=("unc",), cites=("murphy1973",), symmetric=True
)
def uncertainty(r: Ranking) -> Array:
    r"""Uncertainty of the labels, in the units of the Brier score.

    .. math:: \pi (1 - \pi)

    The Brier score of giving every row the share of positives. It describes the data and does not
    rate a prediction.

    >>> uncertainty(Ranking.from_facts(positives=4, negatives=6))
    np.float64(0.24)
    """
    return r.variance


@measure(
    bounds=(0, 0.25), better="higher", aliases=("dsc",), cites=("dimitriadis2021",), symmetric=True
)
def discrimination(r: Ranking) -> Array:
    r"""Discrimination term of the CORP decomposition of the Brier score.

    .. math:: \mathrm{UNC} - \frac{1}{m} \sum_i (\hat p_i - y_i)^2

    Here :math:`\hat p` are the scores recalibrated by isotonic regression: what they would gain
    over knowing the share of positives.

    >>> discrimination(Ranking.from_facts(hull_squares=1.2, positives=4, negatives=6)).round(4)
    np.float64(0.12)
    """
    return np.maximum(r.variance - r.hull_squares / r.total, 0)


@measure(
    bounds=(0, 1),
    better="lower",
    aliases=("mcb",),
    cites=("dimitriadis2021",),
    symmetric=True,
)
def miscalibration(macro_brier: Array, discrimination: Array, uncertainty: Array) -> Array:
    r"""Miscalibration term of the CORP decomposition of the Brier score.

    .. math:: \mathrm{MCB} = \mathrm{Brier} + \mathrm{DSC} - \mathrm{UNC}

    What isotonic recalibration would save. Of more than two classes, the mean over classes, each
    against the rest.

    >>> miscalibration(np.float64(0.15), np.float64(0.12), np.float64(0.24)).round(4)
    np.float64(0.03)
    """
    return np.maximum(macro_brier - uncertainty + discrimination, 0)


@measure(
    bounds=(0, _LN2),
    better="neither",
    aliases=("unc_log",),
    cites=("dimitriadis2021",),
    symmetric=True,
)
def uncertainty_log(r: Ranking) -> Array:
    r"""Uncertainty of the labels, in nats.

    .. math:: -\pi \ln \pi - (1 - \pi) \ln (1 - \pi)

    The log loss of giving every row the share of positives. It describes the data and does not rate
    a prediction.

    >>> uncertainty_log(Ranking.from_facts(positives=4, negatives=6)).round(4)
    np.float64(0.673)
    """
    return r.entropy


@measure(
    bounds=(0, _LN2),
    better="higher",
    aliases=("dsc_log",),
    cites=("dimitriadis2021",),
    symmetric=True,
)
def discrimination_log(r: Ranking) -> Array:
    r"""Discrimination term of the CORP decomposition of the log loss.

    .. math:: \mathrm{UNC} + \frac{1}{m} \sum_i \ln \hat p(i, y_i)

    Here :math:`\hat p` are the scores recalibrated by isotonic regression.

    >>> discrimination_log(Ranking.from_facts(hull_logs=4.0, positives=4, negatives=6)).round(4)
    np.float64(0.273)
    """
    return np.maximum(r.entropy - r.hull_logs / r.total, 0)


@measure(
    bounds=(0, np.inf),
    better="lower",
    aliases=("mcb_log",),
    cites=("dimitriadis2021",),
    symmetric=True,
)
def miscalibration_log(
    macro_log_loss: Array, discrimination_log: Array, uncertainty_log: Array
) -> Array:
    r"""Miscalibration term of the CORP decomposition of the log loss.

    .. math:: \mathrm{MCB} = \mathrm{LogLoss} + \mathrm{DSC} - \mathrm{UNC}

    What isotonic recalibration would save; infinite where the log loss is.

    >>> miscalibration_log(np.float64(0.5), np.float64(0.27), np.float64(0.67)).round(4)
    np.float64(0.1)
    """
    return np.maximum(macro_log_loss - uncertainty_log + discrimination_log, 0)


@measure(bounds=(0, 0.25), better="higher", cites=("murphy1973",), symmetric=True)
def resolution(macro_brier: Array, reliability: Array, uncertainty: Array) -> Array:
    r"""Resolution: Murphy's discrimination term of the Brier score.

    .. math:: \frac{1}{m} \sum_b m_b (\bar y_b - \bar y)^2
        = \mathrm{UNC} + \mathrm{REL} - \mathrm{Brier}

    How far what happens at each distinct probability lies from what happens overall.

    >>> resolution(np.float64(0.15), np.float64(0.05), np.float64(0.24)).round(4)
    np.float64(0.14)
    """
    return np.maximum(uncertainty + reliability - macro_brier, 0)
