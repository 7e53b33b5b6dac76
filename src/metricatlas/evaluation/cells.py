"""The cells of confusion matrices as numbers; what is no number is refused, never converted."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PredictionError

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array


def read_cells(matrices: Any) -> Array:
    """Cells as float64, in whatever shape they came."""
    _refuse_masked(matrices)
    try:
        cells = np.asarray(matrices)
    except (TypeError, ValueError) as error:
        raise _no_numbers(f"NumPy says: {error}") from error
    kind = cells.dtype.kind
    if kind in "OT":
        return _from_objects(cells)
    if kind not in "biuf":
        names = {"U": "text", "S": "text", "c": "complex numbers"}
        raise _no_numbers(f"got {names.get(kind, f'the type {cells.dtype}')}. Convert them first")
    return np.ascontiguousarray(cells, dtype=np.float64)


def _refuse_masked(matrices: Any) -> None:
    several = matrices if isinstance(matrices, list | tuple) else [matrices]
    for number, matrix in enumerate(several):
        if isinstance(matrix, np.ma.MaskedArray) and np.ma.getmaskarray(matrix).any():
            count = int(np.ma.getmaskarray(matrix).sum())
            msg = (
                f"confusion matrices must be complete; {count} cell(s) are masked, the first in "
                f"matrix {number if len(several) > 1 else _first_masked(matrix)}. Fill them, "
                f"with `.filled(0)` if nothing was counted there."
            )
            raise PredictionError(msg)


def _first_masked(matrix: Any) -> int:
    return int(np.argwhere(np.ma.getmaskarray(matrix))[0][0]) if matrix.ndim == 3 else 0


def _from_objects(cells: Array) -> Array:
    """Numbers of Python, which may be too large; nothing else."""
    known = int | float | np.bool_ | np.number | Decimal | Fraction
    for place, cell in np.ndenumerate(cells):
        if not isinstance(cell, known) or isinstance(cell, complex | np.complexfloating):
            where = f" at {place}" if place else ""
            raise _no_numbers(f"got {str(cell)[:40]!r} of type {type(cell).__name__}{where}")
    try:
        return cells.astype(np.float64)
    except OverflowError as error:
        raise _no_numbers("got a whole number that is too large for a float") from error


def _no_numbers(words: str) -> PredictionError:
    return PredictionError(
        f"confusion matrices must be numbers of one shape, (c, c) or (k, c, c); {words}."
    )
