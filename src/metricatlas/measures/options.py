"""What may be said of one's own measure, checked when it is defined."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any, cast, get_args

from metricatlas.errors import MeasureError
from metricatlas.measures.declaration import Better, Bounds, Check, Reduction, Task

if TYPE_CHECKING:
    from collections.abc import Callable


def checked_bounds(bounds: Any) -> Bounds | Callable[[int], Bounds]:
    """A pair of numbers, or a function from the number of classes to one."""
    if not callable(bounds):
        return _pair(bounds)
    for classes in (2, 3):
        try:
            given = bounds(classes)
        except Exception as error:
            msg = (
                f"bounds must be a function of the number of classes; bounds({classes}) raised "
                f"{type(error).__name__}: {error}."
            )
            raise MeasureError(msg) from error
        _pair(given)
    return cast("Callable[[int], Bounds]", bounds)


def _pair(bounds: Any) -> Bounds:
    if isinstance(bounds, tuple | list) and len(bounds) == 2 and all(map(_is_number, bounds)):
        low, high = bounds
        if low <= high:
            return (low, high)
    msg = (
        f"bounds must be the smallest and the largest value, such as (0, 1) or (0, float('inf')), "
        f"or a function from the number of classes to them; got {bounds!r}."
    )
    raise MeasureError(msg)


def _is_number(value: object) -> bool:
    # A truth value is a number to Python, but here a mistake.
    return type(value) is not bool and isinstance(value, Real) and not math.isnan(value)


def check_chance(chance: object) -> None:
    """A number, or nothing."""
    if chance is not None and not (_is_number(chance) and math.isfinite(chance)):  # type: ignore[arg-type]
        msg = f"chance must be a finite number, or None where it is not one; got {chance!r}."
        raise MeasureError(msg)


def check_choices(better: object, multiclass: object, task: object) -> None:
    """Words of which there are a few."""
    for title, value, choices in (
        ("better", better, get_args(Better)),
        ("multiclass", multiclass, (*get_args(Reduction), None)),
        ("task", task, (*get_args(Task), None)),
    ):
        if not any(
            value is None if c is None else isinstance(value, str) and value == c for c in choices
        ):
            msg = f"{title} must be one of {', '.join(map(str, choices))}; got {value!r}."
            raise MeasureError(msg)


def check_switches(**switches: object) -> None:
    """Yes or no."""
    for title, value in switches.items():
        if not isinstance(value, bool):
            msg = f"{title} must be True or False; got {value!r}."
            raise MeasureError(msg)


def checked_aliases(aliases: Any) -> tuple[str, ...]:
    """Other names; a text is one name and no list of them."""
    if isinstance(aliases, tuple | list) and all(isinstance(name, str) for name in aliases):
        return tuple(aliases)
    msg = f'aliases must be a tuple of names, such as ("recall", "hit_rate"); got {aliases!r}.'
    raise MeasureError(msg)


def checked_conditions(undefined: Any) -> tuple[Callable[[Any], Any], ...]:
    """Functions of the summary."""
    if isinstance(undefined, tuple | list) and all(map(callable, undefined)):
        return tuple(undefined)
    msg = f"undefined must be a tuple of functions of the summary; got {undefined!r}."
    raise MeasureError(msg)


def checked_checks(checks: Any, parameters: Mapping[str, Any]) -> dict[str, Check]:
    """For parameters of the measure a test and its words."""
    given = {} if checks is None else checks
    if not isinstance(given, Mapping):
        msg = f"checks must be a dict of a test and its words by parameter; got {checks!r}."
        raise MeasureError(msg)
    for name, check in given.items():
        if name not in parameters:
            known = ", ".join(parameters) or "none"
            msg = f"checks must name parameters of the measure ({known}); got {name!r}."
            raise MeasureError(msg)
        pair = isinstance(check, tuple | list) and len(check) == 2
        if not pair or not callable(check[0]) or not isinstance(check[1], str):
            msg = (
                f"the check of {name} must be a test and what it asks for in words, such as "
                f'(lambda x: x > 0, "above 0"); got {check!r}.'
            )
            raise MeasureError(msg)
    return {name: Check(*check) for name, check in given.items()}
