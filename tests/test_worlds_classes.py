"""Worlds of more than two classes: what is drawn, disturbed and chosen."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare, ks_2samp
from sklearn.metrics import roc_auc_score

import metricatlas as ma
from metricatlas.worlds.made import Made
from metricatlas.worlds.noise import LEVELS, WORLDS
from metricatlas.worlds.profile import Pairs, drawn, profile_of

THREE = [0.5, 0.3, 0.2]


def pairs_of(count=300, **words):
    return drawn(np.random.default_rng(0), profile_of(words), count)


def lots(world, levels, **words):
    known = profile_of({"prior": THREE, **words})
    rng = np.random.default_rng(3)
    pairs = drawn(rng, known, 200)
    return pairs, [found for ((_, found),) in WORLDS[world](rng, pairs, levels, known)]


def areas(pairs, models=20):
    """The areas of both models by scikit-learn, over all examples of some repetitions."""
    columns = pairs.scores.shape[3]
    truth = pairs.truth[:, 0].ravel()
    return [
        np.mean(
            [
                roc_auc_score(truth[part], rows[part], multi_class="ovo", labels=range(columns))
                for part in np.array_split(np.arange(len(truth)), models)
            ]
        )
        for rows in pairs.scores.swapaxes(0, 1).reshape(2, -1, columns)
    ]


# -- What is drawn ---------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [3, 5])
def test_rows_that_are_certain_are_uniform_ones_that_decide_so(classes):
    rng = np.random.default_rng(1)
    plain = rng.dirichlet(np.ones(classes), 60_000)
    truth = rng.integers(classes, size=20_000)
    rows = Made(classes).certain(rng, truth)
    assert (rows.argmax(axis=1) == truth).all()
    assert rows.sum(axis=1) == pytest.approx(1, abs=1e-12)
    for code in (0, classes - 1):
        kept = plain[plain.argmax(axis=1) == code]
        for column in range(classes):
            own = rows[truth == code, column]
            assert ks_2samp(kept[:, column], own).pvalue > 1e-4, (code, column)


def test_rows_drawn_anew_know_nothing_of_the_truth():
    rng = np.random.default_rng(2)
    rows = Made(4).anew(rng, (20_000,))
    plain = rng.dirichlet(np.ones(4), 20_000)
    for column in range(4):
        assert ks_2samp(rows[:, column], plain[:, column]).pvalue > 1e-4


def test_classes_errors_and_areas_are_as_said():
    pairs = pairs_of(n=500, prior=THREE, error=0.1, gap=0.1)
    assert pairs.scores.shape == (300, 2, 500, 3)
    assert np.bincount(pairs.truth[:, 0].ravel()) / 150_000 == pytest.approx(THREE, abs=0.005)
    wrong = (pairs.scores.argmax(axis=3) != pairs.truth).mean(axis=(0, 2))
    assert wrong == pytest.approx([0.1, 0.2], abs=0.004)
    assert pairs.scores.sum(axis=3) == pytest.approx(1, abs=1e-12)


def test_the_area_of_three_certain_classes_is_known():
    # By hand: the integral over the triangle gives 143 / 144.
    assert Made(3).area == float(Fraction(143, 144))
    assert Made(2).area == 1


@pytest.mark.parametrize("classes", [3, 4, 9])
def test_the_area_of_certain_rows_is_that_of_rows_that_are_drawn(classes):
    rng = np.random.default_rng(classes)
    plain = np.sort(rng.dirichlet(np.ones(classes), 400_000))
    smaller = plain[np.arange(200_000), rng.integers(classes - 1, size=200_000)]
    won = (plain[200_000:, -1] > smaller).mean()
    assert won == pytest.approx(Made(classes).area, abs=4 * np.sqrt(0.015 / 200_000))


@pytest.mark.parametrize(
    "words",
    [
        {"prior": [0.4, 0.3, 0.3], "auc": 0.9, "gap": 0.1},
        {"prior": [0.25] * 4, "auc": 0.8, "gap": 0.05, "confidence": 3.0},
        {"prior": [0.4, 0.4, 0.2], "auc": 0.85, "gap": 0.1, "ties": 0.1},
        {"prior": [0.2] * 5, "auc": 0.7, "gap": 0.1},
    ],
    ids=["three", "too sure", "ties", "five"],
)
def test_an_area_is_that_of_the_better_model_and_the_gap_is_below(words):
    found = areas(pairs_of(120, n=500, **words))
    assert found == pytest.approx([words["auc"], words["auc"] - words["gap"]], abs=0.004)


@pytest.mark.parametrize("ties", [0.0, 0.1])
@pytest.mark.parametrize("prior", [0.5, 0.1])
def test_of_two_classes_the_error_is_one_minus_the_area(ties, prior):
    profile = profile_of({"auc": 0.85, "gap": 0.1, "ties": ties, "prior": prior, "n": 1000})
    assert profile.error == pytest.approx(0.15)
    pairs = drawn(np.random.default_rng(0), profile, 100)
    found = [
        roc_auc_score(pairs.truth[:, 0].ravel(), pairs.scores[:, model].ravel()) for model in (0, 1)
    ]
    assert found == pytest.approx([0.85, 0.75], abs=0.006)


@pytest.mark.parametrize("prior", [[0.8, 0.15, 0.05], [0.96, 0.04], [1 / 3] * 3])
def test_ties_are_as_many_as_asked_for_whatever_the_prior(prior):
    scores = pairs_of(20, n=1000, prior=prior, ties=0.05).scores[:, 0]
    tied = []
    for rows in scores:
        _, counts = np.unique(rows, axis=0, return_counts=True)
        tied.append((counts * (counts - 1.0)).sum() / (1000 * 999))
    assert np.mean(tied) == pytest.approx(0.05, abs=0.005)


def test_rows_that_are_not_tied_are_so_in_no_column():
    rows = pairs_of(1, n=2000, prior=THREE, ties=0.01).scores[0, 0]
    different = len(np.unique(rows, axis=0))
    assert 50 < different < 200
    assert [len(np.unique(column)) for column in rows.T] == [different] * 3


def test_confidence_moves_rows_and_no_decision():
    plain, sure = pairs_of(50, prior=THREE), pairs_of(50, prior=THREE, confidence=2.0)
    assert (plain.scores.argmax(axis=3) == sure.scores.argmax(axis=3)).all()
    squared = plain.scores**2
    expected = squared / squared.sum(axis=3, keepdims=True)
    assert sure.scores == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_two_shares_are_two_classes():
    one = ma.simulate("label-noise", measures="auc", levels=[50], repetitions=200, prior=0.25)
    two = ma.simulate(
        "label-noise", measures="auc", levels=[50], repetitions=200, prior=[0.75, 0.25]
    )
    assert one.wrong.equals(two.wrong)


# -- Noise -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", list(WORLDS))
def test_at_level_0_nothing_is_disturbed(world):
    pairs, (found,) = lots(world, [0])
    order, own = (np.argsort(x.scores[..., 0], axis=2) for x in (pairs, found))
    for name in ("truth", "scores"):
        before, after = getattr(pairs, name), getattr(found, name)
        places = [o if name == "truth" else o[..., np.newaxis] for o in (order, own)]
        assert (
            np.take_along_axis(before, places[0], 2) == np.take_along_axis(after, places[1], 2)
        ).all()


def test_labels_are_drawn_anew_among_all_classes():
    pairs, (found,) = lots("label-noise", [100])
    counts = np.bincount(found.truth.ravel())
    assert chisquare(counts).pvalue > 1e-4
    pairs, (found,) = lots("label-noise", [30])
    turned = (found.truth != pairs.truth).sum(axis=2)
    assert turned.max() <= 30
    # One in three stays what it is.
    assert turned.mean() == pytest.approx(20, abs=0.5)


def test_noise_on_probabilities_leaves_rows_that_sum_to_one():
    pairs, (found,) = lots("probability-noise", [100])
    assert found.scores.min() == 0
    assert found.scores.sum(axis=3) == pytest.approx(1, abs=1e-12)
    assert (found.truth == pairs.truth).all()
    pairs, (found,) = lots("probability-noise", [40], clipped=False)
    moved = found.scores - pairs.scores
    assert moved.min() == pytest.approx(-0.2, abs=1e-3)
    assert moved.max() == pytest.approx(0.2, abs=1e-3)


def test_a_row_of_which_nothing_is_left_prefers_no_class():
    rows = np.full((1, 2, 2000, 3), 1 / 3)
    known = profile_of({"prior": THREE, "n": 2000})
    pairs = Pairs(np.zeros((1, 2, 2000), np.uint8), rows)
    ((_, found),) = next(WORLDS["probability-noise"](np.random.default_rng(0), pairs, [100], known))
    assert np.isfinite(found.scores).all()
    # All three fall by more than a third once in 216 times.
    even = (found.scores == 1 / 3).all(axis=3).sum()
    assert even == pytest.approx(4000 / 216, abs=4 * np.sqrt(4000 / 216))


def test_ranking_noise_moves_values_within_the_column_of_their_class():
    pairs, (some, many) = lots("ranking-noise", [0.8, 80], clipped=False)
    for found in (some, many):
        assert (found.truth == pairs.truth).all()
        assert (np.sort(found.scores, axis=2) == np.sort(pairs.scores, axis=2)).all()
    # After few swaps values are near, after many they are anywhere.
    steps = [np.abs(found.scores - pairs.scores).mean() for found in (some, many)]
    assert steps[0] < steps[1] / 3
    _, (summed,) = lots("ranking-noise", [8])
    assert summed.scores.sum(axis=3) == pytest.approx(1, abs=1e-12)


def test_shared_noise_is_the_same_for_both_models():
    _, (found,) = lots("label-noise", [40], shared=True)
    assert (found.truth[:, 0] == found.truth[:, 1]).all()
    pairs, (found,) = lots("probability-noise", [40], shared=True, clipped=False)
    moved = found.scores - pairs.scores
    assert moved[:, 0] == pytest.approx(moved[:, 1], abs=1e-12)


def test_drift_takes_the_last_class():
    known = profile_of({"prior": THREE})
    rng = np.random.default_rng(3)
    pairs = drawn(rng, known, 200)
    (found,) = WORLDS["class-drift"](rng, pairs, [20], known)
    assert sum(len(members) for members, _ in found) == 200
    for members, part in found:
        before, after = pairs.truth[members], part.truth
        for code in (0, 1):
            assert ((before == code).sum(axis=2) == (after == code).sum(axis=2)).all()
        gone = (before == 2).sum(axis=2) - (after == 2).sum(axis=2)
        assert (gone == np.minimum(20, (before == 2).sum(axis=2))).all()
        # Rows go with their labels.
        kept = {tuple(row) for row in pairs.scores[members[0], 0].tolist()}
        assert {tuple(row) for row in part.scores[0, 0].tolist()} <= kept


def test_levels_of_drift_end_where_no_positives_are_left():
    r = ma.simulate("class-drift", measures="acc", repetitions=20, prior=0.04)
    assert r.levels == pytest.approx([0.4 * step for step in range(11)])
    r = ma.simulate("class-drift", measures="acc", repetitions=20)
    assert r.levels == LEVELS["class-drift"]


# -- Bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"prior": [0.5, 0.3]}, "prior must sum to one over the classes; [0.5, 0.3] sum to 0.8"),
        ({"prior": [0.7, 0.3, 0.0]}, "prior must be a share above 0"),
        ({"prior": [1.0]}, "prior must be a share above 0"),
        ({"prior": []}, "prior must be a share above 0"),
        ({"prior": [0.5, "half"]}, "prior must be a share above 0"),
        ({"prior": None}, "prior must be a share above 0"),
        ({"prior": THREE, "error": 0.7}, "error must be between 0 and 0.667; got 0.7"),
        ({"prior": THREE, "gap": -0.1}, "gap must be between 0 and 0.667"),
        ({"prior": THREE, "error": 0.4, "gap": 0.4}, "no more than all"),
        ({"prior": THREE, "auc": 0.999}, "auc must be at most 0.993056"),
        ({"auc": 0.5}, "auc must be above 0.5"),
        ({"auc": 1.1}, "auc must be above 0.5 and at most 1"),
        ({"auc": "high"}, "auc must be above 0.5"),
        ({"auc": 0.9, "error": 0.1}, "pass error= or auc=, not both"),
        ({"auc": 0.52, "gap": 0.05}, "an area of 0.5 or more"),
        ({"auc": 0.9, "gap": -0.1}, "gap must be between 0 and 0.5, of areas"),
        ({"auc": 0.9, "gap": 0.0}, "must change one at least"),
        ({"labels": ["a", "b"]}, "labels and pos_label say what the classes of like= are"),
    ],
)
def test_a_world_that_cannot_be_is_refused_in_words(words, said):
    with pytest.raises(ma.WorldError) as refused:
        ma.simulate("label-noise", measures="acc", repetitions=10, **words)
    assert said in str(refused.value)


def test_a_measure_for_other_classes_is_refused_before_anything_is_drawn():
    with pytest.raises(ma.MeasureError, match="discriminant_power is for two classes"):
        ma.simulate("label-noise", measures=["discriminant_power"], repetitions=10**9, prior=THREE)
