import warnings
from fractions import Fraction
from itertools import combinations, permutations
from math import comb, inf, log, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_of_relations import (
    accuracy_key,
    confusion_entropy_key,
    every_list,
    every_matrix,
    lists_by_area_and_accuracy,
    matthews_key,
    of_list,
    pairs_by_definition,
    pairs_of_classes,
    places_of,
    published,
)

import metricatlas as ma
from metricatlas.errors import RelationError
from metricatlas.relations import Agreement
from metricatlas.relations.theory import (
    FAMILIES,
    NOT_TRANSITIVE,
    finer_is_transitive,
    of_two_level,
    random_matrices,
    two_level_is_finer,
)
from metricatlas.relations.theory.lists import RETRIEVAL
from metricatlas.relations.theory.random_matrices import RandomMatrices, student_interval


def counts(a):
    return (a.R, a.S, a.P, a.Q, a.ties)


def by_listing(n, positives, cut, f, g):
    """Write every list down and look at every pair, classes of equal lists at once."""
    found = {}
    for ranked in every_list(n, positives):
        cell = of_list(f, ranked, cut), of_list(g, ranked, cut)
        found[cell] = found.get(cell, 0) + 1
    return pairs_of_classes(found)


# -- Ranked lists ----------------------------------------------------------------------------------

AREA_AND_ACCURACY = ("auc", "acc", "auc:acc", "acc:auc")
SHAPES = [(2, 1, 1), (5, 2, 2), (6, 3, 3), (6, 2, 4), (7, 3, 1), (7, 5, 6), (8, 4, 4), (8, 3, 5)]


@pytest.mark.parametrize(("n", "positives", "cut"), [*SHAPES, (6, 3, 0), (6, 3, 6), (6, 5, 2)])
def test_area_and_accuracy_are_counted_as_if_every_list_were_written_down(n, positives, cut):
    lists = ma.ranked_lists(n, positives, cut=cut)
    assert len(lists) == comb(n, positives)
    for f in AREA_AND_ACCURACY:
        for g in AREA_AND_ACCURACY:
            found = lists.agreement(f, g)
            assert counts(found) == by_listing(n, positives, cut, f, g), (f, g)
            assert found.pairs == comb(len(lists), 2)


@pytest.mark.parametrize(("n", "positives", "cut"), SHAPES[1:])
def test_other_measures_are_evaluated_on_every_list(n, positives, cut):
    lists = ma.ranked_lists(n, positives, cut=cut)
    names = ("ap", "f1", "bep", "precision_at_k[k=3]", "mcc", "auc", "acc:ap", "ap:f1")
    for f, g in combinations(names, 2):
        assert counts(lists.agreement(f, g)) == by_listing(n, positives, cut, f, g), (f, g)
        assert lists.agreement(g, f) == lists.agreement(f, g).reversed
    same = lists.agreement("f1", "f1")
    assert (same.S, same.P, same.Q) == (0, 0, 0)


@pytest.mark.parametrize(("positives", "cut"), [(3, 3), (2, 4), (4, 1)])
def test_counting_and_evaluating_give_the_same(positives, cut):
    lists = ma.ranked_lists(7, positives, cut=cut)
    evaluated = lists.agreements(AREA_AND_ACCURACY)
    for (i, f), (j, g) in combinations(enumerate(AREA_AND_ACCURACY), 2):
        assert evaluated[evaluated.names[i], evaluated.names[j]] == lists.agreement(f, g), (f, g)


def test_measurements_of_lists_are_the_measures_values():
    lists = ma.ranked_lists(6, 2, cut=2)
    table = lists.measurements(["auc", "acc", "ap", "bep"])
    assert table.columns == ("auc", "acc@top=2", "ap", "bep")
    for i, ranked in enumerate(every_list(6, 2)):
        expected = [float(of_list(name, ranked, 2)) for name in ("auc", "acc", "ap", "bep")]
        assert table.values[i] == pytest.approx(expected, abs=1e-15)


