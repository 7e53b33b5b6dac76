"""Advice: its evidence against other doors and by hand, and what follows from a case."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import metricatlas as ma
from metricatlas.decisions.advising.idle import idleness

SOME = ["acc", "f1", "mcc", "auc", "brier", "log_loss", "balanced_accuracy", "auc:acc", "ppv"]
ODD = ["recall", "mapr", "h_measure", "kappa"]


def wrong_by_power(measures, case, repetitions=300, seed=0):
    """Return the shares of wrong choices under each noise, as `power` has them."""
    given = {"sizes": [case["n"]], "repetitions": repetitions, "seed": seed}
    given |= {"prior": case.get("prior", 0.5), "shared": True}
    noises = [{}]
    if "label_noise" in case:
        noises.append({"world": "label-noise", "level": 200 * case["label_noise"]})
    if "drift" in case:
        noises.append({"world": "class-drift", "level": 100 * case["drift"] * given["prior"]})
    curves = [ma.power(measures=measures, **given, **noise).curve for noise in noises]
    wrong = [1 - curve["right"].to_numpy() for curve in curves]
    return pd.DataFrame(wrong, columns=measures).T, pd.concat(curves).groupby("measure")


@pytest.mark.parametrize(
    "case",
    [
        {"n": 60, "prior": 0.5},
        {"n": 300, "prior": 0.04},
        {"n": 60, "prior": 0.3, "label_noise": 0.1},
        {"n": 80, "prior": 0.2, "label_noise": 0.05, "drift": 0.5},
    ],
    ids=str,
)
def test_wrong_choices_are_those_of_test_sets_of_this_size(case):
    evidence = ma.advise(measures=SOME, repetitions=300, seed=3, **case).evidence
    wrong, curves = wrong_by_power(SOME, case, seed=3)
    found = evidence.set_index("measure").loc[SOME]
    np.testing.assert_allclose(found["wrong"], wrong.mean(axis=1), rtol=0, atol=1e-12)
    scenarios = ["plain", *(["label-noise"] if "label_noise" in case else [])]
    scenarios += ["class-drift"] if "drift" in case else []
    np.testing.assert_allclose(found[scenarios], wrong, rtol=0, atol=1e-12)
    assert (found["undefined"] == curves["undefined"].max()[SOME]).all()
    assert (np.diff(evidence["wrong"]) >= 0).all()
    assert (found["low"] <= found["wrong"]).all()
    assert (found["wrong"] <= found["high"]).all()


@pytest.mark.parametrize(
    ("changed", "use"),
    [({"prior": 0.04}, {"threshold": "fixed"}), ({"label_noise": 0.2}, {"probabilities": True})],
    ids=["prior", "label noise"],
)
def test_changing_one_word_changes_the_ranking_wherever_the_simulation_does(changed, use):
    before = {"n": 100, "prior": 0.5}
    names = SOME + ODD
    ranks, wrong, lists = [], [], []
    for case in (before, before | changed):
        advice = ma.advise(measures=names, repetitions=300, **use, **case)
        order = advice.evidence["measure"].tolist()
        ranks.append({name: order.index(name) for name in names})
        wrong.append(wrong_by_power(names, case)[0].mean(axis=1))
        lists.append(advice.select["measure"].tolist())
    turned = [
        (f, g)
        for f, g in combinations(names, 2)
        if (wrong[0][f] - wrong[0][g]) * (wrong[1][f] - wrong[1][g]) < -1e-9
    ]
    assert turned
    for f, g in turned:
        assert (ranks[0][f] < ranks[0][g]) != (ranks[1][f] < ranks[1][g])
    assert lists[0] != lists[1]


def test_traits_are_those_that_are_probed():
    evidence = ma.advise(measures=SOME, repetitions=100).evidence.set_index("measure")
    table = ma.traits(SOME).table
    assert evidence.loc[SOME, list(table.columns)].equals(table.loc[SOME])


def test_what_nothing_reaches_is_as_by_hand():
    names = ["acc", "brier", "f1", "recall", "mcc", "auc", "kappa", "lift", "log_loss", "ppv"]
    found = idleness(names, (0.96, 0.04))
    idle, lone = (dict(zip(names, part, strict=True)) for part in (found.idle, found.lone))
    assert idle["acc"] == pytest.approx(0.96, abs=1e-12)
    # The shares have p (1 - p); the opposite of the truth has 1, the truth itself 0.
    assert idle["brier"] == pytest.approx(1 - 0.04 * 0.96, abs=1e-12)
    # Always positive: precision p, recall 1.
    assert idle["f1"] == pytest.approx(2 * 0.04 / 1.04, abs=1e-12)
    assert idle["recall"] == 1
    assert idle["mcc"] == pytest.approx(0.5, abs=1e-12)
    assert idle["auc"] == pytest.approx(0.5, abs=1e-12)
    # Nothing is 0; the opposite of the truth is never right, and expected to be so 2 p (1 - p).
    chance = 2 * 0.04 * 0.96
    assert idle["kappa"] == pytest.approx(chance, abs=1e-12)
    # Of what has no bound there is no share of the way.
    assert np.isnan(idle["lift"])
    assert np.isnan(idle["log_loss"])
    assert lone["ppv"] == 1
    assert lone["acc"] == pytest.approx(0.96 + 0.04 / 100, abs=1e-12)
    assert dict(zip(names, found.infinite, strict=True)) == {n: n == "log_loss" for n in names}
    truth = np.repeat([0, 1], [96, 4])
    known = names[:-1]
    assert np.isnan(found.baseline[-1])
    expected = ma.baseline(truth, measures=known).values[0]
    np.testing.assert_allclose(found.baseline[:-1], expected, rtol=1e-12)


def test_of_several_classes_nothing_is_the_largest_one():
    found = idleness(["acc", "mcc", "recall[macro]"], (0.2, 0.5, 0.3))
    assert found.idle[0] == pytest.approx(0.5, abs=1e-12)
    assert found.idle[2] == pytest.approx(1 / 3, abs=1e-3)
    assert 0 < found.idle[1] < 1


def test_decisions_at_random_are_independent_of_the_truth():
    found = idleness(["frequency_bias", "mutual_information"], (0.75, 0.25))
    # As many are decided positive as are: the bias has its best value, and nothing is known.
    assert found.idle[0] == 1
    assert found.idle[1] == pytest.approx(0, abs=1e-12)


def test_accuracy_is_refused_where_the_largest_class_has_nearly_all():
    advice = ma.advise(n=300, prior=0.04, threshold="fixed", measures=SOME, repetitions=300)
    answer = advice.why_not("accuracy")
    assert (answer.measure, answer.select, answer.report) == ("acc", "refused", "refused")
    always = ma.measure("acc", np.repeat([0, 1], [288, 12]), np.zeros(300, dtype=int))
    assert f"{always:.1%} of the way" in str(answer)
    wrong = wrong_by_power(SOME, {"n": 300, "prior": 0.04})[0].mean(axis=1)
    assert f"on {wrong['acc']:.1%} (" in str(answer)
    assert answer.table["rule"].tolist() == ["idle"]
    evenly = ma.advise(n=300, threshold="fixed", measures=SOME, repetitions=300)
    assert evenly.why_not("acc").select == "chosen"
    assert evenly.why_not("acc").reasons == ()
    assert "on the list for selecting" in str(evenly.why_not("acc"))


def test_the_same_seed_gives_the_same_advice_whatever_the_workers(monkeypatch):
    found = []
    for workers in ("1", "3"):
        monkeypatch.setenv("METRICATLAS_THREADS", workers)
        advice = ma.advise(n=900, prior=0.05, label_noise=0.1, measures=SOME, repetitions=150)
        found.append((advice.evidence, advice.read("acc", "auc").table, str(advice)))
    for one, other in zip(*(part[:2] for part in found), strict=True):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    assert found[0][2] == found[1][2]
    other = ma.advise(
        n=900, prior=0.05, label_noise=0.1, measures=SOME, repetitions=150, seed=1
    ).evidence
    assert not other["wrong"].equals(found[0][0]["wrong"])


def test_costs_are_reported():
    costs = [[0, 1], [5, 0]]
    given = {"n": 40, "prior": 0.3, "measures": ["acc", "auc"], "repetitions": 50}
    fixed = ma.advise(costs=costs, threshold="fixed", **given).report
    assert fixed["measure"].tolist()[-1] == "expected_cost[costs=((0,1),(5,0))]"
    free = ma.advise(costs=costs, **given)
    assert free.report["measure"].tolist()[-1] == "expected_cost[costs=((0,1),(5,0))]@best"
    at = ma.advise(costs=costs, threshold=0.2, **given)
    assert at.report["measure"].tolist()[-1] == "expected_cost[costs=((0,1),(5,0))]@0.2"
    assert (
        at.evidence.set_index("measure").loc["expected_cost[costs=((0,1),(5,0))]@0.2", "cost"]
        == "yes"
    )
    assert "costs [[0.0, 1.0], [5.0, 0.0]]" in str(at)


def test_a_threshold_that_is_a_number_is_where_decisions_are_made():
    advice = ma.advise(
        n=100, prior=0.3, threshold=0.2, measures=["acc", "auc", "sar"], repetitions=300, seed=5
    )
    assert set(advice.evidence["measure"]) == {"acc@0.2", "auc"}
    assert any("sar" in note for note in advice.notes)
    curve = ma.power(
        measures="acc@0.2", sizes=[100], repetitions=300, seed=5, prior=0.3, shared=True
    ).curve
    own = advice.evidence.set_index("measure").loc["acc@0.2"]
    assert own["wrong"] == pytest.approx(1 - curve["right"][0], abs=1e-12)
    assert own["threshold"] == "yes"
    assert advice.why_not("acc").measure == "acc@0.2"
    assert advice.read("acc", "auc").f == "acc@0.2"


@pytest.fixture(scope="module")
def real():
    rng = np.random.default_rng(4)
    y = np.where(rng.random(400) < 0.25, "ill", "well")
    models = {}
    for name, noise in (("weak", 2.0), ("strong", 1.0), ("poor", 4.0)):
        odds = np.where(y == "ill", 1.5, -1.5) + noise * rng.normal(size=400)
        models[name] = 1 / (1 + np.exp(-odds))
    return y, models


def test_worlds_are_like_the_best_of_real_models(real):
    y, models = real
    areas = {name: roc_auc_score(y == "ill", p) for name, p in models.items()}
    best = max(areas, key=areas.get)
    advice = ma.advise(y, models, pos_label="ill", measures=["auc", "acc"], repetitions=200)
    profile = advice.case.profile
    assert advice.case.given.model == best
    assert profile.auc == pytest.approx(areas[best], abs=1e-12)
    assert profile.n == 400
    assert profile.prior == pytest.approx(np.mean(y == "ill"), abs=1e-12)
    assert best in " ".join(advice.notes)
    # The same as if only this one had come, or numbers had been said of it.
    alone = ma.advise(y, models[best], pos_label="ill", measures=["auc", "acc"], repetitions=200)
    assert alone.evidence.equals(advice.evidence)
    curve = ma.power(
        measures=["auc", "acc"],
        sizes=[400],
        repetitions=200,
        shared=True,
        like=(y, models[best]),
        pos_label="ill",
    ).curve
    wrong = advice.evidence.set_index("measure")["wrong"]
    np.testing.assert_allclose(wrong[["auc", "acc"]], 1 - curve["right"], rtol=0, atol=1e-12)


def test_size_and_prior_may_be_others_than_those_of_the_data(real):
    y, models = real
    advice = ma.advise(
        y, models, pos_label="ill", n=50, prior=0.1, measures=["auc"], repetitions=100
    )
    assert (advice.case.profile.n, advice.case.prior) == (50, 0.1)


def test_costs_with_names_are_those_of_the_classes(real):
    y, models = real
    costs = pd.DataFrame([[0, 1], [7, 0]], index=["well", "ill"], columns=["well", "ill"])
    plain = [[0, 1], [7, 0]]
    for order in (["well", "ill"], ["ill", "well"]):
        named = ma.advise(
            y,
            models,
            pos_label="ill",
            threshold="fixed",
            costs=costs.loc[order, order],
            measures=["auc"],
            repetitions=100,
        )
        assert named.case.costs == tuple(map(tuple, np.array(plain, dtype=float)))


def test_several_classes_have_advice_too():
    advice = ma.advise(n=60, classes=3, threshold="fixed", measures=["acc", "sar"], repetitions=50)
    assert advice.case.profile.priors == pytest.approx((1 / 3,) * 3)
    assert advice.report["measure"].tolist() == ["acc"]
    many = ma.advise(n=40, classes=5, costs=1 - np.eye(5), measures=["acc"], repetitions=50)
    assert len(many.evidence) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"prior": 0}, "prior must be a share above 0"),
        ({"n": 1}, "n must be a whole number from 2 on"),
        ({"n": 10.5}, "n must be a whole number"),
        ({"gap": -0.1}, "gap must be"),
        ({"gap": 0}, "leave two models room"),
        ({"error": 0.3, "gap": 0.3}, "leave two models room"),
        ({"label_noise": 0.6}, "label_noise must be the share of wrong labels"),
        ({"label_noise": -0.1}, "label_noise must be"),
        ({"drift": 1.0}, "drift must be"),
        ({"drift": 0.9, "prior": 0.9}, "half of the examples at most"),
        ({"threshold": "open"}, "threshold must be 'free', 'fixed'"),
        ({"threshold": 1.5}, "threshold must be"),
        ({"threshold": 0.3, "classes": 3}, "for two classes only"),
        ({"threshold": 0.3, "measures": "sar"}, "decides at 0.5, not at 0.3"),
        ({"probabilities": "yes"}, "probabilities must be True or False"),
        ({"classes": 1}, "classes must be a whole number from 2 on"),
        ({"classes": 3, "prior": 0.2}, "got 3 and 2"),
        ({"costs": [[0, 1]]}, "square matrix"),
        ({"costs": np.ones((3, 3))}, "a row and a column for each of 2 classes"),
        (
            {"costs": pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "b"])},
            "no classes have names here",
        ),
        ({"measures": []}, "at least one"),
        ({"measures": "prevalence"}, "which value is better"),
        ({"measurements": 3}, "must be Measurements"),
        ({"repetitions": 0}, "repetitions must be"),
        ({"seed": -1}, "seed must be"),
        ({"like": 1}, "advice has no like="),
        ({"noise": 1}, "a world has no 'noise'"),
        ({"auc": 0.9, "error": 0.1}, "must be said once"),
        ({"labels": [0, 1]}, "labels says what the classes of y_true are"),
        ({"y_true": [0, 1]}, "predictions is missing"),
        ({"predictions": [0.2, 0.1]}, "y_true is missing"),
        ({"y_true": [0, 1, 1], "predictions": [0, 1, 0]}, "must be probabilities"),
        ({"y_true": [0, 1, 1], "predictions": [0.1, 3.0, 2.0]}, "must be probabilities"),
        ({"y_true": [0, 1, 1], "predictions": [0.9, 0.1, 0.2]}, "know something"),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused(given, words):
    with pytest.raises(ma.MetricAtlasError, match=words):
        ma.advise(**given)


def test_few_measurements_say_nothing(real):
    y, models = real
    table = ma.evaluate(y, models, pos_label="ill", measures=["acc", "auc"])
    with pytest.raises(ma.DecisionError, match="10 models or more"):
        ma.advise(measures=["acc", "auc"], measurements=table)


@pytest.fixture(scope="module")
def few():
    return ma.advise(n=50, measures=["acc", "auc"], repetitions=100)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("auk", "there is no measure"),
        ("mcc", "not among the candidates; name it in measures="),
        ("prevalence", "of no value that it is better"),
        ("fbeta", "needs beta"),
        ("ici", "is slow"),
    ],
)
def test_a_measure_that_is_no_candidate_has_an_answer(measure, words, few):
    with pytest.raises(ma.MetricAtlasError, match=words):
        few.why_not(measure)


def test_one_s_own_measure_is_a_candidate():
    @ma.define_measure(bounds=(0, 1), better="lower", name="missed_for_advice")
    def missed(t: ma.TwoByTwo):
        return t.fn / t.total

    advice = ma.advise(n=60, measures=["missed_for_advice", "auc"], repetitions=100)
    answer = advice.why_not("missed_for_advice")
    assert answer.select == "refused"
    # Deciding positive always misses nothing.
    assert "idle" in answer.table["rule"].tolist()


def test_large_test_sets_are_fewer():
    assert ma.advise(n=20_000, measures=["acc"]).repetitions == 300
    assert ma.advise(n=100, measures=["acc"]).repetitions == 2000
