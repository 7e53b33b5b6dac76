import copy
import pickle
from math import nan
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from measurement_tables import ACC, AUC, make_every_kind, make_table, simple

from metricatlas.errors import MeasureError, MetricAtlasError
from metricatlas.measurements import Column, Measurements


@pytest.fixture
def table():
    return make_table()


@pytest.fixture
def every_kind():
    return make_every_kind()


# -- What it holds ---------------------------------------------------------------------------------


def test_columns_are_named_as_asked_duplicates_included(table):
    assert table.columns == ("acc", "auc", "brier", "acc")
    assert list(table) == ["acc", "auc", "brier", "acc"]
    assert len(table) == 4


def test_values_cannot_be_written_and_the_callers_array_still_can():
    mine = np.zeros((1, 1))
    table = Measurements(mine, (ACC,), {})
    with pytest.raises(ValueError, match="read-only"):
        table.values[0, 0] = 1
    mine[0, 0] = 1


def test_a_table_is_never_changed(table):
    with pytest.raises(AttributeError, match="never changed"):
        table.notes = ()
    with pytest.raises(AttributeError, match="never changed"):
        del table.values


def test_a_column_is_found_by_name_by_measure_and_by_alias(table):
    assert table["auc"][1] == 0.7
    assert table["AUROC"][1] == 0.7
    assert table[SimpleNamespace(name="auc")][1] == 0.7
    assert "accuracy" in table
    assert "f1" not in table
    renamed = table.select(["auroc"])
    assert renamed["auc"][1] == 0.7


def test_an_alias_finds_a_column_whose_measure_has_been_reduced_over_classes():
    reduced = Measurements(np.ones((1, 1)), (Column("auc", "auc[ovo,uniform]"),), {})
    assert reduced["auc[ovo,uniform]"] == 1
    assert reduced["auroc"] == 1


def test_aliases_are_those_of_the_catalogue():
    table = Measurements(np.array([[0.5, 0.7]]), (Column("f1", "f1[macro]"), ACC), {})
    assert table["ACC"] == table["accuracy"] == 0.7
    assert table["F1"] == 0.5
    frame = pd.DataFrame({"AUC": [0.5], "log_loss": [1.0], "nobody's measure": [1.0]})
    found = Measurements.from_frame(frame)
    assert [column.measure for column in found.schema] == ["auc", "log_loss", "nobody's measure"]
    assert [column.better for column in found.schema] == ["higher", "lower", "higher"]


def test_an_unknown_column_is_refused_with_the_nearest(table):
    with pytest.raises(MeasureError, match="no column 'briar'; the nearest are 'brier'"):
        table["briar"]
    with pytest.raises(MeasureError, match="It is a measure, though"):
        table.select(["acc"])["brier"]
    with pytest.raises(MeasureError, match="by its name or its measure; got 3"):
        table[3]


def test_rows_are_a_frame_of_the_keys(table):
    assert isinstance(table.rows, pd.DataFrame)
    assert table.rows.to_dict("list") == {"model": ["rf", "knn", "rf", "knn"], "fold": [0, 0, 1, 1]}
    assert Measurements(np.ones((3, 1)), (ACC,), {}).rows.shape == (3, 0)


def test_undefined_cells_have_a_reason_and_defined_ones_none(table):
    assert table.reason(0, "auc") == "there are no positives"
    assert table.reason(-4, 1) == "there are no positives"
    assert table.reason(1, "auc") == ""
    assert Measurements(np.array([[nan]]), (ACC,), {}).reason(0, 0).startswith("undefined")
    with pytest.raises(MetricAtlasError, match="below 4, the number of rows; got 4"):
        table.reason(4, "auc")
    with pytest.raises(MeasureError, match="below 4; got 9"):
        table.reason(0, 9)


