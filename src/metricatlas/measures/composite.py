"""Measures over measures."""

from __future__ import annotations

from typing import Any

import numpy as np

from metricatlas.measures.declaration import measure

Array = np.ndarray[Any, Any]


@measure(
    bounds=(0, 1),
    better="higher",
    sources=("caruana2004",),
    cites=("caruana2004",),
)
def sar(acc: Array, auc: Array, rms: Array) -> Array:
    r"""SAR: squared error, accuracy and ROC area together.

    .. math:: \frac{\mathrm{ACC} + \mathrm{AUC} + 1 - \mathrm{RMS}}{3}

    Undefined where the area under the ROC curve is.

    >>> sar(np.float64(0.8), np.float64(0.9), np.float64(0.35)).round(4)
    np.float64(0.7833)
    """
    return (acc + auc + (1 - rms)) / 3
