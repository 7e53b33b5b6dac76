"""The baseline of measures: to predict the shares of the classes for every example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.evaluation.doors import Measures, evaluate
from metricatlas.predictions.containers import read_column, read_columns
from metricatlas.predictions.groups import read_groups
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.truth import as_rows, read_truth
from metricatlas.predictions.weights import read_weights

if TYPE_CHECKING:
    from metricatlas.measurements import Measurements
    from metricatlas.predictions.containers import Table


def baseline(
    y_true: object,
    *,
    measures: Measures = None,
    sample_weight: object = None,
    labels: object = None,
    pos_label: object = None,
    groups: object = None,
) -> Measurements:
    """Evaluate the constant prediction of the classes' shares, within every group.

    It knows how frequent the classes are in the very examples that it is judged by, and nothing
    else: the zero of the normalised scores of caruana2004.

    >>> import metricatlas as ma
    >>> ma.baseline([0, 0, 0, 1], measures=["acc", "auc", "brier"]).values
    array([[0.75  , 0.5   , 0.1875]])
    """
    rows = as_rows(read_column(y_true, "y_true"), [])
    truth = read_truth(rows, Input("y_true"), [], labels, pos_label)
    order = [truth.classes.index(c) for c in truth.columns]
    member = np.eye(len(order))[truth.codes[0]][:, order]
    if sample_weight is not None:
        table = _of_length(
            read_column(sample_weight, "sample_weight"), "sample_weight", len(member)
        )
        kept, weight = read_weights(table)
        mass = np.zeros(len(member))
        mass[slice(None) if kept is None else kept] = 1.0 if weight is None else weight
        member = member * mass[:, np.newaxis]
    return evaluate(
        y_true,
        {"baseline": _shares(member, _group_numbers(groups, len(member)))},
        measures=measures,
        sample_weight=sample_weight,
        labels=list(truth.columns),
        pos_label=pos_label,
        groups=groups,
    )


def _group_numbers(groups: object, count: int) -> Any:
    """The number of each example's group."""
    numbers = np.zeros(count, dtype=int)
    if groups is not None:
        columns = read_columns(groups, "groups")
        segments = read_groups([_of_length(c, "groups", count) for c in columns], None)
        order = np.arange(count) if segments.order is None else segments.order
        numbers[order] = np.repeat(np.arange(len(segments.starts) - 1), np.diff(segments.starts))
    return numbers


def _of_length(table: Table, title: str, count: int) -> Table:
    if len(table.values) != count:
        msg = (
            f"{title} must have one row for each example of y_true; got {len(table.values)} for "
            f"{count}. Pass the same rows to both."
        )
        raise PredictionError(msg)
    return table


def _shares(member: Any, group: Any) -> Any:
    """For every example the shares of the classes in its group."""
    masses = np.zeros((group.max() + 1, member.shape[1]))
    np.add.at(masses, group, member)
    totals = masses.sum(axis=1, keepdims=True)
    # A group without any weight is left out by whoever evaluates; its shares are any.
    shares = np.where(totals > 0, masses / np.where(totals > 0, totals, 1), 1 / masses.shape[1])
    return shares[group]
