"""The program that a plan is compiled to says what its formulas say, or there is none."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metricatlas as ma
from metricatlas.evaluation import engine
from metricatlas.evaluation import plan as plans
from metricatlas.evaluation.program import compiled
from metricatlas.evaluation.tape import CannotFollow, Symbol, Tape


@pytest.fixture(autouse=True)
def _undefined_values_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        yield


@pytest.fixture
def made(monkeypatch):
    """Collect the programs that are made, or None for a plan that has none."""
    programs = []
    # Plans of earlier tests have their programs already.
    engine._planned.cache_clear()

    def watched(*arguments):
        programs.append(compiled(*arguments))
        return programs[-1]

    monkeypatch.setattr(plans, "compiled", watched)
    return programs


def rows(classes, kind, count=40):
    """Random predictions of all kinds of skill, ties and degenerate ones among them."""
    rng = np.random.default_rng(classes)
    for i in range(count):
        y = rng.integers(0, classes, 30) if i % 4 else np.full(30, i % classes)
        p = rng.multinomial(8, np.full(classes, 1 / classes), 30) / 8
        if i % 5 == 0:
            p[:] = np.eye(classes)[y if i % 10 else 0]
        yield y, p.argmax(axis=1) if kind == "labels" else p


@pytest.mark.parametrize("kind", ["labels", "probabilities"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_whole_catalogue_is_followed_and_has_the_bits_of_its_formulas(
    classes, kind, made, monkeypatch
):
    followed = [
        ma.evaluate(y, p, kind=kind, labels=range(classes)).values for y, p in rows(classes, kind)
    ]
    assert made
    assert None not in made
    monkeypatch.setattr(plans.Plan, "values_of_one", called)
    for (y, p), values in zip(rows(classes, kind), followed, strict=True):
        again = ma.evaluate(y, p, kind=kind, labels=range(classes)).values
        np.testing.assert_array_equal(again, values, strict=True)


def called(plan, facts, best):
    """Return the values of one row by calling the formulas."""
    one = {t: {r: v[0] for r, v in found.items()} for t, found in facts.items()}
    return plan.values(plan.read(one, {s: cut[0] for s, cut in best.items()}))


def shares(c: ma.Confusion):
    return (c.hits / c.true)[c.true > 0]


def by_mask(c: ma.Confusion):
    return shares(c).sum() / len(shares(c))


def by_places(c: ma.Confusion):
    return np.take(c.hits / c.true, np.flatnonzero(c.true)).mean()


def by_compression(c: ma.Confusion):
    return np.compress(c.true > 0, c.hits / c.true).mean()


def by_distinct_values(c: ma.Confusion):
    return np.unique(c.true).size * 1.0


def by_where(c: ma.Confusion):
    return (c.hits / c.true)[np.where(c.true > 0)].mean()


def by_type(c: ma.Confusion):
    return c.correct / c.total if isinstance(c.correct, np.number) else c.correct * np.nan


@pytest.mark.parametrize(
    "formula", [by_mask, by_places, by_compression, by_distinct_values, by_where, by_type]
)
def test_formulas_whose_lengths_depend_on_values_are_called_each_time(formula):
    # Straight to the plan: the door takes no formulas that are for one model only.
    facts = [
        {"confusion": {("matrix", ()): np.array([matrix], dtype=float)}}
        for matrix in (np.diag([3, 2, 1]), [[2, 1, 0], [0, 0, 0], [1, 0, 1]])
    ]
    followed = compiled(facts[0], lambda f: [formula(ma.Confusion(f["confusion"]))])
    assert followed is None


def test_a_formula_with_a_mask_is_right_on_every_call():
    @ma.define_measure(bounds=(0, 1))
    def mean_share(c: ma.Confusion):
        there = c.true > 0
        shares = np.where(there, c.hits / c.true, 0)
        return shares.sum(axis=-1) / there.sum(axis=-1)

    decided = [0, 1, 2, 0]
    for y, expected in (([0, 1, 2, 2], 2.5 / 3), ([0, 0, 2, 2], 0.5), ([1, 1, 1, 1], 0.25)):
        found = ma.measure("mean_share", y, decided, labels=[0, 1, 2])
        assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    "use",
    [
        bool,
        float,
        int,
        complex,
        list,
        lambda s: 1.0 in s,
        lambda s: s[s > 1],
        lambda s: s[..., s.argmax()],
        lambda s: s[: s.argmax()],
        np.nonzero,
        np.flatnonzero,
        np.argwhere,
        np.unique,
        np.where,
        lambda s: np.compress(s > 1, s),
        lambda s: np.extract(s > 1, s),
        lambda s: np.repeat(s, 2),
        lambda s: np.add(s, 1, out=s),
        lambda s: np.sum(s, axis=s.argmax()),
        lambda s: s.clip(s),
        np.asarray,
    ],
)
def test_what_depends_on_values_or_changes_them_is_not_followed(use):
    with pytest.raises(CannotFollow):
        use(Symbol(Tape(), "f0", np.array([1.0, 2.0])))


@pytest.mark.parametrize("method", ["nonzero", "compress", "sort", "fill", "item", "tolist"])
def test_methods_that_depend_on_values_or_change_them_are_not_followed(method):
    with pytest.raises(AttributeError):
        getattr(Symbol(Tape(), "f0", np.array([1.0, 2.0])), method)


def test_powers_are_not_followed_and_have_the_same_bits_alone_and_among_others():
    # NumPy has other powers of numbers than of arrays.
    facts = {"class": {("x", ()): np.array([0.1])}}
    assert compiled(facts, lambda f: [f["class"]["x", ()] ** 1.7]) is None
    assert compiled(facts, lambda f: [2.0 ** f["class"]["x", ()]]) is None

    @ma.define_measure(bounds=(0, 3))
    def powers(t: ma.TwoByTwo):
        return (t.tpr * t.tnr * t.ppv) ** (1 / 3) + t.tpr**1.7 + 2**t.tnr - 1

    rng = np.random.default_rng(8)
    for _ in range(200):
        y = np.append(rng.integers(0, 2, 18), [0, 1])
        models = {i: rng.random(20) for i in range(rng.integers(2, 9))}
        among = ma.evaluate(y, models, measures="powers")["powers"]
        alone = [ma.measure("powers", y, p) for p in models.values()]
        np.testing.assert_array_equal(among, alone)


#: What formulas do with the few numbers of two classes.
STEPS = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "compare": lambda a, b: (a > b) & (a == a),  # noqa: PLR0124 - finds NaN
    "count": lambda a, b: np.add.reduce(a >= b, axis=-1) / 2,
    "negate": lambda a, b: np.where(~(a < b), -a, b),
    "choose a whole number": lambda a, b: np.where(a > b, 1, a),
    "larger": np.maximum,
    "smaller": np.minimum,
    "root": lambda a, b: np.sqrt(np.abs(a)) - np.sqrt(b),
    "square": lambda a, b: np.square(a) + np.isfinite(b),
    "logarithm": lambda a, b: np.log(a) + np.log1p(b),
    "sum": lambda a, b: a.sum(axis=-1) + np.add.reduce(b, axis=0),
    "extremes": lambda a, b: a.max(axis=-1) - np.minimum.reduce(b, axis=0),
    "product": lambda a, b: np.multiply.reduce(a, axis=-1) - b.prod(axis=-1),
    "places": lambda a, b: a.T[1] - b[..., np.newaxis, :][..., 0],
    "outer": lambda a, b: a[..., :, np.newaxis] * b[..., np.newaxis, :],
    "diagonal": lambda a, b: np.diagonal(a[..., np.newaxis] - b, axis1=-2, axis2=-1),
    "truths": lambda a, b: np.add(a > 0, b > 0) * 1.0,
}
NUMBERS = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan, 5e-324, 1e308]),
    st.floats(),
)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("step", STEPS.values(), ids=list(STEPS))
@given(st.lists(NUMBERS, min_size=8, max_size=8))
def test_numbers_of_small_arrays_are_followed_with_their_bits(step, numbers):
    rows = np.array(numbers).reshape(2, 2, 2)
    facts = {"class": {("a", ()): rows[:1], ("b", ()): rows[1:]}}

    def formula(found):
        a, b = found["class"]["a", ()], found["class"]["b", ()]
        return [step(a[..., 0, :], b[..., 0, :]), step(a[..., 1, :], b[..., 0, :])]

    program = compiled(facts, formula)
    one = {"class": {request: value[0] for request, value in facts["class"].items()}}
    assert program is not None
    for followed, expected in zip(program.values(facts), formula(one), strict=True):
        np.testing.assert_array_equal(followed, expected)
        # Which of 0.0 and -0.0 is the smaller depends on the processor.
        zeros = np.equal(expected, 0) & (step not in (np.maximum, np.minimum, STEPS["extremes"]))
        np.testing.assert_array_equal(np.signbit(followed)[zeros], np.signbit(expected)[zeros])
