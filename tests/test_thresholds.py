"""Thresholds: chosen as by trying all cuts, judged across folds as by hand, drawn as by copying."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import (
    balanced_accuracy_score,
    cohen_kappa_score,
    f1_score,
    fbeta_score,
    jaccard_score,
    matthews_corrcoef,
    precision_recall_curve,
    precision_score,
    recall_score,
    roc_curve,
)
from sklearn.model_selection import TunedThresholdClassifierCV
from worlds import catalogue_for

import metricatlas as ma
from metricatlas.decisions.cutting import cuts, judging
from metricatlas.decisions.cutting.folds import Folds
from metricatlas.decisions.cutting.scored import Scored

#: Measures as scikit-learn has them, by our names.
THEIRS = {
    "f1": lambda y, d, w: f1_score(y, d, sample_weight=w, zero_division=np.nan),
    "mcc": lambda y, d, w: matthews_corrcoef(y, d, sample_weight=w),
    "kappa": lambda y, d, w: cohen_kappa_score(y, d, sample_weight=w),
    "balanced_accuracy": lambda y, d, w: balanced_accuracy_score(y, d, sample_weight=w),
    "fbeta[beta=2]": lambda y, d, w: fbeta_score(
        y, d, beta=2, sample_weight=w, zero_division=np.nan
    ),
    "jaccard": lambda y, d, w: jaccard_score(y, d, sample_weight=w),
    "f1[macro]": lambda y, d, w: f1_score(
        y, d, average="macro", sample_weight=w, zero_division=np.nan
    ),
}
#: Every measure that decisions suffice for and that has a better side.
DECIDING = [
    m
    for m in catalogue_for(2).values()
    if m.needs == "labels" and m.better != "neither" and ":" not in str(m) and not m.point
]
QUICK = {"resamples": 39, "repeats": 2, "folds": 3}


def world(seed, n=40, levels=12, weights=None, prior=0.4):
    """Return truth, probabilities with so many levels, and weights."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prior).astype(int)
    y[:4] = 0, 1, 0, 1
    p = np.round((0.6 * rng.random(n) + 0.4 * rng.random(n) * y) * levels) / levels
    w = {None: None, "whole": rng.integers(1, 4, n), "fractional": rng.random(n) + 0.1}[weights]
    return y, p, w


def all_cuts(p):
    """Return the thresholds midway between neighbouring scores, with those at the ends."""
    scores = np.unique(p)
    return [-np.inf, *((scores[1:] + scores[:-1]) / 2), scores[-1]]


def best_by_trying(y, p, w, measure):
    """Return the lowest of the best thresholds, and the best value."""
    tried = [(t, measure(y, (p > t).astype(int), w)) for t in all_cuts(p)]
    most = np.nanmax([value for _, value in tried])
    return next((t, value) for t, value in tried if value >= most - 1e-12)


def oriented(measure, value):
    return float(ma.catalogue[measure].oriented(value))


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize("name", THEIRS)
def test_the_threshold_is_the_best_of_all_cuts(name, weights):
    for seed in range(4):
        y, p, w = world(seed, weights=weights)
        t = ma.thresholds(y, p, goals=name, sample_weight=w, **QUICK)
        threshold, value = best_by_trying(y, p, w, THEIRS[name])
        assert t.threshold() == pytest.approx(threshold, abs=1e-15)
        assert t.table["apparent"][0] == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("weights", [None, "fractional"])
def test_the_apparent_value_of_every_measure_is_that_at_its_best_cut(weights):
    y, p, w = world(3, 60, weights=weights)
    t = ma.thresholds(y, p, goals=DECIDING, sample_weight=w, **QUICK)
    plain = [m for m in DECIDING if not m.reduction]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        best = ma.evaluate(y, p, measures=[f"{m}@best" for m in plain], sample_weight=w)
    apparent = t.table.set_index("measure")["apparent"]
    for measure, value in zip(plain, best.values[0], strict=True):
        assert apparent[measure.name] == pytest.approx(value, rel=1e-12, nan_ok=True), measure
    for measure in DECIDING:
        decided = ma.measure(
            measure, y, p, sample_weight=w, threshold=t.threshold(goal=measure.name)
        )
        assert apparent[measure.name] == pytest.approx(decided, rel=1e-12), measure


