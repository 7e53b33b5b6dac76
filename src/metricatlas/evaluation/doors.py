"""The doors: predictions or confusion matrices in, measurements out."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from metricatlas.errors import MeasureError, UndefinedWarning
from metricatlas.evaluation.engine import Asked, Filled, fill
from metricatlas.evaluation.matrices import fill_matrices, read_matrices
from metricatlas.evaluation.mixed import Part, together
from metricatlas.evaluation.task import Task
from metricatlas.measurements import Measurements
from metricatlas.measures.language import parse
from metricatlas.measures.terms import Measure
from metricatlas.predictions import read_predictions, whose

Measures = str | Measure | Iterable[str | Measure] | None


def evaluate(
    y_true: object,
    predictions: object,
    *,
    measures: Measures = None,
    sample_weight: object = None,
    labels: object = None,
    pos_label: object = None,
    threshold: float | None = None,
    groups: object = None,
    kind: str | None = None,
) -> Measurements:
    """Evaluate one or many models under one, some or all measures.

    Parameters
    ----------
    y_true
        The true labels; for a batch of k models perhaps (k, n).
    predictions
        Labels, scores or probabilities: one column, (n, c), a batch (k, n, c), or a dict of models.
    measures
        Names, aliases, measures, mixed; None for every measure that needs no parameter and fits.
    sample_weight
        A weight for each example; an example of weight 0 is as one that is not there.
    labels
        All classes, in the order of nameless probability columns; default: those of y_true, sorted.
    pos_label
        The positive class of two; not needed for True, or 1 of {0, 1} or {-1, 1}.
    threshold
        Decide positive iff the score is greater; 0.5 for probabilities, needed for other scores.
    groups
        A group for each example, or a frame of several columns, for every combination that occurs:
        every model is evaluated within every group.
    kind
        "labels", "scores" or "probabilities", where the values do not tell.

    Returns
    -------
    Measurements
        A row for each model, and group; a column for each measure, as it was asked for.

    Examples
    --------
    >>> import metricatlas as ma
    >>> m = ma.evaluate([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], measures=["auc", "acc", "auc:acc"])
    >>> m.values
    array([[0.75  , 0.75  , 0.7575]])
    """
    found = evaluated(
        y_true,
        predictions,
        measures=measures,
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
        threshold=threshold,
        groups=groups,
        kind=kind,
    )
    warn_of_undefined(found)
    return found


def evaluated(
    y_true: object, predictions: object, *, measures: Measures, **given: Any
) -> Measurements:
    """Evaluate as `evaluate` does, and let whoever asks tell of undefined values."""
    asked = asked_measures(measures)
    blocks, keys = read_predictions(y_true, predictions, **given)
    parts = []
    for rows, block in blocks:
        try:
            parts.append(Part(rows, Task.of(block), fill(block, asked)))
        except MeasureError as error:
            if not isinstance(predictions, Mapping):
                raise
            names = dict.fromkeys(keys.columns["model"][row] for row in rows.tolist())
            told = whose(predictions, names, given.get("sample_weight"))
            raise MeasureError(f"{error}{told}") from None
    return _table(parts[0].filled if len(parts) == 1 else together(parts), keys.columns)


def evaluate_confusion(
    matrices: object, *, measures: Measures = None, labels: object = None
) -> Measurements:
    """Evaluate confusion matrices: (c, c), or a stack (k, c, c); rows are the truth.

    Of two classes the positive one is True, or 1 of {0, 1} or {-1, 1}, wherever it stands; of any
    other two the second. Frames of pandas that name their classes are matched by the names; those
    without names, and arrays, have them in the order of `labels`. All measures of decisions can be
    asked for.

    >>> import metricatlas as ma
    >>> ma.evaluate_confusion([[5, 1], [2, 4]], measures=["acc", "mcc"]).values.round(3)
    array([[0.75 , 0.507]])
    """
    asked = asked_measures(measures)
    read = read_matrices(matrices, labels)
    found = _table(fill_matrices(read, asked), {"matrix": range(len(read.stack))})
    warn_of_undefined(found)
    return found


def measure(
    name: str | Measure,
    y_true: object,
    prediction: object,
    *,
    sample_weight: object = None,
    labels: object = None,
    pos_label: object = None,
    threshold: float | None = None,
    kind: str | None = None,
) -> float:
    """One measure of one prediction, as a number; NaN where it is undefined.

    >>> import metricatlas as ma
    >>> ma.measure("mcc", ["cat", "dog", "dog"], ["cat", "dog", "cat"], pos_label="dog")
    0.5
    """
    asked = asked_measures((name,))
    blocks, _ = read_predictions(
        y_true,
        prediction,
        sample_weight=sample_weight,
        labels=labels,
        pos_label=pos_label,
        threshold=threshold,
        kind=kind,
    )
    rows = sum(block.rows for _, block in blocks)
    if rows != 1:
        msg = f"measure() is for one prediction; got {rows}. Use evaluate() for many."
        raise MeasureError(msg)
    filled = fill(blocks[0][1], asked)
    value = float(filled.values[0, 0])
    if np.isnan(value):
        reason = filled.reasons().get((0, 0), "")
        warnings.warn(f"{name} is undefined. {reason}".rstrip(), UndefinedWarning, stacklevel=2)
    return value


def asked_measures(measures: Any) -> Asked:
    """The measures asked for, each understood; None for all that fit."""
    if measures is None:
        return None
    if not isinstance(measures, str | Measure | Iterable):
        msg = f"measures must be names, measures, or None for all that fit; got {measures!r}."
        raise MeasureError(msg)
    if hasattr(measures, "to_pylist"):
        # An array of pyarrow holds scalars of its own.
        measures = measures.to_pylist()
    names = (measures,) if isinstance(measures, str | Measure) else tuple(measures)
    if not names:
        msg = "measures must name at least one measure, or be None for all that fit; got none."
        raise MeasureError(msg)
    for name in names:
        parse(name)
    return names


def _table(filled: Filled, keys: Mapping[str, Any]) -> Measurements:
    return Measurements(
        filled.values, filled.schema, keys, reasons=filled.reasons, levels=filled.levels
    )


def warn_of_undefined(found: Measurements) -> None:
    """Warn of undefined values, once a table; for doors."""
    undefined: Any = np.isnan(found.values)
    if not undefined.any():
        return
    columns = [n for n, any_ in zip(found.columns, undefined.any(axis=0), strict=True) if any_]
    shown = ", ".join(columns[:5])
    more = f" and {len(columns) - 5} more" if len(columns) > 5 else ""
    warnings.warn(
        f"{undefined.sum()} of {undefined.size} values are undefined, of {shown}{more}; "
        f"Measurements.reason(row, column) says why.",
        UndefinedWarning,
        stacklevel=3,
    )
