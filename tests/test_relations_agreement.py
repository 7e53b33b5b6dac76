import importlib
import sys
from fractions import Fraction
from itertools import combinations
from math import inf, isinf, isnan, nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_of_relations import (
    accuracy,
    area,
    chained_places,
    pairs_by_definition,
    published,
)
from scipy.stats import kendalltau

import metricatlas as ma
from metricatlas.errors import RelationError
from metricatlas.measurements import Column, Measurements
from metricatlas.relations import Agreement, Agreements

# The package shows its doors under the names of the modules that they are in.
counting = importlib.import_module("metricatlas.relations.counting")
agreement_module = importlib.import_module("metricatlas.relations.agreement")
agreements_module = importlib.import_module("metricatlas.relations.agreements")


@pytest.fixture(params=["array form", "scan form"])
def form(request, monkeypatch):
    """Let one form of counting do everything."""
    scan = request.param == "scan form"
    monkeypatch.setattr(counting, "FEW", 0 if scan else 10**6)
    monkeypatch.setattr(agreements_module, "MANY", -1 if scan else 10**18)
    return request.param


def counts(a):
    return (a.R, a.S, a.P, a.Q, a.ties)


def tied_values(rng, count, levels):
    return rng.integers(0, levels, count) / 4


def test_the_worked_cases_come_out(golden_cases, form):
    cases = [case for case in golden_cases if case["kind"] == "consistency"]
    assert len(cases) == 30
    for case in cases:
        found = ma.agreement(case["F"], case["G"])
        for name, expected in case["expected"].items():
            value = getattr(found, name)
            if expected is None:
                assert isnan(value), (case["id"], name, form)
            elif expected == "inf":
                assert value == inf, (case["id"], name)
            else:
                assert value == expected, (case["id"], name)


def test_huangs_first_table_is_a_pair_in_opposite_order():
    table = published()["huang_table1"]
    lists = {name: tuple(table[name]) for name in "ab"}
    areas = {name: area(ranked) for name, ranked in lists.items()}
    accuracies = {name: accuracy(ranked, 5) for name, ranked in lists.items()}
    assert areas == {name: Fraction(text) for name, text in table["AUC"].items()}
    assert {name: float(x) for name, x in accuracies.items()} == table["acc"]
    found = ma.agreement([float(areas[n]) for n in "ab"], [float(accuracies[n]) for n in "ab"])
    assert counts(found) == (0, 1, 0, 0, 0)
    assert found.verdict == "not consistent but equally fine"


def test_huangs_second_table_is_a_tie_that_accuracy_breaks():
    # ERRATA H1: both areas are 3/5; the paper prints 2/5.
    table = published()["huang_table2"]
    lists = [tuple(table[name]) for name in "ab"]
    assert [area(ranked) for ranked in lists] == [Fraction(table["AUC_actual"])] * 2
    assert [float(accuracy(ranked, 5)) for ranked in lists] == list(table["acc"].values())
    scores = np.tile(np.arange(10.0), (2, 1))[:, :, np.newaxis]
    table = ma.evaluate(np.array(lists), scores, measures=["auc", "acc@top=5"], kind="scores")
    found = ma.agreement(table["auc"], table["acc@top=5"])
    assert counts(found) == (0, 0, 0, 1, 0)
    assert found.ties_broken == 1
    assert found.verdict == "undecided but not finer"


def test_the_fast_count_is_that_of_all_pairs_looked_at(form):
    rng = np.random.default_rng(1)
    for _ in range(1500):
        n, levels = int(rng.integers(0, 16)), int(rng.integers(1, 9))
        f, g = tied_values(rng, n, levels), tied_values(rng, n, int(rng.integers(1, 9)))
        found = ma.agreement(f, g)
        assert counts(found) == pairs_by_definition(f.tolist(), g.tolist()), (f, g, form)
        assert all(isinstance(count, int) for count in counts(found))
        assert found.pairs == n * (n - 1) // 2


