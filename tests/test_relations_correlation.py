from itertools import combinations
from math import inf, isnan, nan

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles_of_relations import mean_of_defined, pairs_by_definition
from scipy.stats import kendalltau, pearsonr, spearmanr

import metricatlas as ma
from metricatlas.errors import RelationError
from metricatlas.measurements import Column, Measurements
from metricatlas.relations import Relations

METHODS = ("pearson", "spearman", "kendall")
SCIPY = {"pearson": pearsonr, "spearman": spearmanr, "kendall": kendalltau}
# As far as sums of some dozen rounded products may differ.
CLOSE = 1e-13


def plain(columns, better="higher", **keys):
    """A table of columns by name, all with the same direction."""
    schema = tuple(Column(name, name, better) for name in columns)
    return Measurements(np.column_stack(list(columns.values())).astype(float), schema, keys)


def tied(rows=30, columns=4, seed=0, levels=6):
    rng = np.random.default_rng(seed)
    common = rng.integers(0, levels, rows)
    values = {f"m{i}": common + rng.integers(0, levels, rows) for i in range(columns)}
    return plain(values)


def grouped(seed=0, groups=4, columns=4, missing=0.0):
    rng = np.random.default_rng(seed)
    rows = 15 * groups
    names = rng.permutation(np.repeat([f"set {i}" for i in range(groups)], 15)).tolist()
    values = rng.integers(0, 7, (rows, columns)) + rng.integers(0, 7, (rows, 1)).astype(float)
    values[rng.random(values.shape) < missing] = nan
    return plain({f"m{i}": values[:, i] for i in range(columns)}, dataset=names)


def scipys(one, other, method):
    """The correlation of rows where both are defined; NaN where there is none."""
    kept = ~(np.isnan(one) | np.isnan(other))
    one, other = one[kept], other[kept]
    if len(one) < 3 or len(set(one)) == 1 or len(set(other)) == 1:
        return nan
    return SCIPY[method](one, other).statistic


def problems(relations):
    lines = relations.problems.itertuples(index=False, name=None)
    # What is said of all groups has none; pandas writes that as NaN beside text.
    return [(None if isinstance(group, float) else group, *rest) for group, *rest in lines]


# -- One group -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("levels", [2, 6, 1000])
@pytest.mark.parametrize("rows", [3, 4, 30, 700])
def test_correlations_are_scipys_with_ties_and_without(method, levels, rows):
    table = tied(rows=rows, seed=rows, levels=levels)
    found = ma.relate(table, method=method).correlation.to_numpy()
    for i, j in combinations(range(4), 2):
        expected = scipys(table.values[:, i], table.values[:, j], method)
        assert found[i, j] == pytest.approx(expected, abs=CLOSE, nan_ok=True), (i, j)
        assert np.array_equal(found[i, j], found[j, i], equal_nan=True)
    varies = [len(set(column)) > 1 for column in table.values.T.tolist()]
    assert np.diagonal(found)[varies].tolist() == [1.0] * sum(varies)


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_infinite_values_are_ranked_beyond_all_others(method):
    one = np.array([1, 2, inf, 3, -inf, inf])
    other = np.array([4, 1, 5, 9, 2, 6.0])
    found = ma.relate(plain({"a": one, "b": other}), method=method)
    ranked = np.array([2, 3, 5, 4, 1, 5])
    assert found.matrix[0, 1] == pytest.approx(scipys(ranked, other, method), abs=CLOSE)
    assert problems(found) == [("all", "a", "infinite values", 3, "ranked beyond all others")]


def test_pearson_has_no_correlation_of_infinite_values():
    rows = {"a": [1, 2, inf, 3], "b": [4, 1, 5, 9], "c": [1, 2, 3, 5]}
    found = ma.relate(plain(rows), method="pearson")
    assert np.isnan(found.matrix[0, 1:]).all()
    assert found.matrix[1, 2] == pytest.approx(pearsonr(rows["b"], rows["c"]).statistic, abs=CLOSE)
    words = "its correlations are undefined in this group"
    assert problems(found) == [("all", "a", "infinite values", 1, words)]


def test_a_column_without_correlations_has_none_with_itself():
    columns = {"a": [1, 2, inf, 3], "b": [4, 1, 5, 9], "c": [2, 2, 2, 2], "d": [nan] * 4}
    found = ma.relate(plain(columns), method="pearson")
    assert np.isnan(found.matrix[2:]).all()
    assert np.isnan(found.matrix[0]).all()
    assert np.diagonal(found.counts.to_numpy()).tolist() == [0, 1, 0, 0]


def test_pearson_has_room_for_the_largest_and_smallest_floats():
    one, other = np.array([1.0, 4, 2, 8]), np.array([3.0, 5, 1, 2])
    expected = pearsonr(one, other).statistic
    for size in (1e-300, 1e300):
        found = ma.relate(plain({"a": one * size, "b": other}), method="pearson").matrix
        assert found[0, 1] == pytest.approx(expected, abs=CLOSE)


def test_constant_columns_are_undefined_and_listed():
    # The mean of ten times 0.1 is not 0.1.
    columns = {"a": np.full(10, 0.1), "b": np.arange(10.0), "c": np.arange(10.0) ** 2}
    words = "its correlations are undefined in this group"
    for method in METHODS:
        found = ma.relate(plain(columns), method=method)
        assert np.isnan(found.matrix[0]).all()
        assert np.isnan(found.matrix[:, 0]).all()
        assert found.matrix[1, 2] > 0.9
        assert problems(found) == [("all", "a", "constant", 10, words)]


