"""The door: how many test examples a measure needs to pick the better of two models."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.predictions.numbers import is_number, is_whole, listed
from metricatlas.progress import progress
from metricatlas.worlds.batches import batches, in_order
from metricatlas.worlds.choosing import Asked, chosen, disturbed
from metricatlas.worlds.curve import Power
from metricatlas.worlds.profile import Pairs, Profile, models_of, profile_of, shaped
from metricatlas.worlds.real import classes_drawn
from metricatlas.worlds.simulation import check_repetitions, check_world, levels_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metricatlas.measures.terms import Measure
    from metricatlas.summaries.facts import Array

#: Each twice the one before.
SIZES = tuple(10 * 2**power for power in range(10))


def power(
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    sizes: Iterable[int] | None = None,
    share: float = 0.95,
    overlap: float = 0.0,
    world: str | None = None,
    level: float | None = None,
    repetitions: int = 4_000,
    seed: int = 0,
    **profile: Any,
) -> Power:
    """Find how many test examples each measure needs to pick the better of two models.

    Of two models one is better in the population. Test sets are drawn from it, example by example,
    so that on a small one the other model may look better.

    Parameters
    ----------
    measures
        Names, measures, mixed; None for all that serve these classes and say which value is better.
    sizes
        Numbers of test examples; 10, 20, 40 and so on to 5,120 by default.
    share
        How often the better model must be picked; equal values pick it half a time.
    overlap
        The share of examples that both models see alike, but for the gap. On the others each has
        probabilities of its own: with 0, the most cautious, on all of them. The more alike two
        models are, the fewer examples tell them apart.
    world, level
        Noise that every test set meets too, as in `simulate`.
    repetitions
        How many test sets there are of each size.
    seed
        Of the random numbers.
    **profile
        What the models are like, as in `simulate`: prior, error or auc, gap, confidence, ties, or
        ``like=(y_true, probabilities)``.

    Returns
    -------
    Power
        ``curve`` is the share of right choices by size; ``needed()`` the size that suffices.

    Examples
    --------
    >>> import metricatlas as ma
    >>> found = ma.power(measures=["acc", "auc"], error=0.1, gap=0.1, repetitions=500)
    >>> found.curve.columns.tolist()
    ['measure', 'n', 'right', 'low', 'high', 'undefined']
    >>> found.needed()["measure"].tolist()
    ['acc', 'auc']
    """
    known = _profile(profile)
    asked = Asked.of(measures, known)
    at = _sizes(sizes)
    check_repetitions(repetitions, seed)
    _check_shares(share, overlap, repetitions)
    noise = _noise(world, level, known)
    sums = np.zeros((3, len(at), len(asked.names)))
    # Repetitions of all sizes are one list, so that threads never wait for the last of a size.
    parts = [
        (i, count) for i, n in enumerate(at) for count in batches(repetitions, n, known.classes)
    ]
    seeds = np.random.SeedSequence(seed).spawn(len(parts))

    def batch(number: int) -> Array:
        place, count = parts[number]
        rng = np.random.default_rng(seeds[number])
        pairs = sampled(rng, known, (count, at[place]), overlap)
        if noise is None:
            return chosen(pairs, asked)
        world, level = noise
        return disturbed(world, rng, pairs, [level], asked, known)[:, 0]

    with progress("Simulating test sets", len(at) * repetitions) as tell:
        done = 0
        for (place, count), found in zip(parts, in_order(batch, len(parts)), strict=True):
            sums[:, place] += _summed(found)
            done += count
            tell(done)
    return Power(asked.names, at, share, repetitions, known, overlap, world, level, *sums)


def sampled(
    rng: np.random.Generator, profile: Profile, shape: tuple[int, int], overlap: float
) -> Pairs:
    """Draw test sets: each example is drawn anew, or is not, independently of all others."""
    source = models_of(profile)
    changed, more = profile.anew

    def draw_anew(rows: Any, labels: Any, part: float) -> Any:
        anew = rng.random(labels.shape) < part
        rows[anew] = source.anew(rng, (int(anew.sum()),))
        return rows

    truth = classes_drawn(rng, shape, profile.priors)
    better = draw_anew(source.certain(rng, truth), truth, changed)
    worse, apart = better.copy(), rng.random(shape) >= overlap
    own = truth[apart]
    worse[apart] = draw_anew(source.certain(rng, own), own, changed)
    # So that in all so many more examples of the other model are drawn anew.
    worse = draw_anew(worse, truth, more / max(1 - changed, more))
    return Pairs.of(truth, *(shaped(rows, profile) for rows in (better, worse)))


def _profile(given: dict[str, Any]) -> Profile:
    if "n" in given:
        msg = "n is what is looked for; sizes= says which numbers of test examples to try."
        raise WorldError(msg)
    known = profile_of(given, sized=False)
    if known.gap == 0 or sum(known.anew) > 1 + 1e-9:
        msg = (
            f"error and gap must leave both models room to differ: {known.anew[0]:.4g} of all "
            f"examples of the better one are drawn anew, and {known.anew[1]:.4g} more of the other "
            f"one. The gap must be above 0, and both together no more than all."
        )
        raise WorldError(msg)
    return known


def _sizes(sizes: Iterable[int] | None) -> tuple[int, ...]:
    given = list(SIZES) if sizes is None else listed(sizes)
    if not given or not all(is_whole(n) and n >= 2 for n in given):
        msg = f"sizes must be whole numbers from 2 on; got {given}."
        raise WorldError(msg)
    found = [int(n) for n in given]
    if found != sorted(set(found)):
        msg = f"sizes must ascend, each once; got {found}."
        raise WorldError(msg)
    return tuple(found)


def _check_shares(share: float, overlap: float, repetitions: int) -> None:
    if not is_number(share) or not 0.5 < share < 1:
        msg = f"share must be a number above 0.5 and below 1; got {share!r}."
        raise WorldError(msg)
    if repetitions * (1 - share) < 1:
        msg = (
            f"repetitions must be many enough to see a share of {share:g}, at least "
            f"{ceil(1 / (1 - share)):,}; got {repetitions}."
        )
        raise WorldError(msg)
    if not is_number(overlap) or not 0 <= overlap <= 1:
        msg = f"overlap must be a share from 0 to 1; got {overlap!r}."
        raise WorldError(msg)


def _noise(world: str | None, level: float | None, profile: Profile) -> tuple[str, float] | None:
    if world is None and level is None:
        return None
    if world is None or level is None:
        msg = f"noise must have a world and a level; got world={world!r} and level={level!r}."
        raise WorldError(msg)
    check_world(world)
    if world == "ranking-noise":
        msg = (
            "noise must be as strong on small test sets as on large ones; ranking-noise is not, as "
            "so many swaps are fewer for each of more examples. Choose another world, or simulate "
            "this one with n=."
        )
        raise WorldError(msg)
    (found,) = levels_of(world, [level], profile)
    return world, found


def _summed(choices: Array) -> tuple[Array, Array, Array]:
    """Sums over repetitions of right choices, of their squares, and of undefined ones."""
    missing = choices > 2
    right = 1 - np.where(missing, 1, choices) / 2
    return right.sum(axis=0), np.square(right).sum(axis=0), missing.sum(axis=0)