def test_whole_weights_count_as_so_many_objects(form):
    rng = np.random.default_rng(2)
    for _ in range(500):
        n = int(rng.integers(1, 14))
        f, g, w = (rng.integers(0, 5, n) for _ in range(3))
        expected = pairs_by_definition(f.tolist(), g.tolist(), weights=w.tolist())
        assert counts(ma.agreement(f, g, weights=w)) == expected, (f, g, w, form)


def test_fractional_weights_are_multiplied_pair_by_pair(form):
    rng = np.random.default_rng(3)
    for _ in range(500):
        n = int(rng.integers(1, 14))
        f, g = (rng.integers(0, 5, n) for _ in range(2))
        w = rng.random(n) * (rng.random(n) > 0.2)
        expected = pairs_by_definition(f.tolist(), g.tolist(), weights=w.tolist())
        found = counts(ma.agreement(f, g, weights=w))
        whole = float(sum(expected))
        assert found == pytest.approx([float(x) for x in expected], abs=1e-14 * n * whole), form
        # What is empty is exactly 0, so that a degree of discriminancy is infinite where it is.
        for one, other in list(zip(found, expected, strict=True))[:4]:
            assert (one == 0) == (other == 0), (f, g, w)


def test_pairs_of_different_groups_do_not_count(form):
    rng = np.random.default_rng(4)
    for weighted in (False, True):
        for _ in range(300):
            n = int(rng.integers(1, 16))
            f, g, groups = (rng.integers(0, 4, n) for _ in range(3))
            w = rng.integers(0, 4, n).tolist() if weighted else None
            expected = pairs_by_definition(
                f.tolist(), g.tolist(), weights=w, within=groups.tolist()
            )
            names = [f"set {i}" for i in groups]
            assert counts(ma.agreement(f, g, weights=w, within=names)) == expected, form


def test_groups_may_be_named_by_several_columns_and_by_nothing():
    f, g = [1, 2, 3, 4, 5, 6], [1, 3, 2, 6, 5, 4]
    expected = pairs_by_definition(f, g, within=[0, 0, 1, 1, 2, 2])
    assert expected == (2, 1, 0, 0, 0)
    numbers = np.array([[1, 1], [1, 1], [2, 1], [2, 1], [1, 2], [1, 2]])
    assert counts(ma.agreement(f, g, within=numbers)) == expected
    mixed = ma.agreement(f, g, within=["a", "a", 1, 1, None, None])
    assert counts(mixed) == expected


def test_groups_may_be_named_by_several_columns_of_text():
    f, g = [1, 2, 3, 4, 5, 6], [1, 3, 2, 6, 5, 4]
    names = pd.DataFrame({"dataset": ["a", "a", "b", "b", "a", "a"], "fold": list("uuuuvv")})
    expected = pairs_by_definition(f, g, within=[0, 0, 1, 1, 2, 2])
    assert counts(ma.agreement(f, g, within=names)) == expected


def test_values_within_the_tolerance_are_tied(form):
    rng = np.random.default_rng(5)
    for weighted in (False, True):
        for _ in range(500):
            n = int(rng.integers(1, 16))
            f, g = rng.integers(0, 12, n) / 8, rng.integers(0, 12, n) / 8
            tolerance = float(rng.integers(1, 5)) / 8
            w = rng.integers(0, 4, n).tolist() if weighted else None
            expected = pairs_by_definition(f.tolist(), g.tolist(), weights=w, tolerance=tolerance)
            found = ma.agreement(f, g, weights=w, tolerance=tolerance)
            assert counts(found) == expected, (f, g, w, tolerance, form)


def test_a_tolerance_joins_no_chain_of_single_values(form):
    # 0 and 0.2 differ by more than 0.1, although 0.1 is near both.
    assert counts(ma.agreement([0, 0.1, 0.2], [1, 2, 3], tolerance=0.1)) == (1, 0, 0, 2, 0), form


def test_infinite_values_are_values(form):
    rng = np.random.default_rng(6)
    choice = np.array([-inf, -1.0, 0.0, 0.0, 0.25, 0.5, inf, inf])
    for tolerance in (0.0, 0.25, 1e9):
        for weighted in (False, True):
            for _ in range(200):
                n = int(rng.integers(1, 14))
                f, g = rng.choice(choice, n), rng.choice(choice, n)
                w = rng.integers(1, 4, n).tolist() if weighted else None
                expected = pairs_by_definition(
                    f.tolist(), g.tolist(), weights=w, tolerance=tolerance
                )
                found = ma.agreement(f, g, weights=w, tolerance=tolerance)
                assert counts(found) == expected, (f, g, tolerance, form)


