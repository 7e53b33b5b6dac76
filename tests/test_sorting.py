"""Sorting: the order of NumPy, whatever the scores, and what belongs together stays so."""

import numpy as np
import pytest

from metricatlas.summaries.kernels import sorting
from metricatlas.summaries.kernels.sorting import sorted_with_codes, sorted_with_numbers

N = 5000
RNG = np.random.default_rng(0)
TINY = np.finfo(float).tiny
PROBABILITIES = {
    "random": RNG.random(N),
    "rare": RNG.random(N) ** 40,
    "eighths": RNG.integers(0, 9, N) / 8,
    "mostly 0 and 1": np.round(RNG.random(N) * 3 - 1).clip(0, 1),
    "constant": np.full(N, 0.3),
    "zero": np.zeros(N),
    "zeros of both signs": np.where(RNG.random(N) < 0.5, 0.0, -0.0),
    "1e-13 apart": 0.5 + 1e-13 * RNG.integers(0, 100, N),
    "neighbours of 1": 1 - RNG.integers(0, 9, N) * 2.0**-53,
    "one": RNG.random(1),
    "none": RNG.random(0),
}
SCORES = {
    **PROBABILITIES,
    "denormal": RNG.integers(0, 99, N) * 5e-324,
    "tiny and 1": np.where(RNG.random(N) < 0.5, TINY, 1.0),
    "both signs": RNG.normal(size=N),
    "huge": RNG.normal(size=N) * 1e300,
    "of all sizes": RNG.normal(size=N) * 10.0 ** RNG.integers(-300, 300, N),
    "close to each other and to nothing else": np.append(
        1 + np.arange(N)[::-1] * 2.0**-52, [-1e300, 1e300]
    ),
}


def lexical(scores, codes):
    order = np.lexsort([codes, scores + 0.0])
    return scores[order], codes[order]


@pytest.mark.parametrize("classes", [2, 3, 4, 5, 16, 100])
@pytest.mark.parametrize("name", SCORES)
def test_classes_stay_with_their_scores(name, classes):
    scores, bounds = SCORES[name], np.array([0, len(SCORES[name])])
    codes = RNG.integers(0, classes, len(scores)).astype(np.uint8)
    found = sorted_with_codes(scores[np.newaxis], codes[np.newaxis], bounds, bounds, classes)
    if found is None:
        assert name not in PROBABILITIES or (name == "rare" and classes > 4)
        return
    wanted_scores, wanted_codes = lexical(scores, codes)
    np.testing.assert_array_equal(found[0], wanted_scores)
    np.testing.assert_array_equal(found[1], wanted_codes)
    assert not np.signbit(found[0]).any()


def test_scores_without_room_for_a_class_are_left_to_numbers():
    for name, classes in (("both signs", 2), ("of all sizes", 3), ("tiny and 1", 16)):
        scores, bounds = SCORES[name], np.array([0, N])
        codes = np.zeros((1, N), np.uint8)
        assert sorted_with_codes(scores[np.newaxis], codes, bounds, bounds, classes) is None


@pytest.mark.parametrize("name", SCORES)
def test_numbers_stay_with_their_scores(name):
    scores, bounds = SCORES[name], np.array([0, len(SCORES[name])])
    found, order = sorted_with_numbers(scores[np.newaxis], bounds, bounds)
    np.testing.assert_array_equal(found, np.sort(scores))
    np.testing.assert_array_equal(scores[order], found)
    np.testing.assert_array_equal(np.sort(order), np.arange(len(scores)))
    assert not np.signbit(found[found == 0]).any()


def test_what_leading_bits_do_not_order_is_sorted_anew(monkeypatch):
    name = "close to each other and to nothing else"
    scores = np.stack([SCORES["random"], SCORES[name][:N], SCORES["eighths"]])
    scores[1, :2] = -1e300, 1e300
    sorts = []
    argsort = np.argsort
    monkeypatch.setattr(
        sorting.np, "argsort", lambda row, **kw: (sorts.append(len(row)), argsort(row, **kw))[1]
    )
    starts, bounds = np.array([0, N]), np.array([0, N, 2 * N, 3 * N])
    found, order = sorted_with_numbers(scores, starts, bounds)
    assert sorts == [N]
    for row in range(3):
        np.testing.assert_array_equal(found[row * N : row * N + N], np.sort(scores[row]))
        own = order[row * N : row * N + N]
        np.testing.assert_array_equal(scores[row][own], np.sort(scores[row]))


def test_segments_of_models_are_sorted_by_themselves():
    scores, starts = RNG.random((2, 10)), np.array([0, 3, 3, 10])
    bounds = np.array([0, 3, 3, 10, 13, 13, 20])
    codes = RNG.integers(0, 2, (2, 10)).astype(np.uint8)
    numbered, order = sorted_with_numbers(scores, starts, bounds)
    coded = sorted_with_codes(scores, codes, starts, bounds, 2)
    assert coded is not None
    for r, (begin, end) in enumerate([(0, 3), (3, 3), (3, 10)] * 2):
        part, known = scores[r // 3, begin:end], codes[r // 3, begin:end]
        here = slice(bounds[r], bounds[r + 1])
        np.testing.assert_array_equal(numbered[here], np.sort(part))
        np.testing.assert_array_equal(part[order[here]], np.sort(part))
        np.testing.assert_array_equal(coded[0][here], np.sort(part))
        np.testing.assert_array_equal(coded[1][here], known[np.argsort(part)])
