"""Perturbed lists: huang2007's Tables 4 and 5, what is drawn, and the paired tests."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_of_relations import published
from scipy import stats
from sklearn.metrics import accuracy_score, roc_auc_score

import metricatlas as ma
from metricatlas.worlds.correlations import PerturbedLists, paired
from metricatlas.worlds.perturbed_lists import EPSILONS, MEASURES, _World


def table_5():
    """Epsilons by measures: the means."""
    rows = published()["huang_table5"]["rows"]
    assert tuple(row["eps"] for row in rows) == EPSILONS
    return np.array([[row[name][0] for name in ("acc", "AUC", "AUC:acc")] for row in rows])


def world(n=26, cut="after", measures=MEASURES):
    return _World(n, tuple(measures), None, 200, cut)


def test_the_example_of_table_4_has_the_values_that_are_printed():
    example = published()["huang_table4"]
    accuracy, area, both, distance = world(10)._seen(np.array([example["P"]]))[0]
    printed = example["printed_values"]
    assert [-distance, area, accuracy, both] == pytest.approx(printed[:4], abs=5e-4)


def misfit(n, cut):
    """How far from Table 5, in squared standard errors of its means of five repetitions."""
    found = ma.perturbed_lists(n, repetitions=400, cut=cut).correlations
    error = found.std(axis=1, ddof=1) / np.sqrt(5)
    return np.square((found.mean(axis=1) - table_5()) / error).mean()


@pytest.mark.parametrize("n", [16, 20, 26, 30])
def test_numbers_drawn_first_and_cut_then_give_table_5(n):
    assert misfit(n, "after") < 0.5


def test_lists_of_26_examples_miss_table_5_by_as_much_as_the_errata_state():
    means = ma.perturbed_lists(repetitions=1000).correlations.mean(axis=1)
    misses = np.sqrt(np.square(means - table_5()).mean())
    assert misses == pytest.approx(0.0105, abs=0.003)


@pytest.mark.parametrize("n", [8, 16, 26, 50, 100])
def test_ranges_cut_first_as_printed_do_not_give_table_5(n):
    assert misfit(n, "before") > 5.6


def test_the_verdicts_of_the_paper_come_out_and_the_gains_do_not():
    r = ma.perturbed_lists(repetitions=300)
    tests = r.tests.set_index(["measure", "other", "epsilon"]).sort_index()
    accuracy, area, both = MEASURES
    for other in (area, both):
        assert (tests.loc[accuracy, other]["high"] < 0).all()
    gains = -tests.loc[area, both]["difference"]
    assert (tests.loc[area, both]["p"][[0.7, 0.8, 0.9]] < 0.05).all()
    assert (gains[[0.7, 0.8, 0.9]] > 0).all()
    # With the weight of 0.01 the area gains ten times less than is printed for the largest.
    assert gains.abs().max().round(4) <= 0.0005
    printed = table_5()
    assert np.abs(printed[:, 2] - printed[:, 1]).max() > 0.004


def test_correlations_are_those_of_a_plain_program():
    n, epsilon = 9, 0.6
    found = ma.perturbed_lists(
        n, measures=["acc", "auc"], epsilons=epsilon, lists=50, repetitions=1, seed=3
    )
    (child,) = np.random.SeedSequence(3).spawn(1)
    true = np.arange(1, n + 1) / n
    truth = [0, 0, 0, 0, 1, 1, 1, 1, 1]
    lists = [
        np.clip(true - epsilon + 2 * epsilon * row, 0, 1)
        for row in np.random.default_rng(child).random((50, n))
    ]
    distances = [-np.sqrt(np.mean((row - true) ** 2)) for row in lists]
    accuracies = [accuracy_score(truth, row > 0.5) for row in lists]
    areas = [roc_auc_score(truth, row) for row in lists]
    theirs = [stats.pearsonr(values, distances).statistic for values in (accuracies, areas)]
    assert found.correlations[0, 0] == pytest.approx(theirs, abs=1e-12)


def test_where_the_draw_is_cut_decides_what_is_drawn():
    lists = {
        cut: world(4, cut)._perturbed(np.random.default_rng(0), 0.5, 20_000)
        for cut in ("after", "before")
    }
    for drawn in lists.values():
        assert drawn.min() >= 0
        assert drawn.max() <= 1
    # The last has the probability 1: half of its draws are cut, or all lie from 0.5 to 1.
    assert (lists["after"][:, 3] == 1).mean() == pytest.approx(0.5, abs=0.02)
    assert lists["after"][:, 3].mean() == pytest.approx(0.875, abs=0.005)
    assert (lists["before"][:, 3] == 1).mean() < 0.001
    assert lists["before"][:, 3].mean() == pytest.approx(0.75, abs=0.005)
    for drawn in lists.values():
        assert drawn[:, 1].mean() == pytest.approx(0.5, abs=0.01)


# -- Tests and tables ------------------------------------------------------------------------------


@given(seed=st.integers(0, 1000), count=st.integers(2, 30))
def test_paired_tests_are_those_of_scipy(seed, count):
    one, other = np.random.default_rng(seed).normal(size=(2, count))
    ours = paired(one - other)
    theirs = stats.ttest_rel(one, other)
    low, high = theirs.confidence_interval(0.95)
    expected = [theirs.statistic, theirs.pvalue, low, high]
    assert [ours["t"], ours["p"], ours["low"], ours["high"]] == pytest.approx(expected, rel=1e-9)


def test_pairs_without_spread_differ_beyond_doubt_or_not_at_all():
    assert paired(np.zeros(5))["p"] == 1
    assert paired(np.full(5, 0.1)) == {
        "difference": 0.1,
        "low": 0.1,
        "high": 0.1,
        "t": np.inf,
        "p": 0,
    }
    lone = paired(np.array([0.2, np.nan]))
    assert lone["difference"] == 0.2
    assert np.isnan([lone["low"], lone["high"], lone["t"], lone["p"]]).all()


def test_the_table_tells_means_deviations_and_which_are_best():
    found = np.array([[[0.1, 0.5, 0.5], [0.2, 0.6, 0.7], [0.15, 0.7, np.nan]]])
    r = PerturbedLists(("a", "b", "c"), (0.5,), "d", found)
    table = r.table.set_index("measure")
    assert table["correlation"].tolist() == pytest.approx([0.15, 0.6, 0.6])
    assert table["deviation"].tolist() == pytest.approx([0.05, 0.1, 0.2 / np.sqrt(2)])
    assert table["best"].tolist() == [False, True, True]
    assert table["undefined"].tolist() == pytest.approx([0, 0, 1 / 3])
    pairs = r.tests
    assert pairs[["measure", "other"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    theirs = stats.ttest_rel(found[0, :2, 1], found[0, :2, 2])
    assert pairs["p"][2] == pytest.approx(theirs.pvalue)


def test_what_never_varies_has_no_correlation():
    # So near the true list no order changes: the area is 1 for every list.
    r = ma.perturbed_lists(8, measures=["auc", "brier"], epsilons=[0.01, 0.6], repetitions=4)
    table = r.table.set_index(["measure", "epsilon"])
    assert table.loc[("auc", 0.01), "undefined"] == 1
    assert np.isnan(table.loc[("auc", 0.01), "correlation"])
    assert not table.loc[("auc", 0.01), "best"]
    assert table.loc[("brier", 0.01), "best"]
    assert table.loc[("auc", 0.6), "undefined"] == 0
    assert np.isnan(r.tests["p"][0])
    assert "NaN" in repr(r)


def test_a_target_may_be_a_measure():
    r = ma.perturbed_lists(
        12, measures=["auc", "error_rate", "brier"], target="acc", repetitions=3, epsilons=0.7
    )
    means = r.table.set_index("measure")["correlation"]
    # The one is the other turned round, and everything is turned so that higher is better.
    assert means["error_rate"] == pytest.approx(1, abs=1e-12)
    assert 0 < means["auc"] < 1
    assert r.target == "acc"
    assert "Correlation with acc" in repr(r)


def test_measures_are_those_asked_for_their_own_ones_too():
    r = ma.perturbed_lists(
        10, measures=("auc", ma.catalogue["brier"], "auc"), repetitions=2, epsilons=0.5
    )
    assert r.names == ("auc", "brier", "auc")
    assert (r.correlations[:, :, 0] == r.correlations[:, :, 2]).all()
    assert r.tests.query("measure == other")["p"].tolist() == [1]


def test_workers_do_not_matter(monkeypatch):
    found = []
    for workers in ("1", "3"):
        monkeypatch.setenv("METRICATLAS_THREADS", workers)
        found.append(ma.perturbed_lists(60, lists=500, repetitions=20, seed=1).correlations)
    assert (found[0] == found[1]).all()
    other = ma.perturbed_lists(60, lists=500, repetitions=20, seed=2).correlations
    assert (other != found[0]).all()


def test_lists_that_do_not_fit_together_are_drawn_in_parts(monkeypatch):
    whole = world(20, measures=["auc"]).correlations(np.random.default_rng(0), 0.5, 2)
    monkeypatch.setattr(import_module("metricatlas.worlds.perturbed_lists"), "TOGETHER", 70)
    parts = world(20, measures=["auc"]).correlations(np.random.default_rng(0), 0.5, 2)
    assert (whole == parts).all()


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ({"n": 1}, ("n must be a whole number from 2", "got 1")),
        ({"n": 2.5}, ("n must be", "2.5")),
        ({"lists": 2}, ("lists must be", "from 3", "got 2")),
        ({"repetitions": 0}, ("repetitions must be", "got 0")),
        ({"repetitions": True}, ("repetitions must be", "got True")),
        ({"seed": -1}, ("seed must be", "got -1")),
        ({"epsilons": []}, ("epsilons", "got []")),
        ({"epsilons": [0, 0.5]}, ("above 0", "[0, 0.5]")),
        ({"epsilons": 1.5}, ("1 at most", "1.5")),
        ({"epsilons": [0.5, 0.5]}, ("once each", "[0.5, 0.5]")),
        ({"epsilons": ["x"]}, ("epsilons", "'x'")),
        ({"cut": "never"}, ("'after' or 'before'", "'never'")),
        ({"measures": []}, ("at least one measure",)),
        ({"measures": "prevalence"}, ("which value is better", "prevalence")),
        ({"measures": "auk"}, ("no measure 'auk'", "auc")),
        ({"target": "prevalence"}, ("which value is better", "prevalence")),
    ],
)
def test_what_cannot_be_is_refused(given, facts):
    with pytest.raises(ma.MetricAtlasError) as error:
        ma.perturbed_lists(**given)
    for fact in facts:
        assert fact in str(error.value)
