"""Random confusion matrices, on which two measures are said to go together.

The experiment of jurman2010 on the transformed Matthews correlation and confusion entropy: 200,000
matrices of 3 to 30 classes, cells on the diagonal from 1 to 1,000, others from 1 to a share of that
which is drawn for each matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.predictions.numbers import is_whole, listed
from metricatlas.relations.agreement import Agreement
from metricatlas.relations.counting import counted
from metricatlas.relations.resampling import Interval

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

LARGEST = 1000
SHARES = (0.01, 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class RandomMatrices:
    """What both measures say of random matrices."""

    #: The number of classes of each matrix.
    classes: Array
    #: The transformed Matthews correlation, without the factor k.
    tmcc: Array
    cen: Array

    @cached_property
    def scaled_cen(self) -> Array:
        """Confusion entropy times k, the factor for its number of classes."""
        logarithm = np.log(self.classes)
        k = 1.012 * (1 + 0.18924 / logarithm - 0.06694 / np.square(logarithm))
        return k * self.cen

    @cached_property
    def correlation(self) -> float:
        """Pearson's correlation of both."""
        return float(np.corrcoef(self.tmcc, self.scaled_cen)[0, 1])

    @cached_property
    def agreement(self) -> Agreement:
        """How both order all pairs of matrices."""
        return Agreement(*counted(-self.tmcc, -self.scaled_cen))

    def ratio(self, *, resamples: int = 1000, level: float = 0.95, seed: int = 0) -> Interval:
        """Return the mean of their ratios, with the interval of Student's bootstrap."""
        if not is_whole(resamples) or resamples < 1 or not 0 < level < 1:
            msg = (
                f"resamples must be a whole number from 1 on, and level between 0 and 1; got "
                f"{resamples!r} and {level!r}."
            )
            raise RelationError(msg)
        return student_interval(self.tmcc / self.scaled_cen, resamples, level, seed)

    def __repr__(self) -> str:
        return f"<{len(self.classes):,} random confusion matrices>"


def student_interval(values: Array, resamples: int, level: float, seed: int) -> Interval:
    """The mean, and its bootstrap interval by the quantiles of (mean' - mean) / error'.

    Resamples of one value only have no error', and are left out; few values may have no others.
    """
    count = len(values)
    # From a value near the mean, so that the squares keep their digits.
    away = values - values[0]
    mean = float(away.mean())
    error = float(away.std(ddof=1)) / np.sqrt(count)
    rng = np.random.default_rng(seed)
    found = np.empty(resamples)
    for i in range(resamples):
        drawn = away.take(rng.integers(0, count, count))
        own = np.add.reduce(drawn) / count
        drawn -= own
        variance = drawn.dot(drawn) / (count - 1)
        found[i] = (own - mean) / np.sqrt(variance / count) if variance > 0 else np.nan
    tail = (1 - level) / 2
    known = found[~np.isnan(found)]
    low, high = np.quantile(known, [1 - tail, tail]) if len(known) else (np.nan, np.nan)
    start = float(values[0])
    ends = (float(start + mean - t * error) for t in (low, high))
    return Interval(start + mean, *ends)


def random_matrices(
    count: int = 200_000, *, classes: tuple[int, int] = (3, 30), seed: int = 0
) -> RandomMatrices:
    """Draw matrices, and evaluate both measures on them.

    >>> found = random_matrices(1000)
    >>> bool(found.correlation > 0.99)
    True
    """
    from metricatlas.evaluation import evaluate_confusion

    numbers = [count, *listed(classes)]
    if len(numbers) != 3 or not all(map(is_whole, numbers)):
        msg = f"count and both ends of classes must be whole numbers; got {count!r}, {classes!r}."
        raise RelationError(msg)
    least, most = classes
    if count < 2 or not 2 <= least <= most:
        msg = f"there must be 2 matrices or more, of 2 classes or more; got {count} of {classes}."
        raise RelationError(msg)
    rng = np.random.default_rng(seed)
    sizes = np.sort(rng.integers(least, most + 1, count))
    bounds = np.floor(LARGEST * rng.uniform(*SHARES, count))
    tmcc, cen = np.empty(count), np.empty(count)
    for size in np.unique(sizes).tolist():
        here = sizes == size
        stack = _drawn(rng, size, bounds[here])
        table = evaluate_confusion(stack, measures=["tmcc", "cen"])
        tmcc[here], cen[here] = table.values.T
    return RandomMatrices(sizes, tmcc, cen)


def _drawn(rng: np.random.Generator, classes: int, bounds: Array) -> Array:
    """Matrices of one size: uniform whole numbers, each matrix up to its own bound."""
    uniform = rng.random((len(bounds), classes, classes), dtype=np.float32)
    stack = np.floor(uniform * bounds[:, np.newaxis, np.newaxis]).astype(np.float64) + 1
    # The product with the largest float below 1 may round up to the bound.
    stack = np.minimum(stack, bounds[:, np.newaxis, np.newaxis])
    diagonal = np.arange(classes)
    stack[:, diagonal, diagonal] = rng.integers(1, LARGEST + 1, (len(bounds), classes))
    return stack
