"""Factors: against NumPy, scikit-learn, statsmodels, SAS, and the tables of seliya2009."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.decomposition import PCA
from statsmodels.multivariate.factor import Factor
from statsmodels.multivariate.factor_rotation import rotate_factors

import metricatlas as ma
from metricatlas.relations.factors import EXTRACTIONS, Factors, varimax
from tests.conftest import folder_or_skip

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(2, 10)
# Harman (1976), five socio-economic variables, as in the documentation of SAS/STAT's PROC FACTOR,
# which prints the results below.
HARMAN = ["Population", "School", "Employment", "Services", "HouseValue"]
HARMAN_ROWS = [
    (5700, 12.8, 2500, 270, 25000),
    (1000, 10.9, 600, 10, 10000),
    (3400, 8.8, 1000, 10, 9000),
    (3800, 13.6, 1700, 140, 25000),
    (4000, 12.8, 1600, 140, 25000),
    (8200, 8.3, 2600, 60, 12000),
    (1200, 11.4, 400, 10, 16000),
    (9100, 11.5, 3300, 60, 14000),
    (9900, 12.5, 3400, 180, 18000),
    (9600, 13.7, 3600, 390, 25000),
    (9600, 9.6, 3300, 80, 12000),
    (9400, 11.4, 4000, 100, 13000),
]
SAS_EIGENVALUES = [2.8733, 1.7967, 0.2148]
SAS_PRINCIPAL = [
    (0.58096, 0.80642),
    (0.76704, -0.54476),
    (0.67243, 0.72605),
    (0.93239, -0.10431),
    (0.79116, -0.55818),
]
SAS_MULTIPLE_CORRELATIONS = [0.96859160, 0.82228514, 0.96918082, 0.78572440, 0.84701921]
SAS_ROTATED = [
    (0.02255, 0.98874),
    (0.90419, 0.00055),
    (0.14625, 0.97499),
    (0.79085, 0.41509),
    (0.94072, -0.00004),
]


@pytest.fixture(scope="module")
def published():
    file = folder_or_skip("METRICATLAS_REFERENCE", "reference") / "published.json"
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def harman():
    frame = pd.DataFrame(HARMAN_ROWS, columns=HARMAN)
    return ma.relate(ma.Measurements.from_frame(frame), method="pearson")


def printed_loadings(rows):
    frame = pd.DataFrame(rows).set_index("metric")
    return Factors.from_loadings(frame)


def compared(factors, pairs):
    """The differences of implied and printed correlations, and how many have the other sign."""
    implied = factors.reproduced
    ours = np.array([implied.loc[one, other] for one, other, _ in pairs])
    theirs = np.array([r for _, _, r in pairs])
    return np.sqrt(np.mean((ours - theirs) ** 2)), int((ours * theirs < 0).sum())


def names_of(size):
    return [f"m{i:02}" for i in range(size)]


def random_columns(seed, size, rows=None):
    random = np.random.default_rng(seed)
    rows = size + 10 if rows is None else rows
    return random.standard_normal((rows, size)) @ random.standard_normal((size, size))


def random_matrix(seed, size):
    return np.corrcoef(random_columns(seed, size).T)


def relations_of(matrix, order=None):
    names = names_of(len(matrix))
    order = range(len(matrix)) if order is None else order
    return ma.Relations.from_matrix(matrix[np.ix_(order, order)], [names[i] for i in order])


def of_columns(columns):
    frame = pd.DataFrame(columns, columns=names_of(columns.shape[1]))
    return ma.relate(ma.Measurements.from_frame(frame), method="pearson", within=None)


def planted(seed, rows, factors, each=4):
    """Columns that some unrelated factors explain, each of its own columns, but for noise."""
    random = np.random.default_rng(seed)
    common = random.standard_normal((rows, factors))
    return np.repeat(common, each, axis=1) + 0.6 * random.standard_normal((rows, factors * each))


def eigen(matrix):
    sizes, directions = np.linalg.eigh(matrix)
    return sizes[::-1], directions[:, ::-1]


def same_signs(loadings, others):
    """Turn the columns of loadings to those that they should equal."""
    return loadings * np.sign((loadings * others).sum(axis=0))


def blocks(*correlations):
    """Pairs of measures, each with its correlation, unrelated to the others."""
    matrix = np.eye(2 * len(correlations))
    for i, r in enumerate(correlations):
        matrix[2 * i, 2 * i + 1] = matrix[2 * i + 1, 2 * i] = r
    return matrix


# -- seliya2009 ----------------------------------------------------------------------------------


def test_loadings_of_table_6_reproduce_the_correlations_of_table_5(published):
    found = printed_loadings(published["seliya_table6"])
    misfit, wrong = compared(found, published["seliya_table5"]["C45D"])
    assert misfit < 0.021
    assert wrong == 0


def test_loadings_of_table_4_do_not_because_its_rows_have_the_wrong_names(published):
    # ERRATA S2.
    found = printed_loadings(published["seliya_table4"])
    misfit, wrong = compared(found, published["seliya_table5"]["C45N"])
    assert round(misfit, 2) == 0.97
    assert wrong == 8
    implied = found.reproduced
    assert round(implied.loc["BRI", "DACR"], 2) == 0.63
    assert round(implied.loc["KSS", "KGM"], 2) == -0.53


@pytest.mark.parametrize(("table", "share"), [("seliya_table4", 0.904), ("seliya_table6", 0.920)])
def test_loadings_of_seliya2009_explain_the_variance_that_it_states(published, table, share):
    assert round(printed_loadings(published[table]).variance.sum(), 3) == share


def test_communality_of_the_example_in_table_1_of_seliya2009(published):
    stated = published["seliya_stated"]["table1_communality_example"]
    found = Factors.from_loadings(pd.DataFrame([stated["loadings"]], index=["x"]))
    assert round(found.communalities["x"], 4) == stated["printed"]
    assert round(found.uniquenesses["x"], 4) == 0.1859


def test_measures_belong_to_the_factors_of_the_paper(published):
    # Table 6 lists them so: the first fourteen, the next six, and the last two.
    rows = published["seliya_table6"]
    names = [row["metric"] for row in rows]
    members = list(printed_loadings(rows).members.values())
    assert [set(found) for found in members] == [
        set(names[:14]),
        set(names[14:20]),
        set(names[20:]),
    ]
    assert members[0][0] == "BFM"
    assert members[2] == ["KFPR", "KACR"]


# -- SAS -----------------------------------------------------------------------------------------


def test_principal_components_are_those_that_sas_prints(harman):
    found = harman.factors(rotation=None)
    assert np.round(found.eigenvalues[:3], 4).tolist() == SAS_EIGENVALUES
    assert found.loadings.round(5).to_numpy().tolist() == [list(row) for row in SAS_PRINCIPAL]
    assert found.loadings.index.tolist() == HARMAN


def test_squared_multiple_correlations_are_those_that_sas_prints(harman):
    matrix = harman.matrix
    columns = np.array(HARMAN_ROWS)
    columns = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    # The same by least squares, so that it is no misprint either.
    for i, printed in enumerate(SAS_MULTIPLE_CORRELATIONS):
        others = np.delete(columns, i, axis=1)
        weights, *_ = np.linalg.lstsq(others, columns[:, i])
        assert round(np.var(others @ weights), 8) == printed
    found = harman.factors(extraction="axis", rotation=None, number=2)
    assert found.eigenvalues.sum() == pytest.approx(sum(SAS_MULTIPLE_CORRELATIONS), abs=1e-7)
    reduced = matrix - np.eye(5) + np.diag(SAS_MULTIPLE_CORRELATIONS)
    assert found.eigenvalues == pytest.approx(eigen(reduced)[0], abs=1e-7)


def test_rotated_principal_axes_are_those_that_sas_prints(harman):
    found = harman.factors(extraction="axis")
    assert found.loadings.round(5).to_numpy().tolist() == [list(row) for row in SAS_ROTATED]
    assert found.members == {
        "factor 1": ["HouseValue", "School", "Services"],
        "factor 2": ["Population", "Employment"],
    }


def test_communalities_that_iterate_above_1_stay_at_1_and_are_told(harman):
    found = harman.factors(extraction="iterated", number=2)
    assert any("Heywood" in note for note in found.notes)
    assert (found.communalities <= 1 + 1e-9).all()
    assert (found.uniquenesses >= -1e-9).all()


# -- Principal components ------------------------------------------------------------------------


@given(seed=SEEDS, size=SIZES)
def test_principal_extraction_is_the_eigen_decomposition(seed, size):
    matrix = random_matrix(seed, size)
    sizes, directions = eigen(matrix)
    found = relations_of(matrix).factors(rotation=None, number=size)
    assert found.eigenvalues == pytest.approx(sizes, abs=1e-12)
    wanted = directions * np.sqrt(sizes)
    assert same_signs(found.weights, wanted) == pytest.approx(wanted, abs=1e-9)
    assert found.reproduced.to_numpy() == pytest.approx(matrix, abs=1e-9)


@given(seed=SEEDS, size=SIZES)
def test_principal_extraction_is_scikit_learns_of_standardised_columns(seed, size):
    columns = random_columns(seed, size)
    standardised = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    pca = PCA(svd_solver="full").fit(standardised)
    sizes = pca.explained_variance_ * (len(columns) - 1) / len(columns)
    found = of_columns(columns).factors(rotation=None, number=size)
    assert found.eigenvalues == pytest.approx(sizes, abs=1e-10)
    wanted = pca.components_.T * np.sqrt(sizes)
    assert same_signs(found.weights, wanted) == pytest.approx(wanted, abs=1e-7)
    assert found.table["share"].to_numpy() == pytest.approx(
        pca.explained_variance_ratio_, abs=1e-10
    )


# -- Principal axes ------------------------------------------------------------------------------


@pytest.mark.parametrize("factors", [1, 2, 3])
@given(seed=SEEDS)
def test_principal_axes_are_those_of_statsmodels(factors, seed):
    matrix = np.corrcoef(planted(seed, 100, factors).T)
    theirs = Factor(corr=matrix, n_factor=factors, method="pa", smc=True).fit(maxiter=1)
    found = relations_of(matrix).factors(extraction="axis", rotation=None, number=factors)
    assert same_signs(found.weights, theirs.loadings) == pytest.approx(theirs.loadings, abs=1e-9)
    assert found.eigenvalues == pytest.approx(theirs.eigenvals, abs=1e-9)
    assert found.communalities.to_numpy() == pytest.approx(theirs.communality, abs=1e-9)


@pytest.mark.parametrize("factors", [1, 2, 3])
@given(seed=SEEDS)
def test_iterated_principal_axes_are_those_of_statsmodels(factors, seed):
    matrix = np.corrcoef(planted(seed, 100, factors).T)
    model = Factor(corr=matrix, n_factor=factors, method="pa", smc=True)
    theirs = model.fit(maxiter=5000, tol=1e-10)
    found = relations_of(matrix).factors(extraction="iterated", rotation=None, number=factors)
    assert not found.notes
    assert same_signs(found.weights, theirs.loadings) == pytest.approx(theirs.loadings, abs=1e-6)
    assert found.communalities.to_numpy() == pytest.approx(theirs.communality, abs=1e-6)


def test_iterated_axes_find_the_loadings_that_made_the_correlations():
    loadings = np.array([[0.9, 0], [0.8, 0], [0.7, 0], [0, 0.85], [0, 0.75], [0, 0.6]])
    matrix = loadings @ loadings.T
    np.fill_diagonal(matrix, 1)
    found = relations_of(matrix).factors(extraction="iterated", number=2)
    assert found.weights == pytest.approx(loadings, abs=1e-6)
    assert found.uniquenesses.to_numpy() == pytest.approx(1 - (loadings**2).sum(axis=1), abs=1e-6)


# -- Varimax -------------------------------------------------------------------------------------


def normal_rows(weights):
    return weights / np.linalg.norm(weights, axis=1, keepdims=True)


def simplicity(weights):
    """What varimax makes largest: the variance of squared loadings of rows of length 1."""
    return (normal_rows(weights) ** 2).var(axis=0).sum()


def turned(weights, i, j, angle):
    turn = np.eye(weights.shape[1])
    turn[[i, i, j, j], [i, j, i, j]] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
    return weights @ turn


def best_of_two(weights):
    """Kaiser's own solution (1958), which for two factors is exact."""
    x, y = normal_rows(weights).T
    u, v, n = x * x - y * y, 2 * x * y, len(weights)
    above = 2 * (u @ v) - 2 * u.sum() * v.sum() / n
    below = (u * u - v * v).sum() - (u.sum() ** 2 - v.sum() ** 2) / n
    return simplicity(turned(weights, 0, 1, np.arctan2(above, below) / 4))


