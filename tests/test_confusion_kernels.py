import itertools

import numpy as np
import probabilities_by_definition as definition
import pytest

from metricatlas.summaries.confusion import Confusion
from metricatlas.summaries.kernels import confusion_scan, confusion_steps

FORMS = {"array": confusion_steps, "scan": confusion_scan}
MATRIX = ("matrix", ())
FACTS = [(name, ()) for name in ("matrix", "confidence", "confidence_squared", "margin")]
EPS = np.finfo(np.float64).eps

form = pytest.mark.parametrize("kernel", FORMS.values(), ids=FORMS)
kinds = pytest.mark.parametrize("kind", ["labels", "scores", "probabilities"])


def draw_case(kind, k, n, c, rng, *, weighted=False, shared=False, threshold=None):
    truth = rng.integers(0, c, (1 if shared else k, n)).astype(np.uint8 if c <= 256 else np.int64)
    if kind == "labels":
        values = rng.integers(0, c, (k, n)).astype(truth.dtype)
    elif c == 2:
        values = np.round(rng.random((k, n)), 1)
    else:
        values = np.round(rng.dirichlet(np.ones(c), (k, n)), 1)
    if kind == "scores":
        values = 10 * values - 5
    weight = rng.uniform(0.1, 3, n) if weighted else None
    starts = np.array([0, n]) if n < 4 else np.array([0, 1, n // 2, n])
    return values, truth, weight, starts, c, kind, threshold


def wanted(kind):
    return FACTS if kind == "probabilities" else [MATRIX]


def rows_of(values, truth, weight, starts):
    """Each row of the summary by itself: model by model, in each its segments."""
    for model, p in enumerate(values):
        y = truth[model if len(truth) > 1 else 0]
        for low, high in itertools.pairwise(starts):
            yield p[low:high], y[low:high], None if weight is None else weight[low:high]


def test_the_facts_tested_are_the_facts_declared():
    assert {name for name, _ in FACTS} == set(Confusion.kinds)


@form
@kinds
@pytest.mark.parametrize("c", [2, 3, 20])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_facts_are_the_sums_of_their_definition(kernel, kind, c, weighted):
    rng = np.random.default_rng([c, weighted, len(kind)])
    for n, threshold in ((1, None), (2, 0.3), (40, 0.5), (41, 0.0)):
        case = draw_case(kind, 2, n, c, rng, weighted=weighted, threshold=threshold)
        facts = kernel.confusion_facts(*case, wanted(kind))
        for row, (p, y, w) in enumerate(rows_of(*case[:4])):
            for name, _ in wanted(kind):
                exact = definition.confusion(p, y, w, c, kind, threshold, name)
                exact = np.array(exact, dtype=np.float64)
                np.testing.assert_allclose(
                    facts[name, ()][row], exact, rtol=1e-13, atol=1e-14, err_msg=name
                )


@form
def test_the_first_of_equal_values_decides_and_half_is_not_above_half(kernel):
    p = np.array([[[0.4, 0.4, 0.2], [0.2, 0.4, 0.4]]])
    case = p, np.array([[1, 2]], dtype=np.uint8), None, np.array([0, 2]), 3, "probabilities", None
    facts = kernel.confusion_facts(*case, FACTS)
    np.testing.assert_array_equal(facts[MATRIX][0], [[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(facts["margin", ()], np.zeros((1, 3, 3)))
    half = np.array([[0.5, np.nextafter(0.5, 1)]]), np.array([[1, 1]], dtype=np.uint8), None
    facts = kernel.confusion_facts(*half, np.array([0, 2]), 2, "probabilities", None, FACTS)
    np.testing.assert_array_equal(facts[MATRIX][0], [[0, 0], [1, 1]])


@form
def test_a_decision_against_the_probability_has_a_negative_margin(kernel):
    case = np.array([[0.25]]), np.array([[0]], dtype=np.uint8), None, np.array([0, 1])
    facts = kernel.confusion_facts(*case, 2, "probabilities", 0.125, FACTS)
    assert facts["confidence", ()][0, 0, 1] == 0.25
    assert facts["margin", ()][0, 0, 1] == -0.5


@form
@pytest.mark.parametrize("c", [2, 3, 300])
def test_counts_are_exact_however_many(kernel, c):
    n = 4000
    case = draw_case("labels", 1, n, c, np.random.default_rng(c))
    values, truth = case[0][0], case[1][0]
    matrix = kernel.confusion_facts(*case[:3], np.array([0, n]), *case[4:], [MATRIX])[MATRIX][0]
    expected = np.zeros((c, c))
    np.add.at(expected, (truth, values), 1)
    np.testing.assert_array_equal(matrix, expected)


@form
@kinds
@pytest.mark.parametrize("c", [2, 3, 20])
@pytest.mark.parametrize("shared", [False, True], ids=["own truth", "shared truth"])
def test_a_batch_is_a_loop_bit_for_bit(kernel, kind, c, shared):
    rng = np.random.default_rng([c, shared])
    for weighted, n in ((False, 1), (True, 37), (False, 1300)):
        case = draw_case(kind, 3, n, c, rng, weighted=weighted, shared=shared)
        batch = kernel.confusion_facts(*case, wanted(kind))
        for row, (p, y, w) in enumerate(rows_of(*case[:4])):
            one = p[np.newaxis], y[np.newaxis], w, np.array([0, len(y)])
            alone = kernel.confusion_facts(*one, *case[4:], wanted(kind))
            for request in wanted(kind):
                np.testing.assert_array_equal(alone[request][0], batch[request][row])


@kinds
@pytest.mark.parametrize("c", [2, 3, 20, 60])
def test_both_forms_agree_within_four_units_in_the_last_place(kind, c):
    rng = np.random.default_rng([c, len(kind)])
    for weighted, n in ((False, 511), (True, 513), (True, 3000)):
        case = draw_case(kind, 2, n, c, rng, weighted=weighted, threshold=0.35)
        plain = confusion_steps.confusion_facts(*case, wanted(kind))
        quick = confusion_scan.confusion_facts(*case, wanted(kind))
        if not weighted:
            np.testing.assert_array_equal(quick[MATRIX], plain[MATRIX])
        for name, arguments in wanted(kind):
            # Margins of both signs may cancel in a cell.
            floor = 1e-12 if name == "margin" else 0
            np.testing.assert_allclose(
                quick[name, arguments], plain[name, arguments], rtol=4 * EPS, atol=floor
            )


@form
@pytest.mark.parametrize("c", [2, 3])
def test_both_forms_give_the_same_kind_of_array(kernel, c):
    case = draw_case("probabilities", 2, 20, c, np.random.default_rng(c))
    for fact in kernel.confusion_facts(*case, FACTS).values():
        assert fact.shape == (6, c, c)
        assert fact.dtype == np.float64
        assert fact.flags.c_contiguous


def test_long_sums_do_not_drift():
    n = 300_000
    for c in (2, 3):
        values = np.full((1, n), 0.9) if c == 2 else np.tile([0.05, 0.9, 0.05], (1, n, 1))
        case = values, np.ones((1, n), dtype=np.uint8), np.full(n, 0.1), np.array([0, n])
        facts = confusion_scan.confusion_facts(*case, c, "probabilities", None, FACTS)
        np.testing.assert_allclose(facts[MATRIX][0, 1, 1], 0.1 * n, rtol=4 * EPS)
        np.testing.assert_allclose(facts["confidence", ()][0, 1, 1], 0.09 * n, rtol=4 * EPS)
