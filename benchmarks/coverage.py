"""How often the intervals of `ma.compare` hold the true value: ``python -m benchmarks.coverage``.

Test sets are drawn from a population that we know, and every measure of two models gets its
intervals in each of them. What they should hold is the mean of the measure over test sets of this
size; where a measure tends to something else in the long run, that is counted too.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.coverage_page import METHODS, QUANTITIES, told, write
from benchmarks.population import LARGER, READ, ROUNDING, Moments, Population, Truth, long_run
from metricatlas.decisions.comparing.comparison import Comparison, Settings
from metricatlas.decisions.comparing.exact import Exact
from metricatlas.decisions.comparing.replicates import Scheme, replicates
from metricatlas.evaluation.doors import evaluated
from metricatlas.predictions import read_predictions
from metricatlas.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pandas as pd

    Map = Callable[..., Iterator[np.ndarray]]

SEED = 20260101
LEVEL = 0.95
#: Test sets that a worker does at once, and examples of those that only tell the truth.
TOGETHER = 20
EXAMPLES = 300_000
#: What random numbers are for.
MEAN, SMALL, LARGE, SETS = range(4)


@dataclass(frozen=True)
class Scale:
    """How large the study is."""

    #: Test sets of each configuration, and resamples of each of them.
    sets: int = 400
    resamples: int = 600
    #: Test sets whose mean is the truth.
    independent: int = 20_000
    #: Examples of the large test sets, whose mean is the long-run value, and how many there are.
    examples: int = 1_000_000
    large: int = 32

    @property
    def words(self) -> str:
        """What the tables are made of."""
        error = 100 * np.sqrt(LEVEL * (1 - LEVEL) / self.sets)
        return (
            f"{self.sets:,} test sets of each kind, {self.resamples:,} resamples of each; means of "
            f"{self.independent:,} other test sets, and long-run values of {self.large} test sets "
            f"of {self.examples:,} examples. The standard error of a coverage of 95 % is "
            f"{error:.1f} points."
        )


SMOKE = Scale(sets=20, resamples=60, independent=400, examples=16_000, large=12)


@dataclass(frozen=True)
class Configuration:
    """Test sets of one size from one population."""

    n: int
    prior: float
    tied: bool

    @property
    def population(self) -> Population:
        """Where they come from."""
        return Population(self.prior, self.tied)

    @property
    def key(self) -> tuple[int, ...]:
        """What its random numbers are known by."""
        return self.n, round(1000 * self.prior), int(self.tied)


CONFIGURATIONS = [
    Configuration(n, prior, tied)
    for tied, prior, n in product((False, True), (0.5, 0.02), (50, 300, 3000))
]


def seed_of(*key: int) -> np.random.SeedSequence:
    """The seed of one piece of work."""
    return np.random.SeedSequence(SEED, spawn_key=key)


def values_of(work: tuple[Population, int, int, tuple[int, ...]]) -> np.ndarray:
    """Values of so many independent test sets."""
    population, count, n, key = work
    return population.values(seed_of(*key), count, n)


def mean_of(configuration: Configuration, scale: Scale, each: Map) -> Moments:
    """The means over test sets of this size."""
    n, count = configuration.n, max(1, EXAMPLES // configuration.n)
    starts = range(0, scale.independent, count)
    work = [
        (
            configuration.population,
            min(count, scale.independent - first),
            n,
            (MEAN, *configuration.key, first),
        )
        for first in starts
    ]
    return Moments.of(np.concatenate(list(each(values_of, work))))


def long_run_of(configuration: Configuration, scale: Scale, each: Map) -> Moments:
    """The long-run values of a population; `configuration` is the first that is drawn from it."""
    found = []
    for purpose, n in ((LARGE, scale.examples), (SMALL, scale.examples // LARGER)):
        work = [
            (configuration.population, 1, n, (purpose, *configuration.key, number))
            for number in range(scale.large)
        ]
        found.append(Moments.of(np.concatenate(list(each(values_of, work)))))
    return long_run(*found)


def ends_of(truth: np.ndarray, probabilities: np.ndarray, seed: int, resamples: int) -> np.ndarray:
    """Intervals of one test set by every method, (methods, quantities, m, 2).

    The quantities are the first model's value, and what it is better by.
    """
    batch = probabilities[:, :, np.newaxis]
    table = evaluated(truth, batch, measures=None, **READ)
    blocks, _ = read_predictions(truth, batch, **READ)
    scheme = Scheme(resamples, seed, stratified=False, jackknife=True)
    found = replicates(table, blocks, None, scheme)
    exact = Exact.of(blocks)
    ends = np.full((len(METHODS), 2, len(table.columns), 2), np.nan)
    choosing = [i for i, column in enumerate(table.schema) if column.better != "neither"]
    for method, into in zip(METHODS, ends, strict=True):
        settings = Settings(
            resamples, seed, LEVEL, method, "none", stratified=False, clustered=False
        )
        made = Comparison((0, 1), table, found, exact, settings)
        own = made.table
        into[0] = own.loc[own["model"] == 0, ["low", "high"]]
        into[1, choosing] = made.pairs[["low", "high"]]
    return ends


def holds(ends: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether intervals hold the truth, but for rounding; NaN holds nothing and is not held."""
    room = ROUNDING * (1 + np.abs(truth))
    return (ends[..., 0] - room <= truth) & (truth <= ends[..., 1] + room)


