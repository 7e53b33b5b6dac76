"""Tests of pairs of models over data sets and folds, against other implementations or by hand."""

from itertools import product

import baycomp
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from over_data_sets import long, random_values, table
from scipy import stats
from statsmodels.stats.multitest import multipletests

import metricatlas as ma
from metricatlas.decisions.comparing.corrections import corrected
from metricatlas.decisions.datasets.bayesian import signed_rank_posterior
from metricatlas.decisions.datasets.corrected_t import corrected_t
from metricatlas.decisions.datasets.signed_rank import sign_test, signed_rank

# -- Pairs -----------------------------------------------------------------------------------------


def counted_by_hand(differences):
    """The p-value of a signed rank test: all signs of the ranks that Pratt leaves."""
    sizes = [abs(d) for d in differences]
    # The rank of a size, shared by equals, zeros included.
    ranks = [sum(s < x for s in sizes) + (sizes.count(x) + 1) / 2 for x in sizes]
    kept = [(rank, d > 0) for rank, d in zip(ranks, differences, strict=True) if d]
    half = sum(rank for rank, _ in kept) / 2
    away = abs(sum(rank for rank, up in kept if up) - half)
    choices = [
        abs(sum(rank for (rank, _), up in zip(kept, ups, strict=True) if up) - half)
        for ups in product((0, 1), repeat=len(kept))
    ]
    return sum(choice >= away for choice in choices) / len(choices)


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=9))
def test_the_signed_rank_test_counts_all_signs_with_ties_and_zeros(differences):
    found = signed_rank(np.array(differences, dtype=float))
    assert found.p == counted_by_hand(differences)


@pytest.mark.parametrize("count", [5, 12, 50])
def test_without_ties_the_signed_rank_test_is_the_exact_one_of_scipy(count):
    differences = np.random.default_rng(count).normal(0.3, 1, count)
    expected = stats.wilcoxon(differences, method="exact")
    found = signed_rank(differences)
    assert found.statistic == expected.statistic
    assert found.p == pytest.approx(expected.pvalue, rel=1e-12)


@pytest.mark.parametrize("zeros", [0, 9])
def test_of_many_differences_the_signed_rank_test_is_the_approximate_one_of_scipy(zeros):
    rng = np.random.default_rng(zeros)
    differences = np.append(rng.integers(-4, 6, 80), np.zeros(zeros)).astype(float)
    expected = stats.wilcoxon(differences, zero_method="pratt", method="asymptotic")
    found = signed_rank(differences)
    assert found.statistic == expected.statistic
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)


def test_the_exact_and_the_approximate_test_meet():
    differences = np.random.default_rng(1).normal(0.2, 1, 50)
    near = stats.wilcoxon(differences, method="asymptotic").pvalue
    assert signed_rank(differences).p == pytest.approx(near, abs=0.005)


def test_differences_that_differ_by_rounding_alone_are_tied():
    # 0.8 - 0.7 is more than 0.1, and 0.9 - 0.8 is less.
    assert 0.8 - 0.7 != 0.9 - 0.8
    values = [[0.8, 0.7], [0.8, 0.9], [0.6, 0.1], [0.4, 0.2], [0.5, 0.3]]
    found = ma.across(table(values)).pairs.iloc[0]
    # Sizes are 1, 1, 5, 2, 2 tenths: ranks are 1.5, 1.5, 5, 3.5, 3.5.
    assert found["statistic"] == 1.5
    assert found["p"] == counted_by_hand([1, -1, 5, 2, 2])


@given(st.integers(0, 60), st.integers(0, 60))
def test_the_sign_test_is_that_of_scipy(wins, losses):
    assume(wins + losses)
    expected = stats.binomtest(wins, wins + losses).pvalue
    assert sign_test(np.array([wins]), np.array([losses]))[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("how", "theirs"),
    [
        ("holm", "holm"),
        ("hochberg", "simes-hochberg"),
        ("bonferroni", "bonferroni"),
        ("bh", "fdr_bh"),
    ],
)
def test_corrections_are_those_of_statsmodels(how, theirs):
    for seed in range(20):
        p_values = np.random.default_rng(seed).random(1 + seed).round(1 + seed % 3) ** 2
        expected = multipletests(p_values, method=theirs)[1]
        assert corrected(p_values, how) == pytest.approx(expected, rel=1e-12)


