"""The door: how often each measure picks the worse of two models, under noise."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.measurements.columns import nearest
from metricatlas.measures import catalogue
from metricatlas.measures.language import parse
from metricatlas.measures.terms import TwoLevel
from metricatlas.predictions.numbers import is_number, is_whole, listed
from metricatlas.progress import progress
from metricatlas.summaries.fill import threads
from metricatlas.worlds.noise import LEVELS, MOST, WORLDS
from metricatlas.worlds.profile import Profile, drawn, profile_of
from metricatlas.worlds.reliability import Reliability

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metricatlas.measures.terms import Measure
    from metricatlas.summaries.facts import Array
    from metricatlas.worlds.profile import Pairs

#: Examples that a batch of repetitions has at most, all of its models together. It is the same
#: whatever the number of workers, so the numbers are too.
TOGETHER = 200_000


def simulate(
    world: str,
    *,
    measures: Iterable[str | Measure] | str | Measure | None = None,
    levels: Iterable[float] | None = None,
    repetitions: int = 10_000,
    seed: int = 0,
    **profile: Any,
) -> Reliability:
    """Let measures choose between two models of which the first is better, under noise.

    Parameters
    ----------
    world
        "label-noise", "probability-noise", "ranking-noise" or "class-drift", as in ferri2009.
    measures
        Names, measures, mixed; None for all that serve two classes and say which value is better.
    levels
        In the paper's units: percent for the first two (100 % moves probabilities by up to a half),
        0 to 80 (80 is 100,000 swaps), and 0 to 50 (positives lost of a hundred examples).
    repetitions
        How many pairs of models are drawn.
    seed
        Of the random numbers.
    **profile
        What the world is like: n, prior, error, gap, confidence, ties, shared, clipped; the paper's
        by default. See `metricatlas.worlds.profile.Profile`.

    Returns
    -------
    Reliability
        The share of wrong choices of each measure at each level; equal values are half a wrong
        choice, and so are undefined ones.

    Examples
    --------
    >>> import metricatlas as ma
    >>> r = ma.simulate("label-noise", measures=["acc", "auc"], levels=[0, 50], repetitions=100)
    >>> r.wrong["measure"].tolist()
    ['acc', 'acc', 'auc', 'auc']
    """
    if world not in list(WORLDS):
        msg = f"there is no world {world!r}{nearest(str(world), list(WORLDS))}"
        raise WorldError(msg)
    known = profile_of(profile)
    asked = _Asked.of(measures, known)
    at = _levels(world, levels)
    if not is_whole(repetitions) or repetitions < 1:
        msg = f"repetitions must be a whole number from 1 on; got {repetitions!r}."
        raise WorldError(msg)
    size = max(1, TOGETHER // (2 * int(known.n)))
    if not is_whole(seed) or seed < 0:
        msg = f"seed must be a whole number from 0 on; got {seed!r}."
        raise WorldError(msg)
    sizes = [min(size, repetitions - first) for first in range(0, repetitions, size)]
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    result = Reliability.empty(world, asked.names, at, known)

    def batch(number: int) -> Array:
        rng = np.random.default_rng(seeds[number])
        return _choices(world, rng, known, asked, at, sizes[number])

    pool = ThreadPoolExecutor(threads())
    try:
        with progress(f"Simulating {world}", repetitions) as tell:
            for found in pool.map(batch, range(len(sizes))):
                result.add(found)
                tell(result.repetitions)
    finally:
        # Whoever presses Ctrl-C does not wait for batches that have not begun.
        pool.shutdown(cancel_futures=True)
    return result


@dataclass(frozen=True)
class _Asked:
    """Measures as they are asked for."""

    names: tuple[str, ...]
    measures: tuple[Any, ...]
    two_level: tuple[int, ...]
    #: Scores that are no probabilities: for measures of ranking and of decisions.
    kind: str

    @classmethod
    def of(cls, measures: Any, profile: Profile) -> _Asked:
        kind = "probabilities" if profile.clipped else "scores"
        if measures is None:
            measures = _defaults(kind)
        listed = [measures] if isinstance(measures, str) or not _many(measures) else list(measures)
        parsed = [parse(m) for m in listed]
        for name, measure in zip(listed, parsed, strict=True):
            if measure.better == "neither":
                msg = f"a measure must say which value is better to choose by; {name} does not."
                raise WorldError(msg)
        names = tuple(m if isinstance(m, str) else m.name for m in listed)
        pairs = tuple(i for i, m in enumerate(parsed) if isinstance(m, TwoLevel))
        return cls(names, tuple(listed), pairs, kind)


def _many(measures: Any) -> bool:
    return hasattr(measures, "__iter__")


def _defaults(kind: str) -> list[str]:
    """All measures that serve two classes and choose."""
    from metricatlas.evaluation.doors import evaluated

    threshold = None if kind == "probabilities" else 0.5
    scores = [0.1, 0.4, 0.6, 0.9]
    table = evaluated([0, 1, 0, 1], scores, measures=None, kind=kind, threshold=threshold)
    return [c.name for c in table.schema if catalogue[c.measure].better != "neither"]


def _levels(world: str, levels: Iterable[float] | None) -> tuple[float, ...]:
    if levels is None:
        return LEVELS[world]
    given, most = listed(levels), MOST[world]
    if not given or not all(is_number(level) and 0 <= level <= most for level in given):
        msg = f"levels of {world} must lie from 0 to {most}; got {given}."
        raise WorldError(msg)
    found = tuple(map(float, given))
    if list(found) != sorted(set(found)):
        msg = f"levels must ascend, each once; got {list(found)}."
        raise WorldError(msg)
    return found


def _choices(
    world: str,
    rng: np.random.Generator,
    profile: Profile,
    asked: _Asked,
    levels: Sequence[float],
    count: int,
) -> Array:
    """For repetitions, levels and measures: 2 for a wrong choice, 1 for none, 0 for a right one.

    And 4 more where a value is undefined, which is no choice.
    """
    pairs = drawn(rng, profile, count)
    found = np.full((count, len(levels), len(asked.names)), 5, dtype=np.uint8)
    for level, lots in enumerate(WORLDS[world](rng, pairs, levels, profile)):
        for members, part in lots:
            found[members, level] = _chosen(part, asked)
    return found


def _chosen(pairs: Pairs, asked: _Asked) -> Array:
    from metricatlas.evaluation.doors import evaluated

    count, _, n = pairs.scores.shape
    # Without warnings of undefined values: how many there are is part of the result.
    table = evaluated(
        pairs.truth.reshape(2 * count, n),
        pairs.scores.reshape(2 * count, n, 1),
        measures=asked.measures,
        labels=[0, 1],
        kind=asked.kind,
        threshold=0.5 if asked.kind == "scores" else None,
    )
    values = table.oriented().values.reshape(count, 2, -1)
    better, worse = values[:, 0], values[:, 1]
    wrong = (1 + (worse > better).astype(np.int8) - (better > worse)).astype(np.uint8)
    for column in asked.two_level:
        first, second = (table.levels(column).reshape(count, 2, 2)[:, :, level] for level in (0, 1))
        by_first, by_second = (
            (level[:, 1] > level[:, 0]).astype(np.int8) - (level[:, 0] > level[:, 1])
            for level in (first, second)
        )
        wrong[:, column] = 1 + np.where(by_first != 0, by_first, by_second)
    return np.where(np.isnan(better) | np.isnan(worse), np.uint8(5), wrong)
