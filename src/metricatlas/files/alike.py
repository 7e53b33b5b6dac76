"""Names that look alike: one of them is likely a mistake, and a guess would evaluate it."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from metricatlas.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable


def folded(name: str) -> str:
    """What is left of a name without case, spaces and letters that nobody sees."""
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(letter for letter in text if not _is_unseen(letter))


def _is_unseen(letter: str) -> bool:
    # Variation selectors are marks, which other scripts need.
    if "\ufe00" <= letter <= "\ufe0f":
        return True
    return letter.isspace() or unicodedata.category(letter) in ("Cf", "Cc")


def first_alike(names: Iterable[str], known: Collection[Any] = ()) -> tuple[str, str] | None:
    """The first two different names that look alike, unless both are known to differ."""
    first: dict[str, str] = {}
    for name in names:
        other = first.setdefault(folded(name), name)
        if other != name and not (other in known and name in known):
            return other, name
    return None


def check_alike(names: Iterable[str], file: str) -> None:
    """Refuse columns whose names look alike."""
    found = first_alike(names)
    if found is not None:
        one, other = found
        msg = (
            f"the columns `{one}` and `{other}` of {file} look alike. Rename one, or leave it out "
            f"with --ignore {other!r}."
        )
        raise FileError(msg)


def check_alike_models(names: Iterable[str], file: str) -> None:
    """Refuse models of the long form whose names look alike."""
    found = first_alike(names)
    if found is not None:
        one, other = found
        msg = (
            f"the models {one!r} and {other!r} of {file} look alike: they may be one. Write both "
            f"in one way, or choose models with --model."
        )
        raise FileError(msg)


def check_alike_classes(names: Iterable[Any], where: str, known: Collection[Any] = ()) -> None:
    """Refuse classes whose names look alike, unless both are known to differ."""
    found = first_alike((name for name in names if isinstance(name, str)), known)
    if found is not None:
        one, other = found
        msg = (
            f"the classes {one!r} and {other!r} of {where} look alike: they may be one. Write both "
            f"in one way, or name all classes with --labels if they do differ."
        )
        raise FileError(msg)
