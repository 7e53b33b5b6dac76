"""What comes, what must be said: what must hold, how many, the first row, and what to do."""

import collections.abc
import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import metricatlas as ma
from metricatlas.errors import MetricAtlasError, PredictionError
from metricatlas.predictions import read_predictions

NAN, INF = float("nan"), float("inf")
Y, P = [0, 1, 1, 0], [0.1, 0.8, 0.4, 0.3]
Y3 = [0, 1, 2, 0]
P3 = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.6, 0.2, 0.2]])
BATCH = np.array([P, P])[:, :, np.newaxis]


class Broken:
    def __array__(self, dtype=None, copy=None):
        msg = "no luck"
        raise RuntimeError(msg)


class Endless(collections.abc.Iterator):
    def __next__(self):
        return 1


def case(name, *facts, y=Y, p=P, **options):
    return pytest.param(y, p, options, facts, id=name)


NOT_DATA = [
    case("no truth", "y_true", "got None", y=None),
    case("no prediction", "predictions", "got None", p=None),
    case("text for truth", "y_true", "str 'abc'", y="abc"),
    case("bytes", "bytes", y=b"abcd"),
    case("number for prediction", "predictions", "float '0.5'", p=0.5),
    case("array without axes", "single value", p=np.array(0.5)),
    case("set", "set", y={0, 1}),
    case("generator", "generator", p=(x for x in P)),
    case("iterator", "Endless", p=Endless()),
    case("dict for truth", "dict", y={"a": 1}),
    case("function", "function", p=lambda x: x),
    case("broken array", "Broken", "no luck", p=Broken()),
    case("sparse", "toarray", p=sparse.csr_matrix(np.array([P]).T)),
    case("lazy", "LazyFrame", "Collect", p=pl.LazyFrame({"p": P})),
    case("no model", "at least one model", p={}),
    case("dict in dict", "predictions['a']", "dict", p={"a": {"b": P}}),
    case("frame without columns", "at least one column", p=pl.DataFrame()),
    case("group by name", "groups", "str 'fold'", groups="fold"),
    case("one weight", "sample_weight", "int '2'", sample_weight=2),
    case("a set of labels", "labels", "set", labels={0, 1}),
    case("labels in one text", "labels", "'ab'", labels="ab"),
]
SHAPES = [
    case("empty", "y_true", "at least one row", "(0,)", y=[], p=[]),
    case("no columns", "not be empty", "(4, 0)", p=np.ones((4, 0))),
    case("no models", "not be empty", "(0, 4, 1)", p=np.ones((0, 4, 1))),
    case("lengths", "(3,)", "(4,)", p=P[:3]),
    case("length of one model", "predictions['b']", "(3,)", p={"a": P, "b": P[:3]}),
    case("length of weights", "sample_weight", "(3,)", sample_weight=[1, 1, 1]),
    case("length of groups", "groups", "(3,)", groups=[1, 1, 1]),
    case("models in rows", "(3, 4)", "transpose", "(models, examples, 1)", p=np.ones((3, 4))),
    case("four axes", "(1, 4, 1, 1)", p=np.ones((1, 4, 1, 1))),
    case("truth of three axes", "y_true", "(1, 4, 1)", y=np.zeros((1, 4, 1))),
    case("truth of two columns", "['a', 'b']", y=pd.DataFrame({"a": Y, "b": Y})),
    case("a truth too few", "2 rows", "3 model", y=[Y, Y], p=np.ones((3, 4, 1))),
    case("a batch and one", "predictions['b']", "1 model", y=[Y, Y], p={"a": BATCH, "b": P}),
    case("ragged", "one length", p=[[0.1, 0.9], [0.2], [0.1, 0.9], [0.5, 0.5]]),
    case("lists in cells", "list", "row 0", p=pd.Series(P3.tolist()), y=Y3),
    case("weights in two columns", "one column", "(4, 2)", sample_weight=np.ones((4, 2))),
    case("groups in two columns", "names its columns", "(4, 2)", groups=np.ones((4, 2))),
    case("groups without names", "columns=['fold'", groups=pd.DataFrame([[1, "a"]] * 4)),
    case(
        "length of a frame of groups", "groups", "(2,)", groups=pl.DataFrame({"a": Y[:2], "b": 1})
    ),
    case(
        "a missing group",
        "groups['b'] must be complete",
        "row 1",
        groups=pd.DataFrame({"a": Y, "b": ["x", None, "x", "y"]}),
    ),
]
NUMBERS = [
    case("NaN", "2 NaN", "row 1", "Drop", p=[0.1, NAN, 0.3, NAN]),
    case("infinite", "1 NaN or infinite", "row 2", p=[0.1, 3, INF, 0]),
    case("minus infinite", "row 0", p=[-INF, 3, 1, 0]),
    case("NaN in a batch", "row 2 of model 1", p=[[[x] for x in P], [[0.1], [0.2], [NAN], [0.3]]]),
    case("NaN in a table", "row 3", y=Y3, p=[*P3[:3].tolist(), [NAN, 0.5, 0.5]]),
    case("rows count all", "row 3", p=[0.1, 0.2, 0.3, NAN], sample_weight=[0, 0, 1, 1]),
    case(
        "outside",
        "[0, 1]",
        "-3.2 to 4.1",
        "2 outside",
        "row 1",
        "calibrate",
        p=[0, -3.2, 4.1, 1],
        kind="probabilities",
    ),
    case("table outside", "0.2 to 1.6", "row 1", y=Y3, p=P3 * 2, kind="probabilities"),
    case("sums", "sum to 1", "4 that do not", "row 0", "0.9", "Normalise", y=Y3, p=P3 * 0.9),
    case("text as scores", "must be numbers", p=["a"] * 4, kind="scores"),
    case("complex", "complex", p=np.array(P) * 1j),
    case("dates", "datetime64", p=np.array(["2020-01-01"] * 4, dtype="M8[D]")),
    case("text in a table", "'b'", "row 0", p=[[0.1, "b"]] * 4),
    case("text column", "['id']", p=pd.DataFrame({"id": list("abcd"), "p": P})),
    case("negative weight", "2 other", "row 1", "-1.0", sample_weight=[1, -1, -2, 1]),
    case("NaN weight", "1 other", "row 3", "nan", sample_weight=[1, 1, 1, NAN]),
    case("infinite weight", "inf", "row 0", sample_weight=[INF, 1, 1, 1]),
    case("no weight", "all 4 are 0", sample_weight=[0, 0, 0, 0]),
    case("text weight", "sample_weight", "numbers", sample_weight=list("abcd")),
    case("too much weight", "products of masses are finite", "1e+308", sample_weight=[1e308] * 4),
]
LABELS = [
    case("fraction", "labels", "0.5", "row 1", "first", y=[0, 0.5, 1, 1]),
    case("arguments swapped", "4 other", "0.1", "y_true comes first", y=P, p=Y),
    case("infinite label", "infinite", "row 1", y=[0, INF, 1, 1]),
    case("too large", "64 bits", "text", y=[0, 2**70, 1, 1]),
    case("too large a float", "1e+300", "row 1", y=[0, 1e300, 1, 1]),
    case("too large unsigned", "2^63", y=np.array([0, 2**64 - 1, 1, 1], dtype=np.uint64)),
    case("mixed", "one kind", "'a'", "row 1", "beside 0", y=[0, "a", 1, 1]),
    case("mixed groups", "groups", "int and str", groups=["a", 1, "b", "b"]),
    case("dates for labels", "date", "row 0", y=[dt.date(2020, 1, 1)] * 4),
    case("not UTF-8", "text", y=np.array([b"\xff", b"b"] * 2)),
    case("not in labels", "[0, 1]", "got 1 other", "first 2 in row 2", y=Y3, p=P3, labels=[0, 1]),
    case(
        "unknown prediction",
        "['a', 'b']",
        "2 others",
        "'c' in row 0",
        "labels=",
        y=list("abba"),
        p=list("cabc"),
        pos_label="b",
    ),
    case("unknown integer of three", "first 3 in row 2", y=Y3, p=[0, 1, 3, 2]),
    case("one label", "two classes", "[1]", labels=[1]),
    case("no labels", "two classes", labels=[]),
    case("a label twice", "differ", "got 1 more than once", labels=[0, True, 1]),
    case("one class", "one class, 'a'", "labels=", y=["a"] * 4),
    case("one class of three", "labels=", y=[0] * 4, p=P3),
    case("ambiguous text", "'a' and 'b'", "pos_label='b'", y=list("abba")),
    case("ambiguous numbers", "1 and 2", "pos_label=2", y=[1, 2, 2, 1]),
    case("unknown positive", "0 and 1", "got 2", pos_label=2),
    case("text for a number", "0 and 1", "got '1'", pos_label="1"),
    case("positive list, one class", "one class, 'a'", y=["a"] * 4, pos_label=[1]),
    case("other type, one class", "one class, 2", y=[2] * 4, pos_label="a"),
    case("a tuple for each row", "tuple", y=pd.MultiIndex.from_product([[0, 1], [0, 1]])),
    case("huge group beside text", "one kind", groups=[2**70, "a", 1, 2]),
    case("positive list", "got [1]", pos_label=[1]),
    case("positive of three", "two classes", "[0, 1, 2]", y=Y3, p=P3, pos_label=1),
]
COLUMNS = [
    case("too few columns", "3 classes [0, 1, 2]", "got 2", y=Y3, p=P3[:, :2]),
    case("too many columns", "2 classes [0, 1]", "got 3", "labels=", p=P3),
    case("one for many", "3 classes", "float64", "kind='labels'", y=Y3),
    case("absent class in labels", "3 classes", "one column", labels=[0, 1, 2]),
    case("labels in columns", "one column", "3 columns", y=Y3, p=P3, kind="labels"),
    case("booleans in columns", "one column", "bool", p=np.eye(2, dtype=bool)[Y]),
    case("unknown kind", "labels, scores, probabilities", "'prob'", kind="prob"),
    case("kind no text", "['scores']", kind=["scores"]),
    case("NaN threshold", "threshold", "nan", threshold=NAN),
    case("text threshold", "threshold", "'0.5'", threshold="0.5"),
    case("true threshold", "threshold", "True", threshold=True),
    case("threshold of three", "threshold", "two classes", y=Y3, p=P3, threshold=0.5),
    case("threshold of labels", "threshold=0.5", "kind='scores'", p=Y, threshold=0.5),
]