def test_aliases_are_understood_where_lists_are_counted():
    lists = ma.ranked_lists(8)
    assert lists.agreement("accuracy", "AUC") == lists.agreement("acc", "auc")


@pytest.mark.parametrize(("n", "positives", "cut"), [(20, 7, 6), (21, 11, 13), (24, 12, 12)])
def test_larger_lists_are_counted_as_place_by_place(n, positives, cut):
    found = ma.ranked_lists(n, positives, cut=cut).agreement("auc", "acc")
    assert counts(found) == pairs_of_classes(lists_by_area_and_accuracy(n, positives, cut))


def test_huangs_third_table_comes_out_to_all_digits():
    rows = published()["huang_table3"]
    assert [row["n"] for row in rows] == [6, 8, 10, 12, 14, 16]
    for row in rows:
        lists = ma.ranked_lists(row["n"])
        assert round(lists.agreement("auc", "acc").consistency, 3) == row["C_AUC_acc"]
        for other, name in (("auc", "AUC"), ("acc", "acc")):
            found = lists.agreement("auc:acc", other)
            assert round(found.consistency, 3) == row[f"C_phi_{name}"], row
            assert found.discriminancy == float(row[f"D_phi_{name}"]) == inf


@pytest.mark.parametrize("n", [6, 8, 10, 12])
def test_area_is_finer_than_accuracy_by_what_every_list_says(n):
    found = ma.ranked_lists(n).agreement("auc", "acc")
    expected = pairs_of_classes(lists_by_area_and_accuracy(n, n // 2, n // 2))
    assert counts(found) == expected
    assert found.discriminancy == float(Fraction(expected[2], expected[3]))
    assert found.verdict == "consistent and finer"


def test_degrees_of_discriminancy_of_small_lists():
    degrees = [ma.ranked_lists(n).agreement("auc", "acc").discriminancy for n in (6, 8)]
    assert degrees[0] == 15.5
    assert round(degrees[1], 2) == 14.65


def test_pairs_of_a_hundred_examples_are_counted_exactly():
    number = comb(100, 50)
    found = ma.ranked_lists(100).agreement("auc", "acc")
    assert found.pairs == number * (number - 1) // 2
    assert all(isinstance(count, int) for count in counts(found))
    # Accuracy ties lists with as many positives above, which can be counted in another way.
    classes = [comb(50, above) * comb(50, 50 - above) for above in range(51)]
    assert sum(classes) == number
    apart = (number**2 - sum(c * c for c in classes)) // 2
    assert (found.Q + found.R + found.S, found.P + found.ties) == (apart, found.pairs - apart)
    assert found.consistent
    assert found.finer
    # Turning every list upside down turns both measures.
    assert ma.ranked_lists(100, 30, cut=20).agreement("auc", "acc") == ma.ranked_lists(
        100, 70, cut=80
    ).agreement("auc", "acc")


def test_a_list_without_negatives_or_positives_is_alone():
    for positives in (0, 5):
        lists = ma.ranked_lists(5, positives)
        assert len(lists) == 1
        assert counts(lists.agreement("auc", "acc")) == (0, 0, 0, 0, 0)


def test_half_of_the_examples_are_positive_and_decided_so():
    assert ma.ranked_lists(7) == ma.ranked_lists(7, 3, cut=3)
    assert ma.ranked_lists(6, 2) == ma.ranked_lists(6, 2, cut=3)


def test_two_level_measures_are_searched_among_those_of_retrieval():
    n, positives, cut = 8, 4, 4
    table = ma.ranked_lists(n, positives).two_level_measures()
    assert len(table) == len(RETRIEVAL) * (len(RETRIEVAL) - 1)
    for line in table.to_dict("records"):
        f, g = line["measure"].split(":")
        r, s, p, q, ties = by_listing(n, positives, cut, f, g)
        assert line["consistency"] == float(Fraction(r, r + s))
        assert line["discriminancy"] == (p / q if q else inf if p else pytest.approx(nan, nan_ok=1))
        expected = q / (q + ties) if q + ties else pytest.approx(nan, nan_ok=True)
        assert line["ties_broken"] == expected
        assert line["better"] == (r > s and p > q > 0)
        if line["better"]:
            # What the search promises: finer than both, and consistent with both.
            for part in (f, g):
                r, s, p, q, _ = by_listing(n, positives, cut, line["measure"], part)
                assert r > s
                assert p > q == 0
    order = list(zip(table["better"], table["ties_broken"], strict=True))
    assert order[0][0]
    assert not order[-1][0]
    assert order == sorted(order, reverse=True)


def test_a_measure_that_tells_all_apart_is_no_better_for_a_second_level():
    # Of one positive example the average precision says the place, so nothing is left to break.
    table = ma.ranked_lists(6, 1).two_level_measures(["ap", "acc"])
    lines = table.set_index("measure")
    assert by_listing(6, 1, 3, "ap", "acc")[1] == by_listing(6, 1, 3, "ap", "acc")[3] == 0
    assert lines.loc["ap:acc", "discriminancy"] == inf
    assert not lines["better"].any()


def test_only_some_lists_are_written_down():
    with pytest.raises(
        RelationError, match="at most 400,000 lists are evaluated; there are 705,43"
    ):
        ma.ranked_lists(22, 11).agreement("auc", "ap")
    assert ma.ranked_lists(22, 11).agreement("auc", "acc").pairs == comb(705432, 2)


def test_more_lists_than_an_index_counts_are_refused_in_the_same_words():
    lists = ma.ranked_lists(100)
    assert lists
    with pytest.raises(
        RelationError, match=r"at most 400,000 lists are evaluated; there are 100,8"
    ):
        lists.agreement("auc", "ap")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"n": 0}, "n must be a whole number from 1 on; got 0"),
        ({"n": 6, "positives": 7}, "positives must be a whole number from 0 to n = 6; got 7"),
        ({"n": 6, "positives": -1}, "positives must be a whole number"),
        ({"n": 6, "positives": 2.5}, "n = 6; got 2.5"),
        ({"n": 6, "positives": True}, "n = 6; got True"),
        ({"n": 6, "cut": 9}, "cut must be a whole number from 0 to n = 6; got 9"),
        ({"n": 6.0}, "n must be a whole number"),
    ],
)
def test_lists_that_there_are_not_are_refused_in_words(asked, words):
    with pytest.raises(RelationError, match=words):
        ma.ranked_lists(**asked)


