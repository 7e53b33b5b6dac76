import datetime as dt
import sys
from math import nan

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from measurement_tables import make_table, simple

from metricatlas.errors import MeasureError, MetricAtlasError
from metricatlas.measurements import Column, Measurements


@pytest.fixture
def table():
    return make_table()


def test_frames_hold_the_keys_then_the_measures(table):
    pandas, arrow, polars = table.to_pandas(), table.to_arrow(), table.to_polars()
    assert list(pandas.columns) == ["model", "fold", "acc", "auc", "brier", "acc"]
    assert arrow.column_names == ["model", "fold", "acc", "auc", "brier", "acc"]
    assert polars.columns == ["model", "fold", "acc", "auc", "brier", "acc (2)"]
    assert pandas["brier"].tolist() == polars["brier"].to_list() == [0.2, 0.1, 0.4, 0.0]
    pandas.loc[0, "brier"] = 7
    assert table["brier"][0] == 0.2


def test_keys_of_mixed_types_become_text_in_arrow_but_not_in_pandas():
    table = simple(3, model=[1, "1", None])
    assert table.to_arrow()["model"].to_pylist() == ["1", "1", None]
    assert table.to_pandas()["model"].tolist()[:2] == [1, "1"]


def test_polars_is_asked_for_by_name_where_it_is_not_installed(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MetricAtlasError, match=r"pip install metricatlas\[polars\]"):
        table.to_polars()


FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_computed_elsewhere_becomes_a_table(frame):
    table = Measurements.from_frame(
        frame({"dataset": ["a", "b"], "auroc": [0.5, None], "brier": [1, 0], "mine": [3.0, 4.0]}),
        keys=["dataset"],
    )
    assert table.columns == ("auroc", "brier", "mine")
    assert table.row_keys == {"dataset": ["a", "b"]}
    assert [column.better for column in table.schema] == ["higher", "lower", "higher"]
    assert table.schema[0] == Column("auroc", "auc", "higher", 0, 1, "Area under the ROC curve")
    assert table.reason(1, "auc") == "missing in the frame"
    assert len(table.notes) == 1
    assert table.notes[0].endswith("higher counts as better: mine")


@pytest.mark.parametrize("give", ["to_pandas", "to_arrow"])
def test_a_table_comes_back_from_its_frame_duplicates_included(table, give):
    back = Measurements.from_frame(getattr(table, give)(), ["model", "fold"])
    assert back.columns == table.columns
    assert back.row_keys == table.row_keys
    assert np.array_equal(back.values, table.values, equal_nan=True)


def test_keys_may_be_levels_of_a_pandas_index():
    frame = pd.DataFrame({"acc": [0.5]}, index=pd.Index(["iris"], name="dataset"))
    assert Measurements.from_frame(frame, "dataset").row_keys == {"dataset": ["iris"]}


def test_odd_columns_of_frames_are_read():
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2024-01-02", None]),
            "kind": pd.Categorical(["x", None]),
            7: np.array([1, None], dtype=object),
            "right": [True, False],
            "whole": pd.array([1, None], dtype="Int64"),
        }
    )
    table = Measurements.from_frame(frame, ["day", "kind"])
    assert table.row_keys == {"day": [dt.datetime(2024, 1, 2), None], "kind": ["x", None]}  # noqa: DTZ001 - as pandas has it
    assert table.columns == ("7", "right", "whole")
    assert np.array_equal(table.values, [[1, 1, 1], [nan, 0, nan]], equal_nan=True)
    assert np.isnan(Measurements.from_frame(pl.DataFrame({"acc": [None]})).values).all()


def test_directions_of_unknown_columns_can_be_said():
    frame = pl.DataFrame({"cost": [1.0], "bias": [0.5]})
    table = Measurements.from_frame(frame, better={"cost": "lower", "bias": "zero"})
    assert [column.better for column in table.schema] == ["lower", "zero"]
    assert table.notes == ()
    with pytest.raises(MeasureError, match="higher, lower, zero, one, neither; got 'cost': 'down'"):
        Measurements.from_frame(frame, better={"cost": "down"})


def test_frames_that_are_no_measurements_are_refused():
    frame = pd.DataFrame({"dataset": ["iris"], "acc": [0.5]})
    with pytest.raises(MetricAtlasError, match=r"'dataset' must hold numbers .* such as 'iris'"):
        Measurements.from_frame(frame)
    with pytest.raises(MetricAtlasError, match="no column 'datset' to be a key; the nearest"):
        Measurements.from_frame(frame, keys="datset")
    with pytest.raises(MetricAtlasError, match="comes more than once"):
        Measurements.from_frame(frame, keys=["dataset", "dataset"])
    with pytest.raises(MetricAtlasError, match=r"got a LazyFrame. Call its `.collect"):
        Measurements.from_frame(pl.LazyFrame({"acc": [1.0]}))
    with pytest.raises(MetricAtlasError, match="got list"):
        Measurements.from_frame([1, 2])


@pytest.mark.parametrize("keys", [None, 3, [1], [None]])
def test_keys_are_names_of_columns(keys):
    with pytest.raises(MetricAtlasError, match="keys must be names of columns, in a list; got"):
        Measurements.from_frame(pd.DataFrame({"acc": [1.0]}), keys=keys)


def test_bounds_that_depend_on_the_number_of_classes_are_left_open():
    frame = pd.DataFrame({"brier": [1.4], "acc": [0.5], "acc:brier": [0.4], "equivocation": [1.5]})
    table = Measurements.from_frame(frame)
    assert [(c.lower, c.upper) for c in table.schema] == [
        (0, np.inf),
        (0, 1),
        (-np.inf, 1),
        (0, np.inf),
    ]


def test_directions_are_said_in_a_dict():
    with pytest.raises(MeasureError, match="better= must be a dict such as"):
        Measurements.from_frame(pd.DataFrame({"mine": [1.0]}), better="lower")