def test_two_level_measures_are_compared_as_pairs(form):
    rng = np.random.default_rng(7)
    for _ in range(400):
        n = int(rng.integers(1, 14))
        f, g = rng.integers(0, 3, (n, 2)), rng.integers(0, 3, (n, 2))
        groups = rng.integers(0, 2, n).tolist()
        one, other = ([tuple(x) for x in v.tolist()] for v in (f, g))
        alone = g[:, 0].tolist()
        expected = pairs_by_definition(one, other, within=groups)
        assert counts(ma.agreement(f, g, within=groups)) == expected, form
        assert counts(ma.agreement(f, alone)) == pairs_by_definition(one, alone)
        assert counts(ma.agreement(alone, f)) == pairs_by_definition(alone, one)


def test_the_second_level_counts_however_small_it_is():
    # As one number, first + 0.01 second, the pair would be the other way round.
    found = ma.agreement([[0.500, 1.0], [0.501, 0.0]], [1, 2])
    assert counts(found) == (1, 0, 0, 0, 0)
    assert counts(ma.agreement([[-inf, 1], [-inf, 2], [inf, 0]], [1, 2, 3])) == (3, 0, 0, 0, 0)


def test_levels_within_a_chain_of_the_tolerance_are_tied(form):
    rng = np.random.default_rng(8)
    for _ in range(300):
        n = int(rng.integers(1, 14))
        f, g = rng.integers(0, 16, (n, 2)) / 8, rng.integers(0, 16, (n, 2)) / 8
        one, other = (
            list(zip(*(chained_places(x, 0.125) for x in v.T.tolist()), strict=True))
            for v in (f, g)
        )
        expected = pairs_by_definition(one, other)
        assert counts(ma.agreement(f, g, tolerance=0.125)) == expected, form


def test_a_chain_of_levels_is_made_of_one_groups_objects():
    # 0 and 0.2 are a step apart that the tolerance does not cover; 0.1 is of another group.
    f, g = [[0, 1], [0.2, 1], [0.1, 1]], [1, 2, 3]
    found = ma.agreement(f, g, within=["a", "a", "b"], tolerance=0.1)
    assert counts(found) == counts(ma.agreement(f[:2], g[:2], tolerance=0.1)) == (1, 0, 0, 0, 0)


def test_a_single_value_beside_a_two_level_measure_is_tied_by_the_tolerance_not_by_a_chain():
    f = [0, 0.1, 0.2]
    alone = ma.agreement(f, [1, 2, 3], tolerance=0.1)
    beside = ma.agreement(f, [[1, 0], [2, 0], [3, 0]], tolerance=0.1)
    assert counts(beside) == counts(alone) == (1, 0, 0, 2, 0)


few_values = st.sampled_from([-inf, -1.5, 0.0, 0.1, 0.2, 0.3, 1.0, 1e300, inf])


@given(st.lists(st.tuples(few_values, few_values), max_size=40))
def test_reversed_is_the_agreement_of_g_and_f(pairs):
    f, g = [p[0] for p in pairs], [p[1] for p in pairs]
    one, other = ma.agreement(f, g), ma.agreement(g, f)
    assert one.reversed == other
    assert one.reversed.reversed == one
    assert counts(one) == pairs_by_definition(f, g)
    assert (one.R, one.S, one.ties) == (other.R, other.S, other.ties)
    assert (one.P, one.Q) == (other.Q, other.P)
    turned = ma.agreement(f, [-x for x in g])
    assert counts(turned) == (one.S, one.R, one.P, one.Q, one.ties)


@given(st.lists(st.tuples(few_values, few_values), max_size=30), st.randoms())
def test_the_order_of_objects_does_not_matter(pairs, shuffler):
    mixed = list(pairs)
    shuffler.shuffle(mixed)
    assert ma.agreement(*_columns(pairs)) == ma.agreement(*_columns(mixed))