def test_lists_are_compared_by_measures_and_two_level_measures():
    with pytest.raises(RelationError, match="lists are compared by measures and two-level measure"):
        ma.ranked_lists(6).agreement("mean[auc,acc]", "acc")


@pytest.mark.parametrize("cut", [0, 6])
def test_measures_of_decisions_have_a_value_where_all_or_none_are_positive(cut):
    # None is decided positive, or all are: F1 is the same for every list.
    found = ma.ranked_lists(6, cut=cut).agreement("f1", "ap")
    assert counts(found) == by_listing(6, 3, cut, "f1", "ap")


# -- Confusion matrices ----------------------------------------------------------------------------

KEYS = {"cen": confusion_entropy_key, "mcc": matthews_key, "acc": accuracy_key}


def by_keys(sizes, f, g):
    """Compare all pairs of matrices by exact whole numbers and fractions."""
    matrices = list(every_matrix(sizes))
    return pairs_by_definition(*(places_of([KEYS[name](m) for m in matrices]) for name in (f, g)))


def test_jurmans_small_case_comes_out_exactly():
    # ERRATA J7: 3178 / 591 = 5.38, where the paper says about 6.
    found = ma.confusion_matrices((2, 4, 3)).agreement("cen", "mcc")
    expected = by_keys((2, 4, 3), "cen", "mcc")
    assert counts(found) == expected
    assert (found.P, found.Q) == (3178, 591)
    assert found.discriminancy == 3178 / 591


