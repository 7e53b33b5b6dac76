"""Worlds: the experiments of ferri2009, what they draw, and how choices are counted."""

import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metricatlas as ma
from metricatlas.worlds.noise import LEVELS, MOST, SWAPS, WORLDS
from metricatlas.worlds.profile import Pairs, Profile, drawn
from metricatlas.worlds.reliability import Reliability
from metricatlas.worlds.swaps_scan import swap

#: What the readings of the paper in our list of errata give, computed elsewhere.
LABEL_NOISE = {"Acc": 0.291, "AU1U": 0.314, "SAUC": 0.314, "MSE": 0.314, "MPR": 0.314, "LogL": 0.33}
PROBABILITY_NOISE = {
    "AU1U": 0.0874,
    "MSE": 0.0867,
    "MPR": 0.128,
    "PAUC": 0.128,
    "SAUC": 0.157,
    "Acc": 0.177,
}


def test_label_noise_gives_what_the_paper_stands_for():
    found = ma.simulate("label-noise", measures=list(LABEL_NOISE), repetitions=40_000).average()
    for name, share in LABEL_NOISE.items():
        assert found[name] == pytest.approx(share, abs=0.003), name


def test_probability_noise_gives_what_the_paper_stands_for():
    names = list(PROBABILITY_NOISE)
    found = ma.simulate("probability-noise", measures=names, repetitions=20_000).average()
    for name, share in PROBABILITY_NOISE.items():
        assert found[name] == pytest.approx(share, abs=0.003), name


def test_class_drift_leaves_accuracy_nearly_alone():
    r = ma.simulate("class-drift", measures=["Acc", "AU1U"], levels=[46, 49], repetitions=40_000)
    wrong = r.wrong.set_index(["measure", "level"])["wrong"]
    assert 0.028 < wrong["Acc", 49] <= wrong["Acc", 46] < 0.037
    assert wrong["AU1U", 46] > 0.2


def test_ranking_noise_orders_the_groups_of_measures():
    found = ma.simulate(
        "ranking-noise", measures=["Acc", "KapS", "AU1U", "MSE", "MPR"], repetitions=4000
    ).average()
    assert max(found["AU1U"], found["MSE"], found["MPR"]) < min(found["Acc"], found["KapS"]) - 0.02


def in_plain_python(repetitions, percent, seed):
    """Wrong choices of accuracy and of the area under the curve, one pair of models at a time."""
    rng = random.Random(seed)  # noqa: S311 - no secrets
    wrong = {"acc": 0.0, "auc": 0.0}
    for _ in range(repetitions):
        better = [rng.random() for _ in range(100)]
        truth = [p > 0.5 for p in better]
        changed = rng.sample(range(100), 20)
        for i in changed[:10]:
            better[i] = rng.random()
        worse = list(better)
        for i in changed[10:]:
            worse[i] = rng.random()
        values = []
        for model in (better, worse):
            y = list(truth)
            for i in rng.sample(range(100), percent):
                y[i] = rng.random() < 0.5
            high = [p for p, label in zip(model, y, strict=True) if label]
            low = [p for p, label in zip(model, y, strict=True) if not label]
            right = sum((p > 0.5) == label for p, label in zip(model, y, strict=True))
            wins = sum(a > b for a in high for b in low)
            values.append({"acc": right / 100, "auc": wins / (len(high) * len(low))})
        for name in wrong:
            one, other = values[0][name], values[1][name]
            wrong[name] += 1.0 if other > one else 0.5 if other == one else 0.0
    return {name: count / repetitions for name, count in wrong.items()}


def test_choices_are_those_of_a_plain_program():
    theirs = in_plain_python(1500, 60, seed=1)
    ours = ma.simulate("label-noise", measures=["acc", "auc"], levels=[60], repetitions=20_000)
    for name, share in ours.average().items():
        # Four standard errors of the smaller sample.
        assert share == pytest.approx(theirs[name], abs=4 * 0.5 / np.sqrt(1500)), name


# -- What is drawn ---------------------------------------------------------------------------------


def pairs_of(count=400, **profile):
    return drawn(np.random.default_rng(0), Profile(**profile), count)


def test_the_models_differ_where_they_should():
    pairs = pairs_of(n=200, prior=0.3, error=0.1, gap=0.05)
    assert pairs.scores.shape == pairs.truth.shape == (400, 2, 200)
    wrong = ((pairs.scores > 0.5) != pairs.truth).mean(axis=(0, 2))
    assert wrong == pytest.approx([0.1, 0.15], abs=0.005)
    assert ((pairs.scores[:, 0] != pairs.scores[:, 1]).sum(axis=1) == 20).all()
    assert (pairs.truth[:, 0] == pairs.truth[:, 1]).all()
    assert pairs.truth.mean() == pytest.approx(0.3, abs=0.01)


