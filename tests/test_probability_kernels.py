import itertools
import math
import subprocess
import sys

import numpy as np
import probabilities_by_definition as definition
import pytest

from metricatlas.summaries.kernels import probability_scan, probability_steps
from metricatlas.summaries.probabilities import Probabilities

FORMS = {"array": probability_steps, "scan": probability_scan}
PLAIN = [
    "mass", "given", "absolute_error", "square_error", "log", "spherical", "ranked",
    "information", "pull", "spread", "received", "column_squares", "column_logs",
]  # fmt: skip
FACTS = [
    *((name, ()) for name in PLAIN),
    *(("log_clipped", (least,)) for least in (1e-5, 1e-300)),
    *(("top", (size,)) for size in (1, 2, 3)),
]
EPS = np.finfo(np.float64).eps
#: Terms of both signs may cancel, so the last digits of the sum are not worth anything.
SIGNED = {"information", "pull"}

form = pytest.mark.parametrize("kernel", FORMS.values(), ids=FORMS)


def draw(kind, k, n, c, rng):
    """Probabilities of k models: of the second of two classes, or of all of them."""
    p = rng.dirichlet(np.full(c, 0.7), (k, n))
    if kind == "coarse":
        p = np.floor(p * 4) / 4
        p[..., 0] += 1 - p.sum(axis=-1)
    elif kind == "certain":
        p = np.eye(c)[rng.integers(0, c, (k, n))]
    elif kind == "close":
        distance = 10.0 ** -rng.uniform(0, 15, (k, n, 1))
        p = (1 - distance) * np.eye(c)[rng.integers(0, c, (k, n))] + distance * p
    elif kind == "tiny":
        p = (p / p.max(axis=-1, keepdims=True)) ** rng.choice([1, 20, 300], (k, n, 1))
        p /= p.sum(axis=-1, keepdims=True)
    return p[..., 1].copy() if c == 2 else p


