"""What comparisons over data sets read, average, leave out, say and refuse."""

import re

import numpy as np
import pandas as pd
import pytest
from measurement_tables import AUC, PAIR
from over_data_sets import demsar, line, long, random_values, table

import metricatlas as ma
from metricatlas.errors import DecisionError, MeasureError, MetricAtlasError
from metricatlas.measurements import Column, Measurements


def repeated(values, **measures):
    """Rows of an array: data sets by models by folds."""
    values = np.asarray(values, dtype=float)
    places = [index.ravel() for index in np.indices(values.shape)]
    frame = pd.DataFrame(dict(zip(("dataset", "model", "fold"), places, strict=True)))
    frame["auc"] = values.ravel()
    for name, part in measures.items():
        frame[name] = np.asarray(part, dtype=float).ravel()
    return ma.Measurements.from_frame(frame, keys=["dataset", "model", "fold"])


def said(found):
    return " / ".join(found.notes)


# -- Reading ---------------------------------------------------------------------------------------


def test_predictions_in_groups_are_compared_over_the_groups():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    models = {name: np.clip(y * 0.3 + rng.random(400) * 0.7, 0, 1) for name in ("a", "b", "c")}
    group = np.repeat(["north", "south", "east", "west"], 100)
    m = ma.evaluate(y, models, groups=group, measures=["auc", "brier"])
    a = ma.across(m, over="group")
    assert (a.measures, a.models, a.datasets) == (
        ("auc", "brier"),
        ("a", "b", "c"),
        ("east", "north", "south", "west"),
    )
    cells = m.to_pandas().pivot_table(index="group", columns="model", values="brier")
    expected = cells.rank(axis=1).mean()
    found = a.ranks[a.ranks["measure"] == "brier"].set_index("model")
    assert found["rank"].to_dict() == expected.to_dict()
    assert found["value"].to_dict() == pytest.approx(cells.mean().to_dict(), rel=1e-12)
    best = line(a.pairs, measure="brier", model="a", other="b")
    assert best["difference"] == pytest.approx(cells["b"].mean() - cells["a"].mean(), rel=1e-9)


def test_several_keys_name_models_and_data_sets():
    frame = long(random_values(1, 6, 4)).rename(columns={"model": "both"})
    frame["learner"] = frame["both"].map({"m0": "tree", "m1": "tree", "m2": "knn", "m3": "knn"})
    frame["k"] = frame["both"].map({"m0": 1, "m1": 2, "m2": 1, "m3": 2})
    frame["part"] = frame["dataset"] % 2
    frame["dataset"] //= 2
    keys = ["dataset", "part", "learner", "k"]
    m = ma.Measurements.from_frame(frame.drop(columns="both"), keys=keys)
    a = ma.across(m, over=["dataset", "part"], models=["learner", "k"])
    assert a.models == (("tree", 1), ("tree", 2), ("knn", 1), ("knn", 2))
    assert a.datasets == ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1))
    plain = ma.across(table(random_values(1, 6, 4)))
    assert a.friedman.equals(plain.friedman)
    assert ", ".join(map(str, a.winners["winner"][0])) in repr(a)


def test_rows_of_a_cell_are_averaged_and_it_is_said():
    values = np.random.default_rng(1).random((6, 3, 5))
    a = ma.across(repeated(values))
    assert a.pairs.drop(columns="measure").to_numpy(float) == pytest.approx(
        ma.across(table(values.mean(axis=2), models=[0, 1, 2]))
        .pairs.drop(columns="measure")
        .to_numpy(float),
        rel=1e-12,
    )
    assert "5 rows of each model on each data set, told apart by fold, are averaged" in said(a)
    assert "averaged" not in said(demsar())


def test_means_that_differ_by_rounding_alone_are_ties():
    folds = [0.9, 0.91, 0.95], [0.91, 0.92, 0.93]
    assert np.mean(folds[0]) != np.mean(folds[1])
    a = ma.across(repeated([folds, folds]))
    assert a.pairs[["wins", "ties", "losses", "p"]].iloc[0].tolist() == [0, 2, 0, 1]


def test_the_order_of_the_folds_changes_no_bit():
    values = np.random.default_rng(2).random((5, 3, 7))
    one, other = ma.across(repeated(values)), ma.across(repeated(values[:, :, ::-1]))
    assert one.pairs.equals(other.pairs)
    assert one.ranks.equals(other.ranks)


def test_repeats_may_differ_in_number_from_data_set_to_data_set():
    m = repeated(np.random.default_rng(3).random((3, 2, 4)))
    rows = m.rows
    few = m.to_pandas()[~((rows["dataset"] == 1) & (rows["fold"] > 1))]
    a = ma.across(ma.Measurements.from_frame(few, keys=["dataset", "model", "fold"]))
    assert "2 to 4 rows" in said(a)


