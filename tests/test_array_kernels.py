from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from ranking_by_definition import Definition, triples_by_definition

from metricatlas.summaries.kernels import steps, steps_series
from metricatlas.summaries.ranking import Ranking

PLAIN = [
    "positives", "negatives", "wins", "margin", "mean_positive", "mean_negative", "mean_gap",
    "variance_positive", "variance_negative", "ks", "ks_threshold", "ks_tp", "ks_fp",
    "equal_error", "precision_sum", "precision_eleven", "gain_area", "hull_area", "hull_loss",
    "hull_squares", "hull_logs", "hull_deviation", "hull_bias", "distinct_deviation",
]  # fmt: skip
WITH_ARGUMENTS = [
    *(("partial_area", (x,)) for x in (0.1, 0.5, 1.0)),
    *(("width_bins", (k,)) for k in (1, 4, 10)),
    *(("mass_bins", (k,)) for k in (1, 3, 10)),
    *(("operating_point", ("at", t)) for t in (-1.0, 0.0, 0.3, 0.5, 1.0)),
    *(("operating_point", ("fpr", x)) for x in (0.0, 0.1, 0.25, 1.0)),
    *(("operating_point", ("tpr", x)) for x in (0.0, 0.1, 0.5, 1.0)),
    ("operating_point", ("prevalence",)),
    ("operating_point", ("ks",)),
    ("operating_point", ("best", "f1")),
    ("operating_point", ("best", "gmean")),
]
COUNTING = [
    ("precision_sum_random", ()),
    ("pr_area", ()),
    ("top", ("positives",)),
    *(("top", ("share", x)) for x in (0.25, 0.29)),
    *(("top", ("size", k)) for k in (1, 3, 100)),
    *(("operating_point", ("top", x)) for x in (0.25, 2, "positives")),
    *(("window_gap", (s,)) for s in (1, 4, 100, "tenth")),
    *(("window_deviation", (s,)) for s in (1, 4, 100, "tenth")),
    *(("window_deviation_printed", (s,)) for s in (4, "tenth")),
]
FACTS = [*((name, ()) for name in PLAIN), *WITH_ARGUMENTS]
#: Where sums are differences, or logarithms and powers are read, the last digits are worth less.
LOOSE = {"hull_loss", "hull_bias", "hull_deviation", "window_gap", "window_deviation"}


def _scores(kind, n, rng):
    return {
        "distinct": lambda: rng.random(n),
        "coarse": lambda: rng.integers(0, 5, n) / 4,
        "tenths": lambda: rng.integers(0, 11, n) / 10,
        "constant": lambda: np.full(n, 0.1),
        "zeros": lambda: np.array([0.0, -0.0, 0.5])[rng.integers(0, 3, n)],
        "close": lambda: 0.5 + 1e-13 * rng.integers(0, 9, n),
        "tiny": lambda: 5e-324 * rng.integers(0, 4, n),
    }[kind]()


def _weights(kind, n, rng):
    return {
        "none": lambda: None,
        "whole": lambda: rng.integers(1, 5, n).astype(float),
        "quarters": lambda: rng.integers(1, 9, n) / 4,
        "tenths": lambda: rng.integers(1, 9, n) / 10,
    }[kind]()


def _exactly(weights, n):
    """Weights as they are meant: tenths are no binary numbers."""
    return [Fraction(1)] * n if weights is None else [Fraction(str(w)) for w in weights]


def _case(scores, weights, seed):
    rng = np.random.default_rng([seed, len(scores), len(weights)])
    n = int(rng.integers(1, 18))
    share = rng.choice([0.0, 0.1, 0.5, 0.9, 1.0], p=[0.1, 0.2, 0.4, 0.2, 0.1])
    y = (rng.random(n) < share).astype(np.uint8)
    return _scores(scores, n, rng), y, _weights(weights, n, rng)


def _requests(weights):
    """Facts that count rows are not asked for under fractional weights.

    A score may equal a share of positives that only tenths round, so that threshold is left out.
    """
    if weights in {"none", "whole"}:
        return FACTS + COUNTING
    return [r for r in FACTS if weights != "tenths" or "prevalence" not in r[1]]


def _as_floats(value):
    return np.array(value, dtype=np.float64)


def _check(request, ours, exact, scale=1.0):
    slack = 1e-12 if request[0] in LOOSE else 2e-15
    np.testing.assert_allclose(
        ours,
        _as_floats(exact),
        rtol=1e-12 if slack > 1e-14 else 4e-15,
        atol=slack * scale,
        err_msg=str(request),
    )


