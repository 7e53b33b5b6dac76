"""The Bayesian signed rank test of Benavoli et al. (2014, 2017)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from metricatlas.summaries.facts import Array

#: The prior is half an observation of no difference.
STRENGTH = 0.5
#: Draws held at once: they fit the cache, and have a stream of their own, so results depend on it.
TOGETHER = 2_000


def signed_rank_posterior(
    differences: Sequence[Array], rope: float, samples: int, seed: int, *, noise: float = 0.0
) -> Array:
    """For each pair of models: the probabilities that the one is better, as good, and worse.

    Differences are of the same data sets for all pairs. A draw gives each data set a weight; the
    mean of two differences, weighted by both, then lies above, within or below the region of
    practical equivalence with three probabilities, and the largest one of them counts. On the edge
    of the region it counts half.
    """
    found = np.zeros((len(differences), 3))
    for weights in _weights(len(differences[0]), samples, seed):
        for i, values in enumerate(differences):
            # The sum of two differences has the noise of both.
            found[i] += _largest(np.append(values, 0.0), weights, 2 * rope, 2 * noise)
    return found / samples


def _weights(count: int, samples: int, seed: int) -> Iterator[Array]:
    """Draw weights of the data sets and, last, of the prior, by draws."""
    strengths = np.append(np.ones(count), STRENGTH)
    starts = range(0, samples, TOGETHER)
    for start, stream in zip(starts, np.random.SeedSequence(seed).spawn(len(starts)), strict=True):
        drawn = np.random.default_rng(stream).dirichlet(strengths, min(TOGETHER, samples - start))
        yield np.ascontiguousarray(drawn.T)


def _largest(values: Array, weights: Array, edge: float, noise: float) -> Array:
    """How many draws find each of the three most probable; equals share a draw.

    Of values in order those that make too small a sum with one of them are the first so many: their
    weights are a cumulative sum. Infinite ones of both signs outweigh each other.
    """
    order = np.argsort(values, kind="stable")
    ascending, own = values[order], weights[order]
    heads = np.zeros((len(own) + 1, own.shape[1]))
    for i, row in enumerate(own):
        # Row by row: several times as fast as NumPy's cumulative sum along this axis.
        np.add(heads[i], row, out=heads[i + 1])
    below = _weighted(own, heads, ascending, -edge - ascending, noise)
    not_above = _weighted(own, heads, ascending, edge - ascending, noise)
    above = np.einsum("ij,j->j", own, heads[-1]) - not_above
    shares = np.stack([above, 1.0 - above - below, below])
    best = shares == shares.max(axis=0)
    found: Array = (best / best.sum(axis=0)).sum(axis=1)
    return found


def _weighted(own: Array, heads: Array, ascending: Array, bounds: Array, noise: float) -> Array:
    """The weight of the pairs whose second value is below the bound of the first; half at it."""
    below = np.searchsorted(ascending, bounds - noise, side="left")
    at_most = np.searchsorted(ascending, bounds + noise, side="right")
    middle = heads[below]
    if (below != at_most).any():
        middle = (middle + heads[at_most]) / 2
    found: Array = np.einsum("ij,ij->j", own, middle)
    return found
