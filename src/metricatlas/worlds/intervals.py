"""Shares of repetitions, with the error of the simulation, and measures ranked by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from metricatlas.summaries.facts import Array

#: Standard errors on both sides of an interval of 95 %.
WIDTH = 1.959963984540054


def interval_of_share(share: Array, square: Array, count: int | Array) -> tuple[Array, Array]:
    """Wilson's interval of a share, narrower where half choices make its variance smaller."""
    variance = np.maximum(square - np.square(share), 0.0)
    binomial = share * (1 - share)
    # Where nothing has varied the binomial variance of Wilson's centre keeps the interval honest.
    factor = np.divide(variance, binomial, out=np.ones_like(share), where=binomial > 0)
    size = count / np.where(factor > 0, factor, 1.0)
    z = WIDTH * WIDTH / size
    centre = (share + z / 2) / (1 + z)
    half = np.sqrt(share * (1 - share) * z + z * z / 4) / (1 + z)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def ranked(names: Sequence[str], mean: Array, covariance: Array, count: int) -> pd.DataFrame:
    """Rank measures by their share of wrong choices; those of one group cannot be told apart.

    Measures are of one group where the share differs from that of the group's first by no more than
    the simulation's error (1.96 standard errors of the paired difference). The covariance is that
    of the means over so many repetitions.
    """
    import pandas as pd

    order = np.array(sorted(range(len(mean)), key=lambda i: (mean[i], names[i])))
    group, first, groups = 0, int(order[0]), []
    for i in order.tolist():
        variance = covariance[i, i] + covariance[first, first] - 2 * covariance[i, first]
        if mean[i] - mean[first] > WIDTH * np.sqrt(max(variance, 0.0)):
            group, first = group + 1, i
        groups.append(group + 1)
    variance = np.maximum(np.diagonal(covariance), 0.0) * count
    low, high = interval_of_share(mean, variance + np.square(mean), count)
    table = {
        "measure": [names[i] for i in order],
        "wrong": mean[order],
        "low": low[order],
        "high": high[order],
        "group": groups,
    }
    return pd.DataFrame(table)


def listing(table: pd.DataFrame) -> list[str]:
    """Lines of the first ten measures of a ranking."""
    shown = [
        f"  {line.wrong:.4f}  {line.measure}" for line in table.head(10).itertuples(index=False)
    ]
    return [*shown, f"  and {len(table) - 10} more"] if len(table) > 10 else shown
