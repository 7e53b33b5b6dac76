"""Few measures that stand for all, against every subset; and measures that say the same."""

from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import metricatlas as ma

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 9)
BOUNDS = st.floats(0.05, 1)


def names_of(size):
    return [f"m{i:02}" for i in range(size)]


def random_matrix(seed, size):
    random = np.random.default_rng(seed)
    mixed = random.standard_normal((size + 3, size)) @ random.standard_normal((size, size))
    matrix = np.atleast_2d(np.corrcoef(mixed.T))
    np.fill_diagonal(matrix, 1)
    return (matrix + matrix.T) / 2


def relations_of(matrix, order=None):
    names = names_of(len(matrix))
    order = range(len(matrix)) if order is None else order
    return ma.Relations.from_matrix(matrix[np.ix_(order, order)], [names[i] for i in order])


def covers(strength, bound):
    """The smallest sets that cover all, each with its total correlation."""
    count = len(strength)
    for size in range(1, count + 1):
        found = {
            chosen: strength[:, chosen].max(axis=1).sum()
            for chosen in combinations(range(count), size)
            if (strength[:, chosen].max(axis=1) >= bound - 1e-12).all()
        }
        if found:
            return found
    raise AssertionError


def with_middle():
    """A measure that is as close to one representative as to the other."""
    matrix = np.eye(7)
    for one, other, r in [(0, 3, 0.95), (0, 4, 0.95), (1, 5, 0.95), (1, 6, 0.95)]:
        matrix[one, other] = matrix[other, one] = r
    for other in (0, 1):
        matrix[2, other] = matrix[other, 2] = 0.92
    return matrix


# -- The smallest cover --------------------------------------------------------------------------


@given(seed=SEEDS, size=SIZES, bound=BOUNDS)
def test_there_is_no_smaller_set_and_none_as_small_that_is_closer(seed, size, bound):
    matrix = random_matrix(seed, size)
    found = relations_of(matrix).representatives(bound)
    known = covers(np.abs(matrix), bound)
    chosen = tuple(sorted(names_of(size).index(name) for name in found.names))
    assert chosen in known
    assert known[chosen] == pytest.approx(max(known.values()), abs=1e-8)


@given(seed=SEEDS, size=SIZES, bound=st.sampled_from([0.2, 0.4, 0.5, 0.7]))
def test_correlations_that_are_exactly_so_high_count(seed, size, bound):
    matrix = np.round(random_matrix(seed, size), 1)
    np.fill_diagonal(matrix, 1)
    found = relations_of(matrix).representatives(bound)
    known = covers(np.abs(matrix), bound)
    chosen = tuple(sorted(names_of(size).index(name) for name in found.names))
    assert chosen in known
    assert known[chosen] == pytest.approx(max(known.values()), abs=1e-8)


@given(seed=SEEDS, size=st.integers(1, 25), bound=BOUNDS)
def test_every_measure_is_covered_by_the_one_it_goes_with_best(seed, size, bound):
    matrix = random_matrix(seed, size)
    found = relations_of(matrix).representatives(bound)
    assert found.table.index.tolist() == names_of(size)
    places = [names_of(size).index(name) for name in found.names]
    for i, (by, r) in enumerate(found.table.itertuples(index=False)):
        assert by in found.names
        assert r == matrix[i, names_of(size).index(by)]
        assert abs(r) >= bound - 1e-12
        assert abs(r) == np.abs(matrix[i, places]).max()
    assert all(found.table.loc[name, "representative"] == name for name in found.names)


@given(seed=SEEDS, size=st.integers(1, 15), bound=BOUNDS)
def test_the_best_stands_first(seed, size, bound):
    found = relations_of(random_matrix(seed, size)).representatives(bound)
    members = [found.of(name) for name in found.names]
    assert sorted(name for own in members for name in own) == names_of(size)
    strength = found.table["correlation"].abs()
    worth = [(len(own), strength[own].sum()) for own in members]
    assert all(
        first[0] > second[0] or (first[0] == second[0] and first[1] >= second[1] - 1e-12)
        for first, second in pairwise(worth)
    )


@settings(max_examples=30)
@given(seed=SEEDS, size=st.integers(1, 12), bound=BOUNDS)
def test_the_order_of_columns_does_not_matter(seed, size, bound):
    matrix = random_matrix(seed, size)
    order = np.random.default_rng(seed).permutation(size)
    one = relations_of(matrix).representatives(bound)
    two = relations_of(matrix, order).representatives(bound)
    assert two.names == one.names
    pd.testing.assert_frame_equal(two.table.loc[one.table.index], one.table)


