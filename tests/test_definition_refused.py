"""What is no measure is refused when it is defined, and what fails later is named."""

import math

import numpy as np
import pytest

import metricatlas as ma
from metricatlas.errors import MeasureError

Y = [0, 0, 1, 1, 1, 0]
P = [0.1, 0.4, 0.35, 0.8, 0.9, 0.6]


def math_root(t: ma.TwoByTwo):
    return math.sqrt(t.tp)


def branch(t: ma.TwoByTwo):
    return t.tp / t.positives if t.tp > 0 else 0.0


def sum_over_models(c: ma.Confusion):
    return sum(c.hits) / c.total


def everything_at_once(t: ma.TwoByTwo):
    return t.tp.sum()


def masked(c: ma.Confusion):
    shares = (c.hits / c.true)[c.true > 0]
    return shares.sum() / len(shares)


def of_each_class(c: ma.Confusion):
    return c.hits


def nothing(t: ma.TwoByTwo):
    t.tp.sum()


def text(t: ma.TwoByTwo):
    return f"{t.tp}"


def listed(t: ma.TwoByTwo):
    return [t.tp]


def constant(t: ma.TwoByTwo):
    return 0.0 if t is None else 1.0


def complex_number(t: ma.TwoByTwo):
    return t.tp + 1j


def chosen(acc, auc):
    return max(acc, auc)


def other_bits(t: ma.TwoByTwo):
    return t.tp + 1e-9 * np.ndim(t.tp)


def adds_to_a_fact(t: ma.TwoByTwo):
    found = t.tp
    found += 1
    return found / t.total


def sets_cells(c: ma.Confusion):
    c.matrix[..., 0, 0] = 0
    return c.matrix.sum(axis=(-2, -1))


def adds_to_a_sum(t: ma.TwoByTwo):
    found = t.positives
    found -= t.tp
    return found


def changes_a_share(c: ma.Confusion):
    c.masses.share[..., 0] = 0
    return c.correct / c.total


def changes_a_measure(acc, auc):
    acc *= 2
    return acc + auc


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (math_root, "for several models it raised TypeError"),
        (branch, "for several models it raised ValueError"),
        (sum_over_models, "for several models it raised ValueError: operands could not be broadc"),
        (everything_at_once, r"for 2 x 3 models it gave the shape \(\)"),
        (masked, "for several models|for 2 x 3 models"),
        (of_each_class, r"must give one number for one model; it gave the shape \(2,\)"),
        (nothing, "must return a number, or an array of numbers; got None"),
        (text, "must return a number, or an array of numbers; got the str"),
        (listed, "must return a number, or an array of numbers; got the list"),
        (constant, r"one number for each model; for 2 x 3 models it gave the shape \(\)"),
        (complex_number, "must return a number, or an array of numbers; got the complex128"),
        (chosen, "for several models it raised ValueError"),
        (other_bits, "the bits that each has alone"),
        (adds_to_a_fact, r"must not change in place what it reads.*Write a = a \+ 1"),
        (sets_cells, "must not change in place"),
        (adds_to_a_sum, "must not change in place"),
        (changes_a_share, "must not change in place"),
        (changes_a_measure, "must not change in place"),
    ],
)
def test_what_works_for_one_model_only_is_refused_when_it_is_defined(formula, words):
    before = ma.evaluate(Y, P).columns
    with pytest.raises(MeasureError, match=f"^{formula.__name__} .*({words})"):
        ma.define_measure(formula)
    assert formula.__name__ not in ma.catalogue
    assert ma.evaluate(Y, P).columns == before


