"""Measures as points: against scikit-learn, SciPy and distances that are known."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import svd
from scipy.spatial import procrustes
from scipy.spatial.distance import pdist, squareform
from scipy.stats import special_ortho_group
from sklearn.isotonic import IsotonicRegression
from sklearn.manifold import smacof

import metricatlas as ma
from metricatlas.errors import MetricAtlasError
from metricatlas.relations.scaling import Scale
from tests.conftest import folder_or_skip

SEEDS = st.integers(0, 2**32 - 1)
METHODS = ["classical", "metric", "nonmetric"]


@pytest.fixture(scope="module")
def ferri():
    file = folder_or_skip("METRICATLAS_REFERENCE", "reference") / "published.json"
    table = json.loads(file.read_text(encoding="utf-8"))["ferri_table3"]
    matrix = np.array(table["linear"], dtype=float)
    np.fill_diagonal(matrix, 1)
    return ma.Relations.from_matrix(matrix, table["measures"])


def names_of(size):
    return [f"m{i:02}" for i in range(size)]


def relations_of(matrix, order=None):
    names = names_of(len(matrix))
    order = range(len(matrix)) if order is None else order
    return ma.Relations.from_matrix(matrix[np.ix_(order, order)], [names[i] for i in order])


def random_matrix(seed, size):
    random = np.random.default_rng(seed)
    mixed = random.standard_normal((size + 5, size)) @ random.standard_normal((size, size))
    return np.corrcoef(mixed.T)


def random_points(seed, size, dimensions):
    """Points of which none are further apart than 2."""
    points = np.random.default_rng(seed).standard_normal((size, dimensions))
    return points * (1.9 / pdist(points).max())


def apart_as(points):
    """Relations of which the distances, 1 - correlation, are those of points."""
    return relations_of(1 - squareform(pdist(points)))


def kruskal(points, distances, method):
    """Kruskal's first stress by its definition; ties may be broken, as in his primary approach."""
    wanted, found = squareform(distances, checks=False), pdist(points)
    if method == "nonmetric":
        order = sorted(range(len(wanted)), key=lambda i: (wanted[i], found[i]))
        fitted = IsotonicRegression().fit_transform(np.arange(len(wanted)), found[order])
        wanted = np.empty_like(wanted)
        wanted[order] = fitted
    return np.sqrt(((found - wanted) ** 2).sum() / (found**2).sum())


def best_of_scikit_learn(distances, dimensions, method):
    best = np.inf
    for seed in range(20):
        points, _ = smacof(
            distances,
            metric=method == "metric",
            n_components=dimensions,
            n_init=1,
            max_iter=500,
            eps=1e-7,
            random_state=seed,
            normalized_stress=False,
        )
        if pdist(points).any():
            best = min(best, kruskal(points, distances, method))
    return best


def scale_of(points, names=None):
    names = names_of(len(points)) if names is None else names
    return Scale(tuple(names), np.asarray(points, float), 0.0, "given", squareform(pdist(points)))


def moved(points, seed):
    """Points turned, mirrored, stretched and shifted."""
    random = np.random.default_rng(seed)
    dimensions = points.shape[1]
    turn = special_ortho_group.rvs(dimensions, random_state=random) if dimensions > 1 else np.eye(1)
    turn[:, 0] *= random.choice([-1, 1])
    return random.uniform(0.1, 5) * points @ turn + random.standard_normal(dimensions)


# -- Classical -----------------------------------------------------------------------------------


@given(seed=SEEDS, size=st.integers(2, 12), dimensions=st.integers(1, 4))
def test_classical_scaling_finds_points_again(seed, size, dimensions):
    points = random_points(seed, size, dimensions)
    found = apart_as(points).scale(dimensions, method="classical")
    assert pdist(found.coordinates) == pytest.approx(pdist(points), abs=1e-7)
    assert found.stress == pytest.approx(0, abs=1e-7)


@given(seed=SEEDS, size=st.integers(3, 10), dimensions=st.integers(1, 3))
def test_classical_scaling_is_the_best_fit_to_the_centred_squares(seed, size, dimensions):
    matrix = random_matrix(seed, size)
    centre = np.eye(size) - 1 / size
    inner = -centre @ (1 - matrix) ** 2 @ centre / 2
    left, sizes, right = svd(inner)
    positive = [i for i in range(size) if left[:, i] @ right[i] > 0][:dimensions]
    wanted = (left[:, positive] * sizes[positive]) @ left[:, positive].T
    points = relations_of(matrix).scale(dimensions, method="classical").coordinates
    assert points @ points.T == pytest.approx(wanted, abs=1e-9)