def test_the_order_of_columns_does_not_matter_where_two_are_equally_close():
    one = relations_of(with_middle()).representatives(0.9)
    two = relations_of(with_middle(), [1, 0, 2, 3, 4, 5, 6]).representatives(0.9)
    assert set(one.names) == set(two.names) == {"m00", "m01"}
    assert two.names == one.names
    pd.testing.assert_frame_equal(two.table.loc[one.table.index], one.table)


def test_opposite_measures_stand_for_each_other():
    matrix = np.array([[1, -0.95, 0.1], [-0.95, 1, 0.0], [0.1, 0.0, 1]])
    found = relations_of(matrix).representatives(0.9)
    assert found.names == ("m00", "m02")
    assert found.of("m00") == ["m00", "m01"]
    assert found.table.loc["m01"].tolist() == ["m00", -0.95]


def test_one_measure_stands_for_all_that_say_the_same():
    assert len(relations_of(np.ones((6, 6))).representatives(1)) == 1


def test_unrelated_measures_stand_for_themselves():
    found = relations_of(np.eye(5)).representatives(0.01)
    assert found.names == tuple(names_of(5))
    assert len(found) == 5
    assert list(found) == names_of(5)


def test_one_measure_stands_for_itself():
    found = relations_of(np.array([[1.0]])).representatives()
    assert found.names == ("m00",)
    assert found.table.to_numpy().tolist() == [["m00", 1.0]]


def test_how_many_stand_for_how_many_is_told():
    found = relations_of(with_middle()).representatives(0.9)
    assert any("2 for 7 measures" in note and "0.9 or more" in note for note in found.notes)


def test_measures_without_correlations_are_left_out_and_named():
    frame = pd.DataFrame(np.random.default_rng(1).random((20, 3)), columns=["auc", "acc", "mcc"])
    relations = ma.relate(ma.Measurements.from_frame(frame.assign(f1=0.5)))
    for by in ("correlation", "factor"):
        found = relations.representatives(by=by)
        assert found.table.index.tolist() == ["auc", "acc", "mcc"]
        assert any("f1" in note for note in found.notes)


# -- One measure a factor ------------------------------------------------------------------------


@given(seed=SEEDS, size=st.integers(2, 9))
def test_by_factor_the_measure_with_the_largest_loading_is_chosen(seed, size):
    relations = relations_of(random_matrix(seed, size))
    factors = relations.factors(0.7)
    loadings = factors.loadings.abs()
    best = loadings.idxmax().tolist()
    assume(len(set(best)) == len(best))
    found = relations.representatives(by="factor", min_eigenvalue=0.7)
    assert list(found.names) == best


@example(seed=0, size=2)
@given(seed=SEEDS, size=st.integers(2, 7))
def test_no_measure_represents_two_factors(seed, size):
    # Every measure comes twice, so that half of the factors explain nothing.
    columns = np.random.default_rng(seed).standard_normal((20, size))
    matrix = np.atleast_2d(np.corrcoef(np.hstack([columns, columns]).T))
    relations = relations_of(np.clip(matrix, -1, 1))
    for rotation in ("varimax", None):
        found = relations.representatives(by="factor", number=2 * size, rotation=rotation)
        assert len(set(found.names)) == len(found.names)


def test_by_factor_every_measure_belongs_to_the_representative_it_goes_with_best():
    matrix = random_matrix(3, 8)
    found = relations_of(matrix).representatives(by="factor", number=3)
    assert len(found) == 3
    places = [names_of(8).index(name) for name in found.names]
    for i, (by, r) in enumerate(found.table.itertuples(index=False)):
        assert r == matrix[i, names_of(8).index(by)]
        assert abs(r) == np.abs(matrix[i, places]).max()