def test_fewer_than_three_rows_say_nothing():
    found = ma.relate(plain({"a": [1, 2], "b": [2, 1]}))
    assert np.isnan(found.matrix).all()
    ((group, measure, problem, rows, treatment),) = problems(found)
    assert (group, measure, problem, rows) == ("all", "all", "too few rows", 2)
    assert treatment.startswith("fewer than 3 say nothing")
    assert len(found.most_correlated()) == 0
    assert not np.isnan(ma.relate(plain({"a": [1, 2, 3], "b": [2, 1, 3]})).matrix).any()


# -- Groups ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_correlations_are_averaged_over_groups(method):
    table = grouped()
    found = ma.relate(table, method=method)
    names = np.array(table.row_keys["dataset"])
    assert found.groups == tuple(dict.fromkeys(names))
    assert (found.counts.to_numpy() == 4).all()
    for i, j in combinations(range(4), 2):
        each = [
            scipys(table.values[names == name, i], table.values[names == name, j], method)
            for name in found.groups
        ]
        assert found.matrix[i, j] == pytest.approx(np.mean(each), abs=CLOSE)
        assert found.spread.iloc[i, j] == pytest.approx(np.std(each, ddof=1), abs=CLOSE)
        own = [found.of_group(name).iloc[i, j] for name in found.groups]
        assert own == pytest.approx(each, abs=CLOSE)


@pytest.mark.parametrize("method", METHODS)
def test_pooled_correlations_are_of_all_rows(method):
    table = grouped()
    found = ma.relate(table, method=method, within=None)
    for i, j in combinations(range(4), 2):
        expected = scipys(table.values[:, i], table.values[:, j], method)
        assert found.matrix[i, j] == pytest.approx(expected, abs=CLOSE)
    assert (found.counts.to_numpy() == 1).all()
    assert np.isnan(found.spread.to_numpy()).all()
    assert found.notes == ()


def test_several_keys_make_groups_together():
    table = grouped(groups=2)
    folds = [i % 2 for i in range(len(table))]
    table = table.__replace__(row_keys={**table.row_keys, "fold": folds})
    found = ma.relate(table, within=["dataset", "fold"])
    assert set(found.groups) == {(f"set {i}", fold) for i in (0, 1) for fold in (0, 1)}
    one = ma.relate(table.where(dataset="set 1", fold=0), within=None)
    assert np.array_equal(found.of_group(("set 1", 0)), one.correlation)
    assert found.within == ["dataset", "fold"]


def test_a_group_where_a_measure_is_constant_does_not_count_for_it():
    table = grouped(groups=3)
    values = np.array(table.values)
    names = np.array(table.row_keys["dataset"])
    values[names == "set 1", 2] = 5
    found = ma.relate(table.__replace__(values=values))
    counts = found.counts
    assert counts["m2"].tolist() == [2, 2, 2, 2]
    assert counts.loc["m0", "m1"] == 3
    each = [scipys(values[names == n, 0], values[names == n, 2], "spearman") for n in found.groups]
    assert sum(map(isnan, each)) == 1
    assert found.matrix[0, 2] == pytest.approx(mean_of_defined(each), abs=CLOSE)
    known = [x for x in each if not isnan(x)]
    assert found.spread.iloc[0, 2] == pytest.approx(np.std(known, ddof=1), abs=CLOSE)
    assert [line[:3] for line in problems(found)] == [("set 1", "m2", "constant")]


def test_a_group_with_too_few_rows_is_listed_and_does_not_count():
    table = plain({"a": [1, 2, 3, 4, 1, 2], "b": [2, 1, 4, 3, 1, 2]}, dataset=["x"] * 4 + ["y"] * 2)
    found = ma.relate(table)
    assert (found.counts.to_numpy() == 1).all()
    assert found.matrix[0, 1] == found.of_group("x").iloc[0, 1] == pytest.approx(0.6, abs=CLOSE)
    assert np.isnan(found.of_group("y")).all(axis=None)
    assert [line[:4] for line in problems(found)] == [("y", "all", "too few rows", 2)]


def test_without_a_key_for_data_sets_all_rows_are_one_group_and_a_note_says_so():
    table = grouped().__replace__(row_keys={"learner": ["a", "b"] * 30})
    found = ma.relate(table)
    assert found.groups == ("all",)
    assert found.within is None
    assert found.notes == ("there is no key 'dataset', so all rows are one group",)
    assert np.array_equal(found.matrix, ma.relate(table, within=None).matrix)
    with pytest.raises(ma.MetricAtlasError, match="no key 'fold'"):
        ma.relate(table, within="fold")


# -- Undefined values ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("seed", range(6))
def test_of_undefined_values_the_rows_count_where_both_are_there_as_in_pandas(method, seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, (14, 6)).astype(float) + rng.integers(0, 6, (14, 1))
    values[rng.random(values.shape) < [0, 0, 0.2, 0.4, 0.6, 0.8]] = nan
    names = [f"m{i}" for i in range(6)]
    expected = pd.DataFrame(values, columns=names).corr(method, min_periods=3).to_numpy()
    found = ma.relate(plain(dict(zip(names, values.T, strict=True))), method=method)
    beside = ~np.eye(6, dtype=bool)
    assert found.matrix[beside] == pytest.approx(expected[beside], abs=CLOSE, nan_ok=True)
    assert np.array_equal(found.matrix, found.matrix.T, equal_nan=True)


def test_undefined_values_are_counted_and_their_treatment_is_told():
    columns = {"a": [1, 2, 3, 4, 5.0], "b": [nan, 1, 3, 2, nan], "c": [nan] * 5}
    found = ma.relate(plain(columns))
    assert found.matrix[0, 1] == pytest.approx(0.5, abs=CLOSE)
    assert np.isnan(found.matrix[2]).all()
    assert problems(found) == [
        ("all", "b", "undefined values", 2, "the rows where both measures are defined count"),
        ("all", "c", "undefined values", 5, "its correlations are undefined in this group"),
    ]


