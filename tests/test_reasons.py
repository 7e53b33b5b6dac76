"""Reasons of disagreement: experiments against other ways to make them, and known cases."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.utils.class_weight import compute_sample_weight
from worlds import catalogue_for

import metricatlas as ma
from metricatlas.decisions.cutting.cuts import Drawn, Line
from metricatlas.decisions.cutting.judging import Judge
from metricatlas.decisions.cutting.scored import Scored
from metricatlas.decisions.reasoning.experiments import at_own_cut, is_one_sided, recalibrated
from metricatlas.decisions.reasoning.reasons import direction_table, why

TITLES = [
    "as it is",
    "threshold",
    "calibration",
    "class weight",
    "threshold and calibration",
    "threshold and class weight",
    "calibration and class weight",
    "threshold, calibration and class weight",
]
DECIDING = [
    m
    for m in catalogue_for(2).values()
    if m.needs == "labels" and m.better != "neither" and ":" not in str(m)
    if not m.reduction and not m.point
]
#: Perfect where all examples, or all but one, are decided alike.
ONE_SIDED = {
    "recall",
    "specificity",
    "fpr",
    "fnr",
    "ppv",
    "npv",
    "fdr",
    "false_omission_rate",
    "true_positives",
    "false_positives",
    "false_negatives",
    "true_negatives",
    "overlap_coefficient",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "diagnostic_odds_ratio",
    "discriminant_power",
    "yule_q",
    "yule_y",
    "confusion_matrix_entropy",
}


def world(seed, n=80, prior=0.25):
    """Return truth and two models that differ in ranking, level and spread."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prior).astype(int)
    y[:4] = 0, 1, 0, 1
    odds = [
        rng.normal() + rng.uniform(0.5, 2) * (rng.normal(size=n) + rng.uniform(0.5, 2) * y)
        for _ in "ab"
    ]
    return y, {name: np.round(1 / (1 + np.exp(-x)), 2) for name, x in zip("ab", odds, strict=True)}


# -- Experiments ---------------------------------------------------------------------------------


@settings(max_examples=60)
@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 9), st.sampled_from([0.25, 1.0, 3.0])), min_size=1
    )
)
def test_recalibration_is_isotonic_regression(rows):
    y, p, w = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    p /= 9
    ours = recalibrated(Line.of(p, y == 1, w))
    theirs = IsotonicRegression().fit(p, y, sample_weight=w).predict(p)
    assert ours == pytest.approx(theirs, abs=1e-12)
    # What is equal by isotonic regression is exactly so.
    order = np.argsort(p, kind="stable")
    steps = [b - a for a, b in pairwise(ours[order])]
    assert all(step == 0 or step > 1e-3 for step in steps)


def test_recalibrated_models_have_nothing_left_to_calibrate():
    y, models = world(0, 400)
    table = direction_table(y, models, ["ece_mass", "miscalibration", "reliability"])
    assert (table["as it is"] != 0).all()
    for title in TITLES:
        if "calibration" in title:
            assert (table[title] == 0).all()


@pytest.mark.parametrize("name", sorted(map(str, DECIDING)))
def test_which_measures_are_one_sided(name):
    judge = Judge.of(name, Scored.read([0, 1], {"a": [0.1, 0.9]}).task)
    own = name.partition("[")[0]
    assert is_one_sided(judge) == (own in ONE_SIDED)


@pytest.mark.parametrize("measure", DECIDING, ids=str)
def test_at_its_own_cut_a_model_has_the_value_that_the_language_says(measure):
    point = "bep" if measure.declaration.name in ONE_SIDED else "best"
    for seed in range(4):
        y, models = world(seed)
        scored = Scored.read(y, models)
        judge = Judge.of(measure, scored.task)
        for line, p in zip(scored.lines, models.values(), strict=True):
            ours = at_own_cut(judge, line.cuts(Drawn.once(line)))
            theirs = ma.measure(f"{measure}@{point}", y, p)
            assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