def draw_case(kind, k, n, c, rng, *, weighted=False, shared=False, classes_present=None):
    values = draw(kind, k, n, c, rng)
    truth = rng.integers(0, classes_present or c, (1 if shared else k, n)).astype(np.uint8)
    weight = rng.uniform(0.1, 3, n) if weighted else None
    starts = np.array([0, n]) if n < 4 else np.array([0, 1, n // 2, n])
    return values, truth, weight, starts, c


def rows_of(values, truth, weight, starts, _classes):
    """Each row of the summary by itself: model by model, in each its segments."""
    for model, p in enumerate(values):
        y = truth[model if len(truth) > 1 else 0]
        for low, high in itertools.pairwise(starts):
            w = None if weight is None else weight[low:high]
            yield p[low:high], y[low:high], w


def one_row(p, y, w, c):
    return p[np.newaxis], y[np.newaxis], w, np.array([0, len(y)]), c


def assert_close(found, exact, size, name):
    """Compare sums; the size is that of the sum of the terms' absolute values."""
    found, exact, size = (np.array(x, dtype=np.float64) for x in (found, exact, size))
    if name == "ranked":  # A cumulative probability near one has no digits left for the rest.
        size += np.sqrt(size) + EPS
    elif name == "information":  # Each term is a difference of logarithms.
        size += np.where(size > 0, 2.0, 0.0)
    infinite = np.isinf(exact)
    np.testing.assert_array_equal(found[infinite], exact[infinite], name)
    gap = np.abs(found[~infinite] - exact[~infinite])
    assert np.all(gap <= 16 * EPS * size[~infinite] + definition.FLOOR), (name, found, exact)


def test_the_facts_tested_are_the_facts_declared():
    assert {name for name, _ in FACTS} == set(Probabilities.kinds)


@form
@pytest.mark.parametrize("kind", ["random", "coarse", "certain", "close", "tiny"])
@pytest.mark.parametrize("c", [2, 3, 5])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_facts_are_the_sums_of_their_definition(kernel, kind, c, weighted):
    rng = np.random.default_rng([c, weighted, len(kind)])
    for n in (1, 2, 11):
        case = draw_case(kind, 2, n, c, rng, weighted=weighted)
        facts = kernel.probabilities_facts(*case, FACTS)
        for row, (p, y, w) in enumerate(rows_of(*case)):
            for request in FACTS:
                if request[0] == "information" and len(set(y.tolist())) == 1:
                    continue  # An infinite surprise, or none if p rounds to one: tested below.
                exact, size = definition.probabilities(p, y, w, c, request)
                assert_close(facts[request][row], exact, size, request[0])


@form
def test_absent_classes_have_no_mass(kernel):
    case = draw_case("random", 3, 40, 5, np.random.default_rng(1), classes_present=2)
    facts = kernel.probabilities_facts(*case, FACTS)
    for request in FACTS:
        assert not facts[request][..., 2:].any(), request


@form
@pytest.mark.parametrize("c", [2, 4])
def test_certain_mistakes_have_infinite_logs(kernel, c):
    p = np.eye(c)[[0, 1, 1]][np.newaxis]
    case = (p[..., 1] if c == 2 else p), np.array([[0, 1, 0]], dtype=np.uint8), None
    facts = kernel.probabilities_facts(*case, np.array([0, 3]), c, FACTS)
    np.testing.assert_array_equal(facts["log", ()][0, :2], [-np.inf, 0])
    assert math.isclose(facts["information", ()][0, 0], math.log2(3 / 2) - math.log2(3))
    assert math.isclose(facts["log_clipped", (1e-5,)][0, 0], math.log(1e-5), rel_tol=1e-15)
    assert facts["received", ()][0, 1, 0] == 1


@form
def test_one_class_alone_gains_nothing_or_loses_everything(kernel):
    p, y = np.array([[1.0], [0.7]]), np.array([[1]], dtype=np.uint8)
    request = ("information", ())
    facts = kernel.probabilities_facts(p, y, None, np.array([0, 1]), 2, [request])
    np.testing.assert_array_equal(facts[request], [[0, 0], [0, -np.inf]])


@form
@pytest.mark.parametrize("small", [5e-324, 1e-310, 2.3e-308, 1e-300])
def test_denormal_probabilities_keep_their_logarithm(kernel, small):
    case = np.array([[small, small]]), np.array([[1, 0]], dtype=np.uint8), None, np.array([0, 2]), 2
    facts = kernel.probabilities_facts(*case, [("log", ()), ("square_error", ())])
    assert math.isclose(facts["log", ()][0, 1], math.log(small), rel_tol=4 * EPS)
    # What 1 - p rounds away is still there: ln(1 - p) = -p.
    assert facts["log", ()][0, 0] == -small
    assert facts["square_error", ()][0, 0] == 2 * small**2


@form
def test_ties_at_the_cut_count_in_proportion(kernel):
    p = np.array([[[0.25, 0.25, 0.25, 0.25], [0.4, 0.3, 0.3, 0.0]]])
    case = p, np.array([[3, 1]], dtype=np.uint8), None, np.array([0, 2]), 4
    facts = kernel.probabilities_facts(*case, FACTS)
    np.testing.assert_array_equal(facts["top", (1,)], [[0, 0, 0, 0.25]])
    np.testing.assert_array_equal(facts["top", (2,)], [[0, 0.5, 0, 0.5]])
    np.testing.assert_array_equal(facts["top", (3,)], [[0, 1, 0, 0.75]])


@form
def test_top_takes_scores_of_any_size(kernel):
    p = np.array([[[-3.0, -1.0, 4.0], [1e300, -1e300, 0.0]]])
    case = p, np.array([[2, 2]], dtype=np.uint8), None, np.array([0, 2]), 3
    facts = kernel.probabilities_facts(*case, [("top", (1,)), ("top", (2,)), ("mass", ())])
    assert [facts["top", (k,)][0, 2] for k in (1, 2)] == [1, 2]


@form
@pytest.mark.parametrize("c", [2, 3, 40])
def test_a_weight_of_two_is_the_row_twice(kernel, c):
    rng = np.random.default_rng(c)
    values, truth, _, starts, _ = draw_case("random", 2, 60, c, rng)
    weight = rng.integers(1, 4, 60)
    once = kernel.probabilities_facts(values, truth, weight.astype(float), starts, c, FACTS)
    cuts = np.concatenate([[0], np.cumsum(weight)])[starts]
    repeated = np.repeat(values, weight, axis=1), np.repeat(truth, weight, axis=1), None, cuts
    many = kernel.probabilities_facts(*repeated, c, FACTS)
    for request in FACTS:
        np.testing.assert_allclose(once[request], many[request], rtol=1e-13, atol=1e-13)


@form
@pytest.mark.parametrize("c", [2, 3, 12])
@pytest.mark.parametrize("shared", [False, True], ids=["own truth", "shared truth"])
def test_a_batch_is_a_loop_bit_for_bit(kernel, c, shared):
    rng = np.random.default_rng([c, shared])
    for weighted, n in ((False, 1), (True, 37), (False, 1300)):
        case = draw_case("random", 3, n, c, rng, weighted=weighted, shared=shared)
        batch = kernel.probabilities_facts(*case, FACTS)
        for row, (p, y, w) in enumerate(rows_of(*case)):
            alone = kernel.probabilities_facts(*one_row(p, y, w, c), FACTS)
            for request in FACTS:
                np.testing.assert_array_equal(alone[request][0], batch[request][row], str(request))


@pytest.mark.parametrize("c", [2, 3, 10, 60])
@pytest.mark.parametrize("kind", ["random", "close", "tiny"])
def test_both_forms_agree_within_four_units_in_the_last_place(c, kind):
    rng = np.random.default_rng([c, len(kind)])
    for weighted, n in ((False, 511), (True, 513), (False, 2500)):
        case = draw_case(kind, 2, n, c, rng, weighted=weighted)
        plain = probability_steps.probabilities_facts(*case, FACTS)
        quick = probability_scan.probabilities_facts(*case, FACTS)
        for request in FACTS:
            if request[0] in SIGNED:
                floor = EPS * plain["mass", ()]
                np.testing.assert_allclose(
                    quick[request], plain[request], rtol=1e-12, atol=64 * floor.max()
                )
            else:
                np.testing.assert_allclose(quick[request], plain[request], rtol=4 * EPS, atol=0)


@form
def test_both_forms_give_the_same_kind_of_array(kernel):
    for c in (2, 3):
        case = draw_case("random", 2, 20, c, np.random.default_rng(c))
        for (name, arguments), fact in kernel.probabilities_facts(*case, FACTS).items():
            assert fact.shape == (6, *Probabilities.kinds[name].shape(arguments, c))
            assert fact.dtype == np.float64
            assert fact.flags.c_contiguous


@form
@pytest.mark.parametrize("c", [2, 3])
def test_each_fact_alone_is_what_it_is_among_all(kernel, c):
    case = draw_case("random", 2, 30, c, np.random.default_rng(c), weighted=True)
    together = kernel.probabilities_facts(*case, FACTS)
    for request in FACTS:
        alone = kernel.probabilities_facts(*case, [request])
        np.testing.assert_array_equal(alone[request], together[request])


@pytest.mark.parametrize("c", [2, 3])
def test_long_sums_do_not_drift(c):
    n = 300_000
    values = np.full((1, n), 0.1) if c == 2 else np.full((1, n, c), 0.1)
    truth = np.ones((1, n), dtype=np.uint8)
    case = values, truth, np.full(n, 0.1), np.array([0, n]), c
    facts = probability_scan.probabilities_facts(*case, [("given", ()), ("mass", ()), ("log", ())])
    for name, term in (("given", 0.1 * 0.1), ("mass", 0.1), ("log", 0.1 * math.log(0.1))):
        exact = math.fsum([term] * n)
        assert abs(facts[name, ()][0, 1] - exact) <= 4 * math.ulp(exact), name


@form
def test_inputs_may_be_views_and_read_only(kernel):
    rng = np.random.default_rng(5)
    for c in (2, 3):
        values, truth, _, starts, _ = draw_case("random", 2, 40, c, rng)
        wide = np.repeat(values, 2, axis=1)[:, ::2]
        wide.flags.writeable = False
        found = kernel.probabilities_facts(wide, truth.astype(np.int64), None, starts, c, FACTS)
        plain = kernel.probabilities_facts(values, truth, None, starts, c, FACTS)
        for request in FACTS:
            np.testing.assert_array_equal(found[request], plain[request])


@pytest.mark.parametrize("module", ["probability_steps", "confusion_steps"])
def test_the_array_form_does_not_load_numba(module):
    code = f"import sys, metricatlas.summaries.kernels.{module}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