def test_two_level_measures_rank_as_pairs_though_their_number_goes_the_other_way():
    # The first level decides; f + 0.01 g is larger for the second model on the first data set.
    levels = np.array([[0.801, 0.1], [0.8, 0.9], [0.7, 0.2], [0.6, 0.1], [0.5, 0.5], [0.5, 0.4]])
    numbers = levels[:, :1] + 0.01 * levels[:, 1:]
    m = Measurements(
        numbers,
        (PAIR,),
        {"dataset": [0, 0, 1, 1, 2, 2], "model": ["a", "b"] * 3},
        levels={0: levels},
    )
    assert numbers[0] < numbers[1]
    a = ma.across(m)
    assert a.ranks["rank"].tolist() == [1, 2]
    row = a.pairs.iloc[0]
    assert row[["wins", "ties", "losses"]].tolist() == [3, 0, 0]
    assert row["statistic"] == 2
    assert "f + 0.01 g, which orders 33.33% of the pairs of models the other way round" in said(a)


def test_of_two_level_measures_each_level_is_averaged():
    # Over both folds the first levels are equal, and the second ones decide.
    levels = np.array([[0.5, 0.5], [0.7, 0.1], [0.6, 0.9], [0.6, 0.5]] * 2)
    m = Measurements(
        levels[:, :1] + 0.01 * levels[:, 1:],
        (PAIR,),
        {
            "dataset": [0] * 4 + [1] * 4,
            "model": ["a", "a", "b", "b"] * 2,
            "fold": [0, 1] * 4,
        },
        levels={0: levels},
    )
    assert ma.across(m).ranks["rank"].tolist() == [2, 1]


def test_infinite_values_are_values():
    values = [[0.3, np.inf, 0.4], [0.2, np.inf, np.inf], [0.5, 0.1, 0.7], [0.2, np.inf, 0.6]]
    a = ma.across(table(values, "log_loss"))
    assert a.ranks["rank"].tolist() == [5 / 4, (3 + 2.5 + 1 + 3) / 4, (2 + 2.5 + 3 + 2) / 4]
    first = line(a.pairs, model="m0", other="m1")
    assert first["difference"] == np.inf
    # The finite difference has the smallest size; the infinite ones share the ranks above.
    assert first["statistic"] == 1
    between = line(a.pairs, model="m1", other="m2")
    assert (between["wins"], between["ties"], between["losses"]) == (1, 1, 2)
    assert np.isfinite(a.bayesian(samples=100)[["better", "equal", "worse"]].to_numpy()).all()


# -- Left out --------------------------------------------------------------------------------------


def test_a_data_set_where_a_measure_is_undefined_is_left_out_for_that_measure():
    values, others = random_values(4, 7, 3), random_values(5, 7, 3)
    holed = values.copy()
    holed[2, 1] = holed[5, 0] = np.nan
    a = ma.across(table(holed, acc=others))
    alone = ma.across(table(np.delete(values, [2, 5], axis=0)))
    for name in ("ranks", "friedman", "nemenyi", "pairs", "groups", "winners"):
        found = getattr(a, name)
        assert found[found["measure"] == "auc"].reset_index(drop=True).equals(getattr(alone, name))
        assert set(found.loc[found["measure"] == "auc", "datasets"]) == {5}
        assert set(found.loc[found["measure"] == "acc", "datasets"]) == {7}
    assert "auc is undefined for a model on 2 of 7 data sets, left out for all models" in said(a)
    assert "acc is" not in said(a)


def test_a_fold_where_a_measure_is_undefined_is_left_out_for_all_models():
    values = np.random.default_rng(6).random((4, 2, 3))
    holed = values.copy()
    holed[1, 0, 2] = np.nan
    a = ma.across(repeated(holed), folds="fold")
    means = values.mean(axis=2)
    means[1] = values[1, :, :2].mean(axis=1)
    assert a.crossed.contests[0].values == pytest.approx(means, rel=1e-12)
    assert "auc is undefined for a model in 1 repeat, left out of the averages" in said(a)
    assert a.resampled_t()["folds"].tolist() == [3, 2, 3, 3]


def test_a_data_set_without_any_fold_that_is_defined_is_left_out():
    values = np.random.default_rng(9).random((5, 3, 4))
    values[2, 1] = np.nan
    a = ma.across(repeated(values))
    assert a.pairs.equals(ma.across(repeated(np.delete(values, 2, axis=0))).pairs)
    assert "auc is undefined for a model on 1 of 5 data sets" in said(a)
    assert "in 1 repeat" not in said(a)


