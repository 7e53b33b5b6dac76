import subprocess
import sys

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

TRUTH = [0, 1, 1, 0]
SCORES = [0.1, 0.8, 0.4, 0.3]
THREE = np.array([[0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4], [0.6, 0.2, 0.2]])


def keys(*arguments, **options):
    return answer(*arguments, **options)[1]


@pytest.mark.parametrize(
    ("predictions", "kind"),
    [
        pytest.param([0.0, 1.0, 0.5, 1.0], "probabilities", id="floats in [0, 1]"),
        pytest.param([0.0, 1.0, 1.0, 0.0], "probabilities", id="floats that are all 0 or 1"),
        pytest.param([0.0, 1.0, 1.5, 0.0], "scores", id="floats above 1"),
        pytest.param([-1e-300, 1.0, 0.5, 0.0], "scores", id="floats below 0"),
        pytest.param([0, 1, 1, 0], "labels", id="integers that are all labels"),
        pytest.param([0, 1, 2, 0], "scores", id="integers that are not"),
        pytest.param([True, False, True, False], "labels", id="booleans"),
        pytest.param(pd.Categorical([0, 1, 1, 0]), "labels", id="categories"),
        pytest.param(np.array([0, 1, 1, 0], dtype=object), "labels", id="integers as objects"),
        pytest.param(np.array([0, 1, 1, 2**63], dtype=np.uint64), "scores", id="huge integers"),
        pytest.param(np.eye(2)[TRUTH], "probabilities", id="float columns in [0, 1]"),
        pytest.param(np.eye(2)[TRUTH] * 2, "scores", id="float columns beyond"),
        pytest.param(np.eye(2, dtype=int)[TRUTH], "scores", id="integer columns"),
    ],
)
def test_the_type_and_the_range_tell_what_a_prediction_is(predictions, kind):
    assert one_block(TRUTH, predictions).kind == kind


def test_text_is_labels():
    block = one_block(["no", "yes"], ["yes", "yes"], pos_label="yes")
    assert block.kind == "labels"
    assert block.classes == ("no", "yes")
    assert block.values.tolist() == [[1, 1]]


@pytest.mark.parametrize("kind", ["labels", "scores", "probabilities"])
@pytest.mark.parametrize("predictions", [[0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0], [False, True] * 2])
def test_kind_overrides_what_type_and_range_tell(kind, predictions):
    block = one_block(TRUTH, predictions, kind=kind)
    assert block.kind == kind
    assert block.values.tolist() == [[float(x) for x in predictions]]


@pytest.mark.parametrize(
    ("predictions", "shape"),
    [
        pytest.param(np.array(SCORES), (1, 4), id="n"),
        pytest.param(np.array(SCORES)[:, np.newaxis], (1, 4), id="n 1"),
        pytest.param(np.array([SCORES] * 3)[:, :, np.newaxis], (3, 4), id="k n 1"),
        pytest.param(np.array([np.eye(2)[TRUTH]] * 3), (3, 4), id="k n 2"),
        pytest.param(np.array([np.eye(2)[TRUTH]] * 3)[:0:-1], (2, 4), id="k n 2 backwards"),
    ],
)
def test_every_shape_of_binary_scores_becomes_models_by_examples(predictions, shape):
    block = one_block(TRUTH, predictions)
    assert block.values.shape == shape
    assert block.values.dtype == np.float64
    assert block.values.flags.c_contiguous
    assert block.models == shape[0]
    assert block.rows == shape[0]


@pytest.mark.parametrize(("table", "models"), [(THREE, 1), (np.array([THREE] * 5), 5)])
def test_columns_of_more_classes_stay_columns(table, models):
    block = one_block([0, 1, 2, 0], table)
    assert block.values.shape == (models, 4, 3)
    assert block.classes == (0, 1, 2)


def test_of_two_columns_the_positive_class_is_kept():
    table = np.array([[0.25, 0.75], [0.5, 0.5]])
    assert one_block([0, 1], table).values.tolist() == [[0.75, 0.5]]
    assert one_block([0, 1], table, pos_label=0).values.tolist() == [[0.25, 0.5]]
    assert one_block([0, 1], table, labels=[1, 0]).values.tolist() == [[0.25, 0.5]]


def test_labels_order_the_columns_and_may_name_classes_that_are_absent():
    block = one_block(["b", "a", "b", "b"], THREE, labels=["c", "a", "b"])
    assert block.classes == ("c", "a", "b")
    assert block.truth.tolist() == [[2, 1, 2, 2]]
    np.testing.assert_array_equal(block.values[0], THREE)


@pytest.mark.parametrize(
    ("truth", "classes"),
    [
        ([1], (0, 1)),
        ([0, 0], (0, 1)),
        ([-1], (-1, 1)),
        ([True], (False, True)),
        ([False], (False, True)),
        ([1.0], (0, 1)),
    ],
)
def test_a_truth_of_one_well_known_class_implies_the_other(truth, classes):
    block = one_block(truth, [0.5] * len(truth))
    assert block.classes == classes
    assert block.truth.tolist() == [[classes.index(x) for x in truth]]


