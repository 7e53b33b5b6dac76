"""How many test examples a measure needs: against exact chances, and its own intervals."""

import random
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

import metricatlas as ma
from metricatlas.worlds.curve import Power
from metricatlas.worlds.power import SIZES, sampled
from metricatlas.worlds.profile import Profile, profile_of


def chances(error, gap, overlap, classes=2):
    """The chances that only the other model is right, and that only the better one is."""
    by_chance = 1 / classes
    other = error + gap
    # Of the better model's examples so many are drawn anew for the other one.
    anew = gap / (1 - by_chance - error)
    alike = (error * anew * by_chance, (1 - error) * anew * (1 - by_chance))
    apart = (error * (1 - other), (1 - error) * other)
    return [overlap * a + (1 - overlap) * b for a, b in zip(alike, apart, strict=True)]


def exact(sizes, error=0.05, gap=0.05, overlap=0.0, classes=2):
    """How often accuracy picks the better model, by the exact distribution of the difference."""
    against, for_it = chances(error, gap, overlap, classes)
    step, spread, found = np.array([against, 1 - against - for_it, for_it]), np.ones(1), []
    for n in range(1, max(sizes) + 1):
        spread = np.convolve(spread, step)
        if n in sizes:
            found.append(spread[n + 1 :].sum() + spread[n] / 2)
    return np.array(found)


def exactly_needed(most=400, share=0.95, **words):
    return 2 + np.argmax(exact(range(2, most), **words) >= share)


@pytest.mark.parametrize("overlap", [0.0, 0.5, 1.0])
@pytest.mark.parametrize(
    "words",
    [
        {"error": 0.05, "gap": 0.05},
        {"error": 0.2, "gap": 0.1, "prior": 0.05, "ties": 0.1, "confidence": 2.0},
        {"error": 0.1, "gap": 0.1, "prior": [0.5, 0.3, 0.2]},
    ],
    ids=["the paper's", "rare positives", "three classes"],
)
def test_accuracy_is_right_as_often_as_its_exact_distribution_says(words, overlap):
    sizes = [10, 30, 100, 300]
    r = ma.power(measures="acc", sizes=sizes, overlap=overlap, repetitions=6000, **words)
    classes = len(words["prior"]) if isinstance(words.get("prior"), list) else 2
    expected = exact(sizes, words["error"], words["gap"], overlap, classes)
    # Ties are half choices, so this is the most that the error can be.
    error = np.sqrt(expected * (1 - expected) / 6000)
    away = np.abs(r.curve["right"] - expected)
    assert (away <= 4 * error + 1e-9).all(), away / error


NEEDED = pytest.mark.parametrize(
    "words",
    [
        {"error": 0.05, "gap": 0.05},
        {"error": 0.1, "gap": 0.1, "overlap": 1.0},
        {"error": 0.2, "gap": 0.05, "overlap": 0.5},
    ],
    ids=["apart", "alike", "half alike"],
)


@NEEDED
def test_so_many_examples_are_needed_as_the_exact_distribution_says(words):
    r = ma.power(measures="acc", sizes=SIZES[:7], repetitions=10_000, **words)
    assert r.needed()["n"][0] == pytest.approx(exactly_needed(**words), rel=0.08)


@NEEDED
def test_an_interval_holds_the_size_that_is_needed(words):
    n, held = exactly_needed(**words), 0
    for seed in range(40):
        r = ma.power(measures="acc", sizes=SIZES[1:6], repetitions=400, seed=seed, **words)
        (line,) = r.needed().itertuples()
        # The upper end is NaN where it is beyond the largest size.
        held += line.low <= n and not line.high < n
    assert held >= 35


def of_curve(right, sizes=SIZES, share=0.95, repetitions=10**9, names=("acc",)):
    """Return a result with these shares, as if so many repetitions had none undecided."""
    sums = repetitions * np.asarray(right, dtype=float).reshape(len(sizes), -1)
    return Power(
        *(names, tuple(sizes), share, repetitions, Profile(), 0.0, None, None),
        *(sums, sums, np.zeros_like(sums)),
    )


@pytest.mark.parametrize("gap", [0.01, 0.02, 0.05, 0.1])
@pytest.mark.parametrize("share", [0.8, 0.95, 0.99])
def test_between_two_sizes_little_is_lost(gap, share):
    sizes = [n for n in SIZES if n <= 2560]
    r = of_curve(exact(sizes, gap=gap), sizes, share)
    needed = r.needed()["n"][0]
    curve = exact(range(2, 2561), gap=gap)
    if curve[-1] < share:
        assert isnan(needed)
    else:
        assert needed == pytest.approx(2 + np.argmax(curve >= share), rel=0.02, abs=1)


