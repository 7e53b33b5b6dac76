"""Formulas for the terminal: the LaTeX of the documentation as a line of plain signs."""

from __future__ import annotations

import re

_SIGN = re.compile(r"\\[A-Za-z]+|\\.|[{}^_&]|\s+|[^\\{}^_&\s]")
#: Stands for a wide space until single ones are settled.
_GAP = "\u2003"
_NAMED = (
    "alpha beta gamma delta varepsilon epsilon kappa lambda mu pi sigma tau chi phi sum int prod "
    "in cup cap le ge neq ne cdot times infty pm lfloor rfloor to mid"
)
_SIGNS = {
    "!": "",
    "\\": ";",
    "dots": "...",
    "ldots": "...",
    **dict.fromkeys((",", ";", " "), " "),
    **dict.fromkeys(("quad", "qquad"), _GAP),
    **dict(zip(_NAMED.split(), "αβγδεεκλμπστχφΣ∫Π∈∪∩≤≥≠≠·x∞±⌊⌋→|", strict=True)),  # noqa: RUF001 - meant
}
#: Commands that only say how large or in which letters.
_SILENT = ("Bigl", "Bigr", "bigl", "bigr", "left", "right", "mathrm", "text", "displaystyle")
#: What may stand behind a fraction without being taken for part of it.
_ENDS = (*"}+-=,;)]<>&", "\\quad", "\\cdot", "\\text", "\\Bigr", "\\\\")
_ABOVE = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303"}
_RAISED = {"2": "²", "3": "³", "-1": "⁻¹"}


def plain(latex: str) -> str:
    """Write a formula with the signs that a terminal has."""
    # The brackets say how far a sum before the cases reaches.
    latex = latex.replace("\\begin{cases}", "{\\{").replace("\\end{cases}", "\\}}")
    text = _Reader(_SIGN.findall(" ".join(latex.split()))).all()
    text = re.sub(r"([({]) ", r"\1", re.sub(r" +", " ", text))
    return re.sub(r" ([,;)}])", r"\1", re.sub(f" *{_GAP} *", "  ", text)).strip()


class _Reader:
    """Reads signs from left to right; a group in braces is read by itself."""

    def __init__(self, signs: list[str]) -> None:
        self.signs = signs
        self.place = 0

    def all(self) -> str:
        """The text up to the end, or to the brace that closes this group."""
        parts: list[str] = []
        while self.place < len(self.signs):
            sign = self._next()
            if sign == "}":
                break
            parts.append(self._signs(sign))
        return "".join(parts)

    def _next(self) -> str:
        self.place += 1
        return self.signs[self.place - 1]

    def _signs(self, sign: str) -> str:
        if sign == "{":
            return self.all()
        if sign == "^":
            inside = self._argument()
            return _RAISED.get(inside) or f"^{_grouped(inside)}"
        if sign == "_":
            inside = self._argument()
            return f"_{inside if _is_word(inside) else f'({inside})'}"
        if sign == "&":
            return "if "
        return self._command(sign[1:]) if sign.startswith("\\") else sign

    def _command(self, name: str) -> str:
        if name in ("frac", "tfrac"):
            return self._fraction()
        if name == "sqrt":
            return f"√{_grouped(self._argument())}"
        if name in _ABOVE:
            return f"{self._argument()}{_ABOVE[name]}"
        if name in ("log", "ln", "exp", "min", "max", "arg"):
            upright = self.place < len(self.signs) and self.signs[self.place] not in "_({ "
            return f"{name} " if upright else name
        return "" if name in _SILENT else _SIGNS.get(name, name)

    def _fraction(self) -> str:
        """In brackets where it is the argument of a function, or something follows as a factor."""
        before = [sign for sign in self.signs[: self.place - 1] if sign.strip()]
        above, below = self._argument(), self._argument()
        slash = "/" if len(above + below) == 2 else " / "
        text = f"{_grouped(above)}{slash}{_grouped(below)}"
        after = next((sign for sign in self.signs[self.place :] if sign.strip()), "}")
        of_function = len(before) > 2 and before[-3] == "\\log"
        return f"({text})" if of_function or after not in _ENDS else text

    def _argument(self) -> str:
        """A group in braces, a command, or a single sign."""
        sign = self._next()
        while not sign.strip():
            sign = self._next()
        return self._signs(sign).strip()


def _is_word(text: str) -> bool:
    return text.isalnum() or len(text) == 1


def _grouped(text: str) -> str:
    """Put brackets around what is more than one thing."""
    alone = re.fullmatch(r"[\w\u0304\u0302²³.]+", text) or _is_bracketed(text)
    return text if alone else f"({text})"


def _is_bracketed(text: str) -> bool:
    if not (text.startswith("(") and text.endswith(")")):
        return False
    depth = 0
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0 and place < len(text) - 1:
            return False
    return True
