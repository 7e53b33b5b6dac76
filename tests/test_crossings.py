"""Crossings: where the order of two models changes, against curves by brute force."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from sklearn.metrics import f1_score, roc_curve

import metricatlas as ma
from metricatlas.decisions.cutting import cuts as cuts_module
from metricatlas.decisions.cutting.curves import curves
from metricatlas.decisions.cutting.cuts import Drawn
from metricatlas.decisions.cutting.scored import Scored


def world(seed, n=40, levels=15, weights=None):
    """Return truth, two models with so many levels of scores, and weights."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    y[:4] = 0, 1, 0, 1
    spread = np.where(y == 1, 1.6, 0.6)
    first = rng.normal(size=n) + 1.2 * y
    second = spread * rng.normal(size=n) + 1.2 * y
    low, high = -4, 5
    p = [
        np.clip(np.round((s - low) / (high - low) * levels) / levels, 0, 1) for s in (first, second)
    ]
    w = {None: None, "fractional": rng.random(n) + 0.1}[weights]
    return y, dict(zip("ab", p, strict=True)), w


def by_rate(y, p, w):
    """Return the highest true positive rate at a false positive rate, of two cuts at random."""
    fpr, tpr, _ = roc_curve(y, p, sample_weight=w, drop_intermediate=False)

    def at(x):
        best = tpr[fpr <= x].max()
        for i in np.flatnonzero(fpr <= x):
            for j in np.flatnonzero(fpr > x):
                share = (x - fpr[i]) / (fpr[j] - fpr[i])
                best = max(best, tpr[i] + share * (tpr[j] - tpr[i]))
        return best

    return at


def by_weight(y, p, w):
    """Return minus the least loss at a weight, of all cuts."""
    fpr, tpr, _ = roc_curve(y, p, sample_weight=w, drop_intermediate=False)
    return lambda x: -np.min(x * (1 - tpr) + (1 - x) * fpr)


CURVES = {"fpr": by_rate, "weight": by_weight}


@pytest.mark.parametrize("weights", [None, "fractional"])
@pytest.mark.parametrize("along", CURVES)
def test_in_every_range_the_model_that_is_named_is_better_by_so_much(along, weights):
    for seed in range(6):
        y, models, w = world(seed, weights=weights)
        c = ma.crossings(y, models, along=along, sample_weight=w, resamples=39)
        one, other = (CURVES[along](y, p, w) for p in models.values())
        assert c.table["from"].iloc[0] == 0
        assert c.table["to"].iloc[-1] == 1
        for line in c.table.to_dict("records"):
            inside = np.linspace(line["from"], line["to"], 21)
            gaps = np.array([one(x) - other(x) for x in inside])
            if line["better"] is None:
                assert np.abs(gaps[1:-1]).max() < 1e-12
                continue
            gaps *= 1 if line["better"] == "a" else -1
            assert (gaps[1:-1] > 0).all()
            assert gaps.max() <= line["most"] + 1e-12
            at = (one(line["at"]) - other(line["at"])) * (1 if line["better"] == "a" else -1)
            assert at == pytest.approx(line["most"], abs=1e-12)
        for x in c.changes:
            assert one(x) == pytest.approx(other(x), abs=1e-12)


@pytest.mark.parametrize("along", CURVES)
def test_means_are_areas_between_the_curves(along):
    for seed in range(3):
        y, models, _ = world(seed)
        c = ma.crossings(y, models, along=along, resamples=39)
        one, other = (CURVES[along](y, p, None) for p in models.values())
        for line in c.table.to_dict("records"):
            low, high = line["from"], line["to"]
            x = np.linspace(low, high, 2001)
            gaps = [one(t) - other(t) for t in (x[1:] + x[:-1]) / 2]
            sign = -1 if line["better"] == "b" else 1
            assert sign * np.mean(gaps) == pytest.approx(line["mean"], abs=1e-5)


def test_the_area_below_the_hull_is_the_measure_of_that_name():
    for seed in range(5):
        y, models, w = world(seed, 200, 1000, weights="fractional")
        scored = Scored.read(y, models, sample_weight=w)
        for line, p in zip(scored.lines, models.values(), strict=True):
            (curve,) = curves(line.cuts(Drawn.once(line)), "fpr")
            expected = ma.measure("hull_auc", y, p, sample_weight=w)
            assert curve.areas(np.array([0.0, 1.0]))[0] == pytest.approx(expected, abs=1e-12)


