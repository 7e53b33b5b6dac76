"""Sums by group in the array form: neighbours are added in pairs, so long sums do not drift."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array


class Groups:
    """Which group each example belongs to, and the order that brings the groups together."""

    def __init__(self, group: Array, groups: int) -> None:
        # NumPy sorts 16 bits by radix, several times faster.
        small = group.astype(np.uint16) if groups <= 65_536 else group
        self.order = small.argsort(kind="stable")
        self.group = group.take(self.order)
        self.counts = np.bincount(group, minlength=groups)
        self.present = self.counts.nonzero()[0]
        self.starts = (np.cumsum(self.counts) - self.counts)[self.present]

    def sums(self, terms: Array) -> Array:
        """Sum the last axis, already in our order, by group."""
        found: Array = np.add.reduceat(terms, self.starts, axis=-1)
        if len(self.present) == len(self.counts):
            return found
        sums = np.zeros((*terms.shape[:-1], len(self.counts)))
        sums[..., self.present] = found
        return sums


def rows_of(starts: Array, models: int) -> Array:
    """The row of every prediction, models outermost; one row's is not spelt out."""
    segments = len(starts) - 1
    if models * segments == 1:
        return np.zeros((1, 1), dtype=np.int64)
    segment = np.repeat(np.arange(segments), np.diff(starts))
    return segment + segments * np.arange(models)[:, np.newaxis]
