"""Pruning and smoothing of trees, against all prunings of small trees and scikit-learn's own."""

from functools import cache
from math import isclose

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln
from scipy.stats import beta, entropy
from sklearn.tree import DecisionTreeClassifier

from metricatlas.populations.learners import pruning, smoothing
from metricatlas.populations.learners.nodes import Nodes
from metricatlas.populations.learners.trees import Tree, parts


@st.composite
def small_trees(draw):
    """Draw a tree of at most five splits with two classes, as `Nodes`."""
    left, right, counts = [-1], [-1], [None]
    for _ in range(draw(st.integers(0, 5))):
        leaves = [i for i in range(len(left)) if left[i] < 0]
        node = draw(st.sampled_from(leaves))
        left[node], right[node] = len(left), len(left) + 1
        left += [-1, -1]
        right += [-1, -1]
    counts = np.zeros((len(left), 2))
    for node in range(len(left) - 1, -1, -1):
        if left[node] < 0:
            own = draw(st.tuples(st.integers(0, 6), st.integers(0, 6)).filter(any))
            counts[node] = own
        else:
            counts[node] = counts[left[node]] + counts[right[node]]
    # Children come in any order, but a parent is always before them.
    return Nodes(np.array(left), np.array(right), counts, np.linspace(0.1, 1.0, len(left)))


def prunings(nodes, node=0):
    """Return the leaves of every pruned tree, as tuples of nodes."""
    found = [(node,)]
    if nodes.left[node] >= 0:
        found += [
            one + other
            for one in prunings(nodes, nodes.left[node])
            for other in prunings(nodes, nodes.right[node])
        ]
    return found


def leaves_of(nodes, cut):
    """Return the leaves that rows end in."""
    return tuple(sorted(set(nodes.leaves(cut)[nodes.left < 0])))


def above(nodes, leaf):
    """Return the nodes on the way from the root to a leaf."""
    parent = {c: p for p in range(len(nodes.left)) for c in (nodes.left[p], nodes.right[p])}
    way = [leaf]
    while way[0]:
        way.insert(0, parent[way[0]])
    return way


# -- Growing -------------------------------------------------------------------------------------


def blurred(rows=300, classes=3, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(classes, size=rows)
    return random.normal(y[:, None], 1.0, (rows, 4)).round(1), y


def test_a_tree_without_pruning_and_smoothing_is_scikit_learns():
    X, y = blurred()
    ours = Tree(classes=3, pruning="none", collapse=False, smallest=3, random_state=1).fit(X, y)
    theirs = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=3, random_state=1)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.fit(X, y).predict_proba(X))
    assert ours.n_leaves_ == theirs.get_n_leaves()


def test_laplace_smoothing_adds_a_row_of_each_class():
    X, y = blurred()
    ours = Tree(classes=4, pruning="none", collapse=False, smoothing="laplace").fit(X, y)
    at = ours.grower_.apply(X)
    for leaf in np.unique(at):
        counts = np.bincount(y[at == leaf], minlength=4)
        wanted = (counts + 1) / (counts.sum() + 4)
        np.testing.assert_array_equal(ours.predict_proba(X[at == leaf])[0], wanted)


def test_a_row_of_weight_two_is_two_rows_to_pruning_and_smoothing():
    X, y = blurred(100)
    weight = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    twice = np.repeat(np.arange(len(y)), weight.astype(int))
    for kind in ("pessimistic", "description-length", "none"):
        for smooth in ("none", "laplace", "bayes"):
            options = {"classes": 3, "pruning": kind, "smoothing": smooth, "smallest": 1}
            one = Tree(**options).fit(X, y, sample_weight=weight)
            two = Tree(**options).fit(X[twice], y[twice])
            # The message that names a test counts the rows of a node, so that may differ.
            if kind != "description-length":
                np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X))


# -- Pessimistic pruning -------------------------------------------------------------------------


def test_without_errors_the_pessimist_is_an_exact_binomial_bound():
    mass = np.array([1.0, 2.0, 6.0, 9.0, 100.0])
    found = pruning.added(mass, np.zeros(5), 0.25)
    np.testing.assert_allclose(found, mass * beta.ppf(0.75, 1, mass), rtol=1e-12)


