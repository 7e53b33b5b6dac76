"""Cuts of a ranking against every threshold tried in exact fractions."""

import warnings

import numpy as np
import pytest
from cuts_by_definition import MEASURES, Scores

import metricatlas as ma

POINTS = [
    "0.3",
    "-inf",
    "inf",
    "ks",
    "bep",
    "prevalence",
    "best",
    "best=f1",
    "best=mcc",
    "best=expected_cost[costs=((0,1),(5,0))]",
    "fpr=0",
    "fpr=0.2",
    "tpr=1",
    "tpr=0.5",
    "top=25%",
    "top=100%",
    "top=10",
    "top=1",
    "top=1000",
]
#: Defined for whole weights only; all of the rows need none, but their size is no whole number.
COUNT_ROWS = ("bep", "top=25%", "top=10", "top=1", "top=1000", "top=100%")
FORMS = pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])


@pytest.fixture(autouse=True)
def _undefined_values_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        yield


def rankings(classes):
    """Return truths, columns of scores and weights, with and without ties."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 40))
        y = rng.integers(0, classes, n)
        p = rng.dirichlet(np.ones(classes), n) + 0.3 * np.eye(classes)[y]
        p = p / p.sum(axis=1, keepdims=True)
        if seed % 2:
            p = rng.multinomial(8, p) / 8
        w = [None, rng.integers(1, 4, n).astype(float), rng.random(n) + 0.1][seed % 3]
        yield seed, y, p, w


def names_of(points, measures):
    for point in points:
        for name in measures:
            own = f"best={name}" if point == "best" else point
            yield f"{name}@{point}", name, own


def differences(asked, table, expected):
    """Return what differs: the value and what it should be."""
    return {
        name: (float(value), right)
        for (name, *_), value, right in zip(asked, table.values[0], expected, strict=True)
        if not np.isclose(value, right, rtol=1e-9, atol=1e-12, equal_nan=True)
    }


@FORMS
@pytest.mark.parametrize("kind", ["probabilities", "scores"])
def test_every_cut_of_two_classes_is_where_its_definition_puts_it(kind, few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    for seed, y, p, w in rankings(2):
        scores = p[:, 1] if kind == "probabilities" else 4 * p[:, 1] - 2.5
        points = [x for x in POINTS if seed % 3 < 2 or x not in COUNT_ROWS]
        asked = list(names_of(points, MEASURES))
        table = ma.evaluate(
            y, scores, measures=[name for name, *_ in asked], labels=[0, 1], sample_weight=w
        )
        right = Scores(y, scores, w)
        expected = [right.value(name, point) for _, name, point in asked]
        wrong = differences(asked, table, expected)
        assert not wrong, seed


@FORMS
def test_a_measure_of_the_matrix_is_reduced_as_one_of_each_class(few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    asked = ["mcc@ks", "acc@ks", "mcc@0.3", "kappa@best"]
    for _, y, p, w in rankings(3):
        alone = [
            ma.evaluate(y == j, p[:, j], measures=asked, sample_weight=w, labels=[0, 1]).values[0]
            for j in range(3)
        ]
        options = {"labels": range(3), "sample_weight": w}
        for j in range(3):
            written = [with_argument(name, f"class={j}") for name in asked]
            found = ma.evaluate(y, p, measures=written, **options).values[0]
            np.testing.assert_allclose(found, alone[j], rtol=1e-12, atol=1e-13)
        written = [with_argument(name, "macro") for name in asked]
        found = ma.evaluate(y, p, measures=written, **options).values[0]
        mean = np.mean([alone[j] for j in range(3) if np.any(y == j)], axis=0)
        np.testing.assert_allclose(found, mean, rtol=1e-12, atol=1e-13)


@FORMS
def test_a_break_even_point_is_nowhere_without_positives(few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    names = ["acc@bep", "specificity@bep", "bep"]
    with pytest.warns(ma.UndefinedWarning):
        table = ma.evaluate([0, 0, 0], [0.1, 0.7, 0.4], measures=names, labels=[0, 1])
    assert np.isnan(table.values).all()
    assert table.reason(0, "acc@bep") == "There is no cut @bep."
    assert table.reason(0, "bep") == "There are no positives."


@FORMS
def test_every_cut_of_a_class_is_of_that_class_against_the_others(few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    measures = ["recall", "ppv", "f1", "fbeta[beta=2]", "informedness", "frequency_bias"]
    for seed, y, p, w in rankings(3):
        points = [x for x in POINTS if seed % 3 < 2 or x not in COUNT_ROWS]
        asked = list(names_of(points, measures))
        found = {}
        for j in range(3):
            right = Scores(y == j, p[:, j], w)
            expected = found[j] = [right.value(name, point) for _, name, point in asked]
            written = [with_argument(name, f"class={j}") for name, *_ in asked]
            table = ma.evaluate(y, p, measures=written, labels=range(3), sample_weight=w)
            wrong = differences(asked, table, expected)
            assert not wrong, (seed, j)
        table = ma.evaluate(
            y,
            p,
            measures=[with_argument(name, "macro") for name, *_ in asked],
            labels=range(3),
            sample_weight=w,
        )
        macro = np.mean([found[j] for j in np.unique(y)], axis=0)
        wrong = differences(asked, table, macro.tolist())
        assert not wrong, seed


def with_argument(name, argument):
    """Write an argument into the brackets of a name that may have a cut."""
    base, at, point = name.partition("@")
    head, bracket, inside = base.partition("[")
    rest = f",{inside}" if bracket else "]"
    return f"{head}[{argument}{rest}{at}{point}"


def test_both_sides_of_two_classes_can_be_asked_for():
    for _, y, p, w in rankings(2):
        for scores, other in ((p[:, 1], 1 - p[:, 1]), (3 * p[:, 1] - 1, 1 - 3 * p[:, 1])):
            asked = [f"recall[class=0]@{x}" for x in ("ks", "0.25", "fpr=0.2", "best=f1")]
            table = ma.evaluate(y, scores, measures=asked, labels=[0, 1], sample_weight=w)
            right = Scores(y == 0, other, w)
            expected = [right.value("recall", x) for x in ("ks", "0.25", "fpr=0.2", "best=f1")]
            wrong = differences([(x,) for x in asked], table, expected)
            assert not wrong


def test_a_micro_average_adds_the_cells_of_all_classes():
    y = np.array([0, 1, 2, 2, 1, 0, 2])
    p = np.random.default_rng(3).dirichlet([1, 1, 1], size=7)
    cells = [
        np.sum(x) for x in zip(*(Scores(y == j, p[:, j]).at("0.3") for j in range(3)), strict=True)
    ]
    assert ma.measure("ppv[micro]@0.3", y, p) == pytest.approx(float(MEASURES["ppv"](*cells)))
    decided = [Scores(y == j, np.eye(3)[p.argmax(axis=1)][:, j]).at("0.5") for j in range(3)]
    cells = [np.sum(x) for x in zip(*decided, strict=True)]
    assert ma.measure("ppv[micro]", y, p) == pytest.approx(float(MEASURES["ppv"](*cells)))


def test_cuts_of_the_highest_count_rows_and_others_do_not():
    y, p, w = [0, 1, 1, 0], [0.1, 0.4, 0.35, 0.8], [0.5, 1, 1.5, 1]
    table = ma.evaluate(y, p, measures=["ppv@top=2", "ppv@bep", "ppv@ks"], sample_weight=w)
    assert np.isnan(table.values[0]).tolist() == [True, True, False]
    assert table.reason(0, 0) == table.reason(0, 1) != ""


def test_where_there_is_no_cut_the_reason_says_so():
    table = ma.evaluate([0, 0], [0.2, 0.7], measures=["acc@ks", "acc@tpr=0.5", "acc@0.5"])
    assert table.reason(0, "acc@ks") == "There is no cut @ks."
    assert table.reason(0, "acc@tpr=0.5") == "There is no cut @tpr=0.5."
    assert table["acc@0.5"] == 0.5


def test_a_cut_needs_no_threshold_and_heeds_none():
    y, scores = [0, 1, 0, 1], [-3.0, 2.0, 1.0, 0.5]
    table = ma.evaluate(y, scores, measures=["acc@0", "acc@1.5"])
    assert table.values.tolist() == [[0.75, 0.75]]
    table = ma.evaluate(y, scores, measures=["acc@1.5", "acc"], threshold=10)
    assert table.values.tolist() == [[0.75, 0.5]]