def test_a_mean_of_an_infinite_loss_is_infinite():
    values = np.random.default_rng(10).random((5, 2, 3))
    values[1, 0, 0] = values[3, 0, 2] = values[3, 1, 1] = np.inf
    frame = repeated(values).to_pandas().rename(columns={"auc": "log_loss"})
    a = ma.across(ma.Measurements.from_frame(frame, keys=["dataset", "model", "fold"]))
    assert np.isinf(a.crossed.contests[0].measured).tolist() == [
        [False, False],
        [True, False],
        [False, False],
        [True, True],
        [False, False],
    ]
    assert a.pairs["ties"][0] == 1


def test_a_measure_that_is_hardly_defined_has_empty_rows():
    never = np.full((5, 3), np.nan)
    never[0] = 0.5
    a = ma.across(table(random_values(7, 5, 3), acc=never), folds="dataset")
    for found, names in (
        (a.friedman, ["statistic", "p", "f", "f_p", "concordance"]),
        (a.ranks, ["rank"]),
        (a.nemenyi, ["difference", "critical_difference", "p"]),
        (a.pairs, ["difference", "statistic", "p", "p_corrected", "sign_p"]),
        (a.bayesian(samples=10), ["better", "equal", "worse"]),
        (a.resampled_t(), ["difference", "low", "high", "t", "p", "p_corrected"]),
    ):
        assert found.loc[found["measure"] == "acc", names].isna().to_numpy().all()
        assert found.loc[found["measure"] == "auc", names].notna().to_numpy().all()
    assert not a.nemenyi.loc[a.nemenyi["measure"] == "acc", "differs"].any()
    assert a.winners["winner"].isna().tolist() == [False, True]
    assert "acc" not in set(a.groups["measure"])
    assert "so that nothing can be tested" in said(a)
    assert re.search(r"^acc +none +nan +none", repr(a), re.MULTILINE)


def test_a_measure_without_a_better_side_is_left_out():
    schema = (AUC, Column("share", "share", "neither"))
    values = np.random.default_rng(8).random((6, 2))
    m = Measurements(values, schema, {"dataset": [0, 0, 1, 1, 2, 2], "model": ["a", "b"] * 3})
    a = ma.across(m)
    assert a.measures == ("auc",)
    assert "left out, because no value is better than another: share" in said(a)
    with pytest.raises(DecisionError, match="of 'share' none is"):
        ma.across(m, measures=["auc", "share"])


# -- Said ------------------------------------------------------------------------------------------


def test_what_a_signed_rank_test_cannot_say_is_said():
    told = "with 5 data sets and 3 pairs of models .* corrected p-value below 0.188"
    assert re.search(told, said(ma.across(table(random_values(1, 5, 3)))))
    six = table(random_values(1, 6, 3))
    assert "cannot" in said(ma.across(six))
    assert "cannot" not in said(ma.across(six, correction="bh"))
    assert "below 0.0312" in said(ma.across(six, correction="none", level=0.99))
    assert "cannot" not in said(ma.across(table(random_values(1, 7, 3))))
    # It is reached where all models differ in the same way on all data sets.
    values = np.arange(5)[:, np.newaxis] + np.array([0, 1, 2]) * (1 + np.arange(5)[:, np.newaxis])
    assert ma.across(table(values)).pairs["p_corrected"].tolist() == [0.1875] * 3


def test_folds_and_two_models_are_spoken_of():
    a = ma.across(table(random_values(1, 8, 2)), folds="dataset")
    assert "folds of one, which share training examples" in said(a)
    assert "of two models Friedman's test only counts wins" in said(a)
    wins, losses = a.pairs["wins"][0], a.pairs["losses"][0]
    assert a.friedman["statistic"][0] == pytest.approx((wins - losses) ** 2 / (wins + losses))


def test_it_shows_who_is_best_and_who_may_be():
    shown = repr(demsar(level=0.9)).splitlines()
    assert shown[0].startswith("4 models over 14 data sets")
    assert re.fullmatch(r"auc +C4.5\+m\+cf +1.96 +C4.5\+m; C4.5\+cf +0.0116 +14", shown[2])
    many = {f"x{i}": random_values(i, 6, 8) for i in range(14)}
    shown = repr(ma.across(table(random_values(20, 6, 8), **many))).splitlines()
    assert "and 5 more measures" in shown
    assert "3 more" in shown[2]


# -- Refused ---------------------------------------------------------------------------------------

