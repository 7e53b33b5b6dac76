"""The two forms of the ranking kernels give the same facts: counts exactly, sums within 4 ulp."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from metricatlas.summaries.kernels import scan, steps
from metricatlas.summaries.ranking import Ranking

ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    "top": [("share", 0.25), ("size", 7), ("positives",)],
    "operating_point": [
        ("at", 0.4),
        ("fpr", 0.1),
        ("fpr", 0.0),
        ("tpr", 0.8),
        ("tpr", 1.0),
        ("prevalence",),
        ("top", 0.1),
        ("top", "positives"),
        ("ks",),
        ("best", "f1"),
        ("best", "gmean"),
    ],
    "partial_area": [(0.1,), (0.37,), (1.0,)],
    "window_gap": [(3,), (100,), ("tenth",)],
    "window_deviation": [(5,), ("tenth",)],
    "window_deviation_printed": [("tenth",)],
    "width_bins": [(10,), (15,)],
    "mass_bins": [(10,), (15,)],
    "recalibration": [("slope",), ("intercept",)],
}
ELSEWHERE = {"triples", "all_triples"}
REQUESTS = [
    (name, arguments)
    for name in Ranking.kinds
    if name not in ELSEWHERE
    for arguments in ARGUMENTS.get(name, [()])
]
#: Counts and ranks, which are the same to the last bit unless weights are fractions.
COUNTS = {"positives", "negatives", "ks_tp", "ks_fp", "ks_threshold"}
#: 4 ulp of a number near 1; sums are held to 4 ulp of what they add up.
ULP4 = 4 * 2.0**-52
#: What is a small difference of terms that are not, and by how many times larger these are.
CANCELS = {
    "gain_area": 30.0,
    "margin": 2.0,
    "distinct_deviation": 10.0,
    "hull_bias": 10.0,
    "hull_deviation": 10.0,
    "window_deviation_printed": 10.0,
    "recalibration": 1e4,
    "smooth_gap": 1e3,
}
PAIRS = [(name, ()) for name, kind in Ranking.kinds.items() if kind.pairwise]


def agree(request: Any, ours: Any, others: Any, *, whole: bool, mass: float) -> None:
    assert ours.shape == others.shape, request
    if whole and request[0] in COUNTS:
        np.testing.assert_array_equal(ours, others, err_msg=str(request))
        return
    close = ULP4 * CANCELS.get(request[0], 1.0)
    # The parts of a row that a cut leaves are differences of masses.
    scale = mass if request[0] in {"mass_bins", "operating_point", "top"} else 1.0
    np.testing.assert_allclose(ours, others, rtol=close, atol=close * scale, err_msg=str(request))


def scores_of(kind: str, size: tuple[int, int], rng: np.random.Generator) -> Any:
    if kind == "tenths":
        return np.round(rng.random(size), 1)
    if kind == "hundredths":
        return np.round(rng.random(size), 2)
    if kind == "close":
        return 0.3 + 1e-13 * rng.integers(0, 50, size)
    scores = rng.random(size)
    if kind == "some tied":
        scores = scores.astype(np.float32).astype(np.float64)
        scores[rng.random(size) < 0.2] = 0.5
    return scores


def weights_of(kind: str, n: int, rng: np.random.Generator) -> Any:
    if kind == "none":
        return None
    return rng.integers(1, 4, n).astype(float) if kind == "whole" else rng.random(n) + 0.01


def allowed(requests: Any, weights: str) -> Any:
    """Leave out what counts rows where weights are fractions."""
    if weights != "fractional":
        return requests
    return [r for r in requests if not Ranking.kinds[r[0]].counts_rows and "top" not in r[1]]


@pytest.mark.parametrize("weights", ["none", "whole", "fractional"])
@pytest.mark.parametrize("scores", ["distinct", "tenths", "hundredths", "some tied", "close"])
def test_both_forms_agree_on_batches_and_segments(scores: str, weights: str) -> None:
    rng = np.random.default_rng([len(scores), len(weights)])
    for n in (1, 2, 7, 40, 300, 1700):
        models = 2
        values = scores_of(scores, (models, n), rng)
        share = rng.choice([0.5, 0.1, 0.9], size=(1, n))
        truth = (rng.random((models, n)) < np.where(n > 100, values, share)).astype(np.uint8)
        weight = weights_of(weights, n, rng)
        starts = np.unique([0, n // 3, n])
        requests = allowed(REQUESTS, weights)
        mass = float(n if weight is None else weight.sum())
        ours = scan.ranking_facts(values, truth, weight, starts, requests)
        others = steps.ranking_facts(values, truth, weight, starts, requests)
        for request in requests:
            agree(request, ours[request], others[request], whole=weights != "fractional", mass=mass)


@pytest.mark.parametrize("weights", ["none", "whole", "fractional"])
def test_both_forms_agree_on_classes_and_pairs(weights: str) -> None:
    rng = np.random.default_rng(11)
    values = rng.dirichlet(np.ones(4), (2, 400))
    values[:, ::3] = np.round(values[:, ::3], 1)
    truth, weight = rng.integers(0, 4, (1, 400)), weights_of(weights, 400, rng)
    starts, requests = np.array([0, 150, 400]), allowed(REQUESTS, weights)
    ours = scan.class_facts(values, truth, weight, starts, requests, PAIRS)
    others = steps.class_facts(values, truth, weight, starts, requests, PAIRS)
    for mine, theirs in zip(ours, others, strict=True):
        assert mine.keys() == theirs.keys()
        for request, facts in mine.items():
            agree(request, facts, theirs[request], whole=weights != "fractional", mass=1000.0)


@pytest.mark.parametrize("weights", ["none", "whole", "fractional"])
def test_both_forms_agree_on_triples(weights: str) -> None:
    rng = np.random.default_rng(12)
    scores, truth = np.round(rng.random((3, 200)) * 2, 1), rng.integers(0, 3, (1, 200))
    arguments = scores, truth, weights_of(weights, 200, rng), np.array([0, 80, 200])
    np.testing.assert_allclose(scan.triples(*arguments), steps.triples(*arguments), rtol=ULP4)


def test_both_forms_hand_over_the_same_rows_in_order() -> None:
    rng = np.random.default_rng(13)
    scores, truth = rng.random((3, 50)), rng.integers(0, 2, (1, 50)).astype(np.uint8)
    weight, starts = rng.random(50), np.array([0, 20, 50])
    seen: list[dict[int, Any]] = [{}, {}]
    for kernel, rows in zip((scan, steps), seen, strict=True):

        def keep(ordered: Any, where: slice, rows: dict[int, Any] = rows) -> None:
            rows.update(
                (row, ordered.row(i)) for i, row in enumerate(range(where.start, where.stop))
            )

        kernel.ranking_facts(scores, truth, weight, starts, [("wins", ())], keep)
    assert seen[0].keys() == seen[1].keys() == set(range(6))
    for row, parts in seen[0].items():
        for mine, theirs in zip(parts, seen[1][row], strict=True):
            np.testing.assert_array_equal(mine, theirs)
