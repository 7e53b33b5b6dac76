"""How far values move when a trait does, measured by what they say of pairs of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array

#: What changes, one at a time; and, as one change more, everything.
TRAITS = ("threshold", "calibration", "ranking", "frequency")
EVERYTHING = len(TRAITS)
#: From one model to any other four traits differ, and which examples are decided rightly. With less
#: than an even share of these five, a trait moves a measure partially.
SHARE = 1 / 5
#: Values that differ by less are equal up to rounding.
RELATIVE, ABSOLUTE = 1e-9, 1e-12


@dataclass(frozen=True)
class Influence:
    """What a change of one trait does to the values of one measure."""

    #: "no", "partially", "yes", or "unknown" where most values are undefined.
    verdict: str
    #: 0 where no value moves, 1 where values move as far as from one model to any other.
    strength: float
    low: float
    high: float
    #: The share of models whose value moves at all.
    moved: float
    #: The share of models without a value before or after.
    undefined: float


@dataclass(frozen=True, eq=False)
class Tally:
    """Counts over a batch of models, (changes, measures) each."""

    models: int
    #: Comparisons with another model whose outcome changes, and all of them.
    changed: Array
    compared: Array
    #: Models whose value moves, and those with a value before and after.
    moved: Array
    defined: Array


def settled(before: Array, after: Array) -> Array:
    """Values after a change, those that differ by rounding only set to the ones before."""
    same = np.isclose(after, before, rtol=RELATIVE, atol=ABSOLUTE)
    return np.where(same, before, after)


def tallied(before: Array, after: Sequence[Array], kinds: Array) -> Tally:
    """Compare the values of models, (models, measures), with those after each change.

    Outcomes are of two models of one kind, of which one changes.
    """
    shape = (len(after), before.shape[1])
    changed, compared, moved, defined = np.zeros((4, *shape))
    known, outcomes = ~np.isnan(before), _outcomes(before, before)
    alike = (kinds[:, np.newaxis] == kinds) & ~np.eye(len(kinds), dtype=bool)
    for i, values in enumerate(after):
        both = known & ~np.isnan(values)
        pairs = both[:, np.newaxis] & known & alike[:, :, np.newaxis]
        # Half a change where one of both outcomes is a tie.
        changes = np.abs(_outcomes(values, before) - outcomes) / 2
        changed[i] = np.where(pairs, changes, 0).sum(axis=(0, 1))
        compared[i] = pairs.sum(axis=(0, 1))
        moved[i] = (both & (values != before)).sum(axis=0)
        defined[i] = both.sum(axis=0)
    return Tally(len(before), changed, compared, moved, defined)


def _outcomes(values: Array, others: Array) -> Any:
    """1 where a model's value is above another's, -1 where below: (models, others, measures)."""
    one, other = values[:, np.newaxis], others[np.newaxis]
    return (one > other).astype(np.int8) - (one < other)


def influences(tallies: Sequence[Tally]) -> list[tuple[Influence, ...]]:
    """The influence of the traits on each measure, from the tallies of all batches."""
    models = sum(tally.models for tally in tallies)
    changed = np.array([tally.changed for tally in tallies])
    compared = np.array([tally.compared for tally in tallies])
    moved = np.sum([tally.moved for tally in tallies], axis=0) / models
    defined = np.sum([tally.defined for tally in tallies], axis=0) / models
    return [
        tuple(
            _influence(
                _ratio(changed[:, [trait, EVERYTHING], m], compared[:, [trait, EVERYTHING], m]),
                float(moved[trait, m]),
                defined[[trait, EVERYTHING], m],
            )
            for trait in range(len(TRAITS))
        )
        for m in range(changed.shape[2])
    ]


def _influence(ratio: tuple[float, float], moved: float, defined: Array) -> Influence:
    """The influence of one trait; defined are shares of models, in its change and in the whole."""
    here = float(defined[0])
    if not moved:
        # Where nothing has moved there is nothing to compare with everything.
        verdict = "no" if here >= 0.5 else "unknown"
        return Influence(verdict, 0.0, 0.0, 0.0, 0.0, 1 - here)
    strength, error = ratio
    verdict = "yes" if strength >= SHARE else "partially"
    if defined.min() < 0.5 or np.isnan(strength):
        verdict = "unknown"
    low, high = max(strength - error, 0.0), strength + error
    return Influence(verdict, strength, low, high, moved / here, 1 - here)


def _ratio(changed: Array, compared: Array) -> tuple[float, float]:
    """The share of changed outcomes by that under a change of everything, and its error.

    Batches, (batches, 2), are independent of each other: half an interval of 95 % is from leaving
    out one at a time.
    """
    from scipy.special import stdtrit

    count = len(changed)
    with np.errstate(all="ignore"):
        ratio = float(_quotient(changed.sum(axis=0), compared.sum(axis=0)))
        without = _quotient(changed.sum(axis=0) - changed, compared.sum(axis=0) - compared)
        spread = np.sqrt((count - 1) / count * np.square(without - without.mean()).sum())
    return ratio, float(stdtrit(count - 1, 0.975) * spread)


def _quotient(changed: Array, compared: Array) -> Any:
    shares = changed / compared
    return shares[..., 0] / shares[..., 1]
