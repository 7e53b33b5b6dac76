"""Names that look alike: one of them is likely a mistake, and a guess would evaluate it."""

from __future__ import annotations

import unicodedata
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from metricatlas.errors import FileError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

#: No families.
NONE: Mapping[str, Collection[str]] = MappingProxyType({})


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


def check_alike(
    names: Iterable[str], file: str, families: Mapping[str, Collection[str]] = NONE
) -> None:
    """Refuse columns whose names look alike; of a family, the name is that of no column."""
    found = first_alike(names)
    if found is None:
        return
    if not any(name in families for name in found):
        raise _columns_alike(*found, file)
    one, other = found
    left_out = min((families.get(name, (name,)) for name in found), key=len)
    msg = (
        f"the names `{one}` and `{other}` in {file} look alike: they may be one model. Rename one, "
        f"or leave it out with {' '.join(f'--ignore {column!r}' for column in left_out)}."
    )
    raise FileError(msg)


def check_alike_beside(names: Iterable[str], others: Iterable[str], file: str) -> None:
    """Refuse columns whose names look like one of the others; these may look alike themselves."""
    first = {folded(other): other for other in others}
    for name in names:
        if first.get(folded(name), name) != name:
            raise _columns_alike(first[folded(name)], name, file)


def _columns_alike(one: str, other: str, file: str) -> FileError:
    return FileError(
        f"the columns `{one}` and `{other}` of {file} look alike. Rename one, or leave it out "
        f"with --ignore {other!r}."
    )


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
