"""Stumps, ensembles, networks and machines, against other implementations and definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learner_tasks import blurred, mixed
from scipy.optimize import approx_fprime
from scipy.special import expit, gammaln
from scipy.stats import entropy
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from metricatlas.populations.learners import learner
from metricatlas.populations.learners.cuts_scan import best_cuts
from metricatlas.populations.learners.ensembles import Bagging, Boosting
from metricatlas.populations.learners.gain_ratio import gain_ratios
from metricatlas.populations.learners.machines import Machine, scaled, sigmoid
from metricatlas.populations.learners.neighbours import Neighbours
from metricatlas.populations.learners.networks import Network
from metricatlas.populations.learners.stumps import CRITERIA, Stump
from metricatlas.populations.learners.trees import Tree

# -- Cuts ----------------------------------------------------------------------------------------


def worth(y, weight, classes, criterion):
    """Return what a node is worth, from its rows."""
    mass = np.array([weight[y == k].sum() for k in range(classes)])
    if criterion == "gini":
        return (mass**2).sum() / mass.sum()
    if criterion in ("entropy", "gain-ratio"):
        return -mass.sum() * entropy(mass)
    if criterion == "error":
        return mass.max()
    return gammaln(mass + 1).sum() + gammaln(classes) - gammaln(mass.sum() + classes)


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 2), st.integers(1, 3)), min_size=1, max_size=25
    ),
    st.sampled_from(["entropy", "gini", "error", "evidence"]),
)
def test_the_best_cut_is_the_best_of_all_cuts(rows, criterion):
    x, y, weight = (np.array(each) for each in zip(*rows, strict=True))
    x, weight = x.astype(float), weight.astype(float)
    values = sorted(set(x))
    every = {}
    for low, high in itertools.pairwise(values):
        left = x <= low
        parts = [worth(y[side], weight[side], 3, criterion) for side in (left, ~left)]
        price = np.log(len(values) - 1) if criterion == "evidence" else 0
        every[(low + high) / 2] = sum(parts) - worth(y, weight, 3, criterion) - price
    order = np.argsort(x, kind="stable")[:, None]
    gains, places, masses = best_cuts(x[:, None], order, y, weight, 3, CRITERIA[criterion])
    if not every:
        assert gains[0] == -np.inf
        return
    assert gains[0] == pytest.approx(max(every.values()), abs=1e-9)
    assert every[places[0]] == pytest.approx(max(every.values()), abs=1e-9)
    assert masses[0] == weight[x < places[0]].sum()


def test_a_cut_between_neighbouring_numbers_parts_them():
    x = np.array([[1.0], [np.nextafter(1.0, 2)]])
    stump = Stump(classes=2).fit(x, np.array([0, 1]))
    np.testing.assert_array_equal(stump.predict(x), [0, 1])


def ratio_by_definition(x, y, nominal):
    """Return the gain ratio of an attribute (in bits), rows that miss it left out."""
    known = ~np.isnan(x)
    x, y, share = x[known], y[known], known.mean()

    def bits(labels):
        return entropy(np.unique(labels, return_counts=True)[1], base=2) if len(labels) else 0.0

    def of(parts):
        gain = bits(y) - sum(np.mean(parts == p) * bits(y[parts == p]) for p in set(parts))
        return gain, bits(parts)

    ways = [x] if nominal else [x <= cut for cut in sorted(set(x))[:-1]]
    if not ways or not len(x):
        return 0.0
    gain, spread = max((of(way) for way in ways), key=lambda pair: round(pair[0], 12))
    return share * gain / spread if spread else 0.0


def test_gain_ratios_are_those_of_their_definition():
    task = mixed(60)
    y = np.unique(task.target, return_inverse=True)[1]
    model = Neighbours(weights="gain-ratio").fit(task.features, y)
    wanted = [
        ratio_by_definition(model.rows_[:, j], y, model.nominal_[j])
        for j in range(model.rows_.shape[1])
    ]
    np.testing.assert_allclose(gain_ratios(model.rows_, y, model.nominal_), wanted, atol=1e-9)
    assert wanted[0] > wanted[3] > 0
    assert wanted[4:] == [0, 0, 0]


def test_the_stump_of_the_best_gain_ratio_leaves_out_attributes_with_little_gain():
    # The first attribute parts off one row: little gain, a good ratio. The second halves the rows.
    x = np.column_stack([np.r_[1, np.zeros(9)], np.r_[np.ones(5), np.zeros(5)]])
    y = np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
    assert Stump(classes=2, criterion="gain-ratio").fit(x, y).attribute_ == 1


# -- Ensembles -----------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", ["entropy", "gini"])
def test_boosting_of_two_classes_is_that_of_scikit_learn(criterion):
    X, y = blurred(150, digits=6)
    steps = 30
    ours = Boosting(model=Stump(classes=2, criterion=criterion), steps=steps, output="votes")
    base = DecisionTreeClassifier(max_depth=1, criterion=criterion)
    theirs = AdaBoostClassifier(base, n_estimators=steps).fit(X, y)
    ours.fit(X, y)
    np.testing.assert_allclose(ours.votes_, theirs.estimator_weights_, rtol=1e-9)
    # There a vote counts for one class and, as much, against the other.
    score = theirs.decision_function(X) / 2
    np.testing.assert_allclose(ours.predict_proba(X)[:, 1], (score + 1) / 2, atol=1e-9)


def test_boosting_of_three_classes_is_that_of_its_definition():
    X, y = blurred(120, 3)
    tree = Tree(classes=3, pruning="none", smallest=25, collapse=False)
    model = Boosting(model=tree, steps=4).fit(X, y)
    weight = np.full(120, 1.0)
    votes = np.zeros((120, 3))
    for step in range(4):
        one = Tree(classes=3, pruning="none", smallest=25, collapse=False, random_state=step)
        said = one.fit(X, y, sample_weight=weight * 120 / weight.sum()).predict(X)
        error = weight[said != y].sum() / weight.sum()
        vote = np.log((1 - error) / error)
        votes[np.arange(120), said] += vote
        weight[said != y] *= np.exp(vote)
    wanted = np.exp(votes) / np.exp(votes).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(X), wanted, rtol=1e-9)


def test_boosting_ends_where_a_model_is_perfect_or_no_better_than_chance():
    X = np.arange(8.0)[:, None]
    tree = Tree(classes=2, pruning="none", smallest=1)
    perfect = Boosting(model=tree, steps=[1, 5, 50]).fit(X, np.array([0, 1] * 4))
    assert len(perfect.models_) == 1
    stages = [found for _, found in perfect.stages(X)]
    np.testing.assert_array_equal(stages[0], np.eye(2)[[0, 1] * 4])
    np.testing.assert_array_equal(stages[2], stages[0])
    useless = Boosting(model=Stump(classes=2), steps=5).fit(np.zeros((4, 1)), np.array([0, 1] * 2))
    assert len(useless.models_) == 1
    np.testing.assert_array_equal(useless.predict_proba(np.zeros((1, 1))), [[0.5, 0.5]])


def test_bagging_is_the_mean_of_trees_of_bootstrap_samples():
    X, y = blurred(100, 3)
    model = Bagging(model=Tree(classes=3, smoothing="laplace"), trees=12).fit(X, y)
    every = np.array([tree.predict_proba(X) for tree in model.models_])
    np.testing.assert_allclose(model.predict_proba(X), every.mean(axis=0), rtol=1e-12)
    # Of the rows a sample has each 0 to many times, and 63 % at least once.
    assert len({tree.n_leaves_ for tree in model.models_}) > 1
    roots = [tree.grower_.tree_.n_node_samples[0] for tree in model.models_]
    assert set(roots) == {100}


def test_a_tree_of_a_sample_without_a_class_still_smooths_over_all():
    X, y = np.arange(30.0)[:, None], np.r_[np.zeros(29, int), 1]
    trees = Bagging(model=Tree(classes=2, smoothing="laplace"), trees=20).fit(X, y).models_
    without = [tree for tree in trees if len(tree.grower_.classes_) == 1]
    assert without
    np.testing.assert_allclose(without[0].predict_proba(X[:1]), [[31 / 32, 1 / 32]])


# -- Networks ------------------------------------------------------------------------------------


def outputs(weights, shapes, x):
    """Return the outputs of a network whose weights are one long vector."""
    size = np.prod(shapes[0])
    inner, outer = weights[:size].reshape(shapes[0]), weights[size:].reshape(shapes[1])
    return expit(np.r_[expit(np.r_[x, 1] @ inner), 1] @ outer)


@pytest.mark.parametrize("loss", ["squared", "cross-entropy"])
def test_every_step_goes_down_the_gradient_and_on_as_before(loss):
    X, y = blurred(5, 3)
    network = Network(classes=3, hidden=2, rate=0.2, momentum=0.6, loss=loss, random_state=3)
    shapes = (5, 2), (3, 3)
    random = np.random.default_rng(3)
    weights = np.r_[random.uniform(-0.05, 0.05, 10), random.uniform(-0.05, 0.05, 9)]
    order = random.permutation(5)
    change = np.zeros(19)
    for _, inner, outer in network.trained(X, y, 3):
        for row in order:
            wanted = np.eye(3)[y[row]]

            def lost(w, x=X[row], t=wanted):
                out = outputs(w, shapes, x)
                if loss == "squared":
                    return ((out - t) ** 2).sum() / 2
                return -(t * np.log(out) + (1 - t) * np.log(1 - out)).sum()

            change = -0.2 * approx_fprime(weights, lost, 1e-7) + 0.6 * change
            weights = weights + change
        np.testing.assert_allclose(np.r_[inner.ravel(), outer.ravel()], weights, atol=1e-5)


def test_a_network_predicts_by_its_outputs():
    X, y = blurred(40, 3)
    model = Network(classes=3, hidden=4, epochs=5).fit(X, y)
    inner, outer = model.weights_[5]
    weights = np.r_[inner.ravel(), outer.ravel()]
    wanted = np.array([outputs(weights, (inner.shape, outer.shape), x) for x in X])
    found = model.predict_proba(X)
    np.testing.assert_allclose(found, wanted / wanted.sum(axis=1, keepdims=True), rtol=1e-9)


def test_networks_have_half_as_many_hidden_units_as_attributes_and_classes():
    X, y = blurred(20, 3)
    [(inner, _)] = Network(classes=3, epochs=1).fit(X, y).weights_.values()
    assert inner.shape == (5, 3)


def test_outputs_of_huge_inputs_are_still_probabilities():
    X, y = blurred(40)
    found = Network(classes=2, epochs=5).fit(X, y).predict_proba(X * 1e300)
    np.testing.assert_allclose(found.sum(axis=1), 1)


# -- Support vector machines ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kernel", "theirs"),
    [
        ({"kernel": "linear"}, {"kernel": "linear"}),
        (
            {"kernel": "polynomial", "degree": 3},
            {"kernel": lambda a, b: (a @ b.T + 1) ** 3},
        ),
        (
            {"kernel": "radial", "width": 0.3},
            {"kernel": lambda a, b: np.exp(-0.3 * ((a[:, None] - b) ** 2).sum(axis=2))},
        ),
    ],
)
def test_kernels_are_those_of_svmlight(kernel, theirs):
    X, y = blurred(80)
    machine = Machine(cost=0.7, scaling="linear", **kernel).fit(X, y)
    score = SVC(C=0.7, **theirs).fit(X, y).decision_function(X)
    wanted = (np.clip(score, -1, 1) + 1) / 2
    np.testing.assert_allclose(machine.predict_proba(X)[:, 1], wanted, atol=1e-3)


@given(st.integers(0, 1000), st.floats(0.01, 100))
def test_platts_sigmoid_is_logistic_regression_on_smoothed_classes(seed, size):
    random = np.random.default_rng(seed)
    target = np.where(random.random(60) < 0.3, 1, -1)
    score = size * (target + random.normal(0, 1.5, 60))
    more, fewer = (target > 0).sum(), (target < 0).sum()
    if not more or not fewer:
        return
    wanted = np.where(target > 0, (more + 1) / (more + 2), 1 / (fewer + 2))
    theirs = LogisticRegression(C=1e12, tol=1e-10, solver="newton-cholesky")
    theirs.fit(
        np.r_[score, score][:, None] / size, np.repeat([1, 0], 60), np.r_[wanted, 1 - wanted]
    )
    ours = scaled(score, *sigmoid(score, target))
    np.testing.assert_allclose(ours, theirs.predict_proba(score[:, None] / size)[:, 1], atol=1e-4)


def test_the_sigmoid_is_fitted_to_rows_that_a_machine_has_not_seen():
    # Classes are noise: a machine that has seen the rows tells them apart, another one cannot.
    random = np.random.default_rng(0)
    X, y = random.normal(size=(90, 30)), random.integers(2, size=90)
    machine = Machine(kernel="radial", width=0.03, cost=10).fit(X, y)
    target = 2 * y - 1
    assert machine.machines_[0].score(X, target) == 1
    seen = scaled(machine.machines_[0].decision_function(X), *machine.sigmoids_[0])
    assert np.abs(seen - 0.5).max() < 0.3
    trusted = sigmoid(machine.machines_[0].decision_function(X), target)
    assert np.abs(scaled(np.array([-1.0, 1.0]), *trusted) - 0.5).min() > 0.4


def test_several_classes_have_a_machine_each():
    X, y = blurred(90, 3)
    machine = Machine(scaling="linear").fit(X, y)
    outputs = [SVC(kernel="linear").fit(X, y == k).decision_function(X) for k in range(3)]
    wanted = (np.clip(np.column_stack(outputs), -1, 1) + 1) / 2
    mass = wanted.sum(axis=1)
    found = machine.predict_proba(X)
    np.testing.assert_allclose(found[mass > 0] * mass[mass > 0, None], wanted[mass > 0], atol=1e-3)


# -- Forests -------------------------------------------------------------------------------------


def test_a_forest_looks_at_as_many_attributes_as_wekas():
    task = mixed()
    forest = learner("random-forest").build(task)[-1].model
    assert forest.max_features == int(np.log2(7)) + 1
    task.features = task.features[["size"]]
    assert learner("random-forest").build(task)[-1].model.max_features == 1
