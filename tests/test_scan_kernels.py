"""The scan form of the ranking kernels against the definitions, in exact fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from ranking_by_definition import Definition, triples_by_definition
from sklearn.metrics import roc_auc_score

from metricatlas.summaries.kernels import scan, scan_rows

#: One is integrated by quadrature in the definition, the other is 1 less something near 1.
LOOSE = {"hull_loss": 1e-10, "gain_area": 1e-13}
#: Facts that read scores as probabilities or count rows are not asked of other data.
ANY = [
    "positives",
    "negatives",
    "wins",
    "mean_positive",
    "mean_negative",
    "mean_gap",
    "variance_positive",
    "variance_negative",
    "ks",
    "ks_threshold",
    "ks_tp",
    "ks_fp",
    "equal_error",
    "precision_sum",
    "precision_eleven",
    "gain_area",
    "hull_area",
    "hull_loss",
    "hull_squares",
    "hull_logs",
    "margin",
]


ROWS: list[tuple[str, tuple[Any, ...]]] = [
    *((name, ()) for name in ("precision_sum_random", "pr_area")),
    *(("top", a) for a in (("share", 0.25), ("share", 0.29), ("size", 3), ("positives",))),
    *(("window_gap", (s,)) for s in (1, 3, 100, "tenth")),
    *(("window_deviation", (s,)) for s in (4, "tenth")),
    ("window_deviation_printed", ("tenth",)),
]
PROBABILITIES: list[tuple[str, tuple[Any, ...]]] = [
    *((name, ()) for name in ("hull_deviation", "hull_bias", "distinct_deviation")),
    *((name, (bins,)) for name in ("width_bins", "mass_bins") for bins in (4, 10)),
]
POINTS: list[tuple[str, tuple[Any, ...]]] = [
    *(("partial_area", (x,)) for x in (0.1, 0.5, 1.0)),
    *(("operating_point", ("at", t)) for t in (-1.0, 0.0, 0.5, 2.0)),
    *(("operating_point", (kind, x)) for kind in ("fpr", "tpr") for x in (0.0, 0.3, 0.7, 1.0)),
    ("operating_point", ("ks",)),
    ("operating_point", ("prevalence",)),
]
BEST: list[tuple[str, tuple[Any, ...]]] = [
    *(("operating_point", ("top", x)) for x in (0.25, 2, "positives")),
    *(("operating_point", ("best", name)) for name in ("f1", "gmean")),
]
REQUESTS = [*((name, ()) for name in ANY), *ROWS, *PROBABILITIES, *POINTS, *BEST]


def facts(
    scores: Any, positive: Any, weight: Any = None, requests: Any = REQUESTS
) -> dict[Any, Any]:
    s, y = np.atleast_2d(np.asarray(scores, float)), np.atleast_2d(np.asarray(positive, np.uint8))
    w = None if weight is None else np.asarray(weight, float)
    found = scan.ranking_facts(s, y, w, np.array([0, s.shape[1]], np.int64), requests)
    return {request: value[0] for request, value in found.items()}


def check(
    scores: Any, positive: Any, weight: Any = None, requests: Any = REQUESTS, slack: float = 4e-15
) -> None:
    exact = Definition(scores, positive, np.ones(len(scores)) if weight is None else weight)
    for (name, arguments), got in facts(scores, positive, weight, requests).items():
        wanted = np.array(getattr(exact, name)(*arguments), dtype=float)
        close = max(slack, LOOSE.get(name, 0.0))
        # Where scores of both signs cancel, what is lost is measured by their size.
        floor = close / 10 * max(1.0, np.abs(scores).max(initial=0.0))
        np.testing.assert_allclose(
            got, wanted, rtol=close, atol=floor, err_msg=f"{name}{arguments}"
        )


def random_case(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 26))
    scores = [
        rng.random(n),
        rng.integers(0, 4, n) / 4,
        rng.integers(0, 11, n) / 10,
        np.where(rng.random(n) < 0.5, 0.5, rng.random(n)),
    ][seed % 4]
    return scores, (rng.random(n) < rng.choice([0.5, 0.2, 0.8])).astype(np.uint8)


@pytest.mark.parametrize("seed", range(40))
def test_every_fact_is_its_definition(seed: int) -> None:
    check(*random_case(seed))


@pytest.mark.parametrize("seed", range(40, 60))
def test_a_whole_weight_is_the_row_repeated(seed: int) -> None:
    scores, positive = random_case(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(scores))
    check(scores, positive, weight)
    repeated = facts(np.repeat(scores, weight), np.repeat(positive, weight))
    for request, got in facts(scores, positive, weight).items():
        np.testing.assert_allclose(
            got, repeated[request], rtol=4e-15, atol=1e-16, err_msg=str(request)
        )


@pytest.mark.parametrize("seed", range(60, 80))
def test_fractional_weights_are_masses(seed: int) -> None:
    scores, positive = random_case(seed)
    weight = np.random.default_rng(seed).integers(1, 64, len(scores)) / 16
    check(scores, positive, weight, [*((name, ()) for name in ANY), *PROBABILITIES, *POINTS])


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize(
    "scores", [[0.5], [0.0], [1.0], [0.3, 0.3, 0.3], [0.1, 0.9], [0.0, 1.0, 1.0]]
)
def test_one_class_alone(label: int, scores: list[float]) -> None:
    check(scores, [label] * len(scores))


def test_constant_scores_have_no_variance() -> None:
    found = facts([0.1, 0.7, 0.1, 0.7, 0.1], [0, 1, 0, 1, 0])
    assert found["variance_positive", ()] == 0
    assert found["variance_negative", ()] == 0
    assert found["mean_positive", ()] == 0.7
    assert found["mean_negative", ()] == 0.1


@pytest.mark.parametrize(
    "scores",
    [
        [-0.0, 0.0, 0.0, -0.0, 1.0],
        [5e-324, 0.0, 1e-323, 5e-324, 2e-310],
        [0.5, 0.5 + 1e-13, 0.5 - 1e-13, 0.5, 0.5 + 2e-13],
    ],
)
def test_scores_at_the_limits_of_floats(scores: list[float]) -> None:
    for positive in itertools.product([0, 1], repeat=5):
        check(scores, positive, slack=1e-12)


def test_thresholds_are_never_minus_zero() -> None:
    found = facts([-0.0, 0.0, -0.0, 1.0], [0, 0, 0, 1])
    assert not np.signbit(found["ks_threshold", ()])
    assert not np.signbit(found["operating_point", ("best", "f1")][2])


def test_any_finite_scores_rank() -> None:
    rng = np.random.default_rng(1)
    scores = np.round(rng.normal(size=30) * 3, 1)
    plain = [*((n, ()) for n in ANY if not n.startswith("hull_") and n != "margin"), *POINTS, *BEST]
    check(scores, rng.random(30) < 0.4, requests=plain)


def test_the_order_of_rows_changes_no_count() -> None:
    rng = np.random.default_rng(2)
    scores, positive = np.round(rng.random(3000), 3), rng.random(3000) < 0.3
    first, order = facts(scores, positive), rng.permutation(3000)
    for request, got in facts(scores[order], positive[order]).items():
        np.testing.assert_allclose(got, first[request], rtol=1e-14, err_msg=str(request))
        if request[0] in {"wins", "positives", "ks", "ks_threshold", "ks_tp", "operating_point"}:
            np.testing.assert_array_equal(got, first[request])


@pytest.mark.parametrize("ties", [None, 2, 3])
def test_long_rows_of_several_blocks(ties: int | None) -> None:
    """Blocks, stretches and tables of windows meet their ends here."""
    rng = np.random.default_rng(3)
    scores = rng.random(1400) if ties is None else np.round(rng.random(1400), ties)
    positive = rng.random(1400) < scores
    left_out = {
        "wins",
        "margin",
        "hull_loss",
        "hull_deviation",
        "hull_bias",
        "precision_sum_random",
    }
    check(scores, positive, requests=[r for r in REQUESTS if r[0] not in left_out], slack=2e-14)


def test_huge_whole_weights_cost_no_time() -> None:
    scores, positive = [0.1, 0.4, 0.4, 0.8, 0.9], [0, 1, 0, 1, 0]
    names = [
        ("pr_area", ()),
        ("precision_sum_random", ()),
        ("window_gap", ("tenth",)),
        ("window_deviation", ("tenth",)),
    ]
    small = facts(scores, positive, [2000.0, 3000.0, 1000.0, 2500.0, 1500.0], names)
    large = facts(scores, positive, [2e9, 3e9, 1e9, 2.5e9, 1.5e9], names)
    for name, _ in names:
        scale = 1e6 if name == "precision_sum_random" else 1.0
        np.testing.assert_allclose(
            [v for (n, _), v in large.items() if n == name],
            [v * scale for (n, _), v in small.items() if n == name],
            rtol=2e-3,
        )


def test_long_ties_in_closed_form_are_the_sums_term_by_term() -> None:
    scores, positive = np.repeat([0.2, 0.6, 0.9], 2), np.tile([0, 1], 3)
    weight = np.array([9000.0, 7000.0, 3.0, 6000.0, 5.0, 1.0])
    names = [("pr_area", ()), ("precision_sum_random", ())]
    rows = np.repeat(np.arange(6), weight.astype(int))
    whole, repeated = (
        facts(scores, positive, weight, names),
        facts(scores[rows], positive[rows], None, names),
    )
    for request in names:
        np.testing.assert_allclose(whole[request], repeated[request], rtol=4e-15)


@pytest.mark.parametrize("weighted", [False, True])
def test_each_view_is_sorted_and_scanned_once(
    weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for module, name in (
        (scan, "sorted_with_codes"),
        (scan, "sorted_with_numbers"),
        (scan_rows, "curve_rows"),
        (scan_rows, "wins_rows"),
    ):
        kernel = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *a, k=kernel, n=name: (calls.append(n), k(*a))[1])
    rng = np.random.default_rng(4)
    facts(rng.random(100), rng.random(100) < 0.5, np.ones(100) if weighted else None)
    assert calls == ["sorted_with_numbers" if weighted else "sorted_with_codes", "curve_rows"]


def brute_pairs(column: Any, truth: Any, weight: Any, j: int, k: int) -> tuple[float, float]:
    wins = margin = Fraction(0)
    for a, y, v in zip(column, truth, weight, strict=True):
        for b, z, w in zip(column, truth, weight, strict=True):
            if y == j and z == k and a >= b:
                wins += Fraction(v) * Fraction(w) * (1 if a > b else Fraction(1, 2))
                margin += Fraction(v) * Fraction(w) * (Fraction(a) - Fraction(b))
    return float(wins), float(margin)


@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_of_classes(weighted: bool) -> None:
    rng = np.random.default_rng(5)
    values = np.round(rng.random((2, 24, 3)), 1)
    truth = rng.integers(0, 3, (2, 24))
    weight = rng.integers(1, 9, 24) / 4 if weighted else None
    starts = np.array([0, 9, 24])
    pairwise = [(name, ()) for name in ("positives", "negatives", "wins", "margin")]
    own, pairs = scan.class_facts(values, truth, weight, starts, [("wins", ())], pairwise)
    for row, (model, part) in enumerate(itertools.product(range(2), (slice(0, 9), slice(9, 24)))):
        y, w = truth[model, part], np.ones(24)[part] if weight is None else weight[part]
        for j, k in itertools.permutations(range(3), 2):
            wins, margin = brute_pairs(values[model, part, j], y, w, j, k)
            np.testing.assert_allclose(pairs["wins", ()][row, j, k], wins, rtol=4e-15)
            np.testing.assert_allclose(
                pairs["margin", ()][row, j, k], margin, rtol=4e-15, atol=1e-15
            )
            assert pairs["positives", ()][row, j, k] == w[y == j].sum()
            assert pairs["negatives", ()][row, j, k] == w[y == k].sum()
        for j in range(3):
            exact = Definition(values[model, part, j], y == j, w)
            np.testing.assert_allclose(own["wins", ()][row, j], float(exact.wins()), rtol=4e-15)
            assert pairs["wins", ()][row, j, j] == 0


def test_triples_in_order() -> None:
    rng = np.random.default_rng(6)
    scores, truth = rng.integers(0, 5, (1, 20)) / 4, rng.integers(0, 3, (1, 20))
    weight = rng.integers(1, 5, 20) / 2
    wanted = triples_by_definition(scores[0], truth[0], [Fraction(w) for w in weight])
    got = scan.triples(scores, truth, weight, np.array([0, 20]))
    np.testing.assert_allclose(got, [float(wanted)], rtol=4e-15)


def test_batches_segments_and_read_only_arrays_are_single_rows() -> None:
    rng = np.random.default_rng(7)
    scores, positive = rng.random((40, 3000)), (rng.random((1, 3000)) < 0.5).astype(np.uint8)
    scores.flags.writeable = positive.flags.writeable = False
    starts = np.array([0, 100, 100, 101, 3000])
    seen: list[Any] = []
    found = scan.ranking_facts(
        scores,
        positive,
        None,
        starts,
        REQUESTS,
        lambda rows, where: seen.append((rows.rows, where)),
    )
    assert sum(rows for rows, _ in seen) == 160
    assert [w.start for _, w in seen[1:]] == [w.stop for _, w in seen[:-1]]
    for row in (0, 2, 3, 77, 82, 159):
        model, part = row // 4, slice(starts[row % 4], starts[row % 4 + 1])
        for request, got in facts(scores[model, part], positive[0, part]).items():
            np.testing.assert_array_equal(found[request][row], got, err_msg=str(request))


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_wins_alone_are_those_among_others(weights: str | None) -> None:
    """Blocks with ties and blocks without them follow each other."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        scores = rng.random(4000)
        tied = rng.integers(0, 4000, (1, 30, 2000)[seed % 3])
        scores[tied] = scores[rng.permutation(tied)] if seed % 2 else 0.3
        positive = rng.random(4000) < scores
        weight = None if weights is None else rng.integers(1, 5, 4000) / (1, 10)[weights[0] == "f"]
        alone = facts(scores, positive, weight, [("wins", ())])
        among = facts(scores, positive, weight, [("wins", ()), ("precision_sum", ())])
        assert alone["wins", ()] == among["wins", ()]
        area = roc_auc_score(positive, scores, sample_weight=weight)
        mass = np.ones(4000) if weight is None else weight
        pairs = mass[positive].sum() * mass[~positive].sum()
        np.testing.assert_allclose(alone["wins", ()] / pairs, area, rtol=1e-12)
