from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from measurement_tables import ACC, BRIER, make_every_kind, make_table

import metricatlas as ma
from metricatlas.errors import MeasureError, MetricAtlasError
from metricatlas.measurements import Measurements


@pytest.fixture
def table():
    return make_table()


@pytest.fixture
def every_kind():
    return make_every_kind()


def test_oriented_values_are_higher_where_the_prediction_is_better(every_kind):
    oriented = every_kind.oriented()
    expected = [[nan, -0.2, -0.5, -inf, 0.7071], [0.25, 0.0, -0.5, -0.25, nan]]
    assert np.array_equal(oriented.values, expected, equal_nan=True)
    assert not np.signbit(oriented.values[1, 1])
    assert {column.better for column in oriented.schema} == {"higher"}
    assert oriented.reason(0, "auc") == "there are no positives"
    assert oriented.oriented() is oriented


def test_oriented_bounds_hold_the_oriented_values(every_kind):
    bounds = [(column.lower, column.upper) for column in every_kind.oriented().schema]
    assert bounds == [(0, 1), (-1, 0), (-2, 0), (-inf, 0), (0, 1.01)]
    assert every_kind.oriented().schema[1].title == "minus Brier score"


def test_normalised_scores_are_zero_at_the_baseline_and_one_at_the_best():
    # Table 1 of caruana2004 in small: accuracy .9 where the baseline has .6 and the best .95.
    table = Measurements(
        np.array([[0.6, 0.5], [0.9, 0.3], [0.95, 0.1], [0.45, 0.6]]),
        (ACC, BRIER),
        {"model": ["baseline", "a", "b", "c"]},
    )
    expected = [[0, 0], [0.3 / 0.35, 0.5], [1, 1], [-0.15 / 0.35, -0.25]]
    for baseline in (table.where(model="baseline"), {"acc": 0.6, "brier": 0.5}, [0.6, 0.5]):
        scaled = table.normalised(baseline=baseline)
        assert scaled.values == pytest.approx(np.array(expected))
    assert [(c.better, c.lower, c.upper) for c in scaled.schema] == [("higher", -inf, 1.0)] * 2
    assert table.normalised(baseline=pd.Series({"brier": 0.5, "accuracy": 0.6})) == scaled


def test_normalised_scores_within_groups_use_the_groups_own_baseline_and_best():
    table = Measurements(
        np.array([[0.5], [0.75], [1.0], [0.0], [0.1], [0.2]]),
        (ACC,),
        {"dataset": list("aaabbb"), "model": ["base", "x", "y"] * 2},
    )
    scaled = table.normalised(baseline=table.where(model="base"), within="dataset")
    assert scaled["acc"].tolist() == [0, 0.5, 1, 0, 0.5, 1]
    assert table.normalised(within=["dataset"])["acc"].tolist() == [0, 0.5, 1, 0, 0.5, 1]
    with pytest.raises(MetricAtlasError, match=r"one for each group; got 0 for \('b',\)"):
        table.normalised(baseline=table.where(model="base", dataset="a"), within="dataset")
    with pytest.raises(MetricAtlasError, match="got 2"):
        table.normalised(baseline=table.where(model="base"))


def test_without_a_baseline_the_worst_becomes_zero(table):
    scaled = table.normalised()
    assert scaled.select(["acc", "brier"]).values == pytest.approx(
        np.array([[0.75, 0.5], [0.5, 0.75], [0, 0], [1, 1]])
    )
    assert scaled.schema[2].lower == 0
    assert scaled.reason(0, "auc") == "there are no positives"


def test_standard_scores_have_mean_zero_and_deviation_one(table):
    scaled = table.normalised("standard").values
    assert np.nanmean(scaled, axis=0) == pytest.approx(np.zeros(4))
    assert np.nanstd(scaled, axis=0) == pytest.approx(np.ones(4))
    # The mean of equal numbers need not be that number.
    same = Measurements(np.full((10, 1), 0.1), (ACC,), {}).normalised("standard")
    assert np.isnan(same.values).all()


def test_without_a_scale_values_are_undefined_and_say_why():
    table = Measurements(np.array([[0.5, 0.3], [0.5, inf]]), (ACC, BRIER), {"model": ["a", "b"]})
    assert "all values of the group are equal" in table.normalised().reason(0, "acc")
    worse = table.normalised(baseline={"acc": 0.9, "brier": 0.5})
    assert "better than the baseline" in worse.reason(1, "acc")
    assert worse["brier"].tolist() == [1, -inf]
    unknown = table.normalised(baseline=[nan, inf])
    assert unknown.reason(0, 0) == unknown.reason(0, 1) == "the baseline is undefined or infinite"
    assert np.isnan(unknown.values).all()


def test_normalising_needs_a_whole_baseline_and_a_method(table):
    with pytest.raises(MetricAtlasError, match='must be "range" or "standard"; got \'zscore\''):
        table.normalised("zscore")
    with pytest.raises(MetricAtlasError, match="takes none"):
        table.normalised("standard", baseline=[0, 0, 0, 0])
    with pytest.raises(MetricAtlasError, match="2 are missing, the first is 'auc'"):
        table.normalised(baseline={"acc": 0.5})
    with pytest.raises(MetricAtlasError, match=r"each of the 4 columns; got the shape \(2,\)"):
        table.normalised(baseline=[0.5, 0.5])
    with pytest.raises(MetricAtlasError, match="orient both or neither"):
        table.normalised(baseline=table.oriented().where(model="rf", fold=0))
    with pytest.raises(MetricAtlasError, match="no key 'data'"):
        table.normalised(within="data")


def test_a_scaled_pair_is_one_number(every_kind):
    with pytest.raises(MeasureError, match="because it was scaled"):
        every_kind.normalised().levels("auc:acc")


def test_scaled_values_keep_the_reasons_that_oriented_values_have():
    y, models = [0, 1, 1, 0], {"a": [0.1, 0.7, 0.4, 0.2], "b": [0.3, 0.6, 0.6, 0.9]}
    table = ma.evaluate(y, models, measures=["prevalence", "auc"])
    words = "No value of this measure is better than another."
    assert table.normalised().reason(0, "prevalence") == words
    assert table.oriented().reason(0, "prevalence") == words


@pytest.mark.parametrize("baseline", ["a", [1], 5, {"acc": "x", "auc": 1, "brier": 0}, [[1, 2]]])
def test_a_baseline_that_is_none_is_refused(table, baseline):
    with pytest.raises(MetricAtlasError, match="baseline must be a table, a number for each col"):
        table.normalised(baseline=baseline)


def test_groups_of_a_scale_are_keys(table):
    with pytest.raises(MetricAtlasError, match="within must be a key or keys of the rows, model, "):
        table.normalised(within=3)
