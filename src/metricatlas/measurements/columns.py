"""What a table knows of each of its columns, and how a column is found by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from math import inf
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from metricatlas.errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = np.ndarray[Any, Any]
Better = Literal["higher", "lower", "zero", "one", "neither"]


class Named(Protocol):
    """A measure, as far as a table needs to know it."""

    @property
    def name(self) -> str:
        """Its canonical name."""


@dataclass(frozen=True)
class Column:
    """What there is to know about a column, so that a saved table needs no catalogue."""

    #: As asked for.
    name: str
    #: The canonical expression.
    measure: str
    better: Better = "higher"
    lower: float = -inf
    upper: float = inf
    title: str = ""

    @property
    def mark(self) -> str:
        """The sign of its direction; none where higher is better."""
        return {"higher": "", "lower": "↓", "zero": "→0", "one": "→1", "neither": "·"}[self.better]

    def oriented(self) -> Column:
        """Describe the same column once higher is better."""
        if self.better in ("higher", "neither"):
            return self
        if self.better == "lower":
            ends, title = (0.0 - self.upper, 0.0 - self.lower), "minus {}"
        else:
            best = _BEST[self.better]
            far = max(abs(self.lower - best), abs(self.upper - best))
            ends, title = (0.0 - far, 0.0), f"minus the distance of {{}} from {best:g}"
        title = title.format(self.title or self.name)
        return replace(self, better="higher", lower=ends[0], upper=ends[1], title=title)


_BEST: dict[str, float] = {"zero": 0.0, "one": 1.0}


def oriented_values(values: Array, schema: Sequence[Column]) -> Array:
    """Turn the last axis so that higher is better; subtracting from 0 leaves no -0.0 behind."""
    turned = np.array(values, dtype=np.float64)
    turned[..., [i for i, column in enumerate(schema) if column.better == "neither"]] = np.nan
    for better, best in (("lower", None), *_BEST.items()):
        which = [i for i, column in enumerate(schema) if column.better == better]
        part = turned[..., which]
        turned[..., which] = 0.0 - (part if best is None else np.abs(part - best))
    return turned


def known_column(name: str) -> Column | None:
    """Describe a column by the measure of its name, if there is one."""
    from metricatlas.measures.language import parse

    try:
        measure: Any = parse(name)
    except MeasureError:
        return None
    lows, highs = zip(*(measure.bounds_for(classes) for classes in (2, 3, 10)), strict=True)
    # A bound that depends on the number of classes is not known here.
    lower = lows[0] if len(set(lows)) == 1 else -inf
    upper = highs[0] if len(set(highs)) == 1 else inf
    return Column(name, measure.name, measure.better, lower, upper, measure.title)


def find_column(schema: Sequence[Column], asked: str | Named) -> int:
    """Find the place of a column by its name, else by its measure's name or alias."""
    name = asked if isinstance(asked, str) else getattr(asked, "name", asked)
    if not isinstance(name, str):
        msg = (
            f"a column is asked for by its name or its measure; got {asked!r}. `.columns` lists "
            f"the names."
        )
        raise MeasureError(msg)
    for names in ([c.name for c in schema], [c.measure for c in schema]):
        if name in names:
            return names.index(name)
    known = known_column(name)
    if known is not None:
        for i, column in enumerate(schema):
            # The column "auc" of ten classes is auc[ovo,uniform]; its own name still says auc.
            own = known_column(column.name)
            if known.measure in (column.measure, own and own.measure):
                return i
    raise MeasureError(_no_column(schema, name, known is not None))


def _no_column(schema: Sequence[Column], name: str, is_measure: bool) -> str:  # noqa: FBT001 - private
    names = list(dict.fromkeys(c.name for c in schema))
    text = f"there is no column {name!r}{nearest(name, names)}"
    if is_measure:
        return f"{text} It is a measure, though: name it in measures= when evaluating."
    return text


def nearest(asked: object, there: Sequence[object]) -> str:
    """End a message about an unknown name by the names that come nearest, or the first few."""
    names = [str(x) for x in there]
    close = get_close_matches(str(asked), names, n=3, cutoff=0.5)
    if close:
        return f"; the nearest are {', '.join(map(repr, close))}."
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return (
        f"; there are {', '.join(repr(x) for x in there[:8])}{more}."
        if names
        else "; there are none."
    )