def test_rows_with_anything_undefined_can_be_left_out():
    table = grouped(missing=0.05, seed=3)
    whole = ~np.isnan(table.values).any(axis=1)
    assert 30 < whole.sum() < 60
    found = ma.relate(table, missing="rows")
    kept = table.__replace__(
        values=table.values[whole],
        row_keys={"dataset": np.array(table.row_keys["dataset"])[whole].tolist()},
    )
    expected = ma.relate(kept)
    for name in found.groups:
        assert np.array_equal(found.of_group(name), expected.of_group(name)), name
    assert {line[4] for line in problems(found)} == {"the rows are left out"}


def test_rows_that_are_left_out_may_leave_too_few():
    columns = {"a": [1, 2, 3, nan], "b": [1, nan, 2, 4]}
    found = ma.relate(plain(columns), missing="rows")
    assert np.isnan(found.matrix).all()
    assert [line[1:4] for line in problems(found)] == [("all", "too few rows", 2)]


def undefined_without_a_word(relations):
    """Measures with an undefined correlation of which no problem says that it is undefined."""
    told = {
        line.measure
        for line in relations.problems.itertuples()
        if "undefined in this group" in line.treatment or "correlations are undef" in line.treatment
    }
    cells = np.argwhere(np.isnan(relations.matrix))
    names = relations.names
    return [(names[i], names[j]) for i, j in cells if not {names[i], names[j], "all"} & told]


def test_a_column_that_is_constant_where_rows_are_left_is_listed():
    # Only the row that is left out makes "a" vary.
    columns = {"a": [1, 1, 1, 2], "b": [1, 2, 3, nan], "c": [3, 1, 2, 7]}
    found = ma.relate(plain(columns), missing="rows")
    assert np.isnan(found.matrix[0]).all()
    assert undefined_without_a_word(found) == []


def test_a_column_with_fewer_than_three_values_is_listed_as_undefined():
    found = ma.relate(plain({"a": [1, 2, 3, 4], "b": [1, 2, nan, nan]}))
    assert np.isnan(found.matrix[0, 1])
    assert undefined_without_a_word(found) == []


def test_a_pair_that_is_constant_where_both_are_defined_is_listed():
    columns = {"a": [1, 1, 1, 2, 3], "b": [1, 2, 3, nan, nan], "c": [3, 1, 2, 7, 5]}
    found = ma.relate(plain(columns))
    assert np.isnan(found.matrix[0, 1])
    assert undefined_without_a_word(found) == []


# -- Directions ------------------------------------------------------------------------------------


def directed():
    columns = (
        Column("auc", "auc"),
        Column("brier", "brier", "lower"),
        Column("shift", "shift", "zero"),
        Column("slope", "slope", "one"),
        Column("prevalence", "prevalence", "neither"),
    )
    rng = np.random.default_rng(0)
    return Measurements(rng.integers(-8, 9, (25, 5)) / 8, columns, {})


@pytest.mark.parametrize("method", METHODS)
def test_measures_are_turned_so_that_higher_is_better(method):
    table = directed()
    v = table.values
    turned = [v[:, 0], -v[:, 1], -abs(v[:, 2]), -abs(v[:, 3] - 1), v[:, 4]]
    found, as_measured = (ma.relate(table, method=method, oriented=o) for o in (True, False))
    for i, j in combinations(range(5), 2):
        expected = scipys(turned[i], turned[j], method)
        assert found.matrix[i, j] == pytest.approx(expected, abs=CLOSE)
        expected = scipys(v[:, i], v[:, j], method)
        assert as_measured.matrix[i, j] == pytest.approx(expected, abs=CLOSE)
    assert found.turned.tolist() == [False, True, False, False, False]
    assert not as_measured.turned.any()


def test_measures_without_a_better_side_are_taken_as_measured_and_listed():
    found = ma.relate(directed())
    line = (None, "prevalence", "no value is better than another", 25, "taken as measured")
    assert problems(found) == [line]
    assert problems(ma.relate(directed(), oriented=False)) == []


# -- Two levels ------------------------------------------------------------------------------------


def two_levels(groups=2, seed=0, undefined=True):
    rng = np.random.default_rng(seed)
    rows = 24
    # Small steps of the first level, which the number turns round, and ties.
    levels = np.column_stack([rng.integers(0, 5, rows) / 1000, rng.integers(0, 4, rows) / 4])
    if undefined:
        levels[[2, 7], [0, 1]] = nan
    values = np.column_stack([levels @ [1, 0.01], rng.integers(0, 9, rows)])
    schema = (Column("auc:acc", "auc:acc"), Column("ap", "ap"))
    keys = {"dataset": [f"set {i % groups}" for i in range(rows)]}
    return Measurements(values, schema, keys, levels={0: levels})


@pytest.mark.parametrize("method", ["spearman", "kendall"])
def test_ranks_of_two_level_measures_are_those_of_the_pairs(method):
    table = two_levels()
    found = ma.relate(table, method=method)
    groups = np.array(table.row_keys["dataset"])
    each = []
    for name in found.groups:
        pairs = [tuple(pair) for pair in table.levels(0)[groups == name].tolist()]
        known = [pair for pair in pairs if not any(map(isnan, pair))]
        order = {pair: i for i, pair in enumerate(sorted(set(known)))}
        ranked = np.array([order.get(pair, nan) for pair in pairs])
        each.append(scipys(ranked, table.values[groups == name, 1], method))
    assert found.matrix[0, 1] == pytest.approx(np.mean(each), abs=CLOSE)
    numbers = ma.relate(table.__replace__(levels={}), method=method)
    assert abs(numbers.matrix[0, 1] - found.matrix[0, 1]) > 1e-5
    assert not any(line[2] == "two-level measure" for line in problems(found))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("within", ["dataset", None])