def test_one_class_of_any_name_is_right_when_the_classes_are_said():
    assert one_block(["a"], [0.5], labels=["a", "b"], pos_label="b").classes == ("a", "b")
    assert one_block(["a"], [0.5], pos_label="b").classes == ("a", "b")
    assert one_block([1, 1], [-1, 1]).classes == (-1, 1)


@pytest.mark.parametrize(
    ("truth", "pos_label", "classes"),
    [
        ([0, 1], None, (0, 1)),
        ([-1, 1], None, (-1, 1)),
        ([False, True], None, (False, True)),
        ([0, 1], 0, (1, 0)),
        ([True, False], False, (True, False)),
        ([1, 2], 1, (2, 1)),
        (["a", "b"], "a", ("b", "a")),
        (["a", "b"], np.str_("b"), ("a", "b")),
        ([0, 1], True, (0, 1)),
    ],
)
def test_the_positive_class_comes_last(truth, pos_label, classes):
    block = one_block(truth, [0.5, 0.5], pos_label=pos_label)
    assert block.classes == classes
    assert block.truth.tolist() == [[classes.index(x) for x in truth]]


def test_models_of_different_kinds_come_in_blocks_that_know_their_rows():
    models = {"p": SCORES, "l": TRUTH, "s": [3.0, 2, 1, 0], "q": SCORES[::-1]}
    blocks, named = read_predictions(TRUTH, models, threshold=0.5)
    found = {b.kind: (rows.tolist(), b.models, b.threshold) for rows, b in blocks}
    assert found == {
        "probabilities": ([0, 3], 2, 0.5),
        "labels": ([1], 1, None),
        "scores": ([2], 1, 0.5),
    }
    assert named.columns == {"model": ["p", "l", "s", "q"]}


def test_a_batch_in_a_dict_numbers_its_members():
    batch = np.array([SCORES] * 2)[:, :, np.newaxis]
    assert keys(TRUTH, {"a": SCORES, "b": batch}) == {"model": ["a", "b", "b"], "member": [0, 0, 1]}


def test_a_truth_for_each_model_goes_with_a_batch():
    truth = np.array([TRUTH, TRUTH[::-1], [1, 1, 1, 1]])
    batch = np.array([SCORES] * 3)[:, :, np.newaxis]
    block = one_block(truth, batch)
    assert block.truth.tolist() == truth.tolist()
    both = one_block(truth, {"a": batch, "b": batch})
    assert both.truth.tolist() == [*truth.tolist(), *truth.tolist()]
    assert both.truth_of(4).tolist() == TRUTH[::-1]


def test_a_truth_in_a_column_is_one_truth():
    column = np.array(TRUTH)[:, np.newaxis]
    batch = np.array([SCORES] * 3)[:, :, np.newaxis]
    assert one_block(column, SCORES).truth.tolist() == [TRUTH]
    assert one_block(column, batch).truth.tolist() == [TRUTH]
    two_models_of_one_example = one_block([[0], [1]], np.ones((2, 1, 1)))
    assert two_models_of_one_example.truth.tolist() == [[0], [1]]


def test_groups_put_their_rows_together_and_are_keys():
    groups = pd.Series(["y", "x", "y", "x"], name="fold")
    (block,), named = read_predictions(
        TRUTH, {"a": SCORES, "b": SCORES}, groups=groups, sample_weight=[1, 2, 3, 4]
    )
    assert block[1].starts.tolist() == [0, 2, 4]
    assert block[1].truth.tolist() == [[1, 0, 0, 1]]
    assert block[1].values.tolist() == [[0.8, 0.3, 0.1, 0.4]] * 2
    assert block[1].weight.tolist() == [2, 4, 1, 3]
    assert block[0].tolist() == [0, 1, 2, 3]
    assert named.columns == {"model": ["a", "a", "b", "b"], "fold": ["x", "y"] * 2}


@pytest.mark.parametrize(
    ("groups", "names"),
    [
        ([2, 1, 2, 1], [1, 2]),
        ([0.2, 0.1, 0.2, 0.1], [0.1, 0.2]),
        ([True, False, True, False], [False, True]),
        (["b", "a", "b", "a"], ["a", "b"]),
        (pd.Categorical(["b", "a", "b", "a"]), ["a", "b"]),
        (pd.cut(pd.Series([9, 1, 9, 1]), [0, 5, 10]), [pd.Interval(0, 5), pd.Interval(5, 10)]),
        (
            np.array(["2021-01-01", "2020-01-01"] * 2, dtype="datetime64[D]"),
            [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")],
        ),
    ],
)
def test_groups_may_have_labels_of_any_type(groups, names):
    assert keys(TRUTH, SCORES, groups=groups) == {"model": [0, 0], "group": names}


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table])
def test_groups_of_several_columns_are_the_combinations_that_occur(made):
    groups = made({"fold": [10, 2, 10, 2], "site": ["s", "s", "n", "s"]})
    ((_, block),), named = read_predictions(TRUTH, SCORES, groups=groups)
    assert list(named.columns) == ["model", "fold", "site"]
    assert named.columns["fold"] == [2, 10, 10]
    assert named.columns["site"] == ["s", "n", "s"]
    assert block.starts.tolist() == [0, 2, 3, 4]
    assert block.values.tolist() == [[SCORES[i] for i in (1, 3, 2, 0)]]


