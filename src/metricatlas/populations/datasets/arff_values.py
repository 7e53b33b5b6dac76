"""The values on a line of an ARFF file, which quotes and backslashes may hold together."""

from __future__ import annotations

import re
from typing import NamedTuple

from metricatlas.errors import PopulationError

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_FIELD = re.compile(rf"\s*(?:({QUOTED})|([^,'\"]*?))\s*(,|$)")
_PAIR = re.compile(rf"\s*(\d+)\s+(?:({QUOTED})|([^,'\"]*?))\s*(,|$)")
_ESCAPED = re.compile(r"\\(u[0-9a-fA-F]{4}|.)")
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}


class Place(NamedTuple):
    """A line of a file, to say where something is wrong."""

    file: str
    line: int

    def wrong(self, what: str) -> PopulationError:
        """Give an error that names the line."""
        return PopulationError(f"{self.file}, line {self.line}: {what}")


class Value(NamedTuple):
    """What stands between two commas."""

    text: str
    quoted: bool


def values_of(line: str, place: Place) -> list[Value]:
    """Split a line at its commas, those within quotes aside."""
    found: list[Value] = []
    at, end = 0, ","
    while end:
        match = _FIELD.match(line, at)
        if match is None:
            what = f"quotes must open and close around a whole value; got {short(line[at:])}."
            raise place.wrong(what)
        quoted = match[1] is not None
        found.append(Value(unquoted(match[1]) if quoted else match[2], quoted))
        at, end = match.end(), match[3]
    return found


def pairs_of(line: str, place: Place) -> dict[int, Value]:
    """Split what stands in the braces of a sparse row into indices and values."""
    found: dict[int, Value] = {}
    at, end = 0, "," if line.strip() else ""
    while end:
        match = _PAIR.match(line, at)
        if match is None or int(match[1]) in found:
            what = "a row in braces must have pairs as in {0 1.5, 3 yes}, each index once"
            raise place.wrong(f"{what}; got {short(line[at:])}.")
        quoted = match[2] is not None
        found[int(match[1])] = Value(unquoted(match[2]) if quoted else match[3], quoted)
        at, end = match.end(), match[4]
    return found


def unquoted(text: str) -> str:
    """Take the quotes away, and the backslashes within them."""
    return _ESCAPED.sub(_escaped, text[1:-1]) if text[:1] in ("'", '"') else text


def _escaped(found: re.Match[str]) -> str:
    sign = found[1]
    return chr(int(sign[1:], 16)) if len(sign) > 1 else _CONTROL.get(sign, sign)


def quoted(text: str) -> str:
    """Write a value so that it is read as it is."""
    if re.fullmatch(r"[^\s,'\"{}%?\\@]+", text):
        return text
    escapes = {ord(sign): f"\\{letter}" for letter, sign in _CONTROL.items()}
    escapes |= {ord(sign): f"\\{sign}" for sign in "\\'"}
    return f"'{text.translate(escapes)}'"


def short(text: str) -> str:
    """Show the beginning of a line."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
