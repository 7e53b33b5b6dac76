"""Models that are written here, against other implementations and against their definitions."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from learner_tasks import blurred, mixed
from scipy.optimize import approx_fprime
from scipy.stats import norm
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier

from metricatlas.populations.learners.estimators import normalised
from metricatlas.populations.learners.linear import Logistic
from metricatlas.populations.learners.naive_bayes import NaiveBayes
from metricatlas.populations.learners.neighbours import Neighbours

# -- Sums that keep ties -------------------------------------------------------------------------


@given(st.lists(st.floats(1e-6, 1), min_size=3, max_size=7), st.randoms())
def test_the_same_shares_for_other_classes_are_the_same_to_the_last_bit(shares, random):
    order = list(range(len(shares)))
    random.shuffle(order)
    one, other = normalised(np.array([shares, np.array(shares)[order]]))
    np.testing.assert_array_equal(one[order], other)


def test_rows_of_zeros_are_shared_evenly():
    np.testing.assert_array_equal(normalised(np.zeros((1, 4))), [[0.25] * 4])


# -- Naive Bayes ---------------------------------------------------------------------------------


def test_nominal_values_are_counted_as_by_scikit_learn():
    task = mixed(80)
    features = task.features[["colour", "switch"]].dropna()
    target = np.unique(task.target[features.index], return_inverse=True)[1]
    codes = np.column_stack([features[name].cat.codes for name in features])
    prior = (np.bincount(target) + 1) / (len(target) + 3)
    theirs = CategoricalNB(alpha=1, class_prior=prior, min_categories=[4, 2]).fit(codes, target)
    ours = NaiveBayes(classes=3).fit(features, target).predict_proba(features)
    np.testing.assert_allclose(ours, theirs.predict_proba(codes), rtol=1e-12)


def test_numbers_are_normal_within_a_class_up_to_a_precision():
    x, y = np.array([1.0, 2.0, 7.0, 4.0, 8.0, 8.0]), np.array([0, 0, 0, 1, 1, 1])
    frame = pd.DataFrame({"x": x})
    precision = (8 - 1) / 4
    rounded = np.round(x / precision) * precision
    found = NaiveBayes(classes=2).fit(frame, y).predict_proba(frame)
    likely = np.empty((6, 2))
    for k in (0, 1):
        own = rounded[y == k]
        normal = norm(own.mean(), max(own.std(), precision / 6))
        likely[:, k] = normal.cdf(rounded + precision / 2) - normal.cdf(rounded - precision / 2)
    np.testing.assert_allclose(found, likely / likely.sum(axis=1, keepdims=True), rtol=1e-12)


def test_what_is_missing_says_nothing():
    task = mixed(80)
    target = np.unique(task.target, return_inverse=True)[1]
    model = NaiveBayes(classes=3).fit(task.features, target)
    nothing = task.features[:1].copy()
    for name in nothing:
        nothing[name] = nothing[name].where([False])
    prior = (np.bincount(target) + 1) / (len(target) + 3)
    np.testing.assert_allclose(model.predict_proba(nothing)[0], prior, rtol=1e-12)


def test_probabilities_far_from_the_mean_are_symmetric():
    frame = pd.DataFrame({"x": np.r_[-3.0:3.1:0.5, -3.0:3.1:0.5]})
    y = np.repeat([0, 1], 13)
    frame["x"] += 4 * (2 * y - 1)
    found = NaiveBayes(classes=2).fit(frame, y).predict_proba(pd.DataFrame({"x": [-12.0, 12.0]}))
    np.testing.assert_allclose(found[0], found[1][::-1], rtol=1e-9)


# -- Logistic regression -------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 3])
def test_logistic_regression_is_the_maximum_of_the_likelihood(classes):
    X, y = blurred(300, classes)
    theirs = sm.MNLogit(y, sm.add_constant(X)).fit(disp=0, method="newton", tol=1e-10)
    ours = Logistic().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(ours, theirs.predict(sm.add_constant(X)), atol=1e-5)


def test_the_ridge_counts_squared_coefficients_beside_the_log_loss():
    X, y = blurred(100, spread=0.5)
    model = Logistic(ridge=2.0).fit(X, y).model_
    weights = np.r_[model.coef_[0], model.intercept_]

    def loss(w):
        score = X @ w[:-1] + w[-1]
        return np.logaddexp(0, score).sum() - score[y == 1].sum() + 2.0 * (w[:-1] ** 2).sum()

    assert np.abs(approx_fprime(weights, loss, 1e-6)).max() < 1e-3


# -- Neighbours ----------------------------------------------------------------------------------


@pytest.mark.parametrize("weighting", ["none", "inverse"])
def test_neighbours_are_counted_as_by_scikit_learn(weighting):
    X, y = blurred(150, 3, digits=6)
    test, _ = blurred(50, 3, seed=1, digits=6)
    low, width = X.min(axis=0), np.ptp(X, axis=0)
    kinds = {"none": "uniform", "inverse": lambda d: 1 / (d / np.sqrt(4) + 0.001)}
    theirs = KNeighborsClassifier(7, weights=kinds[weighting]).fit((X - low) / width, y)
    distances, places = theirs.kneighbors((test - low) / width)
    weight = np.ones_like(distances) if weighting == "none" else kinds["inverse"](distances)
    counts = np.array([[weight[i, y[places[i]] == k].sum() for k in range(3)] for i in range(50)])
    wanted = (counts + 1 / 150) / (counts.sum(axis=1, keepdims=True) + 3 / 150)
    model = Neighbours(neighbours=7, weighting=weighting).fit(pd.DataFrame(X), y)
    np.testing.assert_allclose(model.predict_proba(pd.DataFrame(test)), wanted, rtol=1e-9)
    if weighting == "none":
        plain = theirs.predict_proba((test - low) / width)
        np.testing.assert_allclose(wanted, plain, atol=0.01)


def test_all_that_are_as_far_as_the_last_neighbour_count():
    frame = pd.DataFrame({"x": [0.0, 1.0, 1.0, 1.0, 10.0]})
    model = Neighbours(neighbours=2).fit(frame, np.array([0, 1, 1, 0, 0]))
    found = model.predict_proba(pd.DataFrame({"x": [0.0]}))
    np.testing.assert_allclose(found, [[(2 + 0.2) / 4.4, (2 + 0.2) / 4.4]])


def far(a, b, nominal):
    """Return the squared difference of two values, as Weka has it."""
    if nominal:
        return float(a != b)
    if np.isnan(a) and np.isnan(b):
        return 1.0
    if np.isnan(a) or np.isnan(b):
        known = b if np.isnan(a) else a
        return max(known, 1 - known) ** 2
    return (a - b) ** 2


def test_distances_of_mixed_values_with_gaps_are_those_of_their_definition():
    task = mixed(40)
    y = np.unique(task.target, return_inverse=True)[1]
    for weights in ("none", "gain-ratio"):
        model = Neighbours(weights=weights).fit(task.features, y)
        rows, nominal = model.rows_, model.nominal_
        squares = model._squares(rows[:7])
        for i in range(7):
            for j in range(40):
                parts = [
                    model.scales_[k] * far(rows[i, k], rows[j, k], nominal[k])
                    for k in range(rows.shape[1])
                ]
                assert squares[i, j] == pytest.approx(sum(parts), abs=1e-12)
    assert list(nominal) == [False, False, True, True, False, False, True]


def test_locally_weighted_averaging_weighs_all_rows_by_a_normal_kernel():
    X, y = blurred(60)
    test, _ = blurred(9, seed=4)
    model = Neighbours(weighting="kernel", width=[2.0, 64.0], attributes="boolean")
    model.fit(pd.DataFrame(X), y)
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    train, test = (X - mean) / deviation, (test - mean) / deviation
    between = np.linalg.norm(train[:, None] - train, axis=2)
    least = between[between > 0].min()
    distances = np.linalg.norm(test[:, None] - train, axis=2)
    for (name, found), width in zip(
        model.stages(pd.DataFrame(test * deviation + mean)), (2, 64), strict=True
    ):
        weight = np.exp(-0.5 * (distances / (width * least)) ** 2)
        wanted = weight @ y / weight.sum(axis=1)
        assert name == {"width": width}
        np.testing.assert_allclose(found[:, 1], wanted, rtol=1e-6)


def test_a_narrow_kernel_far_from_everything_is_the_nearest_neighbour():
    frame = pd.DataFrame({"x": [0.0, 1e-6, 5.0, 10.0]})
    model = Neighbours(weighting="kernel", width=1.0).fit(frame, np.array([0, 0, 1, 0]))
    found = model.predict_proba(pd.DataFrame({"x": [6.0, 9.0, 1e3]}))
    np.testing.assert_array_equal(found, [[0, 1], [1, 0], [1, 0]])


def test_few_distances_are_held_at_once(monkeypatch):
    X, y = blurred(60)
    frame = pd.DataFrame(X)
    whole = Neighbours(neighbours=3).fit(frame, y).predict_proba(frame)
    monkeypatch.setattr("metricatlas.populations.learners.neighbours.HELD", 130)
    np.testing.assert_array_equal(
        Neighbours(neighbours=3).fit(frame, y).predict_proba(frame), whole
    )