def test_a_case_that_can_be_worked_out():
    # First: .9+ .8+ .7- .65+ .6- .3+ .2- .1-. Its hull goes from (0, 1/2) by slope 1 to (1/2, 1).
    # Second: .8- .7+ .6+ .5+ .4+ .3- .2- .1-. Its hull goes from (0, 0) by slope 4 to (1/4, 1).
    y = [0, 0, 0, 0, 1, 1, 1, 1]
    models = {
        "first": [0.1, 0.2, 0.6, 0.7, 0.3, 0.65, 0.8, 0.9],
        "second": [0.1, 0.2, 0.3, 0.8, 0.4, 0.5, 0.6, 0.7],
    }
    c = ma.crossings(y, models, resamples=39)
    assert c.table["better"].tolist() == ["first", "second", None]
    # 1/2 + x = 4 x.
    assert c.table["to"].tolist() == pytest.approx([1 / 6, 1 / 2, 1], abs=1e-15)
    assert c.changes == [c.table["to"][0]]
    assert c.table["most"][:2].tolist() == pytest.approx([1 / 2, 1 / 4])
    assert c.table["at"][:2].tolist() == [0, 1 / 4]
    # Triangles: 1/2 high; 1/4 high at x = 1/4.
    assert c.table["mean"][:2].tolist() == pytest.approx([1 / 4, 1 / 8])
    assert np.isnan(c.table["probability"][2])
    # Loss: min(w/2, (1-w)/2, ...) for the first, min(w, (1-w)/4) for the second.
    w = ma.crossings(y, models, along="weight", resamples=39)
    assert w.table["better"].tolist() == ["first", "second"]
    # w / 2 = (1 - w) / 4.
    assert w.changes == pytest.approx([1 / 3])


def test_exactly_in_fractions():
    y, models, _ = world(2, 30)
    c = ma.crossings(y, models, along="weight", resamples=39)

    def loss(p, x):
        ones, zeros = int(sum(y)), int(len(y) - sum(y))
        cuts = [-1, *p]
        cells = [
            (
                Fraction(int((p[y == 1] > t).sum()), ones),
                Fraction(int((p[y == 0] > t).sum()), zeros),
            )
            for t in cuts
        ]
        return min(x * (1 - tpr) + (1 - x) * fpr for tpr, fpr in cells)

    for line in c.table.to_dict("records"):
        middle = Fraction(line["from"]) / 2 + Fraction(line["to"]) / 2
        gap = loss(models["b"], middle) - loss(models["a"], middle)
        better = None if gap == 0 else "a" if gap > 0 else "b"
        assert line["better"] == better


def f1_at(y, p, w=None):
    return lambda t: f1_score(y, p > t, sample_weight=w, zero_division=np.nan)


@pytest.mark.parametrize("weights", [None, "fractional"])
def test_at_common_thresholds_the_model_that_is_named_is_better(weights):
    for seed in range(6):
        y, models, w = world(seed, weights=weights)
        c = ma.crossings(y, models, along="threshold", measure="f1", sample_weight=w, resamples=39)
        one, other = (f1_at(y, p, w) for p in models.values())
        edges = np.unique(np.concatenate(list(models.values())))
        found = []
        for t in [-1, *edges]:
            gap = one(t) - other(t)
            found.append(None if not abs(gap) > 1e-12 else "a" if gap > 0 else "b")
        for line in c.table.to_dict("records"):
            steps = [i for i, t in enumerate([-np.inf, *edges]) if line["from"] <= t < line["to"]]
            assert {found[i] for i in steps} == {line["better"]}
            if line["better"] is None:
                continue
            sign = 1 if line["better"] == "a" else -1
            assert np.isfinite([line["from"], line["to"]]).all()
            gaps = [sign * (one(edges[i - 1]) - other(edges[i - 1])) for i in steps]
            assert line["most"] == pytest.approx(max(gaps), abs=1e-12)
            lengths = [edges[i] - edges[i - 1] for i in steps]
            assert line["mean"] == pytest.approx(np.average(gaps, weights=lengths), abs=1e-12)
        assert c.table["from"].iloc[0] == -np.inf
        assert c.table["to"].iloc[-1] == np.inf
        assert c.table["from"][1:].tolist() == c.table["to"][:-1].tolist()