def test_scikit_learn_finds_no_better_threshold():
    class Known(ClassifierMixin, BaseEstimator):
        """A model that has its probabilities as features."""

        def fit(self, x, y):
            self.classes_, self.n_features_in_ = np.unique(y), x.shape[1]
            return self

        def predict_proba(self, x):
            return np.column_stack([1 - x[:, 0], x[:, 0]])

    for seed in range(5):
        y, p, _ = world(seed, 80, levels=30)
        x = p[:, np.newaxis]
        tuned = TunedThresholdClassifierCV(
            Known().fit(x, y), scoring="f1", cv="prefit", refit=False, thresholds=np.unique(p)
        ).fit(x, y)
        t = ma.thresholds(y, p, goals="f1", **QUICK)
        assert t.table["apparent"][0] == pytest.approx(tuned.best_score_, abs=1e-12)


@pytest.mark.parametrize("wanted", [0.3, 0.5, 0.6, 0.75, 0.9])
def test_a_wanted_precision_is_had_with_the_highest_recall(wanted):
    for seed in range(8):
        y, p, _ = world(seed, 60)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ma.UndefinedWarning)
            t = ma.thresholds(y, p, goals=f"ppv>={wanted}", **QUICK)
        precision, recall, _ = precision_recall_curve(y, p)
        possible = recall[:-1][precision[:-1] >= wanted]
        if not len(possible):
            assert np.isnan(t.threshold())
            continue
        decided = p > t.threshold()
        assert recall_score(y, decided) == pytest.approx(possible.max(), abs=1e-15)
        # Of the cuts with this recall it is the lowest, of the least precision that will do.
        enough = precision[:-1][(recall[:-1] == possible.max()) & (precision[:-1] >= wanted)]
        assert precision_score(y, decided) == pytest.approx(enough.min(), abs=1e-15)
        assert t.table["apparent"].tolist() == pytest.approx([possible.max(), enough.min()])


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
def test_wanted_rates_are_had_as_on_the_roc_curve(weights):
    for seed in range(8):
        y, p, w = world(seed, 60, weights=weights)
        fpr, tpr, _ = roc_curve(y, p, sample_weight=w, drop_intermediate=False)
        goals = ["fpr<=0.2", "specificity>=0.8", "recall>=0.9", "fnr<=10%"]
        t = ma.thresholds(y, p, goals=goals, sample_weight=w, **QUICK)
        found = t.table.set_index(["goal", "measure"])["apparent"]
        most = tpr[fpr <= 0.2].max()
        least = fpr[tpr >= 0.9].min()
        assert found["fpr<=0.2", "recall"] == pytest.approx(most, abs=1e-12)
        assert found["specificity>=0.8", "recall"] == pytest.approx(most, abs=1e-12)
        assert found["recall>=0.9", "specificity"] == pytest.approx(1 - least, abs=1e-12)
        assert found["fnr<=10%", "specificity"] == pytest.approx(1 - least, abs=1e-12)
        # The language has the same values; with a rate of false alarms it has the same cut.
        asked = ["tpr@fpr=0.2", "fpr@tpr=0.9", "fpr@fpr=0.2"]
        at = ma.evaluate(y, p, measures=asked, sample_weight=w).values[0]
        assert at[:2] == pytest.approx([most, least], abs=1e-12)
        assert found["fpr<=0.2", "fpr"] == pytest.approx(at[2], abs=1e-12)


def test_any_measure_may_be_best_under_any_condition():
    for seed in range(8):
        y, p, _ = world(seed, 60)
        t = ma.thresholds(y, p, goals="f1 WHERE fpr <= .15", **QUICK)
        tried = [
            (f1_score(y, p > c, zero_division=np.nan), c)
            for c in all_cuts(p)
            if (p > c)[y == 0].mean() <= 0.15
        ]
        assert t.table["apparent"][0] == pytest.approx(np.nanmax([v for v, _ in tried]))
        assert t.table["measure"].tolist() == ["f1", "fpr"]


