"""Intervals and tests of differences against other libraries, and against their definitions."""

from fractions import Fraction
from math import ceil, floor, inf, nan, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as mcnemar_of_statsmodels
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint
from worlds import world

import metricatlas as ma
from metricatlas.decisions.comparing.corrections import corrected
from metricatlas.decisions.comparing.intervals import Resampled, automatic, interval, wilson
from metricatlas.decisions.comparing.proportions import mcnemar

NORMAL = NormalDist()


# -- Of resampled values -----------------------------------------------------------------------


def ends(method, resampled, value, level, without=None):
    column = np.array(resampled, dtype=float)[:, np.newaxis]
    left = None if without is None else np.array(without, dtype=float)[:, np.newaxis]
    found = interval(method, column, np.array([float(value)]), level, left)
    return tuple(float(end[0]) for end in found)


def cut(ordered, share, side):
    """The outer of the two values between which a share of all lies, counted from 1."""
    place = share * (len(ordered) + 1)
    number = floor(place) if side < 0 else ceil(place)
    return ordered[min(max(number, 1), len(ordered)) - 1]


def percentile_by_hand(resampled, level):
    tail = (1 - Fraction(str(level))) / 2
    ordered = sorted(resampled)
    return cut(ordered, tail, -1), cut(ordered, 1 - tail, 1)


def bca_by_hand(resampled, value, level, without):
    """Efron's formulas (1987), with half of what equals the value below it."""
    count = len(resampled)
    below = sum(x < value for x in resampled) + sum(x == value for x in resampled) / 2
    share = min(max(below / count, 0.5 / count), 1 - 0.5 / count)
    bias = NORMAL.inv_cdf(share)
    mean = sum(without) / len(without)
    squares = sum((mean - x) ** 2 for x in without)
    skew = sum((mean - x) ** 3 for x in without) / (6 * squares**1.5) if squares else 0.0
    ordered, found = sorted(resampled), []
    for tail, side in (((1 - level) / 2, -1), ((1 + level) / 2, 1)):
        moved = bias + NORMAL.inv_cdf(tail)
        found.append(cut(ordered, NORMAL.cdf(bias + moved / (1 - skew * moved)), side))
    return tuple(found)


@pytest.mark.parametrize(
    ("count", "level", "low", "high"),
    [
        (39, 0.95, 1, 39),
        (199, 0.95, 5, 195),
        (999, 0.95, 25, 975),
        (1000, 0.95, 25, 976),
        (1999, 0.9, 100, 1900),
        (19, 0.9, 1, 19),
        (99, 0.8, 10, 90),
        (9, 0.5, 2, 8),
    ],
)
def test_percentile_intervals_cut_off_whole_numbers_of_resamples(count, level, low, high):
    rng = np.random.default_rng(count)
    resampled = rng.permutation(np.arange(1, count + 1))
    assert ends("percentile", resampled, 0, level) == (low, high)
    assert ends("basic", resampled, 0.5, level) == (1 - high, 1 - low)
    assert percentile_by_hand(resampled.tolist(), level) == (low, high)


@given(
    st.lists(st.integers(-50, 50), min_size=3, max_size=80),
    st.integers(-50, 50),
    st.lists(st.integers(-20, 20), min_size=2, max_size=9),
    st.sampled_from([0.5, 0.8, 0.9, 0.95]),
)
def test_intervals_of_given_values_are_those_of_the_formulas(resampled, value, without, level):
    low, high = percentile_by_hand(resampled, level)
    assert ends("percentile", resampled, value, level) == (low, high)
    assert ends("basic", resampled, value, level) == (2 * value - high, 2 * value - low)
    found = ends("bca", resampled, value, level, without)
    assert found == bca_by_hand(resampled, value, level, without)
    assert found[0] <= found[1]
    # Turned upside down, everything is turned upside down.
    turned = ends("bca", [-x for x in resampled], -value, level, [-x for x in without])
    assert turned == (-found[1], -found[0])
    # Without a jackknife, and without skewness, only the bias is left to correct.
    assert ends("bca", resampled, value, level, [1, 1]) == bca_by_hand(
        resampled, value, level, [1, 1]
    )


