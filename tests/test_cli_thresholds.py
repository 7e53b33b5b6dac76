"""``metricatlas thresholds``: what it prints and writes, and what it refuses."""

import csv
import io
import json

import numpy as np
import pytest
from typer.testing import CliRunner

import metricatlas as ma
from metricatlas.cli import app

ROWS = [
    ("y", "a", "b", "who"),
    *(
        ("ill" if i % 3 == 0 else "ok", f"{(i * 7 % 20) / 20}", f"{(i * 11 % 20) / 20}", i // 2)
        for i in range(30)
    ),
]
GOALS = ["f1", "ppv>=0.3", "cost[costs=((0,5),(1,0))]"]
COLUMNS = {
    "a": np.array([float(a) for _, a, _, _ in ROWS[1:]]),
    "b": np.array([float(b) for _, _, b, _ in ROWS[1:]]),
}
TRUTH = [y for y, *_ in ROWS[1:]]


def run(*arguments):
    return CliRunner().invoke(app, ["thresholds", *arguments])


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("thresholds") / "p.csv"
    path.write_text("".join(f"{','.join(map(str, row))}\n" for row in ROWS), encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def usual(file):
    return [file, "--truth", "y", "--pos-label", "ill", "-r", "99"]


def test_the_table_is_that_of_python(usual):
    ended = run(*usual, "--ignore", "who", "-g", ",".join(GOALS))
    assert ended.exit_code == 0
    expected = ma.thresholds(
        TRUTH,
        COLUMNS,
        goals=GOALS,
        pos_label="ill",
        resamples=99,
    )
    assert ended.stdout == f"{expected!r}\n"
    assert ended.stderr.startswith("Read 30 rows of ")


def test_data_have_a_row_for_each_measure(usual, tmp_path):
    given = [*usual, "--cluster", "who", "-q", "--folds", "3", "--repeats", "4", "--seed", "7"]
    given += ["-g", "f1", "-g", "recall where fpr<=20%", "--threshold", "0.3", "--level", "0.9"]
    expected = ma.thresholds(
        TRUTH,
        COLUMNS,
        goals=["f1", "recall where fpr<=20%"],
        pos_label="ill",
        clusters=[who for *_, who in ROWS[1:]],
        resamples=99,
        folds=3,
        repeats=4,
        seed=7,
        threshold=0.3,
        level=0.9,
    ).table
    ended = run(*given, "-f", "csv")
    assert ended.stderr == ""
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    records = json.loads(run(*given, "-f", "json").stdout)
    for found in (rows, records):
        assert list(found[0]) == list(expected.columns)
        for name in ("model", "goal", "measure"):
            assert [line[name] for line in found] == expected[name].tolist()
        for name in ("threshold", "low", "honest", "honest_high", "in_use", "unreached"):
            assert [float(line[name]) for line in found] == expected[name].tolist()
    target = tmp_path / "t.csv"
    ended = run(*given[:-2], "-f", "csv", "-o", str(target))
    assert ended.stdout == ""
    assert ended.stderr == f"Wrote the thresholds to {target}.\n"


def test_what_is_undefined_is_empty_or_null(usual):
    given = [*usual, "--ignore", "who", "--model", "a", "-g", "ppv>=0.99"]
    line = json.loads(run(*given, "-f", "json").stdout)[0]
    assert line["threshold"] is None
    row = next(csv.DictReader(io.StringIO(run(*given, "-f", "csv").stdout)))
    assert row["threshold"] == ""
    assert "a, ppv>=0.99: No cut has ppv >= 0.99." in run(*given).stdout


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        (["-g", "ppv>0.5"], 2, "with >= or <="),
        (["-g", "auk"], 2, "there is no measure 'auk'"),
        (["-g", "f1,,acc"], 2, "--goals must name a goal between commas"),
        (["-r", "5"], 2, "resamples must be"),
        (["--stratified", "--cluster", "who"], 2, "Leave one out"),
        (["--threshold", "nan"], 2, "--threshold must be a number"),
        (["--folds", "99"], 1, "folds must be a whole number from 2 to that of the examples, 30"),
        (["--nothing"], 2, "No such option"),
    ],
)
def test_what_cannot_be_ends_with_a_message(usual, given, code, words):
    own = [] if "who" in given else ["--ignore", "who"]
    ended = run(*usual, *own, *given)
    assert ended.exit_code == code
    assert words in ended.stderr
    assert ended.stdout == ""


def test_labels_have_no_thresholds(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("y,m\nill,ill\nok,ok\nill,ok\n", encoding="utf-8")
    ended = run(str(path), "--truth", "y", "--pos-label", "ill")
    assert ended.exit_code == 1
    assert "the predictions of m are labels" in ended.stderr
