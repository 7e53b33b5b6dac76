"""What a comparison says: who wins, by how much, and what does not matter."""

import itertools
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from resamples_by_hand import compare, quietly, two_models
from worlds import world

import metricatlas as ma

Y = [0, 0, 0, 0, 1, 1, 1, 1]
#: In order but for one pair; the same with decisions that are better; all in order.
LATE = [0.1, 0.2, 0.3, 0.45, 0.4, 0.46, 0.47, 0.48]
RIGHT = [0.1, 0.2, 0.3, 0.7, 0.6, 0.8, 0.85, 0.9]
BEST = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]


def winner(y, models, measure, **options):
    return compare(y, models, measures=[measure], **options).winners.loc[0]


# -- Winners -------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["auc", "acc", "brier", "log_loss", "error_rate", "fpr", "ap"])
def test_a_model_that_is_better_everywhere_wins_surely(measure):
    y = np.arange(60) % 2
    good, bad = np.where(y, 0.9, 0.1), np.where(y, 0.2, 0.8)
    for models in ({"good": good, "bad": bad}, {"bad": bad, "good": good}):
        line = winner(y, models, measure)
        assert (line["winner"], line["runner_up"], line["tied"]) == ("good", "bad", 1)
        assert line["probability"] == 1
        assert line["difference"] > 0
        assert 0 < line["low"] <= line["difference"] <= line["high"]
        assert line["corrected"] < 0.05


