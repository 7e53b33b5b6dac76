"""Worlds like real predictions: what is taken from them comes out again."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import metricatlas as ma
from metricatlas.worlds.noise import WORLDS
from metricatlas.worlds.profile import drawn, profile_of
from metricatlas.worlds.real import Real


def binary(digits=None):
    rng = np.random.default_rng(1)
    y = (rng.random(400) < 0.2).astype(int)
    p = 1 / (1 + np.exp(2 - 1.5 * y - rng.normal(size=400)))
    return y, p if digits is None else p.round(digits)


def fitted(learner, load, columns):
    X, y = load(return_X_y=True)
    return y, cross_val_predict(learner, X[:, columns], y, method="predict_proba")


def leaves():
    y, p = fitted(DecisionTreeClassifier(min_samples_leaf=15), load_breast_cancer, [0, 1])
    return y, p[:, 1]


DATA = {
    "all different": binary,
    "two digits": lambda: binary(2),
    "leaves of a tree": leaves,
    "naive Bayes": lambda: fitted(GaussianNB(), load_breast_cancer, [0, 4]),
    "three classes": lambda: fitted(LogisticRegression(max_iter=5000), load_wine, [0, 2]),
}


def worlds_of(y, p, count=250, **words):
    profile = profile_of({"like": (y, p), **words})
    return profile, drawn(np.random.default_rng(0), profile, count)


def tied(rows):
    """The share of pairs of examples that have the same row."""
    _, counts = np.unique(rows, axis=0, return_counts=True)
    return (counts * (counts - 1.0)).sum() / (len(rows) * (len(rows) - 1))


def facts(y, p):
    """The area, the Brier score, the accuracy, the ties and the last class's share."""
    share = np.mean(y == y.max())
    if p.ndim == 2 and p.shape[1] > 2:
        area = roc_auc_score(y, p, multi_class="ovo")
        brier = np.square(p - np.eye(p.shape[1])[y]).sum(axis=1).mean()
        return [area, brier, np.mean(p.argmax(axis=1) == y), tied(p), share]
    p = p[:, 1] if p.ndim == 2 else p
    return [roc_auc_score(y, p), brier_score_loss(y, p), np.mean((p > 0.5) == y), tied(p), share]


@pytest.mark.parametrize("data", DATA)
def test_worlds_have_the_area_prior_ties_and_brier_score_of_the_predictions(data):
    y, p = DATA[data]()
    _, pairs = worlds_of(y, p, gap=0.1)
    every = np.array(
        [facts(truth[0], rows[0]) for truth, rows in zip(pairs.truth, pairs.scores, strict=True)]
    )
    error = every.std(axis=0) / np.sqrt(len(every))
    away = np.abs(every.mean(axis=0) - facts(y, p))
    assert (away <= 4 * error + 1e-12).all(), away / error


@pytest.mark.parametrize("data", DATA)
def test_the_other_model_has_so_much_less_area(data):
    y, p = DATA[data]()
    profile, pairs = worlds_of(y, p, gap=0.1, n=1000, count=60)
    areas = [
        facts(truth[1], rows[1])[0] for truth, rows in zip(pairs.truth, pairs.scores, strict=True)
    ]
    error = np.std(areas) / np.sqrt(len(areas))
    # Of 1,000 rows a whole number is drawn anew.
    assert np.mean(areas) == pytest.approx(profile.auc - 0.1, abs=4 * error + 0.0005)


def test_what_was_taken_is_what_others_compute():
    y, p = binary(2)
    r = ma.simulate("label-noise", measures="acc", levels=[0], repetitions=10, like=(y, p))
    area, brier, accuracy, ties, share = facts(y, p)
    profile = r.profile
    assert (profile.n, profile.like.examples) == (400, 400)
    found = [profile.auc, profile.like.brier, 1 - profile.error, profile.ties, profile.prior]
    assert found == pytest.approx([area, brier, accuracy, ties, share], rel=1e-12)
    said = f"n 400, prior {share:.4g}, like 400 real predictions: error {1 - accuracy:.4g}"
    assert said in repr(r)


# -- Rows ------------------------------------------------------------------------------------------


@given(
    values=st.lists(st.integers(0, 20), min_size=2, max_size=12),
    seed=st.integers(0, 10**6),
)
def test_no_row_is_moved_past_another_or_to_another_decision(values, seed):
    p = np.array(values) / 20
    y = np.arange(len(p)) % 2
    rng = np.random.default_rng(seed)
    rows = Real.of(y, p, (0.5, 0.5)).certain(rng, rng.integers(2, size=200).astype(np.uint8))
    known = np.unique(p)
    nearest = known[np.abs(rows[:, np.newaxis] - known).argmin(axis=1)]
    assert ((rows > 0.5) == (nearest > 0.5)).all()
    assert ((rows == 0.5) == (nearest == 0.5)).all()
    assert rows.min() >= 0
    assert rows.max() <= 1
    # Two values do not meet, as none goes further than half of the way to the next one.
    for value, other in pairwise(known):
        middle = (value + other) / 2
        assert ((rows <= middle + 1e-15) == (nearest <= value)).all()


