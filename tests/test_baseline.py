from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from measurement_tables import ACC, AUC, BRIER, SHIFT, SLOPE
from sklearn.metrics import log_loss

import metricatlas as ma
from metricatlas.errors import MetricAtlasError
from metricatlas.measurements import Column, Measurements

CLOSE = 1e-15


# -- The constant prediction -----------------------------------------------------------------------


def test_the_baseline_predicts_the_share_of_positives_for_everybody():
    found = ma.baseline([0, 0, 1, 1, 1, 1, 1, 0], measures=["acc", "auc", "brier", "rms", "cal"])
    # 5 of 8 are positive, so all are decided positive: (5 * (3/8)^2 + 3 * (5/8)^2) / 8 = 15/64.
    expected = [5 / 8, 0.5, 15 / 64, (15 / 64) ** 0.5]
    assert found.values[0, :4] == pytest.approx(expected, abs=CLOSE)
    assert found.rows["model"].tolist() == ["baseline"]
    assert found.columns == ("acc", "auc", "brier", "rms", "cal")


def test_a_tie_of_the_classes_is_decided_as_a_constant_half_is():
    y = [0, 1, 1, 0]
    measures = ["acc", "brier", "log_loss", "f1", "mcc"]
    found = ma.baseline(y, measures=measures)
    assert found.values == pytest.approx(
        ma.evaluate(y, [0.5] * 4, measures=measures).values, abs=CLOSE
    )


def test_the_baseline_is_the_constant_prediction_of_the_prior_in_each_group():
    y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 0])
    groups = ["b", "a", "b", "a", "c", "b", "a", "c", "c", "b", "b", "c"]
    # The last group has negatives only; it comes in between the others.
    y[[7, 8]], y[11] = 0, 1
    measures = ["acc", "auc", "brier", "log_loss"]
    found = ma.baseline(y, measures=measures, groups=groups)
    for name in "abc":
        own = y[[g == name for g in groups]]
        share = float(np.mean(own))
        decided = share > 0.5
        expected = [
            np.mean(own == decided),
            0.5,
            share * (1 - share),
            log_loss(own, np.full(len(own), share)),
        ]
        rows = found.where(group=name)
        assert len(rows) == 1
        assert rows.values[0] == pytest.approx(expected, abs=1e-14), name
    # All groups together would be another prediction.
    assert not np.allclose(ma.baseline(y, measures=measures).values, found.values)


def test_several_columns_of_groups_are_groups_together():
    y = [0, 1, 1, 1, 0, 0, 1, 0]
    frame = pd.DataFrame({"dataset": list("xyxyxyxy"), "fold": [1, 1, 1, 1, 2, 2, 2, 2]})
    found = ma.baseline(y, measures=["brier"], groups=frame)
    for (name, fold), own in pd.Series(y).groupby([frame["dataset"], frame["fold"]]):
        share = own.mean()
        value = found.where(dataset=name, fold=fold)["brier"]
        assert value == pytest.approx([share * (1 - share)], abs=CLOSE)


def test_weights_make_the_shares():
    y, w = [0, 1, 1, 0], [3, 1, 0, 4]
    found = ma.baseline(y, sample_weight=w, measures=["acc", "brier", "auc"])
    # 1 of 8 is positive.
    assert found.values[0] == pytest.approx([7 / 8, 7 / 64, 0.5], abs=CLOSE)
    repeated = ma.baseline(np.repeat(y, w), measures=["acc", "brier", "auc"])
    assert found.values == pytest.approx(repeated.values, abs=CLOSE)
    as_series = pd.Series(w, index=[9, 8, 7, 6])
    assert ma.baseline(y, sample_weight=as_series, measures=["acc", "brier", "auc"]) == found


def test_weights_count_within_groups():
    y, w, groups = [0, 1, 1, 0, 1, 0], [0.5, 1.5, 2, 2, 1, 3], list("aabbab")
    found = ma.baseline(y, sample_weight=w, groups=groups, measures=["brier"])
    # In a 2.5 of 3, in b 2 of 7.
    assert found.where(group="a")["brier"] == pytest.approx([2.5 * 0.5 / 9], abs=CLOSE)
    assert found.where(group="b")["brier"] == pytest.approx([2 * 5 / 49], abs=CLOSE)