def test_usual_formulas_are_accepted():
    @ma.define_measure
    def squares(c: ma.Confusion):
        return (c.matrix**2).sum(axis=(-2, -1)) / c.total**2

    @ma.define_measure(task="binary")
    def risk(c: ma.Confusion):
        return np.sqrt((c.matrix * np.array([[0, 0.1], [0.7, 0]])).sum(axis=(-1, -2)) / c.total)

    @ma.define_measure(task="multiclass")
    def third(c: ma.Confusion):
        return c.matrix[..., 2, 2] / c.total

    @ma.define_measure
    def entropy(t: ma.TwoByTwo):
        return -np.log2(np.maximum(t.tpr, 1e-9)) + np.exp(-t.fpr)

    @ma.define_measure
    def captured(r: ma.Ranking):
        return r.operating_point("top", 0.1)[..., 0] / r.positives

    @ma.define_measure
    def spread(p: ma.Probabilities):
        return p.given.sum(axis=-1) / p.total

    own = ["squares", "risk", "entropy", "captured", "spread"]
    table = ma.evaluate(Y, {"a": P, "b": P[::-1]}, measures=own)
    assert table.values[0].tolist() == ma.evaluate(Y, P, measures=own).values[0].tolist()
    assert ma.evaluate_confusion(np.eye(3), measures="third").values.tolist() == [[1 / 3]]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bounds": (1, 0)}, r"bounds must be the smallest and the largest value.*got \(1, 0\)"),
        ({"bounds": 5}, "bounds must be the smallest"),
        ({"bounds": (0, math.nan)}, "bounds must be the smallest"),
        ({"bounds": (False, True)}, "bounds must be the smallest"),
        ({"bounds": ("0", "1")}, "bounds must be the smallest"),
        ({"bounds": lambda: (0, 1)}, r"bounds\(2\) raised TypeError"),
        ({"bounds": lambda classes: classes}, "bounds must be the smallest.*got 2"),
        ({"better": "up"}, "better must be one of higher, lower.*got 'up'"),
        ({"better": ["higher"]}, "better must be one of"),
        ({"chance": "half"}, "chance must be a finite number, or None.*got 'half'"),
        ({"chance": math.nan}, "chance must be"),
        ({"multiclass": "micro"}, "multiclass must be one of macro, ovo, top, None; got 'micro'"),
        ({"task": "regression"}, "task must be one of binary, multiclass, None"),
        ({"aliases": "trust"}, r"aliases must be a tuple of names.*got \'trust\'"),
        ({"aliases": (1,)}, "aliases must be a tuple of names"),
        ({"undefined": math.isnan}, "undefined must be a tuple of functions"),
        ({"symmetric": 1}, "symmetric must be True or False; got 1"),
        ({"checks": {"x": (bool, "true")}}, r"checks must name parameters of the measure \(none\)"),
        ({"checks": [1]}, "checks must be a dict"),
        ({"name": 5}, "the name of a measure must be a text; got 5"),
        ({"name": "a b"}, "letters, digits and underscores"),
    ],
)
def test_options_that_say_nothing_are_refused(options, words):
    def own(t: ma.TwoByTwo):
        return t.tp

    with pytest.raises(MeasureError, match=words):
        ma.define_measure(**options)(own)
    assert "own" not in ma.catalogue


def test_a_check_is_a_test_and_its_words():
    def own(t: ma.TwoByTwo, *, x=1):
        return x * t.tp

    with pytest.raises(MeasureError, match="the check of x must be a test and what it asks for"):
        ma.define_measure(checks={"x": "above 0"})(own)


def test_an_option_that_there_is_not_is_refused_by_name():
    with pytest.raises(TypeError, match="'monotonous'"):
        ma.define_measure(monotonous=True)  # type: ignore[call-overload]


@pytest.mark.parametrize("thing", [5, np.sqrt, "acc", type("Callable", (), {"__call__": 1})()])
def test_what_is_no_function_is_refused(thing):
    with pytest.raises(MeasureError, match="a measure must be a function"):
        ma.define_measure(thing)


def test_parameters_of_a_measure_stand_behind_a_star():
    def own(t: ma.TwoByTwo, weight=2.0):
        return weight * t.tp

    with pytest.raises(MeasureError, match=r"keyword-only.*def own\(t, \*, weight\)"):
        ma.define_measure(own)


def test_a_condition_that_decides_for_one_model_only_is_refused():
    def none_hit(t):
        """Nobody is hit."""
        return not t.tp

    with pytest.raises(MeasureError, match="the condition 'none_hit' of own must take arrays"):

        @ma.define_measure(undefined=(none_hit,))
        def own(t: ma.TwoByTwo):
            return t.tp


