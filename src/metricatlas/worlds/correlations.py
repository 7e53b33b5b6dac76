"""How measures correlate with a target, repetition by repetition, and which of them do so more."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.summaries.facts import Array

#: A difference is significant where chance alone gives one as large less often.
LEVEL = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class PerturbedLists:
    """Pearson correlations of measures with a target over perturbed lists; see `perturbed_lists`.

    Within a repetition all measures look at the same lists, so they are compared pair by pair.
    """

    names: tuple[str, ...]
    epsilons: tuple[float, ...]
    target: str
    #: Epsilons by repetitions by measures; NaN where a measure is constant or undefined.
    correlations: Array

    @property
    def table(self) -> pd.DataFrame:
        """A row for each epsilon and measure: the mean correlation and its standard deviation.

        ``best`` marks the largest mean of an epsilon and those that the paired t-test cannot tell
        from it, which huang2007 prints in bold. ``undefined`` is the share of repetitions without a
        correlation; the others make the mean.
        """
        import pandas as pd

        lines = [
            {
                "epsilon": epsilon,
                "measure": name,
                "correlation": own.mean() if len(own) else np.nan,
                "deviation": own.std(ddof=1) if len(own) > 1 else np.nan,
                "best": best,
                "undefined": 1 - len(own) / len(found),
            }
            for epsilon, found in zip(self.epsilons, self.correlations, strict=True)
            for name, best, own in zip(self.names, _best(found), _defined(found), strict=True)
        ]
        return pd.DataFrame(lines)

    @property
    def tests(self) -> pd.DataFrame:
        """A row for each epsilon and two measures: the paired t-test of their correlations.

        ``difference`` is the mean of the measure's minus the other's, with its interval of 95 %;
        ``p`` is two-sided. Repetitions count in which both have a correlation.
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "epsilon": epsilon,
                "measure": self.names[i],
                "other": self.names[j],
                **paired(found[:, i] - found[:, j]),
            }
            for epsilon, found in zip(self.epsilons, self.correlations, strict=True)
            for i, j in combinations(range(len(self.names)), 2)
        )

    def __repr__(self) -> str:
        import pandas as pd

        means = [
            [own.mean() if len(own) else np.nan for own in _defined(e)] for e in self.correlations
        ]
        shown = pd.DataFrame(means, index=list(self.epsilons), columns=list(self.names))
        shown.columns.name = "epsilon"
        count = self.correlations.shape[1]
        head = f"Correlation with {self.target}, mean of {count:,} repetition(s):"
        return f"{head}\n{shown.to_string(float_format='{:.4f}'.format)}"


def _defined(found: Array) -> list[Array]:
    """Of each measure the correlations that it has."""
    return [column[~np.isnan(column)] for column in found.T]


def _best(found: Array) -> list[bool]:
    """Which measures have the largest mean, or one that cannot be told from it."""
    means = np.array([own.mean() if len(own) else -np.inf for own in _defined(found)])
    largest = found[:, int(np.argmax(means))]
    tests = [paired(largest - column)["p"] for column in found.T]
    return [m > -np.inf and not p < LEVEL for m, p in zip(means.tolist(), tests, strict=True)]


def paired(differences: Array) -> dict[str, float]:
    """Test whether the mean of differences is zero, by Student's t; NaN are left out."""
    from scipy.special import stdtr, stdtrit

    known = differences[~np.isnan(differences)]
    freedom = len(known) - 1
    mean = float(known.mean()) if len(known) else np.nan
    if freedom < 1:
        return {"difference": mean, "low": np.nan, "high": np.nan, "t": np.nan, "p": np.nan}
    error = float(known.std(ddof=1)) / np.sqrt(freedom + 1)
    half = float(stdtrit(freedom, 1 - LEVEL / 2)) * error
    if (known == known[0]).all():
        # Without any spread a difference is either none at all or beyond doubt.
        error, half, mean = 0.0, 0.0, float(known[0])
    t = mean / error if error > 0 else float(np.copysign(np.inf, mean)) if mean else 0.0
    p = 2 * float(stdtr(freedom, -abs(t)))
    return {"difference": mean, "low": mean - half, "high": mean + half, "t": t, "p": p}
