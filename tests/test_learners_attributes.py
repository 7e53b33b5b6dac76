"""Attributes made into numbers, against scikit-learn's transformers and all ways to part values."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learner_tasks import mixed
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from metricatlas.populations.learners.attributes import Attributes, places

NUMERIC = ["size", "weight", "constant"]


def rows():
    features = mixed(80, seed=3).features
    return features.iloc[:50], features.iloc[50:]


@pytest.mark.parametrize(
    ("scale", "scaler"),
    [
        ("unit", MinMaxScaler()),
        ("symmetric", MinMaxScaler((-1, 1))),
        ("standard", StandardScaler()),
    ],
)
def test_numbers_are_replaced_and_scaled_as_by_scikit_learn(scale, scaler):
    train, test = (part[["size", "weight"]] for part in rows())
    ours = Attributes(scale=scale).fit(train).transform(test)
    imputer = SimpleImputer().fit(train)
    scaler.fit(imputer.transform(train))
    np.testing.assert_allclose(ours, scaler.transform(imputer.transform(test)), atol=1e-12)


def test_nominal_values_are_coded_as_by_scikit_learn():
    train, test = (part[["colour", "switch"]] for part in rows())
    declared = [list(train[name].cat.categories) for name in train]
    imputer = SimpleImputer(strategy="most_frequent", missing_values=None)
    coder = OneHotEncoder(categories=declared, drop="if_binary", sparse_output=False)
    coder.fit(imputer.fit_transform(train.astype(object).where(train.notna(), None)))
    wanted = coder.transform(imputer.transform(test.astype(object).where(test.notna(), None)))
    np.testing.assert_array_equal(Attributes().fit(train).transform(test), wanted)


def test_what_is_missing_stays_missing_or_becomes_the_middle():
    train, test = rows()
    kept = Attributes(nominal="codes", missing="keep").fit(train)
    np.testing.assert_array_equal(np.isnan(kept.transform(test)), test.isna())
    spread = Attributes(missing="keep").fit(train).transform(test)
    np.testing.assert_array_equal(np.isnan(spread[:, 2:5]).all(axis=1), test["colour"].isna())
    zero = Attributes(missing="zero", scale="symmetric").fit(train).transform(test)
    assert (zero[test["size"].isna(), 0] == 0).all()


@pytest.mark.parametrize("scale", ["unit", "symmetric", "standard"])
def test_constants_and_empty_columns_become_zero(scale):
    train, _ = rows()
    found = Attributes(scale=scale).fit(train[["constant", "nothing"]])
    np.testing.assert_array_equal(found.transform(train[["constant", "nothing"]]), 0.0)


def test_a_small_spread_about_a_large_number_is_no_constant():
    column = 1e9 + np.arange(10.0)
    frame = pd.DataFrame({"time": column})
    np.testing.assert_allclose(
        Attributes(scale="unit").fit_transform(frame)[:, 0], np.arange(10) / 9, atol=1e-12
    )


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=2, max_size=40),
    st.sampled_from([lambda p: 2 * p * (1 - p), lambda p: min(p, 1 - p)]),
)
def test_some_cut_through_ordered_values_is_the_best_of_all_ways_to_part_them(pairs, impurity):
    values, target = np.array(pairs, dtype=float).T
    order = places(values, 5, target)

    def loss(left):
        parts = target[left], target[~left]
        return sum(len(part) * impurity(part.mean()) for part in parts if len(part))

    there = sorted(set(values))
    ways = [
        loss(np.isin(values, way))
        for size in range(1, len(there))
        for way in itertools.combinations(there, size)
    ]
    place = order[values.astype(int)]
    cuts = [loss(place <= cut) for cut in sorted(set(place))[:-1]]
    assert len(set(place)) == len(there)
    assert min(cuts, default=0) == pytest.approx(min(ways, default=0), abs=1e-9)


def test_values_of_three_classes_are_ordered_along_what_parts_them_most():
    # Values 0 and 3 have one class each, 2 is between them; 1 has no row and stands in the middle.
    values = np.array([0.0] * 10 + [2.0] * 10 + [3.0] * 10)
    target = np.array(["a"] * 10 + ["a"] * 5 + ["b"] * 5 + ["b"] * 9 + ["c"])
    order = places(values, 4, target)
    assert order[2] == 1
    assert order[1] == 1
    assert {order[0], order[3]} == {0, 2}


def test_the_order_is_learnt_from_training_rows():
    frame = pd.DataFrame({"colour": pd.Categorical(["red", "blue", "red", "blue"])})
    one = Attributes(nominal="ordered").fit(frame, [0, 1, 0, 1]).transform(frame)
    other = Attributes(nominal="ordered").fit(frame, [1, 0, 1, 0]).transform(frame)
    np.testing.assert_array_equal(one, 1 - other)