def test_values_that_no_resample_passes_have_an_interval_among_the_resamples():
    resampled = np.linspace(0.5, 0.9, 200)
    for value in (0.4, 0.5, 0.9, 1.0):
        low, high = ends("bca", resampled, value, 0.95, [0.0, 1.0, 0.5])
        assert 0.5 <= low <= high <= 0.9
    assert ends("bca", [0.7] * 99, 0.7, 0.95, [0.7, 0.7]) == (0.7, 0.7)


def test_values_that_differ_in_their_last_digits_are_equal():
    value = 0.1 + 0.2
    resampled = [0.3] * 60 + [0.5] * 39
    low = ends("bca", resampled, value, 0.5, [0.0, 1.0])
    assert low == ends("bca", resampled, 0.3, 0.5, [0.0, 1.0])
    assert low != ends("bca", resampled, 0.31, 0.5, [0.0, 1.0])


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_undefined_resamples_are_left_out_until_they_are_half_of_all(method):
    rng = np.random.default_rng(0)
    known = rng.random(51)
    without = rng.random(7)
    enough = np.append(known, [nan] * 50)
    rng.shuffle(enough)
    assert ends(method, enough, 0.5, 0.9, without) == ends(method, known, 0.5, 0.9, without)
    too_few = np.append(known[:50], [nan] * 50)
    assert np.isnan(ends(method, too_few, 0.5, 0.9, without)).all()
    assert np.isnan(ends(method, known, nan, 0.9, without)).all()
    assert np.isnan(ends(method, [nan] * 40, 0.5, 0.9, without)).all()


def test_infinite_resamples_are_values_too():
    resampled = [inf] * 10 + list(range(89))
    assert ends("percentile", resampled, 4, 0.8) == (9, inf)
    assert ends("basic", resampled, 4, 0.8) == (-inf, -1)
    assert np.isnan(ends("basic", resampled, inf, 0.8)[0])
    found = ends("bca", resampled, 4, 0.8, [1.0, nan, 2.0])
    assert found[0] in range(89)


def of_scipy(data, statistic, times):
    """Return SciPy's distribution of a statistic of rows, and its intervals by method."""
    paired = {"paired": True, "vectorized": False}
    first = stats.bootstrap(
        data, statistic, n_resamples=times, rng=np.random.default_rng(7), **paired
    )
    called = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
    found = {
        ours: stats.bootstrap(
            data, statistic, n_resamples=0, bootstrap_result=first, method=theirs, **paired
        ).confidence_interval
        for ours, theirs in called.items()
    }
    return first.bootstrap_distribution, found


@pytest.mark.parametrize("name", ["brier", "auc"])
def test_intervals_are_those_of_scipy_but_for_chance(name):
    times, n, prior = 4999, 30, [0.75, 0.25]
    first, other = world(1, n, skill=2.0, prior=prior), world(1, n, ties=True, prior=prior)
    y, p, q = first.y, first.p[:, 1], other.p[:, 1]
    own = {"brier": lambda y, p: np.mean((p - y) ** 2), "auc": auc_of}[name]
    turn = -1 if name == "brier" else 1

    def difference(y, p, q):
        return turn * (own(y, p) - own(y, q))

    alone, together = of_scipy((y, p), own, times), of_scipy((y, p, q), difference, times)
    for method in ("percentile", "basic", "bca"):
        c = ma.compare(y, {"p": p, "q": q}, measures=[name], resamples=2 * times, interval=method)
        # Four standard errors of the difference of two shares; BCa's bias has an error of its own.
        chance = 4 * sqrt(1.5 * 0.025 * 0.975 / times) * (1.4 if method == "bca" else 1)
        for frame, (spread, theirs), data, of in (
            (c.table, alone, (y, p), own),
            (c.pairs, together, (y, p, q), difference),
        ):
            shown = 2 * of(*data) - spread if method == "basic" else spread
            ours = frame.loc[0, ["low", "high"]].tolist()
            for one, two in zip(ours, theirs[method], strict=True):
                low, high = min(one, two), max(one, two)
                assert np.mean((shown > low) & (shown < high)) < chance, (method, ours, theirs)


