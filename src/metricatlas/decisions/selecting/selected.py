"""How good the models are that measures select, with the error of the simulation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import DecisionError
from metricatlas.measurements.columns import nearest
from metricatlas.worlds.intervals import interval_of_share

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.decisions.selecting.outcome import Outcome
    from metricatlas.summaries.facts import Array


@dataclass(eq=False, repr=False)
class Selection:
    """Models that measures select on small samples, as they are judged by the rows left over.

    In a repetition all measures select from the same samples and are judged by the same rows, so
    they are compared pair by pair. Intervals tell the error of the simulation, from one draw of
    samples to the next; what another test set or other models would give is not in them.
    """

    #: The measures that select, and those that judge.
    chosen_by: tuple[str, ...]
    judged_by: tuple[str, ...]
    sizes: tuple[int, ...]
    models: int
    #: How many rows are judged by.
    left: int
    #: What values are taken from when they are added up, so that no digits are lost.
    base: Array
    repetitions: int = field(default=0, init=False)
    #: By size, chosen_by and judged_by, over repetitions: sums and sums of squares.
    sums: dict[str, Array] = field(default_factory=dict, init=False)
    squares: dict[str, Array] = field(default_factory=dict, init=False)
    #: How many repetitions have a correlation; in how many a model has no value to be chosen by.
    correlated: Array = field(init=False)
    undefined: Array = field(init=False)
    #: In how many repetitions all models can be judged, by judged_by.
    judged: Array = field(init=False)
    #: By size and judged_by, for two that choose: sums of the products of their regrets.
    products: Array = field(init=False)

    def __post_init__(self) -> None:
        count, by, sizes = len(self.chosen_by), len(self.judged_by), len(self.sizes)
        for name in ("value", "regret", "best", "correlation"):
            self.sums[name], self.squares[name] = np.zeros((2, sizes, count, by))
        self.correlated = np.zeros((sizes, count, by))
        self.undefined = np.zeros((sizes, count))
        self.judged = np.zeros(by)
        self.products = np.zeros((sizes, by, count, count))

    def add(self, outcomes: list[Outcome]) -> None:
        """Add repetitions, an outcome for each size."""
        self.repetitions += len(outcomes[0].judged)
        self.judged += outcomes[0].judged.sum(axis=0)
        for size, found in enumerate(outcomes):
            known = found.judged[:, np.newaxis]
            correlated = ~np.isnan(found.correlation)
            for name, numbers in (
                ("value", np.where(known, found.value - self.base, 0.0)),
                ("regret", found.regret),
                ("best", found.best),
                ("correlation", np.where(correlated, found.correlation, 0.0)),
            ):
                self.sums[name][size] += numbers.sum(axis=0)
                self.squares[name][size] += np.square(numbers).sum(axis=0)
            self.correlated[size] += correlated.sum(axis=0)
            self.undefined[size] += found.undefined.sum(axis=0)
            self.products[size] += np.einsum("rfg,rhg->gfh", found.regret, found.regret)

    @property
    def table(self) -> pd.DataFrame:
        """A row for each judging measure, choosing measure and size n of the small sample.

        ``value`` is the judging measure of the chosen model on the rows left over, ``regret`` how
        much better the best model is there, ``share_best`` how often the best one is chosen, and
        ``correlation`` the mean over repetitions of Spearman's correlation, over models, of the one
        measure on the small sample with the other one on the rows left over. ``undefined`` is the
        share of repetitions in which some model has no value to be chosen by, ``unjudged`` the
        share that is not counted because some model has no finite value to be judged by.
        """
        import pandas as pd

        columns: dict[str, Array] = {}
        for title, (mean, low, high) in self._intervals().items():
            columns |= {title: mean, f"{title}_low": low, f"{title}_high": high}
        columns["undefined"] = self.undefined[:, :, np.newaxis] / self.repetitions
        columns["unjudged"] = 1 - self.judged / self.repetitions
        sizes, count, by = shape = self.correlated.shape
        keys = {
            "judged_by": np.repeat(self.judged_by, count * sizes),
            "chosen_by": np.tile(np.repeat(self.chosen_by, sizes), by),
            "n": np.tile(self.sizes, count * by),
        }
        flat = {name: np.broadcast_to(v, shape).T.ravel() for name, v in columns.items()}
        return pd.DataFrame({**keys, **flat})

    def _intervals(self) -> dict[str, tuple[Array, Array, Array]]:
        """Means with intervals of 95 %, sizes by chosen_by by judged_by."""
        judged = self.judged + np.zeros_like(self.correlated)
        value, error = _mean(self.sums["value"], self.squares["value"], judged)
        value = value + self.base
        regret, wide = _mean(self.sums["regret"], self.squares["regret"], judged)
        correlation, apart = _mean(
            self.sums["correlation"], self.squares["correlation"], self.correlated
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            best, square = (part["best"] / judged for part in (self.sums, self.squares))
            shares = interval_of_share(best, square, np.where(judged > 0, judged, np.nan))
        ends = ((correlation + side * apart).clip(-1, 1) for side in (-1, 1))
        return {
            "value": (value, value - error, value + error),
            # Only pairs, taken as numbers, can be better than the best.
            "regret": (regret, np.maximum(regret - wide, np.minimum(regret, 0.0)), regret + wide),
            "share_best": (best, *shares),
            "correlation": (correlation, *ends),
        }

    def difference(self, measure: str, other: str, *, judged_by: str | None = None) -> pd.DataFrame:
        """Compare the models that two measures choose, size by size.

        ``difference`` is how much better the first one's model is under the judging measure (the
        mean over repetitions, turned so that higher is better), with its interval of 95 %;
        ``better`` names the measure whose models are better; it is "neither" where 0 is within the
        interval. Each size is looked at by itself.

        Parameters
        ----------
        measure, other
            The two that choose, by the names under which they were asked for.
        judged_by
            The one that judges; not needed where there is one.
        """
        import pandas as pd

        one, two = (_place(self.chosen_by, name, "measures") for name in (measure, other))
        judge = self._judge(judged_by)
        sums, products = self.sums["regret"][:, :, judge], self.products[:, judge]
        square = products[:, one, one] - 2 * products[:, one, two] + products[:, two, two]
        count = np.full(len(self.sizes), self.judged[judge])
        mean, error = _mean(sums[:, two] - sums[:, one], square, count)
        low, high = mean - error, mean + error
        better = np.where(low > 0, measure, np.where(high < 0, other, "neither"))
        return pd.DataFrame(
            {"n": self.sizes, "difference": mean, "low": low, "high": high, "better": better}
        )

    def _judge(self, name: str | None) -> int:
        if name is None and len(self.judged_by) > 1:
            msg = (
                f"judged_by must name the measure that judges, one of "
                f"{', '.join(map(repr, self.judged_by))}; got none."
            )
            raise DecisionError(msg)
        return 0 if name is None else _place(self.judged_by, name, "judged_by")

    def __repr__(self) -> str:
        import pandas as pd

        regret = self._intervals()["regret"][0]
        head = (
            f"{self.repetitions:,} times, {len(self.chosen_by)} measure(s) choose one of "
            f"{self.models} models on n examples; {self.left:,} others judge."
        )
        lines = [head]
        for judge, name in enumerate(self.judged_by):
            means = pd.DataFrame(
                regret[:, :, judge].T, index=list(self.chosen_by), columns=list(self.sizes)
            )
            means.columns.name = "n"
            order = means.sum(axis=1).sort_values(kind="stable").index[:10]
            more = len(means) - len(order)
            lines += [
                f"How much worse than the best one the chosen model is, by {name}:",
                means.loc[order].to_string(float_format="{:.4f}".format),
                *([f"and {more} more"] if more else []),
            ]
        return "\n".join(lines)


def _mean(sums: Array, squares: Array, count: Array) -> tuple[Array, Array]:
    """Means, and the halves of their intervals of 95 %; NaN where nothing tells."""
    from scipy.special import stdtrit

    with np.errstate(invalid="ignore", divide="ignore"):
        mean = sums / count
        variance = np.maximum(squares - sums * mean, 0.0) / (count - 1)
        error = stdtrit(np.maximum(count - 1, 1), 0.975) * np.sqrt(variance / count)
    return mean, np.where(count > 1, error, np.nan)


def _place(names: tuple[Any, ...], name: Any, what: str) -> int:
    if name not in names:
        msg = f"{what} has no {name!r}{nearest(name, names)}"
        raise DecisionError(msg)
    return names.index(name)
