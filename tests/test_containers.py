import array
import collections
import decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from at_the_door import answer, one_block
from hypothesis import given
from hypothesis import strategies as st

from metricatlas.errors import PredictionError
from metricatlas.predictions import read_predictions


def arrow_backed(values):
    held = pa.array(values)
    return pd.Series(held, dtype=pd.ArrowDtype(held.type))


ANY_TYPE = {
    "numpy": np.array,
    "objects": lambda values: np.array(values, dtype=object),
    "tuple": tuple,
    "deque": collections.deque,
    "pandas": pd.Series,
    "pandas frame": lambda values: pd.DataFrame({"name": values}),
    "pandas arrow": lambda values: pd.Series(
        pa.array(values), dtype=pd.ArrowDtype(pa.array(values).type)
    ),
    "pandas index": pd.Index,
    "polars": pl.Series,
    "polars frame": lambda values: pl.DataFrame({"name": values}),
    "arrow array": pa.array,
    "arrow chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "arrow table": lambda values: pa.table({"name": values}),
    "arrow batch": lambda values: pa.RecordBatch.from_pydict({"name": values}),
    "narwhals": lambda values: nw.from_native(pl.Series(values), series_only=True),
    "narwhals frame": lambda values: nw.from_native(pl.DataFrame({"name": values})),
}
BOOLEANS = ANY_TYPE | {"pandas nullable": lambda values: pd.Series(values, dtype="boolean")}
INTEGERS = ANY_TYPE | {
    "pandas nullable": lambda values: pd.Series(values, dtype="Int64"),
    "small": lambda values: np.array(values, dtype=np.int8),
    "other end": lambda values: np.array(values, dtype=">i8"),
    "scalars": lambda values: [np.int64(x) for x in values],
    "array.array": lambda values: array.array("q", values),
    "memory": lambda values: memoryview(np.array(values)),
    "wide polars": lambda values: pl.Series(values, dtype=pl.Int128),
}
FLOATS = ANY_TYPE | {
    "pandas nullable": lambda values: pd.Series(values, dtype="Float64"),
    "every other": lambda values: np.repeat(values, 2)[::2],
    "other end": lambda values: np.array(values, dtype=">f8"),
    "array.array": lambda values: array.array("d", values),
    "masked": np.ma.array,
    "decimal": lambda values: [decimal.Decimal(x) for x in values],
    "sparse": lambda values: pd.Series(pd.arrays.SparseArray(values)),
}
TEXT = ANY_TYPE | {
    "numpy text": lambda values: np.array(values, dtype="U"),
    "numpy strings": lambda values: np.array(values, dtype="T"),
    "numpy bytes": lambda values: np.array([x.encode() for x in values], dtype="S"),
    "scalars": lambda values: [np.str_(x) for x in values],
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "pandas string": lambda values: pd.Series(values, dtype="string"),
    "pandas categories": lambda values: pd.Series(values, dtype="category"),
    "bare categories": pd.Categorical,
    "polars categories": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars enum": lambda values: pl.Series(values, dtype=pl.Enum(["none", *sorted(set(values))])),
    "arrow dictionary": lambda values: pa.array(values).dictionary_encode(),
}

few = st.integers(2, 8)


def columns(element):
    return few.flatmap(lambda rows: st.lists(element, min_size=rows, max_size=rows))


@pytest.mark.parametrize("container", INTEGERS)
@given(truth=columns(st.integers(0, 1)))
def test_whole_numbers_are_the_same_truth_and_labels_in_every_container(container, truth):
    held = INTEGERS[container](truth)
    assert answer(held, held) == answer(truth, truth)


@pytest.mark.parametrize("container", BOOLEANS)
@given(truth=columns(st.booleans()))
def test_booleans_are_the_same_truth_and_labels_in_every_container(container, truth):
    held = BOOLEANS[container](truth)
    assert answer(held, held) == answer(truth, truth)


@pytest.mark.parametrize("container", TEXT)
@given(truth=columns(st.sampled_from(["no", "yes", "é"])))
def test_text_is_the_same_truth_and_labels_in_every_container(container, truth):
    options = {"labels": ["é", "no", "yes"]}
    if container == "numpy bytes":
        held = np.char.encode(np.array(truth), "utf-8")
    else:
        held = TEXT[container](truth)
    assert answer(held, held, **options) == answer(truth, truth, **options)


@pytest.mark.parametrize("container", FLOATS)
@given(scores=columns(st.floats(0, 1) | st.floats(-1e300, 1e300)))
def test_scores_are_the_same_in_every_container(container, scores):
    truth = [0, 1, *[0] * (len(scores) - 2)]
    assert answer(truth, FLOATS[container](scores)) == answer(truth, scores)


@pytest.mark.parametrize("container", FLOATS)
def test_weights_are_the_same_in_every_container(container):
    weights = [0.5, 0.0, 2.0]
    plain = answer([0, 1, 1], [0.1, 0.2, 0.3], sample_weight=weights)
    held = FLOATS[container](weights)
    assert answer([0, 1, 1], [0.1, 0.2, 0.3], sample_weight=held) == plain