@pytest.mark.parametrize("factors", [2, 3, 4])
@given(seed=SEEDS)
@example(seed=1_033_304_860)
def test_varimax_is_that_of_statsmodels_on_normalised_rows(factors, seed):
    random = np.random.default_rng(seed)
    simple = np.repeat(np.eye(factors), 4, axis=0) * random.uniform(0.5, 0.9, (4 * factors, 1))
    turn, _ = np.linalg.qr(random.standard_normal((factors, factors)))
    weights = (simple + random.normal(0, 0.1, simple.shape)) @ turn
    rotated, _ = rotate_factors(normal_rows(weights), "varimax", tol=1e-9)
    theirs = rotated * np.linalg.norm(weights, axis=1, keepdims=True)
    found = varimax(weights)
    order = np.abs(found.T @ theirs).argmax(axis=0)
    assert sorted(order) == list(range(factors))
    assert same_signs(found[:, order], theirs) == pytest.approx(theirs, abs=1e-6)


@given(seed=SEEDS, size=st.integers(3, 8))
@example(seed=366, size=3)
@example(seed=598, size=4)
@example(seed=464, size=5)
def test_varimax_of_two_factors_is_kaisers(seed, size):
    weights = np.random.default_rng(seed).uniform(-1, 1, (size, 2))
    assert simplicity(varimax(weights)) >= best_of_two(weights) - 1e-9


