"""``metricatlas power``: what it prints and writes, and what it refuses."""

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import metricatlas as ma

PROGRAM = str(Path(sys.executable).with_name("metricatlas"))
QUICK = ["-m", "acc,auc:acc", "--sizes", "20,80", "-r", "300"]
SAME = {"measures": ["acc", "auc:acc"], "sizes": [20, 80], "repetitions": 300}


def run(*arguments):
    return subprocess.run(
        [PROGRAM, "power", *arguments], capture_output=True, text=True, check=False
    )


def test_the_table_says_how_many_examples_are_needed():
    ended = run(*QUICK, "--share", "0.8")
    assert ended.returncode == 0
    assert ended.stderr == ""
    r = ma.power(share=0.8, **SAME)
    lines = ended.stdout.splitlines()
    assert lines[0] == r.described()
    assert lines[2].split() == ["measure", "examples"]
    for line, row in zip(lines[3:], r.needed().itertuples(), strict=True):
        assert line.split(maxsplit=1) == [row.measure, row.says]


def test_data_are_the_curve(tmp_path):
    curve = ma.power(**SAME).curve
    rows = list(csv.DictReader(io.StringIO(run(*QUICK, "-f", "csv").stdout)))
    records = json.loads(run(*QUICK, "-f", "json").stdout)
    for found in (rows, records):
        for name in ("n", "right", "low", "high", "undefined"):
            assert [float(row[name]) for row in found] == curve[name].tolist()
        assert [row["measure"] for row in found] == curve["measure"].tolist()
    target = tmp_path / "curve.csv"
    ended = run(*QUICK, "-f", "csv", "-o", str(target))
    assert ended.stderr == f"Wrote 2 measures to {target}.\n"
    assert list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8")))) == rows


def test_the_profile_is_that_of_python():
    given = ["--prior", ".6,.3,.1", "--error", "0.1", "--gap", "0.2", "--confidence", "2"]
    noise = ["--world", "label-noise", "--level", "10", "--shared", "--overlap", ".5"]
    ended = run(*QUICK, *given, *noise, "--ties", "0.1", "--seed", "7", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    r = ma.power(
        prior=[0.6, 0.3, 0.1],
        error=0.1,
        gap=0.2,
        confidence=2.0,
        ties=0.1,
        shared=True,
        world="label-noise",
        level=10,
        overlap=0.5,
        seed=7,
        **SAME,
    )
    assert [float(row["right"]) for row in rows] == r.curve["right"].tolist()


def test_it_is_like_the_predictions_of_a_file(tmp_path):
    rng = np.random.default_rng(1)
    y = rng.integers(3, size=90)
    p = rng.dirichlet(np.ones(3), 90) + 2 * np.eye(3)[y]
    p /= p.sum(axis=1, keepdims=True)
    lines = [",".join(map(repr, [int(a), *row])) for a, row in zip(y, p.tolist(), strict=True)]
    path = tmp_path / "three.csv"
    path.write_text("\n".join(["y,nb:0,nb:1,nb:2", *lines]), encoding="utf-8")
    ended = run(*QUICK, "--like", str(path), "--truth", "y", "-f", "csv")
    assert ended.stderr.startswith(f"Read 90 rows of {path}")
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    r = ma.power(like=(y, p), **SAME)
    assert [float(row["right"]) for row in rows] == r.curve["right"].tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sizes", "20,10"], "sizes must ascend"),
        (["--sizes", "20.5"], "sizes must be whole numbers from 2 on; got [20.5]"),
        (["--sizes", "many"], "--sizes must be numbers between commas"),
        (["--share", "2"], "share must be a number above 0.5 and below 1"),
        (["--gap", "0"], "The gap must be above 0"),
        (["--world", "label-noise"], "a world and a level"),
        (["--world", "nowhere", "--level", "1"], "'label-noise'"),
        (["-m", "auk"], "the nearest names are"),
        (["--like", "nothing.csv"], "--like needs --truth COLUMN"),
    ],
)
def test_what_cannot_be_understood_ends_with_2(arguments, words):
    ended = run(*arguments)
    assert ended.returncode == 2
    assert words in ended.stderr
    assert ended.stdout == ""


def test_a_file_that_is_not_there_ends_with_1():
    ended = run("--like", "nothing.csv", "--truth", "y")
    assert ended.returncode == 1
    assert "nothing.csv" in ended.stderr
