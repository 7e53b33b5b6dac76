"""What holds for every measure of the catalogue, whatever it measures."""

import pickle
import warnings
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from worlds import World, catalogue_for, heavy, limits, world, worlds

import metricatlas as ma

#: Reductions of measures whose chance level they keep, or have though a class alone has none.
CHANCES_OF_REDUCTIONS = [
    "recall[macro]",
    "specificity[macro]",
    "fpr[macro]",
    "fnr[macro]",
    "informedness[macro]",
    "informedness[weighted]",
    "markedness[macro]",
    "auc[ovr,prior]",
    "auc[macro]",
    "gini[weighted]",
    "mean[auc,recall[macro]]",
    "mcc[macro]",
    "kappa[weighted]",
    "balanced_accuracy[macro]",
    "acc[macro]",
]
CLASSES = pytest.mark.parametrize("classes", [2, 3, 5])


@pytest.fixture(autouse=True)
def _undefined_values_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        yield


def close(one, other, tolerance=1e-9):
    return np.isclose(one, other, rtol=tolerance, atol=tolerance, equal_nan=True)


def disagreements(names, one, other, tolerance=1e-9):
    bad = ~close(one, other, tolerance)
    return {
        name: (float(a), float(b))
        for name, a, b, x in zip(names, one, other, bad, strict=True)
        if x
    }


@CLASSES
def test_values_lie_within_their_bounds(classes):
    measures = catalogue_for(classes)
    outside = defaultdict(list)
    for w in [*edge_worlds(classes), *limits(classes), *worlds(classes)]:
        asked = {n: m for n, m in measures.items() if not heavy(w, m)}
        values = w.evaluate(list(asked.values())).values[0]
        for (name, measure), value in zip(asked.items(), values, strict=True):
            bounds = measure.bounds_for(classes)
            if not np.isnan(value) and not bounds[0] - 1e-9 <= value <= bounds[1] + 1e-9:
                outside[name].append((w.name, float(value), bounds))
    assert not outside


def test_bounds_depend_on_the_classes_and_on_the_parameters():
    bounds = {
        ("LogL", 2): (0, 16.609640474436812),
        ("log_loss_clipped[eps=0.1]", 2): (0, 2.302585092994046),
        ("partial_auc", 2): (0, 0.1),
        ("partial_auc[max_fpr=0.3]", 2): (0, 0.3),
        ("net_benefit[p=0.2]", 2): (-0.25, 1),
        ("expected_cost[costs=((0,1),(5,0))]", 2): (0, 5),
        ("gwet_ac1", 2): (-1, 1),
        ("gwet_ac1", 5): (-0.25, 1),
        ("bennett_s", 3): (-0.5, 1),
    }
    for (name, classes), (low, high) in bounds.items():
        assert ma.catalogue[name].bounds_for(classes) == pytest.approx((low, high)), name


def test_probabilities_next_to_one_do_not_turn_hosmer_and_lemeshow_negative():
    y, p = [0, 0, 0, 0, 0, 0], [0.0, 0.0, *[1 - 2**-53] * 4]
    assert ma.measure("hosmer_lemeshow", y, p, labels=[0, 1]) > 1e14
    assert ma.measure("hosmer_lemeshow", [0, 0, 1, 1, 1, 1], p, labels=[0, 1]) < 1e-12


@CLASSES
def test_no_prediction_is_better_than_a_perfect_one(classes):
    measures = catalogue_for(classes)
    better = defaultdict(list)
    for w in worlds(classes):
        perfect = World("perfect", w.y, np.eye(classes)[w.y], w.w)
        best = perfect.evaluate(list(measures.values())).values[0]
        values = w.evaluate(list(measures.values())).values[0]
        for (name, measure), value, top in zip(measures.items(), values, best, strict=True):
            if measure.oriented(value) > measure.oriented(top) + 1e-9:
                better[name].append((w.name, float(value), float(top)))
    assert not better


@CLASSES
def test_row_order_does_not_matter(classes):
    measures = list(catalogue_for(classes).values())
    for w in worlds(classes):
        order = np.random.default_rng(1).permutation(len(w.y))
        shuffled = World("", w.y[order], w.p[order], None if w.w is None else w.w[order])
        one, other = (x.evaluate(measures).values[0] for x in (w, shuffled))
        assert not disagreements(map(str, measures), one, other, 1e-11), w.name


