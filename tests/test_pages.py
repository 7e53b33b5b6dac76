"""The examples of the README and of the documentation do, one after the other, what they show."""

import contextlib
import doctest
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
    with contextlib.redirect_stdout(out), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", ma.UndefinedWarning)
        exec(program, space)  # noqa: S102 - our own README
    return out.getvalue(), [f"{w.category.__name__}: {w.message}" for w in warned]


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
    said = " ".join(README.read_text(encoding="utf-8").split())
    for kind, code, expected in shown:
        output, warned = printed_by(code, space) if kind == "python" else (shown_by(code), [])
        assert output == expected
        assert not [warning for warning in warned if warning not in said]
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert [p.name for p in tmp_path.iterdir() if f"/{p.name}" not in ignored] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.name)
def test_the_python_of_the_documentation_runs(page, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = page.read_text(encoding="utf-8")
    space = {}
    for kind, code, *_ in BLOCKS.findall(text):
        if kind == "python" and code.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(code, space, page.name, str(page), 0)
            out = io.StringIO()
            doctest.DocTestRunner().run(test, out=out.write, clear_globs=False)
            space = test.globs
            assert not out.getvalue(), out.getvalue()
        elif kind == "python":
            exec(code, space)  # noqa: S102 - our own pages


@pytest.mark.parametrize("page", [README, *sorted((ROOT / "docs").rglob("*.md"))], ids=str)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert not [link for link in local if not (page.parent / link).exists()]