def test_reasons_may_be_worked_out_when_they_are_asked_for():
    calls = []

    def reasons():
        calls.append(1)
        return {(0, 0): "late"}

    table = Measurements(np.array([[nan, 1.0]]), (ACC, AUC), {"model": ["a"]}, reasons=reasons)
    chosen = table.where(model="a").select(["auc", "acc"]).oriented()
    assert not calls
    assert chosen.reason(0, "acc") == "late"
    assert table.reason(0, "acc") == "late"
    assert calls == [1]
    assert pickle.loads(pickle.dumps(table)).reason(0, 0) == "late"


def test_parts_that_do_not_fit_are_refused():
    with pytest.raises(MetricAtlasError, match=r"rows by 1 columns; got the shape \(2, 2\)"):
        Measurements(np.ones((2, 2)), (ACC,), {})
    with pytest.raises(MetricAtlasError, match="key 'model' must have a value a row: 2; got 1"):
        Measurements(np.ones((2, 1)), (ACC,), {"model": ["a"]})


def test_numpy_takes_a_table_for_its_values(table):
    assert np.array_equal(np.asarray(table), table.values, equal_nan=True)


# -- Equality and copies ---------------------------------------------------------------------------


def test_tables_are_equal_when_all_that_they_hold_is(table, every_kind):
    assert table == copy.deepcopy(table)
    assert table != every_kind
    assert table != "a table"
    assert table != table.where(fold=0)
    assert table != table.__replace__(notes=())
    assert table != table.__replace__(reasons={})
    assert table != table.__replace__(row_keys={"model": list("abcd"), "fold": [0, 0, 1, 1]})
    assert every_kind != every_kind.__replace__(levels={})


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_tables_pickle_and_stay_read_only(every_kind, protocol):
    back = pickle.loads(pickle.dumps(every_kind, protocol))
    assert back == every_kind
    assert not back.values.flags.writeable


# -- Choosing --------------------------------------------------------------------------------------


def test_select_gives_the_columns_asked_for_in_their_order_and_spelling(table):
    chosen = table.select(["brier", "accuracy", "auc", "auc"])
    assert chosen.columns == ("brier", "accuracy", "auc", "auc")
    assert [c.measure for c in chosen.schema] == ["brier", "acc", "auc", "auc"]
    assert chosen.values[1].tolist() == [0.1, 0.8, 0.7, 0.7]
    assert chosen.reason(0, 2) == chosen.reason(0, 3) == "there are no positives"
    assert table.select("auc").columns == ("auc",)
    assert table.select([]).columns == ()


def test_where_keeps_the_rows_with_these_keys(table):
    assert table.where(model="rf")["acc"].tolist() == [0.9, 0.6]
    assert table.where(model="rf", fold=1)["acc"].tolist() == [0.6]
    assert table.where(fold=[1, 0])["acc"].tolist() == [0.9, 0.8, 0.6, 1.0]
    assert table.where(fold=np.array([1]))["acc"].tolist() == [0.6, 1.0]
    assert table.where(fold=pl.Series([1]))["acc"].tolist() == [0.6, 1.0]
    assert table.where(fold=np.int64(1)).row_keys == {"model": ["rf", "knn"], "fold": [1, 1]}
    assert table.where() == table


def test_where_keeps_reasons_with_their_rows(table):
    turned = Measurements(table.values[::-1], table.schema, table.row_keys, reasons={(3, 1): "x"})
    assert turned.where(model="knn").reason(1, "auc") == "x"


def test_a_tuple_is_one_model_and_none_is_a_name_too():
    table = simple(3, model=[("a", 1), None, nan])
    assert len(table.where(model=("a", 1))) == 1
    assert len(table.where(model=None)) == 1
    assert len(table.where(model=nan)) == 1


def test_a_key_or_value_that_no_row_has_is_refused_with_the_nearest(table):
    with pytest.raises(MetricAtlasError, match="no key 'modle'; the nearest are 'model'"):
        table.where(modle="rf")
    with pytest.raises(MetricAtlasError, match="no row has model='knm'; the nearest are 'knn'"):
        table.where(model=["rf", "knm"])
    with pytest.raises(MetricAtlasError, match="Put several values into a list"):
        table.where(model=("rf", "knn"))
    with pytest.raises(MetricAtlasError, match="no row has fold='1'"):
        table.where(fold="1")


