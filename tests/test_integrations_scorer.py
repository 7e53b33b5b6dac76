"""Scorers wherever scikit-learn takes scorers, with weights, labels and models of every kind."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    make_scorer,
    roc_auc_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    cross_validate,
    learning_curve,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import metricatlas as ma


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return StandardScaler().fit_transform(X[:, :4]), y


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True)


def weights(y):
    return np.random.default_rng(0).random(len(y))


# -- Weights ---------------------------------------------------------------------------------------


def test_weights_are_routed_where_they_are_asked_for(cancer):
    w = weights(cancer[1])
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=False)
        theirs = make_scorer(roc_auc_score, response_method="decision_function")
        found = [
            cross_validate(
                model,
                *cancer,
                scoring=scoring.set_score_request(sample_weight=True),
                params={"sample_weight": w},
            )["test_score"]
            for scoring in (ma.scorer("auc"), theirs)
        ]
        plain = cross_validate(model, *cancer, scoring=ma.scorer("auc"))["test_score"]
    assert found[0] == pytest.approx(found[1], rel=1e-12)
    assert (found[0] != plain).all()


@pytest.mark.parametrize(("asked", "name"), [("mine", "mine"), (False, "sample_weight")])
def test_weights_go_by_another_name_or_not_at_all(asked, name, cancer):
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=name)
        ours, theirs = (
            cross_validate(
                model,
                *cancer,
                scoring=scoring.set_score_request(sample_weight=asked),
                params={name: weights(cancer[1])},
            )["test_score"]
            for scoring in (ma.scorer("acc"), make_scorer(accuracy_score))
        )
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_weights_of_which_nobody_said_anything_are_an_error(cancer):
    with config_context(enable_metadata_routing=True):
        model = LogisticRegression().set_fit_request(sample_weight=True)
        with pytest.raises(UnsetMetadataPassedError, match="set_score_request"):
            cross_validate(
                model,
                *cancer,
                scoring=ma.scorer("auc"),
                params={"sample_weight": weights(cancer[1])},
            )


def test_a_search_with_weights_scores_as_with_scorers_of_scikit_learn(cancer):
    grid, w = {"C": [0.01, 1]}, weights(cancer[1])
    searches = [
        GridSearchCV(LogisticRegression(), grid, scoring=scoring, refit=refit).fit(
            *cancer, sample_weight=w
        )
        for scoring, refit in (
            ("roc_auc", True),
            (ma.scorer("auc"), True),
            ({"one": ma.scorer("auc"), "other": "accuracy"}, "one"),
        )
    ]
    theirs, ours, beside = (s.cv_results_ for s in searches)
    assert ours["mean_test_score"] == pytest.approx(theirs["mean_test_score"], rel=1e-12)
    assert beside["mean_test_one"] == pytest.approx(theirs["mean_test_score"], rel=1e-12)


# -- Two levels ------------------------------------------------------------------------------------


class Fixed:
    """A model that says what it is told to."""

    classes_ = np.array([0, 1])

    def __init__(self, p):
        self.p = np.asarray(p)

    def predict_proba(self, _X):
        return np.column_stack([1 - self.p, self.p])


def score_of(measure, y, p):
    return ma.scorer(measure)(Fixed(p), np.zeros((len(y), 1)), y)


def test_an_endless_second_level_does_not_outdo_the_first():
    y = np.array([0, 0, 1, 1])
    sure_and_wrong_once = score_of("acc:log_loss", y, [0.0, 0.0, 0.0, 1.0])
    unsure_and_wrong_twice = score_of("acc:log_loss", y, [0.4, 0.6, 0.4, 0.6])
    sure_and_wrong_twice = score_of("acc:log_loss", y, [0.0, 1.0, 0.0, 1.0])
    assert ma.measure("log_loss", y, [0.0, 0.0, 0.0, 1.0]) == np.inf
    assert sure_and_wrong_once > unsure_and_wrong_twice > sure_and_wrong_twice


def test_the_nearest_areas_are_not_exchanged_by_the_second_level():
    # Of 2,000 x 2,000 pairs one is half a tie.
    y = np.repeat([0, 1], 2000)
    ordered = np.concatenate([np.linspace(0, 0.3, 2000), np.linspace(0.31, 0.49, 2000)])
    tied = np.where(y == 1, 0.9, 0.1)
    tied[[0, -1]] = 0.5
    assert ma.measure("auc", y, ordered) - ma.measure("auc", y, tied) == pytest.approx(1.25e-7)
    assert ma.measure("acc", y, ordered) < ma.measure("acc", y, tied)
    assert score_of("auc:acc", y, ordered) > score_of("auc:acc", y, tied)


# -- Where scikit-learn takes scorers --------------------------------------------------------------


def test_a_search_refits_under_a_measure_by_its_name(cancer):
    grid = {"C": [1e-4, 1e-2, 1]}
    score = ma.scorer(["auc", "auc:acc", "brier"])
    ours = GridSearchCV(LogisticRegression(), grid, scoring=score, refit="brier").fit(*cancer)
    theirs = GridSearchCV(LogisticRegression(), grid, scoring="neg_brier_score").fit(*cancer)
    assert ours.best_params_ == theirs.best_params_
    assert ours.cv_results_["mean_test_brier"] == pytest.approx(
        theirs.cv_results_["mean_test_score"]
    )
    assert (ours.cv_results_["rank_test_auc:acc"] >= 1).all()


def test_copies_of_scorers_score_alike(cancer):
    fitted = GaussianNB().fit(*cancer)
    score = ma.scorer(["auc", "brier"], pos_label=0, threshold=0.3)
    score.set_score_request(sample_weight="mine")
    search = clone(GridSearchCV(GaussianNB(), {}, scoring=score))
    for other in (copy.deepcopy(score), pickle.loads(pickle.dumps(score)), search.scoring):
        assert vars(other) == vars(score)
        assert other(fitted, *cancer) == score(fitted, *cancer)


def test_measures_of_ones_own_go_to_other_processes(cancer):
    @ma.define_measure(bounds=(0, 1), checks={"by": (lambda by: by > 0, "must be positive")})
    def part_of_acc(c: ma.Confusion, *, by: float = 2.0):
        """A part of the accuracy."""
        return c.correct / c.total / by

    @ma.define_measure(bounds=(0, 2))
    def both_parts(part_of_acc, auc):
        """A part of the accuracy, and the area."""
        return part_of_acc + auc

    score = ma.scorer(["part_of_acc[by=4]", "acc:part_of_acc", ma.catalogue["both_parts"]])
    found = cross_validate(GaussianNB(), *cancer, scoring=score, n_jobs=2)
    alone = cross_validate(GaussianNB(), *cancer, scoring=score)
    for name in ("part_of_acc[by=4]", "acc:part_of_acc", "both_parts"):
        assert (found[f"test_{name}"] == alone[f"test_{name}"]).all()


MODULE = """
import metricatlas as ma

