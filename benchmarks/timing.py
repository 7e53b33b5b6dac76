"""Seconds of a piece of work: the minimum of interleaved repeats."""

from __future__ import annotations

import gc
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True)
class Times:
    """Seconds of each contestant: the minimum, and the median for a look at the noise."""

    best: Mapping[str, float]
    median: Mapping[str, float]

    def ratio(self, ours: str = "ours", peer: str = "peer") -> float:
        """How many times as long as the peer we take."""
        return self.best[ours] / self.best[peer]


def interleaved(contestants: Mapping[str, Work], *, seconds: float, most: int = 200) -> Times:
    """Run the contestants in turn until the time is spent, three times each at least.

    Each runs once beforehand, so that nothing is compiled or imported while the clock runs. Short
    work is repeated until it takes two milliseconds, because a clock reads badly below that.
    """
    repeats = {}
    for name, work in contestants.items():
        work()
        start = time.perf_counter()
        work()
        once = time.perf_counter() - start
        repeats[name] = max(1, int(0.002 / max(once, 1e-7)))
    found: dict[str, list[float]] = {name: [] for name in contestants}
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 3 or (time.perf_counter() < end and rounds < most):
        for name, work in contestants.items():
            found[name].append(_timed(work, repeats[name]))
        rounds += 1
    return Times(
        {name: min(times) for name, times in found.items()},
        {name: statistics.median(times) for name, times in found.items()},
    )


def _timed(work: Work, repeats: int) -> float:
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(repeats):
            work()
        return (time.perf_counter() - start) / repeats
    finally:
        gc.enable()


def command_seconds(command: list[str], *, repeats: int, env: Mapping[str, str]) -> float:
    """The shortest of some runs of a command."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=dict(env))
        times.append(time.perf_counter() - start)
    return min(times)


def python_prints(program: str) -> float:
    """The number that a program prints, run in a fresh interpreter."""
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return float(run.stdout.split()[-1])
