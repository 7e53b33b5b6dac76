"""The door: how often each measure picks the worse of two models, under noise."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.measurements.columns import nearest
from metricatlas.predictions.numbers import is_number, is_whole, listed
from metricatlas.progress import progress
from metricatlas.worlds.batches import batches, in_order
from metricatlas.worlds.choosing import Asked, disturbed
from metricatlas.worlds.noise import LEVELS, MOST, WORLDS
from metricatlas.worlds.profile import Profile, drawn, profile_of
from metricatlas.worlds.reliabilities import Reliabilities
from metricatlas.worlds.reliability import Reliability

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metricatlas.measures.terms import Measure
    from metricatlas.summaries.facts import Array


@overload
def simulate(
    world: str,
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    levels: Iterable[float] | None = None,
    repetitions: int = 10_000,
    seed: int = 0,
    **profile: Any,
) -> Reliability: ...
@overload
def simulate(
    world: Iterable[str],
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    levels: Iterable[float] | None = None,
    repetitions: int = 10_000,
    seed: int = 0,
    **profile: Any,
) -> Reliabilities: ...
def simulate(
    world: str | Iterable[str],
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    levels: Iterable[float] | None = None,
    repetitions: int = 10_000,
    seed: int = 0,
    **profile: Any,
) -> Reliability | Reliabilities:
    """Let measures choose between two models of which the first is better, under noise.

    Parameters
    ----------
    world
        "label-noise", "probability-noise", "ranking-noise" or "class-drift", as in ferri2009; or
        several of them in a list, in which the same pairs of models are disturbed.
    measures
        Names, measures, mixed; None for all that serve these classes and say which value is better.
    levels
        In the paper's units: percent for the first two (100 % moves probabilities by up to a half),
        0 to 80 (80 is 100,000 swaps), and 0 to 50 (positives lost of a hundred examples). By
        default each world has the paper's; those of class drift end where no positives are left.
    repetitions
        How many pairs of models are drawn.
    seed
        Of the random numbers.
    **profile
        What the world is like: n, prior, error or auc, gap, confidence, ties, shared, clipped; the
        paper's by default. With ``like=(y_true, probabilities)`` n, prior, quality, calibration and
        ties are those of real predictions, which labels and pos_label may explain. See
        `metricatlas.worlds.profile.Profile`.

    Returns
    -------
    Reliability or Reliabilities
        The share of wrong choices of each measure at each level; equal values are half a wrong
        choice, and so are undefined ones. For a list of worlds those of each, and their average.

    Examples
    --------
    >>> import metricatlas as ma
    >>> r = ma.simulate("label-noise", measures=["acc", "auc"], levels=[0, 50], repetitions=100)
    >>> r.wrong["measure"].tolist()
    ['acc', 'acc', 'auc', 'auc']
    >>> both = ma.simulate(["label-noise", "class-drift"], measures="acc", repetitions=100)
    >>> list(both)
    ['label-noise', 'class-drift']
    """
    worlds = _worlds(world)
    known = profile_of(profile)
    asked = Asked.of(measures, known)
    at = {name: levels_of(name, levels, known) for name in worlds}
    check_repetitions(repetitions, seed)
    sizes = batches(repetitions, int(known.n), known.classes)
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    result = Reliabilities.of(
        [Reliability.empty(name, asked.names, at[name], known) for name in worlds]
    )

    def batch(number: int) -> list[Array]:
        rng = np.random.default_rng(seeds[number])
        pairs = drawn(rng, known, sizes[number])
        # Each world goes on with the same random numbers, as if it were alone.
        return [disturbed(name, deepcopy(rng), pairs, at[name], asked, known) for name in worlds]

    with progress(f"Simulating {', '.join(worlds)}", repetitions) as tell:
        for found in in_order(batch, len(sizes)):
            result.add(found)
            tell(result.repetitions)
    return result[world] if isinstance(world, str) else result


def check_repetitions(repetitions: int, seed: int) -> None:
    """Refuse what is no number of repetitions, or no seed."""
    if not is_whole(repetitions) or repetitions < 1:
        msg = f"repetitions must be a whole number from 1 on; got {repetitions!r}."
        raise WorldError(msg)
    if not is_whole(seed) or seed < 0:
        msg = f"seed must be a whole number from 0 on; got {seed!r}."
        raise WorldError(msg)


def check_world(world: object) -> None:
    """Refuse a world that there is not."""
    if world not in list(WORLDS):
        msg = f"there is no world {world!r}{nearest(str(world), list(WORLDS))}"
        raise WorldError(msg)


def _worlds(world: str | Iterable[str]) -> list[str]:
    worlds = listed(world)
    for name in worlds:
        check_world(name)
    if not worlds or len(set(worlds)) < len(worlds):
        msg = f"worlds must be one or more, each once; got {worlds}. There are {list(WORLDS)}."
        raise WorldError(msg)
    return worlds


def levels_of(world: str, levels: Iterable[float] | None, profile: Profile) -> tuple[float, ...]:
    """Read levels of noise; None are the paper's."""
    if levels is None:
        return _default_levels(world, profile)
    given, most = listed(levels), MOST[world]
    if not given or not all(is_number(level) and 0 <= level <= most for level in given):
        msg = f"levels of {world} must lie from 0 to {most}; got {given}."
        raise WorldError(msg)
    found = tuple(map(float, given))
    if list(found) != sorted(set(found)):
        msg = f"levels must ascend, each once; got {list(found)}."
        raise WorldError(msg)
    return found


def _default_levels(world: str, profile: Profile) -> tuple[float, ...]:
    share = profile.priors[-1]
    if world != "class-drift" or share >= 0.5:
        return LEVELS[world]
    # The paper's levels take half of the examples, where half of them are positive.
    return tuple(level * share / 0.5 for level in LEVELS[world])