def auc_of(y, p):
    ones, zeros = p[y == 1], p[y == 0]
    gaps = ones[:, np.newaxis] - zeros
    return np.mean((gaps > 0) + 0.5 * (gaps == 0)) if len(ones) and len(zeros) else nan


def test_biased_values_are_mirrored_and_stay_within_their_range():
    rng = np.random.default_rng(0)
    # Of the four, most resamples lie above the first, below the second, and around the others.
    value = np.array([0.1, 0.9, 0.5, 0.0])
    resampled = value + np.array([1, -1, 0, 0]) * 0.3 + (rng.random((199, 4)) - 0.5) * 0.2
    without = rng.random((7, 4))
    spread = Resampled(resampled, value, without)
    low, high, methods = automatic(spread, 0.9, np.zeros(4), np.ones(4))
    assert methods == ["basic", "basic", "bca", "bca"]
    assert (low[0], high[0], low[1], high[1]) == (0.0, 0.0, 1.0, 1.0)
    assert [low[2:].tolist(), high[2:].tolist()] == [
        end[2:].tolist() for end in spread.interval("bca", 0.9)
    ]
    wide = automatic(spread, 0.9, np.full(4, -inf), np.full(4, inf))
    assert [wide[0][:2].tolist(), wide[1][:2].tolist()] == [
        end[:2].tolist() for end in spread.interval("basic", 0.9)
    ]


def test_models_without_any_calibration_error_have_no_negative_one():
    y = np.arange(4000) % 2
    models = {"even": np.full(4000, 0.5), "odd": np.where(y, 0.8, 0.3)}
    table = ma.compare(y, models, measures=["ece", "ece_max"], resamples=200).table
    assert (table["low"] >= 0).all()
    assert (table["low"] <= table["high"]).all()
    assert table["interval"].tolist() == ["basic", "bca"] * 2


# -- Of shares ---------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(
    ("hits", "count"), [(0, 1), (1, 1), (0, 30), (7, 30), (30, 30), (1, 10**6)]
)
def test_shares_have_the_intervals_of_wilson(hits, count, level):
    low, high = wilson(np.array(hits / count), np.array(count), level)
    expected = proportion_confint(hits, count, alpha=1 - level, method="wilson")
    np.testing.assert_allclose([low, high], expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("one", [0, 1, 4, 13])
@pytest.mark.parametrize("other", [0, 1, 5, 40])
def test_differences_of_shares_have_the_exact_test_of_mcnemar(one, other):
    # Without any difference statsmodels warns, and the p-value is 1 by definition.
    table = [[9, one], [other, 5]]
    expected = 1.0 if one == other == 0 else mcnemar_of_statsmodels(table, exact=True).pvalue
    assert mcnemar(one, other) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("holm", "holm"),
        ("hochberg", "simes-hochberg"),
        ("bonferroni", "bonferroni"),
        ("bh", "fdr_bh"),
    ],
)
def test_corrections_are_those_of_statsmodels(ours, theirs):
    rng = np.random.default_rng(0)
    for count in (1, 2, 3, 10, 45):
        raw = np.round(rng.random(count) ** 3, 2)
        expected = multipletests(raw, method=theirs)[1]
        np.testing.assert_allclose(corrected(raw, ours), expected, rtol=1e-12)
        gaps = np.insert(raw, [0, count // 2], nan)
        np.testing.assert_allclose(corrected(gaps, ours)[~np.isnan(gaps)], expected, rtol=1e-12)
    assert corrected([0.2, nan], "none").tolist()[:1] == [0.2]