def test_the_area_is_one_minus_the_error():
    pairs = pairs_of(n=500, error=0.2, gap=0.1)
    areas = ma.evaluate(
        pairs.truth.reshape(800, 500), pairs.scores.reshape(800, 500, 1), measures=["auc"]
    ).values.reshape(400, 2)
    assert areas.mean(axis=0) == pytest.approx([0.8, 0.7], abs=0.005)


def test_confidence_moves_probabilities_and_neither_ranks_nor_decisions():
    plain, sure = pairs_of(), pairs_of(confidence=3.0)
    assert (np.argsort(plain.scores) == np.argsort(sure.scores)).all()
    assert ((plain.scores > 0.5) == (sure.scores > 0.5)).all()
    before, after = (np.log(x.scores / (1 - x.scores)) for x in (plain, sure))
    # Further out the odds of a float near 1 have few digits.
    inner = np.abs(before) < 5
    assert inner.mean() > 0.95
    assert after[inner] == pytest.approx(3 * before[inner], rel=1e-6, abs=1e-6)


def test_ties_are_about_as_many_as_asked_for():
    scores = pairs_of(20, n=1000, ties=0.05).scores[:, 0]
    tied = np.mean([(row[:, np.newaxis] == row).sum() - 1000 for row in scores]) / (1000 * 999)
    assert tied == pytest.approx(0.05, abs=0.005)
    plain = pairs_of(20, n=1000).scores[:, 0]
    assert ((plain > 0.5) == (scores > 0.5)).all()


# -- Noise -----------------------------------------------------------------------------------------


def lots(world, levels, **profile):
    known = Profile(**profile)
    rng = np.random.default_rng(3)
    pairs = drawn(rng, known, 300)
    kept = Pairs(pairs.truth.copy(), pairs.scores.copy())
    found = list(WORLDS[world](rng, pairs, levels, known))
    # Noise is laid on copies.
    assert (pairs.truth == kept.truth).all()
    assert (pairs.scores == kept.scores).all()
    return pairs, found


@pytest.mark.parametrize("world", list(WORLDS))
def test_at_level_0_nothing_is_disturbed(world):
    pairs, ((lot,),) = lots(world, [0])
    part = lot[1]
    order, own = (np.argsort(x.scores, axis=2) for x in (pairs, part))
    for name in ("truth", "scores"):
        before = np.take_along_axis(getattr(pairs, name), order, axis=2)
        assert (before == np.take_along_axis(getattr(part, name), own, axis=2)).all()


@pytest.mark.parametrize("world", list(WORLDS))
def test_levels_begin_at_0_and_end_at_the_most(world):
    assert LEVELS[world][0] == 0
    assert LEVELS[world][-1] <= MOST[world]


def test_label_noise_tosses_exactly_so_many_labels_of_each_model():
    pairs, ((lot,),) = lots("label-noise", [40])
    turned = lot[1].truth != pairs.truth
    # Half of the tossed ones stay as they are.
    assert turned.sum(axis=2).mean() == pytest.approx(20, abs=0.5)
    assert turned.sum(axis=2).max() <= 40
    assert (turned[:, 0] != turned[:, 1]).any()
    _, ((lot,),) = lots("label-noise", [40], shared=True)
    assert (lot[1].truth[:, 0] == lot[1].truth[:, 1]).all()


def test_probability_noise_is_uniform_and_cut():
    pairs, ((lot,),) = lots("probability-noise", [40], clipped=False)
    moved = lot[1].scores - pairs.scores
    assert moved.min() == pytest.approx(-0.2, abs=1e-3)
    assert moved.max() == pytest.approx(0.2, abs=1e-3)
    assert moved.std() == pytest.approx(0.4 / np.sqrt(12), rel=0.01)
    _, ((lot,),) = lots("probability-noise", [40])
    assert lot[1].scores.min() == 0
    assert lot[1].scores.max() == 1


def test_swaps_move_each_class_one_place_at_a_time():
    truth = np.zeros((5, 2, 50), np.uint8)
    truth[:, :, 25] = 1
    states = np.arange(1, 11, dtype=np.uint64).reshape(5, 2)
    places = [np.argmax(truth, axis=2)]
    for _ in range(300):
        swap(truth, states, 1)
        places.append(np.argmax(truth, axis=2))
    steps = np.diff(places, axis=0)
    assert np.abs(steps).max() == 1
    # A place is one of two of 49 gaps, but at the ends.
    assert (steps != 0).mean() == pytest.approx(2 / 49, abs=0.01)
    assert (truth.sum(axis=2) == 1).all()


