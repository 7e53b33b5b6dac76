"""The door: the operating points at which the order of two models changes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from metricatlas.decisions.comparing.compare import checked_settings
from metricatlas.decisions.comparing.intervals import interval
from metricatlas.decisions.cutting.axes import AtThresholds, OnHulls
from metricatlas.decisions.cutting.cuts import lots
from metricatlas.decisions.cutting.judging import Judge
from metricatlas.decisions.cutting.ranges import NOTHING
from metricatlas.decisions.cutting.scored import Scored
from metricatlas.errors import DecisionError
from metricatlas.progress import progress

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.decisions.comparing.comparison import Settings
    from metricatlas.decisions.cutting.ranges import Ranges
    from metricatlas.measures.terms import Measure
    from metricatlas.summaries.facts import Array

Axis = Literal["fpr", "weight", "threshold"]


def crossings(
    y_true: object,
    models: object,
    *,
    along: Axis = "fpr",
    measure: str | Measure | None = None,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    clusters: object = None,
    stratified: bool = False,
    sample_weight: object = None,
    labels: object = None,
    pos_label: object = None,
    kind: str | None = None,
) -> Crossings:
    """Find where the order of two models changes.

    Parameters
    ----------
    y_true
        The true labels, of two classes.
    models
        A dict of two models that give scores or probabilities, or a batch of two.
    along
        "fpr": which model has more true positives, at every false positive rate. "weight": which
        one loses less, each with its best cut, at every weight w of the positives against the
        negatives; the loss is w fnr + (1 - w) fpr. For costs of a miss and of a false alarm, and a
        share of positives, w is share * miss / (share * miss + (1 - share) * alarm). "threshold":
        which one is better under a measure, both cut at the same threshold.
    measure
        A measure of decisions, for "threshold".
    level, resamples, seed, clusters, stratified
        As for `compare`, of which the resamples are.
    sample_weight, labels, pos_label, kind
        As for `evaluate`.

    Returns
    -------
    Crossings
        With the frame ``table`` and the points ``changes``.

    Notes
    -----
    Along rates and weights models are compared on the convex hulls of their ROC curves, so a point
    between two cuts counts: one of both at random.

    Examples
    --------
    >>> import metricatlas as ma
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> first = [0.1, 0.2, 0.6, 0.7, 0.3, 0.65, 0.8, 0.9]
    >>> second = [0.1, 0.2, 0.3, 0.8, 0.4, 0.5, 0.6, 0.7]
    >>> c = ma.crossings(y, {"first": first, "second": second}, resamples=100)
    >>> c.table["better"].tolist(), [round(x, 4) for x in c.changes]
    (['first', 'second', None], [0.1667])
    """
    if along not in get_args(Axis):
        msg = f"along must be one of {', '.join(get_args(Axis))}; got {along!r}."
        raise DecisionError(msg)
    settings = checked_settings(
        resamples=resamples,
        seed=seed,
        level=level,
        interval="percentile",
        correction="none",
        stratified=stratified,
        clustered=clusters is not None,
    )
    scored = Scored.read(
        y_true,
        models,
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
        kind=kind,
        clusters=clusters,
    )
    axis = _axis(along, scored, measure)
    draws = scored.draws(settings.resamples, settings.seed, stratified=settings.stratified)
    means = []
    with progress("Resampling", draws.times) as tell:
        for part in lots(draws.times, len(scored.units)):
            rows = slice(int(part[0]), int(part[-1]) + 1)
            means.append(axis.means(draws.counts(rows), draws))
            tell(rows.stop)
    return Crossings(scored.names, along, axis.ranges, np.concatenate(means), settings)


def _axis(along: Axis, scored: Scored, measure: str | Measure | None) -> OnHulls | AtThresholds:
    if len(scored.lines) != 2:
        msg = (
            f"crossings are of two models, as a dict or a batch; got {len(scored.lines)}. Choose "
            f"two of them."
        )
        raise DecisionError(msg)
    lines = scored.lines[0], scored.lines[1]
    if along != "threshold":
        if measure is not None:
            msg = f"measure is for along='threshold'; got {measure!s} and along={along!r}."
            raise DecisionError(msg)
        return OnHulls(lines, along)
    if measure is None:
        msg = "along='threshold' compares models under a measure; name one, as measure='f1'."
        raise DecisionError(msg)
    if len(set(scored.kinds)) > 1:
        msg = (
            f"a common threshold is for scores on one scale; got {scored.kinds[0]} of "
            f"{scored.names[0]} and {scored.kinds[1]} of {scored.names[1]}. Say kind= if both "
            f"are the same."
        )
        raise DecisionError(msg)
    return AtThresholds(lines, Judge.of(measure, scored.task))


class Crossings:
    """What `crossings` found."""

    def __init__(
        self,
        models: tuple[Any, ...],
        along: Axis,
        ranges: Ranges,
        resampled: Array,
        settings: Settings,
    ) -> None:
        self.models = models
        self.along = along
        self.settings = settings
        self._ranges = ranges
        self._resampled = resampled

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each range in which one model is better; neither is where both are the same.

        ``mean`` is by how much it is better over the range, with its interval ``low`` to ``high``;
        ``most`` the most it is, and ``at`` where. ``probability`` is the share of resamples in
        which it is better there on the mean, equal ones counted half.
        """
        import pandas as pd

        found = self._ranges
        lines = []
        for i, sign in enumerate(found.signs.tolist()):
            better = None if sign == 0 else self.models[0 if sign > 0 else 1]
            turned, mean = self._resampled[:, i] * (sign or 1), found.mean[i] * (sign or 1)
            known = turned[~np.isnan(turned)]
            low, high = interval("percentile", turned, np.asarray(mean), self.settings.level)
            wins = np.sign(np.where(np.abs(known) <= NOTHING, 0.0, known))
            share = np.mean((wins + 1) / 2) if len(known) and sign else np.nan
            most = found.most[i] * (sign or 1)
            ends = found.bounds[i], found.bounds[i + 1]
            lines.append(
                (*ends, better, mean, float(low), float(high), most, found.peaks[i], share)
            )
        names = ["from", "to", "better", "mean", "low", "high", "most", "at", "probability"]
        frame = pd.DataFrame(lines, columns=names)
        # Nobody stays None, which is no number and no text.
        frame["better"] = pd.Series([line[2] for line in lines], dtype=object)
        return frame

    @property
    def changes(self) -> list[float]:
        """The points at which the one model ceases to be better and the other begins to be.

        Where neither is better in between, it is the point where the other begins.
        """
        found = self._ranges
        places = np.flatnonzero(found.signs)
        turns = places[1:][found.signs[places[1:]] != found.signs[places[:-1]]]
        return [float(x) for x in found.bounds[turns]]

    def __repr__(self) -> str:
        from metricatlas.decisions.cutting.crossing_text import crossings_as_text

        return crossings_as_text(self)
