"""Print the table: ``python -m benchmarks [--smoke]``."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import comparing, relating, workloads
from benchmarks.machine import description

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.workloads import Row

HEAD = "| work | against | measured | required | | times |\n|---|---|---|---|---|---|"


def rows(*, smoke: bool) -> Iterator[Row]:
    """Every workload; the smoke run has small ones, which show that all of them run."""
    if smoke:
        yield from workloads.one_model([10**3, 10**4], seconds=0.3)
        yield workloads.many_models(50, 1_000, 0.3, 2, seconds=0.2)
        yield from workloads.matrices(2_800)
        yield from relating.pairs(10**4, seconds=0.2)
        yield from relating.lists({40: 1.0})
        yield from relating.worlds(1_000)
        yield from comparing.resamples(10**4, 50, seconds=0.2)
        yield from workloads.start_up(1)
        return
    yield from workloads.one_model([10**3, 10**4, 10**5, 10**6], seconds=6)
    yield from workloads.one_model([10**7], seconds=15)
    yield workloads.many_models(2_000, 10_000, 0.08, 2, seconds=10)
    yield workloads.many_models(20_000, 100, 0.005, 1, seconds=5)
    yield workloads.ten_classes(10**6, seconds=10)
    yield from workloads.matrices(200_000)
    yield from relating.pairs(10**6, seconds=5)
    yield relating.all_pairs(60, 20_000)
    yield from relating.lists({100: 1.0, 200: 10.0})
    yield relating.experiment(200_000)
    yield from relating.worlds(10_000)
    yield from comparing.resamples(10**5, 1_000, seconds=10)
    yield workloads.memory(10**7)
    yield from workloads.start_up(7)


def line(row: Row) -> str:
    """One line of the table."""
    value = f"{row.value:.3g} {row.unit}".strip()
    required = f"{row.required:g} {row.unit}".strip()
    return (
        f"| {row.work} | {row.peer or '-'} | {value} | {required} | "
        f"{'ok' if row.holds else 'MISSED'} | {row.detail} |"
    )


def main() -> None:
    """Measure and print; with ``--out`` keep the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small workloads: does all of it run?")
    parser.add_argument("--out", type=Path, help="write the table to this file too")
    options = parser.parse_args()
    lines = [description(), "", HEAD]
    print("\n".join(lines))
    for row in rows(smoke=options.smoke):
        lines.append(line(row))
        print(lines[-1], flush=True)
    if options.out:
        options.out.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
