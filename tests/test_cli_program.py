"""The program as it is installed: started for real, from outside."""

import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pytest

PROGRAM = str(Path(sys.executable).with_name("metricatlas"))
OWN_MEASURE = '''
import metricatlas as ma
from metricatlas.summaries import Confusion


@ma.define_measure(bounds=(0, 1), better="higher")
def share_of_first(c: Confusion):
    """Share of decisions for the first class."""
    return c.matrix.sum(axis=-2)[..., 0] / c.total
'''
COMMANDS = [[], ["evaluate"], ["relate"], ["simulate"], ["power"], ["catalogue"]]
#: Modules that a small file has no use for.
NEEDLESS = {"numba", "pandas", "scipy", "sklearn", "rich"}


@pytest.fixture
def folder(tmp_path):
    rows = 1000
    models = {f"m{k}": [(i * 37 % (101 + k)) / 111 for i in range(rows)] for k in range(8)}
    columns = {"y": [i % 2 for i in range(rows)], "rf": models["m0"]}
    pd.DataFrame({"y": columns["y"], **models}).to_csv(tmp_path / "many.csv", index=False)
    pd.DataFrame(columns).to_csv(tmp_path / "preds.csv", index=False)
    return tmp_path


def run(folder, *arguments, **options):
    return subprocess.run(
        [PROGRAM, *arguments], cwd=folder, capture_output=True, text=True, check=False, **options
    )


def test_a_file_is_evaluated(folder):
    ended = run(folder, "evaluate", "preds.csv", "--truth", "y", "--measures", "auc,f1.macro")
    assert ended.returncode == 0, ended.stderr
    assert "rf" in ended.stdout
    assert ended.stderr.startswith("Read 1,000 rows of preds.csv: truth `y`")


def test_bad_data_and_bad_usage_have_their_own_exit_codes(folder):
    bad_data = run(folder, "evaluate", "preds.csv", "--truth", "z")
    assert (bad_data.returncode, bad_data.stdout) == (1, "")
    assert bad_data.stderr.startswith("Error: preds.csv has no column `z`")
    assert len(bad_data.stderr.splitlines()) == 1
    assert run(folder, "evaluate", "preds.csv").returncode == 2
    assert run(folder, "evaluation").returncode == 2


def test_the_version_is_that_of_the_package(folder):
    assert run(folder, "--version").stdout == f"metricatlas {version('metricatlas')}\n"


def test_python_runs_the_package_as_the_program(folder):
    module = [sys.executable, "-m", "metricatlas"]
    ended = subprocess.run(
        [*module, "catalogue", "mcc"], capture_output=True, text=True, check=True
    )
    assert ended.stdout == run(folder, "catalogue", "mcc").stdout
    told = subprocess.run([*module, "--help"], capture_output=True, text=True, check=True)
    assert told.stdout.startswith("Usage: python -m metricatlas")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(command, folder):
    ended = run(folder, *command, "--help")
    assert ended.returncode == 0
    assert "Examples:" in ended.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_room_in_80_columns(command, folder):
    told = run(folder, *command, "--help", env={**os.environ, "COLUMNS": "80"}).stdout
    assert max(map(len, told.splitlines())) <= 80
    assert "..." not in told.replace("[ARGS]...", "").replace("{WORLDS}...", "")


def test_a_piped_page_is_as_wide_as_it_is_told(folder):
    told = {**os.environ, "COLUMNS": "60"}
    bare = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    widths = [
        max(map(len, run(folder, "catalogue", "ppv", env=env).stdout.splitlines()))
        for env in (told, bare)
    ]
    assert 50 < widths[0] <= 60
    assert 80 < widths[1] <= 88


def test_a_terminal_without_greek_gets_what_it_can_show(folder):
    ended = run(folder, "catalogue", "mcc", env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert ended.returncode == 0
    assert "sum_k r_k q_k" in ended.stdout
    assert "?" not in ended.stdout


def test_ones_own_measures_are_imported_from_the_working_folder(folder):
    (folder / "mine.py").write_text(OWN_MEASURE)
    options = ["--truth", "y", "--import", "mine", "--measures", "share_of_first,acc", "-f", "csv"]
    ended = run(folder, "evaluate", "preds.csv", *options)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("model,share_of_first,acc\nrf,0.5")
    told = run(folder, "catalogue", "share_of_first", "--import", "mine")
    assert "Share of decisions for the first class" in told.stdout


def test_a_pipe_that_is_closed_early_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        ended = subprocess.run(
            [PROGRAM, "catalogue"], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
        )
    finally:
        os.close(writer)
    assert (ended.returncode, ended.stderr) == (141, "")


def test_what_a_pipe_gives_is_read(folder):
    with (folder / "preds.csv").open() as file:
        ended = run(
            folder, "evaluate", "/dev/stdin", "--truth", "y", "-m", "auc", "-f", "csv", stdin=file
        )
    assert ended.returncode == 0, ended.stderr
    text = (folder / "preds.csv").read_text()
    piped = run(
        folder, "evaluate", "/dev/stdin", "--truth", "y", "-m", "auc", "-f", "csv", input=text
    )
    assert piped.stdout == ended.stdout


def test_an_interruption_ends_with_130(folder):
    os.mkfifo(folder / "slow.csv")
    program = subprocess.Popen(
        [PROGRAM, "evaluate", "slow.csv", "--truth", "y"], cwd=folder, stderr=subprocess.PIPE
    )
    # The program now waits for somebody to write into the pipe.
    with (folder / "slow.csv").open("wb"):
        time.sleep(0.5)
        program.send_signal(signal.SIGINT)
        _, said = program.communicate(timeout=20)
    assert program.returncode == 130
    assert b"Traceback" not in said


@pytest.mark.parametrize("name", ["preds.csv", "many.csv"])
def test_a_small_file_imports_nothing_heavy(name, folder):
    program = (
        "import sys\n"
        "from metricatlas.cli import main\n"
        f"sys.argv = ['metricatlas', 'evaluate', '{name}', '--truth', 'y', '-f', 'json']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit as end:\n"
        "    assert not end.code\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    loaded = set(ended.stderr.splitlines()[-1].split())
    assert "numpy" in loaded
    assert not loaded & NEEDLESS