def test_pearson_takes_pairs_as_one_number_and_says_how_many_it_turns_round(seed, within):
    table = two_levels(seed=seed)
    found = ma.relate(table, method="pearson", within=within)
    number = table.levels(0) @ [1, 0.01]
    groups = np.array(table.row_keys["dataset"]) if within else np.zeros(24)
    each = [
        scipys(number[groups == name], table.values[groups == name, 1], "pearson")
        for name in dict.fromkeys(groups)
    ]
    assert found.matrix[0, 1] == pytest.approx(np.mean(each), abs=CLOSE)
    kept = np.flatnonzero(~np.isnan(number))
    pairs = [tuple(pair) for pair in table.levels(0)[kept].tolist()]
    counted = pairs_by_definition(
        pairs, table.values[kept, 0].tolist(), within=groups[kept].tolist()
    )
    (line,) = (line for line in problems(found) if line[2] == "two-level measure")
    share = counted[1] / sum(counted)
    assert share > 0.05
    told = f"taken as f + 0.01 g, which orders {share:.2%} of the pairs the other way round"
    assert line == (None, "auc:acc", "two-level measure", 24, told)


def test_two_level_measures_of_evaluated_predictions_are_pairs():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 9)
    models = {f"m{i}": rng.integers(0, 6, 9) / 5 for i in range(30)}
    table = ma.evaluate(y, models, measures=["auc", "acc", "auc:acc"])
    pairs = list(zip(table["auc"].tolist(), table["acc"].tolist(), strict=True))
    place = {pair: i for i, pair in enumerate(sorted(set(pairs)))}
    ranked = np.array([place[pair] for pair in pairs])
    found = ma.relate(table)
    for i, name in enumerate(("auc", "acc")):
        expected = spearmanr(ranked, table[name]).statistic
        assert found.matrix[i, 2] == pytest.approx(expected, abs=CLOSE)


# -- What does not matter --------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_order_of_columns_and_of_rows_does_not_matter(method, missing):
    table = grouped(missing=missing, columns=6)
    found = ma.relate(table, method=method).correlation
    rng = np.random.default_rng(1)
    columns = rng.permutation(list(table.columns)).tolist()
    other = ma.relate(table.select(columns), method=method).correlation
    rows = rng.permutation(len(table))
    keys = {"dataset": [table.row_keys["dataset"][i] for i in rows]}
    mixed = table.__replace__(values=table.values[rows], row_keys=keys)
    again = ma.relate(mixed, method=method).correlation
    # The mean over groups is summed in the order in which they come.
    limit = CLOSE if method == "pearson" else 1e-15
    assert np.allclose(other.loc[found.index, found.columns], found, rtol=0, atol=limit)
    assert np.allclose(again, found, rtol=0, atol=limit)
    if method != "pearson":
        assert other.loc[found.index, found.columns].equals(found)
        pooled = [ma.relate(t, method=method, within=None).correlation for t in (table, mixed)]
        assert pooled[0].equals(pooled[1])


@pytest.mark.parametrize("method", ["spearman", "kendall"])
@given(seed=st.integers(0, 10**6), rows=st.integers(3, 40))
def test_a_monotone_copy_changes_no_rank_relation_and_goes_with_it_perfectly(method, seed, rows):
    table = tied(rows=rows, seed=seed)
    copy = np.exp(table.values[:, 1] / 3) - 7
    values = np.column_stack([table.values, copy, -copy])
    schema = (*table.schema, Column("copy", "copy"), Column("turned", "turned"))
    before = ma.relate(table, method=method)
    after = ma.relate(table.__replace__(values=values, schema=schema), method=method)
    assert np.array_equal(after.matrix[:4, :4], before.matrix, equal_nan=True)
    assert np.array_equal(after.matrix[:4, 4], after.matrix[:4, 1], equal_nan=True)
    if len(set(copy)) > 1:
        assert after.matrix[1, 4] == 1
        assert after.matrix[1, 5] == -1
        assert np.array_equal(after.matrix[:4, 5], -after.matrix[:4, 1], equal_nan=True)


@pytest.mark.parametrize("method", METHODS)
def test_no_correlation_is_beyond_one(method):
    rng = np.random.default_rng(0)
    for rows in range(3, 40):
        one = rng.random(rows)
        found = ma.relate(plain({"a": one, "b": one, "c": -one}), method=method).matrix
        assert np.abs(found).max() <= 1, rows
        assert found[0, 1] == 1
        assert found[0, 2] == -1


def test_repeated_names_are_numbered():
    table = plain({"auc": [1, 2, 3, 4]})
    table = table.select(["auc", "auc"])
    found = ma.relate(table)
    assert found.names == ("auc", "auc (2)")
    assert found.matrix.tolist() == [[1, 1], [1, 1]]
    assert list(found.correlation.columns) == ["auc", "auc (2)"]


# -- Reading ---------------------------------------------------------------------------------------


def test_the_most_correlated_come_first_whatever_their_sign():
    matrix = [
        [1, 0.5, -0.9, 0.1],
        [0.5, 1, nan, -0.5],
        [-0.9, nan, 1, 0.2],
        [0.1, -0.5, 0.2, 1],
    ]
    found = Relations.from_matrix(matrix, list("abcd")).most_correlated()
    expected = [
        ("a", "c", -0.9),
        ("a", "b", 0.5),
        ("b", "d", -0.5),
        ("c", "d", 0.2),
        ("a", "d", 0.1),
    ]
    assert list(found.itertuples(index=False, name=None)) == expected
    few = Relations.from_matrix(matrix, list("abcd")).most_correlated(2)
    assert list(few.itertuples(index=False, name=None)) == expected[:2]


