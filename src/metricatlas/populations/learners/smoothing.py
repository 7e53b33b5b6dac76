"""Class probabilities of the nodes of a tree, and prunings weighed by their evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from metricatlas.populations.learners.nodes import Nodes

Array = np.ndarray[Any, Any]
#: How probable a split is before the rows are seen.
SPLIT = 0.5


def shares(counts: Array) -> Array:
    """The share of each class; even where there is nothing."""
    mass = counts.sum(axis=1, keepdims=True)
    even = np.full_like(counts, 1 / counts.shape[1])
    return np.divide(counts, mass, out=even, where=mass > 0)


def laplace(counts: Array) -> Array:
    """The share of each class after one more row of each."""
    return (counts + 1) / (counts.sum(axis=1, keepdims=True) + counts.shape[1])


def evidence(counts: Array) -> Array:
    """The logarithm of how probable the classes of each node's rows are, if it is a leaf.

    Before the rows are seen all class probabilities are thought equally likely.

    >>> np.exp(evidence(np.array([[1.0, 0.0], [1.0, 1.0]]))).round(4)
    array([0.5   , 0.1667])
    """
    from scipy.special import gammaln

    classes = counts.shape[1]
    found = gammaln(counts + 1).sum(axis=1) + gammaln(classes)
    return found - gammaln(counts.sum(axis=1) + classes)


def weighed(nodes: Nodes, cut: Array, tests: Array | float = 0.0) -> tuple[Array, Array]:
    """Weigh all ways of pruning a tree by their evidence.

    Before the rows are seen a node is a leaf or split with equal probability; `tests` is what it
    costs to name the test of each, as a logarithm. Returns how probable it is of each node to be a
    leaf, given that it is reached, and which nodes are leaves in the most probable of all pruned
    trees: with the cost of tests that is the shortest message (Wallace and Patrick, 1993).
    """
    costs = np.broadcast_to(tests, nodes.left.shape)
    alone = evidence(nodes.counts)
    total, best = alone.copy(), alone.copy()
    leaf, shortest = np.ones(len(alone)), np.ones(len(alone), dtype=bool)
    for level in reversed(nodes.levels):
        inner = level[~cut[level]]
        left, right = nodes.left[inner], nodes.right[inner]
        stays = np.log1p(-SPLIT) + alone[inner]
        parts = np.log(SPLIT) - costs[inner]
        total[inner] = np.logaddexp(stays, parts + total[left] + total[right])
        leaf[inner] = np.exp(stays - total[inner])
        shortest[inner] = stays >= parts + best[left] + best[right]
        best[inner] = np.maximum(stays, parts + best[left] + best[right])
    return leaf, shortest


def bayesian(nodes: Nodes, cut: Array) -> Array:
    """Average over all ways of pruning a tree, each with its evidence (Buntine, 1992).

    The probabilities of a leaf are those of the nodes on the way to it, each smoothed after Laplace
    and weighed by how probable it is that the way ends there.
    """
    leaf, _ = weighed(nodes, cut)
    own = laplace(nodes.counts)
    passed = np.ones(len(leaf))
    found = leaf[:, None] * own
    for level in nodes.levels:
        for children in (nodes.left[level], nodes.right[level]):
            passed[children] = passed[level] * (1 - leaf[level])
            ends = (passed * leaf)[children, None]
            # What was found above ends above; it is shared by all that lies below.
            found[children] = found[level] + ends * own[children]
    return found
