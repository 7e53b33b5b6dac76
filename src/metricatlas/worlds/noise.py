"""The four kinds of noise of ferri2009, section 6, level by level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.worlds.profile import Pairs, Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: The repetitions that have as many examples, and these.
Lot = tuple[Any, Pairs]
#: Levels, in the paper's units, of which the last is the most there can be.
LEVELS: dict[str, tuple[float, ...]] = {
    "label-noise": tuple(range(0, 101, 10)),
    "probability-noise": tuple(range(0, 99, 2)),
    "ranking-noise": tuple(range(0, 81, 8)),
    "class-drift": tuple(range(0, 51, 5)),
}
MOST = {"label-noise": 100, "probability-noise": 100, "ranking-noise": 80, "class-drift": 50}
#: Swaps at the last level of the ranking noise.
SWAPS = 100_000


def _drawn(rng: np.random.Generator, shape: tuple[int, ...], profile: Profile) -> Any:
    """Random numbers for both models, of their own or the same."""
    if not profile.shared:
        return rng.random(shape)
    return np.broadcast_to(rng.random((shape[0], 1, *shape[2:])), shape)


def label_noise(
    rng: np.random.Generator, pairs: Pairs, levels: Sequence[float], profile: Profile
) -> Iterator[list[Lot]]:
    """A percentage of the labels is drawn anew, as by tossing a coin."""
    for level in levels:
        count = round(level / 100 * pairs.truth.shape[2])
        places = np.argsort(_drawn(rng, pairs.truth.shape, profile), axis=2)[:, :, :count]
        coins = (_drawn(rng, places.shape, profile) < 0.5).astype(np.uint8)
        truth = pairs.truth.copy()
        np.put_along_axis(truth, places, coins, axis=2)
        yield [(slice(None), Pairs(truth, pairs.scores))]


def probability_noise(
    rng: np.random.Generator, pairs: Pairs, levels: Sequence[float], profile: Profile
) -> Iterator[list[Lot]]:
    """Every probability moves by a uniform number, at 100 % up to a half."""
    for level in levels:
        moved = _drawn(rng, pairs.scores.shape, profile)
        scores = pairs.scores + (2 * moved - 1) * (level / 200)
        yield [(slice(None), Pairs(pairs.truth, scores.clip(0, 1) if profile.clipped else scores))]


def ranking_noise(
    rng: np.random.Generator, pairs: Pairs, levels: Sequence[float], profile: Profile
) -> Iterator[list[Lot]]:
    """Neighbours in the ranking change places, again and again; at level 80 100,000 times.

    Levels follow one chain: each begins where the one before has ended.
    """
    from metricatlas.worlds.swaps_scan import swap

    order = np.argsort(pairs.scores, axis=2, kind="stable")
    scores = np.take_along_axis(pairs.scores, order, axis=2)
    truth = np.take_along_axis(pairs.truth, order, axis=2)
    seeds = rng.integers(1, 2**63, truth.shape[:2], dtype=np.uint64)
    if profile.shared:
        seeds[:, 1] = seeds[:, 0]
    done = 0
    for level in sorted(levels):
        wanted = round(level / MOST["ranking-noise"] * SWAPS)
        swap(truth, seeds, wanted - done)
        done = wanted
        yield [(slice(None), Pairs(truth.copy(), scores))]


def class_drift(
    rng: np.random.Generator, pairs: Pairs, levels: Sequence[float], profile: Profile
) -> Iterator[list[Lot]]:
    """So many positives of a hundred examples go away, of each model its own."""
    n = pairs.truth.shape[2]
    for level in levels:
        # Positives in random order first, so that the first so many of them go.
        drawn = _drawn(rng, pairs.truth.shape, profile)
        order = np.argsort(np.where(pairs.truth == 1, drawn, 2 + drawn), axis=2)
        gone = np.minimum(round(level / 100 * n), pairs.truth[:, 0].sum(axis=1, dtype=np.int64))
        lots: list[Lot] = []
        for count in np.unique(gone).tolist():
            members = np.flatnonzero(gone == count)
            if count < n:
                kept = order[members][:, :, count:]
                truth, scores = (
                    np.take_along_axis(table[members], kept, axis=2)
                    for table in (pairs.truth, pairs.scores)
                )
                lots.append((members, Pairs(truth, scores)))
        yield lots


WORLDS: dict[str, Callable[..., Iterator[list[Lot]]]] = {
    "label-noise": label_noise,
    "probability-noise": probability_noise,
    "ranking-noise": ranking_noise,
    "class-drift": class_drift,
}
