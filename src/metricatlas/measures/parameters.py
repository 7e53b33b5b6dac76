"""Values of a measure's own parameters in the one form in which they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.predictions.squares import has_row_names, is_frame, with_row_names

if TYPE_CHECKING:
    import inspect

    from metricatlas.measures.declaration import Declaration

#: Up to here every whole number is a float too.
LARGEST = 2**53


class NamedMatrix(tuple[Any, ...]):  # noqa: SLOT001 - slots of a tuple can hold nothing
    """The rows of a matrix that says which class each of them, and each column, is.

    They are kept in the order of the names, so that one matrix is one value of a parameter.
    """

    names: tuple[Any, ...]

    @classmethod
    def of(cls, rows: tuple[Any, ...], names: tuple[Any, ...]) -> NamedMatrix:
        """A matrix of these rows."""
        places = _sorted_places(names)
        square = all(isinstance(row, tuple) and len(row) == len(names) for row in rows)
        made = cls(ordered(rows, places) if square else rows)
        made.names = tuple(names[i] for i in places) if square else names
        return made

    def __eq__(self, other: object) -> bool:
        alike = isinstance(other, NamedMatrix) and self.names == other.names
        return alike and tuple(self) == tuple(other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((tuple(self), self.names))

    def __reduce__(self) -> tuple[Any, ...]:
        return (NamedMatrix.of, (tuple(self), self.names))


def _sorted_places(names: tuple[Any, ...]) -> list[int]:
    try:
        return sorted(range(len(names)), key=lambda i: names[i])
    except TypeError:
        return sorted(range(len(names)), key=lambda i: repr(names[i]))


def ordered(rows: tuple[Any, ...], places: list[int]) -> tuple[Any, ...]:
    """The rows and columns of a square matrix at these places, in their order."""
    return tuple(tuple(rows[i][j] for j in places) for i in places)


def settled(declaration: Declaration, name: str, value: Any) -> Any:
    """The value of a parameter, checked, in the form in which measures are compared and kept."""
    if name not in declaration.parameters:
        known = ", ".join(declaration.parameters) or "none"
        msg = f"{declaration.name} has no parameter {name!r}; its parameters: {known}."
        raise MeasureError(msg)
    kept = _converted(declaration, name, value)
    check = declaration.checks.get(name)
    try:
        fine = check is None or bool(check.holds(kept))
    except Exception:  # noqa: BLE001 - a test that fails on a value does not hold for it
        fine = False
    if not fine:
        raise _refused(declaration, name, value, check.words if check else "")
    return kept


def _converted(declaration: Declaration, name: str, value: Any) -> Any:
    """A number as the type that the formula says, so that 2 and 2.0 are one value of it."""
    kind = _kind(declaration.parameters[name])
    plain = _frozen(with_row_names(value, name) if is_frame(value) else value)
    if kind == "":
        return plain
    words = "a whole number" if kind == "int" else "a number"
    check = declaration.checks.get(name)
    wanted = check.words if check else words
    # Python counts with truth values, but here one is a mistake.
    if isinstance(plain, bool) or not isinstance(plain, int | float):
        raise _refused(declaration, name, value, wanted)
    if kind == "int":
        if plain != plain or abs(plain) > LARGEST:  # noqa: PLR0124 - finds NaN
            raise _refused(declaration, name, value, f"{wanted} and at most 2^53")
        if int(plain) != plain:
            raise _refused(declaration, name, value, wanted)
        return int(plain)
    try:
        return float(plain)
    except OverflowError:
        raise _refused(declaration, name, value, f"{wanted} that a float can hold") from None


def _kind(parameter: inspect.Parameter) -> str:
    """What the formula says its parameter is: "int", "float", or something else."""
    said = parameter.annotation
    name = said if isinstance(said, str) else getattr(said, "__name__", "")
    return name if name in ("int", "float") else ""


def _refused(declaration: Declaration, name: str, value: Any, words: str) -> MeasureError:
    came = repr(value)
    shown = came if len(came) <= 80 else f"{came[:77]}..."
    return MeasureError(f"{name} of {declaration.name} must be {words}; got {shown}.")


def _frozen(value: Any) -> Any:
    """Matrices as nested tuples, so that measures can be compared, hashed and pickled."""
    if isinstance(value, NamedMatrix):
        return value
    if has_row_names(value):
        return _frozen_frame(value)
    if isinstance(value, np.generic):
        return value.item()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if hasattr(value, "to_numpy"):
        value = value.to_numpy().tolist()
    return tuple(_frozen(v) for v in value) if isinstance(value, list | tuple) else value


def _frozen_frame(frame: Any) -> tuple[Any, ...]:
    """A frame with names of rows; its classes are its columns, and its rows have the same names."""
    rows = _frozen(frame.to_numpy())
    columns, index = (tuple(_frozen(names.tolist())) for names in (frame.columns, frame.index))
    if columns == index == tuple(range(len(columns))):
        # pandas' own numbers are no names.
        return rows
    if len(set(columns)) < len(columns) or sorted(map(repr, columns)) != sorted(map(repr, index)):
        msg = (
            f"a frame must have the same classes as rows and as columns, each once; got "
            f"{list(index)} and {list(columns)}. Name both, or pass `.to_numpy()`."
        )
        raise MeasureError(msg)
    places = [index.index(name) for name in columns]
    return NamedMatrix.of(tuple(rows[i] for i in places), columns)


def equals(one: Any, other: Any) -> bool:
    """Whether two values of a parameter are the same."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
