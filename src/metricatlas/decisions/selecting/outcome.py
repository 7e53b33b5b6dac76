"""How good, on a large sample, are the models that measures choose on a small one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metricatlas.decisions.selecting.observed import Observed
    from metricatlas.summaries.facts import Array

#: Fewer models say nothing of a correlation: two always lie on a line.
FEWEST = 3


@dataclass(frozen=True, eq=False)
class Outcome:
    """Repetitions by measures that choose by measures that judge."""

    #: The chosen model under the judging measure, as measured; the mean of tied ones.
    value: Array
    #: How much better the best model is.
    regret: Array
    #: Which share of the chosen models is the best one, or one of the best.
    best: Array
    #: Spearman's, over models; NaN where there is none.
    correlation: Array
    #: Repetitions by measures that choose: whether some model has no value.
    undefined: Array
    #: Repetitions by measures that judge: whether all models have a finite value.
    judged: Array


@dataclass(frozen=True, eq=False)
class Judged:
    """What the judging measures say of all models, so that many choices are judged at once."""

    #: Repetitions by measures by models; 0 where a model has no value.
    values: Array
    #: How far each model is from the best one.
    gap: Array
    best: Array
    order: Array
    judged: Array

    @classmethod
    def of(cls, large: Observed) -> Judged:
        """Find the best models."""
        judged = np.asarray(np.isfinite(large.oriented).all(axis=2))
        known = judged[:, :, np.newaxis]
        order = np.where(known, large.order, np.nan)
        best = known & (large.order == large.order.max(axis=2, keepdims=True))
        oriented = np.where(known, large.oriented, 0.0)
        # Tied models have the same value; the best by the pair need not have the largest number.
        top = np.where(best, oriented, -np.inf).max(axis=2, keepdims=True, initial=-np.inf)
        gap = np.where(known, top - oriented, 0.0)
        return cls(np.where(known, large.values, 0.0), gap, best, order, judged)


def outcome(small: Observed, large: Judged) -> Outcome:
    """Let measures choose on small samples, and judge what they have chosen."""
    missing: Array = np.isnan(small.order)
    ranked = np.where(missing, -np.inf, small.order)
    chosen = (ranked == ranked.max(axis=2, keepdims=True)) & ~missing
    # Without any value nothing is chosen: one model is as good as another.
    chosen |= missing.all(axis=2, keepdims=True)
    weights = chosen.astype(np.float64)
    count = weights.sum(axis=2)[:, :, np.newaxis]

    def mean(of: Array) -> Array:
        return np.einsum("rfk,rgk->rfg", weights, of.astype(np.float64)) / count

    return Outcome(
        mean(large.values),
        mean(large.gap),
        mean(large.best),
        _correlations(small.order, large.order),
        np.asarray(missing.any(axis=2)),
        large.judged,
    )


def _correlations(chosen_by: Array, judged_by: Array) -> Array:
    """Spearman's correlations over the models that have values of both measures."""
    found = _from_ranks(_centred(chosen_by), _centred(judged_by))
    lacking = np.isnan(chosen_by)
    for measure in np.flatnonzero(lacking.any(axis=(0, 2))).tolist():
        # Ranks are those among the models that have both.
        own = slice(measure, measure + 1)
        rows = np.flatnonzero(lacking[:, measure].any(axis=1))
        others = np.where(lacking[rows, own], np.nan, judged_by[rows])
        found[rows, own] = _from_ranks(_centred(chosen_by[rows, own]), _centred(others))
    return found


def _from_ranks(one: Array, other: Array) -> Array:
    products = np.einsum("rfk,rgk->rfg", one, other)
    sizes = np.einsum("rfk,rfk->rf", one, one)[:, :, np.newaxis]
    others = np.einsum("rgk,rgk->rg", other, other)[:, np.newaxis]
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Array = products / np.sqrt(sizes * others)
    return found.clip(-1, 1)


def _centred(values: Array) -> Array:
    """Twice the ranks along the last axis, ties at their mean, less their mean; 0 where undefined.

    Whole numbers: their products are exact in any order. All 0 where fewer than three are ranked.
    """
    order = np.argsort(values, axis=-1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=-1)
    place = np.broadcast_to(np.arange(values.shape[-1]), values.shape)
    begins, ends = np.ones(values.shape, dtype=bool), np.ones(values.shape, dtype=bool)
    begins[..., 1:] = ends[..., :-1] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(begins, place, 0), axis=-1)
    backwards = np.where(ends, place, values.shape[-1])[..., ::-1]
    last = np.minimum.accumulate(backwards, axis=-1)[..., ::-1]
    known = ~np.isnan(values)
    count = known.sum(axis=-1, keepdims=True)
    ranks = np.empty(values.shape)
    # Undefined values are sorted behind all others, so they move no rank.
    np.put_along_axis(ranks, order, first + last + 1.0, axis=-1)
    return np.where(known & (count >= FEWEST), ranks - count, 0.0)
