"""The parts of a selection: samples, what is observed on them, ranks; and graded models."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from selection_by_hand import case, places
from sklearn.metrics import roc_auc_score

import metricatlas as ma
from metricatlas.decisions.selecting.observed import Observed, _places, observe
from metricatlas.decisions.selecting.outcome import Judged, _centred, _correlations, outcome
from metricatlas.decisions.selecting.subsamples import Subsamples, _shared
from metricatlas.predictions import read_predictions
from metricatlas.worlds import graded_models


@given(
    counts=st.lists(st.integers(2, 40), min_size=1, max_size=4),
    shares=st.lists(st.floats(0.05, 0.5), min_size=1, max_size=3, unique=True),
    stratified=st.booleans(),
    seed=st.integers(0, 99),
)
def test_samples_are_parts_of_the_test_set_that_leave_others(counts, shares, stratified, seed):
    truth = np.repeat(np.arange(len(counts)), counts)
    sizes = list(dict.fromkeys(max(1, int(len(truth) * share)) for share in shares))
    shared = [_shared(size, np.array(counts)) for size in sizes]
    if stratified and any((own == 0).any() or (own == counts).any() for own in shared):
        with pytest.raises(ma.DecisionError, match="too few for samples"):
            Subsamples.of(truth, list("abcd"), sizes, stratified=True)
        return
    samples = Subsamples.of(truth, list("abcd"), sizes, stratified=stratified)
    small, rest = samples.draw(np.random.default_rng(seed), 3)
    assert rest.shape == (3, samples.left)
    for size, rows in zip(sizes, small, strict=True):
        assert rows.shape == (3, size)
        for drawn, left in zip(rows, rest, strict=True):
            assert len({*drawn.tolist(), *left.tolist()}) == size + samples.left
            if stratified:
                found = np.bincount(truth[drawn], minlength=len(counts))
                exact = size * np.array(counts) / sum(counts)
                assert (np.abs(found - exact) < 1).all()


@given(size=st.integers(0, 200), masses=st.lists(st.integers(1, 500), min_size=1, max_size=6))
def test_shares_of_classes_are_whole_and_add_up(size, masses):
    found = _shared(size, np.array(masses))
    exact = [Fraction(size * mass, sum(masses)) for mass in masses]
    assert found.sum() == size
    remainders = [x - int(x) for x in exact]
    for own, other in itertools.permutations(range(len(masses)), 2):
        # Whoever has more of a remainder gets the next one.
        if found[own] > int(exact[own]) and remainders[other] > remainders[own]:
            assert found[other] > int(exact[other])


VALUES = st.sampled_from([-np.inf, -1.5, 0.0, -0.0, 0.25, 1.0, np.inf, np.nan])


@given(rows=st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=12))
def test_correlations_are_those_of_scipy(rows):
    one, other = np.array(rows).T
    known = ~np.isnan(one) & ~np.isnan(other)
    # Whoever judges has a value of every model, or judges nothing.
    other = np.where(np.isnan(other), 0.5, other)
    known = ~np.isnan(one)
    (ours,) = _correlations(one[np.newaxis, np.newaxis], other[np.newaxis, np.newaxis]).ravel()
    varies = min(len(set(one[known].tolist())), len(set(other[known].tolist()))) > 1
    if known.sum() < 3 or not varies:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(stats.spearmanr(one[known], other[known]).statistic)


@given(rows=st.lists(VALUES, min_size=3, max_size=12))
def test_ranks_are_those_of_scipy(rows):
    values = np.array(rows)
    known = ~np.isnan(values)
    ours = _centred(values[np.newaxis])[0]
    assert (ours[~known] == 0).all()
    if known.sum() >= 3:
        assert (ours[known] == 2 * stats.rankdata(values[known]) - known.sum() - 1).all()


@given(
    pairs=st.lists(
        st.tuples(st.sampled_from([0.1, 0.2, 0.3]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1
    )
)
def test_places_of_pairs_are_those_of_sorted_pairs(pairs):
    assert _places(np.array([pairs]))[0].tolist() == places(pairs)


@given(
    rows=st.lists(
        st.tuples(VALUES, st.sampled_from([0.1, 0.2]), st.sampled_from([0.0, 50.0])), min_size=2
    )
)
@example(rows=[(-np.inf, 0.1, 0.0), (np.nan, 0.2, 0.0)])
def test_the_best_and_the_chosen_are_those_of_plain_loops(rows):
    """The judging measure is a pair, of which the number may put another model first."""
    small, pairs = [row[0] for row in rows], [row[1:] for row in rows]
    numbers = np.array([first + 0.01 * second for first, second in pairs])
    shape = (1, 1, len(rows))
    large = Observed(
        numbers.reshape(shape),
        numbers.reshape(shape),
        np.reshape(places(pairs), shape).astype(float),
    )
    values = np.reshape(small, shape)
    found = outcome(Observed(values, values, values), Judged.of(large))
    known = [own for own in small if not np.isnan(own)]
    chosen = [i for i, own in enumerate(small) if not known or own == max(known)]
    best = [i for i, pair in enumerate(pairs) if pair == max(pairs)]
    assert found.value.item() == pytest.approx(np.mean(numbers[chosen]))
    assert found.best.item() == pytest.approx(len({*chosen} & {*best}) / len(chosen))
    expected = numbers[best[0]] - np.mean(numbers[chosen])
    assert found.regret.item() == pytest.approx(expected, abs=1e-12)
    assert found.undefined.item() == (len(known) < len(small))


def test_values_that_differ_by_rounding_alone_are_ties():
    y = np.repeat([1, 0], 10)
    # Recalls of 0.7 and 0.1, and of 0.6 and 0.2, which do not add up to the same float.
    first = np.repeat([0.6, 0.4, 0.6, 0.4], [7, 3, 9, 1])
    second = np.repeat([0.8, 0.1, 0.8, 0.1], [6, 4, 8, 2])
    blocks, _ = read_predictions(y, {"first": first, "second": second})
    rows = np.arange(20)[np.newaxis]
    found = observe(blocks, rows, ("balanced_accuracy", "balanced_accuracy:brier", "brier"))
    ((one, other), _, (_, _)) = found.oriented[0]
    assert one < other
    assert one == pytest.approx(other, rel=1e-15)
    (alone, pairs, losses) = found.order[0]
    assert alone[0] == alone[1]
    assert losses[0] > losses[1]
    assert pairs[0] > pairs[1]


def test_models_are_observed_alike_in_parts_and_at_once(monkeypatch):
    y, models = case(3)
    blocks, _ = read_predictions(y, dict(enumerate(models)))
    rows = np.random.default_rng(0).integers(0, len(y), (7, 30))
    asked = ("acc", "auc", "acc:f1")
    whole = observe(blocks, rows, asked)
    monkeypatch.setattr("metricatlas.decisions.selecting.observed.TOGETHER", 1)
    parts = observe(blocks, rows, asked)
    assert whole.values.shape == (7, 3, 4)
    for name in ("values", "oriented", "order"):
        assert (getattr(whole, name) == getattr(parts, name)).all()
    for repetition, model in itertools.product(range(7), range(4)):
        sample = rows[repetition]
        expected = ma.evaluate(y[sample], models[model][sample], measures=asked, labels=[0, 1, 2])
        assert whole.values[repetition, :, model] == pytest.approx(expected.values[0], rel=1e-12)


# -- Graded models ---------------------------------------------------------------------------------


def test_graded_models_go_from_good_to_bad_in_equal_steps():
    y, models = graded_models(5, n=50_000, prior=0.2, error=0.1, gap=0.2, seed=3)
    assert y.mean() == pytest.approx(0.2, abs=0.01)
    errors = [((p > 0.5) != y).mean() for p in models.values()]
    assert errors == pytest.approx([0.1, 0.15, 0.2, 0.25, 0.3], abs=0.01)
    areas = [roc_auc_score(y, p) for p in models.values()]
    assert areas == pytest.approx([0.9, 0.85, 0.8, 0.75, 0.7], abs=0.01)
    # Each has its own errors, which are not those of a better model and some more.
    first, last = (((p > 0.5) != y) for p in (models["model 1"], models["model 5"]))
    assert (first & last).mean() == pytest.approx(0.1 * 0.3, abs=0.01)
    again = graded_models(5, n=50_000, prior=0.2, error=0.1, gap=0.2, seed=3)
    assert (again[0] == y).all()
    assert all((again[1][name] == p).all() for name, p in models.items())


def test_graded_models_may_be_tied_or_too_sure():
    _, tied = graded_models(2, n=1000, ties=0.1)
    assert len(np.unique(tied["model 1"])) == 10
    _, plain = graded_models(2, n=1000)
    _, sure = graded_models(2, n=1000, confidence=3)
    assert (np.argsort(plain["model 2"]) == np.argsort(sure["model 2"])).all()


@pytest.mark.parametrize(
    ("given", "fact"),
    [
        ({"models": 1}, "models must be a whole number from 2 on; got 1"),
        ({"seed": -1}, "seed must be"),
        ({"shared": True}, "shared says nothing"),
        ({"clipped": False}, "clipped says nothing"),
        ({"n": 20, "models": 10}, "2 for the gap are too few for 10 models"),
        ({"prior": 0}, "prior must be"),
        ({"priors": 0.1}, "'prior'"),
    ],
)
def test_models_that_cannot_be_graded_are_refused(given, fact):
    with pytest.raises(ma.WorldError) as error:
        graded_models(**given)
    assert fact in str(error.value)