def test_points_on_a_line_stand_as_far_apart_as_they_are():
    points = np.array([[0.0], [0.25], [1.0], [1.75]])
    for method in ("classical", "metric"):
        found = apart_as(points).scale(1, method=method).points["dimension 1"]
        assert np.diff(sorted(found)) == pytest.approx([0.25, 0.75, 0.75], abs=1e-6)


# -- Stress --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=8)
@given(seed=SEEDS, size=st.integers(3, 8), dimensions=st.integers(1, 3))
def test_stress_is_that_of_kruskal(method, seed, size, dimensions):
    found = relations_of(random_matrix(seed, size)).scale(dimensions, method=method)
    wanted = kruskal(found.coordinates, found.distances, method)
    assert found.stress == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("method", ["metric", "nonmetric"])
def test_stress_of_ferri2009_is_not_above_the_best_of_scikit_learn(ferri, method, dimensions):
    found = ferri.scale(dimensions, method=method)
    assert found.stress <= best_of_scikit_learn(found.distances, dimensions, method) + 1e-3


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("method", ["metric", "nonmetric"])
@pytest.mark.parametrize(("seed", "size"), [(6, 6), (10, 10), (1, 16)])
def test_stress_is_not_above_the_best_of_scikit_learn(seed, size, method, dimensions):
    found = relations_of(random_matrix(seed, size)).scale(dimensions, method=method)
    assert found.stress <= best_of_scikit_learn(found.distances, dimensions, method) + 1e-3


@settings(max_examples=20)
@given(seed=SEEDS, size=st.integers(3, 8), dimensions=st.integers(1, 3))
def test_metric_scaling_has_no_more_raw_stress_than_classical(seed, size, dimensions):
    relations = relations_of(random_matrix(seed, size))
    misfit = {}
    for method in ("classical", "metric"):
        found = relations.scale(dimensions, method=method)
        wanted = squareform(found.distances, checks=False)
        misfit[method] = ((pdist(found.coordinates) - wanted) ** 2).sum()
    assert misfit["metric"] <= misfit["classical"] * (1 + 1e-9) + 1e-15


def test_more_dimensions_leave_less_stress_of_ferri2009(ferri):
    left = ferri.stress()
    assert left.index.tolist() == [1, 2, 3, 4, 5, 6]
    assert (left.index.name, left.name) == ("dimensions", "stress")
    assert (np.diff(left) <= 1e-6).all()


@settings(max_examples=15)
@given(seed=SEEDS, size=st.integers(3, 9))
def test_more_dimensions_leave_less_stress(seed, size):
    left = relations_of(random_matrix(seed, size)).stress(range(1, size + 1))
    assert (np.diff(left) <= 1e-6).all()


def test_stress_is_told_of_the_dimensions_and_the_method_that_are_asked_for():
    relations = relations_of(random_matrix(2, 6))
    left = relations.stress([3, 1], method="nonmetric")
    assert left.to_dict() == {d: relations.scale(d, method="nonmetric").stress for d in (3, 1)}


@settings(max_examples=10)
@given(seed=SEEDS)
def test_nonmetric_scaling_sees_only_the_order_of_distances(seed):
    points = random_points(seed, 7, 2)
    bent = 2 * (pdist(points) / 2) ** 3
    found = relations_of(1 - squareform(bent)).scale(2, method="nonmetric")
    assert found.stress <= 1e-3


# -- The same every time -------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_two_runs_give_the_same_points(method, ferri):
    one, two = (ferri.scale(2, method=method) for _ in range(2))
    assert np.array_equal(one.coordinates, two.coordinates)
    assert one.stress == two.stress


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=5)
@given(seed=SEEDS, size=st.integers(2, 8), dimensions=st.integers(1, 3))
def test_the_order_of_columns_does_not_matter(method, seed, size, dimensions):
    matrix = random_matrix(seed, size)
    order = np.random.default_rng(seed).permutation(size)
    one = relations_of(matrix).scale(dimensions, method=method)
    two = relations_of(matrix, order).scale(dimensions, method=method)
    assert two.stress == one.stress
    pd.testing.assert_frame_equal(two.points.loc[list(one.names)], one.points, rtol=0, atol=0)
    assert np.array_equal(two.distances, one.distances[np.ix_(order, order)])


