"""Costs follow the classes as they are declared, or as a frame names them."""

import pickle

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import metricatlas as ma
from metricatlas.errors import MeasureError, MetricAtlasError

Y = ["sick", "sick", "well", "well"]
P = ["sick", "well", "well", "well"]
#: It costs 10 to send the sick home, and 1 to treat the well.
COSTS = np.array([[0, 10], [1, 0]])
CLASSES = ["sick", "well"]
FRAME = pd.DataFrame(COSTS, index=CLASSES, columns=CLASSES)


def cost(costs=COSTS):
    return ma.catalogue["cost"].using(costs=costs)


@pytest.mark.parametrize("pos_label", CLASSES)
@pytest.mark.parametrize("labels", [None, CLASSES])
def test_costs_have_the_order_of_labels_or_else_sorted_whichever_class_is_positive(
    pos_label, labels
):
    table = ma.evaluate(Y, P, labels=labels, pos_label=pos_label, measures=cost())
    matrix = ma.evaluate_confusion([[1, 1], [0, 2]], labels=CLASSES, measures=cost())
    assert table.values.tolist() == matrix.values.tolist() == [[2.5]]


def test_labels_in_another_order_turn_the_costs():
    turned = cost(COSTS[::-1, ::-1])
    options = {"labels": CLASSES[::-1], "pos_label": "sick"}
    assert ma.measure(turned, Y, P, **options) == 2.5
    assert ma.measure(cost(), Y, P, **options) == 0.25


@pytest.mark.parametrize("positive_first", [True, False])
def test_costs_of_a_matrix_follow_its_classes(positive_first):
    labels = [1, 0] if positive_first else [0, 1]
    matrix = [[1, 1], [0, 2]]
    assert ma.evaluate_confusion(matrix, labels=labels, measures=cost()).values[0, 0] == 2.5


@pytest.mark.parametrize("columns", [CLASSES, CLASSES[::-1]])
@pytest.mark.parametrize("labels", [None, CLASSES, CLASSES[::-1]])
def test_costs_of_a_frame_are_matched_by_name(columns, labels):
    frame = FRAME.loc[:, columns]
    for pos_label in CLASSES:
        found = ma.evaluate(Y, P, labels=labels, pos_label=pos_label, measures=["acc", cost(frame)])
        assert found.values.tolist() == [[0.75, 2.5]]
    assert ma.measure(pickle.loads(pickle.dumps(cost(frame))), Y, P, pos_label="sick") == 2.5


def test_a_column_of_named_costs_names_the_classes_and_says_its_measure_in_the_declared_order():
    turned = FRAME.loc[CLASSES[::-1], CLASSES[::-1]]
    for frame in (FRAME, turned):
        column = ma.evaluate(Y, P, pos_label="well", measures=cost(frame)).schema[0]
        assert column.name == "expected_cost[costs=(sick:(0,10),well:(1,0))]"
        assert column.measure == "expected_cost[costs=((0,10),(1,0))]"


def test_named_costs_and_nameless_ones_are_columns_of_their_own():
    # The order of the frame is not that of the sorted classes, so the numbers mean something else.
    frame = FRAME.loc[CLASSES[::-1], CLASSES[::-1]]
    named, nameless = cost(frame), cost(frame.to_numpy())
    for measures in ([named, nameless], [nameless, named], [named], [nameless]):
        table = ma.evaluate(Y, P, pos_label="sick", measures=measures)
        for measure, value in ((named, 2.5), (nameless, 0.25)):
            if measure in measures:
                assert table[measure].tolist() == table[measure.name].tolist() == [value]
                assert table.select(measure).values.tolist() == [[value]]


def test_the_name_of_named_costs_stands_for_them():
    odd = ["it's, sick", "(well): 2"]
    for names in (CLASSES, odd, [10, 9], [True, False], ["10", "9"]):
        frame = pd.DataFrame(COSTS, index=names, columns=names)
        assert ma.catalogue[cost(frame).name] == cost(frame)
        truth, decided = ([names[CLASSES.index(x)] for x in column] for column in (Y, P))
        for measure in (cost(frame), cost(frame).name):
            assert ma.measure(measure, truth, decided, pos_label=names[0]) == 2.5
    assert cost(FRAME) == cost(FRAME.loc[CLASSES[::-1], CLASSES[::-1]])


