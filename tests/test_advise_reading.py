"""Populations of models, and whether results in one measure can be read as results in another."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import metricatlas as ma
from metricatlas.decisions.advising.populations import KINDS, MODELS, POPULATIONS, Populations
from metricatlas.worlds.profile import profile_of

EQUALLY, DIFFERENTLY = KINDS


def measured(measures, seed=0, **profile):
    return Populations(profile_of(profile, sized=False), seed).measured(measures)


@pytest.fixture(scope="module")
def advice():
    return ma.advise(n=80, prior=0.3, measures=["acc", "auc", "brier", "auc:acc"], repetitions=100)


@pytest.mark.parametrize(("f", "g"), [("acc", "auc"), ("auc", "brier"), ("acc", "auc:acc")])
def test_a_reading_is_what_all_pairs_of_models_say(advice, f, g):
    table = measured(["acc", "auc", "brier"], n=80, prior=0.3)
    turned = table.oriented().to_pandas()
    reading = advice.read(f, g).table.set_index("models")
    for kind, models in turned.groupby("models", sort=False):
        correlations, shares = [], []
        for _, own in models.groupby("population"):
            pair = list(zip(own["auc"], own["acc"], strict=True))
            places = [sorted(pair).index(one) for one in pair]
            values = own.assign(**{"auc:acc": places})[[f, g]].to_numpy()
            correlations.append(spearmanr(values).statistic)
            alike = [
                1 if a * b > 0 or a == b == 0 else 0.5 if a * b == 0 else 0
                for a, b in (np.sign(x - y) for x, y in combinations(values, 2))
            ]
            shares.append(np.mean(alike))
        assert len(correlations) == POPULATIONS
        line = reading.loc[kind]
        assert line["correlation"] == pytest.approx(np.mean(correlations), abs=1e-12)
        ends = np.quantile(correlations, [0.05, 0.95])
        assert [line["low"], line["high"]] == pytest.approx(ends.tolist(), abs=1e-12)
        assert line["alike"] == pytest.approx(np.mean(shares), abs=1e-12)
        ends = np.quantile(shares, [0.05, 0.95])
        assert [line["alike_low"], line["alike_high"]] == pytest.approx(ends.tolist(), abs=1e-12)


def test_models_go_from_the_better_to_the_other_in_equal_steps():
    table = measured(["acc", "auc"], n=10_000, error=0.1, gap=0.2).to_pandas()
    means = table.groupby("model")[["acc", "auc"]].mean()
    expected = 0.9 - np.linspace(0, 0.2, MODELS)
    # Forty times ten thousand examples, half of them the same.
    assert np.abs(means["acc"] - expected).max() < 4 * np.sqrt(0.25 / 200_000)
    assert np.abs(means["auc"] - expected).max() < 4 * np.sqrt(0.25 / 200_000)


def test_only_how_sure_models_are_differs_between_the_kinds():
    table = measured(["acc", "auc", "brier", "predicted_positive_rate"], n=200, prior=0.3)
    kinds = {k: t.drop(columns="models") for k, t in table.to_pandas().groupby("models")}
    one, other = (kinds[k].reset_index(drop=True) for k in (EQUALLY, DIFFERENTLY))
    same = ["acc", "auc", "predicted_positive_rate"]
    pd.testing.assert_frame_equal(one[same], other[same], check_exact=True)
    assert (one["brier"] != other["brier"]).all()


def test_models_that_are_more_or_less_sure_part_calibration_from_ranking(advice):
    lines = advice.read("auc", "brier").table.set_index("models")["correlation"]
    assert lines[EQUALLY] > 0.8
    assert lines[DIFFERENTLY] < 0.75
    assert advice.read("auc", "brier").verdict == "no"


def test_populations_of_several_classes_are_graded_too():
    table = measured(["acc", "log_loss"], n=2000, prior=[0.5, 0.3, 0.2], error=0.1, gap=0.3)
    means = table.to_pandas().groupby("model")["acc"].mean()
    assert means.iloc[0] == pytest.approx(0.9, abs=0.01)
    assert means.iloc[-1] == pytest.approx(0.6, abs=0.01)
    assert np.isfinite(table["log_loss"]).all()


def test_populations_are_like_real_predictions():
    rng = np.random.default_rng(1)
    y = (rng.random(500) < 0.3).astype(int)
    p = np.clip(0.3 * y + 0.7 * rng.random(500), 0, 1)
    table = measured(["auc"], like=(y, p), gap=0.1, n=5000).to_pandas()
    means = table.groupby("model")["auc"].mean()
    area = ma.measure("auc", y, p)
    assert means.iloc[0] == pytest.approx(area, abs=0.01)
    assert means.iloc[-1] == pytest.approx(area - 0.1, abs=0.01)


def test_measures_that_are_no_candidates_can_be_read(advice):
    reading = advice.read("kappa", "ici")
    assert np.isfinite(reading.table["correlation"]).all()
    assert advice.read("accuracy", "acc").table["alike"].tolist() == [1, 1]
    with pytest.raises(ma.MeasureError, match="no measure"):
        advice.read("auk", "acc")
    with pytest.raises(ma.DecisionError, match="which value is better"):
        advice.read("prevalence", "acc")


def test_what_never_varies_is_unknown(advice):
    reading = advice.read("auc_printed", "acc")
    assert reading.verdict == "unknown"
    assert "Nothing is known" in str(reading)


@pytest.fixture(scope="module")
def own():
    """Return two data sets of models, in which the second measure turns round."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "dataset": np.repeat(["a", "b"], 10),
            "acc": np.tile(np.arange(10) / 10, 2),
            "mcc": np.tile(np.arange(10) / 10, 2),
        }
    )
    frame["brier"] = np.where(frame["dataset"] == "a", frame["acc"], 1 - frame["acc"])
    frame["auc"] = rng.permutation(20) / 20
    return ma.Measurements.from_frame(frame, keys=["dataset"])


def test_the_user_s_own_measurements_are_what_measures_are_related_over(own):
    names = ["acc", "mcc", "auc", "f1"]
    found = ma.advise(n=100, threshold="fixed", measures=names, measurements=own, repetitions=200)
    (first, second) = sorted(["acc", "mcc"], key=found.evidence["measure"].tolist().index)
    assert found.why_not(second).select in ("redundant", "chosen")
    assert {found.why_not(first).select, found.why_not(second).select} == {"chosen", "redundant"}
    assert found.why_not("f1").select == "chosen"
    assert any("1 of 4 candidates are not among the measurements" in note for note in found.notes)
    reading = found.read("acc", "brier")
    (line,) = reading.table.to_dict("records")
    # Perfectly alike in one data set (lower is better), and turned round in the other.
    assert (line["correlation"], line["alike"]) == (0, 0.5)
    assert (line["low"], line["high"]) == pytest.approx((-0.9, 0.9))
    assert line["populations"] == 2
    assert found.read("acc", "mcc").verdict == "yes"
    with pytest.raises(ma.DecisionError, match="no measurements of 'kappa'"):
        found.read("kappa", "acc")