@pytest.mark.parametrize("each", [2, 3, 5])
@pytest.mark.parametrize(("inside", "between"), [(0.9, 0.3), (0.8, 0.5), (0.7, 0.2), (0.6, 0)])
def test_varimax_tells_two_blocks_apart(each, inside, between):
    # Without rotation the loadings are (a, b) and (a, -b): the worst there is.
    matrix = np.full((2 * each, 2 * each), float(between))
    matrix[:each, :each] = matrix[each:, each:] = inside
    np.fill_diagonal(matrix, 1)
    found = relations_of(matrix).factors(number=2)
    names = names_of(2 * each)
    assert {frozenset(own) for own in found.members.values()} == {
        frozenset(names[:each]),
        frozenset(names[each:]),
    }
    assert simplicity(found.weights) >= best_of_two(found.weights) - 1e-9


@pytest.mark.parametrize("factors", [2, 3, 4])
@given(seed=SEEDS)
def test_no_small_turn_is_better_than_varimax(factors, seed):
    found = varimax(np.random.default_rng(seed).uniform(-1, 1, (3 * factors, factors)))
    best = simplicity(found)
    for i in range(factors):
        for j in range(i):
            for angle in (-0.1, -0.01, 0.01, 0.1):
                assert simplicity(turned(found, i, j, angle)) <= best + 1e-9