def test_of_equal_cuts_the_lowest_is_chosen():
    # 0.1 -, 0.2 +, 0.3 -, 0.4 -, 0.5 +: recall is 1/2 above .4, above .3 and above .2.
    y, p = [0, 1, 0, 0, 1], [0.1, 0.2, 0.3, 0.4, 0.5]
    t = ma.thresholds(y, p, goals=["fpr<=0.5", "recall>=0.5", "ppv>=0.5"], **QUICK)
    assert t.threshold(goal="fpr<=0.5") == pytest.approx(0.35)
    assert t.threshold(goal="recall>=0.5") == pytest.approx(0.45)
    assert t.threshold(goal="ppv>=0.5") == pytest.approx(0.15)


def test_costs_choose_and_lower_is_better():
    y = [0, 0, 1, 0, 1, 1, 0, 1]
    p = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    cost = ma.catalogue["cost"].using(costs=[[0, 1], [3, 0]])
    t = ma.thresholds(y, p, goals=cost, folds=8, resamples=39)
    # By hand: two false alarms above .2; with one miss it would be 3 and more.
    assert t.threshold() == 0.25
    assert t.table["apparent"][0] == 2 / 8
    line = t.table.iloc[0]
    assert line["optimism"] == line["honest"] - line["apparent"] > 0


def test_the_classes_of_costs_have_the_declared_order():
    y = np.array(["sick", "well", "sick", "well", "sick", "well"])
    p = np.array([0.9, 0.8, 0.6, 0.5, 0.3, 0.2])
    # 10 for a sick one sent home; sorted, sick comes first.
    cost = ma.catalogue["cost"].using(costs=[[0, 10], [1, 0]])
    t = ma.thresholds(y, p, goals=cost, pos_label="sick", **QUICK)
    assert t.threshold() == 0.25
    assert t.table["apparent"][0] == pytest.approx(2 / 6)


def by_hand_across_folds(y, p, w, folds, measure):
    """Return what all examples are worth if each is decided by the best cut of the other folds."""
    decided = np.zeros(len(y), dtype=int)
    kept = np.zeros(len(y), dtype=bool)
    for fold in np.unique(folds):
        rest, here = folds != fold, folds == fold
        own = None if w is None else w[rest]
        if len(np.unique(y[rest])) == 2:
            threshold, _ = best_by_trying(y[rest], p[rest], own, measure)
            decided[here], kept[here] = p[here] > threshold, True
    return measure(y[kept], decided[kept], None if w is None else w[kept])


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize("name", ["f1", "mcc"])
def test_the_honest_value_is_that_across_folds(name, weights):
    for seed in range(2):
        y, p, w = world(seed, weights=weights)
        t = ma.thresholds(y, p, goals=name, folds=4, repeats=3, resamples=39, sample_weight=w)
        expected = [
            by_hand_across_folds(y, p, w, folds, THEIRS[name]) for folds in t._folds.numbers
        ]
        assert t.table["honest"][0] == pytest.approx(np.mean(expected), abs=1e-12)


def test_with_a_fold_for_each_example_nothing_is_left_to_chance():
    y, p, _ = world(5, 30)
    t = ma.thresholds(y, p, goals="f1", folds=30, repeats=1, resamples=39)
    expected = by_hand_across_folds(y, p, None, np.arange(30), THEIRS["f1"])
    assert t.table["honest"][0] == pytest.approx(expected, abs=1e-12)


def scored(y, p, **given):
    given = {"sample_weight": None, "labels": None, "pos_label": None, "threshold": None, **given}
    return Scored.read(y, p, **{"kind": None, "clusters": None, **given})


@pytest.mark.parametrize("count", [2, 3, 5, 10])
def test_folds_are_of_the_same_make_up(count):
    y, p, _ = world(1, 103, prior=0.2)
    folds = Folds.of(scored(y, p), count, 4, 0)
    for numbers in folds.numbers:
        sizes = np.bincount(numbers, minlength=count)
        ones = np.bincount(numbers, weights=y, minlength=count)
        assert len(sizes) == count
        assert sizes.max() - sizes.min() <= 1
        assert ones.max() - ones.min() <= 1
    assert len({tuple(numbers) for numbers in folds.numbers}) == 4