def test_a_mean_s_curve_is_a_straight_line():
    sizes = [10, 100, 1000]
    r = of_curve(norm.cdf(0.1 * np.sqrt(sizes)), sizes)
    assert r.needed()["n"][0] == np.ceil((norm.ppf(0.95) / 0.1) ** 2)


def test_what_no_size_suffices_for_is_said():
    r = ma.power(measures=["acc", "ece"], gap=0.01, sizes=[10, 20], repetitions=400)
    needed = r.needed()
    assert needed[["n", "low", "high"]].isna().all(axis=None)
    assert needed["says"].tolist() == ["more than 20", "more than 20"]


@pytest.mark.parametrize(
    ("right", "n", "says"),
    [
        ([0.97, 0.99, 0.999], 10, "10 or fewer"),
        # By hand: the lower bounds 0.9407 and 0.9846 are 0.141 of the way, from root 10 to 20.
        ([0.951, 0.99, 0.999], 10, "10 or fewer (to 12)"),
        ([0.6, 0.7, 0.8], None, "more than 40"),
        # The upper bounds 0.7197 and 0.9578 are 0.924 of the way, from root 20 to 40.
        ([0.6, 0.7, 0.949], None, "more than 40 (from 39 on)"),
        ([0.6, 0.7, 0.951], 40, "40 (38 to more than 40)"),
        # Shares 0.855, bounds 0.796 and 0.921 of the way, from root 10 to 20.
        ([0.6, 0.97, 0.97], 19, "19 (18 to 20)"),
    ],
)
def test_the_ends_are_said_in_words(right, n, says):
    (line,) = of_curve(right, [10, 20, 40], repetitions=2000).needed().itertuples()
    assert isnan(line.n) if n is None else line.n == n
    assert line.says == says


def test_a_curve_that_falls_by_chance_is_levelled():
    level, falling = (
        of_curve(right, [10, 20, 40]).needed()["n"][0]
        for right in ([0.6, 0.96, 0.96], [0.6, 0.97, 0.95])
    )
    assert level == falling


@given(right=st.lists(st.floats(0, 1), min_size=3, max_size=3))
def test_bounds_hold_what_is_needed_and_more_sure_needs_more(right):
    def needed(share):
        found = of_curve(right, [10, 100, 1000], share, repetitions=1000).needed()
        return [np.inf if isnan(x) else x for x in found.loc[0, ["low", "n", "high"]]]

    low, n, high = needed(0.9)
    assert low <= n <= high
    assert needed(0.8)[1] <= n


def test_two_models_of_the_population_are_as_good_as_said():
    rng = np.random.default_rng(0)
    for overlap in (0.0, 0.6, 1.0):
        for words in (
            {"error": 0.1, "gap": 0.1},
            {"auc": 0.85, "gap": 0.05, "prior": 0.2, "ties": 0.05},
            {"error": 0.2, "gap": 0.1, "prior": [0.6, 0.3, 0.1]},
        ):
            profile = profile_of(words, sized=False)
            pairs = sampled(rng, profile, (1, 100_000), overlap)
            truth = pairs.truth[0, 0]
            for model, more in ((0, 0.0), (1, words["gap"])):
                rows = pairs.scores[0, model]
                if "auc" in words:
                    assert roc_auc_score(truth, rows) == pytest.approx(0.85 - more, abs=0.01)
                else:
                    decided = rows > 0.5 if rows.ndim == 1 else rows.argmax(axis=1)
                    wrong = np.mean(decided != truth)
                    assert wrong == pytest.approx(words["error"] + more, abs=0.006)


def test_examples_that_both_see_alike_are_as_many_as_said():
    profile = profile_of({"error": 0.1, "gap": 0.1}, sized=False)
    for overlap in (0.0, 0.3, 1.0):
        pairs = sampled(np.random.default_rng(0), profile, (1, 100_000), overlap)
        same = (pairs.scores[:, 0] == pairs.scores[:, 1]).mean()
        # Of them 0.2 / 0.8 have been drawn anew.
        assert same == pytest.approx(0.75 * overlap, abs=0.006)


def in_plain_python(n, repetitions):
    """How often the area picks the better one of two models, of errors 0.1 and 0.3."""
    rng = random.Random(3)  # noqa: S311 - no secrets
    right = 0.0
    for _ in range(repetitions):
        truth = [rng.random() < 0.4 for _ in range(n)]
        values = []
        for anew in (0.2, 0.6):
            scores = [
                rng.random() if rng.random() < anew else rng.uniform(0.5, 1) - 0.5 * (not label)
                for label in truth
            ]
            high = [s for s, label in zip(scores, truth, strict=True) if label]
            low = [s for s, label in zip(scores, truth, strict=True) if not label]
            values.append(sum(a > b for a in high for b in low))
        right += 1.0 if values[0] > values[1] else 0.5 if values[0] == values[1] else 0.0
    return right / repetitions


