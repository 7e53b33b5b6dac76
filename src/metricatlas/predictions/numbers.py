"""Numbers and names as users give them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


def is_whole(number: object) -> bool:
    """Whether it is a whole number, which True is not."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)


def is_number(number: object) -> bool:
    """Whether it is a number, which True and NaN are not."""
    known = isinstance(number, int | float | np.number) and not isinstance(number, bool)
    return known and number == number  # noqa: PLR0124 - finds NaN


def listed(names: Any) -> list[Any]:
    """Names in a list; a text is one name, not its letters."""
    return list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