@given(seed=SEEDS, size=st.integers(3, 9), factors=st.integers(2, 3))
def test_rotation_changes_neither_communalities_nor_what_is_reproduced(seed, size, factors):
    relations = relations_of(random_matrix(seed, size))
    plain = relations.factors(rotation=None, number=factors)
    rotated = relations.factors(number=factors)
    assert rotated.rotation == "varimax"
    assert rotated.communalities.to_numpy() == pytest.approx(
        plain.communalities.to_numpy(), abs=1e-12
    )
    assert rotated.reproduced.to_numpy() == pytest.approx(plain.reproduced.to_numpy(), abs=1e-12)
    assert rotated.eigenvalues.tolist() == plain.eigenvalues.tolist()
    assert rotated.variance.sum() == pytest.approx(plain.variance.sum(), abs=1e-12)


def test_one_factor_is_not_rotated():
    relations = relations_of(random_matrix(1, 5))
    one, two = relations.factors(number=1), relations.factors(number=1, rotation=None)
    assert np.array_equal(one.weights, two.weights)


def test_a_measure_without_loadings_does_not_disturb_the_rotation():
    weights = np.array([[0.6, 0.6], [0.5, 0.5], [0.6, -0.6], [0.5, -0.5], [0, 0]])
    found = varimax(weights)
    assert found[4].tolist() == [0, 0]
    assert found[:4] == pytest.approx(varimax(weights[:4]), abs=1e-9)