def test_the_area_is_right_as_often_as_a_plain_program_says():
    r = ma.power(measures="auc", sizes=[12], error=0.1, gap=0.2, prior=0.4, repetitions=20_000)
    # Without positives, or negatives, both areas are no number, which is half a right choice.
    theirs = in_plain_python(12, 4000)
    assert r.curve["right"][0] == pytest.approx(theirs, abs=4 * 0.5 / np.sqrt(4000))


def test_it_is_like_real_predictions():
    rng = np.random.default_rng(1)
    y = (rng.random(300) < 0.3).astype(int)
    p = 1 / (1 + np.exp(1 - 1.5 * y - rng.normal(size=300))).round(2)
    profile = profile_of({"like": (y, p), "gap": 0.1}, sized=False)
    pairs = sampled(np.random.default_rng(0), profile, (1, 200_000), 0.5)
    areas = [roc_auc_score(pairs.truth[0, 0], pairs.scores[0, model]) for model in (0, 1)]
    assert areas == pytest.approx([roc_auc_score(y, p), roc_auc_score(y, p) - 0.1], abs=0.006)
    r = ma.power(measures=["auc", "brier"], like=(y, p), gap=0.1, repetitions=500)
    assert "like 300 real predictions" in repr(r)
    assert r.needed()["n"].notna().all()


def test_noise_that_leaves_nothing_makes_a_coin_of_every_choice():
    options = {"measures": ["acc", "auc"], "sizes": [50, 100], "repetitions": 3000}
    r = ma.power(world="label-noise", level=100, **options)
    assert r.curve["right"].to_numpy() == pytest.approx(0.5, abs=0.04)
    assert "label-noise at 100" in repr(r)
    some = ma.power(world="probability-noise", level=40, **options)
    none = ma.power(world="probability-noise", level=0, **options)
    plain = ma.power(**options)
    assert none.curve.equals(plain.curve)
    assert (some.curve["right"] < plain.curve["right"]).all()


def test_undefined_values_choose_half_a_time():
    r = ma.power(measures="auc", sizes=[5], prior=0.01, repetitions=2000)
    (line,) = r.curve.itertuples()
    assert line.undefined == pytest.approx(0.99**5, abs=0.02)
    assert line.right < 0.56


def test_the_numbers_are_the_same_for_any_number_of_workers(monkeypatch):
    tables = []
    for workers in ("1", "2", "5"):
        monkeypatch.setenv("METRICATLAS_THREADS", workers)
        r = ma.power(measures=["auc", "acc:auc"], sizes=[40, 400], repetitions=1000)
        tables.append(r.curve)
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_all_measures_that_choose_are_there_by_default():
    r = ma.power(sizes=[20, 60], repetitions=50)
    assert len(r.names) > 140
    lines = repr(r).splitlines()
    assert len(lines) == 12
    assert "95 times in 100, in 50 repetitions: prior 0.5, error 0.05, gap 0.05" in lines[0]
    table = r.needed()
    assert table["n"].dropna().is_monotonic_increasing
    assert sorted(table["measure"]) == sorted(r.names)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"n": 100}, "sizes= says which numbers"),
        ({"sizes": []}, "sizes must be whole numbers from 2 on"),
        ({"sizes": [1, 10]}, "sizes must be whole numbers from 2 on"),
        ({"sizes": [10.5]}, "sizes must be whole numbers from 2 on"),
        ({"sizes": [20, 10]}, "sizes must ascend"),
        ({"sizes": [10, 10]}, "each once"),
        ({"share": 0.5}, "share must be a number above 0.5 and below 1"),
        ({"share": 1}, "share must be a number above 0.5 and below 1"),
        ({"share": 0.999, "repetitions": 500}, "at least 1,000; got 500"),
        ({"overlap": 1.5}, "overlap must be a share from 0 to 1"),
        ({"overlap": "half"}, "overlap must be a share from 0 to 1"),
        ({"repetitions": 0}, "repetitions must be a whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"world": "label-noise"}, "a world and a level"),
        ({"level": 10}, "a world and a level"),
        ({"world": "nowhere", "level": 10}, "there is no world 'nowhere'"),
        ({"world": "class-drift", "level": 80}, "from 0 to 50"),
        ({"world": "ranking-noise", "level": 8}, "Choose another world"),
        ({"gap": 0}, "The gap must be above 0"),
        ({"gap": -0.1}, "gap must be between 0 and 0.5"),
        ({"error": 0.4, "gap": 0.2}, "no more than all"),
        ({"prior": 0}, "prior must be a share above 0"),
        ({"prior": [0.5, 0.4]}, "sum to 0.9"),
        ({"priors": 0.5}, "'prior'"),
    ],
)
def test_what_cannot_be_is_refused_in_words(words, said):
    with pytest.raises(ma.WorldError) as refused:
        ma.power(**{"measures": "acc", "repetitions": 100, **words})
    assert said in str(refused.value)
