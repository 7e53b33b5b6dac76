"""The examples of the README and of the documentation do, one after the other, what they show."""

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import log_loss

import metricatlas as ma
from metricatlas.cli.description import description

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


def test_the_picture_shows_what_the_first_example_prints(tmp_path):
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / "first_look.py"],
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    picture = (ROOT / "docs" / "first-look.svg").read_text(encoding="utf-8")
    shown = unescape(" ".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture))).split()
    above = ["metricatlas", "$", "make", "run"]
    assert shown == [*above, *run.stdout.split()], "draw it anew: python docs/draw.py"


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


def test_the_exception_among_the_names_of_scikit_learn_is_the_one_that_is_told():
    y, p = [0, 1, 1], [0.0, 0.0, 1.0]
    assert ma.measure("log_loss", y, p) == np.inf
    assert ma.measure("d2_log_loss", y, p) == -np.inf
    (told,) = re.findall(
        r"`(log_loss_clipped\[.*?\])`", (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    )
    assert ma.measure(told, y, p) == pytest.approx(log_loss(y, p), rel=1e-12)
    for name in ("log_loss", "d2_log_loss"):
        assert "scikit-learn" in description(ma.catalogue[name])


def test_a_value_that_a_definition_sets_is_told_on_the_page_of_the_measure():
    (told,) = re.findall(r"as 0 for the `(\w+)` of a model", README.read_text(encoding="utf-8"))
    assert ma.measure(told, [0, 0, 1, 1], [0, 0, 0, 0]) == 0
    assert "0 when a row or column carries all mass" in description(ma.catalogue[told])


@pytest.mark.parametrize("page", [README, *sorted((ROOT / "docs").rglob("*.md"))], ids=str)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert not [link for link in local if not (page.parent / link).exists()]
