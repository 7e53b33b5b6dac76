"""The door: everything that users may pass is read, understood and checked here, once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, get_args

from metricatlas.errors import PredictionError
from metricatlas.predictions.blocks import Block, Found, merge
from metricatlas.predictions.containers import (
    Table,
    check_alignment,
    read_column,
    read_columns,
    read_table,
)
from metricatlas.predictions.groups import one_segment, read_clusters, read_groups
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.labels import shown
from metricatlas.predictions.model import Array, Kind, Predictions, RowKeys
from metricatlas.predictions.truth import Truth, as_rows, read_truth
from metricatlas.predictions.values import as_models, read_values
from metricatlas.predictions.weights import read_weights


@dataclass(frozen=True, slots=True)
class _Given:
    """Everything with rows, as it came."""

    truth: Table
    models: dict[Any, Table]
    weight: Table | None
    #: One column or several; none without groups.
    groups: tuple[Table, ...]
    clusters: tuple[Table, ...]

    def columns(self) -> list[tuple[str, Table]]:
        """What has a value for each example, whatever the model."""
        weight = () if self.weight is None else (self.weight,)
        found = [("sample_weight", t) for t in weight]
        # The columns of one frame have its rows.
        found += [("groups", t) for t in self.groups[:1]]
        return found + [("clusters", t) for t in self.clusters[:1]]

    def indices(self) -> list[tuple[str, Any]]:
        """The row indices of those that are pandas objects."""
        titled = [("y_true", self.truth), *((_title(n), t) for n, t in self.models.items())]
        titled += self.columns()
        return [(title, table.index) for title, table in titled if table.index is not None]


def read_predictions(
    y_true: object,
    predictions: object,
    *,
    sample_weight: object = None,
    labels: object = None,
    pos_label: object = None,
    threshold: float | None = None,
    groups: object = None,
    clusters: object = None,
    kind: str | None = None,
) -> tuple[list[Block], RowKeys]:
    """Check everything; return blocks of one kind each with their row numbers, and the keys.

    Models of different kinds (probabilities beside labels) come back as different blocks.
    """
    wanted, cut = _checked_kind(kind), _checked_threshold(threshold)
    given = _Given(
        truth=read_table(y_true, "y_true"),
        models={n: _read_model(n, p) for n, p in _named(predictions).items()},
        weight=None if sample_weight is None else read_column(sample_weight, "sample_weight"),
        groups=() if groups is None else read_columns(groups, "groups"),
        clusters=() if clusters is None else read_columns(clusters, "clusters"),
    )
    rows = as_rows(given.truth, list(given.models.values()))
    models = {n: as_models(t, _title(n)) for n, t in given.models.items()}
    _check_shapes(given, rows, models)
    check_alignment(given.indices())

    kept, weight = (None, None) if given.weight is None else read_weights(given.weight)
    what = Input("y_true", kept)
    truth = read_truth(what.pick(rows), what, list(given.models.values()), labels, pos_label)
    found: dict[Any, Found] = {}
    for name, values in models.items():
        what = Input(_title(name), kept)
        found[name] = read_values(what.pick(values), given.models[name], what, truth, wanted)
    _check_use_of_threshold(cut, truth, found)
    examples = truth.codes.shape[1]
    segments = read_groups(given.groups, kept) if given.groups else one_segment(examples)
    shared = Predictions(
        "labels",
        truth.classes,
        truth.codes,
        truth.codes,
        weight,
        segments.starts,
        threshold=cut,
        columns=truth.columns,
        clusters=read_clusters(given.clusters, kept) if given.clusters else None,
    )
    return merge(shared, found, segments, named=isinstance(predictions, Mapping))


def _title(name: object) -> str:
    return "predictions" if name is None else f"predictions[{name!r}]"


def _named(predictions: object) -> Mapping[Any, object]:
    if not isinstance(predictions, Mapping):
        return {None: predictions}
    if not predictions:
        msg = "predictions must hold at least one model; got an empty dict."
        raise PredictionError(msg)
    return predictions


def _read_model(name: object, predictions: object) -> Table:
    table = read_table(predictions, _title(name))
    if table.rows_are_series:
        msg = (
            f"{_title(name)} must be a column, a table, or a batch of tables; got a list of "
            f"series, which may be models or rows. Pass models as a dict, rows as a frame."
        )
        raise PredictionError(msg)
    # Columns of one frame taken as models are named as the models, not as classes.
    return replace(table, names=None) if table.names == (name,) else table


def _checked_kind(kind: str | None) -> Kind | None:
    for known in (None, *get_args(Kind)):
        if kind is known or (isinstance(kind, str) and kind == known):
            return known  # type: ignore[no-any-return]
    msg = f"kind must be one of {', '.join(get_args(Kind))}, or None to infer it; got {kind!r}."
    raise PredictionError(msg)


def _checked_threshold(threshold: object) -> float | None:
    if threshold is None:
        return None
    # Infinity is a threshold: above inf nothing is positive, above -inf everything.
    if not isinstance(threshold, bool) and isinstance(threshold, Real):
        cut = float(threshold)
        if not math.isnan(cut):
            return cut
    msg = f"threshold must be a number t, for positive iff score > t; got {threshold!r}."
    raise PredictionError(msg)


def _check_use_of_threshold(cut: float | None, truth: Truth, found: Mapping[Any, Found]) -> None:
    if cut is None:
        return
    if len(truth.classes) > 2:
        msg = (
            f"threshold is for two classes; these are {len(truth.classes)}: "
            f"{shown(truth.classes)}. Leave it out: among several the largest decides."
        )
        raise PredictionError(msg)
    if all(kind == "labels" for kind, _ in found.values()):
        msg = (
            f"threshold is for scores and probabilities; got labels and threshold={cut}. Leave it "
            f"out, or say kind='scores' if these are scores."
        )
        raise PredictionError(msg)


def _check_shapes(given: _Given, truth: Array, models: Mapping[Any, Array]) -> None:
    examples = truth.shape[1]
    for name, values in models.items():
        if values.shape[1] != examples:
            raise PredictionError(_of_lengths(_title(name), given.models[name].values, given.truth))
        if len(truth) not in (1, len(values)):
            msg = (
                f"y_true with two axes must have a row for each model; got {len(truth)} rows "
                f"for the {len(values)} model(s) of {_title(name)}. A batch is (models, examples, "
                f"classes)."
            )
            raise PredictionError(msg)
    for title, column in given.columns():
        if len(column.values) != examples:
            raise PredictionError(_of_lengths(title, column.values, given.truth))


def _of_lengths(title: str, values: Array, truth: Table) -> str:
    examples = truth.values.shape[-1]
    hint = "Pass the same rows to both."
    if values.ndim == 2 and values.shape[1] == examples:
        hint = (
            "Two axes are (examples, classes): transpose it, or pass a batch of models with one "
            "score each as (models, examples, 1)."
        )
    return (
        f"{title} must have one row for each example of y_true; got the shape {values.shape} for "
        f"y_true of shape {truth.values.shape}. {hint}"
    )