# -- How many factors ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("least", "count"), [(1.5, 2), (1.0, 2), (0.51, 2), (0.5, 4), (0.0, 4), (-1.0, 4)]
)
def test_factors_with_at_least_this_eigenvalue_are_kept(least, count):
    # The eigenvalues are 1.5, 1.5, 0.5 and 0.5.
    found = relations_of(blocks(0.5, 0.5)).factors(least)
    assert len(found.labels) == count
    assert found.eigenvalues == pytest.approx([1.5, 1.5, 0.5, 0.5], abs=1e-12)


def test_unrelated_measures_are_a_factor_each():
    found = relations_of(np.eye(5)).factors()
    assert [len(own) for own in found.members.values()] == [1] * 5
    assert found.kinds().tolist() == ["unique"] * 5


def test_an_eigenvalue_that_nothing_reaches_is_an_error_that_says_what_to_do():
    with pytest.raises(ma.RelationError, match=r"no eigenvalue is 1\.6 or more.* say number="):
        relations_of(blocks(0.5, 0.5)).factors(1.6)


@pytest.mark.parametrize(
    ("share", "count"),
    [(0.01, 1), (0.4, 1), (0.41, 2), (0.7, 2), (0.71, 3), (0.9, 3), (0.91, 4), (1, 4)],
)
def test_as_many_factors_as_a_share_of_the_variance_needs(share, count):
    # The eigenvalues are 1.6, 1.2, 0.8 and 0.4: shares of 0.4, 0.3, 0.2 and 0.1.
    found = relations_of(blocks(0.6, 0.2)).factors(share=share)
    assert len(found.labels) == count
    assert found.variance.sum() >= share - 1e-9


@given(seed=SEEDS, size=SIZES, share=st.floats(0.05, 1))
def test_one_factor_fewer_would_not_have_that_share(seed, size, share):
    matrix = random_matrix(seed, size)
    count = len(relations_of(matrix).factors(share=share).labels)
    shares = np.cumsum(eigen(matrix)[0]) / size
    assert shares[count - 1] >= share - 1e-9
    assert count == 1 or shares[count - 2] < share + 1e-9