def test_relations_can_be_of_some_measures():
    table = grouped(columns=5)
    found = ma.relate(table, method="kendall")
    few = found.select(["m3", "m0"])
    assert few.names == ("m3", "m0")
    assert few.correlation.equals(found.correlation.loc[["m3", "m0"], ["m3", "m0"]])
    assert few.spread.equals(found.spread.loc[["m3", "m0"], ["m3", "m0"]])
    assert few.counts.equals(found.counts.loc[["m3", "m0"], ["m3", "m0"]])
    assert few.of_group("set 1").equals(found.of_group("set 1").loc[["m3", "m0"], ["m3", "m0"]])
    assert few.interval("m0", "m3", resamples=20) == found.interval("m0", "m3", resamples=20)
    with pytest.raises(RelationError, match="there is no measure 'm9' among these"):
        found.select(["m9"])
    with pytest.raises(RelationError, match=r"no group 'set 9'; there are '"):
        found.of_group("set 9")


def test_measures_are_found_by_what_their_names_stand_for():
    frame = pd.DataFrame({"accuracy": [1, 2, 3.0], "auc": [2, 1, 3.0]})
    found = ma.relate(Measurements.from_frame(frame))
    assert found.select(["acc"]).names == ("accuracy",)


def test_of_repeated_columns_the_one_that_is_asked_for_is_taken():
    schema = (Column("auc", "auc"), Column("auc", "auc"), Column("ap", "ap"))
    rng = np.random.default_rng(0)
    table = Measurements(rng.random((20, 3)), schema, {})
    few = ma.relate(table).select(["auc (2)", "ap"])
    assert few.names == ("auc (2)", "ap")
    pooled = few.views({}, overall=["pearson"])["all, pearson"]
    expected = scipys(table.values[:, 1], table.values[:, 2], "pearson")
    assert pooled.matrix[0, 1] == pytest.approx(expected, abs=CLOSE)
    assert pooled.names == few.names


def test_what_is_undefined_is_set_aside_for_what_needs_all():
    columns = {"a": [1, 2, 3, 4], "b": [5, 5, 5, 5], "c": [2, 1, 3, 4], "d": [nan] * 4}
    found = ma.relate(plain(columns)).complete
    assert found.names == ("a", "c")
    assert "without b, d, whose correlations are undefined" in found.notes
    assert not np.isnan(found.matrix).any()
    whole = ma.relate(plain({"a": [1, 2, 3], "c": [2, 1, 3]}))
    assert whole.complete is whole
    with pytest.raises(RelationError, match="no correlation is defined"):
        _ = ma.relate(plain({"b": [5, 5, 5], "d": [nan] * 3})).complete


def test_as_few_measures_as_need_be_are_set_aside():
    # Only "c" stands in the way of a complete table, though "a" and "b" lack a cell each.
    matrix = [[1, 0.5, nan], [0.5, 1, nan], [nan, nan, 1]]
    assert Relations.from_matrix(matrix, list("abc")).complete.names == ("a", "b")


# -- Given matrices --------------------------------------------------------------------------------

GIVEN = [[1, 0.5, 0.2], [0.5, 1, 0.1], [0.2, 0.1, 1]]


def test_a_given_matrix_is_taken_as_it_comes():
    given_cells = np.array(GIVEN)
    found = Relations.from_matrix(given_cells, ["a", "b", "c"])
    assert found.method == "given"
    assert np.array_equal(found.correlation.to_numpy(), GIVEN)
    assert np.array_equal(given_cells, GIVEN)
    frame = pd.DataFrame(GIVEN, index=["a", "b", "c"], columns=["a", "b", "c"])
    assert Relations.from_matrix(frame).correlation.equals(found.correlation)
    assert Relations.from_matrix(frame, ["x", "y", "z"]).names == ("x", "y", "z")
    assert Relations.from_matrix(frame.reset_index(drop=True)).names == ("a", "b", "c")
    assert Relations.from_matrix(GIVEN).names == ("x1", "x2", "x3")
    assert found.groups == ()
    assert len(found.problems) == 0
    assert found.most_correlated(1).iloc[0].tolist() == ["a", "b", 0.5]


def test_some_measures_of_a_given_matrix_can_be_chosen():
    found = Relations.from_matrix(GIVEN, list("abc"))
    assert found.select(["c", "a"]).correlation.to_numpy().tolist() == [[1, 0.2], [0.2, 1]]


def test_behind_a_given_matrix_there_are_no_groups():
    found = Relations.from_matrix(GIVEN, list("abc"))
    assert found.counts.to_numpy().tolist() == [[0] * 3] * 3
    assert np.isnan(found.spread.to_numpy()).all()


def test_a_given_matrix_has_no_resamples_and_no_views():
    found = Relations.from_matrix(GIVEN, list("abc"))
    with pytest.raises(RelationError, match="an interval needs measurements; these relations are"):
        found.interval("a", "b")
    with pytest.raises(RelationError, match="views need measurements with groups"):
        found.views({})
    with pytest.raises(RelationError, match="candidates are computed from measurements"):
        found.centrality(["sar"])
    central = found.centrality()
    assert central["mean"].to_dict() == pytest.approx({"a": 0.35, "b": 0.3, "c": 0.15}, abs=CLOSE)
    assert central.index.tolist() == ["a", "b", "c"]
    assert central[["low", "high"]].isna().all(axis=None)
    with pytest.raises(RelationError, match="there is no measure 'd' among these"):
        found.select(["d"])


