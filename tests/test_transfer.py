"""Selection: what measures choose on small samples, judged by the rows left over."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from selection_by_hand import BINARY, MANY, by_hand, case

import metricatlas as ma
from metricatlas.decisions.selecting.subsamples import Subsamples
from metricatlas.worlds import graded_models


def drawn_by(y, sizes, repetitions, seed, *, stratified):
    """The samples that a seed gives."""
    samples = Subsamples.of(y, sorted(set(y.tolist())), sizes, stratified=stratified)
    (child,) = np.random.SeedSequence(seed).spawn(1)
    small, rest = samples.draw(np.random.default_rng(child), repetitions)
    return [list(zip(rows, rest, strict=True)) for rows in small]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("stratified", [False, True])
def test_choices_and_judgements_are_those_of_a_plain_program(classes, stratified):
    y, models = case(classes)
    measures = BINARY if classes == 2 else MANY
    names, sizes, repetitions = list(measures), [18, 24], 15
    found = ma.selection(
        y,
        dict(enumerate(models)),
        measures=names,
        judged_by=names,
        sizes=sizes,
        repetitions=repetitions,
        stratified=stratified,
        seed=5,
    )
    table = found.table.set_index(["judged_by", "chosen_by", "n"]).sort_index()
    drawn = drawn_by(y, sizes, repetitions, 5, stratified=stratified)
    for n, samples in zip(sizes, drawn, strict=True):
        theirs = by_hand(y, models, measures.items(), samples)
        for (f, g), lines in theirs.items():
            ours = table.loc[g, f, n]
            sign = -1 if g == "brier" else 1
            names = ["value", "regret", "share_best"]
            expected = lines[:, :3].mean(axis=0) * [sign, 1, 1]
            assert ours[names].to_numpy(float) == pytest.approx(expected, abs=1e-12)
            assert ours["correlation"] == pytest.approx(np.nanmean(lines[:, 3]), abs=1e-12)
            half = stats.t.ppf(0.975, repetitions - 1) * stats.sem(lines[:, 0])
            assert [ours["value_low"], ours["value_high"]] == pytest.approx(
                [expected[0] - half, expected[0] + half], abs=1e-7
            )
        for f, h in itertools.combinations(measures, 2):
            ours = found.difference(f, h, judged_by="acc").set_index("n").loc[n]
            pair = theirs[f, "acc"][:, 0], theirs[h, "acc"][:, 0]
            low, high = stats.ttest_rel(*pair).confidence_interval(0.95)
            expected = [np.mean(pair[0] - pair[1]), low, high]
            assert [ours["difference"], ours["low"], ours["high"]] == pytest.approx(
                expected, abs=1e-7
            )


def test_samples_are_as_likely_as_counting_all_of_them_says():
    y = np.array([0, 0, 0, 1, 1, 1])
    models = {"a": [0.1, 0.2, 0.9, 0.8, 0.7, 0.6], "b": [0.1, 0.2, 0.3, 0.8, 0.4, 0.4]}
    right = [(np.array(p) > 0.5) == y for p in models.values()]
    values = []
    for small in itertools.combinations(range(6), 2):
        rest = [i for i in range(6) if i not in small]
        before = [sum(int(r[i]) for i in small) for r in right]
        after = [Fraction(sum(int(r[i]) for i in rest), 4) for r in right]
        tied = [i for i in range(2) if before[i] == max(before)]
        values.append(sum(after[i] for i in tied) / len(tied))
    exact, spread = float(sum(values) / len(values)), np.std([float(v) for v in values])
    found = ma.selection(
        y,
        models,
        measures="acc",
        judged_by="acc",
        sizes=2,
        repetitions=40_000,
        stratified=False,
    ).table
    assert found["value"][0] == pytest.approx(exact, abs=4 * spread / 200)
    assert found["value_low"][0] < exact < found["value_high"][0]


def test_of_models_that_are_the_same_each_is_the_best():
    y, (p, *_) = case(2)
    found = ma.selection(y, {"a": p, "b": p, "c": p}, judged_by=["acc", "auc:acc"], sizes=20)
    table = found.table
    assert (table["regret"] == 0).all()
    assert (table[["regret_low", "regret_high"]] == 0).all(axis=None)
    assert (table["share_best"] == 1).all()
    # Nothing varied in a thousand repetitions, which does not make it certain.
    assert table["share_best_low"].between(0.99, 0.999).all()
    assert table["correlation"].isna().all()
    difference = found.difference("auc", "acc", judged_by="acc")
    assert difference["better"].tolist() == ["neither"]


def test_who_separates_the_classes_is_chosen_always():
    y = np.tile([0, 1], 50)
    models = {"right": 0.2 + 0.6 * y, "wrong": 0.8 - 0.6 * y, "none": np.full(100, 0.4)}
    names = ["acc", "auc", "brier", "log_loss"]
    table = ma.selection(y, models, measures=names, judged_by=names, repetitions=60).table
    assert sorted(set(table["n"])) == [25, 50]
    assert (table["regret"] == 0).all()
    assert (table["share_best"] == 1).all()
    assert (table["correlation"] == 1).all()
    assert table.query("judged_by == 'acc'")["value"].tolist() == [1.0] * 8
    assert table.query("judged_by == 'brier'")["value"].to_numpy() == pytest.approx(0.04)


def test_larger_samples_choose_better():
    y, models = graded_models(8, n=6000, error=0.1, gap=0.1)
    found = ma.selection(
        y, models, measures=["acc", "auc"], judged_by="acc", sizes=[20, 100, 500], repetitions=300
    ).table
    for _, part in found.groupby("chosen_by"):
        assert part["regret"].is_monotonic_decreasing
        assert part["correlation"].is_monotonic_increasing
        assert part["share_best"].is_monotonic_increasing


def bell_shaped(n, distances, seed=0):
    """Calibrated probabilities of scores that are normal in both classes, so far apart."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    scores = (d * (rng.normal(d * y) - d / 2) for d in distances)
    return y, {f"model {i}": 1 / (1 + np.exp(-s)) for i, s in enumerate(scores)}