@given(
    rows=st.lists(
        st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any), min_size=3, max_size=9
    ),
    seed=st.integers(0, 10**6),
)
def test_rows_of_several_classes_sum_to_one_and_keep_their_decisions(rows, seed):
    p = np.array(rows) / np.sum(rows, axis=1, keepdims=True)
    y = np.arange(len(p)) % 3
    source = Real.of(y, p, (1 / 3,) * 3)
    truth = np.random.default_rng(seed).integers(3, size=100).astype(np.uint8)
    found = source.certain(np.random.default_rng(seed), truth)
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-12)
    assert found.min() >= 0
    # The same numbers choose the same rows where none is moved.
    still = Real(
        *(getattr(source, name) for name in ("rows", "starts", "sizes")),
        np.zeros_like(source.widths),
        source.stays,
        source.priors,
    )
    known = still.certain(np.random.default_rng(seed), truth)
    sure = np.diff(np.sort(known, axis=1))[:, -1] > 1e-12
    assert (found.argmax(axis=1) == known.argmax(axis=1))[sure].all()
    for column in range(3):
        before, after = known[:, column], found[:, column]
        less = before[:, np.newaxis] < before - 1e-12
        assert (after[:, np.newaxis] < after)[less].all()


def area_by_definition(y, p, priors, anew):
    """The mean area of each class against each other one, where so many rows are of any class."""
    columns = np.column_stack([1 - p, p]) if p.ndim == 1 else p
    of_any = np.asarray(priors)[y] / np.bincount(y)[y]
    own = [np.where(y == k, 1 / np.sum(y == k), 0.0) for k in range(len(priors))]
    mixed = [(1 - anew) * weights + anew * of_any for weights in own]
    areas = []
    for j in range(len(priors)):
        column = columns[:, j]
        above = (column[:, np.newaxis] > column) + 0.5 * (column[:, np.newaxis] == column)
        areas += [mixed[j] @ above @ mixed[k] for k in range(len(priors)) if k != j]
    return np.mean(areas)


@pytest.mark.parametrize(
    ("data", "prior"),
    [
        ("two digits", None),
        ("two digits", [0.3, 0.7]),
        ("three classes", None),
        ("three classes", [0.1, 0.8, 0.1]),
    ],
)
def test_so_many_rows_are_drawn_anew_that_the_area_falls_by_the_gap(data, prior):
    y, p = DATA[data]()
    words = {"like": (y, p), "gap": 0.2} | ({} if prior is None else {"prior": prior})
    profile = profile_of(words)
    none, anew = profile.anew
    assert none == 0
    priors = np.bincount(y) / len(y) if prior is None else prior
    assert area_by_definition(y, p, priors, 0) == pytest.approx(profile.auc, rel=1e-12)
    assert area_by_definition(y, p, priors, anew) == pytest.approx(profile.auc - 0.2, rel=1e-12)


def moved(p, count=4000):
    """Rows as they are drawn, and those that they come from: each its own class."""
    classes = len(p[0])
    y = np.arange(len(p)) % classes
    rng = np.random.default_rng(0)
    truth = np.repeat(y, count).astype(np.uint8)
    source = Real.of(y, np.array(p), (1 / classes,) * classes)
    return source.certain(rng, truth), truth


def test_a_row_that_hardly_decides_is_hardly_moved():
    rows, truth = moved([[0.4, 0.35, 0.25], [0.05, 0.9, 0.05 + 1e-12], [0.1, 0.15, 0.75]])
    assert (rows.argmax(axis=1) == np.array([0, 1, 2])[truth]).all()
    assert len(np.unique(rows[truth == 0, 0])) > 3000


def test_a_value_that_other_rows_have_too_is_not_moved():
    rows, truth = moved([[0.5, 0.3, 0.2], [0.5, 0.1, 0.4], [0.14, 0.16, 0.7]])
    assert (rows[truth < 2, 0] == 0.5).all()
    assert len(np.unique(rows[truth == 0, 1])) > 3000
    assert len(np.unique(rows[truth == 2, 0])) > 3000


def test_values_that_are_tied_are_tied_and_others_are_not():
    p = np.array([0.2, 0.2, 0.2, 0.6, 0.7, 0.9, 0.1, 0.3])
    y = np.array([0, 0, 1, 1, 1, 1, 0, 0])
    rows = Real.of(y, p, (0.5, 0.5)).certain(
        np.random.default_rng(0), np.tile([0, 1], 5000).astype(np.uint8)
    )
    values, counts = np.unique(rows, return_counts=True)
    assert values[counts > 1].tolist() == [0.2]


# -- What may be said beside it --------------------------------------------------------------------