@pytest.mark.parametrize(
    ("matrix", "names", "words"),
    [
        ([[1, 0.5]], None, r"must be square; got the shape \(1, 2\)"),
        ([1, 2], None, r"must be square; got the shape \(2,\)"),
        (np.empty((0, 0)), None, r"must be square; got the shape \(0, 0\)"),
        ([["a", "b"], ["c", "d"]], None, "must hold numbers"),
        ([[1, 0.5], [0.5]], None, "must hold numbers"),
        (GIVEN, ["a", "b"], "names must be one for each of the 3 measures, all different; got"),
        (GIVEN, ["a", "b", "b"], "all different"),
        ([[1, 1.5], [1.5, 1]], list("ab"), r"must lie in \[-1, 1\]; got 1.5 of a and b, 1.5 the"),
        ([[1, inf], [inf, 1]], list("ab"), r"must lie in \[-1, 1\]; got inf of a and b"),
        ([[1, 0.5], [0.4, 1]], list("ab"), "the same on both sides of the diagonal; got 0.5 of a"),
        ([[1, nan], [0.4, 1]], list("ab"), "the same on both sides of the diagonal; got nan of a"),
        ([[1, 0.5], [0.5, 0.9]], list("ab"), "be 1 on the diagonal; got 0.9 of b and b"),
    ],
)
def test_what_is_no_matrix_of_correlations_is_refused_in_words(matrix, names, words):
    with pytest.raises(RelationError, match=words):
        Relations.from_matrix(matrix, names)


def test_a_frame_must_have_the_same_names_both_ways():
    frame = pd.DataFrame(GIVEN, index=list("abd"), columns=list("abc"))
    with pytest.raises(RelationError, match="the same names as rows and as columns"):
        Relations.from_matrix(frame)


def test_what_cannot_be_related_is_refused_in_words():
    with pytest.raises(RelationError, match="method must be one of pearson, spearman, kendall; go"):
        ma.relate(tied(), method="tau")
    with pytest.raises(RelationError, match="missing must be 'pairwise' or 'rows'; got 'drop'"):
        ma.relate(tied(), missing="drop")
    with pytest.raises(RelationError, match=r"Measurements; got DataFrame\. `Measurements.from_fr"):
        ma.relate(pd.DataFrame())
    with pytest.raises(RelationError, match="must be rows and columns to relate; got 3 x 0"):
        ma.relate(Measurements(np.empty((3, 0)), (), {}))


# -- Resamples -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_an_interval_is_the_same_each_time_and_holds_the_correlation(method):
    found = ma.relate(grouped(groups=8, seed=2), method=method)
    for over in (None, "groups", "rows"):
        interval = found.interval("m0", "m1", resamples=60, over=over)
        assert interval == found.interval("m0", "m1", resamples=60, over=over)
        assert interval.value == found.matrix[0, 1]
        assert interval.low < interval.value < interval.high
        assert interval != found.interval("m0", "m1", resamples=60, over=over, seed=1)
        narrow = found.interval("m0", "m1", resamples=60, over=over, level=0.5)
        assert interval.low < narrow.low < narrow.high < interval.high
    assert found.interval("m0", "m1") == found.interval("m0", "m1", over="groups")
    assert found.interval("m0", "m0", resamples=10) == (1, 1, 1)


def test_of_two_groups_there_are_three_resamples_and_their_ends_are_known():
    # Both, or one of them twice: the mean, or either end, with the chances 1/2, 1/4 and 1/4.
    found = ma.relate(grouped(groups=2))
    ends = sorted(found.of_group(name).iloc[0, 1] for name in found.groups)
    wide = found.interval("m0", "m1", resamples=500)
    assert wide == pytest.approx((np.mean(ends), *ends), abs=CLOSE)
    narrow = found.interval("m0", "m1", resamples=500, level=0.3)
    assert narrow == pytest.approx([np.mean(ends)] * 3, abs=CLOSE)


def test_a_group_without_a_correlation_is_not_resampled_as_zero():
    table = grouped(groups=3)
    values = np.array(table.values)
    names = np.array(table.row_keys["dataset"])
    values[names == "set 1", 0] = 5
    found = ma.relate(table.__replace__(values=values))
    known = sorted(found.of_group(name).iloc[0, 1] for name in found.groups if name != "set 1")
    interval = found.interval("m0", "m1", resamples=400)
    assert interval == pytest.approx((np.mean(known), *known), abs=CLOSE)


def test_of_one_group_the_rows_are_resampled():
    table = tied(rows=40)
    found = ma.relate(table)
    interval = found.interval("m0", "m1", resamples=400)
    assert interval == found.interval("m0", "m1", resamples=400, over="rows")
    alone = found.interval("m0", "m1", resamples=5, over="groups")
    # One group, drawn again and again, shows no spread.
    assert alone.value == interval.value
    assert np.isnan([alone.low, alone.high]).all()
    rng = np.random.default_rng(99)
    drawn = []
    for _ in range(800):
        rows = rng.integers(0, 40, 40)
        drawn.append(spearmanr(table.values[rows, 0], table.values[rows, 1]).statistic)
    # Two sets of resamples differ by some hundredths.
    assert interval[1:] == pytest.approx(np.quantile(drawn, [0.025, 0.975]), abs=0.04)


def test_rows_are_resampled_within_each_group():
    # In both groups all rows are in one order, whichever are drawn; pooled they are not.
    table = plain(
        {"a": [1, 2, 3, 4, 11, 12, 13, 14], "b": [11, 12, 13, 14, 1, 2, 3, 4]},
        dataset=["x"] * 4 + ["y"] * 4,
    )
    for method in METHODS:
        found = ma.relate(table, method=method).interval("a", "b", resamples=50, over="rows")
        assert found == pytest.approx((1, 1, 1), abs=CLOSE), method