def counted(work: tuple[Configuration, range, int, np.ndarray]) -> np.ndarray:
    """Of some test sets how many intervals there are, and how many hold each reading of the truth.

    (3, methods, quantities, m).
    """
    configuration, numbers, resamples, readings = work
    found = np.zeros((3, len(METHODS), *readings.shape[1:]), dtype=np.int64)
    for number in numbers:
        drawn, resampled = seed_of(SETS, *configuration.key, number).spawn(2)
        rng = np.random.default_rng(drawn)
        (truth,), (probabilities,) = configuration.population.draw(rng, 1, configuration.n)
        ends = ends_of(truth, probabilities, int(resampled.generate_state(1)[0]), resamples)
        found[0] += ~np.isnan(ends).any(axis=-1)
        for i, reading in enumerate(readings, start=1):
            found[i] += holds(ends, reading)
    return found


def study(
    scale: Scale, workers: int, configurations: Sequence[Configuration] = CONFIGURATIONS
) -> pd.DataFrame:
    """The whole study, a row for each measure, configuration and quantity."""
    import pandas as pd

    parts, long = [], {}
    total = len(configurations) * scale.sets
    with _pool(workers) as each, progress("Coverage", total) as tell:
        for done, configuration in enumerate(configurations):
            start, population = time.monotonic(), configuration.population
            if population not in long:
                long[population] = long_run_of(configuration, scale, each)
            truth = Truth(mean_of(configuration, scale, each), long[population])
            lots = [
                range(first, min(first + TOGETHER, scale.sets))
                for first in range(0, scale.sets, TOGETHER)
            ]
            work = [(configuration, lot, scale.resamples, truth.readings) for lot in lots]
            counts = 0
            for lot, found in zip(lots, each(counted, work), strict=True):
                counts = counts + found
                tell(done * scale.sets + lot.stop)
            parts.append(_frame(configuration, truth, counts, scale.sets))
            print(told(parts[-1], time.monotonic() - start), flush=True)
    return pd.concat(parts, ignore_index=True)


def _frame(
    configuration: Configuration, truth: Truth, counts: np.ndarray, sets: int
) -> pd.DataFrame:
    """What was counted in one configuration, a row for each measure and quantity."""
    import pandas as pd

    schema = evaluated([0, 1], [0.1, 0.9], measures=None, **READ).schema
    parts = []
    for q, quantity in enumerate(QUANTITIES):
        columns = {
            "measure": [column.name for column in schema],
            "n": configuration.n,
            "prior": configuration.prior,
            "ties": configuration.tied,
            "of": quantity,
            "truth": truth.mean.mean[q],
            "long_run": truth.long.mean[q],
        }
        for i, method in enumerate(METHODS):
            known, held, held_long = counts[:, i, q]
            share, share_long = (
                np.where(known > 0, hits / np.maximum(known, 1), np.nan)
                for hits in (held, held_long)
            )
            columns[method] = np.where(np.isnan(truth.mean.mean[q]), np.nan, share)
            columns[f"{method}_long_run"] = np.where(truth.differ[q], share_long, np.nan)
            columns[f"{method}_undefined"] = 1 - known / sets
        part = pd.DataFrame(columns)
        if quantity == "difference":
            part = part[[column.better != "neither" for column in schema]]
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


@contextmanager
def _pool(workers: int) -> Iterator[Map]:
    """What maps over pieces of work, each on one core."""
    kept = os.environ.get("METRICATLAS_THREADS")
    os.environ["METRICATLAS_THREADS"] = "1"
    try:
        if workers == 1:
            yield map
        else:
            with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
                yield pool.map
    finally:
        if kept is None:
            del os.environ["METRICATLAS_THREADS"]
        else:
            os.environ["METRICATLAS_THREADS"] = kept


def main() -> None:
    """Count, and print a line for each configuration; with ``--out`` renew the tables of a page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a tiny study: does all of it run?")
    parser.add_argument("--out", type=Path, help="renew this page, and the .csv beside it")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    scale = SMOKE if options.smoke else Scale()
    found = study(scale, options.workers)
    if options.out:
        write(found, options.out, scale.words)


if __name__ == "__main__":
    main()
