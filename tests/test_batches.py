import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from at_the_door import answer, one_block

import metricatlas as ma
from metricatlas.errors import PredictionError
from metricatlas.predictions import read_predictions

TRUTH = ["no", "yes", "no"]
#: Probabilities of "no" and of "yes" by two models.
FIRST = {"no": [0.9, 0.2, 0.7], "yes": [0.1, 0.8, 0.3]}
SECOND = {"yes": [0.6, 0.4, 0.5], "no": [0.4, 0.6, 0.5]}
FRAMES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table}


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("positive", ["yes", "no"])
def test_each_frame_of_a_batch_is_matched_by_its_own_names(frame, positive):
    batch = [FRAMES[frame](FIRST), FRAMES[frame](SECOND)]
    expected = [FIRST[positive], SECOND[positive]]
    for members, values in ((batch, expected), (batch[::-1], expected[::-1])):
        assert one_block(TRUTH, members, pos_label=positive).values.tolist() == values
        of_dict = one_block(TRUTH, {"rf": members}, pos_label=positive)
        assert of_dict.values.tolist() == values
        assert one_block(TRUTH, tuple(members), pos_label=positive).values.tolist() == values


def test_frames_of_different_libraries_are_one_batch():
    batch = [pd.DataFrame(FIRST), pl.DataFrame(SECOND), pa.table(FIRST)]
    expected = [FIRST["yes"], SECOND["yes"], FIRST["yes"]]
    assert one_block(TRUTH, batch, pos_label="yes").values.tolist() == expected


def test_a_batch_of_frames_says_what_each_frame_says():
    batch = [pd.DataFrame(FIRST), pd.DataFrame(SECOND)]
    together = ma.evaluate(TRUTH, batch, measures=["acc", "auc"], pos_label="yes").values
    each = [ma.evaluate(TRUTH, f, measures=["acc", "auc"], pos_label="yes").values for f in batch]
    assert together.tolist() == np.concatenate(each).tolist()


def test_frames_without_names_are_read_by_position():
    table = np.array([[0.9, 0.1], [0.2, 0.8]])
    frames = [pd.DataFrame(table), pd.DataFrame(table[::-1].copy())]
    assert answer([0, 1], frames) == answer([0, 1], np.stack([table, table[::-1]]))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(np.array([[0.4, 0.6]] * 3), id="no names"),
        pytest.param(pd.DataFrame({"no": [0.5] * 3, "maybe": [0.5] * 3}), id="other names"),
        pytest.param([[0.4, 0.6]] * 3, id="lists"),
    ],
)
def test_a_batch_that_names_its_columns_differently_is_refused(other):
    with pytest.raises(PredictionError, match=r"predictions\['rf'\]\[1\] has .*dict of models"):
        read_predictions(TRUTH, {"rf": [pd.DataFrame(FIRST), other]}, pos_label="yes")


def test_frames_of_a_batch_must_have_one_shape():
    with pytest.raises(PredictionError, match=r"one shape.*\(3, 2\).*\(2, 2\)"):
        read_predictions(TRUTH, [pd.DataFrame(FIRST), pd.DataFrame(FIRST)[:2]], pos_label="yes")


def test_frames_of_a_batch_must_line_up_with_each_other_and_with_the_truth():
    index, odd = ["r", "s", "t"], ["r", "t", "s"]
    batch = [pd.DataFrame(FIRST, index=index), pd.DataFrame(SECOND, index=odd)]
    with pytest.raises(PredictionError, match=r"index of predictions\[1\] must.*predictions\[0\]"):
        read_predictions(TRUTH, batch, pos_label="yes")
    truth = pd.Series(TRUTH, index=odd)
    with pytest.raises(PredictionError, match="index of predictions must be that of y_true"):
        read_predictions(truth, [pd.DataFrame(FIRST, index=index)] * 2, pos_label="yes")


def test_truths_of_a_batch_must_line_up_with_each_other():
    scores = np.array([[[0.1], [0.9]], [[0.2], [0.8]]])
    series = [pd.Series([0, 1]), pd.Series([1, 0], index=[1, 0])]
    with pytest.raises(PredictionError, match=r"index of y_true\[1\] must be that of y_true\[0\]"):
        read_predictions(series, scores)
    fine = [pd.Series([0, 1]), pd.Series([1, 0])]
    assert answer(fine, scores) == answer([[0, 1], [1, 0]], scores)


@pytest.mark.parametrize(
    "columns",
    [
        [pd.Series([0.1, 0.9]), pd.Series([0.2, 0.8])],
        [pl.Series("rf", [0.1, 0.9]), pl.Series("svm", [0.2, 0.8])],
    ],
)
def test_a_list_of_series_may_be_models_or_rows_and_is_refused_as_predictions(columns):
    with pytest.raises(PredictionError, match="models as a dict, rows as a frame"):
        read_predictions([0, 1], columns)
