"""The door for one's own measure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, get_args, overload

from metricatlas.errors import MeasureError
from metricatlas.measures.declaration import (
    SUMMARIES,
    Better,
    Bounds,
    Condition,
    Declaration,
    Reduction,
    Task,
    measure,
)
from metricatlas.measures.language import known
from metricatlas.measures.terms import PAIRS, REDUCTIONS, WEIGHTINGS, Term
from metricatlas.summaries import TwoByTwo

if TYPE_CHECKING:
    from metricatlas.measures.terms import Measure

#: Words that mean something else where a name may stand.
RESERVED = frozenset({"mean", "class", *REDUCTIONS, *PAIRS, *WEIGHTINGS})
Formula = TypeVar("Formula", bound=Callable[..., Any])


@overload
def define_measure(formula: Formula) -> Formula: ...
@overload
def define_measure(
    *,
    name: str | None = None,
    bounds: Bounds | Callable[[int], Bounds] = ...,
    better: Better = ...,
    chance: float | None = None,
    undefined: tuple[Condition, ...] = (),
    aliases: tuple[str, ...] = (),
    multiclass: Reduction | None = "macro",
    task: Task | None = None,
    symmetric: bool = False,
    monotone: bool = False,
    checks: Mapping[str, tuple[Callable[[Any], bool], str]] | None = None,
) -> Callable[[Formula], Formula]: ...
def define_measure(
    formula: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    bounds: Bounds | Callable[[int], Bounds] = (float("-inf"), float("inf")),
    better: Better = "higher",
    aliases: tuple[str, ...] = (),
    **traits: Any,
) -> Any:
    """Make a small function over a summary a measure of the catalogue.

    The annotation of its first parameter says what it reads: ``TwoByTwo`` (tp, fp, fn, tn),
    ``Confusion``, ``Ranking`` or ``Probabilities``; keyword-only parameters are the measure's own.
    Without such an annotation its parameters are the names of other measures. It then works
    wherever a name does: in `evaluate`, with operating points and reductions, on the command line
    (``--import``).

    >>> import metricatlas as ma
    >>> @ma.define_measure(bounds=(0, 1))
    ... def caught_less_alarms(t: ma.TwoByTwo):
    ...     "Recall less a tenth of the false alarm rate."
    ...     return t.tpr - 0.1 * t.fp / t.negatives
    >>> ma.measure("caught_less_alarms", [0, 0, 1, 1], [0, 1, 1, 1])
    0.95
    """

    def define(made: Formula) -> Formula:
        title = made.__name__ if name is None else name
        if better not in get_args(Better):
            msg = f"better must be one of {', '.join(get_args(Better))}; got {better!r}."
            raise MeasureError(msg)
        _check_names(title, made, aliases)
        read = {key: traits[key] for key in ("undefined", "multiclass") if key in traits}
        _check_formula(Declaration(title, made, bounds, better, **read))
        return measure(name=title, bounds=bounds, better=better, aliases=aliases, **traits)(made)

    return define if formula is None else define(formula)


def _check_names(name: str, formula: Callable[..., Any], aliases: tuple[str, ...]) -> None:
    for one in (name, *aliases):
        if not re.fullmatch(r"[^\W\d]\w*", one) or one.casefold() in RESERVED:
            msg = (
                f"a measure's name must be letters, digits and underscores, and no word of the "
                f"language; got {one!r}."
            )
            raise MeasureError(msg)
        other = known().get(one.casefold())
        if other is not None and not _redefined(other, name, formula):
            msg = f"the name {one!r} is taken: it stands for {other.name}. Choose another."
            raise MeasureError(msg)


def _redefined(other: Measure, name: str, formula: Callable[..., Any]) -> bool:
    """Whether the taken name is the same function's, executed again, as notebooks do."""
    if not isinstance(other, Term) or other.declaration.name != name:
        return False
    earlier = other.declaration.formula
    return (earlier.__module__, earlier.__qualname__) == (formula.__module__, formula.__qualname__)


def _check_formula(draft: Declaration) -> None:
    """Find out now, not in the middle of a table, whether the formula can be run."""
    if draft.summary is None:
        _check_parts(draft)
        return
    if draft.required:
        return
    try:
        read = draft.requests(3 if draft.summary is not TwoByTwo else 2, ())
    except Exception as error:
        msg = (
            f"{draft.name} must be a formula over the facts of {draft.summary.__name__} that takes "
            f"arrays as well as numbers; running it gave {type(error).__name__}: {error}."
        )
        raise MeasureError(msg) from error
    alone = sorted({fact for fact, _ in read if not draft.summary.kinds[fact].pairwise})
    if draft.multiclass == "ovo" and alone:
        msg = f"{draft.name} cannot be averaged over pairs of classes: it reads {', '.join(alone)}."
        raise MeasureError(msg)


def _check_parts(draft: Declaration) -> None:
    strangers = [part for part in draft.of if part.casefold() not in known()]
    if draft.of and not strangers:
        return
    kinds = ", ".join(s.__name__ for s in SUMMARIES)
    got = f"no annotation and the names {', '.join(strangers)}" if strangers else "no parameters"
    msg = (
        f"the first parameter of {draft.name} must be annotated with a summary ({kinds}), or all "
        f"parameters be names of measures; got {got}."
    )
    raise MeasureError(msg)
