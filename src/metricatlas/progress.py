"""A sign of life for what takes longer than a second, on a terminal only."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = 1.0


@contextmanager
def progress(text: str, total: int) -> Iterator[Callable[[int], None]]:
    """Give a function that is told how much is done; a bar is shown once a second has passed."""
    shown = _Bar(text, total) if sys.stderr is not None and sys.stderr.isatty() else None
    try:
        yield shown.advance if shown else _nobody_looks
    finally:
        if shown:
            shown.stop()


def _nobody_looks(_done: int) -> None:
    """Take note of nothing."""


class _Bar:
    def __init__(self, text: str, total: int) -> None:
        self.text, self.total = text, total
        self.begin = time.monotonic()
        self.bar: object = None

    def advance(self, done: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        if self.bar is None:
            if time.monotonic() - self.begin < SECONDS:
                return
            self.bar = Progress(console=Console(stderr=True), transient=True)
            self.bar.start()
            self.bar.add_task(self.text, total=self.total)
        if isinstance(self.bar, Progress):
            self.bar.update(self.bar.task_ids[0], completed=done)

    def stop(self) -> None:
        from rich.progress import Progress

        if isinstance(self.bar, Progress):
            self.bar.stop()