@given(seed=SEEDS, size=SIZES)
def test_so_many_factors_as_are_asked_for(seed, size):
    relations = relations_of(random_matrix(seed, size))
    for number in range(1, size + 1):
        assert relations.factors(number=number).labels == [f"factor {i + 1}" for i in range(number)]


def test_the_eigenvalue_table_adds_up():
    table = relations_of(blocks(0.6, 0.2)).factors().table
    assert table["eigenvalue"].to_numpy() == pytest.approx([1.6, 1.2, 0.8, 0.4])
    assert table["share"].to_numpy() == pytest.approx([0.4, 0.3, 0.2, 0.1])
    assert table["cumulative"].to_numpy() == pytest.approx([0.4, 0.7, 0.9, 1.0])
    assert table.index.tolist() == [1, 2, 3, 4]
    assert table.index.name == "number"


# -- What a factor is ----------------------------------------------------------------------------


def loadings(rows):
    return Factors.from_loadings(pd.DataFrame(rows, index=names_of(len(rows))))


def test_factors_are_general_common_unique_or_none():
    found = loadings([[0.4, 0.9, -0.4, 0.1], [-0.9, 0.5, 0.1, 0.2], [0.5, 0.39, 0.2, 0.39]])
    assert found.kinds().to_dict() == {
        "factor 1": "general",
        "factor 2": "common",
        "factor 3": "unique",
        "factor 4": "none",
    }
    assert found.kinds(high=0.39).tolist() == ["general", "general", "unique", "unique"]
    assert found.kinds(high=0.95).tolist() == ["none"] * 4


def test_the_factor_of_a_single_measure_is_unique():
    found = relations_of(np.array([[1.0]])).factors()
    assert found.loadings.to_numpy().tolist() == [[1.0]]
    assert found.kinds().tolist() == ["unique"]
    assert found.members == {"factor 1": ["m00"]}


def test_measures_belong_to_the_factor_of_their_largest_loading_the_highest_first():
    found = loadings([[0.5, 0.4, 0], [-0.9, 0.1, 0.2], [0.3, 0.6, 0.5], [0.1, -0.8, 0.7]])
    assert found.members == {
        "factor 1": ["m01", "m00"],
        "factor 2": ["m03", "m02"],
        "factor 3": [],
    }


@given(seed=SEEDS, size=SIZES)
def test_every_measure_belongs_to_one_factor(seed, size):
    found = relations_of(random_matrix(seed, size)).factors()
    assert sorted(name for own in found.members.values() for name in own) == names_of(size)


@pytest.mark.parametrize("rotation", ["varimax", None])
@given(seed=SEEDS, size=SIZES)
def test_factors_stand_by_the_variance_they_explain_and_high_loadings_are_positive(
    rotation, seed, size
):
    found = relations_of(random_matrix(seed, size)).factors(0.5, rotation=rotation)
    assert (np.diff(found.variance) <= 1e-12).all()
    assert ((found.weights**3).sum(axis=0) >= -1e-12).all()


@given(seed=SEEDS, size=SIZES)
def test_uniqueness_is_what_communality_leaves(seed, size):
    found = relations_of(random_matrix(seed, size)).factors()
    shares = (found.loadings**2).sum(axis=1)
    assert found.communalities.to_numpy() == pytest.approx(shares.to_numpy(), abs=1e-12)
    assert found.uniquenesses.to_numpy() == pytest.approx(1 - shares.to_numpy(), abs=1e-12)
    assert found.communalities.index.tolist() == names_of(size)
    assert found.variance.sum() == pytest.approx(shares.mean(), abs=1e-12)


@pytest.mark.parametrize("extraction", EXTRACTIONS)
@given(seed=SEEDS)
@example(seed=225)
@example(seed=391)
def test_the_order_of_columns_does_not_matter(extraction, seed):
    matrix = np.corrcoef(planted(seed, 60, 2).T)
    order = np.random.default_rng(seed).permutation(8)
    one = relations_of(matrix).factors(extraction=extraction, number=2)
    two = relations_of(matrix, order).factors(extraction=extraction, number=2)
    if np.diff(one.variance).item() > -1e-3:
        # Which of two alike factors is the first is a matter of rounding.
        return
    wanted = one.loadings.loc[two.loadings.index].to_numpy()
    assert two.loadings.to_numpy() == pytest.approx(wanted, abs=1e-6)


