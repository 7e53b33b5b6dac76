"""Mean ranks over data sets, against other implementations and the example of Demšar (2006)."""

import warnings
from itertools import combinations

import autorank
import numpy as np
import pandas as pd
import pytest
import scikit_posthocs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from over_data_sets import AREAS, VARIANTS, demsar, line, long, random_values, table
from scipy import stats
from statsmodels.formula.api import ols
from statsmodels.stats.anova import anova_lm

import metricatlas as ma
from metricatlas.decisions.datasets.mean_ranks import critical_difference, runs_alike

#: Eighths: their sums and differences are exact, and ties are frequent.
GRID = st.integers(-12, 12).map(lambda i: i / 8)
SHAPES = st.tuples(st.integers(2, 8), st.integers(2, 5))
TABLES = SHAPES.flatmap(lambda shape: arrays(float, shape, elements=GRID))


# -- The example of Demšar (2006) ------------------------------------------------------------------


def test_mean_ranks_are_those_that_demsar_printed():
    ranks = demsar().ranks.set_index("model")["rank"]
    assert ranks.round(3).to_dict() == dict(zip(VARIANTS, (3.143, 2.0, 2.893, 1.964), strict=True))


def test_his_statistics_follow_from_these_ranks():
    ranks = demsar().ranks["rank"].to_numpy()
    # His formula has no correction for ties.
    chi2 = 12 * 14 / (4 * 5) * (np.square(ranks).sum() - 4 * 5**2 / 4)
    assert round(chi2, 2) == 9.28
    assert round(13 * chi2 / (14 * 3 - chi2), 2) == 3.69
    found = line(demsar().friedman, measure="auc")
    # Ties make a statistic larger once they are allowed for.
    assert found["statistic"] > chi2
    assert found["statistic"] == pytest.approx(
        stats.friedmanchisquare(*np.array(list(AREAS.values())).T).statistic, rel=1e-12
    )


def test_his_critical_differences_and_groups_come_out():
    at_5, at_10 = demsar(level=0.95), demsar(level=0.9)
    assert round(at_5.nemenyi["critical_difference"][0], 2) == 1.25
    assert round(at_10.nemenyi["critical_difference"][0], 2) == 1.12
    assert not at_5.nemenyi["differs"].any()
    told = at_10.nemenyi[at_10.nemenyi["differs"]]
    assert set(zip(told["model"], told["other"], strict=True)) == {
        ("C4.5", "C4.5+m"),
        ("C4.5", "C4.5+m+cf"),
    }
    assert at_10.groups["models"].tolist() == [
        ("C4.5+m+cf", "C4.5+m", "C4.5+cf"),
        ("C4.5+cf", "C4.5"),
    ]
    assert at_10.winners.loc[0, ["winner", "not_told_apart"]].tolist() == [
        "C4.5+m+cf",
        ("C4.5+m", "C4.5+cf"),
    ]


def test_his_sums_of_signed_ranks_come_out():
    found = line(demsar().pairs, model="C4.5", other="C4.5+m")
    # He gives half of the ranks of the zeros, 1.5 and 1.5, to either side.
    assert found["statistic"] + 1.5 == 12
    assert 14 * 15 / 2 - (found["statistic"] + 1.5) == 93
    assert found["p"] < 0.05
    assert (found["wins"], found["ties"], found["losses"]) == (2, 2, 10)