def test_undefined_p_values_count_as_no_comparison():
    assert corrected([0.01, np.nan, 0.04], "bonferroni")[[0, 2]].tolist() == [0.02, 0.08]
    assert np.isnan(corrected([0.01, np.nan, 0.04])[1])
    assert corrected([0.3, 0.9], "none").tolist() == [0.3, 0.9]


def test_pairs_of_a_measure_are_a_family_of_their_own():
    one, other = random_values(1, 9, 3), random_values(2, 9, 3)
    both = ma.across(table(one, "auc", acc=other), correction="bonferroni").pairs
    for name, values in (("auc", one), ("acc", other)):
        alone = ma.across(table(values, name), correction="none").pairs
        part = both[both["measure"] == name]
        assert part["p"].tolist() == alone["p"].tolist() == alone["p_corrected"].tolist()
        assert part["p_corrected"].tolist() == np.minimum(1, 3 * alone["p"]).tolist()


# -- Bayes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rope", "step"), [(0.0, None), (0.01, None), (0.1, None), (0.0, 8), (1 / 8, 8), (1 / 4, 8)]
)
def test_the_bayesian_signed_rank_test_is_that_of_baycomp(rope, step):
    rng = np.random.default_rng(int(100 * rope))
    one = rng.random(12)
    other = one + rng.normal(0.01, 0.05, 12)
    if step:
        # Eighths lie on the edge of the region again and again, where they count half.
        one = rng.integers(0, 8, 12) / step
        other = one + rng.integers(-2, 4, 12) / step
    theirs = baycomp.SignedRankTest(other, one, rope=rope, nsamples=10_000, random_state=1)
    row = ma.across(table(np.column_stack([one, other])), rope=rope).bayesian().iloc[0]
    found = row[["worse", "equal", "better"]].tolist()
    # Four standard errors of both simulations, of which none is quite without.
    for ours, expected in zip(found, theirs.probs(), strict=True):
        error = np.sqrt(max(expected * (1 - expected), 1e-4) * (1 / 10_000 + 1 / 50_000))
        assert ours == pytest.approx(expected, abs=4 * error)


def test_of_equal_differences_the_bayesian_test_is_a_beta_distribution():
    # All sums are beyond the rope but that of the prior with itself, whose weight is squared.
    for count in (1, 2, 3, 5):
        (found,) = signed_rank_posterior([np.full(count, 1.0)], 0.1, 50_000, 0)
        share = stats.beta.cdf(np.sqrt(0.5), 0.5, count)
        assert found[2] == 0
        assert found[0] == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / 50_000))
        assert found.sum() == pytest.approx(1, abs=1e-12)


def test_models_that_change_places_change_their_probabilities():
    apart = np.random.default_rng(3).normal(0.02, 0.05, 15)
    one, other = signed_rank_posterior([apart, -apart], 0.01, 20_000, 0)
    assert one.tolist() == other[::-1].tolist()


def test_draws_depend_on_the_seed_and_on_nothing_else():
    m = table(random_values(1, 8, 3), acc=random_values(2, 8, 3))
    found = ma.across(m, seed=4).bayesian(samples=12_000)
    assert found.equals(ma.across(m, seed=4).bayesian(samples=12_000))
    assert not found.equals(ma.across(m, seed=5).bayesian(samples=12_000))
    alone = ma.across(m, measures="acc", seed=4).bayesian(samples=12_000)
    assert found[found["measure"] == "acc"].reset_index(drop=True).equals(alone)


def test_each_measure_can_have_a_rope_of_its_own():
    m = table(random_values(1, 8, 2), brier=random_values(2, 8, 2))
    found = ma.across(m, rope={"auc": 0.2, "brier": 0}).bayesian(samples=1000)
    assert found["rope"].tolist() == [0.2, 0]
    assert found["equal"][1] == 0
    again = ma.across(m).bayesian({"brier": 0, "auc": 0.2}, samples=1000)
    assert found.equals(again)


