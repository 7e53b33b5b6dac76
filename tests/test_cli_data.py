"""``metricatlas data``: data sets listed, shown and fetched from the command line."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from metricatlas.cli import app
from metricatlas.errors import PopulationError
from metricatlas.populations.datasets import dataset_of, fetch, known, load, openml, printed

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(autouse=True)
def cache(monkeypatch, tmp_path):
    monkeypatch.delenv("METRICATLAS_DATA", raising=False)
    monkeypatch.setenv("METRICATLAS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "folder"
    place.mkdir()
    (place / "own.csv").write_text("a,b,class\n1,u,x\n2,,y\n3,v,x\n")
    return place


def run(*arguments, code=0):
    result = CliRunner().invoke(app, ["data", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


def records(*arguments):
    return json.loads(run(*arguments, "--format", "json").stdout)


def test_the_list_has_every_set_that_is_known_or_here(folder):
    listed = [record["name"] for record in records("list", "--data", folder)]
    private = [row.printed for row in printed() if not row.name]
    bundled = ["iris", "wine", "breast_cancer", "digits"]
    assert sorted(listed) == sorted({*known(), *private, *bundled, "own"})
    lines = run("list", "--data", folder).stdout.splitlines()
    head, end = lines[0].split(), lines[-1]
    assert head[:3] == ["NAME", "ROWS", "NOMINAL"]
    assert end.startswith(f"{len(listed)} data sets, 5 of them here;")
    assert len(lines) == len(listed) + 3


def test_the_list_may_be_of_one_study_and_of_what_is_here(folder):
    of_study = [record["name"] for record in records("list", "--study", "huang2007")]
    assert len(of_study) == sum(row.study == "huang2007" for row in printed())
    here = [record["name"] for record in records("list", "--here", "--data", folder)]
    assert here == ["breast_cancer", "digits", "iris", "own", "wine"]
    assert run("list", "--study", "seliya2009", "--here").stdout == "No data set is like that.\n"


def test_the_list_is_written_as_csv_too(folder):
    text = run("list", "--data", folder, "--format", "csv").stdout
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(text))}
    assert rows["own"] | {"from": "folder", "rows": "", "studies": ""} == rows["own"]
    assert rows["iris"]["studies"] == "ferri2009"
    assert (rows["vehicle"]["majority"], rows["vehicle"]["from"]) == ("25.77", "OpenML 54")


def test_a_set_that_is_here_is_read_and_shown(folder):
    (record,) = records("show", "own", "--data", folder)
    found = load("own", data=folder)
    assert (
        record
        | {
            "rows": 3,
            "nominal": 1,
            "numeric": 1,
            "missing": 1,
            "classes": {"x": 2, "y": 1},
            "digest": found.digest,
            "source": found.source,
            "here": True,
        }
        == record
    )
    text = run("show", "own", "--data", folder).stdout
    assert text.startswith("own: 3 rows, 1 nominal and 1 numeric attributes, 2 classes\n")
    assert "Classes:      x: 2 (66.67 %), y: 1 (33.33 %)\n" in text
    assert found.digest in text


def test_a_set_that_is_not_here_is_told_of():
    text = " ".join(run("show", "vehicle-3c").stdout.split())
    assert text.startswith("vehicle-3c: 846 rows, 0 nominal and 18 numeric attributes, 3 classes")
    assert "Source: not here; OpenML 54" in text
    assert "Papers: ferri2009 Vehicle3c: as here. Bus and saab are one class." in text
    text = " ".join(run("show", "SP1").stdout.split())
    assert (
        text
        == "SP1: 3,646 rows Source: not here; no public set Papers: seliya2009 SP1: Not public."
    )
    (record,) = records("show", "iris")
    assert record["printed"][0].startswith("ferri2009 Iris plan: rows: 158 printed, 150 here.")
    rows = list(csv.DictReader(io.StringIO(run("show", "zoo", "--format", "csv").stdout)))
    assert rows[0]["classes"].startswith("mammal: 41; bird: 20; ")


@pytest.mark.parametrize(
    ("arguments", "code", "what"),
    [
        (["show", "irris"], 2, "there is no data set 'irris'; the nearest are 'iris'"),
        (["list", "--study", "ferri"], 2, "the nearest are 'ferri2009'"),
        (["fetch", "sonarr"], 2, "there is no data set 'sonarr'; the nearest are 'sonar'"),
        (["fetch", "sonar", "new-thyroid"], 2, "its file must be brought"),
        (["fetch"], 2, ""),
        (["list", "--data", "/nowhere/at/all"], 1, "data must be a folder of data sets"),
        (["list", "--format", "parquet"], 2, ""),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(arguments, code, what):
    result = run(*arguments, code=code)
    assert what in result.stderr
    assert not what or len(result.stderr.splitlines()) == 1


def test_a_file_that_is_not_the_recorded_one_is_bad_data(folder):
    (folder / "MANIFEST.csv").write_text("name,file,sha256\nown,own.csv,0123456789abcdef\n")
    assert "must be the file whose SHA-256" in run("show", "own", "--data", folder, code=1).stderr


def test_sets_are_fetched_one_after_the_other(monkeypatch):
    asked = []

    def fetched(name, *, again):
        asked.append((name, again))
        return dataset_of([[1.0], [2.0]], ["x", "y"], name=name, source="there")

    monkeypatch.setattr("metricatlas.populations.datasets.fetch", fetched)
    assert run("fetch", "sonar", "openml-7").stdout.splitlines() == [
        "<DataSet sonar: 2 rows, 1 attribute, 2 classes> is in there",
        "<DataSet openml-7: 2 rows, 1 attribute, 2 classes> is in there",
    ]
    run("fetch", "vehicle-3c", "--again")
    assert asked == [("sonar", False), ("openml-7", False), ("vehicle-3c", True)]


def test_a_set_that_openml_does_not_give_is_bad_data(monkeypatch):
    def refused(name, number):
        raise PopulationError(f"OpenML must give data set {number} for {name}")

    monkeypatch.setattr(openml, "_downloaded", refused)
    assert "OpenML must give data set 40 for sonar" in run("fetch", "sonar", code=1).stderr
    with pytest.raises(PopulationError, match="data set 40"):
        fetch("sonar")


def test_every_command_and_option_is_on_the_page():
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    section = text.partition("\n## data\n")[2].partition("\n## ")[0]
    commands = typer.main.get_command(app).commands["data"].commands
    assert sorted(commands) == ["fetch", "list", "show"]
    for name, command in commands.items():
        assert f"metricatlas data {name}" in section
        options = [o for p in command.params for o in p.opts if p.param_type_name == "option"]
        for option in options:
            assert re.search(rf"`{option}[` ]", section), f"{name} {option}"