def test_a_formula_with_required_parameters_is_tried_when_they_are_there():
    @ma.define_measure
    def rooted(t: ma.TwoByTwo, *, power):
        return math.pow(t.tp, power)

    @ma.define_measure
    def priced(c: ma.Confusion, *, prices):
        return (c.matrix * prices).sum(axis=(-2, -1)) / c.total

    for model in (P, {"a": P, "b": P}):
        with pytest.raises(MeasureError, match="rooted must take arrays as well as numbers"):
            ma.evaluate(Y, model, measures="rooted[power=2]")
    measure = ma.catalogue["priced"].using(prices=[[0, 1], [2.5, 0]])
    assert ma.measure(measure, Y, P) == pytest.approx((1 + 2.5) / 6)
    of_three = ma.catalogue["priced"].using(prices=np.ones((3, 3)))
    assert ma.evaluate_confusion(np.eye(3), measures=of_three).values.tolist() == [[1]]


@pytest.mark.parametrize("fact", ["triples", "partial_area"])
def test_facts_that_cannot_be_computed_so_are_refused(fact):
    def own(r: ma.Ranking):
        found = getattr(r, fact)
        return found() if callable(found) else found

    with pytest.raises(MeasureError, match=f"own reads facts .*{fact}.* that cannot be computed"):
        ma.define_measure(own)


def test_what_is_returned_later_is_checked_too():
    @ma.define_measure
    def moody(t: ma.TwoByTwo):
        return np.array("much") if np.ndim(t.tp) < 2 and np.all(t.tp > 30) else t.tp

    y = np.ones(50, dtype=int)
    with pytest.raises(MeasureError, match=r"moody must return a number.*got the ndarray 'much'"):
        ma.measure("moody", y, y)


def test_what_fails_later_is_named():
    @ma.define_measure
    def rare(t: ma.TwoByTwo):
        if np.ndim(t.tp) < 2 and np.any(t.tp > 30):
            msg = "too many"
            raise KeyError(msg)
        return t.tp

    assert ma.measure("rare", Y, P) == 2
    y = np.ones(50, dtype=int)
    for model in (y, {"a": y, "b": y}):
        with pytest.raises(MeasureError, match="rare could not be computed; it raised KeyError"):
            ma.evaluate(y, model, measures=["acc", "rare"])
    with pytest.raises(MeasureError, match="rare could not be computed"):
        ma.evaluate(y, {"a": y, "b": y})


def test_a_formula_that_changes_facts_only_sometimes_changes_no_other_measure():
    @ma.define_measure
    def more_hits_if_all_are(t: ma.TwoByTwo, *, more: float = 0.0):
        found = t.tp
        if more:
            found += more
        return found

    own = ma.catalogue["more_hits_if_all_are"]
    batch = {"one": P, "other": P[::-1]}
    built_in = ma.evaluate(Y, batch, measures=["tp", "acc"]).values
    assert built_in[:, 0].tolist() == [2, 1]
    assert ma.evaluate(Y, batch, measures=[own, "tp", "acc"]).values[:, 1:].tolist() == (
        built_in.tolist()
    )
    with pytest.raises(MeasureError, match="must not change in place"):
        ma.evaluate(Y, batch, measures=[own.using(more=1.0), "tp", "acc"])
    assert ma.evaluate(Y, batch, measures=["tp", "acc"]).values.tolist() == built_in.tolist()


def test_the_matrix_of_a_parameter_cannot_be_changed_by_the_formula():
    @ma.define_measure(task="binary")
    def normed(c: ma.Confusion, *, costs):
        shares = np.asarray(costs)
        shares /= shares.sum()
        return (c.matrix * shares).sum(axis=(-2, -1))

    own = ma.catalogue["normed"].using(costs=[[0.0, 1.0], [5.0, 0.0]])
    with pytest.raises(MeasureError, match="must not change in place"):
        ma.measure(own, Y, P)


def test_a_matrix_of_ones_own_stays_changeable():
    matrix = np.array([[5.0, 1.0], [2.0, 4.0]])
    assert ma.Confusion.of(matrix).correct == 9
    assert ma.TwoByTwo.of(matrix).tp == 4
    ma.TwoByTwo(tp=matrix[0], fp=matrix[1], fn=matrix[0], tn=matrix[1])
    ma.evaluate_confusion(matrix, measures="acc")
    matrix += 1
    assert matrix.sum() == 16
