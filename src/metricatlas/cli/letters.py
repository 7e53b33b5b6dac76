"""Letters that a terminal may not have, or should not get."""

from __future__ import annotations

import json

#: What stands for a sign where only ASCII is known.
_PLAIN = {
    **dict(
        zip(
            "αβγδεκλμπστχφ",
            (
                *("alpha", "beta", "gamma", "delta", "epsilon", "kappa", "lambda", "mu", "pi"),
                *("sigma", "tau", "chi", "phi"),
            ),
            strict=True,
        )
    ),
    "Σ": "sum",
    "Π": "prod",
    "∫": "int",
    "∈": " in ",
    "∪": " or ",  # noqa: RUF001 - meant
    "∩": " and ",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "·": "*",
    "∞": "inf",
    "±": "+-",
    "⌊": "floor(",
    "⌋": ")",
    "√": "sqrt ",
    "²": "^2",
    "³": "^3",
    "⁻¹": "^-1",
    "⁻": "^-",
    "¹": "1",
    "→": "->",
    "↓": "v",
    "–": "-",  # noqa: RUF001 - meant
    "—": "-",
    "…": "...",
    "’": "'",  # noqa: RUF001 - meant
    "\u0304": "-bar",
    "\u0302": "-hat",
    "\u0303": "-tilde",
}


def one_line(text: str) -> str:
    """A text without line breaks and control sequences: no name moves the cursor."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


def legible(text: str, encoding: str | None) -> str:
    """A text for people: signs that the encoding has not are written in letters that it has."""
    if knows(encoding, text):
        return text
    for sign, plain in _PLAIN.items():
        if not knows(encoding, sign):
            text = text.replace(sign, plain)
    return text


def escaped(text: str, encoding: str | None) -> str:
    """A text for programs: letters that the encoding has not are written as in JSON."""
    if knows(encoding, text):
        return text
    return "".join(c if c.isascii() else json.dumps(c)[1:-1] for c in text)


def knows(encoding: str | None, text: str) -> bool:
    """Whether an encoding has all letters of a text."""
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
