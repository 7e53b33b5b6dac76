"""Comparisons that cannot be: what must hold, what came, and what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import metricatlas as ma
from metricatlas.errors import DecisionError, MeasureError, MetricAtlasError, PredictionError

NAN, INF = float("nan"), float("inf")
Y = [0, 1, 1, 0, 1, 0]
A, B = [0.1, 0.8, 0.4, 0.3, 0.9, 0.6], [0.3, 0.6, 0.7, 0.2, 0.4, 0.1]
MODELS = {"a": A, "b": B}
BATCH = np.array([A, B])[:, :, np.newaxis]
WORDS = ["no", "yes", "yes", "no", "yes", "no"]


def case(name, error, *facts, y=Y, p=MODELS, **options):
    return pytest.param(error, facts, y, p, options, id=name)


def wrong(option, error, *facts):
    """Return a case for each value, all refused alike."""
    values, told = facts[0], facts[1:]
    return [case(f"{option}={v!r}", error, option, *told, **{option: v}) for v in values]


MODELS_THAT_CANNOT_BE = [
    case("one model", DecisionError, "two models or more", "got one", "evaluate", p={"a": A}),
    case("one column", DecisionError, "two models or more", "got one", p=A),
    case("a batch of one", DecisionError, "got one", p=BATCH[:1]),
    case("no model", PredictionError, "at least one model", p={}),
    case("nothing", PredictionError, "predictions", "got None", p=None),
    case("models in rows", PredictionError, "(2, 6)", "transpose", p=[A, B]),
    case(
        "lengths", PredictionError, "predictions['b']", "(5,)", "same rows", p={"a": A, "b": B[:5]}
    ),
    case("length of the truth", PredictionError, "(6,)", "(5,)", y=Y[:5]),
    case("a truth for each", DecisionError, "the same examples", "2 models", y=[Y, Y], p=BATCH),
    case("a truth for each of a dict", DecisionError, "groups", y=[Y, Y[::-1]], p={"both": BATCH}),
    case("words and no positive", PredictionError, "pos_label='no'", y=WORDS),
    case(
        "words unlike the truth's",
        PredictionError,
        "maybe",
        y=WORDS,
        p={"a": A, "b": ["maybe"] * 6},
        pos_label="yes",
    ),
    case(
        "missing score",
        PredictionError,
        "predictions['a']",
        "row 0",
        p={"a": [NAN, *A[1:]], "b": B},
    ),
    case("infinite score", PredictionError, "predictions['b']", p={"a": A, "b": [INF, *B[1:]]}),
    case("missing label", PredictionError, "y_true", "row 2", y=[0, 1, None, 0, 1, 0]),
    case("no label", PredictionError, "y_true", y=[]),
    case(
        "one example",
        DecisionError,
        "two or more",
        y=[1],
        p={"a": [0.5], "b": [0.1]},
        labels=[0, 1],
    ),
    case("one example with weight", DecisionError, "two or more", sample_weight=[0, 0, 3, 0, 0, 0]),
    case("no weight", PredictionError, "sample_weight", "all 6 are 0", sample_weight=[0] * 6),
    case(
        "negative weight", PredictionError, "not negative", "-1", sample_weight=[1, -1, 1, 1, 1, 1]
    ),
    case("missing weight", PredictionError, "sample_weight", sample_weight=[1, NAN, 1, 1, 1, 1]),
    case("frame of models", PredictionError, "dict of columns", p=pd.DataFrame(MODELS)),
    case(
        "another index",
        PredictionError,
        "index of predictions['a']",
        "reindex",
        y=pd.Series(Y),
        p={"a": pd.Series(A, index=range(1, 7)), "b": B},
    ),
    case(
        "another index of clusters",
        PredictionError,
        "index of clusters",
        y=pd.Series(Y),
        clusters=pd.Series([1, 1, 2, 2, 3, 3], index=range(6, 0, -1)),
    ),
    case("polars of another length", PredictionError, "(5,)", p={"a": pl.Series(A[:5]), "b": B}),
]
GROUPS_THAT_CANNOT_BE = [
    case(
        "a group of one",
        DecisionError,
        "two or more",
        "group=0",
        "leave it out",
        groups=[0, 1, 1, 1, 1, 1],
    ),
    case("groups of one", DecisionError, "group='a'", groups=list("abcdef")),
    case(
        "a group of one in two columns",
        DecisionError,
        "fold=2, site='x'",
        groups=pd.DataFrame({"fold": [1, 1, 1, 1, 1, 2], "site": list("xxxyyx")}),
    ),
    case(
        "a group of one with weight",
        DecisionError,
        "group=1",
        groups=[0, 0, 0, 0, 1, 1],
        sample_weight=[1, 1, 1, 1, 0, 2],
    ),
    case("length of groups", PredictionError, "groups", "(2,)", groups=[1, 2]),
    case("missing group", PredictionError, "groups", "row 1", groups=[1, None, 1, 1, 2, 2]),
    case("groups by name", PredictionError, "groups", "'fold'", groups="fold"),
    case(
        "one cluster",
        DecisionError,
        "two or more",
        "got one",
        "leave clusters out",
        clusters=[7] * 6,
    ),
    case(
        "one cluster in a group",
        DecisionError,
        "in every group",
        groups=[0, 0, 0, 1, 1, 1],
        clusters=[1, 2, 3, 4, 4, 4],
    ),
    case("length of clusters", PredictionError, "clusters", "(3,)", clusters=[1, 2, 3]),
    case("missing cluster", PredictionError, "clusters", "row 0", clusters=[NAN, 1, 1, 2, 2, 2]),
    case("clusters by name", PredictionError, "clusters", "'patient'", clusters="patient"),
    case("clusters in two columns", PredictionError, "clusters", clusters=np.ones((6, 2))),
    case(
        "strata of clusters",
        DecisionError,
        "got both",
        "Leave one out",
        clusters=[1, 1, 2, 2, 3, 3],
        stratified=True,
    ),
]
SETTINGS_THAT_CANNOT_BE = [
    *wrong(
        "resamples", DecisionError, [0, 1, 38, -5, 39.0, NAN, INF, True, None, "100", [50]], "39"
    ),
    *wrong(
        "level", DecisionError, [0, 1, 95, -0.5, NAN, INF, True, None, "0.9", [0.9], 0.9j], "0.95"
    ),
    *wrong("seed", DecisionError, [-1, 0.5, 1.0, NAN, True, None, "0", [1]], "whole number"),
    *wrong(
        "interval",
        DecisionError,
        ["BCa", "percent", "", None, True, 0.95, NAN, ["bca"], np.array(["bca", "basic"]), b"bca"],
        "percentile",
    ),
    *wrong(
        "correction",
        DecisionError,
        ["Holm", "bonf", "", None, True, 1, NAN, ["holm"], np.array(["holm", "bh"])],
        "bonferroni",
    ),
    *wrong(
        "stratified",
        DecisionError,
        [None, 0, 1, "no", "yes", [], NAN, np.array([1, 0])],
        "True or False",
    ),
    case(
        "resamples for a level",
        DecisionError,
        "resamples",
        "199",
        "got 100",
        level=0.99,
        resamples=100,
    ),
    case("a level that needs too many", DecisionError, "resamples", "99.9999", level=1 - 1e-6),
    *wrong("kind", PredictionError, ["label", 3, True], "scores"),
    *wrong("threshold", PredictionError, ["0.5", True, NAN], "number"),
    case("labels of others", PredictionError, "labels", labels=[0, 2]),
]
MEASURES_THAT_CANNOT_BE = [
    case("unknown", MeasureError, "'acuracy'", "acc", measures=["acc", "acuracy"]),
    case("none", MeasureError, "at least one", measures=[]),
    case("an empty iterator", MeasureError, "at least one", measures=iter(())),
    case("a number", MeasureError, "got 3", measures=3),
    case("numbers", MeasureError, "got 3", measures=[3]),
    case(
        "without its parameter", MeasureError, "needs costs", "cost[costs=...]", measures=["cost"]
    ),
    case("of more classes", MeasureError, "vus", "two", measures=["vus"]),
    case(
        "of scores",
        MeasureError,
        "auc",
        "labels",
        p={"a": Y, "b": Y},
        measures=["auc"],
        kind="labels",
    ),
    case(
        "of scores, beside labels",
        MeasureError,
        "predictions['b']",
        p={"a": A, "b": Y},
        measures=["auc"],
    ),
    case(
        "of probabilities",
        MeasureError,
        "brier",
        "calibrate",
        p={"a": np.array(A) * 9, "b": np.array(B) - 3},
        measures=["brier"],
    ),
    case(
        "of decisions",
        MeasureError,
        "threshold=",
        p={"a": np.array(A) * 9, "b": B},
        measures=["acc"],
    ),
]


@pytest.mark.parametrize(
    ("error", "facts", "y", "p", "options"),
    [
        *MODELS_THAT_CANNOT_BE,
        *GROUPS_THAT_CANNOT_BE,
        *SETTINGS_THAT_CANNOT_BE,
        *MEASURES_THAT_CANNOT_BE,
    ],
)
def test_what_cannot_be_is_refused_with_a_way_out(error, facts, y, p, options):
    assert issubclass(error, MetricAtlasError)
    with pytest.raises(error) as raised:
        ma.compare(y, p, **{"resamples": 50, **options})
    text = str(raised.value)
    for fact in facts:
        assert fact in text
    assert text.endswith((".", "?"))
    assert 20 < len(text) < 400


@pytest.mark.parametrize(
    "options",
    [
        {"resamples": np.int64(39)},
        {"level": np.float32(0.9)},
        {"level": 1e-9},
        {"seed": np.uint8(3)},
        {"seed": 2**100},
        {"stratified": np.True_},
        {"resamples": 199, "level": 0.99},
        {"clusters": [1, 1, 2, 2, 3, 3]},
        {"clusters": pd.Series(list("aabbcc"))},
        {"clusters": pl.Series([True, False] * 3)},
        {"groups": ["x", "y"] * 3, "clusters": [1, 1, 1, 2, 2, 2]},
        {"sample_weight": [0, 1, 1, 0, 0.5, 0]},
        {"threshold": INF},
        {"labels": [1, 0]},
        {"pos_label": 0},
    ],
)
@pytest.mark.filterwarnings("ignore::metricatlas.UndefinedWarning")
def test_what_can_be_is_not_refused(options):
    given = {"resamples": 39, "measures": ["auc", "acc", "brier", "auc:acc"], **options}
    c = ma.compare(Y, MODELS, **given)
    assert len(c.table) == 8
    assert len(c.pairs) == len(c.winners) == 4
    assert "Wins: " in repr(c)


def test_settings_say_how_the_comparison_was_made():
    c = ma.compare(Y, MODELS, measures=["acc"], resamples=50, seed=7, clusters=[1, 1, 2, 2, 3, 3])
    s = c.settings
    assert (s.resamples, s.seed, s.level, s.interval) == (50, 7, 0.95, "auto")
    assert (s.correction, s.stratified, s.clustered, s.method) == ("holm", False, True, "bca")
    assert c.models == ("a", "b")
    assert c.measurements == ma.evaluate(Y, MODELS, measures=["acc"])
