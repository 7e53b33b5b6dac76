"""The door: which of several models is better over many data sets, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

from metricatlas.decisions.comparing.corrections import Correction, checked_correction
from metricatlas.decisions.datasets.crossed import Crossed, crossed
from metricatlas.errors import DecisionError
from metricatlas.measurements.columns import nearest
from metricatlas.predictions.numbers import is_number, is_whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

    from metricatlas.measurements import Measurements
    from metricatlas.measurements.columns import Named

#: Differences up to this one do not matter: of all measures, or of each.
Rope = float | Mapping[str, float]


def across(
    measurements: Measurements,
    *,
    over: str | Sequence[str] = "dataset",
    models: str | Sequence[str] = "model",
    measures: str | Named | Iterable[str | Named] | None = None,
    level: float = 0.95,
    rope: Rope = 0.01,
    correction: Correction = "holm",
    folds: str | None = None,
    seed: int = 0,
) -> Across:
    """Compare models over many data sets, or over the folds of one.

    Parameters
    ----------
    measurements
        A row for each model on each data set. Where there are several, which further keys tell
        apart (folds, repetitions), their means are compared.
    over
        The key, or keys, that name the data sets.
    models
        The key, or keys, that name the models.
    measures
        Some of the columns; None for all of which some values are better than others.
    level
        One minus the probability of a false difference that is put up with.
    rope
        The region of practical equivalence: differences up to this one do not matter. A number in
        the measures' own units, or one for each measure.
    correction
        How the p-values of the pairs of models are corrected, for each measure by itself: "holm",
        "hochberg", "bonferroni", "bh" or "none".
    folds
        The key that numbers the folds of a cross-validation, for `Across.resampled_t`.
    seed
        Where the draws of `Across.bayesian` start.

    Returns
    -------
    Across
        Mean ranks and tests as frames. Differences are positive where the model is better than the
        other one, whichever way the measure goes.

    Examples
    --------
    >>> import metricatlas as ma, pandas as pd
    >>> frame = pd.DataFrame({
    ...     "dataset": [1, 2, 3, 4, 5, 6] * 2,
    ...     "model": ["tree"] * 6 + ["forest"] * 6,
    ...     "brier": [0.2, 0.3, 0.1, 0.2, 0.3, 0.2, 0.1, 0.1, 0.1, 0.1, 0.2, 0.1],
    ... })
    >>> a = ma.across(ma.Measurements.from_frame(frame, keys=["dataset", "model"]))
    >>> a.pairs[["model", "other", "difference", "p"]].round(4).values.tolist()
    [['tree', 'forest', -0.1, 0.0625]]
    """
    if not is_number(level) or not 0 < level < 1:
        msg = f"level must be a number between 0 and 1, such as 0.95; got {level!r}."
        raise DecisionError(msg)
    if not is_whole(seed) or seed < 0:
        msg = f"seed must be a whole number from 0 on; got {seed!r}."
        raise DecisionError(msg)
    how = checked_correction(correction)
    read = crossed(measurements, over, models, measures, folds)
    names = tuple(contest.name for contest in read.contests)
    return Across(read, float(level), _ropes(rope, names), how, int(seed))


@dataclass(frozen=True, eq=False, repr=False)
class Across:
    """Models compared over data sets, measure by measure."""

    crossed: Crossed
    level: float
    #: The region of practical equivalence of each measure.
    ropes: Mapping[str, float]
    correction: Correction
    seed: int

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(contest.name for contest in self.crossed.contests)

    @property
    def models(self) -> tuple[Any, ...]:
        """The names of the models; tuples where several keys name them."""
        return self.crossed.models

    @property
    def datasets(self) -> tuple[Any, ...]:
        """The names of the data sets; tuples where several keys name them."""
        return self.crossed.datasets

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What was averaged or left out, and what the tests cannot say."""
        from metricatlas.decisions.datasets.across_text import notes_on

        return (*self.crossed.notes, *notes_on(self))

    # -- Mean ranks ------------------------------------------------------------------------------

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """A row for each measure and model: mean value, as measured, and mean rank, 1 the best.

        Equal models share their ranks; two-level measures rank as pairs. ``wins`` are the data sets
        on which no other model is better.
        """
        from metricatlas.decisions.datasets.rank_tables import ranks_table

        return ranks_table(self.crossed)

    @cached_property
    def friedman(self) -> pd.DataFrame:
        """A row for each measure: whether the models differ at all.

        ``statistic`` and ``p`` are Friedman's, with ties allowed for; ``f`` and ``f_p`` Iman and
        Davenport's correction, which is to be preferred; ``concordance`` is Kendall's W.
        """
        from metricatlas.decisions.datasets.rank_tables import friedman_table

        return friedman_table(self.crossed)

    @cached_property
    def nemenyi(self) -> pd.DataFrame:
        """A row for each measure and pair of models: how far apart their mean ranks are.

        Models differ where their mean ranks are apart by the critical difference or more.
        """
        from metricatlas.decisions.datasets.rank_tables import nemenyi_table

        return nemenyi_table(self.crossed, self.level)

    @cached_property
    def groups(self) -> pd.DataFrame:
        """A row for each largest set of models that Nemenyi's test does not tell apart.

        These are the bars of a diagram of critical differences: ``models`` from the best to the
        worst, whose mean ranks are ``first`` and ``last``. A model may be in several.
        """
        from metricatlas.decisions.datasets.rank_tables import groups_table

        return groups_table(self.crossed, self.level)

    @cached_property
    def winners(self) -> pd.DataFrame:
        """A row for each measure: the best mean rank, and which models are not told apart from it.

        As Demšar (2006) has it, Nemenyi's test is only asked where Friedman's, as Iman and
        Davenport corrected it, finds that the models differ; else none is told apart.
        """
        from metricatlas.decisions.datasets.rank_tables import winners_table

        return winners_table(self.crossed, self.level)

    # -- Pairs -----------------------------------------------------------------------------------

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """A row for each measure and pair of models: Wilcoxon's signed rank test and the sign test.

        ``difference`` is the mean difference, ``statistic`` the smaller sum of signed ranks, and
        ``p_corrected`` its p-value corrected for the pairs of models under this measure. Zeros are
        ranked and then set aside; ``sign_p`` leaves ties out.
        """
        from metricatlas.decisions.datasets.pair_tables import pairs_table

        return pairs_table(self.crossed, self.correction)

    def bayesian(self, rope: Rope | None = None, *, samples: int = 50_000) -> pd.DataFrame:
        """Return the Bayesian signed rank test: a row for each measure and pair of models.

        ``better``, ``equal`` and ``worse`` are the probabilities that the model is better than the
        other one by more than the rope, practically equal to it, and worse. They are drawn: their
        standard error is the root of p (1 - p) / samples, at most 0.0022 for 50,000.
        """
        from metricatlas.decisions.datasets.pair_tables import bayesian_table

        if not is_whole(samples) or samples < 1:
            msg = f"samples must be a whole number from 1 on; got {samples!r}."
            raise DecisionError(msg)
        ropes = self.ropes if rope is None else _ropes(rope, self.measures)
        return bayesian_table(self.crossed, ropes, int(samples), self.seed)

    def resampled_t(self, test_share: float | None = None) -> pd.DataFrame:
        """Return the corrected resampled t-test over folds: a row for each measure and pair.

        Where the folds are within data sets, there is a row for each data set too. Folds share
        their training examples, so their mean varies more than it seems to; the correction of
        Nadeau and Bengio (2003) needs the share of all examples that each of them tests on. It is
        1/k for k folds, which the key ``folds`` of `across` counts; of random splits say it here.
        Undefined where a difference is infinite.
        """
        from metricatlas.decisions.datasets.fold_tables import resampled_t_table

        return resampled_t_table(self.crossed, test_share, self.level, self.correction)

    def __repr__(self) -> str:
        from metricatlas.decisions.datasets.across_text import across_as_text

        return across_as_text(self)


def _ropes(rope: Any, names: tuple[str, ...]) -> Mapping[str, float]:
    """The region of practical equivalence of each measure."""
    widths = rope if isinstance(rope, Mapping) else dict.fromkeys(names, rope)
    for name, width in widths.items():
        if name not in names:
            msg = f"rope= must name measures that are compared; got {name!r}{nearest(name, names)}"
            raise DecisionError(msg)
        if not is_number(width) or width < 0 or not isfinite(width):
            msg = (
                f"rope must be a number from 0 on, the largest difference that does not matter; "
                f"got {width!r}."
            )
            raise DecisionError(msg)
    lacking = [name for name in names if name not in widths]
    if lacking:
        msg = f"rope= must be one number, or one for each measure; {lacking[0]!r} has none."
        raise DecisionError(msg)
    return {name: float(widths[name]) for name in names}