@pytest.mark.parametrize("weights", ["none", "whole", "quarters", "tenths"])
@pytest.mark.parametrize(
    "scores", ["distinct", "coarse", "tenths", "constant", "zeros", "close", "tiny"]
)
def test_facts_are_what_their_definitions_say(scores, weights):
    requests = _requests(weights)
    for seed in range(10):
        s, y, w = _case(scores, weights, seed)
        found = steps.ranking_facts(s[None], y[None], w, np.array([0, s.size]), requests)
        definition = Definition(s, y, _exactly(w, s.size))
        for request in requests:
            exact = getattr(definition, request[0])(*request[1])
            assert found[request].shape[1:] == Ranking.kinds[request[0]].shape(request[1], 2)
            _check(
                request,
                found[request][0],
                exact,
                scale=max(1.0, float(definition.P + definition.N)),
            )


def test_scores_may_be_negative_and_of_any_size():
    requests = [
        (name, ()) for name in PLAIN if not name.startswith(("hull_dev", "hull_bias", "dist"))
    ]
    for seed in range(40):
        rng = np.random.default_rng(seed)
        s = np.round(rng.normal(size=15) * 3) * 10.0 ** rng.integers(-3, 6)
        y = rng.integers(0, 2, 15).astype(np.uint8)
        found = steps.ranking_facts(s[None], y[None], None, np.array([0, 15]), requests)
        definition = Definition(s, y, np.ones(15))
        for request in requests:
            np.testing.assert_allclose(
                found[request][0],
                float(getattr(definition, request[0])()),
                rtol=1e-12,
                atol=1e-15 * np.abs(s).max(),
                err_msg=str(request),
            )


def test_every_fact_of_a_ranking_has_its_kernel():
    elsewhere = {"triples", "all_triples"}
    assert set(steps.FACTS) == set(Ranking.kinds) - elsewhere


def test_whole_weights_are_rows_repeated():
    for seed in range(20):
        s, y, w = _case("coarse", "whole", seed)
        times = w.astype(int)
        once = steps.ranking_facts(s[None], y[None], w, np.array([0, s.size]), FACTS + COUNTING)
        s, y = np.repeat(s, times), np.repeat(y, times)
        twice = steps.ranking_facts(s[None], y[None], None, np.array([0, s.size]), FACTS + COUNTING)
        for request, value in once.items():
            np.testing.assert_allclose(
                value, twice[request], rtol=1e-13, atol=1e-15, err_msg=str(request)
            )


def test_row_order_changes_counts_not_at_all_and_sums_by_their_last_digits():
    rng = np.random.default_rng(5)
    for seed in range(10):
        s, y, _ = _case("tenths", "none", seed)
        turn = rng.permutation(s.size)
        first = steps.ranking_facts(s[None], y[None], None, np.array([0, s.size]), FACTS + COUNTING)
        other = steps.ranking_facts(
            s[turn][None], y[turn][None], None, np.array([0, s.size]), FACTS + COUNTING
        )
        for request, value in first.items():
            np.testing.assert_array_equal(value, other[request], err_msg=str(request))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("judges", [1, 3])
def test_a_batch_on_segments_is_each_model_on_each_segment(weighted, judges):
    rng = np.random.default_rng(7)
    scores = np.round(rng.random((3, 40)), 1)
    truth = rng.integers(0, 2, (judges, 40)).astype(np.uint8)
    weight = rng.integers(1, 4, 40).astype(float) if weighted else None
    starts = np.array([0, 1, 15, 40])
    found = steps.ranking_facts(scores, truth, weight, starts, FACTS + COUNTING)
    for model in range(3):
        for segment in range(3):
            part = slice(starts[segment], starts[segment + 1])
            alone = steps.ranking_facts(
                scores[model : model + 1, part],
                truth[model % judges : model % judges + 1, part],
                None if weight is None else weight[part],
                np.array([0, part.stop - part.start]),
                FACTS + COUNTING,
            )
            for request, value in alone.items():
                assert found[request].shape == (9, *value.shape[1:])
                np.testing.assert_array_equal(found[request][3 * model + segment], value[0])


