"""One's own measure: however it is defined, it works wherever a name does."""

import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from sklearn import metrics

import metricatlas as ma
from metricatlas.errors import MeasureError

Y = np.array([0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0])
P = np.array([0.1, 0.8, 0.7, 0.6, 0.4, 0.2, 0.9, 0.55, 0.45, 0.05, 0.3, 0.65])
Y3 = np.array([0, 1, 2, 0, 1, 2, 2, 1, 0, 2])
P3 = np.random.default_rng(5).dirichlet([1, 1, 1], size=10)


def test_a_bare_decorator_makes_a_measure_of_a_function():
    @ma.define_measure
    def hits(t: ma.TwoByTwo):
        """Hits.

        How many positives are found.
        """
        return t.tp

    assert ma.measure("hits", Y, P) == 4
    assert hits(ma.TwoByTwo(tp=3, fp=0, fn=0, tn=0)) == 3
    made = ma.catalogue["HITS"]
    assert (made.title, made.family, made.better, made.needs) == ("Hits", "own", "higher", "labels")
    assert made.bounds == (-np.inf, np.inf)


def test_what_a_formula_reads_says_what_it_needs():
    @ma.define_measure(better="lower")
    def spread(r: ma.Ranking):
        return r.variance_positive + r.variance_negative

    @ma.define_measure(aliases=("trust",))
    def mean_given(p: ma.Probabilities):
        return p.given.sum(axis=-1) / p.total

    @ma.define_measure
    def windowed(r: ma.Ranking):
        return r.window_gap(3)

    @ma.define_measure
    def fitted(r: ma.Ranking):
        return r.recalibration("slope")[..., 1]

    assert ma.catalogue["spread"].needs == "scores"
    assert ma.catalogue["trust"].needs == "probabilities"
    assert ma.catalogue["windowed"].counts_rows
    assert ma.catalogue["fitted"].on_request
    of_class = [P[Y == 1].var() + P[Y == 0].var(), np.where(Y == 1, P, 1 - P).mean()]
    assert ma.evaluate(Y, P, measures=["spread", "trust"]).values[0] == pytest.approx(of_class)


def test_it_is_among_all_measures_and_takes_cuts_and_reductions():
    @ma.define_measure(bounds=(0, 1), monotone=True)
    def my_recall(t: ma.TwoByTwo):
        return t.tp / t.positives

    table = ma.evaluate(Y, P)
    assert "my_recall" in table.columns
    assert table["my_recall"] == pytest.approx(metrics.recall_score(Y, P > 0.5))
    assert ma.measure("my_recall@0.35", Y, P) == pytest.approx(metrics.recall_score(Y, P > 0.35))
    assert ma.measure("my_recall[class=0]", Y, P) == pytest.approx(
        metrics.recall_score(1 - Y, P <= 0.5)
    )
    assert ma.measure("my_recall", Y3, P3) == pytest.approx(
        metrics.recall_score(Y3, P3.argmax(axis=1), average="macro")
    )
    assert ma.measure("my_recall@best", Y, P) == 1
    assert ma.measure("specificity@best=my_recall", Y, P) == 0


def test_keyword_only_parameters_are_the_measures_own():
    @ma.define_measure(checks={"Weight": (lambda w: w >= 0, "0 or more")})
    def weighted_hits(t: ma.TwoByTwo, *, Weight=1.0):
        return Weight * t.tp

    @ma.define_measure
    def costly(c: ma.Confusion, *, prices):
        return (c.matrix * prices).sum(axis=(-2, -1))

    measures = ["weighted_hits", "weighted_hits[weight=3]", "weighted_hits[2]@0"]
    assert ma.evaluate(Y, P, measures=measures).values.tolist() == [[4, 12, 12]]
    with pytest.raises(MeasureError, match="Weight of weighted_hits must be 0 or more; got -1"):
        ma.catalogue["weighted_hits[weight=-1]"]
    with pytest.raises(MeasureError, match=r"costly needs prices: write costly\[prices=...\]"):
        ma.measure("costly", Y, P)
    prices = np.array([[0, 1], [10, 0]])
    expected = (metrics.confusion_matrix(Y, P > 0.5) * prices).sum()
    assert ma.measure(ma.catalogue["costly"].using(prices=prices), Y, P) == expected
    assert ma.measure("costly[prices=((0,1),(10,0))]", Y, P) == expected
    assert "costly" not in ma.evaluate(Y, P).columns


