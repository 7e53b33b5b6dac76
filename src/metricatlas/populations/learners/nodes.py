"""The nodes of a grown tree, from which pruning and smoothing work."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Nodes:
    """Which node has which children, and the mass of each class in it; node 0 is the root."""

    #: The children of each node; -1 where there are none.
    left: Array
    right: Array
    #: Nodes by classes.
    counts: Array
    #: The logarithm of how many cuts through its attribute each node could have had.
    cuts: Array

    @classmethod
    def of(
        cls,
        tree: Any,
        columns: Array,
        classes: int,
        *,
        cuts: Array | None = None,
        smallest: int = 1,
    ) -> Nodes:
        """Read the nodes of a tree of scikit-learn's.

        `columns` says which of the `classes` each column of the tree is, `cuts` in how many places
        each attribute can be cut: in a node no more than its rows leave room for, where leaves have
        `smallest` rows.
        """
        counts = np.zeros((tree.node_count, classes))
        counts[:, columns] = tree.value[:, 0, :] * tree.weighted_n_node_samples[:, None]
        whole = np.rint(counts)
        if np.allclose(counts, whole, rtol=0, atol=1e-6):
            counts = whole
        found = np.zeros(tree.node_count)
        if cuts is not None:
            inner = np.flatnonzero(tree.children_left >= 0)
            room = tree.n_node_samples[inner] - 2 * smallest + 1
            found[inner] = np.log(np.clip(cuts[tree.feature[inner]], 1, room))
        return cls(tree.children_left, tree.children_right, counts, found)

    @cached_property
    def levels(self) -> list[Array]:
        """The nodes that have children, by their depth."""
        found, level = [], np.zeros(1, dtype=np.intp)
        while len(level := level[self.left[level] >= 0]):
            found.append(level)
            level = np.concatenate([self.left[level], self.right[level]])
        return found

    @cached_property
    def mass(self) -> Array:
        """What each node holds of all classes."""
        return self.counts.sum(axis=1)

    @cached_property
    def errors(self) -> Array:
        """What each node would get wrong as a leaf: all but its largest class."""
        return self.mass - self.counts.max(axis=1)

    def handed_down(self, values: Array, to: Array) -> Array:
        """Let what a marked node has hold for all nodes below it, the topmost mark first."""
        found, marked = values.copy(), to.copy()
        for level in self.levels:
            under = level[marked[level]]
            for children in (self.left[under], self.right[under]):
                found[children] = found[under]
                marked[children] = True
        return found

    def leaves(self, cut: Array) -> Array:
        """The leaf in which each node ends once the nodes marked as cut have no children."""
        return self.handed_down(np.arange(len(self.left)), cut)
