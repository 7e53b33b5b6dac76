"""Files whose columns are the classes and nothing else: they are one model."""

import numpy as np
import pandas as pd
import pytest

from metricatlas.errors import FileError
from metricatlas.files import Asked, read_prediction_file

NAMES = ["a", "b", "c", "a", "b", "c"]


@pytest.fixture
def frame():
    shares = np.random.default_rng(0).dirichlet([1, 1, 1], 6)
    return pd.DataFrame(shares, columns=[*"abc"]).assign(y=NAMES)


def read(folder, frame, **asked):
    frame.to_csv(folder / "file.csv", index=False)
    return read_prediction_file(str(folder / "file.csv"), Asked(truth="y", **asked))


def kinds(found):
    return {model.name: model.kind for model in found.models}


def test_columns_that_are_the_classes_are_one_model(frame, tmp_path):
    found = read(tmp_path, frame)
    assert kinds(found) == {"model": "probabilities"}
    assert found.parts[0].predictions["model"].tolist() == frame[[*"abc"]].to_numpy().tolist()
    said = (
        "1 model (model: probabilities). The columns of the classes, `a`, `b`, `c`, are one model."
    )
    assert found.description().endswith(said)
    found = read(tmp_path, frame.query("y != 'c'"), labels=("c", "a", "b"))
    assert found.parts[0].predictions["model"][0].tolist() == frame.loc[0, [*"cab"]].tolist()


def test_other_models_may_stand_beside_the_columns_of_the_classes(frame, tmp_path):
    beside = frame.assign(tree=NAMES, id=range(6))
    both = {"model": "probabilities", "tree": "labels"}
    assert kinds(read(tmp_path, beside, ignore=("id",))) == both
    assert kinds(read(tmp_path, beside, models=("model",))) == {"model": "probabilities"}
    assert kinds(read(tmp_path, beside, models=("tree",))) == {"tree": "labels"}


@pytest.mark.parametrize("names", [(0, 1), (1, 0), ("dog", "cat"), (False, True)])
def test_columns_that_are_both_classes_are_one_model(names, tmp_path):
    shares = np.array([[0.7, 0.3], [0.4, 0.6]])
    frame = pd.DataFrame(shares, columns=names).assign(y=names)
    found = read(tmp_path, frame, pos_label=str(names[1]))
    ordered = shares[:, np.argsort(names)].tolist()
    assert found.parts[0].predictions["model"].tolist() == ordered


def test_two_models_that_are_called_as_the_classes_are_not_taken_for_one(tmp_path):
    frame = pd.DataFrame({"0": [0.7, 0.4], "1": [0.6, 0.6], "y": [0, 1]})
    with pytest.raises(FileError, match=r"`0`, `1` must sum to 1 .* --model NAME for each"):
        read(tmp_path, frame)
    found = read(tmp_path, frame, models=("0", "1"))
    assert kinds(found) == {"0": "probabilities", "1": "probabilities"}
    decided = pd.DataFrame({"0": [0, 1], "1": [1, 1], "2": [0, 1], "y": [0, 1]})
    assert kinds(read(tmp_path, decided)) == dict.fromkeys("012", "labels")
    named = frame.rename(columns={"0": "model:0", "1": "model:1"})
    assert kinds(read(tmp_path, named, kind="scores")) == {"model": "scores"}


def test_what_stands_beside_the_columns_of_the_classes_must_be_clear(frame, tmp_path):
    two = frame.query("y != 'c'")
    with pytest.raises(FileError, match=r"must sum to 1.*--labels with all classes if the truth"):
        read(tmp_path, two, pos_label="a")
    with pytest.raises(FileError, match=r"`c` is one column of numbers.* all classes with --lab"):
        read(tmp_path, two.assign(c=0, b=1 - two.a), pos_label="a")
    with pytest.raises(FileError, match=r"`a` is the column of one class; .* is none for `c`\."):
        read(tmp_path, frame.drop(columns="c"))
    with pytest.raises(FileError, match="two models of one name"):
        read(tmp_path, frame.assign(**{f"model:{name}": frame[name] for name in "abc"}))
    with pytest.raises(FileError, match=r"`a` is one column of numbers.*needs its own"):
        read(tmp_path, frame, models=("a",))
