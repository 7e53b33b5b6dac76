"""What comparing models costs, a resample, against one call of the peer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.metrics import roc_auc_score

import metricatlas as ma
from benchmarks.timing import interleaved
from benchmarks.workloads import Row, binary

if TYPE_CHECKING:
    from collections.abc import Iterator


def ranking_measures() -> list[str]:
    """All measures of the family that serve two classes and need no parameter."""
    y, p = binary(100)
    fitting = {column.measure for column in ma.evaluate(y, p).schema}
    return [m.name for m in ma.catalogue.find(family="ranking") if m.name in fitting]


def resamples(n: int, count: int, seconds: float) -> Iterator[Row]:
    """The whole of `compare`, by the number of models and of resamples."""
    # On few examples the peer is done too soon for a ratio to mean much.
    slack = 1 if n >= 10**5 else 10
    y, p = binary(n, 2)
    one = p[0, :, 0].copy()
    measures = ranking_measures()

    def compared(asked: list[str]) -> object:
        found = ma.compare(y, p, measures=asked, resamples=count)
        return found.table, found.winners

    times = interleaved(
        {
            "peer": lambda: roc_auc_score(y, one),
            "auc": lambda: compared(["auc"]),
            "ranking": lambda: compared(measures),
        },
        seconds=seconds,
        most=9,
    )
    for name, title, bound in (
        ("auc", "AUC", 0.012),
        ("ranking", f"{len(measures)} measures of ranking", 0.05),
    ):
        each = times.best[name] / (2 * count)
        detail = f"{each * 1e3:.3f} ms : {times.best['peer'] * 1e3:.2f} ms"
        work = f"compare, n = {n:,}: {title}, a resample of a model"
        yield Row(work, "roc_auc_score", each / times.best["peer"], slack * bound, detail=detail)
