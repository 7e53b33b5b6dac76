"""Which nodes of a grown tree become leaves, by the rules of C4.5 and CART."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from metricatlas.populations.learners.nodes import Nodes

Array = np.ndarray[Any, Any]


def collapsed(nodes: Nodes, cut: Array) -> Array:
    """Cut where the subtree gets no more training rows right than its root would as a leaf.

    C4.5 does this before it prunes, and Weka's J48 also if it does not prune.
    """
    return _cut(nodes, cut, nodes.errors, at_least=-1e-3)


def unpaid(nodes: Nodes, cut: Array) -> Array:
    """Cut where the gain of a test is no more than it costs to say which cut it is.

    C4.5 since release 8 looks for another test there (Quinlan, 1996); here the node is a leaf.
    """
    mass = nodes.mass[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(nodes.counts > 0, nodes.counts * np.log(nodes.counts / mass), 0.0)
    worth = terms.sum(axis=1)
    gain = worth[nodes.left] + worth[nodes.right] - worth
    return cut | (gain <= nodes.cuts + 1e-9)


def pessimistic(nodes: Nodes, cut: Array, confidence: float) -> Array:
    """Cut as C4.5 does: where the subtree's errors, seen pessimistically, are no fewer.

    The errors of a leaf are the upper end of a binomial interval (Quinlan, 1993, chapter 4). A
    subtree must beat its root as a leaf by more than a tenth of an error. Raising a subtree into
    the place of its parent, which C4.5 also tries, needs the rows once more and is left out.
    """
    seen = nodes.errors + added(nodes.mass, nodes.errors, confidence)
    return _cut(nodes, cut, seen, at_least=-0.1)


def _cut(nodes: Nodes, cut: Array, seen: Array, *, at_least: float) -> Array:
    """Cut, from below, where the leaves' errors are at least the node's own and a constant."""
    cut, below = cut.copy(), seen.copy()
    for level in reversed(nodes.levels):
        inner = level[~cut[level]]
        below[inner] = below[nodes.left[inner]] + below[nodes.right[inner]]
        now = inner[below[inner] >= seen[inner] + at_least]
        cut[now] = True
        below[now] = seen[now]
    return cut


def added(mass: Array, errors: Array, confidence: float) -> Array:
    """What a pessimist adds to the errors of leaves: up to the end of a one-sided interval.

    >>> added(np.array([6.0, 9.0, 1.0]), np.array([0.0, 0.0, 0.0]), 0.25).round(3)
    array([1.238, 1.285, 0.75 ])
    """
    from scipy.special import ndtri

    mass = np.maximum(mass, 1e-300)
    none = mass * -np.expm1(np.log(confidence) / mass)
    few = none + errors * (_of_many(mass, np.ones_like(mass), ndtri(1 - confidence)) - none)
    many = _of_many(mass, errors, ndtri(1 - confidence))
    return np.where(errors < 1, few, many)


def _of_many(mass: Array, errors: Array, z: float) -> Array:
    """The same for one error or more: the normal interval that C4.5 takes."""
    share = (errors + 0.5) / mass
    inside = np.maximum(share / mass - share**2 / mass + z * z / (4 * mass**2), 0.0)
    upper = (share + z * z / (2 * mass) + z * np.sqrt(inside)) / (1 + z * z / mass)
    most = np.maximum(mass - errors, 0.0)
    return np.where(errors + 0.5 >= mass, most, upper * mass - errors)


def weakest_links(nodes: Nodes) -> Array:
    """At which price of a leaf each node becomes one, by CART's pruning of the weakest link.

    The price is in errors: the tree at a price has as leaves the first node on each way down that
    costs no more. What is a leaf from the start costs 0 (Breiman and others, 1984, chapter 3).
    """
    price = np.where(nodes.left < 0, 0.0, inf)
    reached = 0.0
    while np.isinf(price[0]):
        below, leaves = nodes.errors.copy(), np.ones(len(price))
        for level in reversed(nodes.levels):
            inner = level[np.isinf(price[level])]
            below[inner] = below[nodes.left[inner]] + below[nodes.right[inner]]
            leaves[inner] = leaves[nodes.left[inner]] + leaves[nodes.right[inner]]
        links = np.full(len(price), inf)
        inner = np.flatnonzero(np.isinf(price))
        links[inner] = (nodes.errors[inner] - below[inner]) / (leaves[inner] - 1)
        reached = max(reached, float(links.min()))
        weak = links <= reached + 1e-9
        gone = nodes.handed_down(weak, weak) & np.isinf(price)
        price[gone] = reached
    return price
