from math import inf, nan
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measurement_tables import ACC, BRIER, PAIR, make_table, simple

import metricatlas as ma
from metricatlas.errors import MetricAtlasError
from metricatlas.measurements import Column, Measurements


@pytest.fixture
def table():
    return make_table()


def test_few_rows_stand_beside_each_other():
    table = Measurements(
        np.array([[0.97894, nan, 0.0812], [0.96488, 12.5, inf]]),
        (ACC, Column("lift", "lift"), BRIER),
        {"model": ["logistic regression", "random forest"], "group": ["all", "all"]},
        reasons={(0, 1): "no positives"},
    )
    assert table.to_text(width=80).splitlines() == [
        "         logistic regression  random forest",
        "acc                   0.9789         0.9649",
        "lift                       –         12.500",  # noqa: RUF001 - as printed
        "brier ↓               0.0812            inf",
        "group: all; 2 rows, 3 measures; ↓ lower is better; – undefined: .reason(row,",  # noqa: RUF001 - as printed
        "column) says why.",
    ]


def test_many_rows_stand_below_each_other():
    lines = simple(100, 2, model=["rf", "knn"] * 50, fold=list(range(100))).to_text(lines=3)
    assert lines.splitlines() == [
        "model  fold      m0      m1",
        "rf     0     0.0000  1.0000",
        "knn    1     2.0000  3.0000",
        "rf     2     4.0000  5.0000",
        "97 more rows not shown; 100 rows, 2 measures.",
    ]


@given(
    st.integers(0, 12),
    st.integers(0, 12),
    st.integers(20, 120),
    # Marks stand on the letter before them and take no room of their own.
    st.lists(st.text(st.characters(exclude_categories=("Mn", "Me"))), min_size=12, max_size=12),
    st.floats(),
)
def test_no_line_is_wider_than_the_terminal(rows, columns, width, names, value):
    schema = tuple(Column(name, name, "lower") for name in names[:columns])
    keys = {"model": names[:rows], "数据集": ["文字" * 20] * rows}
    text = Measurements(np.full((rows, columns), value), schema, keys).to_text(width=width)
    for line in text.split("\n"):
        assert sum(2 if "一" <= letter <= "鿿" else 1 for letter in line) <= width
        assert line.isprintable()


def test_what_has_no_room_is_counted(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    assert "156 more measures had no room" in " ".join(str(simple(20, 160)).split())
    assert "120 more measures not shown" in " ".join(repr(simple(1, 160)).split())


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([0.5, 0.25], ["0.5000", "0.2500"]),
        ([0.0, -0.0], ["0.0000", "0.0000"]),
        ([0.9, 1e-7], ["0.9000", "1e-07"]),
        ([1234.5, 0.25], ["1234.5", "0.2"]),
        ([12345.6, -1.0], ["12346", "-1"]),
        ([3e-9, inf], ["3e-09", "inf"]),
        ([2.5e8, -inf], ["2.5e+08", "-inf"]),
    ],
)
def test_numbers_are_rounded_sensibly(values, written):
    table = Measurements(np.array([values]).T, (ACC,), {"model": ["a", "b"]})
    lines = table.to_text(width=80).splitlines()[1:3]
    assert [line.split()[-1] for line in lines] == written


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([100.0, 3.0], ["100", "3"]),
        ([1234567.0, 0.0], ["1234567", "0"]),
        ([-0.0, nan], ["0", "–"]),  # noqa: RUF001 - as printed
        ([2.0, inf], ["2", "inf"]),
        ([2.0, 1e18], ["2", "1e+18"]),
        ([2.0, 2.5], ["2.0000", "2.5000"]),
        ([nan, inf], ["–", "inf"]),  # noqa: RUF001 - as printed
    ],
)
def test_counts_are_whole_numbers(values, written):
    hits = Column("true_positives", "true_positives", "higher", 0, inf)
    table = Measurements(np.array([values]).T, (hits,), {"model": ["a", "b"]})
    lines = table.to_text(width=80).splitlines()[1:3]
    assert [line.split()[-1] for line in lines] == written
    assert all(f">{text}</td>" in table._repr_html_() for text in written)


