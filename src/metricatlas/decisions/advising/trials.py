"""How often measures choose wrongly on test sets like the user's."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.progress import progress
from metricatlas.worlds.batches import batches, in_order
from metricatlas.worlds.choosing import Asked, chosen, disturbed
from metricatlas.worlds.power import sampled
from metricatlas.worlds.reliabilities import Reliabilities
from metricatlas.worlds.reliability import Reliability
from metricatlas.worlds.simulation import levels_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.decisions.advising.case import Case
    from metricatlas.summaries.facts import Array


def wrong_choices(
    case: Case, measures: Sequence[Any], repetitions: int, seed: int
) -> Reliabilities:
    """Draw test sets of the user's size; let measures choose under each kind of noise.

    Each scenario disturbs the same test sets. Its shares are those of `power` with this size,
    world, level and seed.
    """
    profile, n = case.profile, int(case.profile.n)
    asked = Asked.of(measures, profile)
    noises = {
        name: None if noise is None else (noise[0], levels_of(noise[0], [noise[1]], profile))
        for name, noise in case.scenarios.items()
    }
    sizes = batches(repetitions, n, profile.classes)
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    result = Reliabilities.of(
        [
            Reliability.empty(name, asked.names, (0.0,) if noise is None else noise[1], profile)
            for name, noise in noises.items()
        ]
    )

    def batch(number: int) -> list[Array]:
        rng = np.random.default_rng(seeds[number])
        pairs = sampled(rng, profile, (sizes[number], n), 0.0)
        return [
            chosen(pairs, asked)[:, np.newaxis]
            if noise is None
            # Each scenario goes on with the same random numbers, as if it were alone.
            else disturbed(noise[0], deepcopy(rng), pairs, noise[1], asked, profile)
            for noise in noises.values()
        ]

    with progress("Simulating test sets", repetitions) as tell:
        for found in in_order(batch, len(sizes)):
            result.add(found)
            tell(result.repetitions)
    return result
