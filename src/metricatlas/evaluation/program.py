"""The formulas of a plan as one straight-line program for a single row.

For one model most of the time of 150 small formulas is spent in calling them. So they are run once
on symbols that write down each operation and return a symbol; what was written down is compiled to
one function of the facts. It makes the same operations on the same numbers, so it has the same
bits.

What cannot be followed this way makes the plan fall back on calling its formulas, which is always
right. A formula of a user's that decides by value cannot, nor one that makes arrays whose lengths
depend on values: what is written down for one row would be wrong for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.evaluation.tape import CannotFollow, Tape
from metricatlas.summaries.fill import Facts, Target, select

#: From the facts of a row to the value of every step.
Values = Callable[[Mapping[Target, Facts]], Sequence[Any]]


class Program:
    """A compiled plan: from the facts of one row to the values of all steps."""

    def __init__(self, facts: Mapping[Target, Facts], values: Values) -> None:
        tape = Tape()
        symbols = {
            target: {
                request: tape.input((target, request), value[0]) for request, value in found.items()
            }
            for target, found in facts.items()
        }
        self._function = tape.function(values(symbols))  # type: ignore[arg-type]
        self._places = [(*place, facts[place[0]][place[1]].ndim == 1) for place, _ in tape.inputs]

    def values(self, facts: Mapping[Target, Facts]) -> list[Any]:
        """The value of every step."""
        given = [
            facts[target][request].item() if number else facts[target][request][0]
            for target, request, number in self._places
        ]
        return self._function(*given)


def compiled(facts: Mapping[Target, Facts], values: Values) -> Program | None:
    """The program of a plan, made from the facts of any row; none where it cannot be followed."""
    found = values({target: select(facts_of, 0) for target, facts_of in facts.items()})
    try:
        program = Program(facts, values)
        followed = program.values(facts)
    except (CannotFollow, TypeError, AttributeError, MeasureError):
        # A formula that fails on symbols is called as it is; if it fails then too, it says so.
        return None
    return program if _alike(found, followed) else None


def _alike(called: Sequence[Any], followed: Sequence[Any]) -> bool:
    """Whether a program says what its formulas say; one that asks for a type may not."""
    pairs = zip(called, followed, strict=True)
    return all(np.array_equal(*pair, equal_nan=True) for pair in pairs)