@ma.define_measure(bounds=(0, 1))
def third_of_acc(c: ma.Confusion):
    "A third of the accuracy."
    return c.correct / c.total / 3
"""


def test_a_pickled_scorer_brings_the_module_of_a_measure_along(tmp_path):
    (tmp_path / "mine.py").write_text(MODULE, encoding="utf-8")
    writes = "import mine, pickle, metricatlas as ma; s = ma.scorer('third_of_acc')"
    reads = "import pickle, metricatlas as ma; print(pickle.load(open('s.pickle', 'rb')))"
    programs = [
        f"{writes}; open('s.pickle', 'wb').write(pickle.dumps(s))",
        f"{reads}; print(ma.measure('third_of_acc', [0, 1], [0, 1]))",
    ]
    for program in programs:
        run = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["scorer('third_of_acc')", str(1 / 3)]


def test_learning_curves_and_importances_are_of_any_measure(cancer):
    _, _, tested = learning_curve(
        LogisticRegression(),
        *cancer,
        scoring=ma.scorer("auc"),
        cv=3,
        train_sizes=[0.5, 1.0],
        shuffle=True,
        random_state=0,
    )
    _, _, theirs = learning_curve(
        LogisticRegression(),
        *cancer,
        scoring="roc_auc",
        cv=3,
        train_sizes=[0.5, 1.0],
        shuffle=True,
        random_state=0,
    )
    assert tested == pytest.approx(theirs, rel=1e-12)
    fitted, w = LogisticRegression().fit(*cancer), weights(cancer[1])
    given = {"n_repeats": 2, "random_state": 0, "sample_weight": w}
    found = permutation_importance(fitted, *cancer, scoring=ma.scorer(["auc", "brier"]), **given)
    expected = permutation_importance(fitted, *cancer, scoring="neg_brier_score", **given)
    assert found["brier"].importances == pytest.approx(expected.importances, abs=1e-12)


def test_a_score_that_fails_is_the_error_score(cancer):
    score = ma.scorer(["brier", "acc"])
    with pytest.warns(UserWarning, match="must have predict_proba to be scored by brier, acc"):
        found = cross_validate(LinearSVC(), *cancer, scoring=score, error_score=-1.0)
    assert (found["test_score"] == -1).all()
    with pytest.raises(ma.MeasureError, match="LinearSVC has not"):
        cross_validate(LinearSVC(), *cancer, scoring=score, error_score="raise")
