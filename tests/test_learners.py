"""What holds for every learner, whatever it learns."""

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from learner_tasks import OURS, QUICK, STAGED, mixed, parts
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from metricatlas.errors import PopulationError
from metricatlas.populations.learners import learner, learner_names
from metricatlas.populations.learners.classes import EveryClass
from metricatlas.populations.learners.types import TREE_TYPES

DOCS = Path(__file__).parents[1] / "docs"


def fitted(name, task, *, seed=1, train=40, **parameters):
    X, y, _, _ = parts(task, train)
    return learner(name).build(task, {**QUICK.get(name, {}), **parameters}, seed).fit(X, y)


# -- Predictions ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_every_row_has_a_probability_for_every_class(name):
    task = mixed()
    model = fitted(name, task)
    found = model.predict_proba(task.features)
    assert found.shape == (60, 3)
    assert ((found >= 0) & (found <= 1)).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert list(model.classes_) == ["no", "perhaps", "yes"]
    best = np.array(task.classes, dtype=object)[found.argmax(axis=1)]
    np.testing.assert_array_equal(model.predict(task.features), best)


@pytest.mark.parametrize("name", OURS)
def test_a_learner_learns(name):
    task = mixed(300, classes=("no", "yes"))
    model = fitted(name, task, train=200)
    _, _, X, y = parts(task, 200)
    assert roc_auc_score(y == "yes", model.predict_proba(X)[:, 1]) > 0.65


@pytest.mark.parametrize("name", OURS)
def test_shuffled_classes_are_predicted_no_better_than_by_chance(name):
    task = mixed(240, classes=("no", "yes"))
    task.target = np.random.default_rng(5).permutation(task.target)
    values = []
    for train, test in StratifiedKFold(4).split(task.features, task.target):
        model = learner(name).build(task, QUICK.get(name), 1)
        model.fit(task.features.iloc[train], task.target[train])
        found = model.predict_proba(task.features.iloc[test])[:, 1]
        values.append(roc_auc_score(task.target[test] == "yes", found))
    # Four times 60 rows: the standard deviation of the mean is 0.038.
    assert abs(np.mean(values) - 0.5) < 4 * 0.038


# -- Nothing is learnt from test rows ------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_what_a_row_is_predicted_does_not_depend_on_other_test_rows(name):
    task = mixed()
    _, _, X, _ = parts(task)
    model = fitted(name, task)
    absurd = X.copy()
    absurd.loc[absurd.index[1:], ["size", "weight", "constant"]] = 1e6
    absurd.loc[absurd.index[1:], "colour"] = "never"
    alone, among = model.predict_proba(X.iloc[:1]), model.predict_proba(absurd)[:1]
    np.testing.assert_allclose(alone, among, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", OURS)
def test_the_values_of_test_rows_do_not_reach_the_model(name):
    task = mixed()
    _, _, X, _ = parts(task)
    other = SimpleNamespace(classes=task.classes, target=task.target, features=task.features.copy())
    other.features.loc[other.features.index[40:], ["size", "weight", "constant"]] = -1e6
    other.features.loc[other.features.index[40:], "colour"] = "never"
    other.features.loc[other.features.index[40:], "nothing"] = 3.0
    one, two = fitted(name, task), fitted(name, other)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


# -- Chance --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_the_same_seed_gives_the_same_bits(name):
    task = mixed()
    found = [fitted(name, task, seed=7).predict_proba(task.features) for _ in range(2)]
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("name", ["perceptron", "bagged-trees", "random-forest", "svm"])
def test_another_seed_gives_another_model(name):
    task = mixed()
    found = [fitted(name, task, seed=seed).predict_proba(task.features) for seed in (7, 8)]
    assert (found[0] != found[1]).any()


def test_seeds_may_be_large_and_must_be_whole():
    task = mixed()
    fitted("random-forest", task, seed=2**63)
    for seed in (-1, 1.5, True, "1"):
        with pytest.raises(PopulationError, match="seed must be a whole number from 0 on; got"):
            learner("tree").build(task, {}, seed)


# -- Folds that lack something -------------------------------------------------------------------


@pytest.mark.parametrize("name", OURS)
def test_a_class_that_the_training_rows_lack_has_its_column(name):
    task = mixed()
    X, y, test, _ = parts(task)
    kept = y != "perhaps"
    model = learner(name).build(task, QUICK.get(name), 1).fit(X[kept], y[kept])
    found = model.predict_proba(test)
    assert found.shape == (20, 3)
    assert (found[:, 1] < found.max(axis=1)).all()
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", OURS)
def test_one_class_alone_is_nearly_certain(name):
    task = mixed()
    X, y, test, _ = parts(task)
    kept = y == "perhaps"
    model = learner(name).build(task, QUICK.get(name), 1).fit(X[kept], y[kept])
    assert (model.predict_proba(test)[:, 1] > 0.5).all()


@pytest.mark.parametrize("name", OURS)
def test_two_training_rows_are_enough(name):
    task = mixed(classes=("no", "yes"))
    _, y, _, _ = parts(task)
    rows = [int(np.flatnonzero(y == each)[0]) for each in task.classes]
    model = learner(name).build(task, QUICK.get(name), 1)
    model.fit(task.features.iloc[rows], task.target[rows])
    assert np.isfinite(model.predict_proba(task.features)).all()


@pytest.mark.parametrize("name", OURS)
def test_a_value_that_no_column_declares_counts_as_missing(name):
    task = mixed()
    model = fitted(name, task)
    _, _, X, _ = parts(task)
    unseen, missing = X.copy(), X.copy()
    unseen["colour"] = unseen["colour"].astype(object).where(X.index != 41, "purple")
    missing.loc[41, "colour"] = None
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(missing))