def test_a_cluster_is_in_one_fold_and_is_drawn_whole():
    y, p, _ = world(2, 60)
    clusters = np.repeat(np.arange(20), 3)[np.random.default_rng(0).permutation(60)]
    t = ma.thresholds(y, p, goals="f1", folds=4, clusters=clusters, resamples=39)
    for numbers in t._folds.numbers:
        assert all(len(set(numbers[clusters == c])) == 1 for c in range(20))
    drawn = scored(y, p, clusters=clusters).draws(39, 0)
    for r, found in enumerate(t.resampled()[:5].tolist()):
        rows = np.repeat(np.arange(60), drawn.counts(slice(r, r + 1))[0][drawn.units])
        assert found == pytest.approx(best_by_trying(y[rows], p[rows], None, THEIRS["f1"])[0])


@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("weights", [None, "fractional"])
def test_a_resample_chooses_as_copied_examples_do(weights, stratified):
    y, p, w = world(7, 50, weights=weights)
    t = ma.thresholds(
        y, p, goals=["f1", "ppv>=0.6"], sample_weight=w, stratified=stratified, **QUICK
    )
    draws = scored(y, p, sample_weight=w).draws(39, 0, stratified=stratified)
    places = t._found[0].resampled[0]
    for r in range(20):
        rows = np.repeat(np.arange(50), draws.counts(slice(r, r + 1))[0][draws.units])
        own = None if w is None else w[rows]
        threshold, value = best_by_trying(y[rows], p[rows], own, THEIRS["f1"])
        assert t.resampled(goal="f1")[r] == pytest.approx(threshold, abs=1e-15)
        assert places.apparent[r, 0] == pytest.approx(value, abs=1e-12)
        in_use = THEIRS["f1"](y[rows], p[rows] > 0.5, own)
        assert places.in_use[r, 0] == pytest.approx(in_use, abs=1e-12)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ma.UndefinedWarning)
            copied = ma.thresholds(y[rows], p[rows], goals="ppv>=0.6", sample_weight=own, **QUICK)
        assert t.resampled(goal="ppv>=0.6")[r] == pytest.approx(copied.threshold(), nan_ok=True)


def test_across_folds_a_resample_keeps_the_decisions_that_were_made():
    y, p, _ = world(8, 50)
    t = ma.thresholds(y, p, goals="f1", folds=4, repeats=3, resamples=39)
    draws = scored(y, p).draws(39, 0)
    found = t._found[0].resampled[0].honest[:, 0]
    decided = np.zeros((3, 50), dtype=int)
    for way, folds in enumerate(t._folds.numbers):
        for fold in range(4):
            rest, here = folds != fold, folds == fold
            threshold, _ = best_by_trying(y[rest], p[rest], None, THEIRS["f1"])
            decided[way, here] = p[here] > threshold
    for r in range(39):
        counts = draws.counts(slice(r, r + 1))[0][draws.units]
        expected = f1_score(y, decided[r % 3], sample_weight=counts)
        assert found[r] == pytest.approx(expected, abs=1e-12)


def test_the_resamples_are_those_of_a_comparison():
    y, p, _ = world(9, 60)
    models = {"a": p, "b": p[::-1].copy()}
    t = ma.thresholds(y, models, goals="acc", resamples=60, seed=5)
    c = ma.compare(y, models, measures=["acc"], resamples=60, seed=5)
    for number in range(2):
        ours = t._found[number].resampled[0].in_use[:, 0]
        assert ours == pytest.approx(c._replicates.values[number, :, 0], abs=1e-15)


def test_intervals_cut_off_the_outer_resamples():
    y, p, _ = world(4, 60, levels=1000)
    t = ma.thresholds(y, p, goals="f1", resamples=99, level=0.9)
    ordered = np.sort(t.resampled())
    line = t.table.iloc[0]
    assert [line["low"], line["high"]] == [ordered[4], ordered[94]]
    honest = np.sort(t._found[0].resampled[0].honest[:, 0])
    assert [line["honest_low"], line["honest_high"]] == [honest[4], honest[94]]


def test_gains_are_differences_to_the_threshold_in_use():
    y, p, _ = world(4, 60)
    t = ma.thresholds(y, p, goals=["f1", "error_rate"], threshold=0.7, resamples=99)
    table, gains = t.table, t.gains
    for place, (measure, sign) in enumerate((("f1", 1), ("error_rate", -1))):
        in_use = ma.measure(measure, y, p, threshold=0.7)
        assert table["in_use"][place] == pytest.approx(in_use)
        gain = sign * (table["honest"][place] - in_use)
        assert gains["gain"][place] == pytest.approx(gain)
        drawn = t._found[0].resampled[place]
        gaps = sign * (drawn.honest[:, 0] - drawn.in_use[:, 0])
        better = np.mean(gaps > 0) + np.mean(gaps == 0) / 2
        assert gains["probability"][place] == pytest.approx(better)
        assert gains["low"][place] == np.sort(gaps)[1]


