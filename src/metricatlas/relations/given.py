"""A matrix of correlations that was computed elsewhere, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import RelationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metricatlas.summaries.facts import Array

#: Printed correlations have few digits, but the same ones on both sides of the diagonal.
SAME = 1e-9


def read_matrix(matrix: Any, names: Iterable[str] | None) -> tuple[tuple[str, ...], Array]:
    """Check a matrix of correlations; return the names and the numbers."""
    if hasattr(matrix, "columns") and hasattr(matrix, "index"):
        own, rows = [str(c) for c in matrix.columns], [str(r) for r in matrix.index]
        if own != rows and rows != [str(i) for i in range(len(rows))]:
            msg = f"a matrix must have the same names as rows and as columns; got {rows} and {own}."
            raise RelationError(msg)
        names = own if names is None else names
    try:
        cells = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        msg = f"a matrix of correlations must hold numbers; {error}."
        raise RelationError(msg) from error
    if cells.ndim != 2 or len(cells) != len(cells.T) or not len(cells):
        msg = f"a matrix of correlations must be square; got the shape {cells.shape}."
        raise RelationError(msg)
    given = [f"x{i + 1}" for i in range(len(cells))] if names is None else list(names)
    if len(given) != len(cells) or len(set(given)) < len(given):
        msg = (
            f"names must be one for each of the {len(cells)} measures, all different; got {given}."
        )
        raise RelationError(msg)
    _check_cells(cells, given)
    np.fill_diagonal(cells, np.where(np.isnan(np.diagonal(cells)), np.nan, 1.0))
    return tuple(given), (cells + cells.T) / 2


def _check_cells(cells: Array, names: list[str]) -> None:
    with np.errstate(invalid="ignore"):
        wrong = {
            "lie in [-1, 1]": np.abs(cells) > 1 + SAME,
            "be the same on both sides of the diagonal": np.abs(cells - cells.T) > SAME,
            "be 1 on the diagonal": (np.abs(cells - 1) > SAME) & np.eye(len(cells), dtype=bool),
        }
    half = np.isnan(cells) != np.isnan(cells.T)
    wrong["be the same on both sides of the diagonal"] |= half
    for rule, where in wrong.items():
        if where.any():
            row, column = np.argwhere(where)[0]
            msg = (
                f"correlations must {rule}; got {cells[row, column]:g} of {names[row]} and "
                f"{names[column]}, {cells[column, row]:g} the other way round."
            )
            raise RelationError(msg)