def test_groups_of_many_columns_are_not_too_many_to_number():
    columns = {f"c{i}": np.arange(1000) for i in range(8)}
    frame = pd.DataFrame(columns)
    found = keys([0, 1] * 500, np.linspace(0, 1, 1000), groups=frame)
    assert found == {"model": [0] * 1000} | {n: list(c) for n, c in columns.items()}


def test_a_group_without_weight_is_not_there():
    found = keys(TRUTH, SCORES, groups=["a", "a", "b", "b"], sample_weight=[0, 0, 1, 1])
    assert found["group"] == ["b"]


def test_a_group_column_named_model_does_not_hide_the_models():
    assert list(keys(TRUTH, SCORES, groups=pd.Series(TRUTH, name="model"))) == ["model", "group"]


def test_weights_of_one_are_no_weights_and_whole_weights_are_told_apart():
    assert one_block(TRUTH, SCORES, sample_weight=[1, 1, 1, 1]).weight is None
    assert not one_block(TRUTH, SCORES, sample_weight=[1, 2, 1, 1]).fractional
    assert one_block(TRUTH, SCORES, sample_weight=[1, 2.5, 1, 1]).fractional


def test_rows_without_weight_may_hold_anything():
    block = one_block(
        ["no", None, "yes"],
        {"a": [0.1, None, 0.2], "b": [0.1, np.inf, 0.2]},
        sample_weight=[1, 0, 1],
        groups=["x", None, "x"],
        pos_label="yes",
    )
    assert block.truth.tolist() == [[0, 1]]
    assert block.values.tolist() == [[0.1, 0.2]] * 2


@st.composite
def weighted_examples(draw):
    rows = draw(st.integers(1, 12))
    truth = draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows))
    scores = draw(st.lists(st.floats(-2, 2), min_size=rows, max_size=rows))
    weights = draw(
        st.lists(st.sampled_from([0, 1, 2, 0.5]), min_size=rows, max_size=rows).filter(any)
    )
    groups = draw(st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows))
    return np.array(truth), np.array(scores), np.array(weights), np.array(groups)


@given(weighted_examples())
def test_rows_of_weight_zero_are_as_rows_removed(examples):
    truth, scores, weights, groups = examples
    there = weights > 0
    options = {"labels": [0, 1], "kind": "scores"}
    whole = answer(truth, scores, sample_weight=weights, groups=groups, **options)
    removed = answer(
        truth[there], scores[there], sample_weight=weights[there], groups=groups[there], **options
    )
    assert whole == removed


@pytest.mark.parametrize("threshold", [0, 0.5, -np.inf, np.inf, np.float32(0.25)])
def test_a_threshold_is_any_number_infinity_included(threshold):
    assert one_block(TRUTH, SCORES, threshold=threshold).threshold == float(threshold)


def test_minus_zero_and_denormals_are_probabilities():
    block = one_block(TRUTH, [-0.0, 5e-324, 1.0, 0.5])
    assert block.kind == "probabilities"
    assert block.values.tolist() == [[0.0, 5e-324, 1.0, 0.5]]
    assert not np.signbit(block.values).any()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble])
def test_rows_sum_to_one_within_the_root_of_the_epsilon_of_their_type(dtype):
    tolerance = float(np.sqrt(np.finfo(dtype).eps))
    table = np.array([[0.5, 0.25, 0.25]] * 3)
    truth = [0, 1, 2]
    inside, outside = table.copy(), table.copy()
    inside[1, 0] += tolerance / 2
    outside[1, 0] += min(tolerance * 4, 0.4)
    assert one_block(truth, inside.astype(dtype)).kind == "probabilities"
    if dtype is not np.longdouble:  # its tolerance is lost in float64
        with pytest.raises(PredictionError, match=r"sum to 1 .* got 1 .* row 1"):
            one_block(truth, outside.astype(dtype))


def test_nothing_is_copied_that_is_already_right():
    scores = np.random.default_rng(0).random((3, 100, 1))
    truth = (scores[0, :, 0] > 0.5).astype(np.uint8)
    block = one_block(truth, scores)
    assert np.shares_memory(block.values, scores)
    assert np.shares_memory(block.truth, truth)


def test_more_than_256_classes_have_wide_codes():
    truth = np.arange(300)
    block = one_block(truth, np.full((300, 300), 1 / 300))
    assert block.truth.dtype == np.int64
    assert block.truth.tolist() == [truth.tolist()]


def test_the_plain_path_imports_neither_pandas_nor_narwhals():
    program = (
        "import sys, numpy as np\n"
        "from metricatlas.predictions import read_predictions\n"
        "read_predictions([0, 1], np.array([.1, .2]), sample_weight=[1, 2], groups=['a', 'b'])\n"
        "read_predictions(['a', 'b'], [[.1, .9], [.2, .8]], pos_label='b')\n"
        "print(sorted({'pandas', 'narwhals', 'pyarrow', 'polars'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"
