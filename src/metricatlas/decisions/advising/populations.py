"""Populations of models from better to worse in worlds like the user's, and what measures say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.evaluation.doors import evaluated
from metricatlas.measurements import Measurements
from metricatlas.progress import progress
from metricatlas.worlds.batches import in_order
from metricatlas.worlds.profile import models_of, shaped
from metricatlas.worlds.real import classes_drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array
    from metricatlas.worlds.profile import Profile

#: Populations of each kind, and models of each population.
POPULATIONS, MODELS = 20, 20
#: Test sets of populations have so many examples at most.
MOST = 10_000
#: How sure of themselves models are: the log-odds have a factor from 1 / SURE to SURE.
SURE = 2.0
#: The kinds of populations, with the largest factor of each.
KINDS = {"equally sure of themselves": 1.0, "more or less sure of themselves": SURE}


@dataclass(frozen=True)
class Populations:
    """Models that go in equal steps from the better one of the user's worlds to the other one.

    All of a population judge the same examples, and err in different places. In populations of one
    kind they are equally sure of themselves; in the other kind some are surer than others of the
    very same knowledge, up to the factor.
    """

    profile: Profile
    seed: int

    def measured(self, measures: Sequence[Any]) -> Measurements:
        """Evaluate all models; the keys are the kind, the population and the model."""
        asked, factors = list(measures), list(KINDS.values())
        # After the seeds of test sets, so that no population has one of theirs.
        seeds = np.random.SeedSequence([self.seed, 1]).spawn(POPULATIONS)

        def tables(number: int) -> list[Measurements]:
            # Both kinds are the same models, but for how sure they are.
            return [self._evaluated(seeds[number], asked, factor) for factor in factors]

        found = []
        with progress("Relating measures", POPULATIONS) as tell:
            for number, own in enumerate(in_order(tables, POPULATIONS), start=1):
                for kind, table in zip(KINDS, own, strict=True):
                    keys = {
                        "models": [kind] * MODELS,
                        "population": [number] * MODELS,
                        "model": list(range(1, MODELS + 1)),
                    }
                    found.append(table.__replace__(row_keys=keys))
                tell(number)
        return Measurements.concat(found)

    def _evaluated(
        self, seed: np.random.SeedSequence, measures: list[Any], factor: float
    ) -> Measurements:
        truth, rows = self._drawn(np.random.default_rng(seed), factor)
        return evaluated(
            truth,
            rows[:, :, np.newaxis] if self.profile.classes == 2 else rows,
            measures=measures,
            labels=list(range(self.profile.classes)),
            kind="probabilities",
        )

    def _drawn(self, rng: np.random.Generator, factor: float) -> tuple[Array, Array]:
        """The true classes, and the probabilities of each model."""
        profile, source = self.profile, models_of(self.profile)
        n = min(int(profile.n), MOST)
        truth = classes_drawn(rng, (n,), profile.priors)
        changed, more = profile.anew
        found = []
        for step in np.linspace(0, 1, MODELS):
            rows, anew = source.certain(rng, truth), rng.random(n) < changed + more * step
            if rows.ndim > 1:
                anew = anew[:, np.newaxis]
            rows = shaped(np.where(anew, source.anew(rng, (n,)), rows), profile)
            found.append(_surer(rows, factor ** (2 * rng.random() - 1)))
        return truth, np.stack(found)


def _surer(rows: Array, factor: float) -> Array:
    """Give the log-odds a factor; 0 and 1 stay, and so does what is decided."""
    if factor == 1:
        return rows
    binary = rows.ndim == 1
    every = np.stack([1 - rows, rows], axis=1) if binary else rows
    # Divided by the largest first, so that no sum is 0.
    parts = (every / every.max(axis=1, keepdims=True)) ** factor
    found: Array = parts / parts.sum(axis=1, keepdims=True)
    return found[:, 1] if binary else found