@pytest.mark.parametrize("method", METHODS)
def test_points_are_centred_and_lie_along_their_principal_axes(method, ferri):
    points = ferri.scale(3, method=method).coordinates
    assert points.mean(axis=0) == pytest.approx(np.zeros(3), abs=1e-12)
    products = points.T @ points
    assert products - np.diag(np.diagonal(products)) == pytest.approx(np.zeros((3, 3)), abs=1e-10)
    assert (np.diff(np.diagonal(products)) < 0).all()
    furthest = np.abs(points).argmax(axis=0)
    assert (points[furthest, range(3)] > 0).all()


def test_points_are_a_frame_of_measures_by_dimensions():
    points = relations_of(random_matrix(1, 4)).scale(3).points
    assert points.index.tolist() == names_of(4)
    assert points.columns.tolist() == ["dimension 1", "dimension 2", "dimension 3"]


def test_the_usual_scale_is_metric_with_two_dimensions():
    relations = relations_of(random_matrix(1, 5))
    found = relations.scale()
    assert found.method == "metric"
    assert np.array_equal(found.coordinates, relations.scale(2, method="metric").coordinates)


# -- Few measures, and the same ones -------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_there_may_be_more_dimensions_than_measures(method):
    found = relations_of(random_matrix(4, 3)).scale(5, method=method)
    assert found.coordinates.shape == (3, 5)
    assert found.coordinates[:, 3:] == pytest.approx(np.zeros((3, 2)), abs=1e-7)


@pytest.mark.parametrize("method", ["classical", "metric"])
def test_two_measures_are_exactly_so_far_apart(method):
    for dimensions in (1, 2, 4):
        found = relations_of(np.array([[1, 0.25], [0.25, 1]])).scale(dimensions, method=method)
        assert pdist(found.coordinates) == pytest.approx([0.75], abs=1e-9)
        assert found.stress == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_one_measure_is_a_point(method):
    found = relations_of(np.array([[1.0]])).scale(2, method=method)
    assert found.coordinates.tolist() == [[0, 0]]
    assert found.stress == 0


@pytest.mark.parametrize("method", METHODS)
def test_measures_that_all_say_the_same_are_one_point(method):
    found = relations_of(np.ones((4, 4))).scale(2, method=method)
    assert found.coordinates == pytest.approx(np.zeros((4, 2)), abs=1e-12)
    assert found.stress == 0


# Without the numbers, points that say the same need not be closer than the next pair.
@pytest.mark.parametrize("method", ["classical", "metric"])
@settings(max_examples=10)
@given(seed=SEEDS)
def test_measures_that_say_the_same_coincide(method, seed):
    columns = np.random.default_rng(seed).standard_normal((12, 5))
    matrix = np.corrcoef(np.column_stack([columns, columns[:, 0]]).T)
    matrix[0, 5] = matrix[5, 0] = 1
    points = relations_of(matrix).scale(2, method=method).coordinates
    assert points[5] == pytest.approx(points[0], abs=1e-4)


def test_a_monotone_copy_of_a_column_coincides_with_it():
    frame = pd.DataFrame(np.random.default_rng(3).random((30, 4)), columns=list("abcd"))
    copied = ma.Measurements.from_frame(frame.assign(e=frame["b"] ** 3))
    points = ma.relate(copied, method="spearman").scale(2).points
    assert points.loc["e"].to_numpy() == pytest.approx(points.loc["b"].to_numpy(), abs=1e-4)


# -- Laying scales over each other ---------------------------------------------------------------


@given(seed=SEEDS, size=st.integers(2, 10), dimensions=st.integers(1, 4))
def test_a_copy_that_is_turned_mirrored_stretched_and_shifted_comes_to_lie_on_it(
    seed, size, dimensions
):
    points = random_points(seed, size, dimensions)
    one, two = scale_of(points), scale_of(moved(points, seed))
    for own, other in ((one, two), (two, one)):
        assert own.aligned(other).coordinates == pytest.approx(other.coordinates, abs=1e-9)
        assert own.misfit(other) == pytest.approx(0, abs=1e-12)


@given(seed=SEEDS, size=st.integers(3, 10), dimensions=st.integers(1, 4))
def test_misfit_is_the_disparity_of_scipy(seed, size, dimensions):
    one = random_points(seed, size, dimensions)
    two = random_points(seed + 1, size, dimensions)
    _, _, wanted = procrustes(one, two)
    assert scale_of(one).misfit(scale_of(two)) == pytest.approx(wanted, abs=1e-10)
    assert scale_of(two).misfit(scale_of(one)) == pytest.approx(wanted, abs=1e-10)