@CLASSES
def test_weight_two_is_the_row_twice_and_weight_zero_is_no_row(classes):
    measures = list(catalogue_for(classes).values())
    for seed, ties in enumerate([False, True] * 3):
        plain = world(seed, 40 + 17 * seed, classes, ties=ties)
        weight = np.random.default_rng(seed).integers(0, 4, len(plain.y)).astype(float)
        repeats = weight.astype(int)
        many = World("", np.repeat(plain.y, repeats), np.repeat(plain.p, repeats, axis=0))
        weighted = World("", plain.y, plain.p, weight)
        one, other = (x.evaluate(measures).values[0] for x in (weighted, many))
        assert not disagreements(map(str, measures), one, other), seed


@CLASSES
@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
def test_a_batch_has_the_bits_of_its_members(classes, few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    measures = list(catalogue_for(classes).values())
    members = [world(seed, 50, classes, ties=seed % 2 == 0) for seed in range(6)]
    y = np.array([m.y for m in members])
    p = np.array([m.p for m in members])
    together = ma.evaluate(y, p, measures=measures, labels=range(classes)).values
    alone = np.array([m.evaluate(measures).values[0] for m in members])
    same = (together == alone) | (np.isnan(together) & np.isnan(alone))
    assert not {str(m) for m, fine in zip(measures, same.all(axis=0), strict=True) if not fine}


@CLASSES
def test_both_forms_of_the_kernels_agree(classes, monkeypatch):
    # Sums in another order: 3e-15 at most was seen, and no measure needs an exception.
    for w in [*worlds(classes), *limits(classes), *edge_worlds(classes)]:
        measures = [m for m in catalogue_for(classes).values() if not heavy(w, m)]
        monkeypatch.setattr("metricatlas.summaries.fill.FEW", 5_000)
        array = w.evaluate(measures).values[0]
        monkeypatch.setattr("metricatlas.summaries.fill.FEW", 0)
        scan = w.evaluate(measures).values[0]
        assert not disagreements(map(str, measures), array, scan, 1e-13), w.name


def edge_worlds(classes):
    """Return worlds in which something is missing, constant or extreme."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 9))
        there = rng.choice(classes, size=int(rng.integers(1, classes + 1)), replace=False)
        y = rng.choice(there, size=n)
        kind = seed % 4
        p = np.eye(classes)[rng.choice(classes, size=n)]
        if kind == 1:
            p = np.full((n, classes), 1 / classes)
        elif kind == 2:
            p = np.eye(classes)[y]
        elif kind == 3:
            p = world(seed, n, classes, ties=True).p
        w = None if seed % 3 else rng.integers(1, 3, n) * (0.5 if seed % 2 else 1.0)
        yield World(f"edge {seed}", y, p, w)


@CLASSES
@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
def test_values_are_undefined_exactly_where_it_is_declared(classes, few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    measures = catalogue_for(classes)
    wrong = defaultdict(list)
    for w in [*edge_worlds(classes), *limits(classes), *worlds(classes)]:
        asked = {n: m for n, m in measures.items() if not heavy(w, m)}
        with np.errstate(all="ignore"):
            declared = declared_reasons(list(asked.values()), w)
        values = w.evaluate(list(asked.values())).values[0]
        for name, value, reason in zip(asked, values, declared, strict=True):
            if np.isnan(value) != bool(reason):
                wrong[name].append((w.name, float(value), reason))
    assert not wrong


def declared_reasons(measures, w):
    """Return the declared reason of each measure, whether or not its value is undefined."""
    from metricatlas.evaluation.best import BestCuts
    from metricatlas.evaluation.engine import planned
    from metricatlas.evaluation.task import Task
    from metricatlas.predictions import read_predictions
    from metricatlas.summaries.fill import summarise

    blocks, _ = read_predictions(w.y, w.p, labels=range(w.classes), sample_weight=w.w)
    predictions = blocks[0][1]
    plan = planned(tuple(measures), Task.of(predictions))
    best = BestCuts(predictions, plan.sources)
    facts = summarise(predictions, plan.wanted, best.watchers())
    sources = plan.read(facts, best.found)
    reasons = []
    for column, measure in enumerate(measures):
        holds = [words for where, words in plan.reasons(column, sources) if np.all(where)]
        counted = measure.counts_rows and not plan.task.whole
        reasons.append("weights" if counted else "; ".join(holds))
    return reasons


def test_every_measure_pickles_and_is_found_by_its_own_name():
    for name, measure in ma.catalogue.items():
        assert pickle.loads(pickle.dumps(measure)) == measure
        assert ma.catalogue[name] == ma.catalogue[str(measure)] == measure


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("ties", [False, True])
def test_predictions_that_know_nothing_get_the_chance_level(classes, ties):
    asked = [*catalogue_for(classes).values(), *map(ma.catalogue.get, CHANCES_OF_REDUCTIONS)]
    measures = [m for m in asked if m.chance_for(classes) is not None]
    drawn = world(classes, 18, classes, ties=ties, prior=[0.6, 0.4] if classes == 2 else None)
    counts = [13, 5] if classes == 2 else [10, 5, 3]
    rng = np.random.default_rng(classes)
    y = np.array([rng.permutation(np.repeat(range(classes), counts)) for _ in range(4_000)])
    p = np.broadcast_to(drawn.p, (len(y), *drawn.p.shape))
    values = ma.evaluate(y, p, measures=measures, labels=range(classes)).values
    levels = np.array([m.chance_for(classes) for m in measures])
    error = 5 * values.std(axis=0) / np.sqrt(len(y)) + 1e-12
    wrong = ~(np.abs(values.mean(axis=0) - levels) <= error)
    assert len(measures) > 15
    assert not {str(m) for m, bad in zip(measures, wrong, strict=True) if bad}


def test_a_level_of_chance_is_declared_only_where_the_data_cannot_move_it():
    # Their expected value depends on the shares, on the number of rows, or is infinite.
    for name in ("lr+", "dor", "mi", "nmi", "rci", "auprg", "eer", "yule_q", "mcclish_auc"):
        assert ma.catalogue[name].chance_for(2) is None, name
    assert ma.catalogue["recall"].chance_for(2) is None
    assert (
        ma.catalogue["recall"].chance_for(4) == ma.catalogue["recall[macro]"].chance_for(4) == 0.25
    )
    assert ma.catalogue["informedness[micro]"].chance_for(3) is None
    assert ma.catalogue["mcc@ks"].chance is None
    assert ma.catalogue["auc:balanced_accuracy"].chance_for(4) == 0.5025


@given(st.data())
def test_measures_of_many_classes_stay_within_bounds_whichever_classes_are_absent(data):
    classes = data.draw(st.integers(3, 5))
    n = data.draw(st.integers(1, 10))
    y = np.array(data.draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    eighths = st.lists(st.integers(0, 8), min_size=classes - 1, max_size=classes - 1).map(sorted)
    cuts = np.array(data.draw(st.lists(eighths, min_size=n, max_size=n)))
    p = np.diff(cuts, axis=1, prepend=0, append=8) / 8
    measures = catalogue_for(classes, on_request=False)
    values = World("drawn", y, p).evaluate(list(measures.values())).values[0]
    for (name, measure), value in zip(measures.items(), values, strict=True):
        low, high = measure.bounds_for(classes)
        assert np.isnan(value) or low - 1e-9 <= value <= high + 1e-9, (name, value)


@given(st.data())
def test_measures_stay_within_bounds_and_row_order_on_whatever_hypothesis_finds(data):
    n = data.draw(st.integers(1, 12))
    y = np.array(data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    eighths = st.sampled_from([0.0, 5e-324, 0.125, 0.5, 0.5 + 1e-13, 0.875, 1 - 2**-53, 1.0])
    p = np.array(data.draw(st.lists(eighths, min_size=n, max_size=n)))
    order = np.array(data.draw(st.permutations(range(n))))
    measures = catalogue_for(2, on_request=False)
    one = ma.evaluate(y, p, measures=list(measures.values())).values[0]
    other = ma.evaluate(y[order], p[order], measures=list(measures.values())).values[0]
    assert not disagreements(measures, one, other, 1e-11)
    for (name, measure), value in zip(measures.items(), one, strict=True):
        low, high = measure.bounds_for(2)
        assert np.isnan(value) or low - 1e-9 <= value <= high + 1e-9, (name, value)
