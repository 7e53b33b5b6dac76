"""Weka's own learners where Weka is installed, and ours against what it says."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from learner_tasks import OURS, mixed, parts
from sklearn.datasets import load_iris

from metricatlas.errors import PopulationError
from metricatlas.populations.datasets import load
from metricatlas.populations.learners import learner, weka_folds
from metricatlas.populations.learners.weka_folds import JavaRandom

#: What Weka 3.9.7 predicted; made anew by running this file as a program.
ANSWERS = Path(__file__).with_name("weka_answers.json")
#: Of 100 rows so many are right, as Weka prints it (ten folds, seed 1).
PRINTED = {
    "iris": 96.00,
    "vote": 96.32,
    "soybean": 91.51,
    "ionosphere": 91.45,
    "breast-cancer": 75.52,
}


def tasks():
    """Return data sets that are always there: of numbers, and of everything with gaps."""
    iris = load_iris(as_frame=True)
    flowers = SimpleNamespace(features=iris.data, target=iris.target.to_numpy(), classes=(0, 1, 2))
    return {"iris": flowers, "mixed": mixed(150)}


def answers(prefix):
    """Predict every third row of each data set from the others."""
    found = {}
    for task_name, names in (
        ("iris", ("naive-bayes", "logistic", "boosted-stumps")),
        ("mixed", ("naive-bayes", "knn")),
    ):
        task = tasks()[task_name]
        test = np.arange(150) % 3 == 0
        for name in names:
            model = learner(prefix + name).build(task)
            model.fit(task.features[~test], task.target[~test])
            rows = model.predict_proba(task.features[test])
            found[f"{task_name} {name}"] = rows.round(9).tolist()
    return found


@pytest.fixture(name="weka", scope="module")
def _weka():
    pytest.importorskip("weka", reason="Weka's learners need the extra `weka`")
    pytest.importorskip("jpype", reason="Weka's learners need the extra `weka`")


# -- Folds ---------------------------------------------------------------------------------------


def test_random_numbers_are_javas():
    # What Java prints for new Random(42).nextInt(10), ten times.
    random = JavaRandom(42)
    assert [random.below(10) for _ in range(10)] == [0, 3, 8, 4, 0, 5, 5, 8, 9, 3]


def test_folds_part_the_rows_evenly_within_every_class():
    target = np.random.default_rng(0).choice(list("abc"), 103, p=[0.6, 0.3, 0.1])
    folds = weka_folds(target)
    assert sorted(row for _, test in folds for row in test) == list(range(103))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(103))
        assert len(test) in (10, 11)
        for each in "abc":
            share = (target == each).sum() / 10
            assert abs((target[test] == each).sum() - share) < 1.5


@pytest.mark.parametrize("folds", [1, 7, 2.0, True])
def test_folds_that_cannot_be_are_refused(folds):
    with pytest.raises(PopulationError, match="folds must be a whole number from 2 to the 6 rows"):
        weka_folds(list("ababab"), folds=folds)


@pytest.mark.parametrize(("seed", "folds"), [(1, 10), (-5, 3), (2**40, 7)])
@pytest.mark.usefixtures("weka")
def test_folds_and_the_order_of_their_rows_are_wekas(seed, folds):
    from metricatlas.populations.learners import weka as here

    here.start()
    target = np.random.default_rng(seed % 7).integers(3, size=64)
    rows = here.instances(here.header([0], 3), np.arange(64.0)[:, None], target)
    random = here.java("java.util.Random")(seed)
    rows.randomize(random)
    rows.stratify(folds)
    for i, (train, test) in enumerate(weka_folds(target, folds=folds, seed=seed)):
        there = rows.trainCV(folds, i, random), rows.testCV(folds, i)
        assert [int(row.value(0)) for row in there[0]] == train.tolist()
        assert [int(row.value(0)) for row in there[1]] == test.tolist()


# -- Weka's learners -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRINTED)
@pytest.mark.usefixtures("weka")
def test_j48_is_right_as_often_as_weka_prints(datasets_folder, name):
    task = load(name, data=datasets_folder)
    right = 0
    for train, test in weka_folds(task.target):
        model = learner("weka-tree").build(task)
        model.fit(task.features.iloc[train], task.target[train])
        right += (model.predict(task.features.iloc[test]) == task.target[test]).sum()
    assert round(100 * right / len(task.target), 2) == PRINTED[name]


@pytest.mark.parametrize("name", OURS)
@pytest.mark.usefixtures("weka")
def test_every_one_of_wekas_learners_predicts_every_class(name):
    task = mixed()
    X, y, test, _ = parts(task)
    kept = y != "perhaps"
    found = [
        learner(f"weka-{name}").build(task, {}, 4).fit(X[kept], y[kept]).predict_proba(test)
        for _ in range(2)
    ]
    assert found[0].shape == (20, 3)
    np.testing.assert_allclose(found[0].sum(axis=1), 1, rtol=0, atol=1e-12)
    assert (found[0] >= 0).all()
    np.testing.assert_array_equal(*found)


@pytest.mark.usefixtures("weka")
def test_wekas_options_are_those_of_its_command_line():
    task = tasks()["iris"]
    whole = learner("weka-tree").build(task, {"options": "-U -M 1"}).fit(task.features, task.target)
    small = learner("weka-tree").build(task, {"options": "-M 60"}).fit(task.features, task.target)
    assert (whole.predict(task.features) == task.target).mean() > 0.99
    assert (small.predict(task.features) == task.target).mean() < 0.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-Z 3", "Weka does not take 'trees.J48 -Z 3': Illegal options: -Z 3"),
        ("-C 5", "Weka cannot learn by trees.J48 -C 5: Confidence has to be greater than zero"),
    ],
)
@pytest.mark.usefixtures("weka")
def test_options_that_weka_does_not_know_are_refused(options, message):
    task = tasks()["iris"]
    model = learner("weka-tree").build(task, {"options": options})
    with pytest.raises(PopulationError, match=re.escape(message)):
        model.fit(task.features, task.target)


def test_without_weka_it_is_said_what_to_install(monkeypatch):
    from metricatlas.populations.learners import weka as here

    here.start.cache_clear()
    monkeypatch.setitem(sys.modules, "jpype", None)
    task = tasks()["iris"]
    with pytest.raises(PopulationError, match=r"need the extra `weka`: pip install 'metricatlas"):
        learner("weka-tree").build(task).fit(task.features, task.target)


def test_without_java_it_is_said_what_to_install(monkeypatch):
    from metricatlas.populations.learners import weka as here

    def nothing(*_, **__):
        raise missing("No JVM shared library file (libjvm.so) found.")

    missing = type("JVMNotFoundException", (ValueError,), {})
    there = {"isJVMStarted": lambda: False, "startJVM": nothing, "JVMNotFoundException": missing}
    here.start.cache_clear()
    monkeypatch.setitem(sys.modules, "jpype", SimpleNamespace(**there))
    for name in ("weka", "weka.core", "weka.core.jvm"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(add_bundled_jars=lambda _: None))
    with pytest.raises(PopulationError, match=r"need Java: install a JRE or let JAVA_HOME name"):
        here.start()


# -- Ours and Weka's -----------------------------------------------------------------------------


def test_learners_that_promise_it_predict_what_weka_does():
    theirs, ours = json.loads(ANSWERS.read_text(encoding="utf-8")), answers("")
    assert set(theirs) == set(ours)
    for name, rows in theirs.items():
        # Where to stop on the way to the likelihood's maximum differs.
        near = 1e-4 if name == "iris logistic" else 2e-9
        np.testing.assert_allclose(ours[name], rows, rtol=0, atol=near, err_msg=name)


@pytest.mark.usefixtures("weka")
def test_the_kept_answers_are_wekas():
    assert json.loads(ANSWERS.read_text(encoding="utf-8")) == answers("weka-")


if __name__ == "__main__":
    ANSWERS.write_text(json.dumps(answers("weka-")) + "\n", encoding="utf-8")