@pytest.mark.parametrize("sizes", [(3, 2), (5, 5), (1, 7), (1, 2, 2), (2, 2, 2), (3, 1, 2)])
def test_small_cases_come_out_exactly(sizes):
    matrices = ma.confusion_matrices(sizes)
    assert len(matrices) == len(list(every_matrix(sizes)))
    for f, g in (("mcc", "acc"), ("cen", "acc"), ("cen", "mcc")):
        found = matrices.agreement(f, g)
        assert counts(found) == by_keys(sizes, f, g), (f, g)
        assert matrices.agreement(g, f) == found.reversed


def test_the_matrices_are_all_that_there_are():
    for sizes in ((2, 4, 3), (0, 2), (1, 1, 1, 1)):
        matrices = ma.confusion_matrices(sizes)
        stack = matrices.stack
        assert stack.shape == (len(matrices), len(sizes), len(sizes))
        listed = {tuple(map(tuple, m)) for m in stack.tolist()}
        assert listed == set(every_matrix(sizes))
        assert len(listed) == len(stack)


def test_two_level_measures_of_matrices_are_pairs():
    sizes = (2, 3, 2)
    matrices = list(every_matrix(sizes))
    pairs = [(accuracy_key(m), matthews_key(m)) for m in matrices]
    other = [confusion_entropy_key(m) for m in matrices]
    expected = pairs_by_definition(places_of(pairs), places_of(other))
    found = ma.confusion_matrices(sizes).agreement("acc:mcc", "cen")
    assert counts(found) == expected


def test_undefined_values_are_refused_or_left_out():
    # Where all three examples of one class are right, nothing can be said. Elsewhere the
    # correlation is 0, and what is left of the transformed one falls as more are wrong.
    matrices = ma.confusion_matrices((3, 0))
    with pytest.raises(RelationError, match=r"of 4 matrices 1 have no tmcc or acc\. Say undefined"):
        matrices.agreement("tmcc", "acc")
    found = matrices.agreement("tmcc", "acc", undefined="leave out")
    assert counts(found) == (0, 3, 0, 0, 0)
    whole = ma.confusion_matrices((2, 2))
    assert whole.agreement("cen", "mcc", undefined="leave out") == whole.agreement("cen", "mcc")


def test_an_unknown_treatment_of_undefined_values_is_refused():
    with pytest.raises(RelationError, match="undefined must be"):
        ma.confusion_matrices((2, 2)).agreement("cen", "mcc", undefined="drop")


def test_floats_that_cannot_tell_are_refused(monkeypatch):
    from metricatlas.relations.theory import matrices

    close = np.array([0.5, 0.5 + 1e-12, 0.7])
    with pytest.raises(RelationError, match="values of cen must be equal or clearly different"):
        matrices._exact(close, "cen")
    rounded = np.array([0.5, 0.5 + 2e-16, 0.7, -inf, inf, 0.5 - 1e-16])
    assert matrices._exact(rounded, "cen").tolist() == [1, 1, 2, 0, 3, 1]
    monkeypatch.setattr(matrices, "MOST", 10)
    with pytest.raises(RelationError, match=r"at most 10 matrices are compared; classes of \(2, 2"):
        ma.confusion_matrices((2, 2, 2))


def test_more_matrices_than_an_index_counts_are_refused_in_the_same_words():
    with pytest.raises(RelationError, match="at most 3,000,000 matrices are compared; classes of "):
        ma.confusion_matrices([100] * 8)


@pytest.mark.parametrize("sizes", [(3,), (), (2, -1), (2.0, 2), (0, 0), (True, 2), "23"])
def test_class_sizes_that_make_no_sense_are_refused(sizes):
    with pytest.raises(
        RelationError, match="class_sizes must be whole numbers of two classes or m"
    ):
        ma.confusion_matrices(sizes)


# -- Families --------------------------------------------------------------------------------------


