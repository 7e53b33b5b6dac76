"""Text where numbers are needed: which cells are none, and what their writer may have meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from metricatlas.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.files.column import Column

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*|-?(nan|inf)", re.IGNORECASE)
_COMMA = re.compile(r"\s*[+-]?[\d.]*\d,\d[\d,]*(\.\d*)?\s*%?\s*")
_PERCENT = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)\s*%\s*")
_MISSING = ("none", "na", "n/a", "nan", "null", "missing", "?", "-", ".")
_HINTS = (
    (_COMMA, "Write numbers with a decimal point, and without a separator of thousands"),
    (_PERCENT, "Write shares without the percent sign, as in 0.2 for 20%"),
)


def nearly_numbers(column: Column, besides: Sequence[Any] = ()) -> bool:
    """Whether most of a text are numbers, of which some are none of those that are known."""
    values = [v for v in column.distinct if v is not None] if column.kind == "text" else []
    like = [v for v in values if _is_like_number(v)]
    return bool(like) and 2 * len(like) >= len(values) and not set(like) <= set(besides)


def refuse_text(column: Column) -> None:
    """Refuse a column of text that is nearly one of numbers, and name its first bad cell."""
    if nearly_numbers(column):
        raise FileError(not_numeric(column))


def not_numeric(column: Column) -> str:
    """Which cells of a text are no numbers, and what to do about them."""
    bad = {v for v in column.distinct if v is not None and not _NUMBER.fullmatch(v)}
    wrong = column.are(bad)
    count = int(wrong.sum())
    if not count:
        return (
            f"{column.title} must hold numbers; it holds text that spells numbers, as in "
            f'"{column.distinct[0]}". Write it as numbers without zeros before them,'
            f" or leave the column out with --ignore."
        )
    first = next(v for v in column.distinct if v in bad)
    return (
        f"{column.title} is not numeric: {count:,} cell{'s' * (count > 1)}, "
        f'{"the first " if count > 1 else ""}"{first}" in {column.row(wrong)}. {_hint(first)}, or '
        f"leave the column out with --ignore."
    )


def _is_like_number(text: str) -> bool:
    return any(p.fullmatch(text) for p in (_NUMBER, *(pattern for pattern, _ in _HINTS)))


def _hint(text: str) -> str:
    for pattern, hint in _HINTS:
        if pattern.fullmatch(text):
            return hint
    return "Drop or fill these rows" if text.casefold() in _MISSING else "Correct it"
