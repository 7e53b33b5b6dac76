"""``metricatlas catalogue``: the list of measures, and what is said of one."""

import csv
import io
import json
import re

import pytest
from typer.testing import CliRunner

from metricatlas.cli import app
from metricatlas.cli.description import description, details, shell_spelling
from metricatlas.cli.formulas import plain
from metricatlas.cli.listing import as_table, record
from metricatlas.measures import catalogue
from metricatlas.measures.language import parse


@pytest.fixture(autouse=True)
def _pages_have_room(monkeypatch):
    monkeypatch.setenv("COLUMNS", "88")


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["catalogue", *arguments])
    assert result.exit_code == code, result.output
    return result


def records(*arguments):
    return json.loads(run(*arguments, "--format", "json").stdout)


def test_the_list_has_every_measure():
    assert [record["name"] for record in records()] == [m.name for m in catalogue.values()]
    rows = list(csv.DictReader(io.StringIO(run("--format", "csv").stdout)))
    assert len(rows) == len(catalogue)
    lines = run().stdout.splitlines()
    assert lines[0].split()[:3] == ["NAME", "TITLE", "BETTER"]
    assert any(line.startswith("mcc ") and "Matthews" in line for line in lines)


def test_the_list_can_be_narrowed():
    assert {r["needs"] for r in records("--needs", "scores")} == {"labels", "scores"}
    assert all("ferri2009" in r["sources"] for r in records("--source", "ferri2009"))
    assert all("multiclass" in r["tasks"] for r in records("--task", "multiclass"))
    family = catalogue["auc"].family
    assert {r["family"] for r in records("--family", family)} == {family}
    assert "must be one of" in run("--family", "nothing", code=2).stderr
    assert "nothing" in run("--needs", "nothing", code=2).stderr


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("brier", "[0, 1] for two classes; it depends on their number"),
        ("partial_auc", "[0, 0.1]; it depends on max_fpr"),
        ("partial_auc[max_fpr=0.5]", "[0, 0.5]; it depends on max_fpr"),
        ("LogL", "[0, 16.6096]; it depends on eps"),
    ],
)
def test_the_range_says_what_it_depends_on(name, said):
    assert f"Range         {said}\n" in run(name).stdout


def test_the_signs_of_a_formula_are_explained_below_it():
    text = " ".join(run("mcc").stdout.split())
    assert "Signs: t the mass on the diagonal" in text
    assert "r_k the mass of true class k; q_k the mass that is decided k." in text
    assert "Signs:" not in run("partial_auc_standardised").stdout.partition("A_x")[0]


def test_one_measure_is_told_in_full():
    text = run("MATTHEWS_CORRELATION").stdout
    assert text.startswith("mcc: Matthews correlation coefficient\n")
    for words in ("Σ_k r_k q_k", "[-1, 1]", "higher is better", "labels", "Matthews (1975)"):
        assert words in text
    assert ">>>" not in text
    assert "math::" not in text


def test_parameters_cuts_and_parts_are_told():
    assert "beta (a number above 0), required" in run("fbeta").stdout
    assert "where the KS statistic is largest" in run("KPPV").stdout
    assert "acc, auc, rms" in run("sar").stdout
    two_level = run("auc:acc").stdout
    assert "auc: Area under the ROC curve" in two_level
    assert "acc: Accuracy" in two_level


def test_an_unknown_measure_ends_with_2_and_the_nearest_names():
    refused = run("mccc", code=2)
    assert "mcc" in refused.stderr
    assert refused.stdout == ""


@pytest.mark.parametrize("name", list(catalogue))
def test_every_measure_can_be_told(name):
    measure = catalogue[name]
    text = description(measure)
    assert " ".join(text.split()).startswith(f"{measure.name}: {measure.title}")
    assert "\\" not in text
    assert max(map(len, text.splitlines())) <= 88


