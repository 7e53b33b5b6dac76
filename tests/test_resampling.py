"""Every measure of every resample is that of the rows as often as they are drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from resamples_by_hand import CUTS, bootstrap, quietly, repeated, resampled, weighted
from sklearn import metrics
from worlds import catalogue_for, limits, world

import metricatlas as ma
from metricatlas.evaluation import engine
from metricatlas.summaries import draws as draws_module
from metricatlas.summaries import resampled as resampled_module
from metricatlas.summaries import terms
from metricatlas.summaries.draws import Deletions

#: Two ways to add up the same terms; scores that cancel lose digits.
CLOSE = {"rtol": 2e-11, "atol": 1e-12}


def everything(classes):
    return [*map(str, catalogue_for(classes).values()), *(CUTS if classes == 2 else ["auc:acc"])]


def models_of(classes, n, seed=0, **options):
    """Return truth, and three models of different skill; one has ties."""
    first = world(seed, n, classes, **options)
    others = [
        world(seed, n, classes, ties=ties, skill=skill, **options).p
        for ties, skill in ((True, 1.0), (False, 3.0))
    ]
    return first, {"a": first.p, "b": others[0], "c": others[1]}


def check(y, models, measures, draws, weight=None, **options):
    found, counts = resampled(y, models, measures, draws, sample_weight=weight, **options)
    assert found.shape == (len(models), draws.times, len(measures))
    for way in (repeated, weighted):
        # Resamples without any example have no values to compare.
        drawn = counts.sum(axis=1) > 0
        expected = way(y, models, measures, counts[drawn], weight, **options)
        for i, name in enumerate(measures):
            np.testing.assert_allclose(
                found[:, drawn, i], expected[:, :, i], **CLOSE, err_msg=f"{name}, {way.__name__}"
            )
    return found


@pytest.mark.parametrize("weights", [None, "whole", "fractional"])
@pytest.mark.parametrize(("classes", "n"), [(2, 6), (2, 90), (2, 1300), (3, 8), (3, 90), (4, 60)])
def test_all_measures_are_those_of_the_repeated_rows(classes, n, weights):
    w, models = models_of(classes, n, seed=n)
    mass = world(n + 1, n, classes, weights=weights).w
    measures = everything(classes)
    times = 3 if n > 1000 else 5
    draws = bootstrap(np.zeros(n), times)
    found = check(w.y, models, measures, draws, mass, labels=range(classes))
    # A world of this size has few undefined values, or nothing would be compared.
    if n >= 60:
        assert np.isnan(found).mean() < 0.1


@pytest.mark.parametrize("classes", [2, 3])
def test_all_measures_are_those_of_the_repeated_rows_at_the_limits(classes):
    measures = everything(classes)
    for w in limits(classes):
        kept = np.arange(len(w.y)) if w.w is None else np.flatnonzero(w.w)
        mass = None if w.w is None else w.w[kept]
        draws = bootstrap(np.zeros(len(kept)), 4)
        check(w.y[kept], {"a": w.p[kept]}, measures, draws, mass, labels=range(classes))


@pytest.mark.parametrize("classes", [2, 3])
def test_strata_clusters_and_blocks_left_out_are_resampled_alike(classes):
    n = 50
    w, models = models_of(classes, n, seed=7)
    clusters = np.random.default_rng(1).integers(0, 12, n)
    clusters = np.unique(clusters, return_inverse=True)[1]
    left_out = Deletions(clusters.astype(np.int32), np.arange(clusters.max() + 1) % 5)
    measures = everything(classes)
    for draws in (
        bootstrap(w.y, 4),
        bootstrap(np.zeros(n), 5, clusters=clusters),
        bootstrap(np.zeros(n), 5, clusters=w.y),
        left_out,
    ):
        check(w.y, models, measures, draws, labels=range(classes))
        mass = world(8, n, classes, weights="fractional").w
        check(w.y, models, measures, draws, mass, labels=range(classes))


def kinds_of(seed=3, n=70):
    """Return truth, and models of three kinds that rank or decide as the first one does."""
    w = world(seed, n, ties=True)
    p = w.p[:, 1]
    logits = np.log(p + 0.01) - np.log(1.01 - p)
    return w.y, {"p": p, "s": logits, "l": (p > 0.5).astype(int), "q": world(seed, n).p[:, 1]}


def test_models_of_different_kinds_see_the_same_resamples():
    y, models = kinds_of()
    found = quietly(ma.compare, y, models, resamples=50)._replicates
    place = {column.name: i for i, column in enumerate(found.schema)}
    p, s, labels, _ = found.values
    auc, acc, brier = place["auc"], place["acc"], place["brier"]
    assert np.array_equal(p[:, auc], s[:, auc])
    assert np.array_equal(p[:, acc], labels[:, acc])
    assert np.isfinite(p[:, [auc, acc, brier]]).all()
    assert np.isnan(labels[:, [auc, brier]]).all()
    assert np.isnan(s[:, [acc, brier]]).all()


@pytest.mark.parametrize("only", ["labels", "scores", "scores with a threshold", "three columns"])
def test_labels_and_scores_are_resampled_like_probabilities(only):
    y, models = kinds_of()
    options, measures = {}, None
    if only == "labels":
        models = {"l": models["l"], "m": (models["q"] > 0.4).astype(int)}
    elif only == "three columns":
        w, three = models_of(3, 60, seed=5)
        y = w.y
        models = {name: 3 * np.log(p + 0.01) for name, p in three.items()}
        options = {"kind": "scores"}
    else:
        models = {"s": models["s"], "t": 5 * models["q"] - 1}
        if only == "scores with a threshold":
            options = {"threshold": 0.25}
    measures = list(quietly(ma.evaluate, y, models, **options).columns)
    check(y, models, measures, bootstrap(np.zeros(len(y)), 6), **options)


@given(
    st.lists(
        st.tuples(
            st.integers(0, 1),
            st.sampled_from([0.0, 0.1, 0.5, 0.50001, 0.9, 1.0]),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=12,
    ),
    st.booleans(),
    st.integers(0, 5),
)
def test_any_few_rows_of_two_classes(rows, is_weighted, entropy):
    rows = [row for row in rows if row[2] or not is_weighted]
    if not rows:
        return
    y, p, mass = (np.array(column) for column in zip(*rows, strict=True))
    # No multiple of these weights is whole here, so that none of them is a number of rows.
    weight = mass / 1024 if is_weighted else None
    draws = bootstrap(np.zeros(len(y)), 3, entropy=entropy)
    check(y, {"a": p, "b": 1 - p[::-1]}, BINARY, draws, weight, labels=[0, 1])


BINARY = everything(2)
THREE = everything(3)


@given(
    st.lists(
        st.tuples(st.integers(0, 2), st.sampled_from([(8, 0, 0), (2, 3, 3), (0, 4, 4), (1, 6, 1)])),
        min_size=1,
        max_size=10,
    ),
    st.integers(0, 5),
)
def test_any_few_rows_of_three_classes(rows, entropy):
    y, p = (np.array(column) for column in zip(*rows, strict=True))
    draws = bootstrap(np.zeros(len(y)), 3, entropy=entropy)
    check(y, {"a": p / 8}, THREE, draws, labels=[0, 1, 2])


def test_values_are_those_that_scikit_learn_has_for_the_repeated_rows():
    w, models = models_of(2, 400, seed=2)
    oracles = {
        "auc": metrics.roc_auc_score,
        "ap": metrics.average_precision_score,
        "brier": metrics.brier_score_loss,
        "mcc": lambda y, p: metrics.matthews_corrcoef(y, p > 0.5),
        "f1": lambda y, p: metrics.f1_score(y, p > 0.5),
        "kappa": lambda y, p: metrics.cohen_kappa_score(y, p > 0.5),
        "log_loss": metrics.log_loss,
    }
    probabilities = {name: p[:, 1].clip(1e-9, 1 - 1e-9) for name, p in models.items()}
    draws = bootstrap(np.zeros(400), 6)
    found, counts = resampled(w.y, probabilities, oracles, draws)
    for r, row in enumerate(counts):
        rows = np.repeat(np.arange(400), row)
        for m, p in enumerate(probabilities.values()):
            expected = [oracle(w.y[rows], p[rows]) for oracle in oracles.values()]
            np.testing.assert_allclose(found[m, r], expected, rtol=1e-12)


def test_infinite_terms_count_only_where_they_are_drawn():
    y, p = np.array([1, 0, 1, 0, 1]), np.array([0.0, 0.2, 0.7, 1.0, 0.6])
    draws = bootstrap(np.zeros(5), 200)
    found, counts = resampled(y, {"a": p}, ["log_loss"], draws)
    hit = (counts[:, [0, 3]] > 0).any(axis=1)
    assert np.isposinf(found[0, hit, 0]).all()
    assert np.isfinite(found[0, ~hit, 0]).all()
    assert 0 < hit.sum() < 200


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weights", [None, "fractional"])
def test_neither_threads_nor_the_size_of_lots_change_a_bit(classes, weights, monkeypatch):
    w, models = models_of(classes, 300, seed=4)
    mass = world(5, 300, classes, weights=weights).w
    measures = [m for m in everything(classes) if m not in SLOW]
    draws = bootstrap(np.zeros(300), 23)

    def found():
        return resampled(w.y, models, measures, draws, sample_weight=mass)[0].tobytes()

    expected = found()
    for count in ("1", "2", "3"):
        monkeypatch.setenv("METRICATLAS_THREADS", count)
        assert found() == expected
    for module, name, sizes in (
        (resampled_module, "TOGETHER", (1, 1000, 1 << 30)),
        (draws_module, "TOGETHER", (1, 1 << 30)),
        (draws_module, "KEPT", (0,)),
        (terms, "TOGETHER", (1, 777)),
        (engine, "TOGETHER", (7,)),
    ):
        for size in sizes:
            with monkeypatch.context() as patch:
                patch.setattr(module, name, size)
                assert found() == expected, (module.__name__, name, size)


#: What takes a second for so many rows.
SLOW = {name for name, m in ma.catalogue.items() if m.on_request}
