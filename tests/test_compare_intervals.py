"""Intervals and tests that a comparison has, with resampling and without."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from resamples_by_hand import compare, two_models
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from worlds import world

import metricatlas as ma

#: The cells of the numerator, and those of the denominator.
ALL = "tn fp fn tp"
SHARES = {
    "acc": ("tn tp", ALL),
    "error_rate": ("fp fn", ALL),
    "recall": ("tp", "tp fn"),
    "fnr": ("fn", "tp fn"),
    "specificity": ("tn", "tn fp"),
    "fpr": ("fp", "tn fp"),
    "ppv": ("tp", "tp fp"),
    "npv": ("tn", "tn fn"),
    "jaccard": ("tp", "tp fp fn"),
    "recall[class=0]": ("tn", "tn fp"),
    "recall[class=1]": ("tp", "tp fn"),
    "cost[costs=[[0,1],[0,0]]]": ("fp", ALL),
    "cost[costs=[[0,0],[1,0]]]": ("fn", ALL),
}
#: Shares of examples that are the same ones for all models.
PAIRED = set(SHARES) - {"ppv", "npv", "jaccard"}


@pytest.mark.parametrize("positive", [1, 0])
def test_shares_have_wilsons_intervals_and_mcnemars_test(positive):
    first, other = world(3, 90, prior=[0.7, 0.3]), world(3, 90, prior=[0.7, 0.3], skill=3.0)
    y = first.y
    models = {"a": (first.p[:, 1] > 0.4).astype(int), "b": (other.p[:, 1] > 0.5).astype(int)}
    c = compare(y, models, measures=list(SHARES), pos_label=positive, correction="none")
    table = c.table.set_index(["measure", "model"])
    pairs = c.pairs.set_index("measure")
    for name, (numerator, denominator) in SHARES.items():
        # What names a class, or has the classes' order, means the same whichever is positive.
        own = 1 if "[" in name else positive
        names = np.array([["tn", "fp"], ["fn", "tp"]])
        hits = {}
        for model, decided in models.items():
            cells = names[(y == own).astype(int), (decided == own).astype(int)]
            hits[model] = np.isin(cells, numerator.split())
            right, counted = hits[model].sum(), np.isin(cells, denominator.split()).sum()
            line = table.loc[(name, model)]
            assert line["value"] == pytest.approx(right / counted)
            assert line["interval"] == "Wilson"
            expected = proportion_confint(right, counted, method="wilson")
            assert (line["low"], line["high"]) == pytest.approx(expected, rel=1e-9)
        if name in PAIRED:
            assert pairs.loc[name, "test"] == "McNemar"
            expected = mcnemar_of(hits["a"], hits["b"])
            assert pairs.loc[name, "p"] == pytest.approx(expected, rel=1e-9)
        else:
            assert pairs.loc[name, "test"] == "bootstrap"


def mcnemar_of(one, other):
    """Return the p-value that statsmodels has of which examples are hits of two models."""
    table = [[0, (one & ~other).sum()], [(other & ~one).sum(), 0]]
    return mcnemar(table, exact=True).pvalue


def test_shares_of_more_classes_are_those_of_right_and_of_wrong_decisions():
    y, models = two_models(classes=3)
    measures = [
        *("acc", "error_rate", "f1[micro]", "recall[micro]", "fnr[micro]"),
        *("specificity[micro]", "fpr[micro]", "npv[micro]", "acc[macro]", "acc[class=1]", "recall"),
    ]
    c = compare(y, models, measures=measures, correction="none")
    right = {name: p.argmax(axis=1) == y for name, p in models.items()}
    pairs = c.pairs.set_index("measure")
    for line in c.table.itertuples():
        hits = int(right[line.model].sum())
        if line.measure in measures[:5]:
            hits = 80 - hits if line.measure in ("error_rate", "fnr[micro]") else hits
            assert line.value == pytest.approx(hits / 80)
            expected = proportion_confint(hits, 80, method="wilson")
            assert (line.low, line.high) == pytest.approx(expected, rel=1e-9)
            expected = mcnemar_of(right["a"], right["b"])
            assert pairs.loc[line.measure, "p"] == pytest.approx(expected, rel=1e-9)
        else:
            assert line.interval == "bca"
            assert line.low <= line.value <= line.high
            assert pairs.loc[line.measure, "test"] == "bootstrap"


def test_shares_of_no_examples_have_no_interval_and_no_test():
    y = np.zeros(30, dtype=int)
    models = {"a": np.linspace(0, 0.4, 30), "b": np.linspace(0.1, 0.9, 30)}
    measures = ["recall", "ppv", "auc", "acc", "brier"]
    c = compare(y, models, measures=measures, labels=[0, 1])
    table = c.table.set_index(["measure", "model"])
    undefined = [("recall", "a"), ("recall", "b"), ("ppv", "a"), ("auc", "a"), ("auc", "b")]
    assert table.loc[undefined, ["value", "low", "high"]].isna().all(axis=None)
    assert table.drop(undefined)[["value", "low", "high"]].notna().all(axis=None)
    pairs = c.pairs.set_index("measure")
    assert (
        pairs.loc[["recall", "ppv", "auc"], ["p", "corrected", "difference"]].isna().all(axis=None)
    )
    assert pairs.loc[["acc", "brier"], "p"].notna().all()


def test_measures_of_ones_own_are_shares_if_they_always_are():
    def define_found(among):
        @ma.define_measure
        def found(t: ma.TwoByTwo):
            return t.tp / (t.tp + getattr(t, among))

    define_found("fn")

    @ma.define_measure
    def of_the_larger(t: ma.TwoByTwo):
        return np.maximum(t.tp + t.fn, t.tn + t.fp) / (t.tp + t.fn + t.tn + t.fp)

    @ma.define_measure
    def at_best_so_much(t: ma.TwoByTwo):
        return np.minimum(t.tp / (t.tp + t.fn), 0.7)

    y, models = two_models()
    c = compare(1 - y, models, measures=["found", "of_the_larger", "at_best_so_much", "recall"])
    frames = [c.table.drop(columns="measure"), c.pairs.drop(columns="measure")]
    for frame, size in zip(frames, (2, 1), strict=True):
        own, recall = frame[:size].reset_index(drop=True), frame[-size:].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, recall)
    assert c.table["interval"].tolist() == ["Wilson"] * 2 + ["bca"] * 4 + ["Wilson"] * 2

    # A formula may be changed, and that is what counts from then on.
    define_found("fp")
    c = compare(1 - y, models, measures=["found", "ppv"])
    assert c.table[["low", "high"]][:2].to_numpy().tolist() == (
        c.table[["low", "high"]][2:].to_numpy().tolist()
    )


@pytest.mark.parametrize("given", ["sample_weight", "clusters", "groups"])
def test_examples_that_do_not_stand_for_themselves_are_resampled(given):
    y, models = two_models()
    column = {"sample_weight": 1.0, "clusters": 0, "groups": 0} | {given: np.arange(80) % 5 + 1}
    c = compare(y, models, measures=["auc", "acc"], **{given: column[given]})
    assert set(c.table["interval"]) == {"bca"}
    assert set(c.pairs["test"]) == {"bootstrap"}


def test_weights_of_one_and_rows_of_weight_zero_are_nothing():
    y, models = two_models()
    measures = ["auc", "acc", "brier"]
    expected = compare(y, models, measures=measures).table
    own = compare(y, models, measures=measures, sample_weight=np.ones(80)).table
    pd.testing.assert_frame_equal(own, expected)
    rows = np.sort(np.random.default_rng(0).permutation(90)[:80])
    weight = np.zeros(90)
    weight[rows] = 1
    truth = np.ones(90, dtype=int)
    truth[rows] = y
    wide = {name: np.full((90, 2), 0.5) for name in models}
    for name, p in models.items():
        wide[name][rows] = p
    own = compare(truth, wide, measures=measures, sample_weight=weight).table
    pd.testing.assert_frame_equal(own, expected)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_a_method_that_is_named_is_that_of_all_intervals(method):
    y, models = two_models()
    c = compare(y, models, measures=["auc", "acc", "brier"], interval=method)
    assert set(c.table["interval"]) == {method}
    if method == "percentile":
        values = np.sort(c._replicates.values, axis=1)
        assert c.table["low"].tolist() == values[:, 0].T.ravel().tolist()
        assert c.table["high"].tolist() == values[:, -1].T.ravel().tolist()


@pytest.mark.parametrize(
    ("correction", "called"),
    [
        ("holm", "holm"),
        ("hochberg", "simes-hochberg"),
        ("bonferroni", "bonferroni"),
        ("bh", "fdr_bh"),
    ],
)
def test_all_pairs_of_models_under_a_measure_are_one_family(correction, called):
    y, models = two_models()
    models |= {"c": world(1, 80).p, "d": world(0, 80, skill=0.5).p}
    raw = compare(y, models, measures=["auc", "brier"], correction="none").pairs
    assert (raw["p"] == raw["corrected"]).all()
    own = compare(y, models, measures=["auc", "brier"], correction=correction).pairs
    for measure in ("auc", "brier"):
        p = raw.loc[raw["measure"] == measure, "p"]
        expected = multipletests(p, method=called)[1]
        found = own.loc[own["measure"] == measure, "corrected"]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


@given(st.integers(0, 10_000))
def test_intervals_have_their_ends_in_order_and_hold_the_value(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 15))
    y = rng.integers(0, 2, n)
    models = {name: rng.integers(0, 5, n) / 4 for name in "ab"}
    c = compare(y, models, measures=["auc", "acc", "brier", "f1", "log_loss"], labels=[0, 1])
    for frame in (c.table, c.pairs):
        known = frame[frame["low"].notna() & frame["high"].notna()]
        assert (known["low"] <= known["high"]).all()
    shares = c.table[c.table["interval"].isin(["Wilson", "DeLong", "Newcombe"])]
    assert shares["value"].between(shares["low"] - 1e-12, shares["high"] + 1e-12).all()
    told = c.pairs[["probability", "p", "corrected"]].to_numpy()
    assert ((told >= 0) & (told <= 1) | np.isnan(told)).all()
    assert (c.pairs["p"].dropna() > 0).all()


def test_the_level_is_said_as_it_is():
    y, models = two_models()
    assert "99.5% interval" in repr(
        compare(y, models, measures=["acc"], level=0.995, resamples=500)
    )
    assert "95% interval" in repr(compare(y, models, measures=["acc"]))
    wide = compare(y, models, measures=["acc"], level=0.99, resamples=300).table
    thin = compare(y, models, measures=["acc"], level=0.5, resamples=300).table
    assert (wide["low"] < thin["low"]).all()
    assert (wide["high"] > thin["high"]).all()
