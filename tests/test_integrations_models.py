"""What models say, asked by scorers: their classes, their columns, and where they decide."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import IsolationForest, StackingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    log_loss,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    KFold,
    TunedThresholdClassifierCV,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeRegressor

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


# -- Classes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC(), KNeighborsClassifier()])
@pytest.mark.parametrize("names", [np.array([0, 1]), np.array(["yes", "no"]), np.array([7, 3])])
def test_the_order_of_labels_changes_nothing(model, names, cancer):
    X, y = cancer[0], names[cancer[1]]
    fitted, positive = clone(model).fit(X, y), names[1]
    method = "decision_function" if isinstance(model, LinearSVC) else "predict_proba"
    values = getattr(fitted, method)(X)
    second = values if values.ndim == 1 else values[:, 1]
    score = second if fitted.classes_[1] == positive else -second
    for labels in (None, names, names[::-1]):
        found = ma.scorer(["auc", "recall"], labels=labels, pos_label=positive)(fitted, X, y)
        assert found["auc"] == pytest.approx(roc_auc_score(y == positive, score), rel=1e-12)
        assert found["recall"] == recall_score(y, fitted.predict(X), pos_label=positive)


def test_labels_in_another_order_move_the_columns_of_many_classes(wine):
    X, y = wine
    fitted = GaussianNB().fit(X, y)
    expected = -log_loss(y, fitted.predict_proba(X))
    for labels in (None, [2, 0, 1]):
        assert ma.scorer("log_loss", labels=labels)(fitted, X, y) == pytest.approx(expected)
    with pytest.raises(ma.MeasureError, match=r"must name all classes of the model; \[2\] are"):
        ma.scorer("log_loss", labels=[0, 1])(fitted, X[:100], y[:100])


def test_a_truth_without_some_class_is_judged_among_all_of_the_model(wine):
    X, y = wine
    fitted = KNeighborsClassifier(1).fit(X, np.roll(y, 5))
    decided = fitted.predict(X[:100])
    assert set(decided) == {0, 1, 2}
    assert set(y[:100]) == {0, 1}
    found = ma.scorer("acc")(fitted, X[:100], y[:100])
    assert found == accuracy_score(y[:100], decided)
    # Probabilities and decisions are of the same classes.
    assert ma.scorer(["f1", "log_loss"])(fitted, X[:100], y[:100])["f1"] == ma.scorer("f1")(
        fitted, X[:100], y[:100]
    )


@pytest.mark.parametrize("model", [GaussianNB(), LinearSVC(), DummyClassifier()])
def test_a_class_that_the_model_does_not_know_gets_nothing(model, wine):
    X, y = wine
    fitted = clone(model).fit(X[:130], y[:130])
    assert set(y) - set(fitted.classes_) == {2}
    score = ma.scorer(["acc", "auc"])
    with pytest.warns(UserWarning, match=r"classes that the model does not know, \[2\]"):
        found = score(fitted, X, y)
    assert found["acc"] == accuracy_score(y, fitted.predict(X))
    assert found == ma.scorer(["acc", "auc"], labels=[0, 1, 2])(fitted, X, y)
    if hasattr(fitted, "predict_proba"):
        p = np.column_stack([fitted.predict_proba(X), np.zeros(len(X))])
        assert found["auc"] == ma.measure("auc", y, p)
        brier = ma.scorer("brier", labels=[0, 1, 2])(fitted, X, y)
        assert brier == pytest.approx(-np.mean(((p - np.eye(3)[y]) ** 2).sum(axis=1)))


def test_folds_that_lack_classes_are_scored_all_the_same(wine):
    # Unshuffled folds of sorted classes: none is trained on all of them.
    score = ma.scorer(["acc", "brier"], labels=[0, 1, 2])
    found = cross_validate(GaussianNB(), *wine, cv=KFold(3), scoring=score)
    theirs = cross_validate(GaussianNB(), *wine, cv=KFold(3), scoring="accuracy")
    assert found["test_acc"] == pytest.approx(theirs["test_score"])
    assert np.isfinite(found["test_brier"]).all()


def test_a_model_of_one_class_is_judged_among_two(cancer):
    X, y = cancer
    fitted = DummyClassifier().fit(X, np.zeros(len(y), dtype=int))
    with pytest.warns(UserWarning, match=r"\[1\]"):
        found = ma.scorer(["acc", "auc", "brier"])(fitted, X, y)
    share = y.mean()
    assert found == pytest.approx({"acc": 1 - share, "auc": 0.5, "brier": -share})
    assert ma.scorer("brier")(fitted, X[y == 0], y[y == 0]) == 0
    named = DummyClassifier().fit(X, np.full(len(y), "a"))
    with pytest.raises(ma.PredictionError, match=r"one class, 'a', .* labels="):
        ma.scorer("brier")(named, X, np.full(len(y), "a"))
    scored = ma.scorer("brier", pos_label="b")(named, X, np.full(len(y), "a"))
    assert scored == 0


def test_labels_that_are_none_of_the_models_are_refused(cancer):
    X, y = cancer
    fitted = GaussianNB().fit(X, y)
    with pytest.raises(ma.PredictionError, match="must hold classes of the model"):
        ma.scorer("auc")(fitted, X, np.where(y == 1, "yes", "no"))
    with pytest.raises(ma.PredictionError, match="which of the two classes 'no' and 'yes'"):
        ma.scorer("auc")(GaussianNB().fit(X, np.where(y, "yes", "no")), X, np.where(y, "yes", "no"))
    with pytest.raises(ma.PredictionError, match="one of the classes 0 and 1; got 7"):
        ma.scorer("auc", pos_label=7)(fitted, X, y)
    with pytest.raises(ma.PredictionError, match="one column"):
        ma.scorer("acc")(KNeighborsClassifier().fit(X, np.c_[y, y]), X, np.c_[y, y])


def test_a_positive_class_of_three_is_refused(wine):
    with pytest.raises(ma.PredictionError, match="pos_label is for two classes; these are 3"):
        ma.scorer("auc", pos_label=1)(GaussianNB().fit(*wine), *wine)


def test_frames_and_categories_are_scored_as_arrays_are(cancer):
    X, y = cancer
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(len(y))[::-1])
    named = pd.Series(np.where(y, "yes", "no"), index=frame.index, dtype="category")
    w = pd.Series(weights(y), index=frame.index)
    score = ma.scorer(["auc", "acc"], pos_label="yes")
    found = score(LogisticRegression().fit(frame, named), frame, named, sample_weight=w)
    expected = ma.scorer(["auc", "acc"])(
        LogisticRegression().fit(X, y), X, y, sample_weight=weights(y)
    )
    assert found == pytest.approx(expected, rel=1e-12)


def test_probabilities_in_one_column_are_of_the_second_class(cancer):
    class OneColumn(GaussianNB):
        def predict_proba(self, X):
            return super().predict_proba(X)[:, 1]

    X, y = cancer
    fitted, usual = OneColumn().fit(X, y), GaussianNB().fit(X, y)
    for positive in (0, 1):
        score = ma.scorer(["auc", "brier", "recall"], pos_label=positive)
        assert score(fitted, X, y) == pytest.approx(score(usual, X, y), rel=1e-12)
    wine = load_wine(return_X_y=True)
    three = OneColumn().fit(*wine)
    with pytest.raises(ma.MeasureError, match=r"a column for each of the classes \[0, 1, 2\]"):
        ma.scorer("brier")(three, *wine)


# -- Where decisions are cut -----------------------------------------------------------------------


def test_a_threshold_is_one_of_probabilities(cancer):
    X, y = cancer
    fitted = LogisticRegression().fit(X, y)
    expected = recall_score(y, fitted.predict_proba(X)[:, 1] > 0.3)
    assert expected != recall_score(y, fitted.decision_function(X) > 0.3)
    for measures, threshold in (
        ("recall", 0.3),
        ("recall@0.3", None),
        (["recall", "auc"], 0.3),
        (["recall@0.3", "auc"], None),
        ("mean[recall@0.3]", None),
    ):
        found = ma.scorer(measures, threshold=threshold)(fitted, X, y)
        value = found if isinstance(found, float) else next(iter(found.values()))
        assert value == expected
    assert ma.scorer("recall", threshold=0.3)(LinearSVC().fit(X, y), X, y) == recall_score(
        y, LinearSVC().fit(X, y).decision_function(X) > 0.3
    )


@pytest.mark.parametrize("method", ["auto", "decision_function"])
@pytest.mark.parametrize("positive", ["no", "yes", None])
@pytest.mark.parametrize("judged", ["no", "yes"])
def test_a_threshold_of_the_models_own_decides(method, positive, judged, cancer):
    X, y = cancer[0], np.where(cancer[1], "yes", "no")
    model = FixedThresholdClassifier(
        LogisticRegression(), threshold=0.9, response_method=method, pos_label=positive
    )
    fitted = model.fit(X, y)
    searched = GridSearchCV(model, {}, scoring=ma.scorer("acc", pos_label="yes")).fit(X, y)
    for outer in (fitted, make_pipeline(StandardScaler(), model).fit(X, y), searched):
        found = ma.scorer(["recall", "acc", "auc"], pos_label=judged)(outer, X, y)
        assert found["recall"] == recall_score(y, outer.predict(X), pos_label=judged)
        assert found["acc"] == accuracy_score(y, outer.predict(X))
    assert (fitted.predict(X) != fitted.estimator_.predict(X)).any()


def test_the_threshold_that_scikit_learn_tunes_is_that_of_its_own_scorer(cancer):
    theirs = TunedThresholdClassifierCV(LogisticRegression(), scoring="f1").fit(*cancer)
    ours = TunedThresholdClassifierCV(LogisticRegression(), scoring=ma.scorer("f1")).fit(*cancer)
    assert ours.best_threshold_ == theirs.best_threshold_
    assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-12)
    decided = f1_score(cancer[1], ours.predict(cancer[0]))
    assert ma.scorer(["f1", "auc"])(ours, *cancer)["f1"] == pytest.approx(decided)


def test_a_threshold_is_never_tuned_to_where_the_measure_is_undefined(cancer):
    X, y = cancer[0], np.where(cancer[1], "yes", "no")
    score = ma.scorer("ppv", pos_label="yes")
    tuned = TunedThresholdClassifierCV(LogisticRegression(), scoring=score).fit(X, y)
    # Without a positive decision there is no precision; the highest cut of all leaves none.
    assert np.isfinite(tuned.best_score_)
    assert (tuned.predict(X) == "yes").any()


def test_a_threshold_is_tuned_under_one_measure_of_decisions(cancer):
    for measures, words in ((["f1"], "under one measure"), ("auc", "needs scores")):
        model = TunedThresholdClassifierCV(LogisticRegression(), scoring=ma.scorer(measures))
        with pytest.raises(ma.MeasureError, match=words):
            model.fit(*cancer)


def test_votes_of_pairs_of_classes_are_no_scores(wine):
    pairs = SVC(decision_function_shape="ovo").fit(*wine)
    with pytest.raises(ma.MeasureError, match="must have decision_function or predict_proba"):
        ma.scorer("auc")(pairs, *wine)
    assert ma.scorer("acc")(pairs, *wine) == pairs.score(*wine)
    two = wine[1] < 2
    both = SVC(decision_function_shape="ovo").fit(wine[0][two], wine[1][two])
    assert ma.scorer("auc")(both, wine[0][two], wine[1][two]) > 0.5


# -- What is no fitted classifier ------------------------------------------------------------------


@pytest.mark.parametrize("model", [LinearRegression(), DecisionTreeRegressor(), KMeans(2)])
@pytest.mark.parametrize("measure", ["acc", "auc"])
def test_what_predicts_no_classes_is_refused(model, measure, cancer):
    with pytest.raises(ma.MeasureError, match=r"must be a classifier; .* is a (regr|clust)"):
        ma.scorer(measure)(model.fit(*cancer), *cancer)


def test_detectors_of_outliers_are_scored(cancer):
    X, y = cancer
    fitted = IsolationForest(random_state=0).fit(X)
    expected = roc_auc_score(y, fitted.decision_function(X))
    assert ma.scorer("auc")(fitted, X, 2 * y - 1) == pytest.approx(expected)
    assert ma.scorer("acc")(fitted, X, 2 * y - 1) == np.mean(fitted.predict(X) == 2 * y - 1)


@pytest.mark.parametrize("model", [LogisticRegression(), StackingClassifier([("a", GaussianNB())])])
def test_a_model_that_is_not_fitted_says_so(model, cancer):
    for measure in ("acc", "auc", "brier"):
        with pytest.raises(NotFittedError):
            ma.scorer(measure)(model, *cancer)
