"""Where measures point in different directions: for which models, how surely, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.reasoning.reasons import direction_table, why

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.evaluation.engine import Asked


@dataclass(frozen=True, eq=False)
class Given:
    """What a comparison was asked about, as it came."""

    y_true: object
    predictions: object
    measures: Asked
    #: What `evaluate` takes besides; without groups.
    options: dict[str, Any]
    #: How many examples the rarest class has.
    fewest: int

    def two(self, one: int, other: int) -> dict[Any, Any]:
        """Two of the models, by number."""
        found: list[tuple[Any, Any]] = []
        named = self.predictions
        if not isinstance(named, Mapping):
            table: Any = named
            return {number: table[number] for number in (one, other)}
        for name, values in named.items():
            if np.ndim(values) == 3:
                batch: Any = values
                found += [(f"{name}[{i}]", own) for i, own in enumerate(batch)]
            else:
                found.append((name, values))
        return dict(found[number] for number in (one, other))

    def directions(self, one: int, other: int) -> pd.DataFrame:
        """Which of two models each measure prefers, as they are and in experiments."""
        return direction_table(self.y_true, self.two(one, other), self.measures, **self.options)


def disagreements_of(
    given: Given, models: tuple[Any, ...], sure: Mapping[tuple[int, int], Mapping[str, float]]
) -> pd.DataFrame:
    """Tabulate every pair of models with every pair of measures that disagree about it.

    `sure` has for each pair and measure the probability that the first model is better.
    """
    import pandas as pd

    lines: list[tuple[Any, ...]] = []
    for one, other in combinations(range(len(models)), 2):
        table = given.directions(one, other)
        table = table[~table.index.duplicated() & table.index.isin(sure[one, other])]
        signs = table.iloc[:, 0]
        for f, g in product(signs.index[signs > 0], signs.index[signs < 0]):
            own, against = sure[one, other][f], 1 - sure[one, other][g]
            lines.append((models[one], models[other], f, g, own, against, why(table, f, g)))
    columns = ["model", "other", "measure", "against", "probability", "probability_against", "why"]
    frame = pd.DataFrame(lines, columns=columns)
    least = -frame[["probability", "probability_against"]].min(axis=1).to_numpy()
    return frame.iloc[np.argsort(least, kind="stable")].reset_index(drop=True)