@pytest.mark.parametrize("threads", ["1", "3"])
@pytest.mark.parametrize("together", [1, 300, 1 << 18])
def test_workers_and_lots_change_no_number(threads, together, monkeypatch):
    y, p, w = world(6, 70, weights="fractional")
    goals = ["f1", "ppv>=0.5", "f1[macro]"]
    expected = ma.thresholds(y, p, goals=goals, sample_weight=w, resamples=60, seed=3)
    monkeypatch.setenv("METRICATLAS_THREADS", threads)
    monkeypatch.setattr(cuts, "TOGETHER", together)
    again = ma.thresholds(y, p, goals=goals, sample_weight=w, resamples=60, seed=3)
    assert again.table.equals(expected.table)
    assert again.gains.equals(expected.gains)
    other = ma.thresholds(y, p, goals=goals, sample_weight=w, resamples=60, seed=4)
    assert not other.table.equals(expected.table)


@pytest.mark.parametrize("weights", [None, "fractional"])
def test_blocks_that_are_passed_over_hold_no_best_cut(weights, monkeypatch):
    y, p, w = world(1, 3000, levels=10**6, weights=weights)
    given = {"goals": DECIDING, "sample_weight": w, "resamples": 39, "folds": 2, "repeats": 1}
    monkeypatch.setattr(judging, "BLOCK", 32)
    looked_at = []
    values = judging.Judge.values

    def counted(self, cells):
        looked_at.append(cells.tp.size)
        return values(self, cells)

    monkeypatch.setattr(judging.Judge, "values", counted)
    found = ma.thresholds(y, p, **given)
    few, looked_at[:] = sum(looked_at), []
    monkeypatch.setattr(judging, "BLOCK", 10**6)
    every = ma.thresholds(y, p, **given)
    assert found.table.equals(every.table)
    assert few < 0.6 * sum(looked_at)


def test_scores_of_noise_are_worth_nothing_but_seem_to_be():
    apparent, honest = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y, p = rng.permutation(np.repeat([0, 1], 20)), rng.random(40)
        line = ma.thresholds(y, p, goals="mcc", resamples=39).table.iloc[0]
        apparent.append(line["apparent"])
        honest.append(line["honest"])
    assert np.mean(apparent) > 0.2
    # The standard error of the mean of 60 is about .16 / sqrt(60) = .02.
    assert abs(np.mean(honest)) < 0.06


def test_honest_intervals_hold_what_they_should():
    covered = []
    for seed in range(120):
        rng = np.random.default_rng(seed)
        y = (rng.random(120) < 0.3).astype(int)
        scores = rng.normal(size=120) + 1.5 * y
        t = ma.thresholds(y, scores, goals="f1", kind="scores", repeats=3, resamples=199)
        # What the threshold is worth among all that there are.
        tp, fp = 0.3 * norm.sf(t.threshold() - 1.5), 0.7 * norm.sf(t.threshold())
        line = t.table.iloc[0]
        covered.append(line["honest_low"] <= 2 * tp / (tp + fp + 0.3) <= line["honest_high"])
    # Three standard errors about .95 are .06.
    assert 0.89 <= np.mean(covered) <= 1