@pytest.mark.parametrize(
    ("level", "printed"),
    [
        (0.95, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
        (0.90, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
    ],
)
def test_critical_values_are_those_of_his_table_5(level, printed):
    for models, value in enumerate(printed, start=2):
        # With models (models + 1) / 6 data sets the root is one.
        found = critical_difference(models * (models + 1) / 6, models, level)
        # He cut some of them off after the third decimal, and rounded others.
        assert found == pytest.approx(value, abs=1.05e-3)


# -- Mean ranks ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("count", "models"), [(2, 3), (9, 3), (14, 5), (40, 12)])
def test_friedmans_test_is_that_of_scipy(count, models):
    values = random_values(count, count, models, decimals=1)
    found = line(ma.across(table(values)).friedman, measure="auc")
    expected = stats.friedmanchisquare(*values.T)
    assert found["statistic"] == pytest.approx(expected.statistic, rel=1e-12)
    assert found["p"] == pytest.approx(expected.pvalue, rel=1e-10)


@pytest.mark.parametrize(("count", "models"), [(9, 2), (9, 3), (14, 5)])
def test_iman_and_davenports_is_an_analysis_of_variance_of_ranks(count, models):
    values = random_values(count + 1, count, models, decimals=1)
    frame = long(values)
    frame["rank"] = frame.groupby("dataset")["auc"].rank(ascending=False)
    effects = anova_lm(ols("rank ~ C(dataset) + C(model)", frame).fit())
    found = line(ma.across(table(values)).friedman, measure="auc")
    assert found["f"] == pytest.approx(effects.loc["C(model)", "F"], rel=1e-9)
    assert found["f_p"] == pytest.approx(effects.loc["C(model)", "PR(>F)"], rel=1e-9)


def test_kendalls_concordance_is_the_mean_rank_correlation_on_another_scale():
    values = np.random.default_rng(5).random((7, 5))
    pairs = [stats.spearmanr(one, other).statistic for one, other in combinations(values, 2)]
    found = ma.across(table(values)).friedman["concordance"][0]
    assert found == pytest.approx((1 + 6 * np.mean(pairs)) / 7, rel=1e-12)


def test_data_sets_that_rank_alike_are_in_full_concord():
    found = ma.across(table([[3, 2, 1], [0.3, 0.2, 0.1], [9, 5, 1]])).friedman.iloc[0]
    assert found[["statistic", "f", "f_p", "concordance"]].tolist() == [6, np.inf, 0, 1]


def test_models_that_are_equal_everywhere_do_not_differ():
    a = ma.across(table(np.ones((4, 3))))
    assert a.friedman.loc[0, ["statistic", "p", "f", "f_p", "concordance"]].tolist() == [
        0,
        1,
        0,
        1,
        0,
    ]
    assert a.ranks["rank"].tolist() == [2, 2, 2]
    assert a.ranks["wins"].tolist() == [4, 4, 4]
    assert a.pairs["p"].tolist() == a.pairs["sign_p"].tolist() == [1, 1, 1]
    assert a.nemenyi["p"].tolist() == pytest.approx([1, 1, 1])
    assert a.bayesian()[["better", "equal", "worse"]].to_numpy().tolist() == [[0, 1, 0]] * 3
    assert a.bayesian(0)[["better", "equal", "worse"]].to_numpy().tolist() == [[0.5, 0, 0.5]] * 3
    assert a.winners["not_told_apart"][0] == ("m1", "m2")


@pytest.mark.parametrize(("count", "models"), [(6, 2), (12, 4), (30, 9)])
def test_nemenyis_test_is_that_of_scikit_posthocs(count, models):
    values = random_values(count + 2, count, models)
    expected = scikit_posthocs.posthoc_nemenyi_friedman(values).to_numpy()
    found = ma.across(table(values)).nemenyi
    pairs = list(combinations(range(models), 2))
    assert found["p"].tolist() == pytest.approx([expected[i, j] for i, j in pairs], abs=1e-9)
    assert (found["differs"] == (found["p"] <= 0.05)).all()


def test_mean_ranks_and_the_critical_difference_are_those_of_autorank():
    values = random_values(3, 20, 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = autorank.autorank(
            pd.DataFrame(values, columns=[f"m{i}" for i in range(5)]),
            alpha=0.05,
            force_mode="nonparametric",
        )
    a = ma.across(table(values))
    assert a.ranks.set_index("model")["rank"].to_dict() == pytest.approx(
        expected.rankdf["meanrank"].to_dict(), rel=1e-12
    )
    # autorank reads its critical values off a table of three decimals.
    assert a.nemenyi["critical_difference"][0] == pytest.approx(expected.cd, abs=1e-3)


def test_where_the_models_do_not_differ_as_a_whole_none_is_told_apart_from_the_best():
    values = np.random.default_rng(3).random((6, 5))
    values[:, :2] += [0.35, -0.35]
    a = ma.across(table(values))
    assert a.friedman["f_p"][0] > 0.05
    assert line(a.nemenyi, model="m0", other="m1")["differs"]
    assert a.winners["winner"][0] == "m0"
    assert set(a.winners["not_told_apart"][0]) == {"m1", "m2", "m3", "m4"}


@given(st.lists(GRID, min_size=1, max_size=7), st.integers(1, 20).map(lambda i: i / 16))
def test_runs_are_the_largest_sets_of_models_that_are_near_each_other(ranks, critical):
    found = [frozenset(run) for run in runs_alike(np.array(ranks), critical)]
    near = [
        frozenset(some)
        for size in range(1, len(ranks) + 1)
        for some in combinations(range(len(ranks)), size)
        if max(ranks[i] for i in some) - min(ranks[i] for i in some) < critical
    ]
    assert len(set(found)) == len(found)
    assert set(found) == {some for some in near if not any(some < other for other in near)}


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_data_sets_and_models_changes_nothing(values, rnd):
    count, models = values.shape
    rows, columns = list(range(count)), list(range(models))
    rnd.shuffle(rows)
    rnd.shuffle(columns)
    names = [f"m{i}" for i in range(models)]
    one = ma.across(table(values, models=names))
    other = ma.across(
        table(values[rows][:, columns], models=[names[i] for i in columns], datasets=rows)
    )
    assert one.friedman.equals(other.friedman)
    ranks = [a.ranks.sort_values("model").reset_index(drop=True) for a in (one, other)]
    assert ranks[0].equals(ranks[1])
    assert one.crossed.contests[0].noise == other.crossed.contests[0].noise
    for row in one.pairs.itertuples():
        there = other.pairs
        same = {row.model, row.other}
        match = there[[{a, b} == same for a, b in zip(there["model"], there["other"], strict=True)]]
        assert match[["statistic", "p", "p_corrected", "sign_p"]].iloc[0].tolist() == [
            row.statistic,
            row.p,
            row.p_corrected,
            row.sign_p,
        ]
        sign = 1 if match["model"].item() == row.model else -1
        assert match["difference"].item() == sign * row.difference


@given(TABLES)
def test_tests_by_ranks_do_not_mind_how_values_are_scaled_if_their_order_stays(values):
    # Each data set has a scale of its own, and eighths are exact on all of them.
    powers = 1 + 2 * (np.arange(len(values)) % 2)[:, np.newaxis]
    scaled = 4 * values**powers - 1
    one, other = ma.across(table(values)), ma.across(table(scaled))
    for name in ("friedman", "nemenyi", "groups", "winners"):
        assert getattr(one, name).equals(getattr(other, name)), name
    kept = ["wins", "ties", "losses", "sign_p"]
    assert one.pairs[kept].equals(other.pairs[kept])
    assert one.ranks[["rank", "wins"]].equals(other.ranks[["rank", "wins"]])


@given(TABLES)
def test_how_hard_a_data_set_is_changes_no_test_of_differences(values):
    shifts = np.arange(len(values))[:, np.newaxis] / 4
    one, other = ma.across(table(values)), ma.across(table(values + shifts))
    assert one.pairs.equals(other.pairs)
    columns = ["better", "equal", "worse"]
    found = [a.bayesian(0.125, samples=500)[columns] for a in (one, other)]
    assert found[0].equals(found[1])


@given(TABLES)
def test_a_measure_of_which_less_is_better_is_read_the_other_way_round(values):
    up = ma.across(table(values, "gain"))
    down = ma.across(table(-values, "brier"))
    for name in ("friedman", "nemenyi", "pairs", "groups", "winners"):
        one, other = (getattr(a, name).drop(columns="measure") for a in (up, down))
        assert one.equals(other), name
    assert (down.ranks["value"] == -up.ranks["value"]).all()
