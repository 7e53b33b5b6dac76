"""What a comparison reads off its resamples, worked out again from the rows that were drawn."""

from math import isclose

import numpy as np
import pandas as pd
import pytest
from resamples_by_hand import Watched, by_example, repeated
from worlds import world

import metricatlas as ma
from metricatlas.decisions.comparing import replicates as module

MEASURES = ["auc", "acc", "brier", "recall", "auc:acc", "f1@best", "calibration_in_the_large"]
CLOSE = {"rtol": 1e-11, "atol": 1e-13}


def two_models(n, seed=0, **options):
    first = world(seed, n, **options)
    other = world(seed, n, skill=2.0, **{"ties": True, **options})
    return first.y, {"a": first.p[:, 1], "b": other.p[:, 1]}, first.w


def mean_of_defined(tables):
    """Average over groups, one by one, leaving out where a value is undefined."""
    with np.errstate(invalid="ignore"):
        known = [~np.isnan(t) for t in tables]
        return sum(np.where(k, t, 0.0) for k, t in zip(known, tables, strict=True)) / sum(known)


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize(
    "of", ["examples", "groups", "clusters", "both", "strata", "strata of groups"]
)
def test_resamples_are_of_each_group_and_values_are_means_over_groups(
    of, weights, method, monkeypatch
):
    y, models, mass = two_models(90, weights=weights)
    rng = np.random.default_rng(1)
    groups = rng.choice(["x", "z", "y"], 90) if "groups" in of or of == "both" else None
    clusters = rng.integers(0, 25, 90) if of in ("clusters", "both") else None
    watched = Watched(
        monkeypatch,
        y,
        models,
        measures=MEASURES,
        sample_weight=mass,
        groups=groups,
        clusters=clusters,
        stratified="strata" in of,
        resamples=39,
        interval=method,
    )
    members = [np.arange(90)]
    if groups is not None:
        members = [np.flatnonzero(groups == name) for name in ("x", "y", "z")]
    assert len(watched.draws) == len(members)
    tables, points, jackknives = [], [], []
    for rows, draws in zip(members, watched.draws, strict=True):
        counts = by_example(draws)
        held = None if mass is None else mass[rows]
        own = {name: p[rows] for name, p in models.items()}
        tables.append(repeated(y[rows], own, MEASURES, counts, held))
        points.append(repeated(y[rows], own, MEASURES, np.ones((1, len(rows)), int), held)[:, 0])
        if "strata" in of:
            assert (counts[:, y[rows] == 1].sum(axis=1) == y[rows].sum()).all()
        if clusters is not None:
            for cluster in np.unique(clusters[rows]):
                together = counts[:, clusters[rows] == cluster]
                assert (together == together[:, :1]).all()
    found = watched.replicates
    np.testing.assert_allclose(found.values, mean_of_defined(tables), **CLOSE)
    np.testing.assert_allclose(found.points, mean_of_defined(points), **CLOSE)
    place = MEASURES.index("auc:acc")
    both = [MEASURES.index("auc"), MEASURES.index("acc")]
    np.testing.assert_allclose(found.levels[place][1], found.values[:, :, both], **CLOSE)
    np.testing.assert_allclose(found.levels[place][0], found.points[:, both], **CLOSE)
    if method == "percentile":
        assert not watched.deletions
        assert found.without is None
        return
    for rows, left_out, point in zip(members, watched.deletions, points, strict=True):
        counts = by_example(left_out)
        units = np.arange(len(rows)) if clusters is None else clusters[rows]
        # Every unit is left out once: there are fewer of them than blocks.
        assert len(counts) == len(np.unique(units))
        assert ((counts == 0).sum(axis=0) == 1).all()
        held = None if mass is None else mass[rows]
        own = {name: p[rows] for name, p in models.items()}
        less = repeated(y[rows], own, MEASURES, counts, held)
        jackknives.append((less - point[:, np.newaxis]) / len(members))
    np.testing.assert_allclose(found.without, np.concatenate(jackknives, axis=1), **CLOSE)


def test_many_units_are_left_out_in_blocks_of_one_size(monkeypatch):
    y, models, _ = two_models(257)
    watched = Watched(monkeypatch, y, models, measures=["brier"], resamples=39, interval="bca")
    counts = by_example(watched.deletions[0])
    assert len(counts) == module.BLOCKS
    assert set((counts == 0).sum(axis=1).tolist()) == {
        257 // module.BLOCKS,
        257 // module.BLOCKS + 1,
    }
    assert ((counts == 0).sum(axis=0) == 1).all()


def test_groups_are_drawn_apart_and_seeds_are_their_own(monkeypatch):
    y, models, _ = two_models(80)
    options = {"measures": ["brier"], "groups": [0] * 40 + [1] * 40, "resamples": 60}
    counts = [by_example(d) for d in Watched(monkeypatch, y, models, **options).draws]
    assert not np.array_equal(counts[0], counts[1])
    other = [by_example(d) for d in Watched(monkeypatch, y, models, seed=1, **options).draws]
    again = [by_example(d) for d in Watched(monkeypatch, y, models, seed=0, **options).draws]
    assert not np.array_equal(other[0], counts[0])
    assert np.array_equal(again[0], counts[0])
    assert np.array_equal(again[1], counts[1])