def test_the_area_selects_for_accuracy_where_scores_are_normal_and_not_where_they_are_not():
    y, models = bell_shaped(10_000, np.linspace(2.5, 2, 10))
    normal = ma.selection(y, models, measures=["acc", "auc"], judged_by="acc", sizes=200)
    assert normal.difference("auc", "acc")["better"].tolist() == ["auc"]
    y, models = graded_models(10, n=10_000)
    drawn_anew = ma.selection(y, models, measures=["acc", "auc"], judged_by="acc", sizes=200)
    assert drawn_anew.difference("auc", "acc")["better"].tolist() == ["acc"]
    assert drawn_anew.difference("acc", "auc")["better"].tolist() == ["acc"]


# -- What is undefined -----------------------------------------------------------------------------


def test_a_model_without_a_value_is_not_chosen():
    y, (good, bad, *_) = case(2)
    never = np.full(len(y), 0.3)
    models = {"never": never, "good": good, "bad": bad}
    # Precision is undefined where nothing is decided positive.
    found = ma.selection(y, models, measures="ppv", judged_by="acc", sizes=20, repetitions=50)
    table = found.table
    assert table["undefined"][0] == 1
    alone = ma.selection(
        y,
        {"good": good, "bad": bad},
        measures="ppv",
        judged_by="acc",
        sizes=20,
        repetitions=50,
    )
    assert table["value"][0] == pytest.approx(alone.table["value"][0], abs=1e-12)
    # Two models are no correlation.
    assert np.isnan(table["correlation"][0])


def test_without_any_value_one_model_is_as_good_as_another():
    y = np.tile([0, 1], 20)
    models = {"a": np.full(40, 0.3), "b": np.full(40, 0.2), "c": 0.1 + 0.3 * y}
    table = ma.selection(
        y, models, measures="ppv", judged_by=["auc", "acc"], sizes=10, repetitions=9
    ).table
    assert table["value"].to_numpy() == pytest.approx([2 / 3, 1 / 2])
    assert table["share_best"].to_numpy() == pytest.approx([1 / 3, 1])
    assert table["undefined"].tolist() == [1, 1]


def test_repetitions_that_cannot_be_judged_do_not_count_and_are_told():
    y, (good, *_) = case(2, n=40)
    once = np.where(np.arange(40) == 0, 0.9, 0.1)
    found = ma.selection(
        y, {"good": good, "once": once}, measures="acc", judged_by=["ppv", "acc"], sizes=10
    )
    told = found.table.set_index("judged_by")
    # The only row that the one decides positive is drawn in a quarter of the repetitions.
    assert told.loc["ppv", "unjudged"] == pytest.approx(0.25, abs=0.06)
    assert told.loc["acc", "unjudged"] == 0
    # Where it can be judged, the one is right nowhere and the other always.
    assert told.loc["ppv", "value"] == told.loc["ppv", "share_best"] == 1
