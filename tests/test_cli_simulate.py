"""``metricatlas simulate``: what it prints and writes, and what it refuses."""

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
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


@pytest.fixture
def predictions(tmp_path):
    rng = np.random.default_rng(1)
    y = np.array(["ok", "ill"])[(rng.random(200) < 0.3).astype(int)]
    p = (1 / (1 + np.exp(1 - 2 * (y == "ill") - rng.normal(size=200)))).round(3)
    lines = [f"{a},{b},{'ill' if b > 0.5 else 'ok'}" for a, b in zip(y, p, strict=True)]
    path = tmp_path / "predictions.csv"
    path.write_text("\n".join(["y,rf,tree", *lines]), encoding="utf-8")
    return path, y, p


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


def test_several_worlds_have_their_average_and_each_its_own():
    several = ["label-noise", "class-drift", *QUICK[1:]]
    r = ma.simulate(
        ["label-noise", "class-drift"],
        measures=["acc", "auc:acc"],
        levels=[0, 50],
        repetitions=300,
        prior=[0.5, 0.3, 0.2],
    )
    lines = run(*several, "--prior", ".5,.3,.2").stdout.splitlines()
    assert lines[:3] == [
        "label-noise, levels 0, 50:",
        "class-drift, levels 0, 50:",
        "300 pairs of models, n 100, prior 0.5, 0.3, 0.2",
    ]
    assert lines[4].split()[-2:] == ["label-noise", "class-drift"]
    for line, row in zip(lines[5:], r.ranking().to_dict("records"), strict=True):
        own = [f"{row[world]:.4f}" for world in r]
        assert line.split()[:2] == [row["measure"], f"{row['wrong']:.4f}"]
        assert line.split()[-2:] == own
    ended = run(*several, "--prior", ".5,.3,.2", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    assert [row["world"] for row in rows] == r.wrong["world"].tolist()
    assert [float(row["wrong"]) for row in rows] == r.wrong["wrong"].tolist()


def test_an_area_is_the_quality_in_place_of_the_error():
    ended = run(*QUICK, "--auc", "0.85", "--gap", "0.1", "-f", "csv")
    rows = list(csv.DictReader(io.StringIO(ended.stdout)))
    r = ma.simulate(
        "label-noise",
        measures=["acc", "auc:acc"],
        levels=[0, 50],
        repetitions=300,
        auc=0.85,
        gap=0.1,
    )
    assert [float(row["wrong"]) for row in rows] == r.wrong["wrong"].tolist()


def test_a_world_is_like_the_predictions_of_a_file(predictions):
    path, y, p = predictions
    like = ["--like", str(path), "--truth", "y", "--pos-label", "ill", "--model", "rf"]
    ended = run(*QUICK, *like, "--gap", "0.1")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr.startswith(f"Read 200 rows of {path}: truth `y` (ill ")
    r = ma.simulate(
        "label-noise",
        measures=["acc", "auc:acc"],
        levels=[0, 50],
        repetitions=300,
        gap=0.1,
        # So few digits are read in single precision.
        like=(y, p.astype(np.float32)),
        pos_label="ill",
    )
    assert r.profile.described() in ended.stdout
    rows = list(csv.DictReader(io.StringIO(run(*QUICK, *like, "--gap", ".1", "-f", "csv").stdout)))
    assert [float(row["wrong"]) for row in rows] == r.wrong["wrong"].tolist()
    ended = run(*QUICK, *like, "--prior", "0.5", "--n", "60")
    assert "n 60, prior 0.5, like 200 real predictions" in ended.stdout


@pytest.mark.parametrize(
    ("more", "code", "words"),
    [
        (["--truth", "y", "--pos-label", "ill"], 1, "predictions.csv has rf, tree. Choose one"),
        (["--truth", "y", "--model", "rf"], 1, "--pos-label"),
        (["--model", "rf"], 2, "--like needs --truth COLUMN"),
        (["--truth", "nothing", "--model", "rf"], 1, "no column `nothing`"),
        (["--truth", "y", "--model", "tree", "--pos-label", "ill"], 1, "got labels"),
        (["--truth", "y", "--model", "rf", "--pos-label", "ok"], 1, "knows? something|know some"),
        (
            ["--truth", "y", "--model", "rf", "--pos-label", "ill", "--error", ".1"],
            2,
            "leave error= out",
        ),
        (["--truth", "y", "--model", "rf", "--pos-label", "ill", "--gap", "-1"], 2, "gap must be"),
        (
            ["--truth", "y", "--model", "rf", "--pos-label", "ill", "--prior", ".5,.4"],
            2,
            "sum to 0.9",
        ),
    ],
)
def test_a_file_that_no_world_can_be_like_ends_in_words(predictions, more, code, words):
    ended = run("label-noise", "--like", str(predictions[0]), *more)
    assert ended.returncode == code, ended.stderr
    assert re.search(words, ended.stderr)
    assert ended.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "'label-noise'"),
        (["label-noise", "-m", "auk"], "the nearest names are"),
        (["label-noise", "--n", "1"], "n must be a whole number from 2 on"),
        (["label-noise", "--prior", "0"], "prior must be a share above 0"),
        (["label-noise", "--prior", ".5,.4"], "prior must sum to one"),
        (["label-noise", "--prior", "half"], "--prior must be numbers between commas"),
        (["label-noise", "--auc", "0.9", "--error", "0.1"], "pass error= or auc=, not both"),
        (["label-noise", "label-noise"], "each once"),
        (["label-noise", "--truth", "y"], "--truth is about the file of --like"),
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