def evaluated(matrix, measures):
    return dict(
        zip(measures, ma.evaluate_confusion(matrix, measures=measures).values[0], strict=True)
    )


ARGUMENTS = {
    "one-cell": [(a,) for a in (1, 2, 5, 40, 1e6)],
    "unbalanced": [(a,) for a in (1, 2, 5, 40, 1e6)],
    "two-values": [(5, 2), (1, 1), (2, 5), (0, 1), (1e6, 1), (1, 1e3)],
}


@pytest.mark.parametrize("family", list(FAMILIES))
def test_closed_forms_are_what_the_matrices_have(family):
    own = FAMILIES[family]
    measures = list(own.closed)
    assert {"acc", "mcc", "cen"} <= set(measures)
    for n in range(2, 8):
        for arguments in ARGUMENTS[family]:
            found = evaluated(own.matrix(n, *arguments), measures)
            for name in measures:
                expected = own.closed[name](n, *arguments)
                assert found[name] == pytest.approx(expected, abs=2e-14), (name, n, arguments)


def test_the_matrices_of_the_families_are_those_of_the_paper():
    assert FAMILIES["one-cell"].matrix(3, 7).tolist() == [[1, 1, 1], [1, 1, 1], [7, 1, 1]]
    assert FAMILIES["unbalanced"].matrix(3, 7).tolist() == [[1, 1, 1], [1, 1, 1], [7, 7, 7]]
    assert FAMILIES["two-values"].matrix(3, 5, 2).tolist() == [[5, 2, 2], [2, 5, 2], [2, 2, 5]]


@pytest.mark.parametrize("family", ["one-cell", "unbalanced"])
def test_limits_are_what_large_matrices_come_to(family):
    own = FAMILIES[family]
    assert set(own.limits) == set(own.closed)
    for n in range(2, 8):
        # The entropy comes near its limit as log A / A does.
        away = {a: evaluated(own.matrix(n, a), list(own.limits)) for a in (1e6, 1e9)}
        for name, limit in own.limits.items():
            far, near = (abs(away[a][name] - limit(n)) for a in (1e6, 1e9))
            assert near < 1e-6, (name, n)
            assert near <= far


def test_the_printed_correlation_of_the_one_cell_family_is_wrong():
    # ERRATA J1: the denominator has + 2A - 2.
    own = FAMILIES["one-cell"]
    for n in range(3, 9):
        for a in (2, 3, 7, 50):
            if 2 * a == n * n - 2:
                continue  # The printed form divides by nothing here.
            printed = -(a - 1) / ((n - 1) * (n * n - 2 * a - 2))
            true = matthews_key(own.matrix(n, a).astype(int).tolist())
            value = -((-true) ** 0.5)
            assert own.closed["mcc"](n, a) == pytest.approx(value, abs=1e-14)
            assert abs(printed - value) > 1e-4
        large = matthews_key(own.matrix(n, 10**9).astype(int).tolist())
        assert -((-large) ** 0.5) == pytest.approx(-1 / (2 * (n - 1)), abs=1e-6)
        assert own.limits["mcc"](n) == -1 / (2 * (n - 1)) != -1 / (n - 1)


def test_the_printed_limit_of_random_decisions_is_wrong():
    # ERRATA J2: N + 1 is inside of the logarithm.
    own = FAMILIES["unbalanced"]
    for n in range(3, 9):
        large = evaluated(own.matrix(n, 1e9), ["cen"])["cen"]
        printed = (n - 1) / (2 * n) * (log(n) / log(2 * n - 2) + 1)
        assert abs(printed - large) > 0.1
        assert own.limits["cen"](n) == pytest.approx(large, abs=1e-6)
    limits = [own.limits["cen"](n) for n in range(2, 200)]
    assert limits[0] == pytest.approx(0.396, abs=5e-4)
    assert limits[1] == pytest.approx(1 / 3, abs=5e-4)
    assert limits[1:] == sorted(limits[1:])
    assert limits[-1] < own.limits["cen"](10**9) < 0.5