def test_resampled_rows_are_averaged_over_groups():
    # One group goes the one way and the other the other, whichever of their rows are drawn.
    rising = np.arange(12.0)
    columns = {"a": np.tile(rising, 2), "b": np.concatenate([rising, -rising])}
    table = plain(columns, dataset=["x"] * 12 + ["y"] * 12)
    for method in METHODS:
        found = ma.relate(table, method=method).interval("a", "b", resamples=50, over="rows")
        assert found == pytest.approx((0, 0, 0), abs=CLOSE), method


def test_an_interval_of_what_is_undefined_is_undefined():
    found = ma.relate(plain({"a": [1, 1, 1], "b": [1, 2, 3]}))
    assert all(map(isnan, found.interval("a", "b", resamples=5)))
    empty = ma.relate(plain({"a": [nan] * 4, "b": [1, 2, 3, 4]}), missing="rows")
    assert all(map(isnan, empty.interval("a", "b", resamples=5)))


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"over": "folds"}, "over must be 'groups' or 'rows', or None"),
        ({"resamples": 0}, "resamples must be a whole number from 1 on"),
        ({"level": 0}, "level between 0 and 1; got 1000 and 0"),
        ({"level": 1}, "level between 0 and 1; got 1000 and 1"),
        ({"level": nan}, "level between 0 and 1"),
    ],
)
def test_resamples_that_make_no_sense_are_refused_in_words(more, words):
    with pytest.raises(RelationError, match=words):
        ma.relate(tied()).interval("m0", "m1", **more)


# -- Centrality ------------------------------------------------------------------------------------


def test_the_most_central_measure_goes_best_with_all_others():
    found = ma.relate(grouped(groups=5, columns=5))
    central = found.centrality(resamples=50)
    for i, name in enumerate(found.names):
        others = [x for j, x in enumerate(found.matrix[i].tolist()) if j != i]
        assert central.loc[name, "mean"] == pytest.approx(np.mean(others), abs=CLOSE)
        assert central.loc[name, "low"] < central.loc[name, "mean"] < central.loc[name, "high"]
        assert central.loc[name, "others"] == 4
    assert central["mean"].is_monotonic_decreasing
    assert central.index.name == "measure"
    assert central.equals(found.centrality(resamples=50))
    assert not central.equals(found.centrality(resamples=50, seed=1))


def test_centrality_says_with_how_many_others_a_measure_was_compared():
    columns = {"a": [1, 2, 3, 4], "b": [5, 5, 5, 5], "c": [2, 1, 3, 4], "d": [4, 3, 2, 1]}
    central = ma.relate(plain(columns)).centrality(resamples=5)
    assert central["others"].to_dict() == {"a": 2, "c": 2, "d": 2, "b": 0}
    assert isnan(central.loc["b", "mean"])
    assert central.index[-1] == "b"
    expected = (scipys(*_arrays(columns, "ac"), "spearman") - 1) / 2
    assert central.loc["a", "mean"] == pytest.approx(expected, abs=CLOSE)


def _arrays(columns, names):
    return [np.array(columns[name], float) for name in names]


def test_the_interval_of_centrality_is_over_groups():
    found = ma.relate(grouped(groups=2, columns=2))
    ends = sorted(found.of_group(name).iloc[0, 1] for name in found.groups)
    central = found.centrality(resamples=500)
    assert central.loc["m0"].tolist() == pytest.approx([np.mean(ends), *ends, 1], abs=CLOSE)


@pytest.mark.parametrize("method", METHODS)
def test_candidates_are_compared_with_the_measures_that_are_there(method):
    rng = np.random.default_rng(0)
    rows = 40
    skill = rng.random(rows)
    frame = pd.DataFrame(
        {
            "acc": np.round(skill + rng.random(rows), 1) / 2,
            "auc": np.round(skill + rng.random(rows), 1) / 2,
            "rms": np.round(2 - skill - rng.random(rows), 2) / 2,
            "dataset": ["x"] * 20 + ["y"] * 20,
        }
    )
    measures = frame[["acc", "auc", "rms"]].to_numpy()
    acc, auc, rms = measures.T
    pairs = list(zip(auc.tolist(), acc.tolist(), strict=True))
    place = {pair: float(i) for i, pair in enumerate(sorted(set(pairs)))}
    two_level = auc + 0.01 * acc if method == "pearson" else np.array([place[p] for p in pairs])
    candidates = {
        "mean[acc,auc,rms]": (acc + auc + (1 - rms)) / 3,
        "mean[acc=2,rms=1]": (2 * acc + (1 - rms)) / 3,
        "sar": (acc + auc + 1 - rms) / 3,
        "auc:acc": two_level,
    }
    found = ma.relate(Measurements.from_frame(frame, keys=["dataset"]), method=method)
    central = found.centrality(list(candidates), resamples=20)
    halves = [slice(0, 20), slice(20, 40)]
    for name, values in candidates.items():
        each = [
            np.mean([scipys(values[half], column[half], method) for half in halves])
            for column in (acc, auc, -rms)
        ]
        assert central.loc[name, "mean"] == pytest.approx(np.mean(each), abs=CLOSE), name
        assert central.loc[name, "others"] == 3
    # A candidate is no measure for the others.
    alone = found.centrality(resamples=20)
    assert central.loc[["acc", "auc", "rms"], "mean"].equals(
        alone.loc[["acc", "auc", "rms"], "mean"]
    )
    assert (central.loc[["acc", "auc", "rms"], "others"] == 2).all()


