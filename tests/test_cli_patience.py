"""A sign of life for whatever takes long, and none for the rest."""

import io
import sys
import time

import pytest

from metricatlas.cli import patience as module
from metricatlas.cli.patience import patience


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def open_terminal(monkeypatch):
    """To be called within the test: pytest exchanges stderr between setup and test."""

    def opened():
        terminal = Terminal()
        monkeypatch.setattr(sys, "stderr", terminal)
        monkeypatch.setattr(module, "SECONDS", 0.05)
        monkeypatch.setenv("TERM", "xterm")
        return terminal

    return opened


def test_what_takes_long_is_shown_on_a_terminal(open_terminal):
    terminal = open_terminal()
    with patience("Reading [a] file"):
        until = time.monotonic() + 20
        while "file" not in terminal.getvalue() and time.monotonic() < until:
            time.sleep(0.05)
    assert "Reading [a] file" in terminal.getvalue()


def test_what_is_quick_is_not_shown(open_terminal):
    terminal = open_terminal()
    with patience("Reading"):
        pass
    assert terminal.getvalue() == ""


def test_nothing_is_shown_where_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.01)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with patience("Reading"):
        time.sleep(0.1)
    assert sys.stderr.getvalue() == ""


def test_an_error_ends_it(open_terminal):
    terminal = open_terminal()

    def fail():
        with patience("Reading"):
            time.sleep(0.2)
            raise ValueError("no such luck")

    with pytest.raises(ValueError, match="no such luck"):
        fail()
    length = len(terminal.getvalue())
    time.sleep(0.3)
    assert len(terminal.getvalue()) == length


@pytest.mark.parametrize("compiled", [False, True])
def test_the_first_run_says_that_it_compiles(compiled, open_terminal, monkeypatch):
    monkeypatch.setattr(module, "SECONDS_TO_COMPILE", 0.2)
    monkeypatch.setattr(module, "is_compiled", lambda: compiled)
    terminal = open_terminal()
    with patience("Evaluating", may_compile=True):
        until = time.monotonic() + (1 if compiled else 20)
        while module.FIRST_RUN not in terminal.getvalue() and time.monotonic() < until:
            time.sleep(0.05)
    assert (module.FIRST_RUN in terminal.getvalue()) is not compiled


def test_what_numba_keeps_tells_whether_it_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "__file__", str(tmp_path / "package" / "cli" / "patience.py"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "kept"))
    assert not module.is_compiled()
    (tmp_path / "kept" / "deep").mkdir(parents=True)
    (tmp_path / "kept" / "deep" / "counting_scan.count-1.py311.nbi").touch()
    # Small kernels compile in no time.
    assert not module.is_compiled()
    (tmp_path / "kept" / "deep" / "scan_rows.wins-1.py311.nbi").touch()
    assert module.is_compiled()
