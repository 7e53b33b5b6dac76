"""The four kinds of noise of ferri2009, section 6, level by level.

The paper has two classes. Of more a tossed label may become any of them, all probabilities of a row
move, neighbours change places in the ranking of each class, and the last class goes away.
"""

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
    last = profile.classes - 1
    for level in levels:
        count = round(level / 100 * pairs.truth.shape[2])
        places = np.argsort(_drawn(rng, pairs.truth.shape, profile), axis=2)[:, :, :count]
        coins = last - np.floor(profile.classes * _drawn(rng, places.shape, profile))
        truth = pairs.truth.copy()
        np.put_along_axis(truth, places, coins.astype(truth.dtype), axis=2)
        yield [(slice(None), Pairs(truth, pairs.scores))]


def probability_noise(
    rng: np.random.Generator, pairs: Pairs, levels: Sequence[float], profile: Profile
) -> Iterator[list[Lot]]:
    """Every probability moves by a uniform number, at 100 % up to a half."""
    for level in levels:
        moved = _drawn(rng, pairs.scores.shape, profile)
        scores = pairs.scores + (2 * moved - 1) * (level / 200)
        if profile.clipped:
            scores = scores.clip(0, 1)
        yield [
            (slice(None), Pairs(pairs.truth, _summed_to_one(scores, profile) if level else scores))
        ]


def _summed_to_one(scores: Any, profile: Profile) -> Any:
    """Make probabilities of more than two classes sum to one in each row."""
    if profile.classes == 2 or not profile.clipped:
        return scores
    total = scores.sum(axis=-1, keepdims=True)
    # Where nothing is left any class is as probable as any other.
    even = np.full_like(scores, 1 / profile.classes)
    return np.divide(scores, total, out=even, where=total > 0)


def ranking_noise(
    rng: np.random.Generator, pairs: Pairs, levels: Sequence[float], profile: Profile
) -> Iterator[list[Lot]]:
    """Neighbours in the ranking change places, again and again; at level 80 100,000 times.

    Levels follow one chain: each begins where the one before has ended.
    """
    if profile.classes > 2:
        yield from _ranking_noise_of_each(rng, pairs, levels, profile)
        return
    order = np.argsort(pairs.scores, axis=2, kind="stable")
    scores = np.take_along_axis(pairs.scores, order, axis=2)
    truth = np.take_along_axis(pairs.truth, order, axis=2)
    seeds = _seeds(rng, truth.shape[:2], profile)
    for _ in _swapped(truth, seeds, levels):
        yield [(slice(None), Pairs(truth.copy(), scores))]


def _ranking_noise_of_each(
    rng: np.random.Generator, pairs: Pairs, levels: Sequence[float], profile: Profile
) -> Iterator[list[Lot]]:
    """Each class's probabilities change places between neighbours; rows sum to one again."""
    count, two, n, classes = pairs.scores.shape
    # The columns of both models one after the other, each a ranking of its own.
    columns = pairs.scores.swapaxes(2, 3).reshape(count, two * classes, n)
    order = np.argsort(columns, axis=2, kind="stable")
    scores = np.take_along_axis(columns, order, axis=2)
    seeds = _seeds(rng, (count, two, classes), profile).reshape(count, two * classes)
    for swaps in _swapped(order, seeds, levels):
        found = np.empty_like(scores)
        np.put_along_axis(found, order, scores, axis=2)
        rows = found.reshape(count, two, classes, n).swapaxes(2, 3)
        yield [(slice(None), Pairs(pairs.truth, _summed_to_one(rows, profile) if swaps else rows))]


def _seeds(rng: np.random.Generator, shape: tuple[int, ...], profile: Profile) -> Any:
    seeds = rng.integers(1, 2**63, shape, dtype=np.uint64)
    if profile.shared:
        seeds[:, 1] = seeds[:, 0]
    return seeds


def _swapped(ranked: Any, seeds: Any, levels: Sequence[float]) -> Iterator[int]:
    """Swap neighbours in place, level by level; tell how many swaps there have been."""
    from metricatlas.worlds.swaps_scan import swap

    done = 0
    for level in sorted(levels):
        wanted = round(level / MOST["ranking-noise"] * SWAPS)
        swap(ranked, seeds, wanted - done)
        done = wanted
        yield done


def class_drift(
    rng: np.random.Generator, pairs: Pairs, levels: Sequence[float], profile: Profile
) -> Iterator[list[Lot]]:
    """So many positives of a hundred examples go away, of each model its own.

    Of more than two classes it is the last one that goes away.
    """
    n, last = pairs.truth.shape[2], profile.classes - 1
    for level in levels:
        # Positives in random order first, so that the first so many of them go.
        drawn = _drawn(rng, pairs.truth.shape, profile)
        order = np.argsort(np.where(pairs.truth == last, drawn, 2 + drawn), axis=2)
        gone = np.minimum(round(level / 100 * n), (pairs.truth[:, 0] == last).sum(axis=1))
        lots: list[Lot] = []
        for count in np.unique(gone).tolist():
            members = np.flatnonzero(gone == count)
            if count < n:
                kept = order[members][:, :, count:]
                truth = np.take_along_axis(pairs.truth[members], kept, axis=2)
                if profile.classes > 2:
                    kept = kept[..., np.newaxis]
                scores = np.take_along_axis(pairs.scores[members], kept, axis=2)
                lots.append((members, Pairs(truth, scores)))
        yield lots


WORLDS: dict[str, Callable[..., Iterator[list[Lot]]]] = {
    "label-noise": label_noise,
    "probability-noise": probability_noise,
    "ranking-noise": ranking_noise,
    "class-drift": class_drift,
}
