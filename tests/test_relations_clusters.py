"""Clusters of measures: against SciPy, against joining by hand, and against ferri2009."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import squareform

import metricatlas as ma
from metricatlas.relations.clustering import LINKAGES
from tests.conftest import folder_or_skip

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(2, 12)
#: How far two groups of measures are from each other, from the distances of all their pairs.
BY_DEFINITION = {"average": np.mean, "complete": np.max, "single": np.min}


@pytest.fixture(scope="module")
def published():
    file = folder_or_skip("METRICATLAS_REFERENCE", "reference") / "published.json"
    return json.loads(file.read_text(encoding="utf-8"))


def as_printed(table, triangle):
    matrix = np.array(table[triangle], dtype=float)
    np.fill_diagonal(matrix, 1)
    return ma.Relations.from_matrix(matrix, table["measures"])


def random_matrix(seed, size):
    """Correlations of random numbers that have something in common."""
    random = np.random.default_rng(seed)
    mixed = random.standard_normal((size + 5, size)) @ random.standard_normal((size, size))
    return np.corrcoef(mixed.T)


def names_of(size):
    return [f"m{i:02}" for i in range(size)]


def relations_of(matrix, order=None):
    names = names_of(len(matrix))
    order = range(len(matrix)) if order is None else order
    return ma.Relations.from_matrix(matrix[np.ix_(order, order)], [names[i] for i in order])


def shuffled(seed, size):
    return np.random.default_rng(seed).permutation(size)


def as_sets(clusters):
    return {frozenset(members) for members in clusters}


def by_number(names, numbers):
    return as_sets(
        [n for n, own in zip(names, numbers, strict=True) if own == number]
        for number in set(numbers)
    )


def condensed(matrix):
    return squareform(1 - matrix, checks=False)


def joined_by_hand(matrix, apart):
    """The distance of every step and what it makes, looked for among all pairs of groups."""
    groups = [(i,) for i in range(len(matrix))]
    steps = []
    while len(groups) > 1:
        distance, one, other = min(
            (apart(1 - matrix[np.ix_(a, b)]), a, b) for a, b in combinations(groups, 2)
        )
        groups = [g for g in groups if g not in (one, other)] + [one + other]
        steps.append((distance, frozenset(one + other)))
    return steps


# -- What is published ---------------------------------------------------------------------------


@pytest.mark.parametrize(("distance", "count"), [(0.1, 7), (0.3, 4)])
def test_linear_correlations_of_ferri2009_give_the_clusters_of_the_paper(
    published, distance, count
):
    relations = as_printed(published["ferri_table3"], "linear")
    wanted = published["ferri_stated"][f"clusters_at_0_{round(10 * distance)}"]
    found = relations.clusters(distance)
    assert len(found) == count
    assert as_sets(found) == as_sets(wanted)


@pytest.mark.parametrize(("distance", "count"), [(0.1, 8), (0.3, 5)])
def test_rank_correlations_of_ferri2009_do_not_give_them(published, distance, count):
    # ERRATA F9: MAvG joins at .103 and LogL at .330.
    found = as_printed(published["ferri_table3"], "rank").clusters(distance)
    wanted = published["ferri_stated"][f"clusters_at_0_{round(10 * distance)}"]
    late = {0.1: "MAvG", 0.3: "LogL"}[distance]
    assert len(found) == count
    assert [late] in found
    assert as_sets(found) == {c - {late} for c in as_sets(wanted)} | {frozenset([late])}


def test_mavg_and_logl_join_late_in_rank_correlations_of_ferri2009(published):
    steps = as_printed(published["ferri_table3"], "rank").dendrogram.merges
    heights = {
        name: steps["distance"][
            [[name] in (a, b) for a, b in zip(steps["left"], steps["right"], strict=True)]
        ].item()
        for name in ("MAvG", "LogL")
    }
    assert {name: round(height, 3) for name, height in heights.items()} == {
        "MAvG": 0.103,
        "LogL": 0.330,
    }


def test_clusters_of_ferri2009_stand_in_the_order_of_its_table(published):
    names = published["ferri_table3"]["measures"]
    found = as_printed(published["ferri_table3"], "linear").clusters(0.1)
    assert [c[0] for c in found] == ["Acc", "AU1U", "SAUC", "MSE", "LogL", "CalL", "CalB"]
    assert all(c == sorted(c, key=names.index) for c in found)


# -- Clusters ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", LINKAGES)
@given(seed=SEEDS, size=SIZES, distance=st.floats(0, 2))
def test_clusters_at_any_distance_are_those_of_scipy(method, seed, size, distance):
    matrix = random_matrix(seed, size)
    numbers = fcluster(linkage(condensed(matrix), method), distance, "distance")
    found = relations_of(matrix).clusters(distance, method)
    assert as_sets(found) == by_number(names_of(size), numbers.tolist())


@pytest.mark.parametrize("method", sorted(BY_DEFINITION))
@given(seed=SEEDS, size=st.integers(2, 8))
def test_measures_join_as_the_definition_of_the_linkage_says(method, seed, size):
    matrix = random_matrix(seed, size)
    tree = relations_of(matrix).joined(method)
    wanted = joined_by_hand(matrix, BY_DEFINITION[method])
    assert tree.linkage[:, 2] == pytest.approx([d for d, _ in wanted], rel=1e-12, abs=1e-12)
    assert [frozenset(members) for members in tree.members[size:]] == [made for _, made in wanted]


@given(seed=SEEDS, size=SIZES, distances=st.lists(st.floats(0, 2), min_size=2, max_size=2))
def test_clusters_only_grow_with_the_distance(seed, size, distances):
    tree = relations_of(random_matrix(seed, size)).dendrogram
    few, many = (as_sets(tree.clusters(d)) for d in sorted(distances, reverse=True))
    assert all(any(small <= large for large in few) for small in many)


def test_measures_that_are_exactly_so_far_apart_are_together():
    # 1 - 0.9 is 0.09999999999999998, and 1 - 0.7 is 0.30000000000000004.
    for correlation, distance in ((0.9, 0.1), (0.7, 0.3), (0.8, 0.2), (0.4, 0.6)):
        matrix = np.array([[1, correlation], [correlation, 1]])
        assert relations_of(matrix).clusters(distance) == [["m00", "m01"]]
        assert relations_of(matrix).clusters(distance - 1e-6) == [["m00"], ["m01"]]


def test_at_distance_nothing_only_what_says_the_same_is_together():
    matrix = np.array([[1, 1, 0.99], [1, 1, 0.99], [0.99, 0.99, 1]])
    assert relations_of(matrix).clusters(0) == [["m00", "m01"], ["m02"]]


def test_what_is_opposite_is_furthest_apart():
    matrix = np.array([[1, -1], [-1, 1]])
    assert relations_of(matrix).clusters(1.99) == [["m00"], ["m01"]]
    assert relations_of(matrix).dendrogram.linkage[0, 2] == 2


def test_the_usual_distance_is_a_tenth_and_the_usual_linkage_average():
    relations = relations_of(random_matrix(3, 8))
    assert relations.clusters() == relations.joined("average").clusters(0.1)


# -- The dendrogram ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", LINKAGES)
@given(seed=SEEDS, size=SIZES)
def test_leaves_are_all_measures_once(method, seed, size):
    tree = relations_of(random_matrix(seed, size)).joined(method)
    assert sorted(tree.leaves) == names_of(size)


@pytest.mark.parametrize("method", LINKAGES)
@given(seed=SEEDS, size=SIZES)
def test_every_part_of_the_tree_stands_together_among_the_leaves(method, seed, size):
    tree = relations_of(random_matrix(seed, size)).joined(method)
    place = {name: i for i, name in enumerate(tree.leaves)}
    for members in tree.members:
        places = sorted(place[tree.names[i]] for i in members)
        assert places == list(range(places[0], places[0] + len(places)))


@pytest.mark.parametrize("method", LINKAGES)
@given(seed=SEEDS, size=SIZES)
def test_the_order_of_columns_does_not_matter(method, seed, size):
    matrix = random_matrix(seed, size)
    tree = relations_of(matrix).joined(method)
    other = relations_of(matrix, shuffled(seed, size)).joined(method)
    assert other.leaves == tree.leaves
    pd.testing.assert_frame_equal(other.merges, tree.merges)
    for distance in (0.1, 0.5, 1.0):
        assert as_sets(other.clusters(distance)) == as_sets(tree.clusters(distance))


@given(seed=SEEDS, size=SIZES)
def test_the_order_of_columns_does_not_matter_where_distances_are_tied(seed, size):
    matrix = np.round(random_matrix(seed, size), 1)
    np.fill_diagonal(matrix, 1)
    tree = relations_of(matrix).dendrogram
    other = relations_of(matrix, shuffled(seed, size)).dendrogram
    assert other.leaves == tree.leaves
    pd.testing.assert_frame_equal(other.merges, tree.merges)


@given(seed=SEEDS, size=SIZES)
def test_clusters_stand_in_the_order_of_the_table(seed, size):
    order = shuffled(seed, size)
    relations = relations_of(random_matrix(seed, size), order)
    place = {name: i for i, name in enumerate(relations.names)}
    found = [[place[name] for name in members] for members in relations.clusters(0.5)]
    assert found == sorted(sorted(members) for members in found)


@pytest.mark.parametrize("method", LINKAGES)
@given(seed=SEEDS, size=st.integers(3, 12))
def test_the_cophenetic_correlation_is_that_of_scipy(method, seed, size):
    matrix = random_matrix(seed, size)
    given_distances = condensed(matrix)
    wanted, _ = cophenet(linkage(given_distances, method), given_distances)
    assert relations_of(matrix).joined(method).cophenetic == pytest.approx(wanted, abs=1e-12)


def test_the_cophenetic_correlation_of_an_ultrametric_matrix_is_1():
    matrix = np.array(
        [[1, 0.9, 0.2, 0.2], [0.9, 1, 0.2, 0.2], [0.2, 0.2, 1, 0.6], [0.2, 0.2, 0.6, 1]]
    )
    for method in LINKAGES:
        assert relations_of(matrix).joined(method).cophenetic == pytest.approx(1, abs=1e-12)


def test_the_cophenetic_correlation_of_one_distance_is_undefined():
    alike = np.full((3, 3), 0.5) + np.eye(3) / 2
    assert np.isnan(relations_of(alike).dendrogram.cophenetic)


@given(seed=SEEDS, size=SIZES)
def test_merges_tell_what_joins_what(seed, size):
    matrix = random_matrix(seed, size)
    steps = relations_of(matrix).dendrogram.merges
    assert list(steps.columns) == ["left", "right", "distance", "size"]
    assert len(steps) == size - 1
    assert steps["distance"].is_monotonic_increasing
    there = {frozenset([name]) for name in names_of(size)}
    for left, right, distance, count in steps.itertuples(index=False):
        assert {frozenset(left), frozenset(right)} <= there
        there = (there - {frozenset(left), frozenset(right)}) | {frozenset(left + right)}
        assert count == len(left) + len(right)
        places = [[names_of(size).index(name) for name in part] for part in (left, right)]
        assert distance == pytest.approx((1 - matrix[np.ix_(*places)]).mean(), abs=1e-12)
    assert there == {frozenset(names_of(size))}


# -- Few measures --------------------------------------------------------------------------------


def test_two_measures_join_once():
    tree = relations_of(np.array([[1, 0.75], [0.75, 1]])).dendrogram
    assert tree.leaves == ("m00", "m01")
    assert tree.merges.to_numpy().tolist() == [[["m00"], ["m01"], 0.25, 2]]
    assert np.isnan(tree.cophenetic)
    assert tree.clusters(0.25) == [["m00", "m01"]]
    assert tree.clusters(0.24) == [["m00"], ["m01"]]


def test_one_measure_is_a_cluster():
    tree = relations_of(np.array([[1.0]])).dendrogram
    assert tree.leaves == ("m00",)
    assert tree.merges.empty
    assert list(tree.merges.columns) == ["left", "right", "distance", "size"]
    assert np.isnan(tree.cophenetic)
    assert tree.clusters(0) == [["m00"]]


# -- Undefined correlations ----------------------------------------------------------------------


@pytest.fixture
def with_gaps():
    random = np.random.default_rng(5)
    frame = pd.DataFrame(random.random((20, 3)), columns=["auc", "acc", "mcc"])
    return ma.Measurements.from_frame(frame.assign(f1=0.5, kappa=np.nan))


def test_measures_without_correlations_are_left_out_and_named(with_gaps):
    relations = ma.relate(with_gaps)
    tree = relations.dendrogram
    assert sorted(tree.names) == ["acc", "auc", "mcc"]
    assert any("f1" in note and "kappa" in note for note in tree.notes)
    assert as_sets(tree.clusters(2)) == {frozenset(["auc", "acc", "mcc"])}
    alone = ma.relate(with_gaps.select(["auc", "acc", "mcc"])).dendrogram
    assert alone.leaves == tree.leaves
    assert np.array_equal(alone.linkage, tree.linkage)


def test_a_given_matrix_may_have_measures_without_correlations():
    matrix = random_matrix(9, 4)
    matrix[1] = matrix[:, 1] = np.nan
    relations = relations_of(matrix)
    kept = [0, 2, 3]
    wanted = relations_of(matrix, kept).dendrogram
    tree = relations.dendrogram
    assert tree.leaves == wanted.leaves
    assert any("m01" in note for note in tree.notes)


def test_which_measure_is_left_out_does_not_depend_on_the_order_of_columns():
    # No row has both acc and auc, so one of them has to go.
    random = np.random.default_rng(6)
    frame = pd.DataFrame(random.random((20, 3)), columns=["acc", "auc", "mcc"])
    frame.loc[:9, "acc"] = np.nan
    frame.loc[10:, "auc"] = np.nan
    left = [
        set(ma.relate(ma.Measurements.from_frame(frame[order])).dendrogram.names)
        for order in (["acc", "auc", "mcc"], ["auc", "acc", "mcc"], ["mcc", "auc", "acc"])
    ]
    assert left[0] == left[1] == left[2]


def test_nothing_to_join_is_an_error_that_says_where_to_look():
    relations = ma.relate(ma.Measurements.from_frame(pd.DataFrame({"auc": [1.0] * 5})))
    with pytest.raises(ma.RelationError, match="`problems` says why"):
        relations.joined()


# -- Errors --------------------------------------------------------------------------------------


def test_an_unknown_linkage_is_refused():
    relations = relations_of(random_matrix(1, 3))
    with pytest.raises(ma.RelationError, match="average, complete, single, weighted; got 'ward'"):
        relations.joined("ward")
    with pytest.raises(ma.RelationError, match="got 'ward'"):
        relations.clusters(linkage="ward")


@pytest.mark.parametrize("distance", [-0.1, np.nan, -np.inf])
def test_a_distance_must_be_a_number_from_0_on(distance):
    relations = relations_of(random_matrix(1, 3))
    with pytest.raises(ma.RelationError, match="distance must be a number from 0 on"):
        relations.clusters(distance)
