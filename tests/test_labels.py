import enum
import warnings

import numpy as np
import pytest
from at_the_door import one_block
from hypothesis import given
from hypothesis import strategies as st

import metricatlas as ma
from metricatlas.errors import PredictionError
from metricatlas.predictions import read_predictions
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.labels import as_labels, distinct, encode, look_up, same, settled

WHAT = Input("y_true")


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


def labels_of(values):
    return as_labels(settled(np.asarray(values)[np.newaxis], WHAT), WHAT)


@given(st.lists(st.integers(0, 1), min_size=1, max_size=9), st.data())
def test_labels_mean_the_same_whatever_their_type(truth, data):
    decided = data.draw(st.lists(st.integers(0, 1), min_size=len(truth), max_size=len(truth)))
    plain = one_block(truth, decided)
    spellings = [
        ([bool(x) for x in truth], {}),
        ([float(x) for x in truth], {}),
        (np.array(truth, dtype=np.uint8), {}),
        (np.array(truth, dtype=object), {}),
    ]
    for spelt, options in spellings:
        block = one_block(spelt, decided, **options)
        assert (block.kind, block.classes) == ("labels", plain.classes)
        assert block.truth.tolist() == plain.truth.tolist()
        assert block.values.tolist() == plain.values.tolist()
    names = ["no", "yes"]
    text = one_block(
        [names[x] for x in truth], [names[x] for x in decided], labels=names, pos_label="yes"
    )
    assert text.truth.tolist() == plain.truth.tolist()
    assert text.values.tolist() == plain.values.tolist()


@given(
    st.lists(
        st.integers(-3, 300) | st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=8, unique=True
    ),
    st.lists(st.integers(0, 7), min_size=1, max_size=20),
    st.integers(-(2**63), 2**63 - 1),
)
def test_codes_are_places_among_the_classes(classes, places, stranger):
    names = tuple(classes)
    picked = [names[i % len(names)] for i in places]
    codes, unknown = look_up(labels_of([*picked, stranger]), names)
    assert codes[0, :-1].tolist() == [names.index(x) for x in picked]
    if stranger in names:
        assert unknown is None
    else:
        assert unknown.tolist() == [[False] * len(picked) + [True]]


@given(st.lists(st.text(max_size=3), min_size=1, max_size=20))
def test_text_classes_are_sorted_and_found_again(words):
    labels = labels_of(np.array(words, dtype=object))
    classes = distinct(labels)
    assert list(classes) == sorted(set(words))
    assert [classes[i] for i in encode(labels, classes, WHAT)[0]] == words


@pytest.mark.parametrize(
    "dtype", [np.int8, np.uint8, np.int16, np.uint32, np.int64, np.uint64, np.float32, np.float64]
)
def test_numbers_of_every_width_are_labels(dtype):
    top = 127 if dtype == np.int8 else 255
    labels = labels_of(np.array([top, 3, 0, 3], dtype=dtype))
    assert distinct(labels) == (0, 3, top)
    assert encode(labels, (3, top, 0), WHAT).tolist() == [[1, 0, 2, 0]]


def test_widest_integers_do_not_wrap():
    codes, unknown = look_up(np.array([[2**64 - 1, 1]], dtype=np.uint64), (-1, 1))
    assert codes[0, 1] == 1
    assert unknown.tolist() == [[True, False]]
    assert one_block([-(2**63), 2**63 - 1], [0.1, 0.2], pos_label=2**63 - 1).truth.tolist() == [
        [0, 1]
    ]


def test_true_is_one_and_text_is_no_number():
    assert same(True, 1)
    assert same(1.0, np.int64(1))
    assert not same("1", 1)
    assert not same("True", True)


def test_class_names_are_plain_python_values():
    for truth in (np.array([0, 1]), np.array(["a", "b"]), [np.str_("a"), np.str_("b")]):
        block = one_block(truth, [0.1, 0.2], pos_label=truth[1])
        assert {type(c) for c in block.classes} <= {int, str}
    assert one_block([Colour.RED, Colour.BLUE], [0.1, 0.2], pos_label="red").classes == (
        "blue",
        "red",
    )
    assert one_block([True, 0, 1], [0.1, 0.2, 0.3]).classes == (0, 1)


def test_text_labels_do_not_meet_numbers():
    with pytest.raises(PredictionError, match="Text never equals a number: '0' is str"):
        read_predictions([0, 1], ["0", "1"])
    with pytest.raises(PredictionError, match="Text never equals a number: 0 is int"):
        read_predictions([0, 1], [0.1, 0.2], labels=["0", "1"])
    assert one_block(["0", "1"], [0, 1], pos_label="1").kind == "scores"


def test_labels_may_be_in_any_container_with_an_order():
    for labels in ([1, 0], (1, 0), np.array([1.0, 0.0]), range(1, -1, -1), [True, False]):
        block = one_block([0, 1], [[0.9, 0.1], [0.2, 0.8]], labels=labels)
        assert block.classes == (0, 1)
        assert block.values.tolist() == [[0.9, 0.2]]


# -- One class only ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "predicted", "recall"),
    [
        (["a", "a"], ["a", "b"], 0.5),
        (["a", "a"], ["a", "a"], 1),
        (["b", "b"], ["a", "b"], 0.5),
        (["a", "a"], ["b", "b"], 0),
        ([5, 5], [5, 3], 0.5),
        ([5, 5], [5, 5], 1),
        (["a", "a"], [0.7, 0.2], 0.5),
        ([5, 5], [0.7, 0.2], 0.5),
    ],
)
def test_the_only_class_may_be_the_positive_one(y, predicted, recall):
    options = {"pos_label": y[0], "measures": ["recall", "ppv"]}
    precision = 1.0 if recall else float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        alone = ma.evaluate(y, predicted, **options)
        several = ma.evaluate(y, {"a": predicted, "b": predicted}, **options)
    assert alone.values[0] == pytest.approx([recall, precision], nan_ok=True)
    assert several.values.tolist() == [pytest.approx([recall, precision], nan_ok=True)] * 2


def test_what_needs_the_absent_class_is_undefined():
    with pytest.warns(ma.UndefinedWarning):
        table = ma.evaluate(["a", "a"], ["a", "a"], pos_label="a", measures=["fpr", "acc"])
    assert table.reason(0, "fpr") == "There are no negatives."
    assert table["acc"] == 1


@pytest.mark.parametrize("predicted", [["b", "c"], [[0.1, 0.9], [0.4, 0.6]]])
def test_the_other_class_is_not_guessed(predicted):
    with pytest.raises(PredictionError, match="the others cannot be known"):
        ma.evaluate(["a", "a"], predicted, pos_label="a", measures="recall")


def test_two_columns_are_sorted_whichever_class_the_truth_holds():
    p = [[0.1, 0.9], [0.4, 0.6]]
    assert ma.measure("brier", ["z", "z"], p, pos_label="a") == pytest.approx(
        ma.measure("brier", ["z", "z"], p, pos_label="a", labels=["a", "z"])
    )