@pytest.mark.filterwarnings("ignore::metricatlas.UndefinedWarning")
def test_a_group_may_weight_by_whole_numbers_where_another_does_not():
    y, models, _ = two_models(80)
    weight = np.where(np.arange(80) < 40, 0.5, 1.0)
    groups = np.arange(80) // 40
    for measures in (None, ["acc", "precision_at_k[k=3]"]):
        c = ma.compare(
            y, models, measures=measures, sample_weight=weight, groups=groups, resamples=39
        )
        values = c._replicates.values
        assert values.shape == (2, 39, len(c.measurements.schema))
        counted = [i for i, n in enumerate(c.measurements.columns) if n == "precision_at_k[k=3]"]
        assert np.isnan(values[:, :, counted]).all()
        assert np.isfinite(values[:, :, c.measurements.place("acc")]).all()


def compared(a, b):
    """Say which of two is better, 1, 0 or -1: by the first level that differs beyond rounding."""
    levels = zip(np.atleast_1d(a), np.atleast_1d(b), strict=True)
    return next((1 if x > z else -1 for x, z in levels if not isclose(x, z, rel_tol=1e-12)), 0)


def by_hand(upright, one, other):
    """How often the first is better, and the p-value, resample by resample."""
    pairs = zip(upright[one], upright[other], strict=True)
    told = [compared(a, b) for a, b in pairs if not np.isnan([a, b]).any()]
    if not told:
        return np.nan, np.nan
    tail = 1 + min(told.count(1), told.count(-1)) + told.count(0)
    share = (told.count(1) + told.count(0) / 2) / len(told)
    return share, min(1.0, 2 * tail / (len(told) + 1))


def rare_positives(n=25):
    rng = np.random.default_rng(3)
    y = (np.arange(n) < 2).astype(int)
    return y, {name: np.round(rng.random(n), 1) for name in "abc"}


@pytest.mark.parametrize("case", ["usual", "rare", "infinite"])
def test_probabilities_and_p_values_are_counted_over_resamples(case):
    y, models = rare_positives() if case == "rare" else two_models(40, ties=True)[:2]
    models["c"] = 1 - models["a"]
    if case == "infinite":
        models["a"] = np.where(np.arange(40) == 0, 1.0 - y[0], models["a"])
        models["b"] = np.where(np.arange(40) == 1, 1.0 - y[1], models["b"])
    measures = [
        "auc",
        "log_loss",
        "calibration_in_the_large",
        "auc:acc",
        "recall",
        "f1@best",
        "calibration_slope",
    ]
    c = ma.compare(
        y, models, measures=measures, resamples=101, interval="percentile", correction="none"
    )
    found, names = c._replicates, list(models)
    pairs = c.pairs.set_index(["measure", "model", "other"])
    for i, column in enumerate(found.schema):
        values = found.values[:, :, i]
        best = {"lower": -values, "zero": -abs(values), "one": -abs(values - 1)}
        upright = best.get(column.better, values)
        if column.name == "auc:acc":
            upright = found.values[:, :, [measures.index("auc"), 0]].copy()
            upright[:, :, 1] = found.levels[i][1][:, :, 1]
        for one, other in ((0, 1), (0, 2), (1, 2)):
            line = pairs.loc[(column.name, names[one], names[other])]
            probability, p = by_hand(upright, one, other)
            assert line["probability"] == pytest.approx(probability, abs=1e-15, nan_ok=True)
            if line["test"] == "bootstrap":
                assert line["p"] == pytest.approx(p, abs=1e-15, nan_ok=True)
        shares, defined = np.zeros(3), 0
        for row in np.moveaxis(upright, 1, 0):
            if not np.isnan(row).any():
                defined += 1
                best = [m for m in range(3) if all(compared(row[m], x) >= 0 for x in row)]
                shares[best] += 1 / len(best)
        line = c.winners.set_index("measure").loc[column.name]
        winner = names.index(line["winner"])
        assert line["probability"] == pytest.approx(shares[winner] / defined, abs=1e-14)


@pytest.mark.parametrize("together", [1, 7])
def test_neither_threads_nor_lots_nor_the_kernels_room_change_a_comparison(together, monkeypatch):
    w = world(2, 60, 3)
    models = {"a": w.p, "b": world(2, 60, 3, skill=2.0).p}
    options = {"resamples": 39, "groups": np.arange(60) % 2, "seed": 5}

    def frames():
        c = ma.compare(w.y, models, **options)
        return pd.concat([c.table, c.pairs, c.winners]).to_csv(float_format="%.17g")

    expected = frames()
    monkeypatch.setattr(module, "TOGETHER", together)
    for count in ("1", "2", "3"):
        monkeypatch.setenv("METRICATLAS_THREADS", count)
        assert frames() == expected
