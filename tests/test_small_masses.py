"""Masses that no float holds exactly: what is empty stays empty, and whole weights stay cheap."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit

import metricatlas as ma


@pytest.fixture(autouse=True)
def _undefined_values_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        yield


def same_but_for_rounding(one, other):
    return np.isclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True)


@pytest.mark.parametrize("classes", [2, 3])
def test_tenths_as_weights_define_what_whole_numbers_define(classes):
    rng = np.random.default_rng(classes)
    compared = set()
    for _ in range(150):
        n = int(rng.integers(3, 9))
        y, decided = rng.integers(0, classes, n), rng.integers(0, classes, n)
        weight = rng.integers(1, 12, n)
        # What does not change when all weights are eight times as large does not at a tenth.
        whole, more, tenths = (
            evaluated(y, decided, w, labels=range(classes), kind="labels")
            for w in (weight, weight * 8, weight / 10)
        )
        kept = [c for c in tenths if c in whole and same_but_for_rounding(whole[c], more[c])]
        compared.update(kept)
        assert not {c: (whole[c], tenths[c]) for c in kept if differ(whole[c], tenths[c])}
    assert len(compared) > 45


def evaluated(y, predictions, weight, **options):
    table = ma.evaluate(y, predictions, sample_weight=weight, **options)
    return dict(zip(table.columns, table.values[0].tolist(), strict=True))


def differ(one, other):
    return not same_but_for_rounding(one, other)


@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
def test_best_cuts_of_tenths_are_those_of_whole_numbers(few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    rng = np.random.default_rng(1)
    measures = ["dor@best", "yule_y@best", "npv@best=mcc", "gmean@best=mcc", "fnr@best=dor"]
    for _ in range(200):
        n = int(rng.integers(3, 10))
        y, p = rng.integers(0, 2, n), rng.integers(0, 5, n) / 4
        weight = rng.integers(1, 12, n)
        one, other = (
            ma.evaluate(y, p, sample_weight=w, measures=measures).values[0]
            for w in (weight, weight / 10)
        )
        assert same_but_for_rounding(one, other).all(), (y, p, weight, one, other)


def test_an_empty_cell_is_zero_whatever_the_weights():
    table = ma.evaluate(
        ["c", "c", "a"],
        ["a", "b", "c"],
        labels=list("abc"),
        sample_weight=[0.8, 1, 1],
        measures=["tnr[class=c]", "fpr[class=c]", "nlr[class=c]", "npv[class=c]"],
    )
    assert table.values[0].tolist() == [0, 1, np.inf, 0]


@pytest.mark.parametrize("mass", [1e5, 1e8, 1e20])
def test_heavy_rows_are_as_light_ones(mass):
    rng = np.random.default_rng(2)
    y, p = rng.integers(0, 2, 40), rng.integers(0, 21, 40) / 20
    light, more, most, heavy = (evaluated(y, p, np.full(40, w)) for w in (1, 2, 64, mass))
    kept = [c for c in heavy if same_but_for_rounding(light[c], [more[c], most[c]]).all()]
    assert len(kept) > 100
    assert not {c: (light[c], heavy[c]) for c in kept if differ(light[c], heavy[c])}


def test_weights_beyond_counting_are_no_numbers_of_rows():
    y, p = [0, 1, 1, 0], [0.1, 0.6, 0.7, 0.4]
    table = ma.evaluate(y, p, sample_weight=[1e20] * 4, measures=["auc", "cal"])
    assert table["auc"] == 1
    assert "whole numbers" in table.reason(0, "cal")


def test_equal_probabilities_leave_spiegelhalter_undefined():
    for classes in range(2, 12):
        p = np.full((30, classes), 1 / classes)
        table = ma.evaluate(np.arange(30) % classes, p, measures=["spiegelhalter"])
        assert np.isnan(table.values[0, 0])
        assert table.reason(0, "spiegelhalter")


def test_the_intercept_is_found_where_newton_alone_runs_away():
    y = np.array([0, 0, 0, 0, 0, 1, 1, 0])
    p = np.array([1, 0.75, 1, 0.25, 0.125, 1, 0.75, 0.75])
    w = np.array([0.5, 1, 0.5, 1, 0.5, 1, 1, 1])
    shift = ma.measure("calibration_intercept", y, p, sample_weight=w)
    odds = np.clip(p, 1e-12, 1 - 1e-12) / (1 - np.clip(p, 1e-12, 1 - 1e-12))
    wanted = brentq(lambda a: w @ (y - expit(a + np.log(odds))), -60, 60, xtol=1e-13)
    assert np.isclose(shift, wanted, rtol=1e-9)


def test_scores_that_are_close_have_the_divergence_of_their_distances(monkeypatch):
    y = np.array([0, 1, 1, 0, 1, 0])
    steps = np.array([0, 1, 2, 3, 2, 4])
    for few in (0, 5_000):
        monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
        for scores in (steps, 1 - steps * 2.0**-53, 0.5 + steps * 2.0**-43, steps * 1e-100):
            assert np.isclose(ma.measure("divergence", y, scores.astype(float)), 2 / 7, rtol=1e-12)
        table = ma.evaluate(y, steps * 1e200, measures=["divergence"])
        assert "infinite" in table.reason(0, "divergence")


@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
def test_cuts_at_a_share_take_fractions_that_are_rounded(few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    y = np.array([0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1])
    p = [0.568, 0.394, 0.569, 0.716, 0.73, 0.678, 0.56, 0.175, 0.137, 0.28, 0.393, 0.428, 0.578]
    p = np.array([*p, 0.231])
    w = np.array([3, 3, 2, 2, 3, 3, 2, 3, 1, 3, 3, 3, 1, 3])
    tenths, whole = (ma.measure("ap_eleven", y, p, sample_weight=v) for v in (w / 10, w))
    assert np.isclose(tenths, whole, rtol=1e-12)
    y = (np.arange(100) < 7).astype(int)
    rate = ma.measure("ppr@prevalence", y, np.full(100, 0.07), sample_weight=np.full(100, 0.1))
    assert rate == 0


def test_the_geometric_mean_of_many_small_shares_is_not_zero():
    y = np.repeat(np.arange(300), 20)
    decided = np.where(np.arange(6000) % 20 == 0, y, (y + 1) % 300)
    assert np.isclose(ma.measure("recall[geometric]", y, decided), 0.05, rtol=1e-12)


@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
@pytest.mark.parametrize("rare", [1e-9, 1e-12, 2.0**-50])
@pytest.mark.parametrize("certain_of_positives", [True, False])
def test_expected_numbers_near_none_and_near_all_keep_their_digits(
    few, rare, certain_of_positives, monkeypatch
):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    p = 1 - rare if certain_of_positives else rare
    for n in (10, 30, 1000):
        y = np.full(n, int(certain_of_positives))
        y[0] = 1 - y[0]
        observed, expected = Fraction(int(y.sum())), n * Fraction(p)
        gap = observed - expected
        exact = float(gap**2 / expected + gap**2 / (n - expected))
        found = ma.measure("hosmer_lemeshow", y, np.full(n, p))
        assert found == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
def test_groups_of_different_sure_probabilities_keep_their_digits(few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    rng = np.random.default_rng(0)
    p = np.sort(1 - 10.0 ** -rng.uniform(8, 12, 400))
    y = (rng.random(400) < 0.99).astype(int)
    exact = Fraction(0)
    for group in range(0, 400, 40):
        expected = sum(map(Fraction, p[group : group + 40].tolist()))
        gap = int(y[group : group + 40].sum()) - expected
        exact += gap**2 / expected + gap**2 / (40 - expected)
    order = rng.permutation(400)
    assert ma.measure("hl", y[order], p[order]) == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
@pytest.mark.parametrize("classes", [2, 3])
def test_weights_of_very_different_sizes_are_no_mistake_and_leave_no_value_without_a_reason(
    few, classes, monkeypatch
):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    rng = np.random.default_rng(classes)
    for large in range(classes):
        y = np.append(np.arange(classes), rng.integers(0, classes, 9))
        p = rng.dirichlet(np.ones(classes), y.size)
        table = ma.evaluate(y, p, sample_weight=np.where(y == large, 1e60, 1e-60))
        for column in np.flatnonzero(np.isnan(table.values[0])).tolist():
            assert "no reason was recorded" not in table.reason(0, column)
    y, s = [1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.5, 0.6, 0.7, 0.1]
    table = ma.evaluate(
        y, s, sample_weight=[1e60, 1e60, 1e-60, 1e-60, 1e60, 1e-60], measures=["pr_gain_area"]
    )
    assert "rounded to 0" in table.reason(0, 0)
