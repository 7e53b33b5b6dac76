"""Answers for costs and benefits: row by row."""

import numpy as np

from oracles.case import Oracle
from oracles.tables import of_cells


def costs(case):
    """Return the costs that the tests use: by how far off, half as much again if too low."""
    off = np.subtract.outer(np.arange(case.classes), np.arange(case.classes))
    return np.where(off > 0, 1.5 * off, -off).astype(float)


def spent(case, decided):
    matrix = costs(case)
    rows = zip(case.y, decided, case.weight, strict=True)
    return sum(w * matrix[y, d] for y, d, w in rows)


def expected_cost(case):
    return spent(case, case.decided) / case.weight.sum()


def normalised_cost(case):
    always = [spent(case, np.full(len(case.y), k)) for k in range(case.classes)]
    return spent(case, case.decided) / min(always) if min(always) > 0 else np.nan


def net_benefit(tp, fp, fn, tn):
    """Return the benefit at a threshold of one half, where the odds are even."""
    return (tp - fp) / (tp + fp + fn + tn)


ORACLES = {
    "expected_cost": Oracle(
        expected_cost, "Elkan 2001, row by row", weighted=True, multiclass=True
    ),
    "normalised_cost": Oracle(
        normalised_cost, "Ferrer 2022, each single decision tried", weighted=True, multiclass=True
    ),
    "net_benefit": Oracle(
        of_cells(net_benefit),
        "Vickers and Elkin 2006, cells in fractions",
        weighted=True,
        multiclass=True,
    ),
}
