"""Several worlds at once, and their average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.measurements.columns import nearest
from metricatlas.worlds.intervals import listing, ranked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from metricatlas.summaries.facts import Array
    from metricatlas.worlds.reliability import Reliability


@dataclass(eq=False, repr=False)
class Reliabilities:
    """The share of wrong choices of each measure in several worlds.

    A repetition is a pair of models, which every world disturbs in its own way. `average` and
    `ranking` are over the worlds, each of them averaged over its levels.
    """

    worlds: dict[str, Reliability]
    #: By measure, and by pair of measures: sums of the averages over worlds, and of products.
    averages: Array
    products: Array

    @classmethod
    def of(cls, worlds: Sequence[Reliability]) -> Reliabilities:
        """Nothing, to which batches are added."""
        count = len(worlds[0].names)
        named = {reliability.world: reliability for reliability in worlds}
        return cls(named, np.zeros(count), np.zeros((count, count)))

    def add(self, choices: Sequence[Array]) -> None:
        """Add a batch, an array for each world; see `Reliability.add`."""
        own = np.mean(
            [world.add(part) for world, part in zip(self.worlds.values(), choices, strict=True)],
            axis=0,
        )
        self.averages += own.sum(axis=0)
        self.products += own.T @ own

    def __getitem__(self, world: str) -> Reliability:
        if world not in self.worlds:
            msg = f"there is no world {world!r}{nearest(str(world), list(self.worlds))}"
            raise WorldError(msg)
        return self.worlds[world]

    def __iter__(self) -> Iterator[str]:
        return iter(self.worlds)

    def __len__(self) -> int:
        return len(self.worlds)

    @property
    def names(self) -> tuple[str, ...]:
        """The measures."""
        return self._any.names

    @property
    def repetitions(self) -> int:
        """How many pairs of models there are."""
        return self._any.repetitions

    @property
    def _any(self) -> Reliability:
        return next(iter(self.worlds.values()))

    @property
    def wrong(self) -> pd.DataFrame:
        """A row for each world, measure and level; see `Reliability.wrong`."""
        import pandas as pd

        tables = {name: reliability.wrong for name, reliability in self.worlds.items()}
        return pd.concat(tables, names=["world"]).reset_index(level=0).reset_index(drop=True)

    def average(self) -> dict[str, float]:
        """Return the share of wrong choices of each measure, averaged over levels and worlds."""
        mean = self.averages / self.repetitions
        return dict(zip(self.names, mean.tolist(), strict=True))

    def ranking(self) -> pd.DataFrame:
        """Return measures from the most reliable on, with those that cannot be told apart.

        A column for each world has its own average.
        """
        mean = self.averages / self.repetitions
        spread = self.products / self.repetitions - np.multiply.outer(mean, mean)
        table = ranked(self.names, mean, spread / max(self.repetitions - 1, 1), self.repetitions)
        for name, reliability in self.worlds.items():
            own = reliability.average()
            table[name] = [own[measure] for measure in table["measure"]]
        return table

    def __repr__(self) -> str:
        one = self._any
        head = (
            f"{', '.join(self.worlds)}: share of wrong choices in {self.repetitions:,} "
            f"repetitions, averaged over levels and worlds."
        )
        like = [f"  ({one.profile.described()})"] if one.profile.like is not None else []
        return "\n".join([head, *like, *listing(self.ranking())])