def test_entropy_of_two_values_is_the_transformed_correlation():
    # ERRATA J3: B(3; 5, 2) has .7044, and the printed first line of equation 3 has 1.149.
    own = FAMILIES["two-values"]
    assert own.closed["cen"](3, 5, 2) == pytest.approx(0.7044, abs=5e-5)
    assert evaluated(own.matrix(3, 5, 2), ["tmcc"])["tmcc"] == pytest.approx(0.7044, abs=5e-5)
    assert own.closed["tmcc"](3, 5, 2) == own.closed["cen"](3, 5, 2)
    # ERRATA J8: of two classes it is 1 without anything right, and largest at F / (T + F) = 2 / e.
    assert own.closed["cen"](2, 0, 1) == pytest.approx(1, abs=1e-15)
    shares = np.linspace(0.01, 0.99, 981)
    values = [own.closed["cen"](2, 1 - f, f) for f in shares]
    assert max(values) == pytest.approx(1.06148, abs=1e-5)
    assert shares[int(np.argmax(values))] == pytest.approx(2 / np.e, abs=1e-3)


# -- Random matrices -------------------------------------------------------------------------------


def test_both_measures_go_together_on_random_matrices():
    # ERRATA: .9949 to .9951, and J6: a consistency of .966.
    found = random_matrices(20_000)
    assert found.correlation == pytest.approx(0.995, abs=5e-4)
    assert found.agreement.consistency == pytest.approx(0.966, abs=2e-3)
    assert found.agreement.pairs == comb(20_000, 2)
    # ERRATA J4 and J5: an over-estimate everywhere, of k times the entropy .9888 on average.
    assert (found.tmcc >= found.cen).all()
    ratio = found.ratio(resamples=200)
    assert ratio.value == pytest.approx(0.9888, abs=5e-4)
    assert ratio.low < ratio.value < ratio.high
    assert ratio.value == pytest.approx(np.mean(found.tmcc / found.scaled_cen), abs=1e-14)
    error = np.std(found.tmcc / found.scaled_cen, ddof=1) / 20_000**0.5
    assert ratio.high - ratio.low == pytest.approx(2 * 1.96 * error, rel=0.15)


def test_random_matrices_are_those_of_the_seed():
    one, same, other = (random_matrices(300, seed=seed) for seed in (0, 0, 1))
    assert np.array_equal(one.tmcc, same.tmcc)
    assert np.array_equal(one.cen, same.cen)
    assert np.array_equal(one.classes, same.classes)
    assert not np.array_equal(one.cen, other.cen)
    assert one.ratio(resamples=50) == same.ratio(resamples=50)
    assert one.ratio(resamples=50) != one.ratio(resamples=50, seed=1)
    assert set(random_matrices(300, classes=(2, 4)).classes.tolist()) == {2, 3, 4}
    assert set(one.classes.tolist()) == set(range(3, 31))


def test_random_matrices_have_the_cells_of_the_experiment():
    from metricatlas.relations.theory import random_matrices as package_door
    from metricatlas.relations.theory.matrices import np as arrays

    assert package_door is random_matrices
    import importlib

    module = importlib.import_module("metricatlas.relations.theory.random_matrices")
    bounds = arrays.repeat([10.0, 1000.0, 1.0], 400)
    stack = module._drawn(np.random.default_rng(0), 4, bounds)
    beside = ~np.eye(4, dtype=bool)
    for i, bound in enumerate((10, 1000, 1)):
        own = stack[400 * i : 400 * (i + 1)]
        assert own[:, beside].min() == 1
        assert own[:, beside].max() == bound
        assert (own % 1 == 0).all()
        right = own[:, ~beside]
        assert right.min() >= 1
        assert 990 < right.max() <= 1000
    # Ten values, each as likely as any other.
    shares = np.bincount(stack[:400][:, beside].astype(int).ravel()) / (400 * 12)
    assert shares[1:] == pytest.approx([0.1] * 10, abs=0.02)


