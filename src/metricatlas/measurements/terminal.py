"""The terminal form: plain text, never wider than the terminal."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import unicodedata
from typing import TYPE_CHECKING

from metricatlas.errors import MetricAtlasError
from metricatlas.measurements.sheet import UNDEFINED, Sheet, counted, make_sheet

if TYPE_CHECKING:
    from metricatlas.measurements.table import Measurements

_GAP = 2
#: Heads are wrapped to the first of these widths with which all columns fit.
_HEAD_WIDTHS = (32, 20, 14, 10, 8)
_HEAD_LINES = 4
#: Heads are broken after and before these signs, and within a word where it is longer than this.
_BREAK = re.compile(r"(?<=[_,=:])|(?=[@\[ ])")
_LONGEST_WORD = 14
#: For terminals that know no other letters; one for one, so that columns stay in line.
_PLAIN = str.maketrans({UNDEFINED: "-", "↓": "v", "→": "=", "…": "~"})


def as_text(table: Measurements, width: int | None, lines: int | None) -> str:
    """Lay a table out in so many columns of letters, those of the terminal by default."""
    _check_size("width", width)
    _check_size("lines", lines)
    room = max(20, width or shutil.get_terminal_size().columns)
    text = "\n".join(
        _clipped(line, room).rstrip() for line in _laid_out(make_sheet(table, lines), room)
    )
    return _encodable(text)


def _check_size(title: str, size: object) -> None:
    if size is not None and not (isinstance(size, int) and size > 0):
        msg = f"{title} must be a whole number above 0, or None for what fits; got {size!r}."
        raise MetricAtlasError(msg)


def _encodable(text: str) -> str:
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


def _laid_out(sheet: Sheet, room: int) -> list[str]:
    labels = [
        [_clean(labels[i].text) for labels, _ in sheet.lines] for i in range(len(sheet.label_heads))
    ]
    label_heads = [_clean(head.text) for head in sheet.label_heads]
    most = max(8, room // (2 * max(1, len(labels))) - _GAP)
    label_widths = [
        min(most, max(map(_width, (head, *column))))
        for head, column in zip(label_heads, labels, strict=True)
    ]
    heads = [_clean(head.text) for head in sheet.heads]
    cells = [[cells[i].text for _, cells in sheet.lines] for i in range(len(heads))]
    widths = _fitted(heads, cells, room - sum(label_widths) - _GAP * len(label_widths))
    columns = [
        *(
            _column(head, column, width, left=True)
            for head, column, width in zip(label_heads, labels, label_widths, strict=True)
        ),
        *(
            _column(head, column, width, left=False)
            for head, column, width in zip(heads, cells, widths, strict=False)
        ),
    ]
    left_out = len(heads) - len(widths)
    caption = [f"{counted(left_out, f'more {sheet.across}')} had no room"] if left_out else []
    return [*_joined(columns), *_wrapped([*caption, *sheet.caption], room)]


def _wrapped(caption: list[str], room: int) -> list[str]:
    # A sign stays with what it stands for.
    text = "; ".join(_clean(part).replace(" ", "\xa0", 1) for part in caption)
    return [line.replace("\xa0", " ") for line in textwrap.wrap(f"{text}.", room)]


def _fitted(heads: list[str], cells: list[list[str]], room: int) -> list[int]:
    """Widths of the columns of cells; fewer than there are where not all have room."""
    widths: list[int] = []
    for most in _HEAD_WIDTHS:
        widths = [
            max(min(most, _width(head)), _longest_word(head), *map(_width, column), 1)
            for head, column in zip(heads, cells, strict=True)
        ]
        if sum(widths) + _GAP * (len(widths) - 1) <= room:
            return widths
    while len(widths) > 1 and sum(widths) + _GAP * (len(widths) - 1) > room:
        widths.pop()
    return widths


def _column(head: str, column: list[str], width: int, *, left: bool) -> list[str]:
    """Pad the head, wrapped and standing on the cells, and the cells to one width."""
    wrapped = _head_lines(head, width)
    above = [""] * (_HEAD_LINES - len(wrapped)) + wrapped
    return [_padded(_clipped(text, width), width, left=left) for text in (*above, *column)]


def _longest_word(head: str) -> int:
    return min(_LONGEST_WORD, max(_width(word.strip()) for word in _BREAK.split(head)))


def _head_lines(head: str, width: int) -> list[str]:
    """A head in lines that break between words, of which the last ends what is too long."""
    lines = [""]
    for word in _BREAK.split(head):
        if _width((lines[-1] + word).strip()) <= width:
            lines[-1] += word
        else:
            lines += textwrap.wrap(word, width)
    shown = [line.strip() for line in lines if line.strip()]
    if len(shown) > _HEAD_LINES:
        shown = [*shown[: _HEAD_LINES - 1], _clipped("".join(shown[_HEAD_LINES - 1 :]), width)]
    return shown


def _joined(columns: list[list[str]]) -> list[str]:
    lines = [(" " * _GAP).join(parts) for parts in zip(*columns, strict=True)]
    empty = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    return lines[empty:]


def _padded(text: str, width: int, *, left: bool) -> str:
    space = " " * (width - _width(text))
    return text + space if left else space + text


def _clipped(text: str, width: int) -> str:
    if _width(text) <= width:
        return text
    kept, used = "", 0
    for letter in text:
        used += _width(letter)
        if used > width - 1:
            break
        kept += letter
    return kept + "…"


def _clean(text: str) -> str:
    """No line breaks or control sequences: a name cannot move the cursor."""
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def _width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(_letter_width(letter) for letter in text)


def _letter_width(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