def _columns(pairs):
    return [p[0] for p in pairs], [p[1] for p in pairs]


@pytest.mark.parametrize("n", [2, 3, 17, 600, 601, 3000])
@pytest.mark.parametrize("levels", [2, 7, 10_000])
def test_kendalls_tau_is_scipys(n, levels):
    rng = np.random.default_rng(n + levels)
    f = rng.integers(0, levels, n)
    g = f + rng.integers(0, levels, n)
    expected = kendalltau(f, g).statistic
    assert ma.agreement(f, g).kendall == pytest.approx(expected, abs=1e-14, nan_ok=True)


def test_kendalls_tau_of_the_same_order_is_exactly_one():
    for n in range(2, 60):
        assert ma.agreement(range(n), [x * x for x in range(n)]).kendall == 1, n
        assert ma.agreement(range(n), [-x for x in range(n)]).kendall == -1, n


def test_kendalls_tau_of_a_constant_is_undefined():
    assert isnan(ma.agreement([1, 1, 1], [1, 2, 3]).kendall)
    assert isnan(ma.agreement([], []).kendall)


def spy(monkeypatch, module, name):
    calls, real = [], getattr(module, name)

    def watched(*args):
        calls.append(name)
        return real(*args)

    monkeypatch.setattr(module, name, watched)
    return calls


def test_few_objects_are_compared_by_arrays_and_many_by_a_scan(monkeypatch):
    scan = importlib.import_module("metricatlas.relations.counting_scan")
    arrays = spy(monkeypatch, counting, "_compared")
    whole = spy(monkeypatch, scan, "count_pairs")
    masses = spy(monkeypatch, scan, "count_masses")
    rng = np.random.default_rng(9)
    f, g = rng.integers(0, 50, 601), rng.integers(0, 50, 601)
    assert counting.FEW == 600
    ma.agreement(f[:600], g[:600])
    assert (arrays, whole, masses) == (["_compared"], [], [])
    ma.agreement(f, g)
    assert (len(arrays), len(whole), len(masses)) == (1, 1, 0)
    ma.agreement(f, g, weights=np.ones(601))
    assert (len(arrays), len(whole), len(masses)) == (1, 1, 2)
    ma.agreement(f, g, tolerance=0.5)
    assert (len(arrays), len(whole), len(masses)) == (1, 1, 4)
    # Of groups each one is counted by itself.
    ma.agreement(f, g, within=[0] * 300 + [1] * 301)
    assert (len(arrays), len(whole), len(masses)) == (3, 1, 4)


def test_both_forms_give_the_same_counts_of_many_objects(monkeypatch):
    rng = np.random.default_rng(10)
    f, g = rng.integers(0, 40, 1500) / 8, rng.integers(0, 9, 1500) / 8
    w = rng.integers(0, 5, 1500)
    asked = [{}, {"weights": w}, {"tolerance": 0.125}, {"weights": w, "tolerance": 0.25}]
    scanned = [ma.agreement(f, g, **more) for more in asked]
    monkeypatch.setattr(counting, "FEW", 10**6)
    assert [ma.agreement(f, g, **more) for more in asked] == scanned


