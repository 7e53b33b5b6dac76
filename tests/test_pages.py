"""The README's examples, pasted one after the other, print what the README shows."""

import contextlib
import io
import re
import shlex
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import metricatlas as ma

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
BLOCKS = re.compile(r"^```(python|console|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples():
    """Return the code blocks of the README below "Three examples", with what each should print."""
    blocks = BLOCKS.findall(README.read_text(encoding="utf-8").partition("## Three examples")[2])
    found = []
    for kind, text in blocks:
        if kind == "text":
            found[-1] = (*found[-1][:2], text)
        elif kind == "console":
            command, _, output = text.partition("\n")
            found.append((kind, command.removeprefix("$ "), output))
        else:
            found.append((kind, text, ""))
    return found


def printed_by(program, space):
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        exec(program, space)  # noqa: S102 - our own README
    return out.getvalue()


def shown_by(command):
    program, *rest = shlex.split(command)
    folder = Path(sys.executable).parent
    run = subprocess.run([folder / program, *rest], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stderr + run.stdout


def test_the_examples_print_what_the_readme_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    space = {}
    shown = examples()
    assert len(shown) == 4
    for kind, code, expected in shown:
        output = printed_by(code, space) if kind == "python" else shown_by(code)
        assert output == expected


@pytest.mark.parametrize("page", [README, *sorted((ROOT / "docs").rglob("*.md"))], ids=str)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert not [link for link in local if not (page.parent / link).exists()]