@pytest.mark.parametrize(
    ("mass", "errors", "share"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)]
)
def test_the_pessimist_is_that_of_the_book_on_c45(mass, errors, share):
    # With errors the book is exact and programs take a normal interval: 0.01 apart here.
    found = (errors + pruning.added(np.array([mass]), np.array([errors]), 0.25)[0]) / mass
    assert abs(found - share) < (0.0005 if not errors else 0.01)


@given(st.integers(1, 60), st.floats(0, 1), st.floats(0.01, 0.5))
def test_what_the_pessimist_adds_stays_within_the_rows(mass, share, confidence):
    errors = mass * share
    found = pruning.added(np.array([float(mass)]), np.array([errors]), confidence)[0]
    assert -1e-9 <= found <= mass - errors + 1e-9


@given(small_trees(), st.sampled_from([0.05, 0.25, 0.5]))
def test_pessimistic_pruning_compares_leaf_and_subtree_from_below(nodes, confidence):
    cut = pruning.pessimistic(nodes, nodes.left < 0, confidence)

    def expected(node):
        """Return the errors of what is left below a node, and its leaves."""
        mass, wrong = nodes.counts[node].sum(), nodes.counts[node].min()
        own = wrong + pruning.added(np.array([mass]), np.array([wrong]), confidence)[0]
        if nodes.left[node] < 0:
            return own, (node,)
        pairs = [expected(child) for child in (nodes.left[node], nodes.right[node])]
        below = pairs[0][0] + pairs[1][0]
        return (own, (node,)) if own <= below + 0.1 else (below, pairs[0][1] + pairs[1][1])

    assert leaves_of(nodes, cut) == tuple(sorted(expected(0)[1]))


@given(small_trees())
def test_collapsing_changes_no_training_row_and_leaves_nothing_to_collapse(nodes):
    cut = pruning.collapsed(nodes, nodes.left < 0)
    kept = leaves_of(nodes, cut)
    errors = nodes.errors
    assert isclose(errors[list(kept)].sum(), errors[nodes.left < 0].sum())
    for leaf in kept:
        for node in above(nodes, leaf)[:-1]:
            below = [each for each in kept if node in above(nodes, each)]
            assert errors[below].sum() < errors[node]


# -- Cost-complexity pruning ---------------------------------------------------------------------


@given(small_trees(), st.integers(0, 96).map(lambda twelfths: twelfths / 12))
def test_at_every_price_the_pruned_tree_is_the_cheapest_and_smallest(nodes, price):
    found = leaves_of(nodes, pruning.weakest_links(nodes) <= price)

    def costs(leaves):
        return nodes.errors[list(leaves)].sum() + price * len(leaves)

    everything = prunings(nodes)
    least = min(costs(leaves) for leaves in everything)
    assert isclose(costs(found), least, abs_tol=1e-9)
    cheapest = [leaves for leaves in everything if costs(leaves) <= least + 1e-9]
    assert len(found) == min(len(leaves) for leaves in cheapest)


def test_cart_prunes_at_the_price_that_cross_validation_chooses():
    X, y = blurred(200, 2)
    options = {"classes": 2, "criterion": "gini", "smallest": 1, "collapse": False}
    best, simplest = (
        Tree(pruning=f"cost-complexity-{each}se", **options).fit(X, y) for each in (0, 1)
    )
    whole = DecisionTreeClassifier(random_state=0).fit(X, y)
    assert 2 <= simplest.n_leaves_ < best.n_leaves_ < whole.get_n_leaves()
    # By hand: every price that changes the tree, in the same ten parts, one tree at a time.
    nodes = Nodes.of(whole.tree_, np.arange(2), 2)
    changes = np.unique(pruning.weakest_links(nodes))
    prices = [*np.sqrt(changes[:-1] * changes[1:]), changes[-1]]
    part = parts(y, 0)
    wrong = np.zeros(len(prices))
    for each in range(10):
        grown = DecisionTreeClassifier(random_state=0).fit(X[part != each], y[part != each])
        own = Nodes.of(grown.tree_, np.arange(2), 2)
        links = pruning.weakest_links(own)
        for i, price in enumerate(prices):
            leaf = own.leaves(links <= price * (part != each).mean())[grown.apply(X[part == each])]
            wrong[i] += (own.counts[leaf].argmax(axis=1) != y[part == each]).sum()
    price = prices[np.flatnonzero(wrong == wrong.min())[-1]]
    assert best.n_leaves_ == len(leaves_of(nodes, pruning.weakest_links(nodes) <= price))