def test_few_objects_need_nothing_compiled():
    code = (
        "import sys, metricatlas as ma; ma.agreement(range(50), range(50)); "
        "print('numba' in sys.modules)"
    )
    import subprocess

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_more_pairs_than_four_bytes_hold_are_counted():
    n = 70_000
    pairs = n * (n - 1) // 2
    rising = np.arange(n)
    assert counts(ma.agreement(rising, rising)) == (pairs, 0, 0, 0, 0)
    assert counts(ma.agreement(rising, -rising)) == (0, pairs, 0, 0, 0)
    assert counts(ma.agreement(rising, np.zeros(n))) == (0, 0, pairs, 0, 0)
    assert counts(ma.agreement(np.zeros(n), rising)) == (0, 0, 0, pairs, 0)
    assert counts(ma.agreement(np.zeros(n), np.zeros(n))) == (0, 0, 0, 0, pairs)
    halves = rising // 2
    assert counts(ma.agreement(halves, halves)) == (pairs - n // 2, 0, 0, 0, n // 2)


def test_whole_masses_are_exact_where_there_are_many_objects():
    n = 20_000
    rising = np.arange(n)
    weights = np.full(n, 3)
    found = ma.agreement(rising, rising, weights=weights)
    assert counts(found) == (9 * n * (n - 1) // 2, 0, 0, 0, 0)


def test_degrees_of_counts_that_no_float_holds_are_exact():
    huge = 10**400
    found = Agreement(R=3 * huge, S=huge, P=5 * huge, Q=2 * huge, ties=6 * huge)
    assert found.consistency == 0.75
    assert found.discriminancy == 2.5
    assert found.ties_broken == 0.25
    assert found.pairs == 17 * huge
    assert found.verdict == "consistent and finer"
    assert "C = 0.75, D = 2.5" in str(found)


def test_kendalls_tau_of_counts_that_no_float_holds_is_there():
    huge = 10**400
    found = Agreement(R=3 * huge, S=huge, P=0, Q=0)
    assert found.kendall == pytest.approx(0.5, abs=1e-15)
    mixed = Agreement(R=3 * huge, S=huge, P=5 * huge, Q=12 * huge)
    assert mixed.kendall == pytest.approx(2 / (9 * 16) ** 0.5, abs=1e-15)


def test_a_degree_beyond_all_floats_is_infinite():
    assert Agreement(R=1, S=0, P=10**400, Q=1).discriminancy == inf


@pytest.mark.parametrize(
    ("counted", "verdict"),
    [
        ((3, 2, 5, 4), "consistent and finer"),
        ((3, 2, 4, 5), "consistent but not finer"),
        ((3, 2, 4, 4), "consistent but not finer"),
        ((3, 2, 0, 0), "consistent and equally fine"),
        ((3, 2, 1, 0), "consistent and finer"),
        ((3, 2, 0, 1), "consistent but not finer"),
        ((2, 2, 5, 4), "not consistent but finer"),
        ((2, 3, 4, 5), "not consistent and not finer"),
        ((2, 3, 0, 0), "not consistent but equally fine"),
        ((0, 0, 5, 4), "undecided and finer"),
        ((0, 0, 0, 0), "undecided and equally fine"),
    ],
)
def test_the_verdict_says_both_in_words(counted, verdict):
    found = Agreement(*counted)
    assert found.verdict == verdict
    assert verdict in str(found)
    r, s, p, q = counted
    assert found.consistent == (r > s) == (found.consistency > 0.5)
    assert found.finer == (p > q) == (found.discriminancy > 1)


def test_ties_of_f_that_g_breaks_are_counted():
    # f ties 1-2, 1-3, 2-3 and 4-5; g tells 1-3, 2-3 apart.
    found = ma.agreement([1, 1, 1, 2, 2], [1, 1, 2, 3, 3])
    assert counts(found) == (6, 0, 0, 2, 2)
    assert found.ties_broken == 0.5
    assert found.reversed.ties_broken == 0
    assert isnan(ma.agreement([1, 2], [1, 2]).ties_broken)


def test_objects_may_come_in_any_container():
    f, g = [1.0, 2.0, 2.0, 3.0], [True, False, True, True]
    expected = pairs_by_definition(f, g)
    for wrapped in (np.array, pd.Series, list, lambda x: pd.Series(x, index=[9, 8, 7, 6])):
        assert counts(ma.agreement(wrapped(f), wrapped(g))) == expected
    levels = pd.DataFrame({"auc": f, "acc": [0.1, 0.2, 0.3, 0.4]})
    assert counts(ma.agreement(levels, f)) == (5, 0, 1, 0, 0)


def test_nothing_and_one_object_have_no_pairs(form):
    for few in ([], [1.0]):
        found = ma.agreement(few, few)
        assert counts(found) == (0, 0, 0, 0, 0), form
        assert isnan(found.consistency)
        assert isnan(found.discriminancy)
        assert not found.consistent
        assert not found.finer


def test_no_object_has_no_group():
    assert counts(ma.agreement([], [], within=[])) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("f", "g", "more", "words"),
    [
        ([1, 2], [1, 2, 3], {}, "must have a value for each object; got 2 and 3"),
        (["a", "b"], [1, 2], {}, "f must be numbers, one for each object, or two for a two-level"),
        ([1, 2], ["a", "b"], {}, "g must be numbers"),
        (np.ones((2, 3)), [1, 2], {}, r"of the shape \(2, 3\)"),
        (np.ones((2, 2, 2)), [1, 2], {}, "of the shape"),
        ([1, nan, nan], [1, 2, 3], {}, "f must be defined for every object; got 2 NaN, the first "),
        ([1, 2, 3], [1, 2, nan], {}, r"in row 2 \(counted from 0\). Drop these objects from both"),
        ([[1, 2], [1, nan]], [1, 2], {}, r"got 1 NaN, the first in row 1"),
        ([1, 2], [1, 2], {"tolerance": -0.1}, "tolerance must be a number from 0 on; got -0.1"),
        ([1, 2], [1, 2], {"tolerance": nan}, "tolerance must be a number from 0 on; got nan"),
        ([1, 2], [1, 2], {"tolerance": inf}, "tolerance must be a number from 0 on; got inf"),
        ([1, 2], [1, 2], {"weights": [1]}, "one for each of the 2 objects; got"),
        ([1, 2], [1, 2], {"weights": [[1, 1], [1, 1]]}, r"of the 2 objects; got \(2, 2\)"),
        ([1, 2], [1, 2], {"weights": [1, -1]}, r"not negative; got 1 others, the first -1.0 in "),
        ([1, 2], [1, 2], {"weights": [inf, 1]}, r"must be finite .* the first inf in row 0"),
        ([1, 2], [1, 2], {"weights": [nan, 1]}, "weights must be defined for every object"),
        ([1, 2], [1, 2], {"weights": ["a", "b"]}, "weights must be numbers"),
        ([1, 2], [1, 2], {"within": ["a"]}, "a group for each of the 2 objects; got 1"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_words(f, g, more, words):
    with pytest.raises(RelationError, match=words):
        ma.agreement(f, g, **more)


@pytest.mark.parametrize("odd", ["a", None, [0.1]])
def test_a_tolerance_that_is_no_number_is_refused_in_words(odd):
    with pytest.raises(RelationError, match="tolerance must be a number from 0 on"):
        ma.agreement([1, 2], [1, 2], tolerance=odd)
    with pytest.raises(RelationError, match="tolerance must be a number from 0 on"):
        ma.agreements(make_table(), tolerance=odd)


# -- Tables ----------------------------------------------------------------------------------------

COLUMNS = (
    Column("auc", "auc"),
    Column("brier", "brier", "lower"),
    Column("auc:acc", "auc:acc"),
    Column("shift", "shift", "zero"),
    Column("acc:auc", "acc:auc"),
)


def make_table(rows=40, groups=3, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    levels = {i: rng.integers(0, 4, (rows, 2)) / 4 for i in (2, 4)}
    values = rng.integers(0, 8, (rows, 5)) / 8
    values[:, 3] -= 0.5
    for i, pair in levels.items():
        values[:, i] = pair[:, 0] + 0.01 * pair[:, 1]
    lost = rng.random(values.shape) < missing
    values[lost] = nan
    for i, pair in levels.items():
        pair[lost[:, i], rng.integers(0, 2)] = nan
    names = [f"set {i}" for i in rng.integers(0, groups, rows)]
    return Measurements(values, COLUMNS, {"dataset": names, "row": range(rows)}, levels=levels)


def as_compared(table, column):
    """The values of a column so that higher is better, two-level ones as tuples."""
    if column in table.pairs:
        return [tuple(pair) for pair in table.levels(column).tolist()]
    values = table.values[:, column].tolist()
    better = table.schema[column].better
    return [-x if better == "lower" else -abs(x) if better == "zero" else x for x in values]


def is_undefined(value):
    return any(map(isnan, value)) if isinstance(value, tuple) else isnan(value)


def by_definition(table, i, j, within="dataset"):
    f, g = as_compared(table, i), as_compared(table, j)
    kept = [k for k in range(len(f)) if not is_undefined(f[k]) and not is_undefined(g[k])]
    groups = None if within is None else [table.row_keys[within][k] for k in kept]
    found = pairs_by_definition([f[k] for k in kept], [g[k] for k in kept], within=groups)
    return found, len(f) - len(kept)


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("within", ["dataset", None])
def test_a_table_is_compared_pair_by_pair_with_undefined_rows_left_out(missing, within, form):
    table = make_table(missing=missing)
    found = ma.agreements(table, within=within)
    assert len(found) == 10
    for i, j in combinations(range(5), 2):
        pair = table.columns[i], table.columns[j]
        expected, left_out = by_definition(table, i, j, within)
        assert counts(found[pair]) == expected, (pair, form)
        assert found.left_out[pair] == left_out
        assert found[pair[::-1]] == found[pair].reversed


@pytest.mark.parametrize("within", ["dataset", None])
@pytest.mark.parametrize("tolerance", [0.0, 0.125])
def test_a_table_says_what_agreement_says_of_each_pair(within, tolerance, form):
    table = make_table(seed=1)
    found = ma.agreements(table, within=within, tolerance=tolerance)
    groups = None if within is None else table.row_keys[within]
    for i, j in combinations(range(5), 2):
        f, g = (np.array(as_compared(table, k)) for k in (i, j))
        expected = ma.agreement(f, g, within=groups, tolerance=tolerance)
        assert found[table.columns[i], table.columns[j]] == expected, (i, j, form)


def test_many_comparisons_of_a_table_are_left_to_the_scan(monkeypatch):
    scan = importlib.import_module("metricatlas.relations.counting_scan")
    arrays = spy(monkeypatch, counting, "_compared")
    whole = spy(monkeypatch, scan, "count_pairs")
    masses = spy(monkeypatch, scan, "count_masses")
    table = make_table(missing=0.1)
    ma.agreements(table)
    assert (len(arrays), len(whole), len(masses)) == (30, 0, 0)
    monkeypatch.setattr(agreements_module, "MANY", 100)
    ma.agreements(table)
    assert (len(arrays), len(whole), len(masses)) == (30, 30, 0)
    # Within a tolerance places say nothing.
    ma.agreements(table, tolerance=0.1)
    assert (len(whole), len(masses)) == (30, 0)


@pytest.mark.parametrize("within", ["dataset", None])
def test_columns_that_are_whole_in_one_group_only_are_counted_there_as_elsewhere(within, form):
    table = make_table(rows=200, groups=2, seed=2)
    values = np.array(table.values)
    lost = [i for i, name in enumerate(table.row_keys["dataset"]) if name == "set 1"][:2]
    values[lost, 0] = nan
    table = table.__replace__(values=values)
    found = ma.agreements(table, within=within)
    for i, j in combinations(range(5), 2):
        expected, left_out = by_definition(table, i, j, within)
        pair = table.columns[i], table.columns[j]
        assert counts(found[pair]) == expected, (pair, form)
        assert found.left_out[pair] == left_out == (2 if i == 0 else 0)


@pytest.mark.parametrize("number", ["1", "2", "7"])
def test_any_number_of_threads_gives_the_same(number, monkeypatch):
    table = make_table(rows=700, missing=0.01, seed=3)
    expected = ma.agreements(table).found
    monkeypatch.setenv("METRICATLAS_THREADS", number)
    found = ma.agreements(table)
    assert found.found == expected
    assert list(found) == list(expected) == list(combinations(table.columns, 2))


def test_a_chain_of_a_tables_levels_is_made_of_one_groups_rows():
    columns = (Column("auc:acc", "auc:acc"), Column("ap", "ap"))
    levels = np.array([[0, 1], [0.2, 1], [0.1, 1]])
    values = np.column_stack([levels @ [1, 0.01], [1, 2, 3]])
    table = Measurements(values, columns, {"dataset": ["a", "a", "b"]}, levels={0: levels})
    found = ma.agreements(table, tolerance=0.1)["auc:acc", "ap"]
    assert counts(found) == (1, 0, 0, 0, 0)


def test_the_table_of_agreements_has_a_line_a_pair():
    table = make_table(missing=0.1, seed=4)
    found = ma.agreements(table)
    assert len(found.table) == 10
    for line in found.table.to_dict("records"):
        own = found[line["f"], line["g"]]
        assert (line["R"], line["S"], line["P"], line["Q"], line["ties"]) == counts(own)
        assert line["consistency"] == own.consistency
        assert line["discriminancy"] == own.discriminancy
        assert line["verdict"] == own.verdict
        assert line["ties_broken"] == own.ties_broken
        assert line["left_out"] == found.left_out[line["f"], line["g"]]


def test_matrices_of_degrees_have_the_measures_as_rows_and_columns():
    found = ma.agreements(make_table(seed=5))
    for (one, other), own in found.items():
        assert found.consistency.loc[one, other] == own.consistency
        assert found.consistency.loc[other, one] == own.consistency
        assert found.discriminancy.loc[one, other] == own.discriminancy
        assert found.discriminancy.loc[other, one] == own.reversed.discriminancy
    assert np.isnan(np.diagonal(found.consistency)).all()


def test_repeated_columns_are_told_apart():
    values = np.array([[1, 1, 3.0], [2, 2, 1], [3, 3, 2]])
    table = Measurements(values, (COLUMNS[0], COLUMNS[0], Column("ap", "ap")), {})
    found = ma.agreements(table)
    assert found.names == ("auc", "auc (2)", "ap")
    assert counts(found["auc", "auc (2)"]) == (3, 0, 0, 0, 0)
    assert found["auc", "ap"] == found["auc (2)", "ap"]
    assert found.notes == ("there is no key 'dataset', so all rows are one group",)


def test_measures_without_a_better_side_are_compared_as_measured():
    columns = (Column("prevalence", "prevalence", "neither"), Column("rms", "rms", "lower"))
    table = Measurements(np.array([[1, 9.0], [2, 8], [3, 8]]), columns, {})
    assert counts(ma.agreements(table)["prevalence", "rms"]) == (2, 0, 1, 0, 0)


def test_a_pair_that_is_not_there_is_named():
    found = ma.agreements(make_table())
    assert isinstance(found, Agreements)
    with pytest.raises(RelationError, match="there is no pair 'auc', 'nope'; the measures are auc"):
        found["auc", "nope"]
    with pytest.raises(RelationError, match="there is no pair 'auc', 'auc'"):
        found["auc", "auc"]


def test_agreements_are_a_mapping_that_can_be_asked_what_it_holds():
    found = ma.agreements(make_table())
    assert ("auc", "brier") in found
    assert ("brier", "auc") in found
    assert ("auc", "nope") not in found
    assert found.get(("auc", "nope")) is None


def test_a_table_is_needed_and_a_tolerance():
    with pytest.raises(RelationError, match="read off Measurements; got DataFrame"):
        ma.agreements(pd.DataFrame({"auc": [1.0]}))
    with pytest.raises(RelationError, match="tolerance must be a number from 0 on; got -1"):
        ma.agreements(make_table(), tolerance=-1)
    with pytest.raises(RelationError, match="must be rows and columns to relate; got 0 x 1"):
        ma.agreements(Measurements(np.empty((0, 1)), COLUMNS[:1], {}))
    with pytest.raises(ma.MetricAtlasError, match="no key 'learner'"):
        ma.agreements(make_table(), within="learner")


def test_columns_that_are_nowhere_defined_together_have_no_pairs():
    table = Measurements(np.array([[1, nan], [nan, 2], [3, nan]]), COLUMNS[:2], {})
    found = ma.agreements(table)
    assert counts(found["auc", "brier"]) == (0, 0, 0, 0, 0)
    assert found.left_out["auc", "brier"] == 3
    assert found.table["verdict"].tolist() == ["undecided and equally fine"]


def test_infinite_degrees_of_the_worked_cases_are_among_them(golden_cases):
    degrees = [
        ma.agreement(case["F"], case["G"]).discriminancy
        for case in golden_cases
        if case["kind"] == "consistency"
    ]
    assert any(isinf(d) for d in degrees)
    assert any(isnan(d) for d in degrees)
    assert agreement_module.Agreement is Agreement