# -- Folds -----------------------------------------------------------------------------------------


def folded(values, **keys):
    """Rows of models on folds: an array, folds by models, and keys with a value for each fold."""
    frame = long(values).rename(columns={"dataset": "number"})
    for name, column in keys.items():
        frame[name] = [column[number] for number in frame["number"]]
    return ma.Measurements.from_frame(frame.drop(columns="number"), keys=["model", *keys])


@pytest.mark.parametrize(("repeats", "folds"), [(1, 5), (1, 10), (10, 10)])
def test_the_corrected_t_test_is_that_of_baycomp(repeats, folds):
    values = np.random.default_rng(folds).normal([0.8, 0.79], 0.02, (repeats * folds, 2))
    keys = list(product(range(repeats), range(folds)))
    m = folded(values, repeat=[r for r, _ in keys], fold=[f for _, f in keys])
    row = ma.across(m, over=["repeat", "fold"], folds="fold").resampled_t().iloc[0]
    left, right = baycomp.CorrelatedTTest(*values.T[::-1], runs=repeats).probs()
    assert row["p"] == pytest.approx(2 * min(left, right), rel=1e-9)
    assert (row["difference"] > 0) == (right > left)
    assert row["test_share"] == 1 / folds
    mean, variance, freedom = baycomp.CorrelatedTTest.compute_statistics(*values.T[::-1], repeats)
    ends = stats.t.interval(0.95, freedom, mean, np.sqrt(variance))
    assert row[["low", "high"]].tolist() == pytest.approx(list(ends), rel=1e-9)


def test_the_share_that_is_tested_can_be_said():
    values = np.random.default_rng(1).normal([0.8, 0.79], 0.02, (15, 2))
    a = ma.across(folded(values, split=list(range(15))), over="split")
    row = a.resampled_t(test_share=1 / 3).iloc[0]
    apart = values[:, 0] - values[:, 1]
    # The ratio of test to training examples is a half.
    error = np.sqrt((1 / 15 + 1 / 2) * apart.var(ddof=1))
    assert row["t"] == pytest.approx(apart.mean() / error, rel=1e-12)
    plain = stats.ttest_rel(*values.T)
    assert abs(row["t"]) < abs(plain.statistic)


def test_folds_within_data_sets_are_tested_data_set_by_data_set():
    rng = np.random.default_rng(2)
    values = rng.normal([0.8, 0.78, 0.7], 0.02, (15, 3))
    m = folded(values, dataset=["a"] * 5 + ["b"] * 10, fold=[*range(5), *range(10)])
    found = ma.across(m, folds="fold").resampled_t()
    assert found["dataset"].tolist() == ["a"] * 3 + ["b"] * 3
    assert found["folds"].tolist() == [5] * 3 + [10] * 3
    assert found["test_share"].tolist() == [0.2] * 3 + [0.1] * 3
    alone = ma.across(m.where(dataset="b"), over="fold", folds="fold").resampled_t()
    assert found[3:].drop(columns="dataset").reset_index(drop=True).equals(alone)
    expected = corrected(alone["p"], "holm")
    assert alone["p_corrected"].tolist() == expected.tolist()


def test_folds_without_any_spread_decide_for_certain():
    differences = np.array([[0.8 - 0.7, 0.0, np.inf], [0.9 - 0.8, 0.0, 0.1]])
    found = corrected_t(differences, 0.5, 0.95, 1e-15)
    assert found.t[:2].tolist() == [np.inf, 0]
    assert found.p[:2].tolist() == [0, 1]
    assert found.low[:2] == pytest.approx([0.1, 0], abs=1e-15)
    assert all(np.isnan(part[2]) for part in found)


def test_one_fold_says_nothing():
    assert all(np.isnan(part[0]) for part in corrected_t(np.array([[0.1]]), 0.5, 0.95))