def test_measures_of_which_zero_or_one_is_best_are_won_by_the_nearest():
    y = np.repeat([0, 1], 30)
    models = {"low": np.full(60, 0.3), "just right": np.full(60, 0.52), "high": np.full(60, 0.9)}
    line = winner(y, models, "calibration_in_the_large")
    assert (line["winner"], line["runner_up"]) == ("just right", "low")
    values = ma.evaluate(y, models, measures=["calibration_in_the_large"]).values[:, 0]
    assert line["value"] == values[1]
    assert line["difference"] == pytest.approx(abs(values[0]) - abs(values[1]), rel=1e-12)
    decided = {"twice": np.where(np.arange(60) < 60, 1, 0), "rarely": np.arange(60) // 40}
    decided["as often"] = y
    line = winner(y, decided, "frequency_bias")
    assert (line["winner"], line["value"], line["runner_up"]) == ("as often", 1.0, "rarely")
    assert line["difference"] == pytest.approx(1 / 3)


def test_measures_that_choose_no_model_have_values_and_no_winner():
    c = compare(Y, {"a": LATE, "b": RIGHT}, measures=["prevalence", "uncertainty"])
    assert c.table["value"].notna().all()
    assert c.table["low"].notna().all()
    assert len(c.pairs) == len(c.winners) == 0
    assert list(c.winners.columns)[:2] == ["measure", "winner"]
    assert "Wins: none." in repr(c)
    c = compare(Y, {"a": LATE, "b": RIGHT}, measures=["prevalence", "acc"])
    assert c.winners["measure"].tolist() == ["acc"]


def test_two_levels_are_compared_one_after_the_other():
    models = {"late": LATE, "right": RIGHT}
    line = winner(Y, models, "auc:acc")
    assert (line["winner"], line["tied"]) == ("right", 1)
    # Both have the same order, so the second level decides every resample that has both classes.
    c = compare(Y, models, measures=["auc:acc", "auc", "acc"], resamples=200)
    auc, acc = (c._replicates.values[:, :, i] for i in (1, 2))
    defined = ~np.isnan(auc[0])
    assert (auc[0] == auc[1])[defined].all()
    expected = np.mean((acc[1] > acc[0])[defined] + 0.5 * (acc[1] == acc[0])[defined])
    assert c.winners.loc[0, "probability"] == pytest.approx(expected, rel=1e-12)
    assert c.winners.loc[1, ["tied", "probability", "difference"]].tolist() == [2, 0.5, 0.0]
    # Under accuracy and then AUC the first level is enough.
    assert winner(Y, {**models, "best": BEST}, "acc:auc")["winner"] == "best"
    assert winner(Y, {"late": LATE, "worse": LATE[::-1]}, "acc:auc")["winner"] == "late"


def test_the_first_level_decides_even_where_the_second_weighs_more_in_one_number():
    y = np.repeat([0, 1], 30)
    good = np.concatenate([np.linspace(0.51, 0.7, 30), np.linspace(0.71, 0.9, 30)])
    # One pair of 900 in the wrong order, and all decisions right but those two.
    slightly = np.concatenate([np.linspace(0.1, 0.4, 30), np.linspace(0.6, 0.9, 30)])
    slightly[[29, 30]] = [0.55, 0.5]
    table = ma.evaluate(y, {"good": good, "slightly": slightly}, measures=["auc", "acc", "auc:acc"])
    assert table["auc"][0] > table["auc"][1]
    assert table["auc:acc"][0] < table["auc:acc"][1]
    line = winner(y, {"good": good, "slightly": slightly}, "auc:acc", resamples=100)
    assert line["winner"] == "good"
    # Where both of the pair are drawn, which is in four of ten resamples; elsewhere AUCs are equal.
    assert line["probability"] == pytest.approx((1 - np.exp(-1)) ** 2, abs=0.15)


def test_models_that_are_the_same_do_not_differ():
    w = world(0, 60)
    c = compare(w.y, {"a": w.p, "b": w.p.copy(), "c": w.p})
    assert (c.pairs["difference"].fillna(0) == 0).all()
    assert (c.pairs["probability"].fillna(0.5) == 0.5).all()
    assert (c.pairs["p"].fillna(1) == 1).all()
    assert (c.pairs[["low", "high"]].fillna(0) == 0).all(axis=None)
    known = c.winners[c.winners["winner"].notna()]
    assert len(known) > 80
    assert (known["tied"] == 3).all()
    np.testing.assert_allclose(known["probability"].dropna(), 1 / 3, rtol=1e-12)


def test_models_whose_values_differ_by_rounding_alone_are_tied():
    y = np.repeat([0, 1], 10)
    # Recalls of 0.1 and 0.7, and of 0.2 and 0.6: both have a mean of 0.4.
    a = np.repeat([0, 1, 1, 0], [1, 9, 7, 3])
    b = np.repeat([0, 1, 1, 0], [2, 8, 6, 4])
    models = {"a": a, "b": b}
    assert len({*ma.evaluate(y, models, measures=["balanced_accuracy"]).values[:, 0].tolist()}) == 2
    for own in (models, dict(reversed(models.items()))):
        c = compare(y, own, measures=["balanced_accuracy", "informedness"], resamples=999)
        assert c.winners["tied"].tolist() == [2, 2]
        assert c.winners["winner"].tolist() == [next(iter(own))] * 2
        # One is the other, twice, less one, and so are its ties.
        for told in (c.winners["probability"], c.pairs["probability"], c.pairs["p"]):
            assert len(set(told)) == 1


def test_an_infinite_loss_is_the_worst_and_still_a_value():
    y = np.arange(40) % 2
    usual = np.where(y, 0.8, 0.3)
    sure = np.where(np.arange(40) == 3, 0.0, usual)
    c = compare(y, {"sure": sure, "usual": usual}, measures=["log_loss"], resamples=200)
    line = c.winners.loc[0]
    assert (line["winner"], line["difference"]) == ("usual", np.inf)
    assert c.table.loc[0, "value"] == np.inf
    # The example is drawn in a good part of the resamples; the other resamples are ties.
    share = np.isposinf(c._replicates.values[0, :, 0]).mean()
    assert 0.4 < share < 0.8
    assert line["probability"] == pytest.approx(share + (1 - share) / 2)
    both = compare(y, {"one": sure, "two": sure}, measures=["log_loss"]).winners.loc[0]
    assert (both["tied"], both["probability"]) == (2, 0.5)
    assert np.isnan(both["difference"])


# -- What is undefined -----------------------------------------------------------------------------


def test_the_share_of_resamples_in_which_a_measure_is_undefined_is_in_the_table():
    y = np.zeros(40, dtype=int)
    y[5] = 1
    models = {"a": np.linspace(0, 1, 40), "b": np.linspace(1, 0, 40)}
    options = {"measures": ["auc", "recall", "brier"], "resamples": 400}
    for clusters, share in ((None, (1 - 1 / 40) ** 40), (np.arange(40) // 20, 0.25)):
        told = ma.compare(y, models, clusters=clusters, **options).table["undefined"].tolist()
        assert told[:4] == [pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 400))] * 4
        assert told[4:] == [0, 0]
    told = ma.compare(y, models, stratified=True, **options).table["undefined"]
    assert (told == 0).all()


def test_a_measure_that_is_undefined_in_most_resamples_has_no_interval_and_a_warning():
    # The volume under the surface needs all three classes, and three clusters are drawn.
    y = np.repeat([0, 1, 2], 10)
    models = {"a": world(0, 30, 3).p, "b": world(0, 30, 3, ties=True).p}
    options = {"measures": ["acc", "vus"], "clusters": y, "resamples": 300}
    c = quietly(ma.compare, y, models, **options)
    line = c.table.set_index(["measure", "model"]).loc["vus", "a"]
    assert line["undefined"] == pytest.approx(1 - 6 / 27, abs=0.1)
    assert line["value"] > 0
    assert np.isnan([line["low"], line["high"]]).all()
    assert c.pairs.set_index("measure").loc["vus", ["low", "high"]].isna().all()
    assert c.pairs.set_index("measure").loc["acc", ["low", "high"]].notna().all()
    words = rf"vus of a is undefined in {line['undefined']:.0%} of the resamples, and 1 more"
    with pytest.warns(ma.UndefinedWarning, match=words) as told:
        ma.compare(y, models, **options)
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Nobody asked for it by name.
        ma.compare(y, models, **{**options, "measures": None})


def seldom_decided(n=60):
    """Return models of which one decides one example to be positive, and one decides none."""
    y = np.arange(n) % 2
    rng = np.random.default_rng(0)
    p = np.where(np.arange(n) == 7, 0.9, 0.1 * rng.random(n))
    return y, {"seldom": p, "never": 0.2 * rng.random(n), "often": rng.random(n)}


def test_a_model_without_a_value_neither_wins_nor_runs_up():
    y, models = seldom_decided()
    c = compare(y, models, measures=["ppv"])
    line = c.winners.loc[0]
    assert (line["winner"], line["runner_up"], line["tied"]) == ("seldom", "often", 1)
    two = {name: models[name] for name in ("never", "seldom")}
    line = compare(y, two, measures=["ppv"]).winners.loc[0]
    assert line["winner"] == "seldom"
    assert line[["runner_up", "difference", "low", "high", "probability"]].isna().all()
    line = compare(y, {"x": models["never"], "z": models["never"]}, measures=["ppv"]).winners.loc[0]
    assert line[["winner", "runner_up", "value", "probability", "corrected"]].isna().all()
    assert line["tied"] == 0


def test_models_of_labels_leave_the_others_measures_to_them():
    w, other = world(0, 80), world(0, 80, skill=2.0)
    models = {"l": (w.p[:, 1] > 0.5).astype(int), "a": w.p[:, 1], "b": other.p[:, 1]}
    c = compare(w.y, models)
    without = compare(w.y, {name: models[name] for name in "ab"})
    for measure in ("auc", "brier", "auc:acc", "spherical"):
        line, expected = (x.winners.set_index("measure").loc[measure] for x in (c, without))
        assert line["winner"] in "ab"
        assert line["probability"] == expected["probability"]
        assert line["difference"] == expected["difference"]
    # Labels that a decides decide as it does.
    ties = c.pairs.set_index(["measure", "model", "other"]).loc[("acc", "l", "a")]
    assert ties[["difference", "probability", "p"]].tolist() == [0, 0.5, 1]


# -- What does not matter --------------------------------------------------------------------------


def frames(c):
    return {
        "table": c.table.set_index(["measure", "model"]),
        "pairs": c.pairs.set_index(["measure", "model", "other"]),
        "winners": c.winners.set_index("measure"),
    }


@pytest.mark.parametrize("interval", ["auto", "percentile", "basic", "bca"])
def test_the_order_of_the_models_does_not_matter(interval):
    y, models = two_models()
    models["c"] = world(0, 80, ties=True).p
    measures = ["auc", "acc", "brier", "auc:acc", "calibration_slope", "f1@best", "prevalence"]
    first = frames(compare(y, models, measures=measures, interval=interval))
    for order in itertools.permutations("abc"):
        own = {name: models[name] for name in order}
        other = frames(compare(y, own, measures=measures, interval=interval))
        table = other["table"].reindex(first["table"].index)
        pd.testing.assert_frame_equal(table, first["table"], rtol=1e-12)
        pd.testing.assert_frame_equal(other["winners"], first["winners"], rtol=1e-9)
        for (measure, one, two), line in first["pairs"].iterrows():
            turned = (measure, two, one) not in other["pairs"].index
            own_line = other["pairs"].loc[(measure, one, two) if turned else (measure, two, one)]
            told = [own_line["difference"], own_line["low"], own_line["high"]]
            if not turned:
                told = [-told[0], -told[2], -told[1]]
            expected = line[["difference", "low", "high"]].tolist()
            assert told == pytest.approx(expected, rel=1e-9, abs=1e-12)
            probability = own_line["probability"]
            assert (probability if turned else 1 - probability) == pytest.approx(
                line["probability"]
            )
            assert own_line["p"] == pytest.approx(line["p"])
            assert own_line["corrected"] == pytest.approx(line["corrected"])


def test_other_measures_do_not_matter():
    y, models = two_models(classes=3)
    everything = frames(compare(y, models))
    for measures in (["acc"], ["brier", "acc"], ["acc", "auc:acc", "acc"]):
        c = compare(y, models, measures=measures)
        for name, frame in frames(c).items():
            one = frame.loc[["acc"]].iloc[: len(everything[name].loc[["acc"]])]
            pd.testing.assert_frame_equal(one, everything[name].loc[["acc"]], rtol=1e-12)


def test_seeds_are_reproducible_and_make_a_difference():
    y, models = two_models()
    tables = [
        compare(y, models, measures=["brier"], seed=seed).table.to_csv()
        for seed in (0, 0, 1, np.int64(1), 10**30)
    ]
    assert tables[0] == tables[1] != tables[2] == tables[3]
    assert len(set(tables)) == 3


def test_more_resamples_begin_with_the_same():
    y, models = two_models()
    few, many = (compare(y, models, measures=["auc"], resamples=r)._replicates for r in (40, 90))
    assert np.array_equal(few.values, many.values[:, :40])


def test_containers_and_names_do_not_matter():
    y, models = two_models()
    models = {name: p[:, 1] for name, p in models.items()}
    measures = ["auc", "acc", "brier", "f1@best", "auc:acc"]
    expected = compare(y, models, measures=measures).table.drop(columns="model")
    index = np.random.default_rng(0).permutation(80) + 100
    words = np.where(y == 1, "yes", "no")
    stacked = np.stack([*models.values()])[:, :, np.newaxis]
    ways = {
        "lists": (y.tolist(), {n: p.tolist() for n, p in models.items()}, {}),
        "pandas": (pd.Series(y, index), {n: pd.Series(p, index) for n, p in models.items()}, {}),
        "polars": (pl.Series(y), {n: pl.Series(p) for n, p in models.items()}, {}),
        "words": (words, models, {"pos_label": "yes"}),
        "batch": (y, stacked, {}),
        "dict of a batch": (y, {"both": stacked}, {}),
        "odd names": (y, dict(zip([None, ("x", 1)], models.values(), strict=True)), {}),
        "columns": (y, {n: np.stack([1 - p, p], axis=1) for n, p in models.items()}, {}),
    }
    for truth, predictions, options in ways.values():
        c = compare(truth, predictions, measures=measures, **options)
        pd.testing.assert_frame_equal(c.table.drop(columns="model"), expected, rtol=1e-12)
        assert "Wins: " in repr(c)
    assert compare(y, stacked, measures=["acc"]).table["model"].tolist() == [0, 1]
    c = compare(y, {"both": stacked}, measures=["acc"])
    assert c.models == ("both[0]", "both[1]")


def test_models_of_a_batch_are_named_by_their_numbers_even_0():
    y, models = two_models()
    batch = np.stack([models["b"], models["a"]])
    c = compare(y, batch, measures=["auc", "f1"])
    assert c.winners["winner"].tolist() == [0, 0]
    line = next(line for line in repr(c).splitlines() if line.startswith("auc"))
    assert line.split()[1] == "0"
    decided = np.where(batch > 0.5, 1, 0)[:, :, 1:]
    decided[:] = 0
    c = compare(y, decided, measures=["acc", "ppv"])
    assert c.winners["winner"].tolist() == [0, None]
    # Both decide for nobody, so none wins, whatever the frame has first.
    assert [line.split()[1] for line in repr(c).splitlines()[3:5]] == ["tie", "-"]


def test_measures_may_come_from_an_iterator():
    y, models = two_models()
    c = compare(y, models, measures=(name for name in ["acc", "auc"]))
    assert c.winners["measure"].tolist() == ["acc", "auc"]
    assert compare(y, models, measures=ma.catalogue["acc"]).winners["measure"].tolist() == ["acc"]
    assert len(compare(y, models, measures=["acc", "auc", "acc"]).winners) == 3