@pytest.mark.parametrize(("pos_label", "share"), [("spam", 0.25), ("ham", 0.75)])
def test_labels_may_be_words_and_the_positive_one_be_named(pos_label, share):
    y = ["ham", "spam", "ham", "ham"]
    measures = ["recall", "acc", "brier"]
    found = ma.baseline(y, pos_label=pos_label, measures=measures)
    expected = ma.evaluate(y, [share] * 4, pos_label=pos_label, measures=measures)
    assert np.array_equal(found.values, expected.values)
    assert found["brier"] == pytest.approx([3 / 16], abs=CLOSE)
    assert found["acc"].tolist() == [0.75]
    assert found["recall"].tolist() == [float(pos_label == "ham")]


def test_words_need_a_positive_one_as_everywhere():
    with pytest.raises(MetricAtlasError, match="pos_label"):
        ma.baseline(["ham", "spam", "ham"], measures=["acc"])


@pytest.mark.parametrize("labels", [None, ["c", "a", "b"], ["a", "b", "c", "absent"]])
def test_of_several_classes_every_one_has_its_share(labels):
    y = ["a", "b", "b", "c", "b", "a"]
    found = ma.baseline(y, labels=labels, measures=["acc", "brier", "log_loss"])
    shares = {"a": 1 / 3, "b": 1 / 2, "c": 1 / 6}
    rows = [sum((share - (k == own)) ** 2 for k, share in shares.items()) for own in y]
    expected = [0.5, np.mean(rows), -np.mean([np.log(shares[own]) for own in y])]
    assert found.values[0] == pytest.approx(expected, abs=1e-15)


def test_of_several_classes_groups_have_their_own_shares():
    y = ["a", "b", "c", "a", "a", "c"]
    found = ma.baseline(
        y, groups=[1, 2, 1, 2, 1, 2], measures=["acc", "brier"], labels=["b", "a", "c"]
    )
    # Two of three are a: 2 * (1/9 + 1/9) + (4/9 + 4/9) over 3; all differ: 2/3.
    assert found.where(group=1).values[0] == pytest.approx([2 / 3, 4 / 9], abs=CLOSE)
    assert found.where(group=2).values[0] == pytest.approx([1 / 3, 2 / 3], abs=CLOSE)


def test_a_baseline_is_the_zero_of_normalised_scores():
    y = [0, 1, 1, 0, 1, 1, 0, 1]
    groups = list("aaaabbbb")
    models = {"good": [0.1, 0.8, 0.7, 0.4, 0.9, 0.6, 0.3, 0.8], "flat": [0.5, 0.5, 0.5, 0.5] * 2}
    measures = ["acc", "rms", "auc"]
    table = ma.evaluate(y, models, measures=measures, groups=groups)
    zero = ma.baseline(y, measures=measures, groups=groups)
    scaled = table.normalised(baseline=zero, within="group")
    assert scaled.where(model="good").values.tolist() == [[1, 1, 1], [1, 1, 1]]
    # In a the flat model is the baseline; in b, with 3 of 4 positive, its error is the larger.
    flat = scaled.where(model="flat", group="a").values[0]
    assert flat.tolist() == [0, 0, 0]
    good, base = (0.25 * (0.01 + 0.16 + 0.09 + 0.04)) ** 0.5, (3 / 16) ** 0.5
    expected = (base - 0.5) / (base - good)
    assert scaled.where(model="flat", group="b")["rms"] == pytest.approx([expected], abs=1e-14)


def test_a_measure_without_a_value_of_the_baseline_says_why():
    with pytest.warns(ma.UndefinedWarning):
        found = ma.baseline([1, 1, 1], measures=["auc", "acc"], labels=[0, 1])
    assert np.isnan(found["auc"]).all()
    assert found["acc"].tolist() == [1]
    assert found.reason(0, "auc")


# -- Setting aside what is below it ----------------------------------------------------------------

NEITHER = Column("prevalence", "prevalence", "neither")


def learners():
    values = np.array(
        [
            [0.9, 0.8, 0.10],
            [0.6, 0.5, 0.25],  # as the baseline is
            [0.5, 0.9, 0.10],  # accuracy below
            [0.9, 0.9, 0.30],  # Brier score above
            [0.9, nan, 0.20],
            [nan, 0.4, 0.20],  # area below, beside something undefined
        ]
    )
    names = {"model": list("abcdef"), "dataset": list("xxxyyy")}
    return Measurements(values, (ACC, AUC, BRIER), names, notes=("made by hand",))


