"""Scorers against scikit-learn's own, and stopping early."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.metrics import make_scorer, matthews_corrcoef, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import metricatlas as ma
from metricatlas.integrations.scorer import TIE_BREAK


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :4], y


def scaled(model):
    return make_pipeline(StandardScaler(), model)


THEIRS = {
    "acc": "accuracy",
    "auc": "roc_auc",
    "brier": "neg_brier_score",
    "log_loss": "neg_log_loss",
    "ap": "average_precision",
    "f1": "f1",
    "mcc": make_scorer(matthews_corrcoef),
}


def test_scores_are_those_of_scikit_learn(cancer):
    theirs = cross_validate(scaled(LogisticRegression()), *cancer, scoring=THEIRS)
    ours = cross_validate(scaled(LogisticRegression()), *cancer, scoring=ma.scorer(list(THEIRS)))
    for name in THEIRS:
        assert ours[f"test_{name}"] == pytest.approx(theirs[f"test_{name}"], rel=1e-12), name


def test_one_measure_is_one_number(cancer):
    model = GaussianNB().fit(*cancer)
    score = ma.scorer("auc")(model, *cancer)
    assert isinstance(score, float)
    assert score == pytest.approx(roc_auc_score(cancer[1], model.predict_proba(cancer[0])[:, 1]))
    assert ma.scorer(["auc"])(model, *cancer) == {"auc": score}


class Counted(ClassifierMixin, BaseEstimator):
    """A model that counts its calls."""

    calls = 0

    def fit(self, _X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        type(self).calls += 1
        p = 1 / (1 + np.exp(-X[:, 0]))
        return np.column_stack([1 - p, p])


def test_the_model_is_called_once_for_all_measures(cancer):
    model = Counted().fit(*cancer)
    Counted.calls = 0
    assert len(ma.scorer(["auc", "brier", "acc", "mcc", "ece"])(model, *cancer)) == 5
    assert Counted.calls == 1


def test_decisions_are_the_models_own_where_they_are_enough(cancer):
    model = scaled(LinearSVC()).fit(*cancer)
    assert ma.scorer("acc")(model, *cancer) == model.score(*cancer)
    both = ma.scorer(["acc", "auc"])(model, *cancer)
    assert both["acc"] == model.score(*cancer)
    assert both["auc"] == pytest.approx(
        roc_auc_score(cancer[1], model.decision_function(cancer[0]))
    )


@pytest.mark.parametrize("positive", ["benign", "malignant"])
@pytest.mark.parametrize("model", [LinearSVC(), LogisticRegression(), DecisionTreeClassifier()])
def test_either_class_may_be_the_positive_one(model, positive, cancer):
    X, y = cancer
    names = np.where(y == 1, "benign", "malignant")
    fitted = scaled(model).fit(X, names)
    found = ma.scorer(["recall", "auc"], pos_label=positive)(fitted, X, names)
    decided = fitted.predict(X)
    assert found["recall"] == np.mean(decided[names == positive] == positive)
    assert found["auc"] > 0.9


def test_several_classes_are_those_of_the_model():
    X, y = load_wine(return_X_y=True)
    model = GaussianNB().fit(X, y)
    found = ma.scorer(["auc[ovo,uniform]", "acc", "brier"])(model, X[:100], y[:100])
    p = model.predict_proba(X[:100])
    # The truth of a fold may lack a class that the model knows.
    assert set(y[:100]) == {0, 1}
    assert found["acc"] == np.mean(p.argmax(axis=1) == y[:100])
    assert found["brier"] == pytest.approx(-np.mean(((p - np.eye(3)[y[:100]]) ** 2).sum(axis=1)))


def test_weights_count(cancer):
    model = GaussianNB().fit(*cancer)
    weight = np.arange(len(cancer[1])) % 3
    found = ma.scorer("auc")(model, *cancer, sample_weight=weight)
    p = model.predict_proba(cancer[0])[:, 1]
    assert found == pytest.approx(roc_auc_score(cancer[1], p, sample_weight=weight))


def test_the_second_level_breaks_ties_and_nothing_else():
    class Fixed(Counted):
        def __init__(self, p=()):
            self.p = p

        def predict_proba(self, _X):
            return np.column_stack([1 - self.p, self.p])

    y = np.array([0, 0, 1, 1])
    X = np.zeros((4, 1))
    models = {
        "right": Fixed(np.array([0.1, 0.4, 0.6, 0.9])),
        "same order": Fixed(np.array([0.6, 0.7, 0.8, 0.9])),
        "worse order": Fixed(np.array([0.1, 0.45, 0.4, 0.9])),
    }
    score = ma.scorer("auc:acc")
    found = {name: score(model.fit(X, y), X, y) for name, model in models.items()}
    assert found["right"] > found["same order"] > found["worse order"]
    assert found["right"] == pytest.approx(1 + TIE_BREAK)
    # The paper's number would let accuracy outdo the area.
    assert found["worse order"] < 0.76


def test_a_grid_search_takes_the_best_of_the_first_level_then_of_the_second(cancer):
    grid = {"n_neighbors": [1, 2, 3, 4, 5]}
    search = GridSearchCV(KNeighborsClassifier(), grid, scoring=ma.scorer("acc:auc"), cv=3).fit(
        *cancer
    )
    both = cross_validate_grid(cancer, grid["n_neighbors"])
    best = max(both, key=lambda k: (np.mean(both[k][0]), np.mean(both[k][1])))
    assert search.best_params_["n_neighbors"] == best


def cross_validate_grid(data, sizes):
    found = {}
    for size in sizes:
        scores = cross_validate(
            KNeighborsClassifier(size), *data, scoring=["accuracy", "roc_auc"], cv=3
        )
        found[size] = (scores["test_accuracy"], scores["test_roc_auc"])
    return found


def test_a_scorer_pickles_and_says_what_it_is(cancer):
    score = ma.scorer(["auc", ma.catalogue["brier"]])
    again = pickle.loads(pickle.dumps(score))
    model = GaussianNB().fit(*cancer)
    assert again(model, *cancer) == score(model, *cancer)
    assert repr(score) == "scorer('auc', 'brier')"


def test_a_scorer_works_in_several_processes(cancer):
    found = cross_validate(GaussianNB(), *cancer, scoring=ma.scorer(["auc", "mcc"]), n_jobs=2)
    alone = cross_validate(GaussianNB(), *cancer, scoring=ma.scorer(["auc", "mcc"]))
    assert (found["test_auc"] == alone["test_auc"]).all()


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        ([], "one measure at least"),
        (["auk"], "nearest names"),
        ("prevalence", "which value is better"),
        (["auc", "auc"], "must differ"),
    ],
)
def test_what_makes_no_scorer_is_refused(measures, words):
    with pytest.raises(ma.MeasureError, match=words):
        ma.scorer(measures)


def test_a_model_that_cannot_be_scored_says_what_it_lacks(cancer):
    model = LinearSVC().fit(*cancer)
    with pytest.raises(ma.MeasureError, match="predict_proba to be scored by brier; LinearSVC"):
        ma.scorer("brier")(model, *cancer)


# -- Stopping early --------------------------------------------------------------------------------

Y = np.array([0, 1, 0, 1, 1, 0])


def predictions(quality):
    """A prediction whose accuracy is so many of six."""
    p = Y.astype(float) * 0.8 + 0.1
    p[quality:] = 1 - p[quality:]
    return p


def test_training_stops_after_so_many_epochs_without_gain():
    stopping = ma.EarlyStopping("acc", ahead=3)
    qualities = [2, 4, 5, 5, 4, 3, 6]
    stopped = [stopping.update(Y, predictions(q), state=q) for q in qualities]
    assert stopped == [False, False, False, False, False, True, False]
    # It may be told of more epochs all the same.
    assert (stopping.best_epoch, stopping.best_state, stopping.best) == (6, 6, (1.0,))
    assert [round(6 * value) for (value,) in stopping.history] == qualities


def test_a_small_gain_counts_as_none():
    stopping = ma.EarlyStopping("acc", ahead=2, gain=0.2)
    assert [stopping.update(Y, predictions(q)) for q in (3, 4, 4)] == [False, False, True]
    assert stopping.best_epoch == 0


def test_losses_are_turned():
    stopping = ma.EarlyStopping("brier", ahead=1)
    assert not stopping.update(Y, predictions(3))
    assert not stopping.update(Y, predictions(5))
    assert stopping.update(Y, predictions(4))
    assert stopping.best_epoch == 1


def test_a_tie_of_the_first_level_is_broken_by_the_second():
    same_order = [0.6, 0.8, 0.6, 0.9, 0.9, 0.7]
    for number, kept in ((False, 1), (True, 1)):
        stopping = ma.EarlyStopping("auc:acc", number=number)
        stopping.update(Y, same_order, state="order")
        stopping.update(Y, predictions(6), state="both")
        assert stopping.best_epoch == kept
    assert stopping.history[0] == (pytest.approx(1 + 0.01 * 0.5),)


def test_the_number_may_choose_otherwise_than_the_pair():
    better_order = [0.6, 0.8, 0.6, 0.9, 0.9, 0.7]
    better_decisions = [0.1, 0.9, 0.51, 0.52, 0.505, 0.1]
    values = {}
    for number in (False, True):
        stopping = ma.EarlyStopping("auc:acc", number=number)
        stopping.update(Y, better_order)
        stopping.update(Y, better_decisions)
        values[number] = stopping
    assert values[False].best_epoch == 0
    assert len(values[False].history[0]) == 2
    assert len(values[True].history[0]) == 1


def test_a_state_may_be_a_function_that_is_called_for_the_best_only():
    calls = []
    stopping = ma.EarlyStopping("acc")
    for q in (4, 3, 5):
        stopping.update(Y, predictions(q), state=lambda q=q: calls.append(q) or q)
    assert calls == [4, 5]
    assert stopping.best_state == 5


def test_undefined_values_are_no_gain_and_no_warning():
    stopping = ma.EarlyStopping("ppv", ahead=2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stopping.update(Y, np.zeros(6))
    assert stopping.best_epoch == -1
    assert np.isnan(stopping.best).all()
    stopping.update(Y, predictions(6))
    assert stopping.best_epoch == 1


def test_options_go_to_the_evaluation():
    stopping = ma.EarlyStopping("recall", options={"pos_label": "b"})
    stopping.update(["a", "b", "b"], [0.2, 0.9, 0.4])
    assert stopping.best == (0.5,)


@pytest.mark.parametrize("given", [{"ahead": 0}, {"ahead": 1.5}, {"gain": -1}])
def test_what_cannot_stop_anything_is_refused(given):
    with pytest.raises(ma.MeasureError, match="must be a"):
        ma.EarlyStopping("acc", **given)
    with pytest.raises(ma.MeasureError, match="which value is better"):
        ma.EarlyStopping("prevalence")


def test_it_stops_a_real_training(cancer):
    X, y = cancer
    X = StandardScaler().fit_transform(X)
    model = SGDClassifier(loss="log_loss", learning_rate="constant", eta0=0.05, random_state=0)
    stopping = ma.EarlyStopping("auc:acc", ahead=5)
    for _ in range(200):
        model.partial_fit(X[::2], y[::2], classes=[0, 1])
        p = model.predict_proba(X[1::2])
        if stopping.update(y[1::2], p, state=lambda: (model.coef_.copy(), model.intercept_.copy())):
            break
    assert len(stopping.history) < 200
    assert len(stopping.history) == stopping.best_epoch + 6
    model.coef_, model.intercept_ = stopping.best_state
    p = model.predict_proba(X[1::2])[:, 1]
    assert stopping.best[0] == pytest.approx(roc_auc_score(y[1::2], p))
