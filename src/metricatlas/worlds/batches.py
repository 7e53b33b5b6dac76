"""Repetitions in batches that are the same whatever the number of workers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

from metricatlas.summaries.fill import threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Probabilities that a batch has at most, of all its models together.
TOGETHER = 200_000

Found = TypeVar("Found")


def batches(repetitions: int, n: int, classes: int) -> list[int]:
    """Divide repetitions of two models for so many examples into batches."""
    size = max(1, TOGETHER // (2 * n * (1 if classes == 2 else classes)))
    return [min(size, repetitions - first) for first in range(0, repetitions, size)]


def in_order(work: Callable[[int], Found], count: int) -> Iterator[Found]:
    """Let threads work on numbered batches; give what they find in the order of the numbers."""
    pool = ThreadPoolExecutor(threads())
    try:
        yield from pool.map(work, range(count))
    finally:
        # Whoever presses Ctrl-C does not wait for batches that have not begun.
        pool.shutdown(cancel_futures=True)
