"""How often measures choose wrongly, with the error of the simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.worlds.intervals import interval_of_share, listing, ranked

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from metricatlas.summaries.facts import Array
    from metricatlas.worlds.profile import Profile


@dataclass(eq=False, repr=False)
class Reliability:
    """The share of wrong choices of each measure at each level of noise.

    A repetition is a pair of models; all measures choose between the same ones, so their errors are
    compared pair by pair.
    """

    world: str
    names: tuple[str, ...]
    levels: tuple[float, ...]
    profile: Profile
    repetitions: int = 0
    #: By level and measure: sums over repetitions of choices (1 wrong, 0.5 none), and of squares.
    sums: Array = field(default_factory=lambda: np.empty(0))
    squares: Array = field(default_factory=lambda: np.empty(0))
    undefined: Array = field(default_factory=lambda: np.empty(0))
    #: By measure, and by pair of measures: sums of the averages over levels, and of products.
    averages: Array = field(default_factory=lambda: np.empty(0))
    products: Array = field(default_factory=lambda: np.empty(0))

    @classmethod
    def empty(
        cls, world: str, names: Sequence[str], levels: Sequence[float], profile: Profile
    ) -> Reliability:
        """Nothing, to which batches are added."""
        shape = (len(levels), len(names))
        sums, squares, undefined = np.zeros((3, *shape))
        count = len(names)
        return cls(
            world,
            tuple(names),
            tuple(levels),
            profile,
            sums=sums,
            squares=squares,
            undefined=undefined,
            averages=np.zeros(count),
            products=np.zeros((count, count)),
        )

    def add(self, choices: Array) -> Array:
        """Add a batch, (repetitions, levels, measures); return each one's average over levels."""
        missing = choices > 2
        doubled = np.where(missing, 1, choices).astype(np.float64)
        self.repetitions += len(choices)
        self.sums += doubled.sum(axis=0) / 2
        self.squares += np.square(doubled).sum(axis=0) / 4
        self.undefined += missing.sum(axis=0)
        # Doubled sums are whole numbers: exact, in whatever order they are added.
        own = doubled.sum(axis=1)
        self.averages += own.sum(axis=0)
        self.products += own.T @ own
        return own / (2 * len(self.levels))

    @property
    def wrong(self) -> pd.DataFrame:
        """A row for each measure and level: the share of wrong choices with its interval.

        ``undefined`` is the share of repetitions in which the measure has no value for a model.
        """
        import pandas as pd

        share = self.sums / self.repetitions
        low, high = interval_of_share(share, self.squares / self.repetitions, self.repetitions)
        return pd.DataFrame(
            {
                "measure": np.repeat(self.names, len(self.levels)),
                "level": np.tile(self.levels, len(self.names)),
                "wrong": share.T.ravel(),
                "low": low.T.ravel(),
                "high": high.T.ravel(),
                "undefined": (self.undefined / self.repetitions).T.ravel(),
            }
        )

    def average(self) -> dict[str, float]:
        """Return the share of wrong choices of each measure, averaged over the levels."""
        return dict(zip(self.names, self._average().tolist(), strict=True))

    def _average(self) -> Array:
        found: Array = self.averages / (2 * len(self.levels) * self.repetitions)
        return found

    def area(self) -> dict[str, float]:
        """Return the area below each measure's curve of wrong choices, over the levels' span."""
        levels = np.array(self.levels)
        if len(levels) < 2:
            msg = "an area needs two levels or more; `average()` has the one level's share."
            raise WorldError(msg)
        share = self.sums / self.repetitions
        areas = np.trapezoid(share, levels, axis=0) / (levels[-1] - levels[0])
        return dict(zip(self.names, areas.tolist(), strict=True))

    def ranking(self) -> pd.DataFrame:
        """Return measures from the most reliable on, with those that cannot be told apart.

        Measures are of one group where the average share of wrong choices differs from that of the
        group's first by no more than the simulation's error (1.96 standard errors of the paired
        difference).
        """
        return ranked(self.names, self._average(), self._covariance(), self.repetitions)

    def _covariance(self) -> Array:
        """Of the averages over levels, as means over repetitions."""
        scale = 2 * len(self.levels)
        mean = self.averages / self.repetitions
        spread = self.products / self.repetitions - np.multiply.outer(mean, mean)
        found: Array = spread / (scale * scale) / max(self.repetitions - 1, 1)
        return found

    def __repr__(self) -> str:
        head = (
            f"{self.world}: share of wrong choices in {self.repetitions:,} repetitions, averaged "
            f"over {len(self.levels)} levels."
        )
        like = [f"  ({self.profile.described()})"] if self.profile.like is not None else []
        return "\n".join([head, *like, *listing(self.ranking())])
