"""Whether a formula is one: it is tried on several models at once, and on each of them alone."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.predictions import Predictions
from metricatlas.summaries import Confusion, Probabilities, Ranking, Summary, TwoByTwo
from metricatlas.summaries.facts import fixed
from metricatlas.summaries.fill import Target, summarise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from metricatlas.measures.declaration import Declaration
    from metricatlas.summaries.facts import Array, Request

#: Models are tried in two axes, as classes and pairs of classes are a second axis of a batch.
BATCH = (2, 3)
EXAMPLES = 24
_WAY_OUT = (
    "Use NumPy's functions over the last axes (np.sqrt, np.where, .sum(axis=-1)), which take "
    "both; not `if`, `sum`, math, or a mask as an index."
)


def tried_classes(draft: Declaration) -> tuple[int, ...]:
    """For how many classes a formula is tried when it is defined."""
    if draft.summary in (TwoByTwo, Ranking) or draft.task == "binary":
        return (2,)
    return (3,) if draft.task == "multiclass" else (2, 3)


def try_with_arguments(
    own: Declaration, classes: int, arguments: tuple[tuple[str, Any], ...]
) -> None:
    """Try a measure of one's own where it is first used with arguments."""
    if own.family == "own" and arguments:
        both = own.summary in (Confusion, Probabilities)
        try_formula(own, classes if both else 2, arguments)


def try_formula(draft: Declaration, classes: int, arguments: tuple[tuple[str, Any], ...]) -> None:
    """Refuse a formula that says something else of several models than of each alone."""
    keywords = {n: fixed(np.array(v)) if isinstance(v, tuple) else v for n, v in arguments}
    if draft.summary is None:
        parts = _parts(len(draft.of))
        alone = [
            tuple(part[row, place : place + 1] for part in parts)
            for row, place in np.ndindex(BATCH)
        ]
        _try(draft.name, lambda of: draft.formula(*of, **keywords), parts, alone)
        return
    requests = draft.requests(classes, arguments)
    try:
        batch = _summary(draft.summary, classes, requests)
    except Exception as error:
        read = ", ".join(sorted({name for name, _ in requests}))
        msg = (
            f"{draft.name} reads facts ({read}) that cannot be computed so: "
            f"{type(error).__name__}: {error}. Facts with arguments must be called with them; "
            f"see help(metricatlas.{draft.summary.__name__})."
        )
        raise MeasureError(msg) from error
    # A model alone is a batch of one: that is what a formula gets.
    each = [batch.select((row, slice(place, place + 1))) for row, place in np.ndindex(BATCH)]
    _try(draft.name, lambda summary: draft.formula(summary, **keywords), batch, each)
    for condition in draft.undefined:
        title = f"the condition {getattr(condition, '__name__', condition)!r} of {draft.name}"
        _try(title, condition, batch, each)


def _try(title: str, formula: Callable[[Any], Any], batch: Any, each: Iterable[Any]) -> None:
    together = _value(title, formula, batch, "several models")
    alone = [_value(title, formula, one, "one model") for one in each]
    odd = [np.shape(value)[1:] for value in alone if np.size(value) != 1]
    if odd:
        msg = f"{title} must give one number for one model; it gave the shape {odd[0]}. {_WAY_OUT}"
        raise MeasureError(msg)
    if np.shape(together) != BATCH:
        msg = (
            f"{title} must give one number for each model; for {BATCH[0]} x {BATCH[1]} models it "
            f"gave the shape {np.shape(together)}. {_WAY_OUT}"
        )
        raise MeasureError(msg)
    if not np.array_equal(together, np.reshape(alone, BATCH), equal_nan=True):
        pairs = zip(np.ravel(together).tolist(), np.ravel(alone).tolist(), strict=True)
        one, other = next((a, b) for a, b in pairs if a != b and not (a != a and b != b))  # noqa: PLR0124 - finds NaN
        msg = (
            f"{title} must give several models at once the bits that each has alone; it gave "
            f"{one!r} and {other!r}. {_WAY_OUT}"
        )
        raise MeasureError(msg)


def _value(title: str, formula: Callable[[Any], Any], given: Any, of: str) -> Any:
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = formula(given)
    except Exception as error:
        if isinstance(error, MeasureError) and error.__cause__ is None:
            raise
        cause = error.__cause__ or error
        refuse_change(title, cause)
        msg = (
            f"{title} must take arrays as well as numbers; for {of} it raised "
            f"{type(cause).__name__}: {cause}. {_WAY_OUT}"
        )
        raise MeasureError(msg) from error
    if not is_value(value):
        msg = f"{title} must return a number, or an array of numbers; got {shortened(value)}."
        raise MeasureError(msg)
    return value


def refuse_change(title: str, cause: BaseException) -> None:
    """Say it where a formula failed because it changes what it reads."""
    if "read-only" in str(cause):
        msg = (
            f"{title} must not change in place what it reads, for other measures read it too; it "
            f"raised {type(cause).__name__}: {cause}. Write a = a + 1 in place of a += 1."
        )
        raise MeasureError(msg) from cause


def is_value(value: Any) -> bool:
    """Whether a formula may return this: a number, or an array of numbers."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.kind in "biuf"
    # What stands for an array, as when a formula is followed, is one.
    return isinstance(value, int | float) or hasattr(value, "__array_function__")


def shortened(value: object) -> str:
    """What came, for a message."""
    return "None" if value is None else f"the {type(value).__name__} {str(value)[:40]!r}"


def _parts(count: int) -> tuple[Array, ...]:
    """Values of the measures that a measure over measures reads."""
    values = np.random.default_rng(2).random((count, *BATCH))
    values[..., -1] = np.nan
    return tuple(map(fixed, values))


def _summary(
    summary: type[Summary], classes: int, requests: Iterable[Request]
) -> Confusion | TwoByTwo | Summary:
    """A summary of several models, with the facts that a formula reads."""
    targets: dict[type[Summary], Target] = {Ranking: "class", Probabilities: "probabilities"}
    target = targets.get(summary, "confusion")
    wanted = {("matrix", ())} if target == "confusion" else set()
    if target == "class":
        wanted = {("positives", ()), ("negatives", ())}
    if summary is not TwoByTwo:
        wanted |= set(requests)
    facts = summarise(_predictions(classes), {target: tuple(sorted(wanted, key=repr))})[target]
    found = {r: v.reshape(*BATCH, *v.shape[1:]) for r, v in facts.items()}
    return TwoByTwo.of(found["matrix", ()]) if summary is TwoByTwo else summary(found)


@lru_cache
def _predictions(classes: int) -> Predictions:
    """Models of all kinds of skill, for a truth of some classes."""
    rng = np.random.default_rng(classes)
    count = BATCH[0] * BATCH[1]
    truth = rng.integers(0, classes, (count, EXAMPLES)).astype(np.uint8 if classes <= 256 else int)
    # The last model meets one class only.
    truth[-1] = 0
    values = rng.dirichlet(np.full(classes, 0.7), (count, EXAMPLES))
    return Predictions(
        "probabilities",
        tuple(range(classes)),
        truth,
        np.ascontiguousarray(values[..., 1]) if classes == 2 else values,
        starts=np.array([0, EXAMPLES]),
        threshold=0.5 if classes == 2 else None,
    )