def test_the_factor_for_the_number_of_classes_is_jurmans():
    found = RandomMatrices(np.array([3, 10, 30]), np.ones(3), np.array([1.0, 1, 0.5]))
    for classes, cen, scaled in zip(found.classes, found.cen, found.scaled_cen, strict=True):
        k = 1.012 * (1 + 0.18924 / log(classes) - 0.06694 / log(classes) ** 2)
        assert scaled == pytest.approx(k * cen, abs=1e-15)


def test_agreement_of_random_matrices_is_of_losses_turned():
    tmcc, cen = np.array([0.1, 0.2, 0.3, 0.3]), np.array([0.1, 0.3, 0.2, 0.4])
    found = RandomMatrices(np.full(4, 3), tmcc, cen).agreement
    assert counts(found) == pairs_by_definition((-tmcc).tolist(), (-cen).tolist())
    assert found.discriminancy == 0


def test_students_bootstrap_is_what_it_is_in_plain_arithmetic():
    values = [1.02, 0.97, 1.05, 0.99, 1.001, 0.95, 1.1, 1.03]
    resamples, level, seed = 60, 0.8, 5
    count, mean = len(values), sum(values) / len(values)
    error = (sum((x - mean) ** 2 for x in values) / (count - 1) / count) ** 0.5
    rng, quotients = np.random.default_rng(seed), []
    for _ in range(resamples):
        drawn = [values[i] for i in rng.integers(0, count, count)]
        own = sum(drawn) / count
        own_error = (sum((x - own) ** 2 for x in drawn) / (count - 1) / count) ** 0.5
        quotients.append((own - mean) / own_error)
    low, high = np.quantile(quotients, [0.1, 0.9])
    found = student_interval(np.array(values), resamples, level, seed)
    assert found.value == pytest.approx(mean, abs=1e-15)
    # The upper quotients make the lower end.
    assert found.low == pytest.approx(mean - high * error, abs=1e-12)
    assert found.high == pytest.approx(mean - low * error, abs=1e-12)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_an_interval_of_few_matrices_is_there_or_undefined_without_a_warning(count):
    found = random_matrices(count).ratio(resamples=200)
    assert found.value > 0
    assert np.isnan(found.low) == np.isnan(found.high)
    assert not found.low > found.value
    assert not found.high < found.value


def test_random_matrices_that_make_no_sense_are_refused():
    for more in ({"count": 1}, {"classes": (1, 3)}, {"classes": (5, 4)}):
        with pytest.raises(RelationError, match="must be 2 matrices or more, of 2 classes or more"):
            random_matrices(**more)


# -- Theorems --------------------------------------------------------------------------------------

MEASURES = ("auc", "acc", "ap", "f1", "bep", "precision_at_k[k=3]", "mcc")


@pytest.mark.parametrize(("n", "positives", "cut"), [(6, 3, 3), (7, 3, 4), (8, 2, 3)])
def test_finer_than_finer_is_finer_on_every_list(n, positives, cut):
    lists = ma.ranked_lists(n, positives, cut=cut)
    found = lists.agreements(MEASURES)
    said = 0
    for f, g, h in permutations(found.names, 3):
        assert finer_is_transitive(found[f, g], found[g, h], found[f, h]), (f, g, h)
        if found[f, g].finer and found[g, h].finer:
            assert found[f, h].P > found[f, h].Q
            said += 1
    assert said >= 5


