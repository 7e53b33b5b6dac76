"""What is measured of relations and worlds: pairs, ranked lists, random matrices, noise."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import kendalltau

import metricatlas as ma
from benchmarks.timing import interleaved
from benchmarks.workloads import Row
from metricatlas.relations.theory import random_matrices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def pairs(n: int, *, seconds: float) -> Iterator[Row]:
    """R, S, P and Q over all pairs of objects."""
    rng = np.random.default_rng(0)
    f = rng.random(n)
    g = f + rng.random(n)
    for title, first in (("all different", f), ("100 values", np.floor(100 * f))):
        times = interleaved(
            {
                "peer": lambda first=first: kendalltau(first, g),
                "ours": lambda first=first: ma.agreement(first, g),
            },
            seconds=seconds,
            most=20,
        )
        detail = f"{times.best['ours'] * 1e3:.0f} ms : {times.best['peer'] * 1e3:.0f} ms"
        work = f"agreement of {n:,} objects, {title}"
        yield Row(work, "kendalltau", times.ratio(), 1.2, detail=detail)


def all_pairs(measures: int, rows: int) -> Row:
    """The agreement of all pairs of columns, on all cores."""
    rng = np.random.default_rng(0)
    values = rng.random((rows, 1)) + rng.random((rows, measures))
    names = [f"measure {i}" for i in range(measures)]
    m = ma.Measurements.from_frame(_frame(values, names))
    ma.agreements(m.select(names[:2]))
    seconds = _seconds(lambda: ma.agreements(m))
    count = measures * (measures - 1) // 2
    return Row(f"agreements of {count:,} pairs of measures, {rows:,} rows", "", seconds, 10, "s")


def _frame(values: np.ndarray, names: list[str]) -> object:
    import pandas as pd

    return pd.DataFrame(values, columns=names)


def lists(sizes: dict[int, float]) -> Iterator[Row]:
    """Every ranked list, counted."""
    table = [6, 8, 10, 12, 14, 16]
    yield Row(
        "huang2007, Table 3: three pairs of measures on six lengths of lists",
        "",
        _seconds(lambda: [_compared(n) for n in table]),
        1,
        "s",
    )
    for n, required in sizes.items():
        seconds = _seconds(lambda n=n: ma.ranked_lists(n).agreement("auc", "acc"))
        yield Row(f"every ranked list of {n}: auc against acc", "", seconds, required, "s")


def _compared(n: int) -> None:
    found = ma.ranked_lists(n)
    for pair in (("auc", "acc"), ("auc:acc", "auc"), ("auc:acc", "acc")):
        found.agreement(*pair)


def experiment(count: int) -> Row:
    """The experiment of jurman2010, with its bootstrap interval."""

    def run() -> None:
        found = random_matrices(count)
        found.ratio()
        _ = found.correlation, found.agreement

    work = f"jurman2010: {count:,} random matrices, correlation, consistency, interval"
    return Row(work, "", _seconds(run), 5, "s")


#: The measures of ferri2009, and eleven levels of each world.
MEASURES = (
    *("Acc", "KapS", "MFM", "MAvA", "MAvG", "AU1U", "AU1P", "AUNU", "AUNP", "SAUC", "PAUC"),
    *("MAPR", "MPR", "MAE", "MSE", "LogL", "CalL", "CalB"),
)
ELEVEN = {
    "label-noise": range(0, 101, 10),
    "probability-noise": range(0, 101, 10),
    "ranking-noise": range(0, 81, 8),
    "class-drift": range(0, 51, 5),
}


def worlds(repetitions: int) -> Iterator[Row]:
    """The four experiments of ferri2009, under its measures and under all."""
    ma.simulate("ranking-noise", levels=[8], repetitions=2000)
    for title, measures, required in (("18", MEASURES, 20.0), ("all binary", None, 90.0)):
        seconds = _seconds(lambda m=measures: _simulated(m, repetitions), repeats=1)
        work = f"ferri2009, four experiments, {title} measures, 11 levels, {repetitions:,} pairs"
        scale = 10_000 / repetitions
        note = "" if scale == 1 else f"scaled up from {repetitions:,}"
        yield Row(work, "", seconds * scale, required, "s", note)


def _simulated(measures: tuple[str, ...] | None, repetitions: int) -> None:
    for world, levels in ELEVEN.items():
        ma.simulate(world, measures=measures, levels=levels, repetitions=repetitions)


def _seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