ZERO = {"acc": 0.6, "auc": 0.5, "brier": 0.25}


def test_rows_below_the_baseline_on_any_measure_are_set_aside_and_counted():
    table = learners()
    for baseline in (ZERO, [0.6, 0.5, 0.25], np.array([0.6, 0.5, 0.25]), pd.Series(ZERO)):
        found = table.above(baseline)
        assert found.rows["model"].tolist() == ["a", "b", "e"]
        words = "3 of 6 rows are set aside: below the baseline"
        assert found.notes == ("made by hand", words)
    assert np.array_equal(found.values, table.values[[0, 1, 4]], equal_nan=True)
    assert found.schema == table.schema


def test_exempt_measures_decide_nothing_and_are_named():
    table = learners()
    found = table.above(ZERO, exempt=["acc"])
    assert found.rows["model"].tolist() == ["a", "b", "c", "e"]
    words = "2 of 6 rows are set aside: below the baseline, where acc does not count"
    assert found.notes[-1] == words
    assert table.above(ZERO, exempt="acc") == found
    # What is exempt needs no number.
    few = {name: x for name, x in ZERO.items() if name != "acc"}
    assert table.above(few, exempt=["accuracy"]) == found
    both = table.above(ZERO, exempt=["acc", "brier"])
    assert both.rows["model"].tolist() == ["a", "b", "c", "d", "e"]
    assert "where acc, brier do not count" in both.notes[-1]


def test_an_exempt_measure_need_not_be_in_a_table_that_is_the_baseline():
    base = Measurements(np.array([[0.5, 0.25]]), (AUC, BRIER), {"model": ["baseline"]})
    found = learners().above(base, exempt=["acc"])
    assert found.rows["model"].tolist() == ["a", "b", "c", "e"]


def test_undefined_values_decide_nothing():
    table = learners()
    assert table.above([nan, nan, nan]).rows["model"].tolist() == list("abcdef")
    assert table.above([nan, 0.5, nan]).rows["model"].tolist() == list("abcde")
    assert table.above([-inf, 0.5, inf]).notes[-1].startswith("1 of 6 rows")


def test_what_is_nearest_to_its_best_is_above():
    values = np.array([[-0.1, 1.2], [0.3, 1.0], [0.1, 0.7], [0.2, 1.5]])
    table = Measurements(values, (SHIFT, SLOPE), {"model": list("abcd")})
    # The distances of the baseline are 0.2 from 0 and 0.25 from 1.
    assert table.above([0.2, 0.75]).rows["model"].tolist() == ["a"]
    assert table.above([-0.2, 1.25]).rows["model"].tolist() == ["a"]
    assert table.above([0.2, 1.5]).rows["model"].tolist() == ["a", "c", "d"]


def test_measures_without_a_better_side_decide_nothing():
    table = Measurements(np.array([[0.9, 0.1], [0.9, 0.9]]), (ACC, NEITHER), {})
    assert len(table.above([0.5, 0.5])) == 2
    # As they decide nothing, they need no number either.
    assert len(table.above({"acc": 0.5})) == 2


def test_groups_have_their_own_baseline():
    table = learners()
    base = Measurements(
        np.array([[0.55, 0.95, 0.25], [0.6, 0.5, 0.35]]), (ACC, AUC, BRIER), {"dataset": ["x", "y"]}
    )
    found = table.above(base, within="dataset", exempt=["auc"])
    assert found.rows["model"].tolist() == ["a", "b", "d", "e", "f"]
    assert table.above(base, within="dataset").rows["model"].tolist() == ["d", "e"]
    # One row is the baseline of all groups.
    one = Measurements(np.array([[0.6, 0.5, 0.25]]), (ACC, AUC, BRIER), {"model": ["baseline"]})
    assert table.above(one, within="dataset") == table.above(one) == table.above(ZERO)
    with pytest.raises(MetricAtlasError, match="or one for each group; got 2"):
        table.above(base)


