"""Areas under the ROC curve, their covariances and intervals, against definition and others."""

from fractions import Fraction
from math import exp, nan, sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metricatlas as ma
from metricatlas.decisions.comparing.delong import (
    delong,
    half_width,
    p_of_difference,
    score_interval,
)

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
        area, low, _ = OF_MLSTATKIT[line.model]
        # Theirs is laid on the scale of areas, ours on that of log-odds.
        odds, wide = area / (1 - area), exp((area - low) / (area * (1 - area)))
        ends = (odds / wide / (1 + odds / wide), odds * wide / (1 + odds * wide))
        assert (line.value, line.low, line.high) == pytest.approx((area, *ends), rel=1e-12)
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
