"""How many test examples each measure needs to pick the better of two models."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isnan, nan
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.worlds.intervals import interval_of_share

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.summaries.facts import Array
    from metricatlas.worlds.profile import Profile


@dataclass(eq=False, repr=False)
class Power:
    """How often each measure picks the better of two models, by the size of the test set.

    All measures choose between the same pairs of models on the same test sets.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    #: How often the choice must be right for a test set to be large enough.
    share: float
    repetitions: int
    profile: Profile
    #: Which examples both models see alike; see `power`.
    overlap: float
    #: The noise on every test set, if there is any.
    world: str | None
    level: float | None
    #: By size and measure: sums over repetitions of right choices (0.5 for none), and of squares.
    sums: Array
    squares: Array
    undefined: Array

    @property
    def curve(self) -> pd.DataFrame:
        """A row for each measure and size: the share of right choices with its interval.

        ``undefined`` is the share of repetitions in which the measure has no value for a model.
        """
        import pandas as pd

        right, low, high = self._shares()
        return pd.DataFrame(
            {
                "measure": np.repeat(self.names, len(self.sizes)),
                "n": np.tile(self.sizes, len(self.names)),
                "right": right.T.ravel(),
                "low": low.T.ravel(),
                "high": high.T.ravel(),
                "undefined": (self.undefined / self.repetitions).T.ravel(),
            }
        )

    def _shares(self) -> tuple[Array, Array, Array]:
        right = self.sums / self.repetitions
        return right, *interval_of_share(right, self.squares / self.repetitions, self.repetitions)

    def needed(self) -> pd.DataFrame:
        """Return the size from which on each measure is right often enough, the smallest first.

        Between two sizes the curve is a straight line of the normal quantile over the root of n, as
        that of a mean is, and it never falls. ``low`` and ``high`` are where the upper and lower
        bounds of the shares get there. What none of the sizes suffices for is NaN, and ``says`` has
        it in words; so it has where the smallest size suffices.
        """
        import pandas as pd

        right, low, high = self._shares()
        rows = []
        for place, name in enumerate(self.names):
            sizes = [self._crossing(shares[:, place]) for shares in (right, high, low)]
            rows.append((name, *sizes, self._said(*sizes)))
        found = pd.DataFrame(rows, columns=["measure", "n", "low", "high", "says"])
        return found.sort_values(["n", "measure"], na_position="last", ignore_index=True)

    def _crossing(self, shares: Array) -> float:
        """The size at which a curve reaches the share; NaN where it does not."""
        from scipy.optimize import isotonic_regression
        from scipy.stats import norm

        rising = isotonic_regression(shares).x
        place = int(np.searchsorted(rising, self.share))
        if place == len(rising):
            return nan
        if place == 0:
            return float(self.sizes[0])
        # No share is as sure as 0 or 1, whose quantiles are infinite.
        least = 1 / (2 * self.repetitions)
        before, after = norm.ppf(rising[place - 1 : place + 1].clip(least, 1 - least))
        part = (norm.ppf(self.share) - before) / (after - before)
        first, last = np.sqrt(self.sizes[place - 1 : place + 1])
        return float(ceil((first + part * (last - first)) ** 2 - 1e-9))

    def _said(self, n: float, low: float, high: float) -> str:
        first, last = f"{self.sizes[0]:,}", f"more than {self.sizes[-1]:,}"
        if isnan(n):
            return last if isnan(low) else f"{last} (from {low:,.0f} on)"
        until = last if isnan(high) else f"{high:,.0f}"
        if n == self.sizes[0]:
            return f"{first} or fewer" if high == n else f"{first} or fewer (to {until})"
        return f"{n:,.0f} ({low:,.0f} to {until})"

    def described(self) -> str:
        """What was asked, in a line."""
        noise = "" if self.world is None else f", {self.world} at {self.level:g}"
        return (
            f"Test examples needed to pick the better model {100 * self.share:g} times in 100, in "
            f"{self.repetitions:,} repetitions: {self.profile.described(size=False)}, overlap "
            f"{self.overlap:g}{noise}."
        )

    def __repr__(self) -> str:
        table = self.needed()
        width = max(map(len, table["measure"].head(10)))
        shown = [
            f"  {line.measure:{width}}  {line.says}"
            for line in table.head(10).itertuples(index=False)
        ]
        more = [f"  and {len(table) - 10} more"] if len(table) > 10 else []
        return "\n".join([self.described(), *shown, *more])