GOOD = table(random_values(1, 6, 3))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"over": "datasets"}, "over= must name keys .* got 'datasets'; the nearest are 'dataset'"),
        ({"models": "modl"}, "models= must name keys .* got 'modl'; the nearest are 'model'"),
        ({"folds": "fold"}, "folds= must name keys of the rows; got 'fold'"),
        ({"over": []}, "over= must name one key"),
        ({"over": ["dataset", "dataset"]}, "several different ones"),
        ({"over": 3}, "over= must name keys of the rows; got 3"),
        ({"over": "model"}, "the models need a key of their own; 'model' .* over="),
        ({"folds": "model"}, "the models need a key of their own; 'model' .* folds="),
        ({"folds": ["dataset", "model"]}, "folds= must be the one key"),
        ({"measures": []}, "there must be a measure"),
        ({"level": 95}, "level must be a number between 0 and 1, such as 0.95; got 95"),
        ({"level": "high"}, "level must be a number"),
        ({"rope": -0.1}, "rope must be a number from 0 on"),
        ({"rope": np.inf}, "rope must be a number from 0 on"),
        ({"rope": True}, "rope must be a number from 0 on"),
        ({"rope": {}}, "'auc' has none"),
        ({"rope": {"auk": 0.1}}, "got 'auk'; the nearest are 'auc'"),
        ({"correction": "holms"}, "correction must be one of holm, .*got 'holms'\\."),
        ({"correction": None}, "correction must be one of"),
        ({"seed": -1}, "seed must be a whole number from 0 on; got -1"),
        ({"seed": 0.5}, "seed must be a whole number"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(DecisionError, match=message):
        ma.across(GOOD, **options)


def test_unknown_measures_are_refused():
    with pytest.raises(MeasureError, match="there is no column 'auk'"):
        ma.across(GOOD, measures="auk")


def test_what_is_not_a_table_is_refused():
    with pytest.raises(DecisionError, match="by Measurements; got DataFrame"):
        ma.across(long(random_values(1, 6, 3)))


def test_one_model_or_one_data_set_is_too_few():
    with pytest.raises(DecisionError, match="two models or more are compared; model names 1"):
        ma.across(GOOD.where(model="m1"))
    with pytest.raises(DecisionError, match="two data sets or folds, and a signed rank test six"):
        ma.across(GOOD.where(dataset=2))
    with pytest.raises(DecisionError, match="model names 0"):
        ma.across(ma.Measurements.from_frame(long(np.empty((0, 2))), keys=["dataset", "model"]))


def test_rows_that_nothing_tells_apart_are_refused():
    twice = ma.Measurements.concat([GOOD, GOOD])
    with pytest.raises(DecisionError, match=r"rows 0 and 18 are both of 'm0' on 0\. Drop one"):
        ma.across(twice)
    frame = twice.to_pandas().assign(fold=1)
    folded = ma.Measurements.from_frame(frame, keys=["dataset", "model", "fold"])
    with pytest.raises(DecisionError, match="with the same fold"):
        ma.across(folded)


def test_a_model_that_lacks_a_data_set_or_a_fold_is_refused():
    frame = GOOD.to_pandas()
    holed = ma.Measurements.from_frame(frame.drop(index=4), keys=["dataset", "model"])
    with pytest.raises(DecisionError, match=r"'m1' has none on 1\. Choose complete models"):
        ma.across(holed)
    folded = repeated(np.ones((2, 2, 2))).to_pandas().drop(index=7)
    keys = ["dataset", "model", "fold"]
    with pytest.raises(DecisionError, match="1 has none on 1 with fold=1"):
        ma.across(ma.Measurements.from_frame(folded, keys=keys))


@pytest.mark.parametrize("nothing", [None, np.nan])
def test_a_row_without_a_name_is_refused(nothing):
    frame = GOOD.to_pandas().astype({"model": object})
    frame.loc[5, "model"] = nothing
    m = ma.Measurements.from_frame(frame, keys=["dataset", "model"])
    with pytest.raises(DecisionError, match="every row must have a value of 'model'; row 5 has"):
        ma.across(m)


def test_measures_that_are_undefined_nearly_everywhere_are_refused():
    values = np.full((4, 2), np.nan)
    values[1] = 0.5
    with pytest.raises(DecisionError, match=r"defined for all models on two .* got 1 of 4"):
        ma.across(table(values))


def test_a_bad_number_of_samples_is_refused():
    with pytest.raises(DecisionError, match="samples must be a whole number from 1 on; got 0"):
        ma.across(GOOD).bayesian(samples=0)
    with pytest.raises(DecisionError, match="rope must be a number"):
        ma.across(GOOD).bayesian("wide")


def test_a_test_over_folds_needs_folds_and_their_share():
    with pytest.raises(DecisionError, match=r"test_share must be .* got None"):
        ma.across(GOOD).resampled_t()
    for share in (0, 1, "0.1", True):
        with pytest.raises(DecisionError, match="between 0 and 1"):
            ma.across(GOOD, folds="dataset").resampled_t(share)
    m = repeated(np.random.default_rng(1).random((3, 2, 4)))
    with pytest.raises(DecisionError, match="Say in folds= of across"):
        ma.across(m).resampled_t(0.1)
    once = m.where(fold=1)
    with pytest.raises(DecisionError, match="counts two folds or more"):
        ma.across(once, folds="fold").resampled_t()
    assert issubclass(DecisionError, MetricAtlasError)