def test_the_parts_of_cross_validation_are_stratified_and_even():
    y = np.repeat([0, 1, 2], [50, 23, 7])
    part = parts(y, 3)
    assert set(np.bincount(part)) == {8}
    for each in range(3):
        counts = np.bincount(part[y == each], minlength=10)
        assert counts.max() - counts.min() <= 1


# -- Weighing prunings ---------------------------------------------------------------------------


def chances(nodes, costs):
    """Return every pruned tree with the logarithm of prior times evidence, by definition."""

    @cache
    def evidence(node):
        # Two classes, whose probability may be anything: a beta function.
        a, b = nodes.counts[node]
        return betaln(a + 1, b + 1)

    def prior(leaves):
        found = 0.0
        for leaf in leaves:
            found += np.log(0.5) if nodes.left[leaf] >= 0 else 0.0
        inner = {node for leaf in leaves for node in above(nodes, leaf)[:-1]}
        return found + sum(np.log(0.5) - costs[node] for node in inner)

    return [
        (leaves, prior(leaves) + sum(evidence(leaf) for leaf in leaves))
        for leaves in prunings(nodes)
    ]


@given(small_trees())
def test_bayesian_smoothing_averages_over_all_pruned_trees(nodes):
    table = smoothing.bayesian(nodes, nodes.left < 0)
    every = chances(nodes, np.zeros(len(nodes.left)))
    weights = np.exp([chance for _, chance in every])
    weights /= weights.sum()
    for leaf in np.flatnonzero(nodes.left < 0):
        way = set(above(nodes, leaf))
        wanted = np.zeros(2)
        for (leaves, _), weight in zip(every, weights, strict=True):
            [own] = [node for node in leaves if node in way]
            wanted += weight * (nodes.counts[own] + 1) / (nodes.counts[own].sum() + 2)
        np.testing.assert_allclose(table[leaf], wanted, rtol=1e-9)


@given(small_trees())
def test_the_shortest_message_is_the_most_probable_of_all_pruned_trees(nodes):
    _, shortest = smoothing.weighed(nodes, nodes.left < 0, nodes.cuts)
    found = leaves_of(nodes, shortest)
    every = {tuple(sorted(leaves)): chance for leaves, chance in chances(nodes, nodes.cuts)}
    assert isclose(every[found], max(every.values()), rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize("smallest", [1, 2])
def test_a_node_counts_the_cuts_of_its_attribute_that_its_rows_leave_room_for(smallest):
    X = np.column_stack([np.arange(12.0), np.arange(12) % 2])
    y = np.array([0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 0])
    grown = DecisionTreeClassifier(random_state=0, min_samples_leaf=smallest).fit(X, y)
    nodes = Nodes.of(grown.tree_, np.arange(2), 2, cuts=np.array([11, 1]), smallest=smallest)
    found = grown.tree_
    assert nodes.cuts[0] == pytest.approx(np.log(12 - 2 * smallest + 1))
    for node in range(found.node_count):
        if found.feature[node] == 0:
            splits = [(i, found.n_node_samples[node] - i) for i in range(1, 12)]
            room = sum(min(split) >= smallest for split in splits)
            assert nodes.cuts[node] == pytest.approx(np.log(room))
        else:
            assert nodes.cuts[node] == 0


@given(small_trees())
def test_a_test_must_gain_more_than_naming_it_costs(nodes):
    def bits(node):
        counts = nodes.counts[node]
        return counts.sum() * entropy(counts, base=2)

    cut = pruning.unpaid(nodes, nodes.left < 0)
    for node in np.flatnonzero(nodes.left >= 0):
        gain = bits(node) - bits(nodes.left[node]) - bits(nodes.right[node])
        price = nodes.cuts[node] / np.log(2)
        if abs(gain - price) > 1e-6:
            assert cut[node] == (gain < price)
    assert cut[nodes.left < 0].all()


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1))
def test_noise_is_pruned_by_the_shortest_message(seed):
    random = np.random.default_rng(seed)
    X, y = random.normal(size=(100, 3)), random.integers(2, size=100)
    tree = Tree(classes=2, pruning="description-length", smallest=1, collapse=False).fit(X, y)
    assert tree.n_leaves_ == 1
