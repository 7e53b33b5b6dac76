"""Decision trees: grown by scikit-learn, pruned and smoothed as the papers' trees are."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from metricatlas.populations.learners import pruning, smoothing
from metricatlas.populations.learners.estimators import Array, Classifier
from metricatlas.populations.learners.nodes import Nodes

Rows = tuple[Array, Array, Array | None]
#: Into so many parts CART cuts the training rows to choose a price.
PARTS = 10


class Tree(Classifier):
    """A decision tree over numbers, with the classes 0, 1, ... of which there are `classes`.

    The tree is grown by scikit-learn. Which of its nodes are leaves, and what they predict, is
    worked out afterwards: a table of probabilities with a row for each node.
    """

    takes_one_class = True

    def __init__(
        self,
        *,
        classes: int,
        criterion: str = "entropy",
        pruning: str = "pessimistic",
        smoothing: str = "none",
        smallest: int = 2,
        collapse: bool = True,
        cut_cost: bool = False,
        confidence: float = 0.25,
        random_state: int = 0,
    ) -> None:
        self.classes = classes
        self.criterion = criterion
        self.pruning = pruning
        self.smoothing = smoothing
        self.smallest = smallest
        self.collapse = collapse
        self.cut_cost = cut_cost
        self.confidence = confidence
        self.random_state = random_state

    def fit(self, X: Array, y: Array, sample_weight: Array | None = None) -> Self:
        """Grow a tree, prune it and smooth it."""
        X = self.prepared(X)
        self.classes_ = np.arange(self.classes)
        nodes = self._grown((X, y, sample_weight))
        cut = nodes.left < 0
        if self.cut_cost:
            cut = pruning.unpaid(nodes, cut)
        if self.collapse:
            cut = pruning.collapsed(nodes, cut)
        cut = self._pruned(nodes, cut, (X, y, sample_weight))
        table = {
            "none": lambda: smoothing.shares(nodes.counts),
            "laplace": lambda: smoothing.laplace(nodes.counts),
            "bayes": lambda: smoothing.bayesian(nodes, cut),
        }[self.smoothing]()
        leaves = nodes.leaves(cut)
        self.table_ = table[leaves]
        self.n_leaves_ = len(np.unique(leaves[nodes.left < 0]))
        return self

    def predict_proba(self, X: Array) -> Array:
        """Return what the leaf of each row predicts."""
        return self.table_[self.grower_.tree_.apply(self.prepared(X))]

    @staticmethod
    def prepared(X: Any) -> Array:
        """Turn numbers into those that scikit-learn's trees take: of 32 bits."""
        return np.ascontiguousarray(X, dtype=np.float32)

    def _grown(self, rows: Rows) -> Nodes:
        X, y, weight = rows
        self.grower_ = DecisionTreeClassifier(
            criterion=self.criterion,
            min_samples_leaf=self.smallest,
            random_state=self.random_state,
        ).fit(X, y, sample_weight=weight)
        cuts = None
        if self.cut_cost or self.pruning == "description-length":
            cuts = np.array([len(np.unique(column[~np.isnan(column)])) - 1 for column in X.T])
        return Nodes.of(
            self.grower_.tree_,
            self.grower_.classes_,
            self.classes,
            cuts=cuts,
            smallest=self.smallest,
        )

    def _pruned(self, nodes: Nodes, cut: Array, rows: Rows) -> Array:
        if self.pruning == "pessimistic":
            return pruning.pessimistic(nodes, cut, self.confidence)
        if self.pruning == "description-length":
            tests = np.log(rows[0].shape[1]) + nodes.cuts
            return cut | smoothing.weighed(nodes, cut, tests)[1]
        if self.pruning.startswith("cost-complexity"):
            price = pruning.weakest_links(nodes)
            return cut | (price <= self._price(price, rows))
        return cut

    def _price(self, price: Array, rows: Rows) -> float:
        """Choose the price of a leaf by cross-validation within the training rows, as CART does.

        The prices tried are those at which the tree changes, each met with the next in the middle.
        Of the cheapest tree's errors one standard error more is allowed, or none.
        """
        X, y, weight = rows
        mass = np.ones(len(y)) if weight is None else weight
        changes = np.unique(price)
        middles = np.append(np.sqrt(changes[:-1] * changes[1:]), changes[-1])
        wrong = np.zeros((len(middles), len(y)))
        part = parts(y, self.random_state)
        whole = self.grower_
        for each in range(PARTS):
            here, there = part == each, part != each
            if not here.any() or not there.any():
                continue
            nodes = self._grown((X[there], y[there], None if weight is None else weight[there]))
            scaled = middles * (mass[there].sum() / mass.sum())
            found = pruning.weakest_links(nodes)
            at, best = self.grower_.tree_.apply(X[here]), nodes.counts.argmax(axis=1)
            for i, alpha in enumerate(scaled):
                wrong[i, here] = best[nodes.leaves(found <= alpha)[at]] != y[here]
        self.grower_ = whole
        errors = wrong @ mass / mass.sum()
        least = errors.min()
        spread = np.sqrt(least * (1 - least) / mass.sum())
        allowed = least + (spread if self.pruning.endswith("1se") else 0.0)
        return float(middles[np.flatnonzero(errors <= allowed + 1e-12)[-1]])


def parts(y: Array, seed: int) -> Array:
    """Deal the rows of each class into parts in turn, in a random order."""
    shuffled = np.random.default_rng(seed).permutation(len(y))
    dealt = np.empty(len(y), dtype=np.intp)
    dealt[shuffled[np.argsort(y[shuffled], kind="stable")]] = np.arange(len(y)) % PARTS
    return dealt