def test_a_measure_over_measures_names_them_as_its_parameters():
    @ma.define_measure(bounds=(0, 1))
    def middle(tpr, specificity, *, share=0.5):
        """Between recall and specificity."""
        return share * tpr + (1 - share) * specificity

    tpr, tnr = metrics.recall_score(Y, P > 0.5), metrics.recall_score(1 - Y, P <= 0.5)
    assert ma.measure("middle", Y, P) == pytest.approx((tpr + tnr) / 2)
    assert ma.measure("middle[share=0.9]", Y, P) == pytest.approx(0.9 * tpr + 0.1 * tnr)
    assert ma.catalogue["middle"].needs == "labels"
    by_class = metrics.recall_score(Y3, P3.argmax(axis=1), average=None)
    others = [metrics.recall_score(j != Y3, P3.argmax(axis=1) != j) for j in range(3)]
    assert ma.measure("middle", Y3, P3) == pytest.approx((by_class.mean() + np.mean(others)) / 2)


def test_where_it_is_undefined_the_conditions_first_line_is_the_reason():
    def nobody_hit(t):
        """Nobody is hit.

        Not even once.
        """
        return t.tp == 0

    @ma.define_measure(undefined=(nobody_hit,))
    def inverse(t: ma.TwoByTwo):
        return np.where(t.tp > 0, 1 / t.tp, np.nan)

    with pytest.warns(ma.UndefinedWarning, match="inverse"):
        table = ma.evaluate([0, 1], {"a": [0, 0], "b": [0, 1]}, measures=["inverse"])
    assert table.reason(0, "inverse") == "Nobody is hit."
    assert table["inverse"][1] == 1


def test_bounds_reach_the_table_and_may_depend_on_the_number_of_classes():
    @ma.define_measure(bounds=lambda classes: (0, classes), better="zero")
    def classes_hit(c: ma.Confusion):
        return (c.hits > 0).sum(axis=-1)

    column = ma.evaluate(Y3, P3, measures=["classes_hit"]).schema[0]
    assert (column.lower, column.upper, column.better) == (0, 3, "zero")
    assert ma.catalogue["classes_hit"].bounds == (0, 2)
    oriented = ma.evaluate(Y3, P3, measures=["classes_hit"]).oriented()
    assert (oriented.values <= 0).all()


def test_it_may_be_averaged_over_pairs_if_its_facts_are_known_of_pairs():
    @ma.define_measure(multiclass="ovo")
    def lost(r: ma.Ranking):
        return 1 - r.wins / r.pairs

    assert ma.measure("lost", Y3, P3) == pytest.approx(
        1 - metrics.roc_auc_score(Y3, P3, multi_class="ovo")
    )
    assert ma.measure("lost[ovo]", Y, P) == pytest.approx(1 - metrics.roc_auc_score(Y, P))
    with pytest.raises(MeasureError, match="cannot be averaged over pairs of classes: it reads ks"):

        @ma.define_measure(multiclass="ovo")
        def ks_of_pairs(r: ma.Ranking):
            return r.ks


@pytest.mark.parametrize(
    "name", ["f1", "F1", "tpr", "KPPV", "MFM", "mean", "macro", "class", "a b", ""]
)
def test_a_name_that_is_taken_or_means_something_else_is_refused(name):
    def mine(t: ma.TwoByTwo):
        return t.tp

    with pytest.raises(MeasureError, match=r"is taken|no word of the language"):
        ma.define_measure(mine, name=name)  # type: ignore[call-overload]
    with pytest.raises(MeasureError, match=r"is taken|no word of the language"):
        ma.define_measure(aliases=("my_own", name))(mine)
    assert "mine" not in ma.catalogue
    assert "my_own" not in ma.catalogue


