"""The pages about the command line: every option is there, every example prints what is shown."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from metricatlas.cli import app

DOCS = Path(__file__).parents[1] / "docs"
FILES = re.compile(r"^```csv (\S+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
CONSOLES = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shown_by(command, folder):
    program, *rest = shlex.split(command)
    path = Path(sys.executable).with_name(program)
    # The pages show what a pipe gets where nobody says how wide it is.
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    run = subprocess.run(
        [path, *rest], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    return run.stderr + run.stdout


def commands(page):
    return {
        command.partition("\n")[0]: command.partition("\n")[2]
        for block in CONSOLES.findall((DOCS / page).read_text(encoding="utf-8"))
        for command in block.removeprefix("$ ").split("\n$ ")
    }


@pytest.mark.parametrize(
    ("page", "command"),
    [(page, c) for page in ("command-line.md", "files.md") for c in commands(page)],
)
def test_the_examples_print_what_the_page_shows(page, command, tmp_path):
    for name, content in FILES.findall((DOCS / page).read_text(encoding="utf-8")):
        (tmp_path / name).write_text(content)
    assert shown_by(command, tmp_path).rstrip() == commands(page)[command].rstrip()


def test_every_option_is_on_the_page():
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    program = typer.main.get_command(app)
    sections = re.split(r"^## ", text, flags=re.MULTILINE)
    for name, command in program.commands.items():
        (section,) = [s for s in sections if s.startswith(f"{name}\n")]
        for parameter in command.params:
            names = [*parameter.opts, *parameter.secondary_opts]
            spelled = [n.upper() if parameter.param_type_name == "argument" else n for n in names]
            for option in spelled:
                assert re.search(rf"`{option}[` ]", section), f"{name} {option}"
