"""Bootstrap intervals of correlations, over groups or over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.predictions.numbers import is_number, is_whole
from metricatlas.relations.composites import with_candidates
from metricatlas.relations.correlation import METHODS, correlations
from metricatlas.relations.relations import mean_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pandas as pd

    from metricatlas.relations.relations import Relations
    from metricatlas.summaries.facts import Array

Over = Literal["groups", "rows"] | None
#: Resamples whose matrices are held at once.
TOGETHER = 50


class Interval(NamedTuple):
    """A correlation, and the interval of its resamples."""

    value: float
    low: float
    high: float


def cell_interval(
    relations: Relations,
    places: tuple[int, int],
    resamples: int,
    level: float,
    *,
    seed: int,
    over: Over,
) -> Interval:
    """Bootstrap one correlation; see `Relations.interval`."""
    pair = relations.taken(places)

    def cell(matrices: Array) -> Array:
        found: Array = matrices[:, 0, 1]
        return found

    values = _resampled(pair, cell, resamples, level, seed=seed, over=over)
    low, high = _ends(values, level)
    if _over_groups(relations, over) and np.isfinite(pair.stack[:, 0, 1]).sum() < 2:
        # One group drawn again and again shows no spread.
        low = high = np.full((), np.nan)
    return Interval(float(relations.matrix[places]), float(low), float(high))


def centrality(
    relations: Relations, candidates: tuple[str, ...], resamples: int, level: float, *, seed: int
) -> pd.DataFrame:
    """Average correlations to the other measures; see `Relations.centrality`."""
    import pandas as pd

    known = len(relations.names)
    asked = with_candidates(relations, candidates) if candidates else relations
    others = np.zeros((len(asked.names), len(asked.names)), dtype=bool)
    others[:, :known] = True
    np.fill_diagonal(others, val=False)

    def means(matrices: Array) -> Array:
        counted = others & ~np.isnan(matrices)
        with np.errstate(invalid="ignore"):
            found: Array = np.where(counted, matrices, 0.0).sum(axis=2) / counted.sum(axis=2)
        return found

    mean = means(asked.matrix[np.newaxis])[0]
    counts = (others & ~np.isnan(asked.matrix)).sum(axis=1)
    low = high = np.full(len(mean), np.nan)
    if asked.values is not None:
        low, high = _ends(_resampled(asked, means, resamples, level, seed=seed, over=None), level)
    table = pd.DataFrame(
        {"mean": mean, "low": low, "high": high, "others": counts},
        index=pd.Index(asked.names, name="measure"),
    )
    return table.sort_values("mean", ascending=False, kind="stable")


def _resampled(
    relations: Relations,
    read: Callable[[Array], Array],
    resamples: int,
    level: float,
    *,
    seed: int,
    over: Over,
) -> Array:
    """What is read off the matrices of each resample."""
    if relations.values is None:
        msg = "an interval needs measurements; these relations are a given matrix."
        raise RelationError(msg)
    if over not in ("groups", "rows", None):
        msg = f"over must be 'groups' or 'rows', or None to choose by their number; got {over!r}."
        raise RelationError(msg)
    known = is_whole(resamples) and is_number(level)
    if not known or resamples < 1 or not 0 < level < 1:
        msg = (
            f"resamples must be a whole number from 1 on, and level between 0 and 1; got "
            f"{resamples!r} and {level!r}."
        )
        raise RelationError(msg)
    drawn = _by_groups if _over_groups(relations, over) else _by_rows
    matrices = drawn(relations, resamples, seed)
    return np.concatenate([read(some) for some in matrices])


def _over_groups(relations: Relations, over: Over) -> bool:
    return over == "groups" or (over is None and len(relations.rows) > 1)


def _by_groups(relations: Relations, resamples: int, seed: int) -> Iterator[Array]:
    """Draw as many groups as there are, with replacement; each cell over those that have it."""
    rng = np.random.default_rng(seed)
    defined = ~np.isnan(relations.stack)
    filled, there = np.where(defined, relations.stack, 0.0), defined.astype(np.float64)
    count = len(filled)
    for first in range(0, resamples, TOGETHER):
        some = min(TOGETHER, resamples - first)
        draws = rng.multinomial(count, np.full(count, 1 / count), size=some).astype(np.float64)
        with np.errstate(invalid="ignore"):
            yield np.tensordot(draws, filled, 1) / np.tensordot(draws, there, 1)


def _by_rows(relations: Relations, resamples: int, seed: int) -> Iterator[Array]:
    """Draw as many rows as each group has, with replacement, and correlate them anew."""
    assert relations.values is not None  # noqa: S101 - said by whoever calls
    method = next(m for m in METHODS if m == relations.method)
    rng = np.random.default_rng(seed)
    for _ in range(resamples):
        stack = [
            correlations(relations.values[rows[rng.integers(0, len(rows), len(rows))]], method)
            for rows in relations.rows.values()
        ]
        yield mean_of(np.stack(stack))[np.newaxis]


def _ends(values: Array, level: float) -> tuple[Array, Array]:
    """Percentiles of what is defined; NaN where nothing is."""
    tail = (1 - level) / 2
    with np.errstate(invalid="ignore"):
        flat = values.reshape(len(values), -1)
        ends = np.full((2, flat.shape[1]), np.nan)
        for column in range(flat.shape[1]):
            known = flat[~np.isnan(flat[:, column]), column]
            if len(known):
                ends[:, column] = np.quantile(known, [tail, 1 - tail])
    shaped = ends.reshape(2, *values.shape[1:])
    return shaped[0], shaped[1]