def test_two_functions_cannot_share_a_name():
    def first(t: ma.TwoByTwo):
        return t.tp

    def second(t: ma.TwoByTwo):
        return t.fp

    ma.define_measure(name="shared")(first)
    with pytest.raises(MeasureError, match="'shared' is taken: it stands for shared"):
        ma.define_measure(name="shared")(second)
    with pytest.raises(MeasureError, match="'shared' is taken"):
        ma.define_measure(name="other", aliases=("shared",))(first)
    assert ma.measure("shared", Y, P) == 4


def test_a_cell_of_a_notebook_can_be_run_again():
    def cell(factor):
        @ma.define_measure(aliases=("mine",))
        def own(t: ma.TwoByTwo):
            return factor * t.tp

    cell(1)
    assert ma.measure("own", Y, P) == ma.measure("mine", Y, P) == 4
    cell(2)
    assert ma.measure("own", Y, P) == ma.measure("mine", Y, P) == 8
    assert list(ma.catalogue).count("own") == 1


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            "def m(t): return t.tp",
            r"annotated with a summary \(Confusion, TwoByTwo, Ranking, Proba",
        ),
        ("def m(): return 1", "got no parameters"),
        ("def m(t: int): return t", "got no annotation and the names t"),
        ("def m(t: 'Elsewhere'): return t", "name 'Elsewhere' is not defined"),
        ("def m(acc, nonsense): return acc", "and the names nonsense"),
        ("def m(t: ma.TwoByTwo): return t.hits", "m must be a formula over the facts of TwoByTwo"),
        ("def m(r: ma.Ranking): return 1 if r.tp else 0", "has no attribute 'tp'"),
        ("def m(c: ma.Confusion): return 1 if c.hits else 0", "takes arrays as well as numbers"),
    ],
)
def test_a_function_that_is_no_formula_is_refused_when_it_is_defined(source, words):
    space = {"ma": ma}
    exec(source, space)  # noqa: S102 - the sources stand above
    with pytest.raises(MeasureError, match=words):
        ma.define_measure(space["m"])
    assert "m" not in ma.catalogue
    assert len(ma.catalogue.table()) == len(ma.catalogue)


def test_annotations_of_other_things_need_not_be_importable():
    def own(t: "ma.TwoByTwo", *, x: "Nowhere" = 1) -> "Nowhere":  # noqa: F821 - that is the point
        return x * t.tp

    ma.define_measure(own)
    assert ma.measure("own[x=2]", Y, P) == 8


def test_a_direction_that_there_is_not_is_refused():
    with pytest.raises(MeasureError, match=r"better must be one of higher, lower.*got 'up'"):
        ma.define_measure(better="up")(lambda t: t.tp)


def test_it_pickles_and_is_missed_by_name_where_it_is_not_defined():
    @ma.define_measure
    def pickled(t: ma.TwoByTwo):
        return t.tp

    measure = ma.catalogue["pickled[macro]@ks"]
    data = pickle.dumps(measure)
    assert pickle.loads(data) == measure
    program = f"""
        import pickle
        from metricatlas.errors import MeasureError
        try:
            pickle.loads({data!r})
        except MeasureError as error:
            print(error)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    assert "no measure 'pickled' is declared here; import the module that defines it" in run.stdout


def test_a_table_finds_its_column_by_name_alias_or_measure():
    @ma.define_measure(bounds=(0, 12), aliases=("mine",))
    def own(t: ma.TwoByTwo):
        return t.tp

    table = ma.evaluate(Y, {"a": P, "b": 1 - P}, measures=["mine"])
    assert table.columns == ("mine",)
    for asked in ("mine", "own", ma.catalogue["own"]):
        assert table[asked].tolist() == [4, 2]
    assert table.normalised()["mine"].tolist() == [1, 0]
    assert own(ma.TwoByTwo(tp=1, fp=0, fn=0, tn=0)) == 1
