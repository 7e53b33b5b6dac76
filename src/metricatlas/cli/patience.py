"""A sign of life on the terminal for whatever takes longer than a second, and why it may."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from metricatlas.cli.letters import one_line

SECONDS = 1.0
FIRST_RUN = "first run here: compiling once, about a minute"
#: So long the first run takes to begin with compiling, or any other to end.
SECONDS_TO_COMPILE = 3.0


@contextmanager
def patience(text: str, *, may_compile: bool = False) -> Iterator[None]:
    """Show a text and the time it takes, on a terminal only, once a second has passed."""
    if not sys.stderr.isatty():
        yield
        return
    sign = _Sign(text)
    timers = [threading.Timer(SECONDS, sign.show)]
    if may_compile and not is_compiled():
        timers.append(threading.Timer(SECONDS_TO_COMPILE, sign.say, [f"{text} ({FIRST_RUN})"]))
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
            timer.join()
        sign.hide()


def is_compiled() -> bool:
    """Whether Numba has kept something that it compiled, where it keeps it."""
    place = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(__file__).parent.parent)
    # That of the largest kernel: relations and worlds have small ones of their own.
    return next(place.rglob("scan_rows.*.nbi"), None) is not None


class _Sign:
    """A line on the terminal, whose text may change before and after it is shown."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.progress: Any = None

    def show(self) -> None:
        self.progress = _started(self.text)
        self.say(self.text)

    def say(self, text: str) -> None:
        self.text = text
        if self.progress is not None:
            self.progress.update(self.progress.task_ids[0], description=_plain(text))

    def hide(self) -> None:
        if self.progress is not None:
            self.progress.stop()


def _plain(text: str) -> str:
    return one_line(text).replace("[", r"\[")


def _started(text: str) -> Any:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    progress = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        # Nothing else is written meanwhile, and results must go out untouched.
        redirect_stdout=False,
        redirect_stderr=False,
    )
    progress.start()
    task = progress.add_task(_plain(text), total=None)
    # The clock shows the time since the beginning, not since there was something to see.
    progress.tasks[task].start_time = time.monotonic() - SECONDS
    return progress
