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
from metricatlas.decisions.corrections import corrected
from metricatlas.decisions.delong import delong, half_width, p_of_difference, score_interval
from metricatlas.decisions.intervals import interval, wilson
from metricatlas.decisions.proportions import mcnemar

NORMAL = NormalDist()
#: DeLong, DeLong and Clarke-Pearson's patients with all three tests (1988), as SAS prints them in
#: the documentation of LOGISTIC: albumin, total protein, the Krebs-Goplerud score, and the outcome.
PATIENTS = """
3.0 5.8 10 0  3.2 6.3 5 1  3.9 6.8 3 1  2.8 4.8 6 0  3.2 5.8 3 1  0.9 4.0 5 0  2.5 5.7 8 0
1.6 5.6 5 1  3.8 5.7 5 1  3.7 6.7 6 1  3.2 5.4 4 1  3.8 6.6 6 1  4.1 6.6 5 1  3.6 5.7 5 1
4.3 7.0 4 1  3.6 6.7 4 0  2.3 4.4 6 1  4.2 7.6 4 0  4.0 6.6 6 0  3.5 5.8 6 1  3.8 6.8 7 1
3.0 4.7 8 0  4.5 7.4 5 1  3.7 7.4 5 1  3.1 6.6 6 1  4.1 8.2 6 1  4.3 7.0 5 1  4.3 6.5 4 1
3.2 5.1 5 1  2.6 4.7 6 1  3.3 6.8 6 0  1.7 4.0 7 0  3.7 6.1 5 1  3.3 6.3 7 1  4.2 7.7 6 1
3.5 6.2 5 1  2.9 5.7 9 0  2.1 4.8 7 1  2.8 6.2 8 0  4.0 7.0 7 1  3.3 5.7 6 1  3.7 6.9 5 1
3.6 6.6 5 1
"""


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


# -- Of areas ----------------------------------------------------------------------------------


def delong_by_definition(positive, scores):
    """Areas and covariances in exact fractions, from every pair of a positive and a negative."""
    won = {-1: Fraction(0), 0: Fraction(1, 2), 1: Fraction(1)}
    ones, zeros = ([i for i, p in enumerate(positive) if p == side] for side in (1, 0))
    tables = [[[won[(s[i] > s[j]) - (s[i] < s[j])] for j in zeros] for i in ones] for s in scores]
    of_ones = [[sum(row) / len(zeros) for row in table] for table in tables]
    of_zeros = [[sum(column) / len(ones) for column in zip(*table)] for table in tables]  # noqa: B905 - the rows of a table
    areas = [sum(row) / len(ones) for row in of_ones]

    def covariance(rows, r, s):
        pairs = zip(rows[r], rows[s], strict=True)
        return sum((x - areas[r]) * (z - areas[s]) for x, z in pairs) / (len(rows[r]) - 1)

    models = range(len(scores))
    spread = [
        [
            covariance(of_ones, r, s) / len(ones) + covariance(of_zeros, r, s) / len(zeros)
            for s in models
        ]
        for r in models
    ]
    return areas, spread


