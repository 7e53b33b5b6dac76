"""Where results go, seen from outside: files, links, devices, pipes, full disks and terminals."""

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pandas as pd
import pytest

from metricatlas.measurements import Measurements

PROGRAM = str(Path(sys.executable).with_name("metricatlas"))
OPTIONS = ("--truth", "y", "-m", "auc")


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "p.csv").write_text("y,a\n0,.1\n1,.2\n0,.3\n1,.4\n")
    return tmp_path


def run(folder, *arguments, **options):
    options = {"text": True, "capture_output": True} | options
    return subprocess.run([PROGRAM, "evaluate", *arguments], cwd=folder, check=False, **options)


def in_shell(folder, command, **options):
    return subprocess.run(
        ["/bin/sh", "-c", command.replace("metricatlas", PROGRAM)],
        cwd=folder,
        check=False,
        text=True,
        capture_output=True,
        **options,
    )


@pytest.mark.parametrize(
    ("source", "out"),
    [
        ("p.csv", "./p.csv"),
        ("p.csv", "link.csv"),
        ("link.csv", "hard.csv"),
        ("-", "p.csv"),
        ("/dev/stdin", "p.csv"),
    ],
)
def test_the_file_that_is_read_is_never_written(source, out, folder):
    (folder / "link.csv").symlink_to("p.csv")
    (folder / "hard.csv").hardlink_to(folder / "p.csv")
    before = (folder / "p.csv").read_text()
    with (folder / "p.csv").open() as file:
        ended = run(folder, source, *OPTIONS, "--out", out, stdin=file)
    assert ended.returncode == 1
    assert "it would destroy the predictions" in ended.stderr
    assert (folder / "p.csv").read_text() == before


def test_a_full_disk_and_a_closed_output_are_no_mistake_of_the_program(folder):
    for command in (
        "metricatlas evaluate p.csv --truth y > /dev/full",
        "metricatlas evaluate p.csv --truth y -f json > /dev/full",
        "metricatlas evaluate p.csv --truth y >&-",
        "metricatlas evaluate p.csv --truth y -o /dev/full -f csv",
        "metricatlas catalogue > /dev/full",
        "metricatlas catalogue mcc >&-",
        "metricatlas --help > /dev/full",
        "metricatlas --version > /dev/full",
    ):
        ended = in_shell(folder, command)
        assert ended.returncode == 1, command
        assert "written: " in ended.stderr, command
        assert "mistake" not in ended.stderr
        assert "Traceback" not in ended.stderr
        assert "Exception" not in ended.stderr


def test_a_file_is_written_where_stdout_is_closed(folder):
    ended = in_shell(folder, "metricatlas evaluate p.csv --truth y -m auc -o o.csv >&- 2>&-")
    assert ended.returncode == 0
    assert (folder / "o.csv").read_text() == "model,auc\na,0.75\n"


def test_devices_and_pipes_are_written_to(folder):
    expected = "model,auc\na,0.75\n"
    piped = run(folder, "p.csv", *OPTIONS, "--out", "/dev/stdout", "-f", "csv", "-q")
    assert (piped.returncode, piped.stdout) == (0, f"{expected}"), piped.stderr
    command = "metricatlas evaluate p.csv --truth y -m auc -q -f csv -o /dev/stdout >> all.csv"
    (folder / "all.csv").write_text("before\n")
    assert in_shell(folder, command).returncode == 0
    assert (folder / "all.csv").read_text() == f"before\n{expected}"
    assert run(folder, "p.csv", *OPTIONS, "--out", "/dev/null", "-f", "csv").returncode == 0


@pytest.mark.parametrize("asked", ["csv", "parquet"])
def test_a_named_pipe_is_written_to(asked, folder):
    os.mkfifo(folder / "pipe")
    got = []
    reader = threading.Thread(target=lambda: got.append((folder / "pipe").read_bytes()))
    reader.start()
    ended = run(folder, "p.csv", *OPTIONS, "--out", "pipe", "-f", asked)
    reader.join(20)
    assert ended.returncode == 0, ended.stderr
    if asked == "csv":
        assert got == [b"model,auc\na,0.75\n"]
    else:
        (folder / "got.parquet").write_bytes(got[0])
        assert Measurements.load(folder / "got.parquet")["auc"].tolist() == [0.75]