TABLES = {
    "lists": lambda table, _: table.tolist(),
    "column-major": lambda table, _: np.asfortranarray(table),
    "rows": lambda table, _: list(table),
    "pandas": lambda table, names: pd.DataFrame(table, columns=names),
    "pandas, nameless": lambda table, _: pd.DataFrame(table),
    "pandas nullable": lambda table, names: pd.DataFrame(table, columns=names).astype("Float64"),
    "pandas arrow": lambda table, names: pd.DataFrame(table, columns=names).astype(
        pd.ArrowDtype(pa.float64())
    ),
    "polars": lambda table, names: pl.DataFrame(table, schema=[str(n) for n in names]),
    "polars array": lambda table, _: pl.Series(table.tolist(), dtype=pl.Array(pl.Float64, 3)),
    "arrow": lambda table, names: pa.table(dict(zip(map(str, names), table.T, strict=True))),
    "narwhals": lambda table, names: nw.from_native(pl.DataFrame(table, schema=[*map(str, names)])),
}


@pytest.mark.parametrize("container", TABLES)
@pytest.mark.parametrize("names", [["a", "b", "c"], [0, 1, 2]])
def test_tables_are_the_same_in_every_container(container, names):
    rng = np.random.default_rng(0)
    table = rng.dirichlet([1, 1, 1], size=6)
    truth = [names[i] for i in (0, 1, 2, 2, 1, 0)]
    assert answer(truth, TABLES[container](table, names)) == answer(truth, table)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
@given(order=st.permutations(range(3)), kind=st.sampled_from(["text", "numbers"]))
def test_named_columns_may_come_in_any_order(frame, order, kind):
    rng = np.random.default_rng(1)
    table = rng.dirichlet([1, 1, 1], size=4)
    classes = ["a", "b", "c"] if kind == "text" else [10, 9, 2]
    classes = sorted(classes)
    truth = [classes[i] for i in (0, 1, 2, 1)]
    named = frame({str(classes[i]): table[:, i] for i in order})
    assert answer(truth, named) == answer(truth, table)
    assert answer(truth, named, labels=classes[::-1]) == answer(
        truth, table[:, ::-1], labels=classes[::-1]
    )


def test_of_two_named_columns_the_positive_one_is_found():
    frame = pl.DataFrame({"yes": [0.9, 0.2], "no": [0.1, 0.8]})
    for positive in ("yes", "no"):
        block = one_block(["yes", "no"], frame, pos_label=positive)
        assert block.values[0].tolist() == frame[positive].to_list()


@pytest.mark.parametrize(
    ("truth", "names", "classes"),
    [
        (["a", "b"], ["c", "b", "a"], ("a", "b", "c")),
        ([1, 10], ["10", "2", "1"], (1, 2, 10)),
        (["b", "b"], ["b", "a", "c"], ("a", "b", "c")),
    ],
)
def test_column_names_tell_the_classes_that_the_truth_does_not_hold(truth, names, classes):
    table = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1]])
    block = one_block(truth, pl.DataFrame(table, schema=names))
    assert block.classes == classes
    order = [names.index(str(c)) for c in classes]
    np.testing.assert_array_equal(block.values[0], table[:, order])


@pytest.mark.parametrize(
    ("truth", "frame", "options"),
    [
        pytest.param([0, 1, 2], pl.DataFrame(np.eye(3)), {}, id="names that polars made up"),
        pytest.param([0, 1, 2], pd.DataFrame(np.eye(3), columns=list("abc")), {}, id="other names"),
        pytest.param([0, 1, 2], pd.DataFrame(np.eye(3), columns=["1", 1, 0]), {}, id="alike"),
        pytest.param([0, 1, 2], pd.DataFrame(np.eye(3)), {"labels": [2, 1, 0]}, id="two readings"),
        pytest.param([0, 1, 1], pd.DataFrame({"rf": [0.1] * 3, "svm": [0.2] * 3}), {}, id="models"),
        pytest.param(
            ["0", "1", "2"], pd.DataFrame(np.eye(3), columns=[1, 0, 2]), {}, id="numbers for text"
        ),
    ],
)
def test_columns_whose_names_are_not_the_classes_are_refused(truth, frame, options):
    with pytest.raises(PredictionError, match=r"must be named as the classes.*to_numpy") as raised:
        read_predictions(truth, frame, **options)
    assert str(frame.columns[0]) in str(raised.value)


def test_columns_of_one_name_are_refused():
    twice = pd.DataFrame(np.eye(2), columns=["a", "a"])
    arrow = pa.Table.from_arrays([pa.array([0.5, 0.5])] * 2, names=["a", "a"])
    for frame in (twice, arrow):
        with pytest.raises(PredictionError, match=r"distinct column names.*'a'"):
            read_predictions(["a", "b"], frame, pos_label="b")


