"""A comparison says what its numbers cannot say, and where measures disagree."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

import metricatlas as ma
from metricatlas.decisions.comparing.delong import (
    delong,
    half_width,
    on_log_odds,
    score_interval,
)


def models(count, n=120, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return y, {
        f"m{i}": np.clip(rng.normal(0.5 + 0.2 * (y - 0.5), 0.25), 0, 1) for i in range(count)
    }


def test_it_says_where_no_p_value_can_be_small_enough():
    y, p = models(10)
    few = ma.compare(y, p, measures=["brier"], resamples=1000)
    (note,) = few.notes
    # Holm multiplies the least p-value, 2 of 1,001, by 45 pairs.
    assert "1,000 resamples and 45 pairs" in note
    assert f"below {45 * 2 / 1001:.2g}" in note
    assert few.pairs["corrected"].min() >= 45 * 2 / 1001 - 1e-12
    assert "Note: with 1,000" in repr(few)
    assert ma.compare(y, p, measures=["brier"], resamples=1000, correction="none").notes == ()
    # Exact tests have no such bound.
    assert ma.compare(y, p, measures=["auc", "acc"], resamples=1000).notes == ()


def test_it_says_where_a_winner_by_pairs_has_the_smaller_number():
    y = np.repeat([0, 1], 500)
    in_order = np.linspace(0.0, 0.49, 1000)
    other = np.where(y == 1, 0.9, 0.1) + np.linspace(0, 0.05, 1000)
    other[500:502] = 0.05
    c = ma.compare(y, {"in order": in_order, "decided": other}, measures=["auc:acc"], resamples=99)
    assert c.winners.loc[0, "winner"] == "in order"
    assert c.winners.loc[0, "difference"] < 0
    (note,) = c.notes
    assert note.startswith("of auc:acc the winner is found by pairs, level by level; the lead is")


def test_disagreements_are_those_of_the_reasons_with_their_probabilities():
    y, p = models(3, seed=4)
    p["m0"] = p["m0"] / 2
    names = ["auc", "acc", "brier", "recall", "specificity", "mcc"]
    c = ma.compare(y, p, measures=names, resamples=200)
    found = c.disagreements
    assert len(found) > 0
    sure = c.pairs.set_index(["measure", "model", "other"])["probability"]
    for line in found.itertuples():
        pair = line.model, line.other
        assert line.probability == sure[line.measure, *pair]
        assert line.probability_against == 1 - sure[line.against, *pair]
    least = found[["probability", "probability_against"]].min(axis=1)
    assert (least.diff().dropna() <= 0).all()
    for one, other in (("m0", "m1"), ("m0", "m2"), ("m1", "m2")):
        told = ma.reasons(y, {k: p[k] for k in (one, other)}, measures=names)
        expected = {
            (f, g, w) if prefers == one else (g, f, w)
            for f, g, prefers, w in told[["f", "g", "f_prefers", "why"]].itertuples(index=False)
        }
        own = found[(found["model"] == one) & (found["other"] == other)]
        assert (
            set(own[["measure", "against", "why"]].itertuples(index=False, name=None)) == expected
        )


def test_disagreements_of_a_batch_of_frames_and_of_labels():
    y, p = models(2, seed=5)
    batch = np.stack(list(p.values()))[:, :, np.newaxis]
    by_name = ma.compare(y, p, measures=["auc", "acc", "recall"], resamples=60).disagreements
    by_number = ma.compare(y, batch, measures=["auc", "acc", "recall"], resamples=60).disagreements
    assert by_number["model"].unique().tolist() == [0]
    columns = ["measure", "against", "probability", "why"]
    pd.testing.assert_frame_equal(by_name[columns], by_number[columns])
    labels = {name: (values > 0.5).astype(int) for name, values in p.items()}
    decided = ma.compare(y, labels, measures=["acc", "recall", "specificity"], resamples=60)
    assert len(decided.disagreements) > 0
    assert set(decided.disagreements["why"]) <= {"class weight", "unknown"}


def test_crossings_are_those_of_the_door():
    y, p = models(3, seed=6)
    c = ma.compare(y, p, measures=["auc"], resamples=60)
    own = c.crossings("m2", "m0", resamples=80)
    door = ma.crossings(y, {"m2": p["m2"], "m0": p["m0"]}, resamples=80)
    pd.testing.assert_frame_equal(own.table, door.table)
    with pytest.raises(ma.DecisionError, match="there is no model 'm9'; the nearest are 'm"):
        c.crossings("m9", "m0")


def test_groups_are_needed_to_compare_over():
    y, p = models(2)
    with pytest.raises(ma.DecisionError, match=r"there must be groups .* Name groups=\."):
        ma.compare(y, p, measures=["auc"], resamples=60).across()
    c = ma.compare(y, p, measures=["auc"], resamples=60, groups=np.arange(len(y)) // 20)
    folds = c.across(folds=True)
    assert folds.datasets == tuple(range(6))
    assert folds.resampled_t().loc[0, "measure"] == "auc"


def test_an_area_of_a_single_positive_has_no_difference_that_could_be_told():
    rng = np.random.default_rng(0)
    y = np.arange(300) == 0
    c = ma.compare(y, {"a": rng.random(300), "b": rng.random(300)}, measures=["auc"], resamples=99)
    line = c.pairs.iloc[0]
    assert np.isnan([line["low"], line["high"], line["p"], line["corrected"]]).all()
    assert any("the rarest class has 1 example" in note for note in c.notes)


def test_areas_of_few_examples_are_held_on_the_scale_of_log_odds_and_not_on_their_own():
    rng = np.random.default_rng(0)
    area, sets = 0.921, 2000
    y = rng.random((sets, 50)) < 0.5
    scores = rng.normal(size=y.shape) + np.sqrt(2) * norm.ppf(area) * y
    held = np.zeros(2)
    for truth, score in zip(y, scores, strict=True):
        (found,), ((variance,),) = delong(truth, score[np.newaxis])
        half = half_width(variance, 0.95)
        held[0] += found - half <= area <= found + half
        if 0 < found < 1:
            low, high = on_log_odds(found, half)
            held[1] += low <= area <= high
        else:
            held[1] += area <= score_interval(found, truth.sum(), (~truth).sum(), 0.95)[1]
    assert held[0] / sets < 0.9
    least, most = binom.interval(0.999, sets, 0.95)
    assert least <= held[1] <= most
