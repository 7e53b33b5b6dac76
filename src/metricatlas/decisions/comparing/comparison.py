"""A comparison of models: values, intervals, winners, and how sure these are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.comparing.corrections import corrected
from metricatlas.decisions.comparing.intervals import Resampled, automatic
from metricatlas.decisions.comparing.pairs import Pair, compared
from metricatlas.errors import DecisionError
from metricatlas.measurements.columns import nearest

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.decisions.comparing.corrections import Correction
    from metricatlas.decisions.comparing.disagreements import Given
    from metricatlas.decisions.comparing.exact import Exact
    from metricatlas.decisions.comparing.intervals import Method
    from metricatlas.decisions.comparing.replicates import Replicates
    from metricatlas.decisions.cutting.crossings import Crossings
    from metricatlas.decisions.datasets.across import Across, Rope
    from metricatlas.measurements import Column, Measurements
    from metricatlas.summaries.facts import Array


@dataclass(frozen=True)
class Settings:
    """How a comparison was made."""

    resamples: int
    seed: int
    level: float
    #: "auto", or the method for all.
    interval: str
    correction: Correction
    stratified: bool
    clustered: bool

    @property
    def method(self) -> Method:
        """The method for what has no interval of its own."""
        return "bca" if self.interval == "auto" else self.interval  # type: ignore[return-value]


class Comparison:
    """What `compare` found. Frames are worked out when they are first asked for."""

    def __init__(
        self,
        models: tuple[Any, ...],
        measurements: Measurements,
        replicates: Replicates,
        exact: Exact | None,
        settings: Settings,
        given: Given | None = None,
    ) -> None:
        self.models = models
        #: The values as they are: a row for each model, and group.
        self.measurements = measurements
        self.settings = settings
        self._replicates = replicates
        self._exact = exact
        self._given = given
        self._pairs: dict[tuple[int, int], Pair] = {}

    @property
    def fewest(self) -> int | None:
        """How many examples the rarest class has, where that is known."""
        return None if self._given is None else self._given.fewest

    @property
    def two_level(self) -> tuple[str, ...]:
        """The names of the two-level measures."""
        return tuple(self.schema[i].name for i in self._replicates.levels)

    @property
    def schema(self) -> tuple[Column, ...]:
        """What there is to know about each measure."""
        return self._replicates.schema

    @property
    def _choosing(self) -> list[int]:
        """The measures that say which of two models is better."""
        return [i for i, column in enumerate(self.schema) if column.better != "neither"]

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each measure and model: its value and the interval.

        ``interval`` says how this was found, ``undefined`` in which share of the resamples the
        measure has no value. Of half or more there is no interval.
        """
        import pandas as pd

        reps = self._replicates
        lines = []
        for model, name in enumerate(self.models):
            without = None if reps.without is None else reps.without[model]
            ends = self._ends(Resampled(reps.values[model], reps.points[model], without))
            undefined = np.isnan(reps.values[model]).mean(axis=0)
            for i, column in enumerate(self.schema):
                low, high, how = float(ends[0][i]), float(ends[1][i]), ends[2][i]
                known = self._known(model, i)
                if known is not None:
                    low, high, how = known
                value = float(reps.points[model, i])
                lines.append((i, model, column.name, name, value, low, high, how, undefined[i]))
        names = ["measure", "model", "value", "low", "high", "interval", "undefined"]
        ordered = [line[2:] for line in sorted(lines, key=lambda line: line[:2])]
        return pd.DataFrame(ordered, columns=names)

    def _ends(self, resampled: Resampled) -> tuple[Array, Array, list[Method]]:
        """Intervals of the values of a model, and the method of each."""
        settings = self.settings
        if settings.interval == "auto":
            bounds = np.array([(c.lower, c.upper) for c in self.schema], dtype=np.float64)
            return automatic(resampled, settings.level, bounds[:, 0], bounds[:, 1])
        low, high = resampled.interval(settings.method, settings.level)
        return low, high, [settings.method] * len(low)

    def _known(self, model: int, column: int) -> Any:
        if self.settings.interval != "auto" or self._exact is None:
            return None
        return self._exact.interval(model, self.schema[column], self.settings.level)

    def _pair(self, one: int, other: int) -> Pair:
        if (one, other) not in self._pairs:
            self._pairs[one, other] = compared(
                self._replicates, self._exact, self.settings, one, other
            )
        return self._pairs[one, other]

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """A row for each measure and pair of models: difference, interval, and how sure it is.

        ``interval`` and ``test`` say how the interval and the p-value were found; a test does not
        depend on the intervals that are asked for. The difference is turned so that above 0 the
        first model is better. ``probability`` is the share of resamples in which it is, equal ones
        counted half; ``corrected`` is the p-value corrected for all pairs of models under this
        measure.
        """
        import pandas as pd

        numbers = list(combinations(range(len(self.models)), 2))
        pairs = [self._pair(*both) for both in numbers]
        lines = []
        for i in self._choosing:
            settled = corrected([pair.p[i] for pair in pairs], self.settings.correction)
            for (one, other), pair, right in zip(numbers, pairs, settled.tolist(), strict=True):
                lines.append(
                    (
                        self.schema[i].name,
                        self.models[one],
                        self.models[other],
                        pair.difference[i],
                        pair.low[i],
                        pair.high[i],
                        pair.methods[i],
                        pair.probability[i],
                        pair.p[i],
                        right,
                        pair.tests[i],
                    )
                )
        names = "measure model other difference low high interval probability p corrected test"
        return pd.DataFrame(lines, columns=names.split())

    @cached_property
    def winners(self) -> pd.DataFrame:
        """A row for each measure: the model that wins, and the probability that it really is best.

        ``probability`` is the share of resamples in which the winner is the best of all models; the
        difference is that to the runner-up, and ``corrected`` its p-value among all pairs. ``tied``
        counts the models that have the winner's value. Models without a value do not take part.
        """
        import pandas as pd

        best = self._replicates.best()
        pairs = self.pairs.set_index(["measure", "model", "other"])["corrected"]
        lines = []
        for i in self._choosing:
            first, second, *_ = self._replicates.winner(i)
            one, other = min(first, second), max(first, second)
            pair, turn = self._pair(one, other), 1 if first < second else -1
            ends = sorted((turn * pair.low[i], turn * pair.high[i]))
            name = self.schema[i].name
            upright = self._replicates.upright_points[:, i]
            lost, alone = np.isnan(upright[[first, second]]).tolist()
            lines.append(
                (
                    name,
                    None if lost else self.models[first],
                    self._replicates.points[first, i],
                    None if alone else self.models[second],
                    turn * pair.difference[i],
                    *ends,
                    np.nan if alone else best[first, i],
                    pairs.loc[[(name, self.models[one], self.models[other])]].iloc[0],
                    self._replicates.tied(first, i),
                )
            )
        names = "measure winner value runner_up difference low high probability corrected tied"
        # Models that are called by numbers would be fractions beside none.
        frame = pd.DataFrame(lines, columns=names.split(), dtype=object)
        rest = frame.columns.drop(["winner", "runner_up"])
        frame[rest] = frame[rest].infer_objects()
        return frame

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What the numbers cannot say."""
        from metricatlas.decisions.comparing.text import notes_on

        return notes_on(self)

    @cached_property
    def disagreements(self) -> pd.DataFrame:
        """A row for two models, and two measures of which one prefers the first, one the second.

        The probabilities are those that the preferred model really is better under the measure; the
        surest disagreements come first. ``why`` tells what must be taken away (a difference of the
        threshold, of calibration, of the weight of the classes) so that the measures no longer
        disagree; "ranking" if nothing helps. All examples are looked at together, whatever their
        group. See `metricatlas.reasons`.
        """
        from metricatlas.decisions.comparing.disagreements import disagreements_of

        # Of a measure that is asked for twice the first is meant.
        places = {self.schema[i].name: i for i in reversed(self._choosing)}
        sure = {
            both: {name: float(self._pair(*both).probability[i]) for name, i in places.items()}
            for both in combinations(range(len(self.models)), 2)
        }
        return disagreements_of(self._asked, self.models, sure)

    def crossings(self, model: Any, other: Any, **options: Any) -> Crossings:
        """Find the operating points at which the order of two models changes.

        Options are those of `metricatlas.crossings`.
        """
        from metricatlas.decisions.cutting.crossings import crossings

        both = [self._number(name) for name in (model, other)]
        given = self._asked
        read = {k: v for k, v in given.options.items() if k != "threshold"}
        return crossings(given.y_true, given.two(*both), **{**read, **options})

    @property
    def _asked(self) -> Given:
        if self._given is None:
            msg = "this comparison does not know its predictions; `compare` makes one that does."
            raise DecisionError(msg)
        return self._given

    def _number(self, name: Any) -> int:
        if name not in self.models:
            raise DecisionError(f"there is no model {name!r}{nearest(name, self.models)}")
        return self.models.index(name)

    def across(self, *, folds: bool = False, rope: Rope = 0.01) -> Across:
        """Compare the models over the groups, as data sets or as the folds of one.

        See `metricatlas.across`; `folds` is for `Across.resampled_t`.
        """
        from metricatlas.decisions.datasets.across import across

        names = [key for key in ("model", "member") if key in self.measurements.row_keys]
        keys = [key for key in self.measurements.row_keys if key not in names]
        if not keys:
            msg = "there must be groups to compare over; these are all examples. Name groups=."
            raise DecisionError(msg)
        return across(
            self.measurements,
            over=keys,
            models=names if len(names) > 1 else names[0],
            level=self.settings.level,
            rope=rope,
            correction=self.settings.correction,
            folds=keys[-1] if folds else None,
            seed=self.settings.seed,
        )

    def __repr__(self) -> str:
        from metricatlas.decisions.comparing.text import comparison_as_text

        return comparison_as_text(self)