def test_the_ranking_is_one_chain_over_its_levels():
    _, found = lots("ranking-noise", [8, 80])
    _, alone = lots("ranking-noise", [80])
    assert (found[-1][0][1].truth == alone[0][0][1].truth).all()
    assert SWAPS == 100_000


def test_drift_takes_positives_of_each_model_of_its_own():
    pairs, (found,) = lots("class-drift", [30])
    for members, part in found:
        before, after = pairs.truth[members], part.truth
        assert ((before == 0).sum(axis=2) == (after == 0).sum(axis=2)).all()
        gone = before.sum(axis=2, dtype=int) - after.sum(axis=2, dtype=int)
        assert (gone == np.minimum(30, before.sum(axis=2, dtype=int))).all()
    assert sum(len(members) for members, _ in found) == 300


def test_drift_that_takes_all_positives_is_told_as_undefined():
    r = ma.simulate("class-drift", measures=["auc", "acc"], levels=[50], repetitions=2000)
    told = r.wrong.set_index("measure")
    assert told.loc["auc", "undefined"] > 0.4
    assert told.loc["acc", "undefined"] == 0
    # An undefined value chooses nothing: half a wrong choice.
    assert told.loc["auc", "wrong"] >= told.loc["auc", "undefined"] / 2


# -- Results ---------------------------------------------------------------------------------------


@given(seed=st.integers(0, 1000), batches=st.integers(1, 4))
def test_shares_are_means_over_repetitions(seed, batches):
    rng = np.random.default_rng(seed)
    r = Reliability.empty("label-noise", ["a", "b", "c"], [0, 10], Profile())
    parts = [rng.choice([0, 1, 2, 5], (rng.integers(1, 9), 2, 3)) for _ in range(batches)]
    for part in parts:
        r.add(part.astype(np.uint8))
    every = np.concatenate(parts)
    counted = np.where(every == 5, 1, every) / 2
    wrong = r.wrong.set_index(["measure", "level"])
    for i, name in enumerate("abc"):
        for j, level in enumerate((0, 10)):
            assert wrong.loc[(name, level), "wrong"] == pytest.approx(counted[:, j, i].mean())
            assert wrong.loc[(name, level), "undefined"] == (every[:, j, i] == 5).mean()
        assert r.average()[name] == pytest.approx(counted[:, :, i].mean())
    expected = np.cov(counted.mean(axis=1).T, ddof=1) / len(every) if len(every) > 1 else 0
    assert r._covariance() == pytest.approx(expected, abs=1e-12)


def test_measures_that_say_the_same_are_of_one_group():
    r = ma.simulate("label-noise", measures=["auc", "gini", "acc", "error_rate"], repetitions=5000)
    ranking = r.ranking().set_index("measure")
    assert ranking.loc["acc", "group"] == ranking.loc["error_rate", "group"] == 1
    assert ranking.loc["auc", "group"] == ranking.loc["gini", "group"] == 2
    assert ranking.loc["auc", "wrong"] == ranking.loc["gini", "wrong"]


def test_an_interval_holds_the_true_share():
    # 60 simulations of what is known from a much larger one.
    truth = ma.simulate("label-noise", measures="auc", levels=[70], repetitions=200_000, seed=99)
    share = truth.average()["auc"]
    held = 0
    for seed in range(60):
        line = ma.simulate(
            "label-noise", measures="auc", levels=[70], repetitions=400, seed=seed
        ).wrong.iloc[0]
        held += line["low"] <= share <= line["high"]
    assert held >= 52


def test_the_area_is_that_of_a_trapezoid():
    r = ma.simulate("label-noise", measures=["acc"], levels=[0, 20, 100], repetitions=500)
    a, b, c = r.wrong["wrong"]
    assert r.area()["acc"] == pytest.approx(((a + b) / 2 * 20 + (b + c) / 2 * 80) / 100)
    with pytest.raises(ma.WorldError, match="two levels"):
        ma.simulate("label-noise", measures=["acc"], levels=[50], repetitions=10).area()


def test_two_level_measures_choose_as_pairs():
    r = ma.simulate(
        "label-noise", measures=["auc", "acc", "auc:acc", "acc:auc"], ties=0.25, repetitions=3000
    )
    found = r.average()
    table = ma.simulate("label-noise", measures=["acc"], ties=0.25, repetitions=3000).average()
    assert found["acc"] == table["acc"]
    # Ties of accuracy are broken by the area, so the pair is no coin.
    assert found["acc:auc"] != found["acc"]
    assert found["auc:acc"] == pytest.approx(found["auc"], abs=0.01)


