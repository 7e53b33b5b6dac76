"""Tables that the tests of Measurements share."""

import datetime as dt
from math import inf, nan

import numpy as np

from metricatlas.measurements import Column, Measurements

ACC = Column("acc", "acc", "higher", 0, 1, "Accuracy")
AUC = Column("auc", "auc", "higher", 0, 1, "Area under the ROC curve")
BRIER = Column("brier", "brier", "lower", 0, 1, "Brier score")
SHIFT = Column("shift", "shift", "zero", -2, 1, "Shift")
SLOPE = Column("slope", "slope", "one", -inf, inf, "Slope")
PAIR = Column("auc:acc", "auc:acc", "higher", 0, 1.01, "AUC, then accuracy")


def make_table():
    """Four rows under three measures, one of them twice."""
    return Measurements(
        np.array([[0.9, nan, 0.2, 0.9], [0.8, 0.7, 0.1, 0.8], [0.6, 0.5, 0.4, 0.6], [1, 1, 0, 1]]),
        (ACC, AUC, BRIER, ACC),
        {"model": ["rf", "knn", "rf", "knn"], "fold": [0, 0, 1, 1]},
        reasons={(0, 1): "there are no positives"},
        notes=("made by hand",),
    )


def make_every_kind():
    """One table with everything that a table can hold."""
    return Measurements(
        np.array([[nan, 0.2, -0.5, inf, 0.7071], [0.25, -0.0, 0.5, 0.75, nan]]),
        (AUC, BRIER, SHIFT, SLOPE, PAIR),
        {"model": ["a", ("b", 2)], "day": [dt.datetime(2024, 1, 2, 3, 4, 5), None], "n": [1, 2]},  # noqa: DTZ001 - time zones are for others
        reasons={(0, 0): "there are no positives", (1, 4): "neither are there: “none”"},
        levels={4: np.array([[0.7, 0.71], [nan, 0.5]])},
        notes=("one", "two"),
    )


def simple(rows, columns=2, **keys):
    """Running numbers under nameless measures."""
    names = tuple(Column(f"m{i}", f"m{i}") for i in range(columns))
    values = np.arange(rows * columns, dtype=float).reshape(rows, columns)
    return Measurements(values, names, keys or {"model": list(range(rows))})
