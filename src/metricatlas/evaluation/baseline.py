"""The baseline of measures: to predict the shares of the classes for every example."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.evaluation.doors import Measures, evaluate
from metricatlas.predictions.containers import read_column
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.truth import as_rows, read_truth

if TYPE_CHECKING:
    from metricatlas.measurements import Measurements


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
        mass = np.asarray(read_column(sample_weight, "sample_weight").values, dtype=np.float64)
        member = member * mass[:, np.newaxis]
    group = None if groups is None else read_column(groups, "groups").values
    return evaluate(
        y_true,
        {"baseline": _shares(member, group)},
        measures=measures,
        sample_weight=sample_weight,
        labels=list(truth.columns),
        pos_label=pos_label,
        groups=groups,
    )


def _shares(member: Any, group: Any) -> Any:
    """For every example the shares of the classes in its group."""
    codes = np.zeros(len(member), dtype=int)
    if group is not None:
        codes = np.unique(group.astype(str), return_inverse=True)[1]
    masses = np.zeros((codes.max() + 1, member.shape[1]))
    np.add.at(masses, codes, member)
    totals = masses.sum(axis=1, keepdims=True)
    # A group without any weight is left out by whoever evaluates; its shares are any.
    shares = np.where(totals > 0, masses / np.where(totals > 0, totals, 1), 1 / masses.shape[1])
    return shares[codes]
