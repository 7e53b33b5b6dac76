"""How values, class names and lists are spelled in the language: written here, read here."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from metricatlas.errors import MeasureError
from metricatlas.measures.parameters import NamedMatrix

if TYPE_CHECKING:
    from collections.abc import Iterator

_BRACKETS = {"[": 1, "(": 1, "]": -1, ")": -1}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf")
_WHOLE = re.compile(r"[+-]?\d+")
_GAPS = re.compile(r"(?<=\w)[\s-]+(?=\w)")
_WORD = re.compile(r"\w+")


def folded(name: str) -> str:
    """A name as it is looked up: case, spaces and hyphens inside do not matter, as in F-beta.

    What stands at an end belongs to the name: ``LR+`` and ``LR-`` are two measures.
    """
    return _GAPS.sub("_", name.strip().casefold())


def written(value: Any) -> str:
    """A value as the language writes it, so that `read` gives it back."""
    if isinstance(value, NamedMatrix):
        rows = zip(value.names, value, strict=True)
        return "(" + ",".join(f"{written(name)}:{written(row)}" for name, row in rows) + ")"
    if isinstance(value, tuple):
        return "(" + ",".join(written(v) for v in value) + ")"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, str):
        return value if _WORD.fullmatch(value) and read(value) == value else _quoted(value)
    return str(value)


def written_name(name: str) -> str:
    """The name of a class: in quotes where it is not a word."""
    return name if _WORD.fullmatch(name) else _quoted(name)


def written_share(share: float) -> str:
    """A share in percent, by decimal arithmetic: 7% is 0.07 and nothing beside it."""
    return f"{(Decimal(repr(share)) * 100).normalize():f}%"


def _quoted(text: str) -> str:
    # A quote inside is written twice, as in CSV.
    return '"' + text.replace('"', '""') + '"'


def read(text: str) -> Any:
    """The value that a text stands for: a number, a share in percent, a matrix, else a text."""
    if text[:1] in ("(", "[") and text[-1:] in (")", "]"):
        items = [item.strip() for item in split(text[1:-1], ",") if item.strip()]
        return _named_rows(items) or tuple(map(read, items))
    if text.endswith("%") and is_number(text[:-1]):
        return float(Decimal(text[:-1]) / 100)
    if _WHOLE.fullmatch(text):
        return int(text)
    if is_number(text):
        return float(text)
    if text.casefold() in ("true", "false"):
        return text.casefold() == "true"
    return unquoted(text)


def _named_rows(items: list[str]) -> NamedMatrix | None:
    """The matrix of rows with the names of their classes: ``(low:(0,1),high:(5,0))``."""
    rows = [tuple(part.strip() for part in split(item, ":")) for item in items]
    if not all(len(row) == 2 and row[1][:1] in ("(", "[") for row in rows):
        return None
    return NamedMatrix.of(
        tuple(read(row) for _, row in rows), tuple(read(name) for name, _ in rows)
    )


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return _NUMBER.fullmatch(text) is not None


def unquoted(text: str) -> str:
    """A text without the quotes around it."""
    quote = text[:1]
    if len(text) < 2 or quote not in "\"'" or text[-1] != quote:
        return text
    return text[1:-1].replace(2 * quote, quote)


def split_list(text: str) -> list[str]:
    """Split a list of measures at the commas outside brackets and quotes."""
    return [part.strip() for part in split(text, ",")]


def split(text: str, separator: str) -> list[str]:
    """Split at separators that stand outside brackets and quotes."""
    return split_at(text, [place for place, letter in outside(text) if letter == separator])


def split_dots(text: str) -> list[str]:
    """Split ``f1.macro`` at its dots; a dot before a digit belongs to a number."""
    dots = [place for place, letter in outside(text) if letter == "."]
    return split_at(text, [dot for dot in dots if text[dot + 1 : dot + 2].isalpha()])


def split_at(text: str, places: list[int]) -> list[str]:
    """The parts between places, without the letters there."""
    starts = [0, *(place + 1 for place in places)]
    return [text[start:end] for start, end in zip(starts, [*places, len(text)], strict=True)]


def outside(text: str) -> Iterator[tuple[int, str]]:
    """The letters outside brackets and quotes, with their places."""
    depth, quote = 0, ""
    for place, letter in enumerate(text):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        else:
            if depth == 0:
                yield place, letter
            depth += _BRACKETS.get(letter, 0)
    if depth or quote:
        msg = f"brackets and quotes must be closed; got {text!r}."
        raise MeasureError(msg)
