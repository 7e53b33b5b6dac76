"""The best cut of any measure of decisions: found by pruning, checked by trying them all."""

import warnings

import numpy as np
import pytest
from worlds import catalogue_for

import metricatlas as ma
from metricatlas.evaluation import best

#: Every measure that decisions suffice for and that has a better side.
DECIDING = {
    name: measure
    for name, measure in catalogue_for(2).items()
    if measure.needs == "labels" and measure.better != "neither" and ":" not in str(measure)
    if not measure.reduction and not measure.point
}
MONOTONE = {name: m for name, m in DECIDING.items() if m.declaration.monotone}


@pytest.fixture(autouse=True)
def _undefined_values_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        yield


def ranking(seed, n, levels, weights=None):
    """Return truth, scores with so many levels, and weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    scores = np.round((rng.random(n) + 0.3 * y) * levels) - levels / 3
    w = {None: None, "whole": rng.integers(1, 4, n), "fractional": rng.random(n) + 0.1}[weights]
    return y, scores, w


def everything_tried(y, scores, w, measures):
    """Return (cuts, measures): each measure of the labels that each cut gives, the lowest first."""
    cuts = np.concatenate([[-np.inf], np.unique(scores)])
    labels = (scores > cuts[:, np.newaxis]).astype(np.int8)
    batch = labels[:, :, np.newaxis]
    return ma.evaluate(y, batch, measures=measures, sample_weight=w).values


def found(y, scores, w):
    asked = [
        f"{inner}@best={name}" for name in map(str, DECIDING.values()) for inner in ("tp", "fp")
    ]
    own = [with_point(m) for m in DECIDING.values()]
    values = ma.evaluate(y, scores, measures=[*own, *asked], sample_weight=w).values[0]
    return values[: len(own)], values[len(own) :].reshape(-1, 2)


def with_point(measure):
    return f"{measure}@best"


def wrong_cuts(y, scores, w, same):
    """Return the measures whose best cut is not the lowest of the best among all."""
    tried = everything_tried(y, scores, w, list(DECIDING.values()))
    cells = everything_tried(y, scores, w, ["tp", "fp"])
    ours, at = found(y, scores, w)
    wrong = {}
    for column, (name, measure) in enumerate(DECIDING.items()):
        values = measure.oriented(tried[:, column])
        most = np.nanmax(values)
        equal = values >= most - (same * max(1, abs(most)) if np.isfinite(most) else 0)
        lowest = int(np.argmax(equal))
        expected = (tried[lowest, column], *cells[lowest])
        got = (ours[column], *at[column])
        if not np.allclose(got, expected, rtol=1e-9, atol=1e-9):
            wrong[name] = (got, expected)
    return wrong


@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize("levels", [10, 10_000])
def test_the_best_cut_is_the_lowest_of_the_best_among_all(weights, levels, few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    monkeypatch.setattr(best, "BLOCK", 8)
    for seed in range(4):
        same = 1e-12 if weights == "fractional" else 1e-14
        assert not wrong_cuts(*ranking(seed, 130, levels, weights), same), seed


def test_the_best_cut_is_found_among_thousands_and_most_are_not_looked_at(monkeypatch):
    looked_at = []
    values = best._Cuts.values

    def counted(self, term, tp, fp):
        if term.declaration.monotone:
            looked_at.append(len(tp))
        return values(self, term, tp, fp)

    y, scores, w = ranking(1, 3_500, 10**6)
    assert len(np.unique(scores)) > 3 * best.BLOCK
    assert not wrong_cuts(y, scores, w, 1e-14)
    monkeypatch.setattr(best._Cuts, "values", counted)
    monkeypatch.setattr(best, "BLOCK", 64)
    assert not wrong_cuts(y, scores, w, 1e-14)
    # F1 and G-mean are found by the kernels.
    assert sum(looked_at) < 0.5 * (len(MONOTONE) - 2) * len(scores)


@pytest.mark.parametrize("unit", [1e-15, 1e-6, 1.0, 1e15])
def test_the_unit_of_costs_and_weights_moves_no_best_cut(unit):
    y = np.array([0, 0, 1, 0, 1, 1, 0, 1])
    scores = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    costs = f"costs=((0,{unit!r}),({3 * unit!r},0))"
    # By hand: one false alarm or more costs 1, a miss 3; the cut at .2 has two false alarms.
    found = ma.evaluate(y, scores, measures=[f"tp@best=cost[{costs}]", f"fp@best=cost[{costs}]"])
    assert found.values.tolist() == [[4, 2]]
    worth = ma.evaluate(y, scores, measures=[f"cost[{costs}]@best"]).values[0, 0]
    assert worth == pytest.approx(2 * unit / 8, rel=1e-12)
    # The statistic is largest at the cut .2 too: 8 (4 * 2 - 0 * 2)^2 / (4 * 4 * 6 * 2).
    weights = np.full(8, unit)
    asked = ["chi_square@best", "tp@best=chi_square", "fp@best=chi_square"]
    found = ma.evaluate(y, scores, measures=asked, sample_weight=weights).values[0] / unit
    assert found == pytest.approx([8 / 3, 4, 2], rel=1e-12)


@pytest.mark.parametrize("unit", [1e-18, 1.0, 1e12])
def test_the_unit_of_a_measure_of_ones_own_moves_no_best_cut(unit):
    @ma.define_measure(name=f"gain_{unit:.0e}".replace("-", "_").replace("+", "_"))
    def gain(t: ma.TwoByTwo):
        return unit * (0.1 * t.tp - 0.3 * t.fp)

    y, scores, _ = ranking(3, 60, 10)
    name = f"gain_{unit:.0e}".replace("-", "_").replace("+", "_")
    cuts = [-np.inf, *np.unique(scores)]
    cells = [((y == 1) & (scores > t), (y == 0) & (scores > t)) for t in cuts]
    exact = [int(hits.sum()) - 3 * int(alarms.sum()) for hits, alarms in cells]
    lowest = cells[exact.index(max(exact))]
    found = ma.evaluate(y, scores, measures=[f"tp@best={name}", f"fp@best={name}"]).values
    assert found.tolist() == [[float(cell.sum()) for cell in lowest]]


def test_one_class_leaves_a_best_cut_only_to_measures_that_are_defined():
    table = ma.evaluate([1, 1, 1], [0.2, 0.7, 0.4], measures=["acc@best", "informedness@best"])
    assert table["acc@best"] == 1
    assert table.reason(0, "informedness@best") == "There is no cut @best."


def test_every_row_and_class_has_a_best_cut_of_its_own():
    rng = np.random.default_rng(0)
    y, p = rng.integers(0, 3, (4, 30)), rng.dirichlet([1, 1, 1], (4, 30))
    groups = np.repeat(["a", "b"], 15)
    table = ma.evaluate(y, p, measures=["jaccard@best", "jaccard[class=2]@best"], groups=groups)
    for row, (model, half) in enumerate((m, h) for m in range(4) for h in (0, 1)):
        here = slice(15 * half, 15 * half + 15)
        by_class = [
            ma.measure("jaccard@best", y[model, here] == j, p[model, here, j]) for j in range(3)
        ]
        assert table.values[row] == pytest.approx([np.mean(by_class), by_class[2]])


@pytest.mark.parametrize("name", MONOTONE)
def test_what_is_declared_monotone_never_gets_worse_by_more_right_decisions(name):
    measure = MONOTONE[name]
    positives, negatives = 6, 5
    tp, fp = (x.ravel() for x in np.meshgrid(np.arange(positives + 1), np.arange(negatives + 1)))
    for scale in (1.0, 0.37):
        matrices = scale * np.array([[negatives - fp, fp], [positives - tp, tp]]).transpose(2, 0, 1)
        values = measure.oriented(ma.evaluate_confusion(matrices, measures=[measure]).values[:, 0])
        no_worse = (tp[:, None] >= tp) & (fp[:, None] <= fp)
        no_worse &= ~np.isnan(values) & ~np.isnan(values[:, None])
        finite = np.where(np.isfinite(values), values, np.sign(values) * 1e9)
        assert no_worse.sum() > 100
        assert (finite[:, None] >= finite - 1e-9)[no_worse].all()