# -- Singular matrices ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def with_both_rates():
    random = np.random.default_rng(2)
    frame = pd.DataFrame(random.random((30, 4)), columns=["auc", "mcc", "fpr", "kappa"])
    frame["mcc"] += frame["kappa"]
    return frame.assign(tnr=1 - frame["fpr"])


@pytest.mark.parametrize("oriented", [True, False])
@pytest.mark.parametrize("extraction", EXTRACTIONS)
def test_false_positive_and_true_negative_rates_may_come_together(
    with_both_rates, extraction, oriented
):
    table = ma.Measurements.from_frame(with_both_rates)
    relations = ma.relate(table, method="pearson", within=None, oriented=oriented)
    found = relations.factors(0.5, extraction=extraction)
    assert np.isfinite(found.weights).all()
    sign = 1 if oriented else -1
    rows = found.loadings
    assert rows.loc["fpr"].to_numpy() == pytest.approx(sign * rows.loc["tnr"], abs=1e-6)
    assert any("singular" in note and "rank 4 of 5" in note for note in found.notes) == (
        extraction != "principal"
    )


def test_squared_multiple_correlations_of_a_singular_matrix_are_those_of_least_squares(
    with_both_rates,
):
    table = ma.Measurements.from_frame(with_both_rates)
    relations = ma.relate(table, method="pearson", within=None, oriented=False)
    columns = with_both_rates.to_numpy()
    columns = (columns - columns.mean(axis=0)) / columns.std(axis=0)
    shares = []
    for i in range(5):
        others = np.delete(columns, i, axis=1)
        weights, *_ = np.linalg.lstsq(others, columns[:, i])
        shares.append(np.var(others @ weights))
    order = [with_both_rates.columns.tolist().index(name) for name in relations.names]
    reduced = relations.matrix - np.eye(5) + np.diag(np.array(shares)[order])
    found = relations.factors(0.1, extraction="axis")
    assert found.eigenvalues == pytest.approx(eigen(reduced)[0], abs=1e-9)


def test_a_singular_matrix_has_eigenvalues_of_nothing(with_both_rates):
    table = ma.Measurements.from_frame(with_both_rates)
    found = ma.relate(table, method="pearson", within=None).factors(share=1)
    assert found.eigenvalues[-1] == pytest.approx(0, abs=1e-12)
    assert len(found.labels) == 4