def by_other_means(y, models, names, taken):
    """Return directions of plain measures, with what is taken away by scikit-learn."""
    w = compute_sample_weight("balanced", y) if "class weight" in taken else None
    if "calibration" in taken:
        models = {
            name: IsotonicRegression().fit(p, y, sample_weight=w).predict(p).round(12)
            for name, p in models.items()
        }
    asked = [f"{n}@best" if "threshold" in taken and n in BEST else n for n in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        one, other = ma.evaluate(y, models, measures=asked, sample_weight=w).oriented().values
    return np.where(np.abs(one - other) < 1e-10, 0, np.sign(one - other))


BEST = ("acc", "f1", "mcc", "gmean", "kappa", "balanced_accuracy")


@pytest.mark.parametrize("seed", range(12))
def test_directions_are_those_of_experiments_made_by_other_means(seed):
    y, models = world(seed)
    names = [*BEST, "auc", "ap", "brier", "log_loss", "mae", "auc_mu"]
    table = direction_table(y, models, names)
    assert table.columns.tolist() == TITLES
    assert table.index.tolist() == names
    for title in TITLES:
        expected = by_other_means(y, models, names, title)
        assert table[title].tolist() == pytest.approx(expected.tolist(), nan_ok=True), title


def test_the_directions_as_they_are_are_those_of_evaluate():
    y, models = world(5)
    table = direction_table(y, models)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        found = ma.evaluate(y, models)
    assert table.index.tolist() == list(found.columns)
    one, other = found.oriented().values
    clear = np.abs(one - other) > 1e-9
    plain = np.array([i not in found.pairs for i in range(len(found.columns))])
    here = clear & plain
    assert here.sum() > 80
    assert (table["as it is"].to_numpy()[here] == np.sign(one - other)[here]).all()


def test_two_level_measures_are_compared_as_pairs():
    y = [0, 0, 1, 1]
    models = {"a": [0.1, 0.6, 0.7, 0.8], "b": [0.1, 0.2, 0.7, 0.8]}
    table = direction_table(y, models, ["auc:acc", "auc", "acc"])
    assert table["as it is"].tolist() == [-1, 0, -1]
    # At their own cuts both decide all rightly.
    assert table["threshold"].tolist() == [0, 0, 0]


def test_measures_with_a_cut_of_the_ranking_keep_it():
    y, models = world(1)
    table = direction_table(y, models, ["f1@ks", "f1@best", "f1@0.3", "f1@prevalence"])
    assert table.loc["f1@ks", "threshold"] == table.loc["f1@ks", "as it is"]
    for name in ("f1@0.3", "f1@prevalence"):
        assert table.loc[name, "threshold"] == table.loc["f1@best", "as it is"]


def test_a_threshold_that_is_given_is_the_one_in_use():
    y, models = world(3)
    for cut in (0.2, 0.8):
        table = direction_table(y, models, ["f1"], threshold=cut)
        one, other = (ma.measure("f1", y, p, threshold=cut) for p in models.values())
        assert table.loc["f1", "as it is"] == np.sign(one - other)


# -- What makes no sense is left out -------------------------------------------------------------


def test_labels_have_class_weights_only():
    y = [0] * 8 + [1] * 2
    models = {"a": [0] * 10, "b": [1, 1, 1] + [0] * 5 + [1, 1]}
    table = direction_table(y, models, ["acc", "balanced_accuracy"])
    assert table.columns.tolist() == ["as it is", "class weight"]
    assert table.attrs["left_out"] == {
        "threshold": "Labels have no scores.",
        "calibration": "Labels have no scores.",
    }
    assert table.attrs["models"] == ("a", "b")
    # 0.8 against 0.7; 0.5 against 0.8125.
    assert table["as it is"].tolist() == [1, -1]
    assert why(table, "acc", "balanced_accuracy") == "class weight"


def test_scores_are_not_recalibrated():
    y, models = world(2)
    margins = {name: 10 * p - 5 for name, p in models.items()}
    table = direction_table(y, margins, ["auc", "f1@0"])
    assert table.columns.tolist() == [t for t in TITLES if "calibration" not in t]
    assert table.attrs["left_out"] == {"calibration": "Scores are no probabilities."}


def test_more_than_two_classes_have_class_weights_only():
    rng = np.random.default_rng(0)
    y = rng.choice(3, size=60, p=[0.7, 0.2, 0.1])
    models = {}
    for name in "ab":
        raw = rng.gamma(1, size=(60, 3)) + np.eye(3)[y]
        models[name] = raw / raw.sum(axis=1, keepdims=True)
    table = direction_table(y, models, ["acc", "f1", "auc"])
    assert table.columns.tolist() == ["as it is", "class weight"]
    assert table.attrs["left_out"]["threshold"] == "There are 3 classes."
    w = compute_sample_weight("balanced", y)
    one, other = (ma.measure("acc", y, p, sample_weight=w) for p in models.values())
    assert table.loc["acc", "class weight"] == np.sign(one - other)


def test_models_of_different_kinds_are_asked_what_fits_both():
    y, models = world(2)
    mixed = {"a": models["a"], "b": 4 * models["b"] - 2}
    table = direction_table(y, mixed)
    assert "auc" in table.index
    assert "brier" not in table.index


# -- Known reasons -------------------------------------------------------------------------------


def odds_to_p(x):
    return 1 / (1 + np.exp(-x))


@pytest.fixture(scope="module")
def two():
    """Truth, and odds of a good model and of the same with some noise."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 2000)
    good = rng.normal(size=4000) + 2.4 * (y - 0.5)
    fair = good + 0.3 * rng.normal(size=4000)
    return y, good, fair


def test_a_shift_is_undone_by_another_threshold_or_by_calibration(two):
    y, good, fair = two
    models = {"good": odds_to_p(good - 3), "fair": odds_to_p(fair)}
    found = ma.reasons(y, models, "auc", "acc")
    assert found.to_dict("records") == [
        {
            "f": "auc",
            "g": "acc",
            "f_prefers": "good",
            "g_prefers": "fair",
            "why": "threshold or calibration",
        }
    ]


def test_too_much_confidence_is_undone_by_calibration_alone(two):
    y, good, fair = two
    # The odds of the fair model are nearly right, those of the good one to the power of ten.
    models = {"good": odds_to_p(24 * good), "fair": odds_to_p(2.2 * fair)}
    for measure in ("brier", "log_loss"):
        (line,) = ma.reasons(y, models, "auc", measure).to_dict("records")
        assert line["why"] == "calibration"
        assert [line["f_prefers"], line["g_prefers"]] == ["good", "fair"]
    # The decisions are not touched by it.
    assert ma.reasons(y, models, "auc", "acc").empty


def test_rare_positives_are_made_up_for_by_class_weights():
    # Of 90 negatives and 10 positives "never" finds 1 positive, "often" 9 with 12 false alarms.
    y = np.repeat([0, 1], [90, 10])
    never, often = np.zeros(100, dtype=int), np.zeros(100, dtype=int)
    never[90] = 1
    often[:12], often[90:99] = 1, 1
    found = ma.reasons(y, {"never": never, "often": often}, "acc", "recall")
    # .91 against .87; with equal classes .55 against .883.
    assert found["why"].tolist() == ["class weight"]
    assert found["f_prefers"].tolist() == ["never"]


def test_curves_that_cross_are_a_matter_of_ranking():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 500)
    # The first finds 40 % of the positives at once and is poor beyond; the second is fair.
    early = np.where((y == 1) & (rng.random(1000) < 0.4), 5, 0) + rng.normal(size=1000)
    even = rng.normal(size=1000) + 1.5 * y
    models = {"early": odds_to_p(early), "even": odds_to_p(even)}
    found = ma.reasons(y, models, "auc", "tpr@fpr=0.01")
    assert found["why"].tolist() == ["ranking"]
    assert found[["f_prefers", "g_prefers"]].to_numpy().tolist() == [["even", "early"]]


def test_several_things_together():
    table = pd.DataFrame(
        [[1, 1, 1, 1, 1, 1, 1, 1], [-1, -1, -1, -1, 1, -1, 0, 1], [-1] * 8, [0] * 8],
        index=["f", "g", "h", "i"],
        columns=TITLES,
    ).astype(float)
    assert why(table, "f", "g") == "threshold and calibration or calibration and class weight"
    assert why(table, "f", "h") == "ranking"
    assert why(table, "g", "h") == ""
    assert why(table, "f", "i") == ""
    table.loc["g"] = [-1, np.nan, -1, -1, -1, -1, -1, 1]
    assert why(table, "f", "g") == "threshold, calibration and class weight"
    table.loc["g", "as it is"] = np.nan
    assert why(table, "f", "g") == "undefined"
    with pytest.raises(ma.DecisionError, match="no measure 'k' in the table; there are 'f'"):
        why(table, "f", "k")


def test_all_pairs_that_disagree_are_listed():
    y, models = world(2)
    names = ["acc", "recall", "auc", "brier", "prevalence", "f1"]
    found = ma.reasons(y, models, measures=names)
    table = direction_table(y, models, names)
    expected = [
        (f, g, why(table, f, g))
        for i, f in enumerate(names)
        for g in names[i + 1 :]
        if why(table, f, g) not in ("", "undefined")
    ]
    assert expected
    assert list(found[["f", "g", "why"]].itertuples(index=False, name=None)) == expected
    for line in found.itertuples():
        signs = {"a": 1, "b": -1}
        assert table.loc[line.f, "as it is"] == signs[line.f_prefers]
        assert table.loc[line.g, "as it is"] == signs[line.g_prefers]


def test_identical_models_disagree_in_nothing():
    y, models = world(3)
    assert ma.reasons(y, {"a": models["a"], "b": models["a"].copy()}).empty


def test_objects_and_options_are_those_of_evaluate():
    y = np.array(["sick", "well"] * 20)
    rng = np.random.default_rng(0)
    models = {"a": rng.random(40), "b": rng.random(40)}
    cost = ma.catalogue["cost"].using(costs=[[0, 10], [1, 0]])
    w = rng.random(40)
    table = direction_table(
        y, models, [cost, "auc"], pos_label="sick", sample_weight=w, threshold=0.4
    )
    values = [
        ma.measure(cost, y, p, pos_label="sick", sample_weight=w, threshold=0.4)
        for p in models.values()
    ]
    assert table["as it is"].iloc[0] == np.sign(values[1] - values[0])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"f": "auc"}, "for two measures, f and g"),
        ({"f": "auc", "g": "acc", "measures": ["f1"]}, "for two measures, f and g"),
        ({"models": {"a": [0.1, 0.2]}}, "two models of the same examples; got 1"),
        ({"models": {x: [0.1, 0.2] for x in "abc"}}, "got 3"),
        ({"groups": [0, 1]}, "there is no option 'groups'"),
        ({"f": "auc", "g": "ack"}, "there is no measure 'ack'"),
        ({"models": {"a": [0, 1], "b": [1, 0]}, "f": "auc", "g": "acc"}, "needs scores"),
    ],
)
def test_what_has_no_reasons_is_refused(given, words):
    models = {"a": [0.1, 0.2], "b": [0.3, 0.1]}
    with pytest.raises(ma.MetricAtlasError, match=words):
        ma.reasons(**{"y_true": [0, 1], "models": models, **given})