def test_by_factor_one_of_each_planted_group_is_chosen():
    random = np.random.default_rng(4)
    common = np.repeat(random.standard_normal((60, 3)), 4, axis=1)
    matrix = np.corrcoef((common + 0.5 * random.standard_normal((60, 12))).T)
    found = relations_of(matrix).representatives(by="factor")
    assert sorted(names_of(12).index(name) // 4 for name in found.names) == [0, 1, 2]


# -- Identities ----------------------------------------------------------------------------------


MEASURES = ["fpr", "specificity", "auc", "gini", "brier", "mse", "acc", "error_rate", "mcc", "f1"]
SAME = {
    frozenset(["fpr", "specificity"]): "opposite",
    frozenset(["auc", "gini"]): "same",
    frozenset(["brier", "mse"]): "same",
    frozenset(["acc", "error_rate"]): "opposite",
}


@pytest.fixture(scope="module")
def evaluated():
    random = np.random.default_rng(0)
    tables = {}
    for name in "abc":
        y = (random.random(80) < 0.4).astype(int)
        skills = np.linspace(0.1, 0.5, 7)
        noise = 0.25 * random.standard_normal((7, 80))
        models = {
            f"model {k}": np.clip(0.5 + (y - 0.5) * skill + noise[k], 0.01, 0.99)
            for k, skill in enumerate(skills)
        }
        tables[name] = ma.evaluate(y, models, measures=MEASURES)
    return ma.Measurements.concat(tables, key="dataset")


@pytest.mark.parametrize("oriented", [True, False])
@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall"])
def test_measures_that_say_the_same_are_found_with_their_direction(evaluated, method, oriented):
    found = ma.relate(evaluated, method=method, oriented=oriented).identities()
    assert list(found.columns) == ["measure", "other", "direction", "groups"]
    said = {
        frozenset([one, other]): direction
        for one, other, direction, _ in found.itertuples(index=False)
    }
    assert said == SAME
    assert (found["groups"] == 3).all()


def test_identities_do_not_depend_on_the_order_of_columns(evaluated):
    shuffled = evaluated.select(np.random.default_rng(1).permutation(MEASURES).tolist())
    found = ma.relate(shuffled).identities()
    assert {frozenset(pair) for pair in found[["measure", "other"]].to_numpy()} == set(SAME)


def test_pooled_rows_are_one_group(evaluated):
    found = ma.relate(evaluated, within=None).identities()
    assert (found["groups"] == 1).all()
    assert len(found) == 4


def grouped(**columns):
    frame = pd.DataFrame({"dataset": np.repeat(["a", "b"], 4), **columns})
    return ma.relate(ma.Measurements.from_frame(frame, keys=["dataset"]))


def test_groups_in_which_one_does_not_vary_say_nothing():
    found = grouped(
        auc=[1, 2, 3, 4, 1, 2, 3, 4], acc=[2, 4, 6, 8, 5, 5, 5, 5], mcc=[1, 3, 2, 4, 1, 4, 3, 2]
    )
    assert found.identities().to_numpy().tolist() == [["auc", "acc", "same", 1]]


def test_what_goes_one_way_here_and_the_other_way_there_is_no_identity():
    found = grouped(auc=[1, 2, 3, 4, 1, 2, 3, 4], acc=[1, 2, 3, 4, 4, 3, 2, 1])
    assert found.identities().empty


def test_almost_the_same_is_not_the_same():
    found = grouped(auc=[1, 2, 3, 4, 1, 2, 3, 4], acc=[1, 2, 3, 4, 1, 2, 4, 3])
    assert found.identities().empty


def test_a_monotone_relation_is_found_whatever_the_correlation():
    values = np.random.default_rng(2).random(8)
    frame = pd.DataFrame({"auc": values, "acc": values**3})
    table = ma.Measurements.from_frame(frame)
    for method in ("spearman", "pearson", "kendall"):
        found = ma.relate(table, method=method).identities()
        assert found.to_numpy().tolist() == [["auc", "acc", "same", 1]], method


def test_a_measure_that_was_folded_goes_with_the_distance_of_the_other():
    away = np.array([-0.3, 0.1, 0.2, -0.05, 0.4])
    frame = pd.DataFrame({"calibration_in_the_large": away, "brier": np.abs(away)})
    (found,) = ma.relate(ma.Measurements.from_frame(frame)).identities().to_numpy().tolist()
    assert found[2] == "with its distance from the best value"


def test_a_given_matrix_has_identities_too():
    matrix = np.array([[1, 1, 0.5, -1], [1, 1, 0.5, -1], [0.5, 0.5, 1, -0.5], [-1, -1, -0.5, 1]])
    found = relations_of(matrix).identities()
    assert [tuple(row)[:3] for row in found.to_numpy()] == [
        ("m00", "m01", "same"),
        ("m00", "m03", "opposite"),
        ("m01", "m03", "opposite"),
    ]


# -- Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"correlation": 0}, "correlation must be above 0 and at most 1; got 0"),
        ({"correlation": 1.1}, "got 1.1"),
        ({"correlation": -0.9}, "got -0.9"),
        ({"correlation": np.nan}, "got nan"),
        ({"by": "cluster"}, "or 'factor', without a correlation; got 'cluster'"),
        ({"number": 2}, "got 'correlation' and number"),
        ({"by": "factor", "number": 9}, "number must be a whole number from 1 to 3"),
    ],
)
def test_what_cannot_be_chosen_is_refused(arguments, message):
    with pytest.raises(ma.RelationError, match=message):
        relations_of(random_matrix(1, 3)).representatives(**arguments)


def test_what_is_no_representative_stands_for_nothing():
    found = relations_of(with_middle()).representatives(0.9)
    with pytest.raises(ma.RelationError, match="'m03' is no representative; these are m00, m01"):
        found.of("m03")
