"""A sign of life on the terminal for whatever takes longer than a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SECONDS = 1.0


@contextmanager
def patience(text: str) -> Iterator[None]:
    """Show a text and the time it takes, on a terminal only, once a second has passed."""
    if not sys.stderr.isatty():
        yield
        return
    shown: list[Any] = []
    timer = threading.Timer(SECONDS, lambda: shown.append(_started(text)))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for progress in shown:
            progress.stop()


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
    task = progress.add_task(text.replace("[", r"\["), total=None)
    # The clock shows the time since the beginning, not since there was something to see.
    progress.tasks[task].start_time = time.monotonic() - SECONDS
    return progress