def test_the_column_of_the_negative_class_is_not_taken_for_the_positive_one():
    table = pd.DataFrame({"no": [0.9, 0.2], "yes": [0.1, 0.8]})
    with pytest.raises(PredictionError, match=r"'no'.*pos_label='no'"):
        read_predictions(["no", "yes"], table["no"], pos_label="yes")
    with pytest.raises(PredictionError, match="named as the other class, 0"):
        read_predictions([0, 1], pd.DataFrame(table.to_numpy())[0])
    assert answer(["no", "yes"], table["yes"], pos_label="yes")


def test_columns_of_a_frame_can_be_models():
    frame = pd.DataFrame({0: [0.1, 0.2], 1: [0.3, 0.4]})
    said, named = answer([0, 1], dict(frame.items()))
    assert said[0]["values"] == [[0.1, 0.2], [0.3, 0.4]]
    assert named == {"model": [0, 1]}


@pytest.mark.parametrize("which", ["predictions", "sample_weight", "groups", "predictions['b']"])
def test_pandas_rows_that_do_not_line_up_are_refused(which):
    index = ["r", "s", "t"]
    fine, odd = (
        pd.Series([0.1, 0.2, 0.3], index=index),
        pd.Series([1.0, 0.2, 0.3], index=["r", "t", "s"]),
    )
    given_ = {
        "predictions": odd if which == "predictions" else {"a": fine, "b": fine},
        "sample_weight": odd if which == "sample_weight" else fine,
        "groups": odd if which == "groups" else fine,
    }
    if which == "predictions['b']":
        given_["predictions"] = {"a": fine, "b": odd}
    predictions = given_.pop("predictions")
    with pytest.raises(PredictionError) as raised:
        read_predictions(pd.Series([0, 1, 1], index=index), predictions, **given_)
    said = str(raised.value)
    assert said.startswith(f"the index of {which} must be that of y_true")
    assert "row 1" in said
    assert "'t' and 's'" in said
    assert "to_numpy" in said


def test_models_must_line_up_with_each_other_even_where_the_truth_has_no_index():
    models = {"a": pd.Series([0.1, 0.2]), "b": pd.Series([0.1, 0.2], index=pd.array([0, None]))}
    with pytest.raises(PredictionError, match=r"index of predictions\['b'\].*row 1"):
        read_predictions([0, 1], models)


def test_pandas_rows_line_up_with_rows_that_have_no_index():
    truth = pd.Series([0, 1], index=[7, 3])
    assert answer(truth, np.array([0.1, 0.2])) == answer([0, 1], pl.Series([0.1, 0.2]))
    assert answer(truth, pd.DataFrame({0: [0.9, 0.8], 1: [0.1, 0.2]}, index=[7.0, 3.0]))


NULLS = {
    "list": [None, 1],
    "objects": np.array([None, 1], dtype=object),
    "float": np.array([np.nan, 1]),
    "masked": np.ma.array([0, 1], mask=[True, False]),
    "pandas": pd.Series([None, 1.0]),
    "pandas NA": pd.array([None, 1], dtype="Int64"),
    "pandas objects": pd.Series([pd.NA, 1], dtype=object),
    "pandas arrow": pd.Series([None, 1], dtype="int64[pyarrow]"),
    "pandas categories": pd.Series([None, 1], dtype="category"),
    "polars": pl.Series([None, 1]),
    "polars NaN": pl.Series([float("nan"), 1.0]),
    "arrow": pa.array([None, 1]),
    "text": ["1", None],
    "NumPy strings": np.array(["1", None], dtype=np.dtypes.StringDType(na_object=None)),
    "pandas text": pd.Series(["1", None]),
    "polars text": pl.Series(["1", None]),
    "decimals": [decimal.Decimal("nan"), decimal.Decimal(1)],
}


@pytest.mark.parametrize("container", NULLS)
@pytest.mark.parametrize("where", ["y_true", "predictions", "sample_weight", "groups"])
def test_nulls_are_refused_wherever_they_are(container, where):
    fine = {"y_true": [0, 1], "predictions": [0.1, 0.2], "sample_weight": [1, 1], "groups": [1, 1]}
    held = fine | {where: NULLS[container]}
    truth, predictions = held.pop("y_true"), held.pop("predictions")
    with pytest.raises(PredictionError, match=where) as raised:
        read_predictions(truth, predictions, **held)
    row = 1 if "text" in container or "strings" in container else 0
    assert f"row {row}" in str(raised.value)
    assert " 1 " in str(raised.value)


def test_tables_with_nulls_say_where():
    frame = pd.DataFrame({0: pd.array([0.9, 0.8], dtype="Float64"), 1: [0.1, None]})
    with pytest.raises(PredictionError, match=r"1 NaN or infinite.*row 1"):
        read_predictions([0, 1], frame)
    with pytest.raises(PredictionError, match="1 missing value, the first in row 1"):
        read_predictions([0, 1], [[0.9, 0.1], [None, 0.2]])