def test_correlations_that_do_not_fit_together_are_told():
    matrix = np.array([[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])
    found = relations_of(matrix).factors(number=2)
    smallest = np.linalg.eigvalsh(matrix)[0]
    assert any(f"{smallest:.2g}" in note for note in found.notes)
    assert np.isfinite(found.weights).all()


def test_measures_without_correlations_are_left_out_and_named():
    frame = pd.DataFrame(np.random.default_rng(1).random((20, 3)), columns=["auc", "acc", "mcc"])
    found = ma.relate(ma.Measurements.from_frame(frame.assign(f1=0.5))).factors()
    assert found.names == ("auc", "acc", "mcc")
    assert any("f1" in note for note in found.notes)


# -- Parallel analysis ---------------------------------------------------------------------------


@pytest.mark.parametrize("factors", [1, 2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_parallel_analysis_finds_the_factors_that_were_planted(factors, seed):
    table = of_columns(planted(seed, 150, factors)).factors().parallel()
    assert table["kept"].sum() == factors
    assert table["kept"].tolist()[:factors] == [True] * factors


def test_parallel_analysis_of_unrelated_columns_keeps_hardly_any():
    kept = [
        of_columns(np.random.default_rng(seed).standard_normal((50, 6)))
        .factors()
        .parallel()["kept"]
        .any()
        for seed in range(20)
    ]
    # The quantile of 95 % lets one in twenty pass.
    assert sum(kept) <= 4


def test_parallel_analysis_compares_with_random_columns_of_the_same_shape():
    relations = of_columns(planted(4, 40, 2))
    table = relations.factors().parallel(resamples=400, quantile=0.9)
    random = np.random.default_rng(99)
    sizes = np.array(
        [
            np.linalg.eigvalsh(np.corrcoef(random.standard_normal((8, 40))))[::-1]
            for _ in range(2000)
        ]
    )
    # Five standard errors of the mean of 400.
    near = 5 * sizes.std(axis=0) / 20
    assert (np.abs(table["random"].to_numpy() - sizes.mean(axis=0)) < near).all()
    assert (np.abs(table["limit"].to_numpy() - np.quantile(sizes, 0.9, axis=0)) < 2 * near).all()
    assert (table["kept"] == (table["eigenvalue"] > table["limit"]).cummin()).all()


def test_parallel_analysis_is_the_same_every_time_but_for_the_seed():
    found = of_columns(planted(4, 40, 2)).factors()
    one, two, three = found.parallel(), found.parallel(seed=0), found.parallel(seed=1)
    pd.testing.assert_frame_equal(one, two)
    assert (one["limit"] != three["limit"]).any()


def test_parallel_analysis_of_a_given_matrix_must_be_told_the_rows():
    columns = planted(5, 60, 2)
    found = relations_of(np.corrcoef(columns.T)).factors()
    with pytest.raises(ma.RelationError, match="rows="):
        found.parallel()
    pd.testing.assert_frame_equal(
        found.parallel(60)[["random", "limit", "kept"]],
        of_columns(columns).factors().parallel()[["random", "limit", "kept"]],
    )


@pytest.mark.parametrize("extraction", ["axis", "iterated"])
def test_parallel_analysis_is_of_principal_components(extraction):
    found = of_columns(planted(5, 60, 2)).factors(extraction=extraction, number=2)
    with pytest.raises(ma.RelationError, match=f"'principal' has; got '{extraction}'"):
        found.parallel()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"rows": 1}, "rows"),
        ({"rows": 0}, "rows"),
        ({"rows": 2.5}, "rows"),
        ({"resamples": 0}, "resamples"),
        ({"quantile": 2}, "quantile"),
        ({"quantile": np.nan}, "quantile"),
    ],
)
# What NumPy says of it meanwhile is no matter here.
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_parallel_analysis_refuses_what_it_cannot_do(arguments, name):
    found = of_columns(planted(5, 60, 2)).factors()
    with pytest.raises(ma.RelationError, match=name):
        found.parallel(**arguments)


# -- Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"number": 0}, "number must be a whole number from 1 to 4, that of the measures; got 0"),
        ({"number": 5}, "number must be a whole number from 1 to 4, that of the measures; got 5"),
        ({"number": 1.5}, r"number .* got 1\.5"),
        ({"share": 0}, "share must be above 0 and at most 1, as 0.9 for 90 %; got 0"),
        ({"share": 90}, "got 90"),
        ({"share": np.nan}, "got nan"),
        ({"share": 0.9, "number": 2}, "number and share contradict each other; got 2 and 0.9"),
        ({"extraction": "likelihood"}, "principal, axis, iterated; got 'likelihood'"),
        ({"rotation": "promax"}, "'varimax' or None; got 'promax'"),
        ({"min_eigenvalue": np.nan}, "min_eigenvalue must be a number; got nan"),
    ],
)
def test_what_cannot_be_extracted_is_refused(arguments, message):
    with pytest.raises(ma.RelationError, match=message):
        relations_of(blocks(0.5, 0.5)).factors(**arguments)