@given(seed=SEEDS, size=st.integers(3, 8))
def test_nothing_lies_better_over_a_scale_than_what_is_aligned(seed, size):
    one, two = (scale_of(random_points(seed + i, size, 2)) for i in range(2))
    laid = one.aligned(two).coordinates
    least = ((laid - two.coordinates) ** 2).sum()
    random = np.random.default_rng(seed)
    for _ in range(20):
        angle, stretch = random.normal(0, 0.1), random.normal(1, 0.1)
        turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        other = stretch * laid @ turn + random.normal(0, 0.1, 2)
        assert ((other - two.coordinates) ** 2).sum() >= least - 1e-12


def test_only_measures_that_both_have_decide_and_all_are_moved():
    points = random_points(8, 6, 2)
    whole = scale_of(points)
    others = scale_of(moved(points, 5)[[4, 2, 0, 3]], ["m04", "m02", "m00", "m03"])
    laid = whole.aligned(others)
    assert laid.names == whole.names
    assert laid.coordinates == pytest.approx(moved(points, 5), abs=1e-9)
    assert whole.misfit(others) == pytest.approx(0, abs=1e-12)


def test_a_scale_of_shuffled_columns_lies_over_the_other():
    matrix = random_matrix(6, 7)
    one = relations_of(matrix).scale(2)
    two = relations_of(matrix, [3, 1, 6, 0, 2, 5, 4]).scale(2)
    assert one.misfit(two) == pytest.approx(0, abs=1e-12)


def test_points_that_are_all_one_explain_nothing_of_others():
    spread, one = scale_of(random_points(1, 4, 2)), scale_of(np.zeros((4, 2)))
    assert one.misfit(spread) == pytest.approx(1, abs=1e-12)
    assert np.isnan(spread.misfit(one))


def test_scales_that_cannot_lie_over_each_other_are_refused():
    flat, solid = scale_of(random_points(1, 4, 2)), scale_of(random_points(1, 4, 3))
    with pytest.raises(ma.RelationError, match="got 2 and 3 dimensions, and 4 in common"):
        flat.aligned(solid)
    other = replace(flat, names=("m00", "a", "b", "c"))
    with pytest.raises(ma.RelationError, match="got 2 and 2 dimensions, and 1 in common"):
        flat.misfit(other)


# -- Distances of values -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def frame():
    random = np.random.default_rng(11)
    values = random.random((12, 3))
    return pd.DataFrame(values, columns=["auc", "acc", "brier"]).assign(
        dataset=np.repeat(["a", "b", "c"], 4), model=np.tile(list("wxyz"), 3)
    )


@pytest.fixture(scope="module")
def table(frame):
    return ma.Measurements.from_frame(frame, keys=["dataset", "model"])


def turned(frame):
    return frame.assign(brier=-frame["brier"])


def between(columns):
    return squareform(pdist(columns.to_numpy().T))


def test_standardised_values_have_the_distances_of_their_z_scores(frame, table):
    names = ["auc", "acc", "brier"]
    groups = turned(frame).groupby("dataset")[names]
    scores = (turned(frame)[names] - groups.transform("mean")) / groups.transform("std", ddof=0)
    found = ma.relate(table).scale(of="standardised")
    assert found.distances == pytest.approx(between(scores), rel=1e-12)
    pooled = turned(frame)[names]
    scores = (pooled - pooled.mean()) / pooled.std(ddof=0)
    found = ma.relate(table, within=None).scale(of="standardised")
    assert found.distances == pytest.approx(between(scores), rel=1e-12)


def test_normalised_values_go_from_the_worst_to_the_best_of_each_group(frame, table):
    names = ["auc", "acc", "brier"]
    groups = turned(frame).groupby("dataset")[names]
    worst, best = groups.transform("min"), groups.transform("max")
    wanted = between((turned(frame)[names] - worst) / (best - worst))
    assert ma.relate(table).scale(of="normalised").distances == pytest.approx(wanted, rel=1e-12)


def test_normalised_values_go_from_the_baseline_where_there_is_one(frame, table):
    zero = {"auc": 0.05, "acc": 0.1, "brier": 0.95}
    names = list(zero)
    start = pd.Series({"auc": 0.05, "acc": 0.1, "brier": -0.95})
    best = turned(frame).groupby("dataset")[names].transform("max")
    wanted = between((turned(frame)[names] - start) / (best - start))
    found = ma.relate(table).scale(of="normalised", baseline=zero)
    assert found.distances == pytest.approx(wanted, rel=1e-12)
    left = ma.relate(table).stress([1, 2], of="normalised", baseline=zero)
    assert left[2] == found.stress


