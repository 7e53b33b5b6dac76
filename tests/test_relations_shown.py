"""Relations as people meet them: what they show, and what they take as a name or a list."""

import numpy as np
import pandas as pd
import pytest

import metricatlas as ma
from metricatlas.errors import PredictionError
from metricatlas.relations.factors import Factors
from metricatlas.relations.theory import random_matrices

RNG = np.random.default_rng(5)


@pytest.fixture(scope="module")
def table():
    skill = RNG.random(40)
    frame = pd.DataFrame(
        {
            "dataset": np.repeat(["p", "q", "r", "s"], 10),
            "size": np.repeat(["small", "large"], 20),
            "auc": skill,
            "acc": skill + 0.1 * RNG.random(40),
            "brier": 1 - skill + 0.1 * RNG.random(40),
            "constant": 1.0,
        }
    )
    return ma.Measurements.from_frame(frame, keys=["dataset", "size"])


@pytest.fixture(scope="module")
def relations(table):
    return ma.relate(table)


def test_what_comes_out_says_in_few_lines_what_it_is(table, relations):
    shown = {
        "Relations of 4 measures": relations,
        "Dendrogram of 3 measures": relations.dendrogram,
        "metric scale of 3 measures in 2 dimensions": relations.scale(),
        "1 factor explains": relations.factors(),
        "1 representative of 3 measures": relations.representatives(0.5),
        "Agreements of 6 pairs": ma.agreements(table),
        "<50 random": random_matrices(50),
    }
    for words, thing in shown.items():
        assert repr(thing).startswith(words), repr(thing)
        assert len(repr(thing).splitlines()) < 20
    html = relations._repr_html_()
    assert "Relations of 4 measures" in html
    assert html.count("<tr") == 5


def test_a_view_can_be_scaled_and_have_candidates(relations, table):
    view = relations.views(["size"], overall=["spearman"])["size: small"]
    assert view.groups == ("p", "q")
    alone = ma.relate(table.where(size="small"))
    assert view.correlation.equals(alone.correlation)
    assert view.scale(of="standardised").stress == alone.scale(of="standardised").stress
    assert "mean[acc,auc]" in view.centrality(["mean[acc,auc]"], resamples=20).index


def test_problems_go_with_the_measures_that_have_them(relations):
    assert len(relations.problems) == 4
    assert len(relations.select(["auc", "acc"]).problems) == 0


def test_one_name_is_a_list_of_one(relations):
    assert relations.select("auc").names == ("auc",)
    views = relations.views("size", overall="spearman")
    assert list(views) == ["all, spearman", "size: small", "size: large"]
    assert "mean[acc,auc]" in relations.centrality("mean[acc,auc]", resamples=10).index
    assert ma.ranked_lists(4).measurements("auc").columns == ("auc",)
    assert relations.stress(2).index.tolist() == [2]


def test_agreements_know_other_names_of_a_measure(table):
    found = ma.agreements(table)
    assert found["ACC", "roc_auc"] == found["acc", "auc"]
    with pytest.raises(KeyError, match="two measures"):
        found["acc"]


def test_a_cell_of_one_group_has_no_interval_over_groups(table):
    values = table.values.copy()
    values[10:, 0] = 1.0
    found = ma.relate(table.__replace__(values=values)).interval("auc", "acc", resamples=50)
    assert np.isfinite(found.value)
    assert np.isnan([found.low, found.high]).all()


def test_a_share_of_nothing_is_refused():
    nothing = ma.Relations.from_matrix(np.eye(4))
    with pytest.raises(ma.RelationError, match="variance in common"):
        nothing.factors(extraction="axis", share=0.9)


def test_loadings_that_are_given_are_shown():
    loadings = pd.DataFrame({"factor 1": [0.9, 0.8], "factor 2": [0.1, -0.2]}, index=["a", "b"])
    assert "a 0.90, b 0.80" in repr(Factors.from_loadings(loadings))


def test_scaling_takes_measures_whose_zero_is_observed(table):
    base = {"auc": 0.0, "acc": 0.0, "brier": 1.2, "constant": 0.0}
    relations = ma.relate(table).select(["auc", "acc", "brier"])
    with pytest.raises(ma.RelationError, match="observed are for of='normalised'"):
        relations.scale(of="correlation", observed=["auc"])
    given = {name: base[name] for name in relations.names}
    plain = relations.scale(of="normalised", baseline=given)
    other = relations.scale(of="normalised", baseline=given, observed=["brier"])
    assert plain.stress != other.stress


def test_a_repeated_column_has_its_baseline():
    y = [0, 1, 1, 0, 1, 0]
    scores = RNG.random((5, 6))
    m = ma.evaluate(y, scores[:, :, np.newaxis], measures=["auc", "auc", "acc"])
    base = ma.baseline(y, measures=["auc", "auc", "acc"])
    scale = ma.relate(m).scale(of="normalised", baseline=base)
    assert set(scale.names) <= {"auc", "auc (2)", "acc"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sample_weight": [1, 2]}, "sample_weight must have one row for each example"),
        ({"groups": [1, 2]}, "groups must have one row for each example"),
        ({"sample_weight": ["a", "b", "c"]}, "sample_weight must be numbers"),
        ({"sample_weight": [1, -1, 1]}, "sample_weight must be finite and not negative"),
    ],
)
def test_a_baseline_of_other_rows_is_refused_in_words(given, words):
    with pytest.raises(PredictionError, match=words):
        ma.baseline([0, 1, 1], **given)


@pytest.mark.parametrize(
    "ask",
    [
        lambda r: r.clusters("x"),
        lambda r: r.factors("x"),
        lambda r: r.factors(share="x"),
        lambda r: r.most_correlated("a"),
        lambda r: r.most_correlated(-1),
        lambda r: r.interval("auc", "acc", resamples=2.5),
        lambda r: r.of_group([1]),
        lambda r: r.stress("two"),
        lambda _: ma.confusion_matrices(5),
        lambda _: random_matrices(1e3),
        lambda _: random_matrices(100, classes=3),
        lambda _: random_matrices(10).ratio(resamples=0),
    ],
)
def test_what_is_no_number_is_refused_in_words(ask, relations):
    with pytest.raises(ma.RelationError, match=r"must be|there is no group"):
        ask(relations)
