"""``metricatlas simulate``: what it prints and writes, and what it refuses."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import metricatlas as ma

PROGRAM = str(Path(sys.executable).with_name("metricatlas"))
QUICK = ["label-noise", "-m", "acc,auc:acc", "--levels", "0,50", "-r", "300"]


def run(*arguments, **options):
    return subprocess.run(
        [PROGRAM, "simulate", *arguments], capture_output=True, text=True, check=False, **options
    )


@pytest.fixture(scope="module")
def expected():
    return ma.simulate("label-noise", measures=["acc", "auc:acc"], levels=[0, 50], repetitions=300)


def test_the_table_is_the_ranking(expected):
    ended = run(*QUICK)
    assert ended.returncode == 0
    assert ended.stderr == ""
    lines = ended.stdout.splitlines()
    assert lines[:2] == ["label-noise, levels 0, 50:", "300 pairs of models, n 100, prior 0.5"]
    shown = [line.split() for line in lines[4:]]
    for cells, line in zip(shown, expected.ranking().itertuples(), strict=True):
        assert cells[:2] == [line.measure, f"{line.wrong:.4f}"]
        assert cells[-1] == str(line.group)


def test_data_have_a_row_for_each_measure_and_level(expected, tmp_path):
    rows = list(csv.DictReader(io.StringIO(run(*QUICK, "-f", "csv").stdout)))
    records = json.loads(run(*QUICK, "-f", "json").stdout)
    wrong = expected.wrong
    for found in (rows, records):
        assert [r["measure"] for r in found] == wrong["measure"].tolist()
        assert [float(r["level"]) for r in found] == wrong["level"].tolist()
        assert [float(r["wrong"]) for r in found] == wrong["wrong"].tolist()
    target = tmp_path / "result.csv"
    ended = run(*QUICK, "-f", "csv", "-o", str(target))
    assert ended.stdout == ""
    assert ended.stderr == f"Wrote 2 measures to {target}.\n"
    assert list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8")))) == rows


def test_the_profile_is_that_of_python():
    given = ["--n", "40", "--prior", "0.3", "--error", "0.1", "--gap", "0.2", "--confidence", "2"]
    ended = run(*QUICK, *given, "--ties", "0.1", "--shared", "--seed", "7", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    r = ma.simulate(
        "label-noise",
        measures=["acc", "auc:acc"],
        levels=[0, 50],
        repetitions=300,
        seed=7,
        n=40,
        prior=0.3,
        error=0.1,
        gap=0.2,
        confidence=2.0,
        ties=0.1,
        shared=True,
    )
    assert [float(row["wrong"]) for row in rows] == r.wrong["wrong"].tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "'label-noise'"),
        (["label-noise", "-m", "auk"], "the nearest names are"),
        (["label-noise", "--n", "1"], "n must be a whole number from 2 on"),
        (["label-noise", "--prior", "0"], "prior must be a share above 0"),
        (["label-noise", "--gap", "-1"], "gap must be"),
        (["label-noise", "--levels", "a"], "--levels must be numbers between commas"),
        (["label-noise", "--levels", "300"], "levels of label-noise must lie from 0 to 100"),
        (["label-noise", "--import", "no_such_module"], "no_such_module"),
    ],
)
def test_what_cannot_be_understood_ends_with_2(arguments, words):
    ended = run(*arguments)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert ended.stdout == ""


def test_what_cannot_be_written_ends_with_1_before_anything_is_drawn(tmp_path):
    ended = run("label-noise", "-r", "1000000000", "-o", str(tmp_path / "no" / "result.txt"))
    assert ended.returncode == 1
    assert "there is no folder" in ended.stderr