@pytest.mark.parametrize("name", ["o.csv", "o.parquet"])
def test_overwriting_keeps_who_may_read(name, folder):
    (folder / name).write_text("old")
    (folder / name).chmod(0o640)
    assert run(folder, "p.csv", *OPTIONS, "--out", name).returncode == 0
    assert stat.S_IMODE((folder / name).stat().st_mode) == 0o640


def test_a_file_that_is_read_only_is_not_replaced(folder):
    (folder / "o.csv").write_text("old")
    (folder / "o.csv").chmod(0o444)
    ended = run(folder, "p.csv", *OPTIONS, "--out", "o.csv")
    assert ended.returncode == 1
    assert "o.csv must not be read-only" in ended.stderr
    assert (folder / "o.csv").read_text() == "old"


def test_a_link_into_nothing_is_explained(folder):
    (folder / "link.csv").symlink_to(folder / "gone" / "o.csv")
    ended = run(folder, "p.csv", *OPTIONS, "--out", "link.csv")
    assert ended.returncode == 1
    assert "link.csv cannot be written: it is a link to" in ended.stderr
    assert "there is no folder" in ended.stderr


def test_standard_input_is_read(folder):
    text = (folder / "p.csv").read_text()
    ended = run(folder, "-", *OPTIONS, "-f", "csv", input=text)
    assert (ended.returncode, ended.stdout) == (0, "model,auc\na,0.75\n")
    assert ended.stderr.startswith("Read 4 rows of standard input: ")
    empty = run(folder, "-", *OPTIONS, input="")
    assert (empty.returncode, empty.stderr) == (1, "Error: standard input is empty.\n")


def test_letters_that_a_terminal_has_not_are_escaped_in_data(folder):
    (folder / "p.csv").write_text("y,mod\u00e8le,b\n0,.1,.2\n1,.2,.1\n")
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = run(folder, "p.csv", "--truth", "y", "-m", "auc,brier", "-f", "json", env=env)
    assert json.loads(ended.stdout)[0]["model"] == "mod\u00e8le"
    assert ended.stdout.isascii()
    ended = run(folder, "p.csv", "--truth", "y", "-m", "auc,brier", "-f", "csv", env=env)
    assert "mod\\u00e8le" in ended.stdout
    table = run(folder, "p.csv", "--truth", "y", "-m", "auc,brier", env=env)
    assert "brier v" in table.stdout
    out = run(folder, "p.csv", *OPTIONS, "-o", "o.json", env=env)
    assert out.returncode == 0
    assert json.loads((folder / "o.json").read_text(encoding="utf-8"))[0]["model"] == "mod\u00e8le"


def test_a_piped_table_is_as_wide_as_it_is(folder):
    frame = pd.DataFrame({"y": [0, 1] * 5} | {f"m{i}": [0.1, 0.2] * 5 for i in range(12)})
    frame.to_csv(folder / "many.csv", index=False)
    options = ("many.csv", "--truth", "y", "-m", "auc,acc,brier,mcc,kappa,log_loss")
    expected = run(folder, *options).stdout
    narrow = run(folder, *options, env={**os.environ, "COLUMNS": "30"}).stdout
    assert narrow == expected
    assert "no room" not in narrow


def test_names_cannot_move_the_cursor(folder):
    (folder / "p.csv").write_bytes(b'y,"a\x1b[31m\nb"\n0,.1\n1,.2\n')
    ended = run(folder, "p.csv", *OPTIONS)
    assert "\x1b" not in ended.stderr + ended.stdout
    assert "a\\x1b[31m\\nb: probabilities" in ended.stderr
    ended = run(folder, "p.csv", *OPTIONS, "--model", "c")
    assert ended.returncode == 1
    assert "\x1b" not in ended.stderr
    assert len(ended.stderr.splitlines()) == 1


def test_what_a_module_prints_is_no_result(folder):
    (folder / "loud.py").write_text("print('hello')\n")
    ended = run(folder, "p.csv", *OPTIONS, "-f", "csv", "--import", "loud")
    assert ended.stdout == "model,auc\na,0.75\n"
    assert "hello" in ended.stderr
    (folder / "rude.py").write_text("import sys\nsys.exit(0)\n")
    ended = run(folder, "p.csv", *OPTIONS, "--import", "rude")
    assert ended.returncode == 2
    assert "rude must not end the program when it is imported; it calls exit(0)" in ended.stderr