def test_a_cut_that_is_best_for_named_costs_follows_the_names():
    y, s = np.array(Y * 3), [0.9, 0.4, 0.3, 0.2, 0.8, 0.35, 0.6, 0.1, 0.7, 0.5, 0.45, 0.3]
    named = ["well:(0,1)", "sick:(10,0)"], ["sick:(0,10)", "well:(1,0)"]
    asked = ["acc@best=cost[costs=((0,10),(1,0))]", "cost[costs=((0,10),(1,0))]@best"]
    asked += [
        text
        for rows in named
        for text in (
            f"acc@best=cost[costs=({','.join(rows)})]",
            f"cost[costs=({','.join(rows)})]@best",
        )
    ]
    found = ma.evaluate(y, s, measures=asked, pos_label="sick").values.reshape(3, 2)
    assert found.tolist() == [found[0].tolist()] * 3


NAMELESS_ROWS = {
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "narwhals": lambda columns: nw.from_native(pl.DataFrame(columns)),
}


@pytest.mark.parametrize("library", NAMELESS_ROWS)
@pytest.mark.parametrize("labels", [None, CLASSES, CLASSES[::-1]])
def test_a_frame_without_names_of_rows_has_them_in_the_order_of_its_columns(library, labels):
    frame = NAMELESS_ROWS[library]
    costs = frame({"sick": [0, 1], "well": [10, 0]}), frame({"well": [0, 10], "sick": [1, 0]})
    for found in costs:
        assert cost(found) == cost(FRAME)
        assert ma.measure(cost(found), Y, P, labels=labels, pos_label="sick") == 2.5


def test_frames_that_name_numbers_as_text_are_matched_to_the_numbers():
    costs = pl.DataFrame({"1": [0, 1], "0": [10, 0]})
    assert ma.measure(cost(costs), [1, 1, 0, 0], [1, 0, 0, 0]) == 2.5


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (pl.DataFrame({"ill": [0, 1], "well": [10, 0]}), r"got \['ill', 'well'\].*to_numpy"),
        (pl.DataFrame({"truth": CLASSES, "sick": [0, 1], "well": [10, 0]}), "'truth'.*Leave them"),
        (pl.DataFrame({"sick": [0, 1, 1], "well": [10, 0, 1]}), r"got the shape \(3, 2\)"),
        (pl.LazyFrame({"sick": [0, 1], "well": [10, 0]}), "Collect it first"),
    ],
)
def test_frames_that_are_no_costs_of_the_classes_are_refused(frame, words):
    with pytest.raises(MetricAtlasError, match=words):
        ma.measure(cost(frame), Y, P, pos_label="sick")


def test_names_that_polars_made_up_are_none():
    assert cost(pl.DataFrame(COSTS)) == cost()


def test_frames_of_different_classes_are_different_measures():
    other = FRAME.rename(index={"sick": "ill"}, columns={"sick": "ill"})
    assert cost(FRAME) == cost(FRAME.copy())
    assert cost(FRAME) != cost(other)
    assert cost(FRAME) != cost()
    with pytest.raises(
        MeasureError, match=r"needs costs of \['sick', 'well'\]; got \['ill', 'well'"
    ):
        ma.measure(cost(other), Y, P, pos_label="sick")


def test_a_frame_whose_rows_are_other_classes_than_its_columns_is_refused():
    frame = FRAME.rename(index={"sick": "ill"})
    with pytest.raises(MeasureError, match="the same classes as rows and as columns"):
        cost(frame)


def test_a_frame_without_names_is_a_matrix():
    assert cost(pd.DataFrame(COSTS)) == cost()


def test_the_best_cut_for_costs_follows_them_too():
    y, s = np.array(Y * 3), [0.9, 0.4, 0.3, 0.2, 0.8, 0.35, 0.6, 0.1, 0.7, 0.5, 0.45, 0.3]
    costs = "costs=((0,10),(1,0))"
    found = ma.measure(f"cost[{costs}]@best", y, s, pos_label="sick")
    truth, scores = (y == "sick").astype(int), np.array(s)
    each = [
        np.where(truth == 1, 10 * (scores <= t), 1 * (scores > t)).mean() for t in [-np.inf, *s]
    ]
    assert found == pytest.approx(min(each))
