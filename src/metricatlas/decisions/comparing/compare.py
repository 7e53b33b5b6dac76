"""The door: several models, all measures, and how sure each difference is."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from metricatlas.decisions.comparing.comparison import Comparison, Settings
from metricatlas.decisions.comparing.corrections import checked_correction
from metricatlas.decisions.comparing.disagreements import Given
from metricatlas.decisions.comparing.exact import Exact
from metricatlas.decisions.comparing.intervals import ENOUGH, Method
from metricatlas.decisions.comparing.replicates import Scheme, replicates
from metricatlas.errors import DecisionError, UndefinedWarning
from metricatlas.evaluation.doors import Measures, asked_measures, evaluated, warn_of_undefined
from metricatlas.predictions import read_predictions
from metricatlas.predictions.numbers import is_number, is_whole

if TYPE_CHECKING:
    from metricatlas.decisions.comparing.replicates import Replicates
    from metricatlas.measurements import Measurements
    from metricatlas.predictions import Block


def compare(
    y_true: object,
    predictions: object,
    *,
    measures: Measures = None,
    resamples: int = 1000,
    seed: int = 0,
    groups: object = None,
    clusters: object = None,
    stratified: bool = False,
    interval: str = "auto",
    level: float = 0.95,
    correction: str = "holm",
    sample_weight: object = None,
    labels: object = None,
    pos_label: object = None,
    threshold: float | None = None,
    kind: str | None = None,
) -> Comparison:
    """Compare models on the same examples under one, some or all measures.

    Parameters
    ----------
    y_true
        The true labels, the same for all models.
    predictions
        A dict of models, or a batch of them; as for `evaluate`.
    measures
        Names, measures, mixed; None for every measure that needs no parameter and fits.
    resamples
        How many times the examples are drawn anew, the same ones for all models.
    seed
        Of the random numbers.
    groups
        Folds or data sets: values are means over them, and examples are drawn within each.
    clusters
        What belongs together (a patient's visits): whole clusters are drawn.
    stratified
        Draw from each class as many examples as it has.
    interval
        "percentile", "basic", "bca"; "auto" is DeLong's for areas under the ROC curve, Wilson's for
        shares of examples, where these hold, "basic" for biased values such as calibration errors,
        and "bca" for all else.
    level
        Of the intervals.
    correction
        For the pairs of models under a measure: "holm", "hochberg", "bonferroni", "bh", "none".
    sample_weight, labels, pos_label, threshold, kind
        As for `evaluate`.

    Returns
    -------
    Comparison
        With the frames ``table``, ``winners``, ``pairs`` and ``disagreements``.

    Examples
    --------
    >>> import metricatlas as ma
    >>> y = [0, 0, 0, 1, 1, 1, 0, 1]
    >>> a, b = [0.1, 0.3, 0.2, 0.7, 0.9, 0.6, 0.4, 0.8], [0.5, 0.6, 0.1, 0.4, 0.8, 0.7, 0.2, 0.3]
    >>> c = ma.compare(y, {"a": a, "b": b}, measures=["auc"], resamples=200)
    >>> c.winners["winner"].tolist()
    ['a']
    """
    settings = checked_settings(
        resamples=resamples,
        seed=seed,
        level=level,
        interval=interval,
        correction=correction,
        stratified=stratified,
        clustered=clusters is not None,
    )
    given: dict[str, Any] = {
        "sample_weight": sample_weight,
        "labels": labels,
        "pos_label": pos_label,
        "threshold": threshold,
        "groups": groups,
        "kind": kind,
    }
    # Read once, for they may be an iterator.
    asked = asked_measures(measures)
    table = evaluated(y_true, predictions, measures=asked, **given)
    blocks, keys = read_predictions(y_true, predictions, clusters=clusters, **given)
    models = _models(keys.columns, blocks)
    _check(blocks, models, table)
    warn_of_undefined(table)
    exact = Exact.of(blocks)
    known = settings.interval == "auto" and exact is not None and exact.knows_all(table.schema)
    scheme = Scheme(resamples, seed, stratified, jackknife=settings.method == "bca" and not known)
    found = replicates(table, blocks, asked, scheme)
    _warn(found, models, asked, settings)
    options = {name: value for name, value in given.items() if name != "groups"}
    counts = np.bincount(blocks[0][1].truth[0].astype(np.intp), minlength=2)
    asked_about = Given(y_true, predictions, asked, options, int(counts.min()))
    return Comparison(models, table, found, exact, settings, asked_about)


def checked_settings(
    *,
    resamples: Any,
    seed: Any,
    level: Any,
    interval: Any,
    correction: Any,
    stratified: Any,
    clustered: bool,
) -> Settings:
    """How to compare, if that can be."""
    if not is_number(level) or not 0 < level < 1:
        msg = f"level must be a share above 0 and below 1, as 0.95; got {level!r}."
        raise DecisionError(msg)
    least = int(np.ceil(2 / (1 - level))) - 1
    if not is_whole(resamples) or resamples < least:
        msg = (
            f"resamples must be a whole number from {least} on, so that some are outside an "
            f"interval of {100 * level:g}%; got {resamples!r}."
        )
        raise DecisionError(msg)
    if not is_whole(seed) or seed < 0:
        msg = f"seed must be a whole number from 0 on; got {seed!r}."
        raise DecisionError(msg)
    known = ("auto", *get_args(Method))
    if not isinstance(interval, str) or interval not in known:
        msg = f"interval must be one of {', '.join(known)}; got {interval!r}."
        raise DecisionError(msg)
    if not isinstance(stratified, bool | np.bool_):
        msg = f"stratified must be True or False; got {stratified!r}."
        raise DecisionError(msg)
    if stratified and clustered:
        msg = (
            "stratified draws every class by itself, and clusters are drawn whole, of several "
            "classes; got both. Leave one out."
        )
        raise DecisionError(msg)
    return Settings(
        resamples=int(resamples),
        seed=int(seed),
        level=float(level),
        interval=interval,
        correction=checked_correction(correction),
        stratified=bool(stratified),
        clustered=clustered,
    )


def _models(keys: Any, blocks: list[Block]) -> tuple[Any, ...]:
    """The name of each model; of a batch among others with its number."""
    segments = blocks[0][1].segments
    names = list(keys["model"])[::segments]
    if "member" not in keys:
        return tuple(n.item() if isinstance(n, np.generic) else n for n in names)
    members = list(keys["member"])[::segments]
    return tuple(f"{name}[{member}]" for name, member in zip(names, members, strict=True))


def _check(blocks: list[Block], models: tuple[Any, ...], table: Measurements) -> None:
    if len(models) < 2:
        msg = (
            "a comparison needs two models or more, as a dict or a batch (models, examples, "
            "classes); got one. `evaluate` is for one."
        )
        raise DecisionError(msg)
    first = blocks[0][1]
    if len(first.truth) > 1:
        msg = (
            f"models are compared on the same examples; got a truth for each of "
            f"{len(first.truth)} models. Name what differs between them with groups."
        )
        raise DecisionError(msg)
    sizes = np.diff(first.starts)
    if sizes.min() < 2:
        alone = int(np.argmin(sizes))
        told = table.rows.drop(columns=["model", "member"], errors="ignore").iloc[alone].to_dict()
        where = f" of group {', '.join(f'{k}={v!r}' for k, v in told.items())}" if told else ""
        msg = (
            f"examples are drawn again and again, so there must be two or more in every group; got "
            f"one{where}. Put it together with another, or leave it out."
        )
        raise DecisionError(msg)
    if first.clusters is not None:
        for number in range(first.segments):
            own = first.segment(number).clusters
            if own is not None and own.max() == 0:
                msg = (
                    "clusters are drawn whole, so there must be two or more (in every group); got "
                    "one. Name a column with more values, or leave clusters out."
                )
                raise DecisionError(msg)


def _warn(
    found: Replicates, models: tuple[Any, ...], measures: Measures, settings: Settings
) -> None:
    """Warn of measures that are undefined in most resamples, if they were asked for by name."""
    share = np.isnan(found.values).mean(axis=1)
    rare = (share >= ENOUGH) & ~np.isnan(found.points)
    if measures is None or not rare.any():
        return
    model, column = (int(place[0]) for place in np.nonzero(rare))
    more = f", and {rare.sum() - 1} more" if rare.sum() > 1 else ""
    strata = "" if settings.stratified or settings.clustered else "Draw with stratified=True, or "
    warnings.warn(
        f"{found.schema[column].name} of {models[model]} is undefined in "
        f"{share[model, column]:.0%} of the resamples{more}, so there is no interval. "
        f"{strata or 'Evaluate'}{'evaluate' if strata else ''} more examples.",
        UndefinedWarning,
        stacklevel=3,
    )
