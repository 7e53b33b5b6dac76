"""The door: where to cut scores, for what, and what that is worth on examples not seen."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from metricatlas.decisions.comparing.compare import checked_settings
from metricatlas.decisions.cutting.choices import Chooser
from metricatlas.decisions.cutting.folds import Folds
from metricatlas.decisions.cutting.goals import goal_of
from metricatlas.decisions.cutting.scored import Scored
from metricatlas.decisions.cutting.threshold_table import Found, Thresholds
from metricatlas.errors import DecisionError, UndefinedWarning
from metricatlas.measures.terms import Measure
from metricatlas.predictions.numbers import is_whole
from metricatlas.progress import progress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metricatlas.decisions.cutting.goals import Goal

#: What thresholds are chosen for unless something else is said.
GOALS = ("f1", "gmean", "mcc")


def thresholds(
    y_true: object,
    predictions: object,
    *,
    goals: Iterable[str | Measure] | str | Measure | None = None,
    folds: int = 5,
    repeats: int = 10,
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    clusters: object = None,
    stratified: bool = False,
    sample_weight: object = None,
    labels: object = None,
    pos_label: object = None,
    threshold: float | None = None,
    kind: str | None = None,
) -> Thresholds:
    """Choose thresholds that are best for some goals, and say what they are worth.

    A threshold that is chosen and judged on the same examples flatters itself. So the honest value
    is found by folds: the examples of each are decided by the threshold that the others choose, and
    all of them together are judged.

    Parameters
    ----------
    y_true
        The true labels, of two classes.
    predictions
        Scores or probabilities of one model, a dict of models, or a batch.
    goals
        A measure of decisions to be best, by name or as an object; ``"ppv>=0.9"`` for the highest
        recall with such a precision, and likewise for other rates; ``"f1 where fpr<=0.05"`` for any
        measure under any condition. Default: f1, gmean and mcc.
    folds
        How many folds.
    repeats
        How many times the examples are dealt out to folds; honest values are means over these.
    level
        Of the intervals.
    resamples
        How many times the examples are drawn anew.
    seed
        Of the random numbers; the resamples are those of `compare`.
    clusters
        What belongs together (a patient's visits): it is drawn together, and is in one fold.
    stratified
        Draw from each class as many examples as it has.
    threshold
        The threshold in use, to compare with; 0.5 for probabilities.
    sample_weight, labels, pos_label, kind
        As for `evaluate`.

    Returns
    -------
    Thresholds
        With the frames ``table`` and ``gains``.

    Examples
    --------
    >>> import metricatlas as ma
    >>> y, p = [0, 0, 1, 0, 0, 1, 1, 1], [0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.6]
    >>> t = ma.thresholds(y, p, goals="f1", folds=4, resamples=100)
    >>> t.threshold(goal="f1")
    0.375
    """
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
        predictions,
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
        threshold=threshold,
        kind=kind,
        clusters=clusters,
    )
    asked = _goals(goals, scored)
    _check_folds(folds, repeats, scored)
    parts = Folds.of(scored, int(folds), int(repeats), settings.seed)
    draws = scored.draws(settings.resamples, settings.seed, stratified=settings.stratified)
    found = []
    with progress("Choosing thresholds", len(scored.names) * draws.times) as tell:
        for number, line in enumerate(scored.lines):

            def told(done: int, before: int = number * draws.times) -> None:
                tell(before + done)

            chooser = Chooser(line, asked, parts, scored.thresholds[number])
            unreached = (chooser.places < 0).mean(axis=(1, 2))
            found.append(Found(chooser.as_they_are(), chooser.resampled(draws, told), unreached))
    result = Thresholds(scored, asked, parts, found, settings)
    _warn(result)
    return result


def _goals(given: Any, scored: Scored) -> tuple[Goal, ...]:
    if given is None:
        given = GOALS
    names = (given,) if isinstance(given, str | Measure) else tuple(given)
    if not names:
        raise DecisionError("goals must name one goal at least; got none.")
    task = scored.task
    return tuple(goal_of(name, task) for name in names)


def _check_folds(folds: Any, repeats: Any, scored: Scored) -> None:
    units = int(scored.units.max()) + 1
    if not is_whole(folds) or not 2 <= folds <= units:
        what = "examples" if scored.shared.clusters is None else "clusters"
        msg = f"folds must be a whole number from 2 to that of the {what}, {units}; got {folds!r}."
        raise DecisionError(msg)
    if not is_whole(repeats) or repeats < 1:
        raise DecisionError(f"repeats must be a whole number from 1 on; got {repeats!r}.")


def _warn(result: Thresholds) -> None:
    """Warn of goals that no cut reaches."""
    reasons = result.reasons
    if reasons:
        (model, goal), words = next(iter(reasons.items()))
        more = f", and {len(reasons) - 1} more" if len(reasons) > 1 else ""
        warnings.warn(
            f"there is no threshold of {model} for {goal}{more}. {words}",
            UndefinedWarning,
            stacklevel=3,
        )
