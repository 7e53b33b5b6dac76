"""Every confusion matrix of given class sizes, as jurman2010 compares measures on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import TYPE_CHECKING, Literal

import numpy as np

from metricatlas.errors import RelationError, UndefinedWarning
from metricatlas.predictions.numbers import is_whole, listed
from metricatlas.relations.agreement import Agreement, chained, lexicographic
from metricatlas.relations.counting import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metricatlas.measurements import Measurements
    from metricatlas.summaries.facts import Array

#: So many matrices are written down at most.
MOST = 3_000_000
#: Equal values differ by less than the first, as rounding does; different ones by more than the
#: second. Between them floats cannot say.
EQUAL, DIFFERENT = 1e-13, 1e-11


@dataclass(frozen=True)
class ConfusionMatrices:
    """All confusion matrices whose rows have these sums, each as likely as any other."""

    class_sizes: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many matrices there are."""
        classes = len(self.class_sizes)
        return prod(comb(size + classes - 1, classes - 1) for size in self.class_sizes)

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return True

    @cached_property
    def stack(self) -> Array:
        """The matrices, (k, c, c)."""
        classes = len(self.class_sizes)
        rows = [_compositions(size, classes) for size in self.class_sizes]
        places = np.unravel_index(np.arange(len(self)), [len(r) for r in rows])
        return np.stack([row[place] for row, place in zip(rows, places, strict=True)], axis=1)

    def measurements(self, measures: Iterable[str]) -> Measurements:
        """Evaluate measures on every matrix."""
        import warnings

        from metricatlas.evaluation import evaluate_confusion

        with warnings.catch_warnings():
            # Whoever asks for an agreement is told of undefined values in words.
            warnings.simplefilter("ignore", UndefinedWarning)
            return evaluate_confusion(self.stack, measures=listed(measures))

    def agreement(
        self, f: str, g: str, *, undefined: Literal["refuse", "leave out"] = "refuse"
    ) -> Agreement:
        """Compare two measures over all pairs of matrices, turned so that higher is better.

        Ties are exact: values that differ by no more than rounding are equal, and it is an error if
        some differ by so little more that floats cannot say.
        """
        if undefined not in ("refuse", "leave out"):
            msg = f"undefined must be 'refuse' or 'leave out'; got {undefined!r}."
            raise RelationError(msg)
        table = self.measurements([f, g])
        values = table.oriented().values
        places = []
        defined: Array = ~np.logical_or.reduce(np.isnan(values), axis=1)
        if not defined.all() and undefined != "leave out":
            msg = (
                f"both measures must be defined for every matrix; of {len(defined):,} matrices "
                f"{int((~defined).sum()):,} have no {f} or {g}. Say undefined='leave out' to "
                f"compare the others."
            )
            raise RelationError(msg)
        for i, name in enumerate((f, g)):
            if i in table.pairs:
                first, second = (_exact(level, name) for level in table.levels(i)[defined].T)
                places.append(lexicographic(first, second))
            else:
                places.append(_exact(values[defined, i], name).astype(np.float64))
        one, other = places
        return Agreement(*counted(one, other))


def _exact(values: Array, name: str) -> Array:
    """Places of values, equal where they differ by no more than rounding."""
    finite = values[np.isfinite(values)]
    size = max(1.0, float(np.abs(finite).max(initial=0.0)))
    ordered = np.sort(finite)
    gaps = np.diff(ordered) / size
    unclear = (gaps > EQUAL) & (gaps < DIFFERENT)
    if unclear.any():
        msg = (
            f"values of {name} must be equal or clearly different for exact ties; {unclear.sum()} "
            f"neighbours differ by {gaps[unclear].min():.1e} to {gaps[unclear].max():.1e} of their "
            f"size. Take smaller classes."
        )
        raise RelationError(msg)
    return chained(values, EQUAL * size)


def _compositions(size: int, parts: int) -> Array:
    """All ways to share out a number to so many places: bars between stars."""
    bars = np.array(list(combinations(range(size + parts - 1), parts - 1)), dtype=np.int64)
    bars = bars.reshape(comb(size + parts - 1, parts - 1), parts - 1)
    ends = np.column_stack([np.full(len(bars), -1), bars, np.full(len(bars), size + parts - 1)])
    return np.diff(ends, axis=1) - 1


def confusion_matrices(class_sizes: Iterable[int]) -> ConfusionMatrices:
    """All confusion matrices of classes of these sizes.

    >>> import metricatlas as ma
    >>> pairs = ma.confusion_matrices([2, 4, 3]).agreement("cen", "mcc")
    >>> pairs.P, pairs.Q
    (3178, 591)
    """
    sizes = tuple(listed(class_sizes))
    if len(sizes) < 2 or not all(map(is_whole, sizes)) or min(sizes) < 0 or sum(sizes) < 1:
        msg = f"class_sizes must be whole numbers of two classes or more; got {sizes!r}."
        raise RelationError(msg)
    found = ConfusionMatrices(tuple(int(s) for s in sizes))
    if found.count > MOST:
        msg = f"at most {MOST:,} matrices are compared; classes of {sizes} have {found.count:,}."
        raise RelationError(msg)
    return found