def test_counts_of_mistakes_are_whole_numbers_when_higher_is_better_too():
    table = ma.evaluate([0, 0, 1, 1], [0, 1, 1, 1], measures=["false_positives", "error_rate"])
    assert [line.split()[-1] for line in str(table).splitlines()[1:3]] == ["1", "0.2500"]
    turned = str(table.oriented()).splitlines()[1:3]
    assert [line.split()[-1] for line in turned] == ["-1", "-0.2500"]


def test_a_whole_number_is_no_count_where_values_have_an_end():
    table = Measurements(np.array([[1.0], [0.0]]), (ACC,), {"model": ["a", "b"]})
    assert [line.split()[-1] for line in str(table).splitlines()[1:3]] == ["1.0000", "0.0000"]


def test_a_single_nameless_row_is_headed_value():
    assert simple(1, 2).to_text().splitlines()[0].split() == ["value"]
    assert simple(1, 2, model=["rf"]).to_text().splitlines()[0].split() == ["rf"]


def test_a_terminal_without_these_letters_gets_others(table, monkeypatch):
    monkeypatch.setattr("sys.stdout", SimpleNamespace(encoding="ascii"))
    text = table.__replace__(row_keys={"model": ["ü", "b", "c", "d"]}).to_text()
    assert text.isascii()
    assert "brier v" in text


def test_the_notebook_form_escapes_and_marks(table):
    named = table.__replace__(row_keys={"model": ["<script>", "b", "c", "d"], "fold": [0] * 4})
    html = named._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert 'title="there are no positives"' in html
    assert 'class="best">0.0000' in html
    assert "Area under the ROC curve" in html


def test_the_best_of_pairs_is_found_by_their_levels():
    # By the single number f + 0.01 g the second row would win.
    pairs = np.array([[0.701, 0.0], [0.7, 1.0], [0.701, 0.0]])
    table = Measurements(
        np.array([[0.701], [0.71], [0.701]]), (PAIR,), {"model": [1, 2, 3]}, levels={0: pairs}
    )
    assert table._repr_html_().count('class="best">0.7010') == 2


def test_a_large_table_is_shown_in_part():
    table = simple(2_000, 160)
    assert len(table._repr_html_()) < 400_000
    assert len(str(table).splitlines()) < 70


@pytest.mark.parametrize("form", [repr, str, Measurements._repr_html_])
def test_a_table_without_rows_is_shown(form):
    y, models = [0, 1, 1, 0], {"a": [0.1, 0.7, 0.4, 0.2], "b": [0.3, 0.6, 0.6, 0.9]}
    table = ma.evaluate(y, models, measures=["auc", "auc:acc", "brier"])
    shown = form(table.where(model=[]))
    assert "auc:acc" in shown
    assert "0 rows, 3 measures" in shown


@pytest.mark.parametrize("option", [{"width": -5}, {"width": 0}, {"width": 2.5}, {"lines": -1}])
def test_sizes_of_the_terminal_form_are_whole_numbers_above_0(option):
    with pytest.raises(MetricAtlasError, match="must be a whole number above 0, or None"):
        make_table().to_text(**option)


@pytest.mark.parametrize("width", [60, 80, 100])
def test_heads_are_broken_between_words(width):
    names = ["balanced_accuracy", "tpr@fpr=0.01", "recall@best=f1", "matthews_correlation"]
    schema = tuple(Column(name, name) for name in names)
    rows = {"model": [f"model_{i}" for i in range(12)]}
    text = Measurements(np.full((12, 4), 0.5), schema, rows).to_text(width=width)
    for word in ("balanced_", "accuracy", "tpr@fpr=", "0.01", "recall", "@best=f1", "correlation"):
        assert word in text