def test_all_measures_that_choose_are_there_by_default():
    r = ma.simulate("label-noise", levels=[50], repetitions=50)
    assert len(r.names) > 140
    assert {"auc", "brier", "mcc", "auc:acc"} <= set(r.names)
    assert "prevalence" not in r.names


def test_own_measures_choose_too():
    @ma.define_measure(bounds=(0, 1))
    def found_share(t: ma.TwoByTwo):
        return t.tp / t.total

    r = ma.simulate("label-noise", measures=["found_share"], levels=[0], repetitions=300)
    assert r.names == ("found_share",)
    assert r.average()["found_share"] < 0.4


def test_scores_that_are_not_cut_serve_measures_of_ranking_and_decisions():
    r = ma.simulate(
        "probability-noise", measures=["auc", "acc"], levels=[90], repetitions=500, clipped=False
    )
    assert 0 < r.average()["auc"] < 0.5
    with pytest.raises(ma.MeasureError, match="brier"):
        ma.simulate("probability-noise", measures=["brier"], clipped=False, repetitions=10)


# -- Determinism -----------------------------------------------------------------------------------


@pytest.mark.parametrize("world", list(WORLDS))
def test_the_numbers_are_the_same_for_any_number_of_workers(world, monkeypatch):
    tables = []
    for workers in ("1", "2", "5"):
        monkeypatch.setenv("METRICATLAS_THREADS", workers)
        levels = LEVELS[world][:4]
        r = ma.simulate(world, measures=["auc", "acc", "CalB"], levels=levels, repetitions=2500)
        tables.append(r.wrong)
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_another_seed_gives_other_numbers():
    one, other = (
        ma.simulate("label-noise", measures="auc", levels=[60], repetitions=500, seed=seed)
        for seed in (0, 1)
    )
    assert one.average() != other.average()


def test_a_simulation_can_be_stopped(tmp_path):
    program = (
        "import metricatlas as ma\n"
        "ma.simulate('label-noise', measures='acc', levels=[0], repetitions=1000)\n"
        "print('ready', flush=True)\n"
        "ma.simulate('ranking-noise', repetitions=10_000_000)\n"
    )
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, cwd=tmp_path)
    assert run.stdout.readline().strip() == b"ready"
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=60) != 0
    run.stdout.close()


# -- Bad input -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"world": "label_noise"}, "'label-noise'"),
        ({"levels": []}, "levels of label-noise must lie from 0 to 100"),
        ({"levels": [0, 101]}, "from 0 to 100"),
        ({"levels": [10, 5]}, "must ascend"),
        ({"levels": [5, 5]}, "must ascend"),
        ({"repetitions": 0}, "repetitions must be a whole number"),
        ({"repetitions": 2.5}, "repetitions must be a whole number"),
        ({"n": 1}, "n must be a whole number from 2 on; got 1"),
        ({"n": 99.5}, "n must be a whole number"),
        ({"n": True}, "n must be"),
        ({"prior": 0}, "prior must be a share above 0"),
        ({"prior": 1}, "prior must be a share above 0"),
        ({"prior": "half"}, "prior must be"),
        ({"gap": -0.1}, "gap must be between 0 and 0.5"),
        ({"gap": 0}, "must change one at least"),
        ({"gap": 0.001}, "must change one at least"),
        ({"error": 0.4, "gap": 0.2}, "no more than all"),
        ({"error": float("nan")}, "error must be"),
        ({"confidence": 0}, "confidence must be a number above 0"),
        ({"ties": 2}, "ties must be a share"),
        ({"priors": 0.5}, "'prior'"),
        ({"measures": ["prevalence"]}, "which value is better"),
    ],
)
def test_a_world_that_cannot_be_is_refused_in_words(arguments, words):
    asked = {"world": "label-noise", "measures": ["acc"], "repetitions": 10, **arguments}
    with pytest.raises(ma.WorldError) as refused:
        ma.simulate(asked.pop("world"), **asked)
    assert words in str(refused.value)


def test_an_unknown_measure_is_refused_before_anything_is_drawn():
    with pytest.raises(ma.MeasureError, match="auk"):
        ma.simulate("label-noise", measures=["auk"], repetitions=10**9)


def test_it_shows_the_most_reliable_measures_first():
    r = ma.simulate("label-noise", measures=["auc", "acc"], repetitions=2000)
    lines = repr(r).splitlines()
    assert "2,000 repetitions, averaged over 11 levels" in lines[0]
    assert [line.split()[1] for line in lines[1:]] == ["acc", "auc"]