def test_a_candidate_must_be_made_of_measures_that_are_there():
    frame = pd.DataFrame({"acc": [1, 2, 3.0], "auc": [2, 1, 3.0]})
    found = ma.relate(Measurements.from_frame(frame))
    with pytest.raises(RelationError, match=r"a candidate must be a composite .* got mcc"):
        found.centrality(["mcc"])
    with pytest.raises(RelationError, match="is made of rms, which the table does not have"):
        found.centrality(["sar"])


# -- Views -----------------------------------------------------------------------------------------


def eight_groups(missing=0.0):
    table = grouped(groups=8, seed=4, missing=missing)
    brier = tuple(
        Column("brier", "brier", "lower") if i == 1 else column
        for i, column in enumerate(table.schema)
    )
    numbers = [int(name[4:]) for name in table.row_keys["dataset"]]
    keys = {
        **table.row_keys,
        "classes": ["two" if i < 3 else "more" for i in numbers],
        "balance": ["balanced" if i % 2 else "imbalanced" for i in numbers],
        "size": ["small" if i in (1, 2, 7) else "large" for i in numbers],
    }
    return table.__replace__(row_keys=keys, schema=brier)


ATTRIBUTES = ("classes", "balance", "size")


def test_eight_views_come_of_one_call():
    table = eight_groups()
    found = ma.relate(table).views(ATTRIBUTES)
    assert len(found) == 8
    for method in ("pearson", "spearman"):
        expected = ma.relate(table, method=method).matrix
        assert np.array_equal(found[f"all, {method}"].matrix, expected)
    for attribute in ATTRIBUTES:
        for value in set(table.row_keys[attribute]):
            view = found[f"{attribute}: {value}"]
            expected = ma.relate(table.where(**{attribute: value}))
            assert set(view.groups) == set(expected.groups)
            assert np.allclose(view.matrix, expected.matrix, rtol=0, atol=1e-15)
            assert view.counts.equals(expected.counts)
            assert np.allclose(view.spread, expected.spread, rtol=0, atol=1e-15)
            assert view.method == "spearman"


def test_attributes_may_be_a_frame_a_mapping_or_keys():
    table = eight_groups()
    relations = ma.relate(table)
    rows = table.rows.drop_duplicates().set_index("dataset")
    by_key = relations.views(ATTRIBUTES)
    by_frame = relations.views(rows[list(ATTRIBUTES)])
    by_mapping = relations.views({name: rows[name].to_dict() for name in ATTRIBUTES})
    more = {name: {**rows[name].to_dict(), "elsewhere": "?"} for name in ATTRIBUTES}
    for found in (by_frame, by_mapping, relations.views(more)):
        assert list(found) == list(by_key)
        assert all(np.array_equal(found[name].matrix, by_key[name].matrix) for name in found)


def test_a_view_keeps_the_problems_of_its_groups():
    table = eight_groups()
    values = np.array(table.values)
    values[np.array(table.row_keys["dataset"]) == "set 1", 2] = 5
    found = ma.relate(table.__replace__(values=values)).views(["size"])
    assert [line[:2] for line in problems(found["size: small"])] == [("set 1", "m2")]
    assert problems(found["size: large"]) == []


def test_overall_views_treat_undefined_rows_as_the_relations_do():
    table = eight_groups(missing=0.05)
    found = ma.relate(table, missing="rows").views([], overall=["pearson", "kendall"])
    for method in ("pearson", "kendall"):
        expected = ma.relate(table, method=method, missing="rows")
        assert np.array_equal(found[f"all, {method}"].matrix, expected.matrix), method


def test_overall_views_have_the_direction_and_groups_of_the_relations():
    table = eight_groups()
    found = ma.relate(table, oriented=False, within=["dataset", "size"]).views([])
    for method in ("pearson", "spearman"):
        expected = ma.relate(table, method=method, oriented=False, within=["dataset", "size"])
        assert np.array_equal(found[f"all, {method}"].matrix, expected.matrix)


def test_a_view_knows_which_measures_were_turned():
    table = eight_groups()
    values = np.array(table.values)
    values[:, 1] = -values[:, 0]
    relations = ma.relate(table.__replace__(values=values))
    assert relations.turned.tolist() == [False, True, False, False]
    assert relations.identities()["direction"].tolist() == ["opposite"]
    for name, view in relations.views(ATTRIBUTES).items():
        assert view.turned.tolist() == [False, True, False, False], name
        assert view.identities()["direction"].tolist() == ["opposite"], name


def test_intervals_of_a_view_are_over_its_groups():
    view = ma.relate(eight_groups()).views(["size"])["size: small"]
    each = [view.of_group(name).loc["m0", "m2"] for name in view.groups]
    assert len(each) == 3
    found = view.interval("m0", "m2", resamples=100)
    assert min(each) <= found.low < found.value < found.high <= max(each)
    assert view.select(["m2", "m0"]).matrix[0, 1] == found.value


def test_attributes_that_groups_do_not_have_are_refused_in_words():
    relations = ma.relate(eight_groups())
    with pytest.raises(
        RelationError, match="no key 'colour' to be an attribute; there are dataset"
    ):
        relations.views(["colour"])
    with pytest.raises(RelationError, match="must have a value for every group; 7 have none, the "):
        relations.views({"size": {"set 3": "small"}})
    table = eight_groups()
    folds = [i % 5 for i in range(len(table))]
    folded = table.__replace__(row_keys={**table.row_keys, "fold": folds})
    with pytest.raises(RelationError, match="'fold' must be one value within each group; group"):
        ma.relate(folded).views(["fold"])


def test_a_missing_value_is_no_attribute():
    relations = ma.relate(eight_groups())
    values = {name: nan if name == "set 2" else "small" for name in relations.groups}
    with pytest.raises(RelationError, match="must have a value for every group; 1 have none"):
        relations.views({"size": values})