def test_a_goal_that_no_cut_reaches_has_no_threshold_and_a_reason():
    y, p = [1, 0, 1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    with pytest.warns(ma.UndefinedWarning, match=r"no threshold of a for ppv>=0\.9\. No cut has"):
        t = ma.thresholds(y, {"a": p}, goals=["ppv>=0.9", "f1"], **QUICK)
    assert np.isnan(t.threshold(goal="ppv>=0.9"))
    assert t.reason(goal="ppv>=0.9") == "No cut has ppv >= 0.9."
    assert t.reason(goal="f1") == ""
    line = t.table.iloc[0]
    assert np.isnan(line[["threshold", "low", "high", "apparent", "honest"]].to_list()).all()
    assert "No cut has ppv >= 0.9." in repr(t)
    # Some resamples reach it.
    assert 0 < line["unreached"] < 1
    assert line["unreached"] == np.isnan(t.resampled(goal="ppv>=0.9")).mean()


def test_folds_that_hold_no_positives_are_told_and_judged_with_the_others():
    rng = np.random.default_rng(0)
    y = np.zeros(40, dtype=int)
    y[:3] = 1
    p = rng.random(40) * 0.6 + 0.4 * y
    t = ma.thresholds(y, p, goals="f1", folds=5, repeats=2, resamples=39)
    assert t.notes == (
        "There are 3 positives for 5 folds: some folds hold none. All folds are judged together.",
    )
    expected = [by_hand_across_folds(y, p, None, f, THEIRS["f1"]) for f in t._folds.numbers]
    assert t.table["honest"][0] == pytest.approx(np.mean(expected))


def test_with_one_positive_nothing_honest_can_be_said():
    y, p = [0, 0, 0, 0, 1, 0], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    t = ma.thresholds(y, p, goals="f1", **QUICK)
    assert t.threshold() == 0.45
    assert np.isnan(t.table["honest"][0])
    assert "for 33% of the folds the other examples reach the goal at no cut" in t.notes[1]


def test_the_ends_of_the_scores_are_thresholds():
    y, p = [1, 1, 1, 0], [0.2, 0.3, 0.4, 0.1]
    t = ma.thresholds(y, p, goals=["recall", "specificity"], **QUICK)
    assert t.threshold(goal="recall") == -np.inf
    assert t.threshold(goal="specificity") == pytest.approx(0.15)
    y = [0, 0, 1, 0]
    none = ma.thresholds(y, [0.2, 0.3, 0.1, 0.4], goals="acc", **QUICK)
    assert none.threshold() == 0.4
    assert ma.measure("fp", y, [0.2, 0.3, 0.1, 0.4], threshold=0.4) == 0


def test_neighbouring_numbers_have_nothing_between_them():
    low = 0.5
    high = np.nextafter(low, 1)
    t = ma.thresholds([0, 0, 1, 1], [0.1, low, high, 0.9], goals="f1", **QUICK)
    assert t.threshold() == low
    assert t.table["apparent"][0] == 1


def test_batches_dicts_and_kinds():
    y, p, _ = world(3, 30)
    batch = np.stack([p, 1 - p])[:, :, np.newaxis]
    t = ma.thresholds(y, batch, goals="f1", **QUICK)
    assert t.models == (0, 1)
    mixed = ma.thresholds(y, {"p": p, "margin": 4 * p - 2}, goals=["f1", "mcc"], **QUICK)
    assert mixed.models == ("p", "margin")
    assert mixed.threshold("margin", "f1") == pytest.approx(4 * mixed.threshold("p", "f1") - 2)
    in_use = mixed.table.set_index(["model", "goal"])["in_use"]
    assert np.isnan(in_use["margin", "f1"])
    assert in_use["p", "f1"] == pytest.approx(f1_score(y, p > 0.5))
    two = np.stack([np.stack([1 - p, p], axis=1)] * 2)
    members = ma.thresholds(y, {"net": two, "tree": p}, goals="f1", **QUICK)
    assert members.models == ("net[0]", "net[1]", "tree[0]")
    named = ma.thresholds(np.where(y == 1, "b", "a"), p, goals="f1", pos_label="b", **QUICK)
    assert named.threshold() == ma.thresholds(y, p, goals="f1", **QUICK).threshold()


def test_a_table_is_shown():
    y, p, _ = world(3, 30)
    t = ma.thresholds(y, {"a": p, "b": p**2}, goals=["f1", "ppv>=0.3"], resamples=99)
    text = repr(t)
    assert text.startswith("2 models, 2 goals, 99 resamples")
    assert len(text.splitlines()) == 3 + 6
    assert f"{t.threshold('b', 'f1'):.4f}" in text
    with pytest.raises(ma.DecisionError, match="say which model; there are 'a', 'b'"):
        t.threshold(goal="f1")
    with pytest.raises(ma.DecisionError, match="there is no goal 'f2'; the nearest are 'f1'"):
        t.threshold("a", "f2")


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 6), st.sampled_from([0.3, 1.0, 2.0])), min_size=4
    ).filter(lambda rows: 0 < sum(y for y, _, _ in rows) < len(rows)),
    st.sampled_from(["f1", "mcc", "gmean", "ppv>=0.6", "fpr<=0.25", "mcc where recall>=0.5"]),
)
def test_deciding_by_a_threshold_gives_its_apparent_values(rows, goal):
    y, s, w = (np.array(column) for column in zip(*rows, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        t = ma.thresholds(
            y, s / 2, goals=goal, sample_weight=w, kind="scores", folds=2, repeats=1, resamples=39
        )
        if np.isnan(t.threshold()):
            assert t.reason()
            return
        decided = ma.evaluate(
            y,
            s / 2,
            measures=t.table["measure"].tolist(),
            sample_weight=w,
            threshold=t.threshold(),
            kind="scores",
        )
    assert decided.values[0] == pytest.approx(t.table["apparent"].to_numpy(), abs=1e-12)


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        ("auc", "a cut is judged by a measure of decisions.*auc, which needs scores"),
        ("ppv@ks", "without a cut of its own; got ppv@ks, which has one"),
        ("f1:acc", "a measure of one level"),
        ("prevalence", "no value of prevalence is better"),
        ("ppv=0.9", "A goal is a measure, or is written as ppv>=0.9"),
        ("ppv>0.9", "written with >= or <="),
        ("ppv>=", "ends with a number or a share"),
        ("ppv>=nan", "ends with a number or a share"),
        ("ppv>=1.5", "lies between 0 and 1"),
        ("ppv<=0.9", "a condition on it is ppv>=0.9"),
        ("fpr>=0.1", "a condition on it is fpr<=0.1"),
        ("frequency_bias<=1", "that is best high, or best low"),
        ("mcc>=0.5", "Write 'recall where mcc>=0.5'"),
        ("recall where ppv", "after 'where' stands a condition"),
        ("recall where ppv>=0.5 where fpr<=0.5", "one condition at most"),
        ("fbeta", "needs beta"),
        ("cost", "needs costs"),
        ("f7", "there is no measure 'f7'"),
        (3, "a measure is asked for by its name"),
        ([], "goals must name one goal at least"),
    ],
)
def test_goals_that_are_not_understood_are_refused(goal, words):
    asked = [goal] if isinstance(goal, int) else goal
    with pytest.raises(ma.MetricAtlasError, match=words):
        ma.thresholds([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4], goals=asked, folds=2)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"predictions": [0, 1, 0, 1]}, "the predictions are labels"),
        ({"predictions": {"a": [0, 1, 0, 1]}}, "the predictions of a are labels"),
        ({"y_true": [0, 1, 2, 1], "predictions": np.eye(3)[[0, 1, 2, 1]] * 1.0}, "two classes"),
        ({"y_true": [1, 1, 1, 1]}, "examples of both classes; all 4 are 1"),
        ({"folds": 1}, "from 2 to that of the examples, 4"),
        ({"folds": 5}, "from 2 to that of the examples, 4"),
        ({"folds": 2.5}, "folds must be a whole number"),
        ({"clusters": ["a", "a", "b", "b"], "folds": 3}, "from 2 to that of the clusters, 2"),
        ({"clusters": ["a", "a", "a", "a"]}, "two or more; got one"),
        ({"repeats": 0}, "repeats must be a whole number from 1 on"),
        ({"resamples": 10}, "resamples must be a whole number from 39 on"),
        ({"level": 95}, "level must be a share"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"stratified": True, "clusters": ["a", "b", "a", "b"]}, "Leave one out"),
        ({"predictions": [0.1, 0.2, 0.3]}, "one row for each example"),
    ],
)
def test_what_has_no_threshold_is_refused(given, words):
    usual = {"y_true": [0, 1, 0, 1], "predictions": [0.1, 0.2, 0.3, 0.4], "folds": 2}
    with pytest.raises(ma.MetricAtlasError, match=words):
        ma.thresholds(**{**usual, **given})


def test_a_truth_for_each_model_is_refused():
    with pytest.raises(ma.DecisionError, match="the same truth; got one for each of 2"):
        ma.thresholds([[0, 1, 0, 1], [1, 0, 0, 1]], np.full((2, 4, 1), 0.5), folds=2)
