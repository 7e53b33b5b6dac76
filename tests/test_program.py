"""The program that a plan is compiled to says what its formulas say, or there is none."""

import warnings

import numpy as np
import pytest

import metricatlas as ma
from metricatlas.evaluation import plan as plans
from metricatlas.evaluation.program import CannotFollow, Symbol, Tape, compiled


@pytest.fixture(autouse=True)
def _undefined_values_are_expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        yield


@pytest.fixture
def made(monkeypatch):
    """Collect the programs that are made, or None for a plan that has none."""
    programs = []

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


def test_powers_are_the_operator_that_the_formula_writes():
    facts = {"class": {("x", ()): np.array([0.1])}}
    program = compiled(facts, lambda f: [f["class"]["x", ()] ** 3, 2.0 ** f["class"]["x", ()]])
    for x in (0.3, 1.7, 12.4):
        number = np.float64(x)
        assert program.values({"class": {("x", ()): np.array([x])}}) == [number**3, 2.0**number]