@pytest.mark.parametrize(("n", "positives", "cut"), [(6, 3, 3), (7, 3, 4)])
def test_a_two_level_measure_is_finer_on_every_list(n, positives, cut):
    lists = ma.ranked_lists(n, positives, cut=cut)
    said = 0
    for f, g in permutations(MEASURES, 2):
        fg = lists.agreement(f, g)
        both = f"{f}:{g}"
        with_f, with_g = lists.agreement(both, f), lists.agreement(both, g)
        assert two_level_is_finer(fg, with_f, with_g), (f, g)
        assert counts(with_f) == by_listing(n, positives, cut, both, f)
        assert counts(with_g) == by_listing(n, positives, cut, both, g)
        if fg.finer and fg.Q:
            assert with_f.S == with_f.Q == with_g.Q == 0
            assert with_f.P == fg.Q
            assert with_g.consistency >= fg.consistency
            said += 1
    assert said >= 5


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=2, max_size=12))
def test_both_theorems_hold_of_any_values(values):
    f, g, h = (list(level) for level in zip(*values, strict=True))
    fg, gh, fh = ma.agreement(f, g), ma.agreement(g, h), ma.agreement(f, h)
    assert finer_is_transitive(fg, gh, fh)
    both = list(zip(f, g, strict=True))
    with_f, with_g = ma.agreement(both, f), ma.agreement(both, g)
    assert two_level_is_finer(fg, with_f, with_g)
    assert of_two_level(fg, ("f", "g"), ("f",)) == with_f
    assert of_two_level(fg, ("f", "g"), ("g",)) == with_g
    assert of_two_level(fg, ("f",), ("g", "f")) == ma.agreement(f, [(y, x) for x, y in both])
    assert of_two_level(fg, ("f", "g"), ("g", "f")) == ma.agreement(both, [(y, x) for x, y in both])
    assert of_two_level(fg, ("f",), ("g",)) == fg
    assert of_two_level(fg, ("f",), ("f",)) == ma.agreement(f, f)


def test_a_theorem_that_did_not_hold_would_be_found():
    finer, coarser = Agreement(5, 1, 4, 2), Agreement(5, 1, 2, 4)
    assert not finer_is_transitive(finer, finer, coarser)
    assert finer_is_transitive(finer, coarser, coarser)
    with_f, with_g = Agreement(10, 0, 2, 0), Agreement(7, 1, 4, 0)
    assert two_level_is_finer(finer, with_f, with_g)
    assert two_level_is_finer(coarser, coarser, coarser)
    assert not two_level_is_finer(finer, Agreement(9, 1, 2, 0), with_g)
    assert not two_level_is_finer(finer, Agreement(10, 0, 2, 1), with_g)
    assert not two_level_is_finer(finer, with_f, Agreement(7, 3, 4, 0))
    assert not two_level_is_finer(finer, with_f, Agreement(7, 1, 4, 1))


def test_the_second_theorem_holds_where_no_pair_is_ordered_by_both():
    # In one group f alone tells pairs apart, in the other g alone.
    f, g, groups = [1, 2, 3, 4, 4], [1, 1, 1, 1, 2], [0, 0, 0, 1, 1]
    both = list(zip(f, g, strict=True))
    fg = ma.agreement(f, g, within=groups)
    assert counts(fg) == (0, 0, 3, 1, 0)
    with_f, with_g = (ma.agreement(both, x, within=groups) for x in (f, g))
    assert counts(with_f) == (3, 0, 1, 0, 0)
    assert counts(with_g) == (1, 0, 3, 0, 0)
    assert two_level_is_finer(fg, with_f, with_g)


def test_consistency_is_not_transitive():
    pairs = {}
    for one, other in (("f", "g"), ("g", "h"), ("f", "h")):
        values = [list(NOT_TRANSITIVE[name]) for name in (one, other)]
        r, s, *rest = pairs_by_definition(*values)
        assert rest == [0, 0, 0]
        found = ma.agreement(*values)
        assert found.consistent == (r > s)
        pairs[one + other] = r > s
    assert pairs == {"fg": True, "gh": True, "fh": False}


def test_lists_that_cannot_be_evaluated_say_so():
    # Every example is negative: nothing is found among the first.
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = ma.ranked_lists(4, 0).measurements(["ap"])
    assert np.isnan(table.values).all()
    assert [w.category for w in caught] == [ma.UndefinedWarning]
