"""The door for one's own measure."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from metricatlas.errors import MeasureError
from metricatlas.measures.declaration import (
    SUMMARIES,
    Better,
    Chance,
    Condition,
    Declaration,
    Range,
    Reduction,
    Task,
    file,
)
from metricatlas.measures.language import known
from metricatlas.measures.options import (
    check_chance,
    check_choices,
    check_switches,
    checked_aliases,
    checked_bounds,
    checked_checks,
    checked_conditions,
)
from metricatlas.measures.terms import PAIRS, REDUCTIONS, WEIGHTINGS, Term
from metricatlas.measures.trial import (
    is_value,
    refuse_change,
    shortened,
    tried_classes,
    try_formula,
)

if TYPE_CHECKING:
    from metricatlas.measures.terms import Measure
    from metricatlas.summaries import Request, Summary

#: Words that mean something else where a name may stand.
RESERVED = frozenset({"mean", "class", *REDUCTIONS, *PAIRS, *WEIGHTINGS})
Formula = TypeVar("Formula", bound=Callable[..., Any])


@overload
def define_measure(formula: Formula) -> Formula: ...
@overload
def define_measure(
    *,
    name: str | None = None,
    bounds: Range = ...,
    better: Better = ...,
    chance: Chance = None,
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
    bounds: Range = (float("-inf"), float("inf")),
    better: Better = "higher",
    chance: Chance = None,
    undefined: tuple[Condition, ...] = (),
    aliases: tuple[str, ...] = (),
    multiclass: Reduction | None = "macro",
    task: Task | None = None,
    symmetric: bool = False,
    monotone: bool = False,
    checks: Mapping[str, tuple[Callable[[Any], bool], str]] | None = None,
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
    check_choices(better, multiclass, task)
    check_chance(chance)
    check_switches(symmetric=symmetric, monotone=monotone)
    others, range_, conditions = (
        checked_aliases(aliases),
        checked_bounds(bounds),
        checked_conditions(undefined),
    )

    def define(made: Formula) -> Formula:
        title = _checked_title(made, name)
        draft = Declaration(
            name=title,
            formula=_named_in_errors(title, made),
            bounds=range_,
            better=better,
            chance=chance,
            undefined=conditions,
            aliases=others,
            multiclass=multiclass,
            task=task,
            symmetric=symmetric,
            monotone=monotone,
        )
        _check_names(title, made, others)
        checked = replace(draft, checks=checked_checks(checks, draft.parameters))
        _check_formula(checked)
        file(checked)
        return made

    return define if formula is None else define(formula)


def _checked_title(formula: Any, name: Any) -> str:
    """The name of the measure, if what it is made of is a function."""
    if not inspect.isfunction(formula):
        msg = (
            f"a measure must be a function, such as def own(t: TwoByTwo): ...; got "
            f"{shortened(formula)}."
        )
        raise MeasureError(msg)
    if not isinstance(name, str | None):
        msg = f"the name of a measure must be a text; got {name!r}."
        raise MeasureError(msg)
    return formula.__name__ if name is None else name


def _named_in_errors(name: str, formula: Formula) -> Formula:
    """The formula; where it fails, or returns no number, the error names the measure."""

    @wraps(formula)
    def named(*given: Any, **parameters: Any) -> Any:
        try:
            value = formula(*given, **parameters)
        except Exception as error:
            msg = f"{name} could not be computed; it raised {type(error).__name__}: {error}."
            raise MeasureError(msg) from error
        if not is_value(value):
            msg = f"{name} must return a number, or an array of numbers; got {shortened(value)}."
            raise MeasureError(msg)
        return value

    return cast("Formula", named)


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
    _check_parameters(draft)
    if draft.required:
        return
    for classes in tried_classes(draft):
        read = _facts_read(draft, classes)
        try_formula(draft, classes, ())
        if draft.multiclass == "ovo" and draft.summary is not None:
            _check_pairs(draft, draft.summary, read)


def _check_parameters(draft: Declaration) -> None:
    """Whatever a formula of a summary takes besides the summary must be named when it is given."""
    if draft.summary is not None and len(draft.positional) > 1:
        more = ", ".join(draft.positional[1:])
        msg = (
            f"the parameters of {draft.name} after the summary must be keyword-only; got {more}. "
            f"Put a * before them: def {draft.formula.__name__}({draft.positional[0]}, *, {more})."
        )
        raise MeasureError(msg)


def _facts_read(draft: Declaration, classes: int) -> frozenset[Request]:
    try:
        return draft.requests(classes, ())
    except Exception as error:
        if isinstance(error, MeasureError) and error.__cause__ is None:
            raise
        kind = draft.summary.__name__ if draft.summary else "other measures"
        cause = error.__cause__ or error
        refuse_change(draft.name, cause)
        msg = (
            f"{draft.name} must be a formula over the facts of {kind} that takes arrays as well as "
            f"numbers; running it gave {type(cause).__name__}: {cause}."
        )
        raise MeasureError(msg) from error


def _check_pairs(draft: Declaration, summary: type[Summary], read: frozenset[Request]) -> None:
    alone = sorted({fact for fact, _ in read if not summary.kinds[fact].pairwise})
    if alone:
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
