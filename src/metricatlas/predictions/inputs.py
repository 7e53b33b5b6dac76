"""What an argument is called in messages, and where its rows were before any were dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import PredictionError

if TYPE_CHECKING:
    from metricatlas.predictions.model import Array


@dataclass(frozen=True, slots=True)
class Input:
    """One argument of the door. Its arrays have the axes (models, examples, ...) from here on."""

    title: str
    #: Numbers of the rows that weights left over; None if all.
    kept: Array | None = None

    def __str__(self) -> str:
        return self.title

    def pick(self, values: Array) -> Array:
        """The rows that have weight."""
        return values if self.kept is None else values.take(self.kept, axis=1)

    def row(self, number: int) -> int:
        """The row's number as the user counts."""
        return int(number if self.kept is None else self.kept[number])

    def first(self, wrong: Array) -> str:
        """The place of the first True, in words."""
        place = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        of_model = f" of model {int(place[0])}" if len(wrong) > 1 else ""
        return f"row {self.row(int(place[1]))}{of_model}"

    def refuse_missing(self, missing: Array, what: str = "missing") -> PredictionError:
        """The error for values that are not there."""
        count = int(missing.sum())
        return PredictionError(
            f"{self} must be complete; got {count} {what} value{'s' if count > 1 else ''}, the "
            f"first in {self.first(missing)}. Drop or fill these rows before evaluating."
        )