def test_levels_follow_their_rows_and_columns(every_kind):
    assert every_kind.levels("auc:acc")[0].tolist() == [0.7, 0.71]
    chosen = every_kind.where(n=2).select(["brier", "auc:acc"]).oriented()
    assert np.array_equal(chosen.levels("auc:acc"), [[nan, 0.5]], equal_nan=True)
    assert not chosen.levels(1).flags.writeable
    with pytest.raises(MeasureError, match="only a two-level measure such as auc:acc"):
        every_kind.levels("brier")


def test_tables_are_put_below_each_other(table):
    first, second = table.where(fold=1), table.where(fold=0)
    both = Measurements.concat([first, second])
    assert both["acc"].tolist() == [0.6, 1.0, 0.9, 0.8]
    assert both.reason(2, "auc") == "there are no positives"
    assert both.notes == ("made by hand",)
    assert Measurements.concat([table]) == table


def test_the_names_of_tables_put_below_each_other_become_a_key(table, every_kind):
    both = Measurements.concat({"iris": table, "wine": table.where(fold=1)}, key="dataset")
    assert list(both.row_keys) == ["dataset", "model", "fold"]
    assert both.row_keys["dataset"] == ["iris"] * 4 + ["wine"] * 2
    assert Measurements.concat([every_kind, every_kind]).levels("auc:acc").shape == (4, 2)
    with pytest.raises(MetricAtlasError, match="have a key 'model' already"):
        Measurements.concat({"a": table}, key="model")


def test_columns_of_one_name_but_different_reductions_go_together():
    binary = Measurements(np.zeros((1, 1)), (Column("f1", "f1", "higher", 0, 1),), {})
    many = Measurements(np.ones((1, 1)), (Column("f1", "f1[macro]", "higher", 0, 2),), {})
    assert Measurements.concat([binary, many]).schema == (Column("f1", "f1", "higher", 0, 2),)
    assert Measurements.concat([many, binary]).schema == (Column("f1", "f1", "higher", 0, 2),)


def test_tables_that_do_not_fit_are_not_put_together(table):
    with pytest.raises(MetricAtlasError, match="at least one table"):
        Measurements.concat([])
    with pytest.raises(MetricAtlasError, match="'fold' is missing in one"):
        Measurements.concat([table, table.__replace__(row_keys={"model": list("abcd")})])
    with pytest.raises(MetricAtlasError, match="the same columns; 'auc', 'brier' differ"):
        Measurements.concat([table, table.select("acc")])
    with pytest.raises(MetricAtlasError, match="one direction in all tables"):
        Measurements.concat([table, table.oriented()])


def test_columns_in_another_order_are_brought_into_the_first_tables():
    first = simple(1)
    assert Measurements.concat([first, first.select(["m1", "m0"])])["m0"].tolist() == [0, 0]


@pytest.mark.parametrize("row", ["a", 0.0, None, 4, -5])
def test_a_row_is_asked_for_by_its_number(table, row):
    with pytest.raises(MetricAtlasError, match=r"row must be a whole number below 4.*`\.rows`"):
        table.reason(row, 0)
    assert table.reason(np.int64(0), "auc") == "there are no positives"


@pytest.mark.parametrize("asked", [[0], 0, [None], [1.5]])
def test_columns_are_selected_by_name_or_measure(table, asked):
    with pytest.raises(MeasureError, match=r"by its name or its measure; got .* `\.columns` lists"):
        table.select(asked)


@pytest.mark.parametrize("tables", [3, "ab"])
def test_only_tables_are_put_below_each_other(table, tables):
    for given in (tables, [table, tables], {"a": table, "b": tables}, table):
        with pytest.raises(MetricAtlasError, match="must be tables, in a list or a dict; got the"):
            Measurements.concat(given)


def test_a_value_that_no_row_has_is_written_plainly(table):
    with pytest.raises(MetricAtlasError, match="no row has fold=7;"):
        table.where(fold=np.int64(7))
