"""Numbers as users give them."""

from __future__ import annotations

import numpy as np


def is_whole(number: object) -> bool:
    """Whether it is a whole number, which True is not."""
    return isinstance(number, int | np.integer) and not isinstance(number, bool)