@pytest.mark.parametrize(
    "name", [*catalogue, "auc[ovo,prior]", "fbeta[beta=2]", 'recall[class="a b"]']
)
def test_the_spelling_for_shells_means_the_same(name):
    spelling = shell_spelling(parse(name))
    assert parse(spelling.strip("'")) == parse(name)
    assert spelling.startswith("'") == ("[" in spelling)


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{TP}{TP + FN}", "TP / (TP + FN)"),
        (r"\frac{1}{m} \sum_i (p_i - y_i)^2", "(1/m) Σ_i (p_i - y_i)²"),
        (r"\tfrac12 (a + b)", "(1/2) (a + b)"),
        (r"\sqrt{\mathrm{MSE}}", "√MSE"),
        (r"\sum_{j \neq k} C_{jk}", "Σ_(j ≠ k) C_jk"),
        (r"\bar p_1 - \bar p_0", "p\u0304_1 - p\u0304_0"),
        (r"A, \quad B = \ln x", "A,\u2002B = ln x"),
        (r"(1 - \pi)^{1/\pi}", "(1 - π)^(1/π)"),
        (r"\log_2 \frac{a b}{c}", "log_2 ((a b) / c)"),
    ],
)
def test_formulas_are_written_plainly(latex, text):
    assert plain(latex) == text.replace("\u2002", "  ")


def reach(formula):
    """Return what every sum takes in: up to the bracket, comma, or equation that ends it."""
    ends = re.compile(r"\)|,  | = |;|}")
    for found in re.finditer("Σ(_\\([^()]*\\)|_\\w+)", formula):
        inside = formula[found.end() :]
        while (closed := re.sub(r"\([^()]*\)|\|[^|]*\||{[^{}]*}", "…", inside)) != inside:
            inside = closed
        yield ends.split(inside)[0]


@pytest.mark.parametrize("name", list(catalogue))
def test_a_sum_takes_in_no_more_and_no_less_than_its_brackets(name):
    for formula in details(catalogue[name])["formula"]:
        for taken in reach(formula):
            assert not re.search(r" [+-] ", taken), (formula, taken)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("cen", "Σ_(k ≠ j) (h(C_jk / d_j) + h(C_kj / d_j)),"),
        ("mcen", "Σ_(k ≠ j) (h(C_jk / d_j) + h(C_kj / d_j)),"),
        ("ranked_probability_score", "(Σ_(j ≤ k) (p(i, j) - f(i, j)))²"),
        ("information_score", "Σ_i {log_2 p_i - log_2 π_i if p_i ≥ π_i; "),
    ],
)
def test_brackets_say_how_far_a_sum_reaches(name, said):
    assert said in details(catalogue[name])["formula"][0]


@pytest.mark.parametrize("columns", [80, 60, 40])
@pytest.mark.parametrize("name", list(catalogue))
def test_a_definition_stays_on_its_line(name, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout", Terminal())
    for line in description(catalogue[name]).splitlines():
        assert not line.endswith(" =")
        assert not line.lstrip().startswith("= ")
        assert not re.search(r"^    .* if$", line)


def test_one_measure_as_data_has_all_that_is_told_of_it():
    (record,) = records("mcc")
    assert record["formula"] == [plain(record["latex"][0])]
    assert "correlation" in record["meaning"]
    assert any("Matthews (1975)" in reference for reference in record["references"])
    assert set(record) >= {"undefined", "parameters", "range", "aliases"}
    (fbeta,) = records("fbeta")
    assert fbeta["parameters"] == ["beta (a number above 0), required"]
    assert records("ppv")[0]["undefined"] == ["Nothing is decided positive."]
    (row,) = csv.DictReader(io.StringIO(run("ppv", "--format", "csv").stdout))
    assert row["undefined"] == "Nothing is decided positive."
    assert "Precision" in row["title"]


def test_a_measure_and_filters_contradict_each_other():
    refused = run("mcc", "--needs", "scores", "--family", "counts", code=2)
    assert "--family and --needs for those of a kind; got both" in refused.stderr


def test_one_measure_is_not_many(monkeypatch):
    monkeypatch.setattr(catalogue, "find", lambda **_: [catalogue["mcc"]])
    assert "\n1 measure; " in run().stdout


def test_a_narrow_terminal_shows_every_word_of_the_list(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    made = [record(m) for m in catalogue.values()]
    wide = as_table(made)
    assert max(map(len, wide.splitlines())) > 80
    monkeypatch.setattr("sys.stdout", Terminal())
    narrow = as_table(made)
    assert max(map(len, narrow.splitlines())) <= 80
    words = narrow.split()
    for one in made:
        assert set(f"{one['name']} {one['title']} {one['range']} {one['needs']}".split()) <= {
            *words
        }


class Terminal(io.StringIO):
    def isatty(self):
        return True