@pytest.mark.parametrize("name", OURS)
def test_a_test_row_may_lack_what_no_training_row_lacks(name):
    task = mixed(120)
    whole = task.features[["size", "weight", "colour", "switch"]].dropna().index
    task.features = task.features[["size", "weight", "colour", "switch"]]
    model = learner(name).build(task, QUICK.get(name), 1)
    model.fit(task.features.loc[whole], task.target[whole])
    gaps = task.features.loc[whole[:1]].copy()
    for column in gaps:
        gaps[column] = gaps[column].where([False])
    found = model.predict_proba(gaps)
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", OURS)
def test_texts_and_truth_values_are_nominal(name):
    task = mixed()
    as_text = SimpleNamespace(classes=task.classes, target=task.target)
    as_text.features = task.features.assign(
        colour=task.features["colour"].astype(object), switch=task.features["switch"] == "on"
    ).drop(columns="nowhere")
    assert np.isfinite(fitted(name, as_text).predict_proba(as_text.features)).all()


@pytest.mark.parametrize("name", OURS)
def test_a_data_set_may_have_no_attributes_left_but_a_constant(name):
    task = mixed(classes=("no", "yes"))
    task.features = task.features[["constant"]]
    found = fitted(name, task).predict_proba(task.features)
    assert (found == found[0]).all()


# -- Stages --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "parameters", "staged", "values"), STAGED)
def test_a_stage_is_what_a_model_of_its_own_would_be(name, parameters, staged, values):
    task = mixed()
    _, _, X, _ = parts(task)
    model = fitted(name, task, **parameters, **{staged: values})
    stages = list(learner(name).stages(model, X))
    assert [stage for stage, _ in stages] == [{staged: value} for value in values]
    for (_, found), value in zip(stages, values, strict=True):
        alone = fitted(name, task, **parameters, **{staged: value})
        np.testing.assert_array_equal(found, alone.predict_proba(X))
    np.testing.assert_array_equal(stages[-1][1], model.predict_proba(X))


@pytest.mark.parametrize("name", OURS)
def test_a_model_without_stages_has_one_without_a_name(name):
    task = mixed()
    _, _, X, _ = parts(task)
    model = fitted(name, task)
    [(stage, found)] = learner(name).stages(model, X)
    assert stage == {}
    np.testing.assert_array_equal(found, model.predict_proba(X))


@pytest.mark.parametrize(("name", "parameters", "staged", "values"), STAGED)
def test_stages_are_there_even_where_there_is_one_class(name, parameters, staged, values):
    task = mixed()
    X, y, test, _ = parts(task)
    model = learner(name).build(task, {**parameters, staged: values}, 1)
    model.fit(X[y == "yes"], y[y == "yes"])
    stages = list(learner(name).stages(model, test))
    assert [stage for stage, _ in stages] == [{staged: value} for value in values]
    assert all((found[:, 2] > 0.4).all() for _, found in stages)


# -- Names and parameters ------------------------------------------------------------------------


def test_the_papers_learners_have_their_names():
    names = "tree tree-unpruned-laplace naive-bayes logistic perceptron knn boosted-trees"
    names += " boosted-stumps bagged-trees random-forest svm"
    assert names.split() == OURS
    assert learner_names() == [*OURS, *(f"weka-{name}" for name in OURS)]
    assert learner(learner("knn")) is learner("knn")


