"""The attributes that the header of an ARFF file declares."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from metricatlas.populations.datasets.arff_values import QUOTED, Place, short, unquoted, values_of

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind = Literal["numeric", "nominal", "string", "date"]

_KEYWORD = re.compile(r"@(\w+)\s*(.*)", re.DOTALL)
_DECLARED = re.compile(rf"({QUOTED}|[^\s{{'\"]+)\s*(.*)", re.DOTALL)
# A comment may follow a declaration.
_LIST = re.compile(rf"\{{((?:{QUOTED}|[^}}'\"])*)\}}\s*(?:%.*)?", re.DOTALL)
_WORD = re.compile(rf"(\w+)\s*({QUOTED})?\s*(?:%.*)?", re.DOTALL)
_KINDS: dict[str, Kind] = {
    "numeric": "numeric",
    "real": "numeric",
    "integer": "numeric",
    "string": "string",
    "date": "date",
}
_ISO_DATE = "yyyy-MM-dd'T'HH:mm:ss"
#: What the letters of a date's pattern are for `strptime`.
_DATE = {"yyyy": "%Y", "yy": "%y", "MM": "%m", "dd": "%d", "HH": "%H", "mm": "%M", "ss": "%S"}
_DATE_PARTS = re.compile(r"'([^']*)'|([a-zA-Z])\2*|[^a-zA-Z']+")


@dataclass(frozen=True)
class Attribute:
    """One column as the header declares it."""

    name: str
    kind: Kind
    #: Of a nominal attribute, in the order of their declaration.
    values: tuple[str, ...] = ()
    #: How a date is written, as `strptime` takes it.
    pattern: str = ""


def read_header(lines: Iterator[tuple[int, str]], file: str) -> list[Attribute]:
    """Read up to ``@data``; what is left of the lines are the rows."""
    found: dict[str, Attribute] = {}
    related, place = False, Place(file, 1)
    for number, line in lines:
        place = Place(file, number)
        if not line or line.startswith("%"):
            continue
        match = _KEYWORD.match(line)
        keyword = match[1].lower() if match else ""
        if keyword == "relation":
            related = True
        elif not related:
            raise place.wrong(f"a header must begin with @relation; got {short(line)}.")
        elif match and keyword == "attribute":
            attribute = _attribute(match[2], place)
            if attribute.name in found:
                raise place.wrong(f"attribute {attribute.name!r} must be declared once only.")
            found[attribute.name] = attribute
        elif keyword == "data" and found:
            return list(found.values())
        else:
            raise place.wrong(f"the header must have attributes, then @data; got {short(line)}.")
    raise place.wrong("the header must end with @data; the file ends before it.")


def _attribute(text: str, place: Place) -> Attribute:
    found = _DECLARED.fullmatch(text)
    if found is None or not found[2] or not unquoted(found[1]):
        raise place.wrong(f"an attribute must have a name and a type; got {short(text)}.")
    name, kind = unquoted(found[1]), found[2]
    if kind.startswith("{"):
        return Attribute(name, "nominal", values=_values(name, kind, place))
    word = _WORD.fullmatch(kind)
    known = _KINDS.get(word[1].lower()) if word else None
    if word is None or known is None or (word[2] and known != "date"):
        types = "numeric, real, integer, string, date or a list of values in braces"
        raise place.wrong(f"the type of {name!r} must be {types}; got {short(kind)}.")
    pattern = _pattern(unquoted(word[2] or _ISO_DATE), place) if known == "date" else ""
    return Attribute(name, known, pattern=pattern)


def _values(name: str, text: str, place: Place) -> tuple[str, ...]:
    found = _LIST.fullmatch(text)
    if found is None:
        what = f"the values of {name!r} must stand in braces that close on the line, as in {{a,b}}"
        raise place.wrong(f"{what}; got {short(text)}.")
    values = values_of(found[1], place)
    if not all(value.text or value.quoted for value in values):
        raise place.wrong(f"{name!r} must have values, none of them empty; got {short(text)}.")
    texts = [value.text for value in values]
    if len(set(texts)) < len(texts):
        twice = next(text for i, text in enumerate(texts) if text in texts[:i])
        raise place.wrong(f"{name!r} must declare each value once; {twice!r} is there twice.")
    return tuple(texts)


def _pattern(java: str, place: Place) -> str:
    parts, at = [], 0
    while match := _DATE_PARTS.match(java, at):
        literal = match[1] if match[1] is not None else None if match[2] else match[0]
        parts.append(_DATE.get(match[0], "") if literal is None else literal.replace("%", "%%"))
        at = match.end()
        if not parts[-1] and literal is None:
            break
    if at < len(java) or not all(parts):
        known = ", ".join(_DATE)
        raise place.wrong(f"a date must be written in {known} and signs; got {short(java)}.")
    return "".join(parts)
