"""``metricatlas advise``: what it prints and writes, and what it refuses."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import metricatlas as ma
from metricatlas.cli import app

PROGRAM = str(Path(sys.executable).with_name("metricatlas"))
PAGE = Path(__file__).parents[1] / "docs" / "advice.md"
MEASURES = ["acc", "auc", "mcc", "brier"]
QUICK = ["-m", ",".join(MEASURES), "-r", "200"]


def run(*arguments):
    """Run the command within this program, which is quicker."""
    return CliRunner().invoke(app, ["advise", *arguments])


@pytest.fixture(scope="module")
def expected():
    return ma.advise(
        n=60,
        prior=0.3,
        probabilities=True,
        label_noise=0.05,
        drift=0.4,
        measures=MEASURES,
        repetitions=200,
        auc=0.9,
        gap=0.1,
        confidence=1.5,
        ties=0.01,
        seed=2,
    )


SAID = ["--n", "60", "--prior", "0.3", "--probabilities", "--label-noise", "0.05"]
SAID += ["--lost", "0.4", "--auc", "0.9", "--gap", "0.1", "--confidence", "1.5"]
SAID += ["--ties", "0.01", "--seed", "2"]


def test_the_words_are_those_of_python(expected):
    ended = run(*QUICK, *SAID)
    assert ended.exit_code == 0, ended.stderr
    assert ended.stderr == ""
    told = " ".join(ended.stdout.split())
    wanted = " ".join(str(expected).split())
    assert told == re.sub(r'`\.why_not\("(.*)"\)`', r"--why-not \1", wanted)


def test_the_program_has_the_command():
    ended = subprocess.run(
        [PROGRAM, "advise", "--help"], capture_output=True, text=True, check=True
    )
    assert "Advise which measures to select with, and which to report." in ended.stdout


def test_questions_are_answered(expected):
    ended = run(*QUICK, *SAID, "--why-not", "acc", "--why-not", "mcc", "--read", "acc", "auc")
    parts = [str(expected.why_not("acc")), str(expected.why_not("mcc"))]
    assert ended.stdout == "\n\n".join([*parts, str(expected.read("acc", "auc"))]) + "\n"


def test_csv_has_the_frame_that_is_asked_for(expected, tmp_path):
    shown = run(*QUICK, *SAID, "--show", "evidence", "-f", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(shown)))
    evidence = expected.evidence
    assert [row["measure"] for row in rows] == evidence["measure"].tolist()
    assert [float(row["wrong"]) for row in rows] == evidence["wrong"].tolist()
    rules = list(csv.reader(io.StringIO(run(*QUICK, "--show", "rules", "-f", "csv").stdout)))
    assert rules[1:] == expected.rules.to_numpy().tolist()
    reasons = list(csv.DictReader(io.StringIO(run(*QUICK, "--why-not", "acc", "-f", "csv").stdout)))
    assert [row["rule"] for row in reasons] == ["threshold-free"]
    read = list(
        csv.DictReader(io.StringIO(run(*QUICK, "--read", "acc", "auc", "-f", "csv").stdout))
    )
    assert len(read) == 2
    target = tmp_path / "advice.csv"
    ended = run(*QUICK, *SAID, "-f", "csv", "-o", str(target))
    assert ended.stderr == f"Wrote the advice to {target}.\n"
    select = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))
    assert [row["measure"] for row in select] == expected.select["measure"].tolist()


def test_a_frame_is_a_table_too(expected):
    lines = run(*QUICK, *SAID, "--show", "report").stdout.splitlines()
    assert lines[0].split()[:3] == ["need", "measure", "wrong"]
    assert len(lines) == 1 + len(expected.report)


def test_json_has_everything(expected):
    ended = run(*QUICK, *SAID, "--why-not", "acc", "--read", "acc", "auc", "-f", "json")
    found = json.loads(ended.stdout)
    assert found["case"] == expected.case.fields
    for name in ("select", "report", "evidence", "rules"):
        frame = getattr(expected, name)
        assert [list(record) for record in found[name]] == [list(frame.columns)] * len(frame)
        for record, row in zip(found[name], frame.to_dict("records"), strict=True):
            assert record == {
                k: None if isinstance(v, float) and np.isnan(v) else v for k, v in row.items()
            }
    assert found["why_not"][0]["select"] == "refused"
    reading = expected.read("acc", "auc")
    assert found["read"]["verdict"] == reading.verdict
    assert pd.DataFrame(found["read"]["table"]).equals(reading.table)


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"y": np.where(y == 1, "ill", "well")})
    for name, noise in (("weak", 2.0), ("strong", 1.0)):
        frame[name] = 1 / (1 + np.exp(-(2 * y - 1 + noise * rng.normal(size=200))))
    path = tmp_path / "predictions.csv"
    frame.to_csv(path, index=False)
    return path, frame


def test_a_file_says_what_data_are_like(file):
    path, frame = file
    ended = run(str(path), "--truth", "y", "--pos-label", "ill", *QUICK, "--threshold", "fixed")
    assert ended.exit_code == 0, ended.stderr
    assert "200" in ended.stderr
    expected = ma.advise(
        frame["y"],
        {name: frame[name] for name in ("weak", "strong")},
        pos_label="ill",
        threshold="fixed",
        measures=MEASURES,
        repetitions=200,
    )
    assert "Worlds are like strong" in ended.stdout
    told = " ".join(ended.stdout.split()).partition(" --why-not")[0]
    assert told == " ".join(str(expected).split()).partition(" `.why_not")[0]


def test_costs_classes_and_thresholds_are_read():
    found = json.loads(
        run(
            "-m", "acc", "-r", "200", "--costs", "0,1;5,0", "--threshold", "0.3", "-f", "json"
        ).stdout
    )
    names = [row["measure"] for row in found["evidence"]]
    assert set(names) == {"acc@0.3", "expected_cost[costs=((0,1),(5,0))]@0.3"}
    found = json.loads(run("-m", "acc", "-r", "200", "--classes", "3", "-f", "json").stdout)
    assert found["case"]["classes"] == 3
    found = json.loads(run("-m", "acc", "-r", "200", "--drift", "-f", "json").stdout)
    assert found["case"]["drift"] == 0.5


def test_measures_are_related_over_measurements(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.random((12, 2)), columns=["acc", "mcc"])
    frame.insert(0, "model", range(12))
    path = tmp_path / "measured.csv"
    frame.to_csv(path, index=False)
    given = ["--measurements", str(path), "--keys", "model", "--read", "acc", "mcc"]
    ended = run(*QUICK, *given, "-f", "json")
    assert ended.exit_code == 0, ended.stderr
    (line,) = json.loads(ended.stdout)["read"]["table"]
    assert line["correlation"] == pytest.approx(
        frame[["acc", "mcc"]].corr("spearman").iloc[0, 1], abs=1e-12
    )


@pytest.mark.parametrize(
    ("arguments", "words", "code"),
    [
        (["--n", "1"], "n must be a whole number from 2 on", 2),
        (["--prior", "0"], "prior must be a share above 0", 2),
        (["--gap", "-1"], "gap must be", 2),
        (["--threshold", "open"], "threshold must be 'free'", 2),
        (["--costs", "a"], "--costs must be numbers between commas", 2),
        (["--truth", "y"], "--truth is about a file", 2),
        (["nowhere.csv"], "FILE needs --truth", 2),
        (["nowhere.csv", "--truth", "y"], "there is no file nowhere.csv", 1),
        (["-m", "auk"], "the nearest names are", 2),
        (["-m", "acc", "-r", "100", "--why-not", "mcc"], "not among the candidates", 2),
        (["--measurements", "nowhere.parquet"], "there is no file nowhere.parquet", 1),
        (["--import", "no_such_module"], "no_such_module", 2),
    ],
    ids=str,
)
def test_what_cannot_be_is_refused_in_one_line(arguments, words, code):
    ended = run(*arguments)
    assert ended.exit_code == code
    assert ended.stdout == ""
    assert words in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_labels_are_no_probabilities_to_be_like(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("y,m\nno,no\nyes,yes\nno,yes\nyes,yes\n", encoding="utf-8")
    ended = run(str(path), "--truth", "y", "--pos-label", "yes")
    assert ended.exit_code == 1
    assert "predictions must be probabilities" in ended.stderr


CONSOLES = re.findall(
    r"^```console\n\$ (.*?)\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)


@pytest.mark.parametrize(("command", "shown"), CONSOLES, ids=[command for command, _ in CONSOLES])
def test_the_page_shows_what_is_printed(command, shown):
    _, name, *arguments = shlex.split(command)
    assert name == "advise"
    assert run(*arguments).stdout.rstrip() == shown.rstrip()