@pytest.mark.parametrize("weights", ["none", "whole", "quarters", "tenths"])
def test_class_facts_are_one_class_against_the_rest_and_against_each_other(weights):
    rng = np.random.default_rng(11)
    pairwise = [(name, ()) for name in ("positives", "negatives", "wins", "margin")]
    for _ in range(6):
        values = np.round(rng.dirichlet(np.ones(4), (2, 20)), 1)
        truth = rng.integers(0, 4, (1, 20)).astype(np.uint8)
        weight = _weights(weights, 20, rng)
        starts = np.array([0, 8, 20])
        requests = [("wins", ()), ("ks", ()), ("mass_bins", (3,))]
        seen = []
        single, pairs = steps.class_facts(
            values,
            truth,
            weight,
            starts,
            requests,
            pairwise,
            lambda _, rows, j, seen=seen: seen.append((rows, j)),
        )
        assert seen == [(slice(i, i + 1), j) for i in range(4) for j in range(4)]
        for row in range(4):
            part = slice(*starts[row % 2 : row % 2 + 2])
            w = None if weight is None else weight[part]
            size = np.array([0, part.stop - part.start])
            for j in range(4):
                column, known = values[row // 2, part, j], truth[0, part]
                alone = steps.ranking_facts(
                    column[None], (known == j)[None].astype(np.uint8), w, size, requests
                )
                for request in requests:
                    np.testing.assert_array_equal(single[request][row, j], alone[request][0])
                for k in range(4):
                    kept = (known == j) | (known == k)
                    exact = Definition(
                        column[kept],
                        known[kept] == j,
                        [v for v, keep in zip(_exactly(w, kept.size), kept, strict=True) if keep],
                    )
                    for request in pairwise:
                        value = getattr(exact, request[0])() if j != k else 0
                        _check(request, pairs[request][row, j, k], value)


@pytest.mark.parametrize("weights", ["none", "whole", "quarters", "tenths"])
def test_triples_count_ties_by_the_orders_they_allow(weights):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        s, truth = rng.integers(0, 5, 18) / 4, rng.integers(0, 3, 18).astype(np.uint8)
        w = _weights(weights, 18, rng)
        exact = triples_by_definition(s, truth, _exactly(w, 18))
        found = steps.triples(s[None], truth[None], w, np.array([0, 18]))
        np.testing.assert_allclose(found, [float(exact)], rtol=4e-15)


def test_whoever_wants_more_gets_each_row_in_order():
    rng = np.random.default_rng(3)
    scores, truth, weight = (
        rng.random((2, 9)),
        rng.integers(0, 2, (1, 9)).astype(np.uint8),
        rng.random(9),
    )
    seen = []

    def also(ordered, rows):
        s, y, w = ordered.row(0)
        order = np.argsort(scores[rows.start])
        np.testing.assert_array_equal(s, scores[rows.start][order])
        np.testing.assert_array_equal(y, truth[0][order])
        np.testing.assert_array_equal(w, weight[order])
        seen.append(rows)

    steps.ranking_facts(scores, truth, weight, np.array([0, 9]), [], also)
    assert seen == [slice(0, 1), slice(1, 2)]


@pytest.mark.parametrize("count", [5000, 10**6])
@pytest.mark.parametrize(
    ("a", "b", "c", "d"), [(1, 1, 0, 1), (5, 0.3, 100, 1), (1, 1, 10**8, 1), (3, 1, 9, 41.5)]
)
def test_long_ties_are_integrated_as_exactly_as_summed(a, b, c, d, count):
    x = np.arange(1.0, count + 1)
    exact = math.fsum((a + b * x) / (c + d * x))
    found = steps_series.rational_sums(*(np.array([float(v)]) for v in (a, b, c, d, count)))
    np.testing.assert_allclose(found, [exact], rtol=4e-15)


def test_weights_of_a_hundred_million_are_counts_like_others():
    s, y, w = np.array([0.2, 0.2, 0.7, 0.7]), np.array([0, 1, 0, 1], np.uint8), np.full(4, 1e8)
    requests = [("wins", ()), ("pr_area", ()), ("precision_sum_random", ()), ("ks", ())]
    found = steps.ranking_facts(s[None], y[None], w, np.array([0, 4]), requests)
    assert found["wins", ()][0] == 2e16
    assert found["ks", ()][0] == 0
    assert found["pr_area", ()][0] == pytest.approx(0.5, rel=1e-7)
    assert found["precision_sum_random", ()][0] == pytest.approx(1e8, rel=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_logistic_recalibration_finds_the_stationary_point(weighted):
    rng = np.random.default_rng(1)
    p = rng.random(200)
    y = (rng.random(200) < p**2).astype(np.uint8)
    w = rng.random(200) if weighted else np.ones(200)
    requests = [("recalibration", ("slope",)), ("recalibration", ("intercept",))]
    found = steps.ranking_facts(
        p[None], y[None], w if weighted else None, np.array([0, 200]), requests
    )
    z = np.log(p / (1 - p))
    for request, value in found.items():
        intercept, slope = value[0]
        residual = w * (y - 1 / (1 + np.exp(-intercept - slope * z)))
        assert residual.sum() == pytest.approx(0, abs=1e-10)
        if request[1] == ("slope",):
            assert residual.dot(z) == pytest.approx(0, abs=1e-10)
        else:
            assert slope == 1


def test_recalibration_of_separated_classes_is_undefined():
    s, y = np.array([[0.1, 0.4, 0.6, 0.8]]), np.array([[0, 0, 1, 1]], np.uint8)
    found = steps.ranking_facts(s, y, None, np.array([0, 4]), [("recalibration", ("slope",))])
    assert np.isnan(found["recalibration", ("slope",)]).all()


def test_a_smooth_gap_is_none_where_the_share_of_positives_is_the_score():
    s = np.repeat(np.arange(1, 10) / 10, 10)
    y = np.concatenate([np.arange(10) < k for k in range(1, 10)]).astype(np.uint8)
    found = steps.ranking_facts(s[None], y[None], None, np.array([0, 90]), [("smooth_gap", ())])
    assert found["smooth_gap", ()][0] == pytest.approx(0, abs=1e-12)


def _golden_readings(facts, n):
    """What the worked cases call by the papers' codes, from the facts of the positive class."""

    def f(name, *arguments):
        return facts[name, arguments][0]

    tenth = ("tenth",)
    pos, neg = f("positives"), f("negatives")
    distance = f("mean_gap") ** 2
    spread = 0.5 * (f("variance_positive") + f("variance_negative"))
    with np.errstate(all="ignore"):
        return {
            "AUC": f("wins") / (pos * neg),
            "SAUC": None if pos * neg == 0 else f("margin") / (pos * neg),
            "KSS": f("ks"),
            "KSS_t": f("ks_threshold"),
            "DVG": distance / spread if spread else math.nan,
            "APR": f("precision_sum") / pos,
            "APR_randties": f("precision_sum_random") / pos,
            "APR_11pt": f("precision_eleven"),
            "PRC": f("pr_area"),
            "BEP": f("top", "positives")[0] / pos,
            "LFT": (f("top", "share", 0.25)[0] / pos) / (f("top", "share", 0.25)[1] / n),
            "CAL": f("window_gap", 100),
            "CalB": f("window_deviation", *tenth),
            "CalB_printed": f("window_deviation_printed", *tenth),
            "CalB_absmean": f("window_gap", *tenth),
            "CalL": f("distinct_deviation") / n,
            "CalL_hull": f("hull_deviation") / n,
            "CalL_hull_segmean": f("hull_bias") / n,
        }


def _of_class(case, j):
    p = np.array([row[j] for row in case["P"]])
    y = (np.array(case["y"]) == j).astype(np.uint8)
    return steps.ranking_facts(p[None], y[None], None, np.array([0, y.size]), FACTS + COUNTING)


def test_facts_give_the_worked_cases(golden_cases):
    of_both = (
        "CalB",
        "CalB_absmean",
        "CalB_printed",
        "CalL",
        "CalL_hull",
        "CalL_hull_segmean",
        "SAUC",
    )
    for case in golden_cases:
        if case["kind"] != "prob" or case["c"] != 2:
            continue
        n, facts = case["n"], _of_class(case, 1)
        readings = _golden_readings(facts, n)
        other = _golden_readings(_of_class(case, 0), n)
        present = [j for j in (0, 1) if j in case["y"]]
        for code, reading in readings.items():
            value = reading
            if code in of_both and present and value is not None:
                value = np.mean([(other, readings)[j][code] for j in present])
            if code in {"DVG", "KSS", "KSS_t", "AUC"} and len(present) < 2:
                value = math.nan
            expected = case["expected"][code]
            expected = math.nan if expected is None else float(expected)
            same = pytest.approx(expected, abs=1e-9, nan_ok=True)
            assert value is None or value == same, (case["id"], code)
