"""Answers for costs and benefits: row by row."""

from fractions import Fraction

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


def net_benefit(odds):
    """Return the benefit where a false positive costs so many true ones."""
    return lambda tp, fp, fn, tn: (tp - odds * fp) / (tp + fp + fn + tn)


def decision_curve(odds):
    return Oracle(
        of_cells(net_benefit(odds)),
        "Vickers and Elkin 2006, cells in fractions",
        weighted=True,
        multiclass=True,
    )


ORACLES = {
    "expected_cost": Oracle(
        expected_cost, "Elkan 2001, row by row", weighted=True, multiclass=True
    ),
    "normalised_cost": Oracle(
        normalised_cost, "Ferrer 2022, each single decision tried", weighted=True, multiclass=True
    ),
    "net_benefit": decision_curve(1),
}
VARIANTS = {"net_benefit[p=0.2]": decision_curve(Fraction(1, 4))}