def test_where_lower_is_better_the_lower_model_is_better():
    y, models, _ = world(1)
    acc = ma.crossings(y, models, along="threshold", measure="acc", resamples=39)
    error = ma.crossings(y, models, along="threshold", measure="error_rate", resamples=39)
    assert acc.table["better"].tolist() == error.table["better"].tolist()
    ours, theirs = (x.table["mean"].to_numpy() for x in (acc, error))
    assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True)
    assert acc.changes == error.changes


@pytest.mark.parametrize("along", ["fpr", "weight", "threshold"])
@pytest.mark.parametrize("weights", [None, "fractional"])
def test_a_resample_is_judged_as_copied_examples_are(along, weights):
    y, models, w = world(4, 50, weights=weights)
    measure = "f1" if along == "threshold" else None
    c = ma.crossings(y, models, along=along, measure=measure, sample_weight=w, resamples=39)
    draws = Scored.read(y, models).draws(39, 0)
    bounds = [*c.table["from"], c.table["to"].iloc[-1]]
    for r in (0, 1, 17, 38):
        rows = np.repeat(np.arange(50), draws.counts(slice(r, r + 1))[0][draws.units])
        own = None if w is None else w[rows]
        make = f1_at if along == "threshold" else CURVES[along]
        one, other = (make(y[rows], p[rows], own) for p in models.values())
        for i, (low, high) in enumerate(pairwise(bounds)):
            if not np.isfinite([low, high]).all():
                continue
            if along == "threshold":
                edges = np.unique(np.concatenate(list(models.values())))
                inner = [*edges[(edges >= low) & (edges < high)], high]
                gaps = np.array([one(t) - other(t) for t in inner[:-1]])
                known = ~np.isnan(gaps)
                expected = np.average(gaps[known], weights=np.diff(inner)[known])
            else:
                x = np.linspace(low, high, 1001)
                expected = np.mean([one(t) - other(t) for t in (x[1:] + x[:-1]) / 2])
            tolerance = 1e-12 if along == "threshold" else 1e-4
            assert c._resampled[r, i] == pytest.approx(expected, abs=tolerance)


def test_probabilities_are_shares_of_resamples():
    y, models, _ = world(4, 50)
    c = ma.crossings(y, models, resamples=99, level=0.9)
    for i, line in enumerate(c.table.to_dict("records")):
        sign = {"a": 1, "b": -1}[line["better"]]
        means = np.sort(sign * c._resampled[:, i])
        share = np.mean(means > 1e-12) + np.mean(np.abs(means) <= 1e-12) / 2
        assert line["probability"] == pytest.approx(share)
        assert [line["low"], line["high"]] == [means[4], means[94]]


@pytest.mark.parametrize("along", ["fpr", "weight"])
def test_a_model_that_is_better_throughout_has_one_range(along):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    good, bad = y + 0.5 * rng.random(200), rng.random(200)
    c = ma.crossings(y, {"bad": bad, "good": good}, along=along, resamples=99)
    (line,) = [x for x in c.table.to_dict("records") if x["better"] is not None]
    assert line["better"] == "good"
    assert line["probability"] == 1
    assert c.changes == []


@pytest.mark.parametrize("along", ["fpr", "weight", "threshold"])
def test_a_model_is_not_better_than_itself(along):
    y, models, _ = world(0)
    same = {"a": models["a"], "b": models["a"].copy()}
    measure = "f1" if along == "threshold" else None
    c = ma.crossings(y, same, along=along, measure=measure, resamples=39)
    assert set(c.table["better"]) == {None}
    assert c.changes == []
    assert c.table["probability"].isna().all()