@pytest.mark.parametrize(
    ("truth", "predictions", "options", "facts"), [*NOT_DATA, *SHAPES, *NUMBERS, *LABELS, *COLUMNS]
)
def test_bad_input_is_refused_in_words(truth, predictions, options, facts):
    with pytest.raises(PredictionError) as raised:
        read_predictions(truth, predictions, **options)
    said = str(raised.value)
    assert [fact for fact in facts if fact not in said] == []
    assert "np." not in said
    assert said.endswith(".")


def test_every_error_has_one_root():
    assert issubclass(PredictionError, MetricAtlasError)
    assert issubclass(MetricAtlasError, ValueError)


@pytest.mark.parametrize(
    ("scores", "first"),
    [
        ([2**60, 2**60 + 1], "1152921504606846977 in row 1"),
        ([-(2**60) - 1, -(2**60)], "-1152921504606846977 in row 0"),
        ([2**53, 2**53 + 1], "9007199254740993 in row 1"),
        (np.array([2**63, 2**63 + 1], dtype=np.uint64), "9223372036854775809 in row 1"),
        ([2**63 - 1, -(2**63)], "9223372036854775807 in row 0"),
        (np.array([[[2], [3]], [[2**60 + 1], [4]]]), "1152921504606846977 in row 0 of model 1"),
        (np.array([[2**60 + 1, 1], [1, 2]]), "1152921504606846977 in row 0"),
    ],
)
def test_whole_numbers_that_a_float_cannot_hold_are_no_scores(scores, first):
    with pytest.raises(PredictionError) as raised:
        ma.evaluate([0, 1], scores, measures="auc")
    assert f"got 1 other(s), the first {first}. Subtract" in str(raised.value)


def test_whole_numbers_that_a_float_can_hold_are_scores():
    for low, high in (
        (2**53 - 1, 2**53),
        (-(2**53), -(2**53) + 1),
        (2**60, 2**60 + 256),
        (-(2**63), 2**62),
    ):
        assert ma.measure("auc", [0, 1], [low, high]) == 1
    # Labels are compared as whole numbers, however large.
    assert ma.measure("acc", [2**60, 2**60 + 1], [2**60, 2**60], pos_label=2**60) == 0.5
