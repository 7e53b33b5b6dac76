"""What the door hands on: checked predictions of one kind, for one or many models."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = np.ndarray[Any, Any]
Kind = Literal["labels", "scores", "probabilities"]

#: Whole numbers up to here are exact.
COUNTABLE = 2.0**53


@dataclass(frozen=True)
class Predictions:
    """Predictions of ``k`` models for the same ``n`` examples, checked at the door.

    A row of every later table is one model on one segment (a group), models outermost. Arrays are
    contiguous, may be the user's own, and are never written to.
    """

    kind: Kind
    #: Class names; of two classes the second is the positive one.
    classes: tuple[Any, ...]
    #: Class codes, ``(1, n)`` or ``(k, n)``: uint8, or int64 where there are more than 256 classes.
    truth: Array
    #: Codes ``(k, n)``; of two classes the positive's score ``(k, n)``; else ``(k, n, c)``.
    values: Array
    weight: Array | None = None
    #: Where each segment begins, and the end: ``(segments + 1,)``.
    starts: Array = field(default_factory=lambda: np.zeros(2, dtype=np.int64))
    #: Positive iff score > threshold; it may be infinite. None for labels.
    threshold: float | None = None
    #: The classes as they were declared: in the order of `labels`, else sorted.
    columns: tuple[Any, ...] = ()
    #: The cluster of each example, ``(n,)``, numbered from 0 on: those of one belong together.
    clusters: Array | None = None
    #: Whether these are some of the examples of a table whose weights are no numbers of rows.
    of_fractional: bool = False

    @property
    def binary(self) -> bool:
        """Whether the task has two classes."""
        return len(self.classes) == 2

    @property
    def models(self) -> int:
        """How many models."""
        return int(self.values.shape[0])

    @property
    def segments(self) -> int:
        """How many segments, that is groups, or one."""
        return len(self.starts) - 1

    @property
    def rows(self) -> int:
        """How many evaluated prediction sets."""
        return self.models * self.segments

    @property
    def size(self) -> int:
        """How many predictions in all."""
        return self.models * int(self.values.shape[1])

    @property
    def fractional(self) -> bool:
        """Whether weights are no numbers of rows: not whole, or too many to be counted."""
        weight = self.weight
        if weight is None:
            return False
        if self.of_fractional or float(weight.sum()) > COUNTABLE:
            return True
        return bool(np.any(weight != np.floor(weight)))

    def segment(self, number: int) -> Predictions:
        """The predictions of one segment alone."""
        here = slice(int(self.starts[number]), int(self.starts[number + 1]))
        clusters = None
        if self.clusters is not None:
            clusters = np.unique(self.clusters[here], return_inverse=True)[1]
        return replace(
            self,
            truth=self.truth[:, here],
            values=self.values[:, here],
            weight=None if self.weight is None else self.weight[here],
            starts=np.array([0, here.stop - here.start], dtype=np.int64),
            clusters=clusters,
            of_fractional=self.fractional,
        )

    def truth_of(self, model: int) -> Array:
        """Class codes against which a model is judged."""
        row: Array = self.truth[model if len(self.truth) > 1 else 0]
        return row


@dataclass(frozen=True)
class RowKeys:
    """What names the rows of the table: for each key a column with one value a row."""

    columns: dict[str, Sequence[Any] | Array]