def test_reasons_and_levels_go_with_the_rows():
    levels = np.array([[0.5, 0.9], [0.8, 0.7], [nan, 0.4], [0.9, 0.1]])
    pair = Column("auc:acc", "auc:acc")
    values = np.column_stack([levels @ [1, 0.01], [0.4, 0.7, 0.9, 0.8]])
    table = Measurements(
        values, (pair, ACC), {}, reasons={(2, 0): "there are no positives"}, levels={0: levels}
    )
    found = table.above([0.6, 0.5])
    assert found.levels(0).tolist()[0] == [0.8, 0.7]
    assert found.reason(1, 0) == "there are no positives"
    assert len(found) == 3


def test_two_level_measures_are_above_as_pairs():
    # The first level is below; as one number, with 0.01 of the second, it would be above.
    levels = np.array([[0.500, 1.0]])
    pair = Column("auc:acc", "auc:acc")
    table = Measurements(levels @ [[1], [0.01]], (pair,), {}, levels={0: levels})
    base_levels = np.array([[0.505, 0.4]])
    base = Measurements(base_levels @ [[1], [0.01]], (pair,), {}, levels={0: base_levels})
    assert ma.agreement(np.vstack([levels, base_levels]), [0, 1]).R == 1
    assert len(table.above(base)) == 0


def test_a_baseline_that_lacks_numbers_is_refused_in_words():
    with pytest.raises(MetricAtlasError, match="2 are missing, the first is 'auc'"):
        learners().above({"acc": 0.5})
    with pytest.raises(MetricAtlasError, match="each of the 3 columns; got the shape"):
        learners().above([0.5])
    with pytest.raises(MetricAtlasError, match="no column 'nope'"):
        learners().above(ZERO, exempt=["nope"])
    with pytest.raises(MetricAtlasError, match="orient both or neither"):
        learners().oriented().above(learners().where(model="b"))


# -- Normalised, but for what is observed ----------------------------------------------------------


def test_observed_measures_start_from_the_worst_value_that_there_is():
    # As CAL in caruana2004: the baseline is nearly perfectly calibrated, and no zero.
    values = np.array([[0.6, 0.3], [0.9, 0.1], [0.8, 0.2], [0.5, 0.05]])
    cal = Column("cal", "cal", "lower", 0, 1)
    table = Measurements(values, (ACC, cal), {"model": list("abcd")})
    found = table.normalised(baseline={"acc": 0.5, "cal": 0.01}, observed=["cal"])
    acc = [0.25, 1, 0.75, 0]
    assert found["acc"] == pytest.approx(acc, abs=1e-14)
    assert found["cal"] == pytest.approx([0, 0.8, 0.4, 1], abs=1e-14)
    assert table.normalised(baseline={"acc": 0.5}, observed="cal") == found
    # With the baseline nothing would be better, and there would be no scale.
    assert np.isnan(table.normalised(baseline={"acc": 0.5, "cal": 0.01})["cal"]).all()
    # Without any baseline everything is observed.
    assert table.normalised(observed=["cal"]) == table.normalised()


def test_observed_measures_start_from_the_worst_of_each_group():
    table = Measurements(
        np.array([[0.6, 0.3], [0.9, 0.1], [0.7, 0.5], [0.8, 0.9]]),
        (ACC, BRIER),
        {"dataset": ["x", "x", "y", "y"]},
    )
    base = Measurements(np.array([[0.5, 0.01], [0.6, 0.01]]), (ACC, BRIER), {"dataset": ["x", "y"]})
    found = table.normalised(baseline=base, within="dataset", observed=["brier"])
    assert found["acc"] == pytest.approx([0.25, 1, 0.5, 1], abs=1e-14)
    assert found["brier"].tolist() == [0, 1, 1, 0]


def test_an_observed_measure_without_spread_says_so():
    table = Measurements(np.array([[0.6, 0.3], [0.9, 0.3]]), (ACC, BRIER), {})
    found = table.normalised(baseline={"acc": 0.95, "brier": 0.01}, observed=["brier"])
    assert found.reason(0, "brier") == "all values of the group are equal, so there is no scale"
    assert "better than the baseline" in found.reason(0, "acc")
    with pytest.raises(MetricAtlasError, match="no column 'nope'"):
        table.normalised(baseline={"acc": 0.95, "brier": 0.01}, observed=["nope"])