@pytest.mark.parametrize("along", ["fpr", "weight", "threshold"])
def test_the_order_of_the_models_does_not_matter(along):
    y, models, _ = world(3)
    measure = "mcc" if along == "threshold" else None
    c = ma.crossings(y, models, along=along, measure=measure, resamples=39)
    turned = dict(reversed(models.items()))
    again = ma.crossings(y, turned, along=along, measure=measure, resamples=39)
    assert again.table["better"].tolist() == c.table["better"].tolist()
    columns = ["from", "to", "mean", "low", "high", "most", "at", "probability"]
    ours, theirs = (x.table[columns].to_numpy() for x in (c, again))
    assert ours == pytest.approx(theirs, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("along", ["fpr", "weight"])
def test_only_the_order_of_scores_matters(along):
    y, models, _ = world(3)
    c = ma.crossings(y, models, along=along, resamples=39)
    margins = {"a": models["a"] ** 3 * 20 - 7, "b": models["b"]}
    assert ma.crossings(y, margins, along=along, resamples=39).table.equals(c.table)


def test_lots_change_no_number(monkeypatch):
    y, models, w = world(3, weights="fractional")
    expected = ma.crossings(y, models, sample_weight=w, resamples=60, seed=2).table
    monkeypatch.setattr(cuts_module, "TOGETHER", 100)
    again = ma.crossings(y, models, sample_weight=w, resamples=60, seed=2).table
    assert again.equals(expected)


def test_resamples_without_a_class_are_left_out():
    y = np.zeros(30, dtype=int)
    y[0] = 1
    rng = np.random.default_rng(1)
    models = {"a": rng.random(30), "b": rng.random(30)}
    c = ma.crossings(y, models, resamples=99)
    lacking = np.isnan(c._resampled[:, 0])
    # Of 30 draws none is the positive in (29/30)^30 = .36 of the resamples.
    assert 0.2 < lacking.mean() < 0.5
    assert c.table["probability"].notna().any()


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 5), st.integers(0, 5)), min_size=4).filter(
        lambda rows: 0 < sum(y for y, _, _ in rows) < len(rows)
    ),
    st.sampled_from(["fpr", "weight"]),
)
def test_ranges_tile_the_axis_and_their_means_make_the_whole(rows, along):
    y, a, b = (np.array(column) for column in zip(*rows, strict=True))
    c = ma.crossings(y, {"a": a / 5, "b": b / 5}, along=along, kind="scores", resamples=39)
    table = c.table
    assert table["from"].tolist() == [0.0, *table["to"][:-1]]
    assert table["to"].iloc[-1] == 1
    assert all(one != other for one, other in pairwise(table["better"]))
    signs = table["better"].map({"a": 1, "b": -1, None: 0})
    whole = (signs * table["mean"] * (table["to"] - table["from"])).sum()
    one, other = (CURVES[along](y, p / 5, None) for p in (a, b))
    knots = sorted({*np.linspace(0, 1, 61)})
    expected = sum(
        quad(lambda x: one(x) - other(x), low, high, limit=20)[0] for low, high in pairwise(knots)
    )
    assert whole == pytest.approx(expected, abs=1e-4)


def test_crossings_are_shown():
    y, models, _ = world(4, 50)
    text = repr(ma.crossings(y, models, resamples=99))
    assert text.startswith("a and b at false positive rates, 99 resamples")
    for seed in range(20):
        y, models, _ = world(seed, 200, 10**6)
        c = ma.crossings(y, models, along="threshold", measure="mcc", resamples=39)
        if len(c.table) > 20:
            assert repr(c).endswith(f"and {len(c.table) - 20} more: see `.table`.")
            break
    else:
        pytest.fail("no world has many ranges")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"along": "recall"}, "along must be one of fpr, weight, threshold; got 'recall'"),
        ({"along": "threshold"}, "name one, as measure='f1'"),
        ({"measure": "f1"}, "measure is for along='threshold'"),
        ({"along": "threshold", "measure": "auc"}, "a measure of decisions"),
        ({"models": [0.1, 0.2, 0.3, 0.4]}, "of two models, as a dict or a batch; got 1"),
        ({"models": {x: [0.1, 0.2, 0.3, 0.4] for x in "abc"}}, "got 3"),
        ({"models": {"a": [0, 1, 0, 1], "b": [0.1, 0.2, 0.3, 0.4]}}, "of a are labels"),
        (
            {
                "along": "threshold",
                "measure": "f1",
                "models": {"a": [0.1, 0.2, 0.3, 0.4], "b": [-1.0, 2.0, 3.0, 4.0]},
            },
            "a common threshold is for scores on one scale",
        ),
        ({"resamples": 3}, "resamples must be"),
        ({"y_true": [0, 0, 0, 0]}, "both classes"),
    ],
)
def test_what_cannot_cross_is_refused(given, words):
    models = {"a": [0.1, 0.2, 0.3, 0.4], "b": [0.4, 0.3, 0.2, 0.1]}
    with pytest.raises(ma.MetricAtlasError, match=words):
        ma.crossings(**{"y_true": [0, 1, 0, 1], "models": models, **given})
