"""Corrections of p-values for many comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from metricatlas.errors import DecisionError

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

Correction = Literal["holm", "hochberg", "bonferroni", "bh", "none"]


def checked_correction(how: Any) -> Correction:
    """Return the name of a correction, or say which ones there are."""
    known = get_args(Correction)
    if not isinstance(how, str) or how not in known:
        msg = f"correction must be one of {', '.join(known)}; got {how!r}."
        raise DecisionError(msg)
    return known[known.index(how)]


def corrected(p_values: object, how: Correction = "holm") -> Array:
    """Correct the p-values of one family of comparisons.

    "holm", "hochberg" and "bonferroni" bound the probability of any false difference, "bh"
    (Benjamini and Hochberg) the expected share of false ones among those found. Hochberg's needs
    comparisons that do not speak against each other; Holm's holds always. Undefined p-values stay
    undefined and count as no comparison.

    >>> corrected([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    raw = np.asarray(p_values, dtype=np.float64)
    found = np.full(raw.shape, np.nan)
    defined = ~np.isnan(raw)
    found[defined] = _corrected(raw[defined], how)
    return found


def _corrected(raw: Array, how: Correction) -> Array:
    if how == "none":
        return raw
    count = len(raw)
    if how == "bonferroni":
        return np.minimum(raw * count, 1.0)
    order = np.argsort(raw, kind="stable")
    left = np.arange(count, 0, -1)
    factor = count / (np.arange(count) + 1.0) if how == "bh" else left
    steps = raw[order] * factor
    # Holm goes from the smallest p-value on and never comes down; the others come from the largest.
    monotone = (
        np.maximum.accumulate(steps) if how == "holm" else np.minimum.accumulate(steps[::-1])[::-1]
    )
    found = np.empty(count)
    found[order] = np.minimum(monotone, 1.0)
    return found