def test_distances_of_values_do_not_depend_on_the_order_of_columns_and_rows(frame):
    one = ma.relate(ma.Measurements.from_frame(frame, keys=["dataset", "model"]))
    mixed = frame[["brier", "model", "auc", "dataset", "acc"]].sample(frac=1, random_state=1)
    two = ma.relate(ma.Measurements.from_frame(mixed, keys=["dataset", "model"]))
    for of in ("normalised", "standardised"):
        points = two.scale(of=of).points.loc[["auc", "acc", "brier"]]
        pd.testing.assert_frame_equal(points, one.scale(of=of).points, rtol=0, atol=1e-7)


def test_measures_without_a_scale_are_left_out_and_named(frame):
    constant = frame.assign(f1=0.5)
    relations = ma.relate(ma.Measurements.from_frame(constant, keys=["dataset", "model"]))
    found = relations.scale(of="standardised")
    assert found.names == ("auc", "acc", "brier")
    assert any("f1" in note for note in found.notes)


def test_rows_without_a_scale_are_left_out_and_counted(frame):
    holed = frame.copy()
    holed.loc[5, "auc"] = np.nan
    table = ma.Measurements.from_frame(holed, keys=["dataset", "model"])
    found = ma.relate(table).scale(of="standardised")
    names = ["auc", "acc", "brier"]
    groups = turned(holed).groupby("dataset")[names]
    scores = (turned(holed)[names] - groups.transform("mean")) / groups.transform("std", ddof=0)
    assert found.distances == pytest.approx(between(scores.dropna()), rel=1e-12)
    assert any("1 of 12 rows" in note for note in found.notes)


def test_measures_without_correlations_are_left_out_and_named(frame):
    constant = frame.assign(f1=0.5)
    found = ma.relate(ma.Measurements.from_frame(constant, keys=["dataset", "model"])).scale()
    assert found.names == ("auc", "acc", "brier")
    assert any("f1" in note for note in found.notes)


# -- Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dimensions": 0}, "dimensions must be a whole number from 1 on; got 0"),
        ({"dimensions": 1.5}, "got 1.5"),
        ({"dimensions": True}, "got True"),
        ({"dimensions": "two"}, "got 'two'"),
        ({"method": "sammon"}, "'classical', 'metric' or 'nonmetric'; got 'sammon'"),
        ({"of": "values"}, "'correlation', 'normalised' or 'standardised'; got 'values'"),
        ({"of": "normalised"}, "need measurements; these relations are a given matrix"),
        ({"of": "standardised"}, "need measurements; these relations are a given matrix"),
    ],
)
def test_what_cannot_be_placed_is_refused(arguments, message):
    with pytest.raises(ma.RelationError, match=message):
        relations_of(random_matrix(1, 3)).scale(**arguments)


def test_measures_without_values_in_half_of_the_rows_are_left_out_first(frame):
    holed = frame.copy()
    holed.loc[holed.index % 2 == 0, "auc"] = np.nan
    relations = ma.relate(ma.Measurements.from_frame(holed, keys=["dataset", "model"]))
    scale = relations.scale(of="standardised")
    assert "auc" not in scale.names
    assert any(note.startswith("without auc, which are undefined") for note in scale.notes)


def test_rows_without_a_value_of_some_measure_are_left_out_and_told(frame):
    holed = frame.copy()
    holed.loc[holed.index[:2], "auc"] = np.nan
    holed.loc[holed.index[1:3], "acc"] = np.inf
    relations = ma.relate(ma.Measurements.from_frame(holed, keys=["dataset", "model"]))
    scale = relations.scale(of="standardised")
    told = f"3 of {len(frame)} rows are left out, where auc (2), acc (2) have no scaled value"
    assert told in scale.notes


def test_without_one_row_that_has_all_values_there_is_an_error(frame):
    holed = frame.copy()
    names = [c for c in frame.columns if c not in ("dataset", "model")]
    third = holed.index % 3
    for column, rest in zip(names, (0, 1, 2), strict=False):
        holed.loc[third == rest, column] = np.nan
    relations = ma.relate(ma.Measurements.from_frame(holed, keys=["dataset", "model"]))
    with pytest.raises(ma.RelationError, match=r"have no scaled value\. `select` measures"):
        relations.scale(of="standardised")


@pytest.mark.parametrize("of", ["correlation", "standardised"])
def test_a_baseline_that_nothing_would_use_is_refused(table, of):
    with pytest.raises(MetricAtlasError, match="baseline"):
        ma.relate(table).scale(of=of, baseline={"auc": 0.5, "acc": 0.5, "brier": 0.25})