def test_another_prior_weights_the_classes():
    y, p = binary()
    profile, pairs = worlds_of(y, p, prior=0.6, n=300)
    assert pairs.truth.mean() == pytest.approx(0.6, abs=0.005)
    right = [np.mean(p[y == 0] <= 0.5), np.mean(p[y == 1] > 0.5)]
    assert profile.error == pytest.approx(1 - (0.4 * right[0] + 0.6 * right[1]), rel=1e-12)
    assert profile.auc == pytest.approx(roc_auc_score(y, p), rel=1e-12)
    accuracy = ((pairs.scores > 0.5) == pairs.truth)[:, 0].mean()
    assert accuracy == pytest.approx(1 - profile.error, abs=0.005)


def test_a_model_that_ranks_well_and_decides_badly_makes_a_world():
    y, p = binary()
    profile, pairs = worlds_of(y, p**0.05)
    assert profile.error > 0.5
    wrong = ((pairs.scores > 0.5) != pairs.truth)[:, 0].mean()
    assert wrong == pytest.approx(profile.error, abs=0.01)


def test_predictions_come_in_by_the_door_of_evaluate():
    y, p = binary()
    words = np.array(["well", "ill"])[y]
    options = {"measures": ["acc", "auc"], "levels": [20], "repetitions": 100}
    plain = ma.simulate("label-noise", like=(y, p), **options).wrong
    for like, naming in (
        ((words, p), {"pos_label": "ill"}),
        ((pd.Series(words), pd.Series(p)), {"pos_label": "ill", "labels": ["well", "ill"]}),
        ((y.tolist(), {"mine": p}), {}),
        ([y, np.column_stack([1 - p, p])], {}),
    ):
        assert ma.simulate("label-noise", like=like, **naming, **options).wrong.equals(plain)


@pytest.mark.parametrize("world", list(WORLDS))
@pytest.mark.parametrize("data", ["two digits", "three classes"])
def test_every_world_disturbs_them_the_same_for_any_number_of_workers(world, data, monkeypatch):
    tables = []
    for workers in ("1", "3"):
        monkeypatch.setenv("METRICATLAS_THREADS", workers)
        r = ma.simulate(
            world, measures=["acc", "auc"], levels=[0, 8], repetitions=150, like=DATA[data]()
        )
        tables.append(r.wrong)
    assert tables[0].equals(tables[1])
    assert (tables[0]["wrong"] < 0.5).all()


def test_what_was_read_once_serves_again():
    first = ma.simulate("label-noise", measures="auc", levels=[0], repetitions=50, like=binary())
    again = ma.simulate(
        "label-noise", measures="auc", levels=[0], repetitions=50, like=first.profile.like
    )
    assert again.wrong.equals(first.wrong)


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ({"like": 0.5}, ma.WorldError, "like must be a pair (y_true, probabilities); got float"),
        ({"like": ([0, 1], [0.2, 0.8], [1])}, ma.WorldError, "like must be a pair"),
        ({"like": ([0, 1, 0], [0.2, 3.0, 0.1])}, ma.WorldError, "got scores"),
        ({"like": ([0, 1, 0], [0, 1, 1])}, ma.WorldError, "got labels"),
        ({"like": ([0, 1], {"a": [0.1, 0.9], "b": [0.2, 0.8]})}, ma.WorldError, "one model"),
        ({"like": ([0, 1], [0.9, 0.1])}, ma.WorldError, "area under the ROC curve is 0"),
        ({"like": ([0, 0, 0], [0.9, 0.1, 0.2])}, ma.WorldError, "examples of every class"),
        ({"like": ([0, 1, 1], [0.1, 0.9])}, ma.PredictionError, "one row for each example"),
        ({"like": ([0, 1], [0.1, float("nan")])}, ma.PredictionError, "predictions"),
        ({"like": (["a", "b"], [0.1, 0.9])}, ma.PredictionError, "pos_label"),
        ({"like": binary(), "error": 0.1}, ma.WorldError, "like= says what error is"),
        ({"like": binary(), "auc": 0.9}, ma.WorldError, "like= says what auc is"),
        ({"like": binary(), "ties": 0.1}, ma.WorldError, "like= says what ties is"),
        ({"like": binary(), "gap": 0.45}, ma.WorldError, "an area of 0.5 or more"),
        ({"like": binary(), "gap": -0.1}, ma.WorldError, "gap must be between 0 and 0.5"),
        ({"like": binary(), "gap": 0.0}, ma.WorldError, "must change one at least"),
        ({"like": binary(), "n": 1}, ma.WorldError, "n must be a whole number from 2 on"),
        ({"like": binary(), "prior": [0.2, 0.3, 0.5]}, ma.WorldError, "for each class of like"),
        ({"like": binary(), "prior": 0}, ma.WorldError, "prior must be a share above 0"),
    ],
)
def test_what_no_world_can_be_like_is_refused_in_words(words, error, said):
    with pytest.raises(error) as refused:
        ma.simulate("label-noise", measures="acc", repetitions=10, **words)
    assert said in str(refused.value)
