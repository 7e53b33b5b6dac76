"""Thresholds that were chosen, with their intervals and what they are worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.comparing.intervals import interval
from metricatlas.errors import DecisionError
from metricatlas.measurements.columns import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pandas as pd

    from metricatlas.decisions.comparing.comparison import Settings
    from metricatlas.decisions.cutting.choices import Choice
    from metricatlas.decisions.cutting.folds import Folds
    from metricatlas.decisions.cutting.goals import Goal
    from metricatlas.decisions.cutting.scored import Scored
    from metricatlas.summaries.facts import Array


@dataclass(frozen=True, eq=False)
class Found:
    """What was chosen for one model, by goal."""

    #: A row for each way to part the examples into folds, and for each resample.
    as_they_are: Sequence[Choice]
    resampled: Sequence[Choice]
    #: The share of folds for which no cut reached the goal.
    unreached: Array


class Thresholds:
    """What `thresholds` found."""

    def __init__(
        self,
        scored: Scored,
        goals: Sequence[Goal],
        folds: Folds,
        found: Sequence[Found],
        settings: Settings,
    ) -> None:
        self.models = scored.names
        self.goals = tuple(goal.name for goal in goals)
        self.settings = settings
        self._goals = goals
        self._folds = folds
        self._positive = scored.shared.truth[0] == 1
        self._found = found

    def threshold(self, model: Any = None, goal: str | None = None) -> float:
        """Return a threshold, as ``evaluate(..., threshold=...)`` takes it; NaN where none is.

        It lies midway between two neighbouring scores. Minus infinity decides all positive, the
        highest score none.
        """
        number, place = self._place(model, goal)
        return float(self._found[number].as_they_are[place].thresholds[0])

    def resampled(self, model: Any = None, goal: str | None = None) -> Array:
        """Return the thresholds that were chosen in the resamples."""
        number, place = self._place(model, goal)
        return self._found[number].resampled[place].thresholds

    def reason(self, model: Any = None, goal: str | None = None) -> str:
        """Say why there is no threshold; nothing where there is one."""
        number, place = self._place(model, goal)
        return self.reasons.get((self.models[number], self.goals[place]), "")

    def _place(self, model: Any, goal: str | None) -> tuple[int, int]:
        return _only("model", model, self.models), _only("goal", goal, self.goals)

    def _each(self) -> Iterator[tuple[Any, Goal, Choice, Choice, float]]:
        for model, found in zip(self.models, self._found, strict=True):
            parts = zip(self._goals, found.as_they_are, found.resampled, strict=True)
            for (goal, own, drawn), share in zip(parts, found.unreached.tolist(), strict=True):
                yield model, goal, own, drawn, share

    @cached_property
    def reasons(self) -> dict[tuple[Any, str], str]:
        """Why there is no threshold, by model and goal, where there is none."""
        return {
            (model, goal.name): goal.unreached
            for model, goal, own, _, _ in self._each()
            if np.isnan(own.thresholds[0])
        }

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each model, goal and measure that tells of it.

        ``threshold`` has the interval ``low`` to ``high``. ``apparent`` is the value of the measure
        where all examples choose and are judged, ``honest`` with its interval that across folds;
        ``optimism`` is by how much the first is better. ``in_use`` is the value at the threshold in
        use. ``unreached`` is the share of resamples in which no cut reaches the goal.
        """
        import pandas as pd

        lines = []
        for model, goal, own, drawn, _ in self._each():
            threshold = float(own.thresholds[0])
            ends = self._ends(drawn.thresholds, threshold)
            unreached = float(np.isnan(drawn.thresholds).mean())
            honest, resampled = _mean(own.honest), drawn.honest
            for i, judge in enumerate(goal.judges):
                measure, apparent = judge.measure, own.apparent[0, i]
                around = self._ends(resampled[:, i], honest[i])
                optimism = _gain(measure, apparent, honest[i])
                told = (apparent, honest[i], *around, optimism, own.in_use[0, i], unreached)
                lines.append((model, goal.name, measure.name, threshold, *ends, *told))
        names = "model goal measure threshold low high apparent honest honest_low honest_high"
        return pd.DataFrame(lines, columns=[*names.split(), "optimism", "in_use", "unreached"])

    @cached_property
    def gains(self) -> pd.DataFrame:
        """A row for each model, goal and measure: what the chosen threshold gains.

        ``gain`` is the honest value less that at the threshold in use, turned so that above 0 it is
        better; ``probability`` the share of resamples in which it is, equal ones counted half.
        """
        import pandas as pd

        lines = []
        for model, goal, own, drawn, _ in self._each():
            honest = _mean(own.honest)
            for i, judge in enumerate(goal.judges):
                gain = _gain(judge.measure, honest[i], own.in_use[0, i])
                resampled = _gain(judge.measure, drawn.honest[:, i], drawn.in_use[:, i])
                known = resampled[~np.isnan(resampled)]
                share = np.mean((np.sign(known) + 1) / 2) if len(known) else np.nan
                ends = self._ends(resampled, gain)
                lines.append((model, goal.name, judge.measure.name, gain, *ends, share))
        names = ["model", "goal", "measure", "gain", "low", "high", "probability"]
        return pd.DataFrame(lines, columns=names)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know."""
        found = []
        for name, members in (("positives", self._positive), ("negatives", ~self._positive)):
            count = int(members.sum())
            if count < self._folds.count:
                found.append(
                    f"There are {count} {name} for {self._folds.count} folds: some folds hold "
                    f"none. All folds are judged together."
                )
        for model, goal, own, _, share in self._each():
            if share > 0 and not np.isnan(own.thresholds[0]):
                found.append(
                    f"{model}, {goal.name}: for {share:.0%} of the folds the other examples reach "
                    f"the goal at no cut; the honest value leaves these folds out."
                )
        return tuple(found)

    def _ends(self, resampled: Array, value: Any) -> tuple[float, float]:
        low, high = interval("percentile", resampled, np.asarray(value), self.settings.level)
        return float(low), float(high)

    def __repr__(self) -> str:
        from metricatlas.decisions.cutting.threshold_text import thresholds_as_text

        return thresholds_as_text(self)


def _mean(values: Array) -> Array:
    """The mean over the ways to part the examples in which a value is defined."""
    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(known, values, 0.0).sum(axis=0) / known.sum(axis=0))


def _gain(measure: Any, one: Any, other: Any) -> Any:
    """By how much one value is better than the other; equal infinities differ by nothing."""
    first, second = measure.oriented(one), measure.oriented(other)
    with np.errstate(invalid="ignore"):
        return np.where(first == second, 0.0, first - second)[()]


def _only(what: str, asked: Any, there: Sequence[Any]) -> int:
    """The place of a name; without one there must be one thing only."""
    if asked is None and len(there) == 1:
        return 0
    if asked not in there:
        msg = f"there is no {what} {asked!r}{nearest(asked, there)}"
        if asked is None:
            msg = f"say which {what}{nearest('', there)}"
        raise DecisionError(msg)
    return list(there).index(asked)