@given(st.data())
def test_areas_and_their_covariances_are_those_of_the_definition(data):
    n = data.draw(st.integers(4, 14))
    positive = data.draw(st.permutations([0, 0, 1, 1] + [0, 1] * ((n - 4) // 2)))
    level = st.integers(0, data.draw(st.sampled_from([1, 3, 20])))
    scores = [
        data.draw(st.lists(level, min_size=len(positive), max_size=len(positive))) for _ in range(3)
    ]
    areas, spread = delong(np.array(positive), np.array(scores, dtype=float))
    exact, covariances = delong_by_definition(positive, scores)
    np.testing.assert_allclose(areas, np.array(exact, dtype=float), rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(spread, np.array(covariances, dtype=float), rtol=1e-12, atol=1e-16)


def patients():
    table = np.array(PATIENTS.split(), dtype=float).reshape(-1, 4)
    albumin, protein, score, outcome = table.T
    return outcome.astype(int), {"albumin": albumin, "protein": protein, "score": 10 - score}


#: What MLstatkit 0.1.91 says of the patients: area, ends of the interval; and what it says of
#: pairs: the variance of the difference and the p-value.
OF_MLSTATKIT = {
    "albumin": (0.7365591397849462, 0.5548815599517445, 0.918236719618148),
    "protein": (0.6478494623655915, 0.4517602094737053, 0.8439387152574777),
    "score": (0.7258064516129032, 0.5242798011795496, 0.9273331020462569),
}
PAIRS_OF_MLSTATKIT = {
    ("albumin", "protein"): (0.0031126605983525877, 0.11182821012069626),
    ("albumin", "score"): (0.009090405441862261, 0.9102063472010351),
    ("protein", "score"): (0.010943166051776873, 0.45613970750747357),
}


def test_areas_of_delongs_patients_are_those_of_another_implementation():
    outcome, tests = patients()
    c = ma.compare(outcome, tests, measures=["auc"], resamples=39, correction="none")
    for line in c.table.itertuples():
        assert line.interval == "DeLong"
        assert (line.value, line.low, line.high) == pytest.approx(
            OF_MLSTATKIT[line.model], rel=1e-13
        )
    quantile = NORMAL.inv_cdf(0.975)
    for line in c.pairs.itertuples():
        variance, p = PAIRS_OF_MLSTATKIT[line.model, line.other]
        assert line.test == "DeLong"
        assert line.p == pytest.approx(p, rel=1e-12)
        difference = OF_MLSTATKIT[line.model][0] - OF_MLSTATKIT[line.other][0]
        wide = quantile * sqrt(variance)
        told = (line.difference, line.low, line.high)
        assert told == pytest.approx((difference, difference - wide, difference + wide), rel=1e-12)


def test_tests_of_areas_are_normal_and_equal_models_do_not_differ():
    for difference, variance in ((0.1, 0.002), (-0.3, 0.04), (0.0, 0.1)):
        expected = 2 * NORMAL.cdf(-abs(difference) / sqrt(variance))
        assert p_of_difference(difference, variance) == pytest.approx(expected, rel=1e-12)
        wide = NORMAL.inv_cdf(0.9) * sqrt(variance)
        assert half_width(variance, 0.8) == pytest.approx(wide, rel=1e-12)
    assert p_of_difference(0.0, 0.0) == p_of_difference(0.0, -1e-20) == 1.0
    # A difference that cannot have come by chance, as far as the variance says: nobody knows.
    assert np.isnan(p_of_difference(0.5, 0.0))
    assert np.isnan(p_of_difference(0.5, nan))


def test_one_example_of_a_class_has_no_variance_and_none_has_no_area():
    areas, spread = delong(np.array([1, 0, 0]), np.array([[0.5, 0.1, 0.9], [0.3, 0.2, 0.1]]))
    assert areas.tolist() == [0.5, 1.0]
    assert np.isnan(spread).all()
    for side in (0, 1):
        areas, spread = delong(np.full(4, side), np.ones((2, 4)))
        assert np.isnan(areas).all()
        assert np.isnan(spread).all()
        assert spread.shape == (2, 2)


def spread_of_newcombe(area, ones, zeros):
    """Hanley and McNeil's variance (1982), for exponential scores, both classes of mean size."""
    mean = (ones + zeros) / 2 - 1
    first, second = area / (2 - area), 2 * area**2 / (1 + area)
    return (area * (1 - area) + mean * (first - area**2) + mean * (second - area**2)) / (
        ones * zeros
    )


@pytest.mark.parametrize("area", [0.0, 0.25, 0.5, 0.75, 1.0])
@pytest.mark.parametrize(
    ("ones", "zeros"), [(1, 1), (1, 40), (2, 2), (5, 7), (300, 9), (50000, 50000)]
)
def test_ends_of_areas_without_a_variance_are_as_far_as_chance_takes_them(area, ones, zeros):
    for level in (0.8, 0.95):
        low, high = score_interval(area, ones, zeros, level)
        quantile = NORMAL.inv_cdf(0.5 + level / 2)
        assert 0 <= low <= area <= high <= 1
        for end, limit in ((low, 0.0), (high, 1.0)):
            if area == limit:
                assert end == limit
                continue
            far = quantile * sqrt(spread_of_newcombe(end, ones, zeros))
            assert abs(area - end) == pytest.approx(far, rel=1e-4)
            assert 0 < end < 1
        mirrored = score_interval(1 - area, ones, zeros, level)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)


def test_models_that_have_all_pairs_in_order_are_not_sure_to_be_perfect():
    y = [0, 0, 1, 1]
    models = {"perfect": [0.1, 0.2, 0.8, 0.9], "constant": [0.5] * 4, "wrong": [0.9, 0.8, 0.2, 0.1]}
    c = ma.compare(y, models, measures=["auc"], resamples=200)
    table = c.table.set_index("model")
    assert table["interval"].tolist() == ["Newcombe"] * 3
    assert 0.2 < table.loc["perfect", "low"] < 0.6
    assert table.loc["perfect", "high"] == 1.0
    assert table.loc["wrong", "high"] == pytest.approx(1 - table.loc["perfect", "low"])
    assert (c.pairs["p"] > 0.005).all()