@pytest.mark.parametrize("name", learner_names())
def test_settings_are_plain_and_can_be_given_again(name):
    settings = learner(name).settings()
    assert json.loads(json.dumps(settings)) == settings
    assert learner(name).settings(settings) == settings
    assert list(learner(name).settings(dict(reversed(settings.items())))) == list(settings)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("knn", {"neighbors": 3}, "knn has no parameter 'neighbors'; the nearest are 'neighbours'"),
        ("naive-bayes", {"prior": 1}, "naive-bayes has no parameter 'prior'; there are none."),
        ("knn", {"neighbours": 0}, "neighbours of knn must be a whole number from 1 on; got 0."),
        ("knn", {"neighbours": 2.5}, "neighbours of knn must be a whole number"),
        ("knn", {"neighbours": True}, "must be a whole number from 1 on; got True."),
        ("knn", {"neighbours": []}, "must list one or more values, each once; got []."),
        ("knn", {"neighbours": [1, 1]}, r"must list one or more values, each once; got [1, 1]."),
        ("knn", {"neighbours": [1, "many"]}, "must be a whole number from 1 on; got 'many'"),
        ("knn", {"weighting": "inverze"}, "'kernel'; got 'inverze'; the nearest are 'inverse'"),
        ("tree", {"confidence": 0.7}, "must be a number from 1e-06 to 0.5; got 0.7."),
        ("tree", {"confidence": float("nan")}, "must be a number from 1e-06 to 0.5; got nan."),
        ("tree", {"smallest": [1, 2]}, "smallest of tree must be a whole number from 1 on; got"),
        ("tree", {"collapse": 1}, "collapse of tree must be one of True, False; got 1."),
        ("tree", {"type": "c45"}, "got 'c45'; the nearest are 'c4', 'c44'"),
        ("tree", {"type": "c44", "pruning": "none", "smallest": 3}, "type 'c44' of tree sets sma"),
        ("perceptron", {"hidden": "all"}, "a whole number from 1 on or 'half'; got 'all'"),
        ("weka-tree", {"options": 3}, "options of weka-tree must be a text; got 3."),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(name, parameters, message):
    with pytest.raises(PopulationError, match=re.escape(message)):
        learner(name).settings(parameters)


@pytest.mark.parametrize("name", ["knm", "Tree", "", 3, None])
def test_an_unknown_learner_is_told_the_nearest_names(name):
    with pytest.raises(PopulationError, match=r"there is no learner .*; (the nearest|there) are"):
        learner(name)


def test_a_type_sets_what_it_is_made_of():
    settings = learner("boosted-trees").settings({"type": "mmlls", "attributes": "original"})
    chosen = {name: settings[name] for name in TREE_TYPES["mmlls"].settings}
    assert chosen == TREE_TYPES["mmlls"].settings
    assert settings["attributes"] == "original"


@pytest.mark.parametrize("kind", TREE_TYPES)
def test_every_type_of_tree_can_be_trained(kind):
    task = mixed()
    assert np.isfinite(fitted("tree", task, type=kind).predict_proba(task.features)).all()


# -- What models cannot take ---------------------------------------------------------------------


def test_rows_must_have_the_attributes_of_the_training_rows():
    task = mixed()
    with pytest.raises(PopulationError, match="the attributes of the training rows, in their ord"):
        fitted("tree", task).predict_proba(task.features.iloc[:, ::-1])


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (np.inf, "attributes must be finite or missing; column 1, 'size', has infinite values"),
        (pd.Timestamp("2020-01-01"), "attributes must be numbers or nominal; column 1, 'size', is"),
        (1j, "attributes must be numbers or nominal; column 1, 'size', is complex"),
    ],
)
def test_values_that_are_neither_numbers_nor_nominal_are_refused(column, message):
    task = mixed()
    task.features["size"] = column
    with pytest.raises(PopulationError, match=message):
        fitted("knn", task)


def test_numbers_must_stay_numbers():
    task = mixed()
    model = fitted("knn", task)
    with pytest.raises(PopulationError, match="'weight', holds numbers in the training rows; got"):
        model.predict_proba(task.features.assign(weight="heavy"))


def test_classes_must_be_those_of_the_data_set():
    task = mixed()
    model = learner("tree").build(task)
    target = np.where(task.target == "no", "nö", task.target)
    with pytest.raises(PopulationError, match=r"must have the classes .*; got 'nö'; the nearest"):
        model.fit(task.features, target)
    with pytest.raises(PopulationError, match="a model needs training rows; got none"):
        model.fit(task.features[:0], target[:0])


def test_a_model_without_probabilities_is_told_how_to_get_some():
    with pytest.raises(PopulationError, match="LinearSVC has none"):
        EveryClass(LinearSVC(), (0, 1)).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("name", OURS)
def test_a_trained_model_can_be_pickled(name):
    task = mixed()
    model = fitted(name, task)
    again = pickle.loads(pickle.dumps(model))
    found = [each.predict_proba(task.features) for each in (model, again)]
    np.testing.assert_array_equal(*found)


def test_asking_for_a_learner_imports_nothing_heavy():
    program = (
        "import sys; from metricatlas.populations.learners import grid, learner; "
        "learner('svm').settings(); grid('caruana2004'); "
        "assert not {'sklearn', 'numba', 'scipy', 'pandas'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
