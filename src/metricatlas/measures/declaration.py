"""What a measure says of itself, once; everything else about it is derived from that.

A measure is a plain function over a summary. The decorator files a `Declaration` under the
function's name and hands the function back unchanged. Running the formula once on a recorder tells
which facts it reads, and so what predictions must offer and whether weights may be fractional.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType, SimpleNamespace
from typing import Any, Literal, TypeVar, get_type_hints

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.summaries import Confusion, Probabilities, Ranking, Request, Summary, TwoByTwo

Array = np.ndarray[Any, Any]
Better = Literal["higher", "lower", "zero", "one", "neither"]
Needs = Literal["labels", "scores", "probabilities"]
Task = Literal["binary", "multiclass"]
Reduction = Literal["macro", "ovo", "top"]
View = Literal["class", "pairwise", "pair", "expected"]
Condition = Callable[[Any], Any]
Bounds = tuple[float, float]
#: Bounds, or a function to them from the number of classes and the parameters it names.
Range = Bounds | Callable[..., Bounds]
#: One number, a function from the number of classes to it, or none.
Chance = float | Callable[[int], float] | None
Formula = TypeVar("Formula", bound=Callable[..., Any])

NONE: Mapping[str, Any] = MappingProxyType({})
#: What predictions may be, the poorer first.
NEEDS: tuple[Needs, ...] = ("labels", "scores", "probabilities")
SUMMARIES: tuple[type[Summary], ...] = (Confusion, TwoByTwo, Ranking, Probabilities)


@dataclass(frozen=True)
class Check:
    """What a parameter must satisfy, as a test and in words."""

    holds: Callable[[Any], bool]
    words: str


@dataclass(frozen=True, eq=False)
class Declaration:
    """A base measure: its formula and what there is to know about it."""

    name: str
    formula: Callable[..., Any]
    bounds: Range
    better: Better
    chance: Chance = None
    macro_chance: Chance = None
    undefined: tuple[Condition, ...] = ()
    aliases: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    cites: tuple[str, ...] = ()
    multiclass: Reduction | None = "macro"
    view: View = "class"
    task: Task | None = None
    symmetric: bool = False
    monotone: bool = False
    forced_on_request: bool = False
    checks: Mapping[str, Check] = field(default_factory=dict)
    _recorded: dict[Any, frozenset[Request]] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle as a name: a formula need not be importable where it is only looked up."""
        return (declared, (self.name,))

    @cached_property
    def summary(self) -> type[Summary] | None:
        """The class of summary that the formula reads; None for a measure over measures."""
        if not self.positional:
            return None
        first = self.positional[0]
        given = inspect.signature(self.formula).parameters[first].annotation
        try:
            # Only this one: other annotations may name what is imported for type checkers alone.
            found = get_type_hints(
                SimpleNamespace(__annotations__={first: given}),
                globalns=getattr(inspect.unwrap(self.formula), "__globals__", {}),
            )[first]
        except NameError as error:
            msg = (
                f"the first parameter of {self.name} must be annotated with a summary that can be "
                f"imported where the formula stands; {error}."
            )
            raise MeasureError(msg) from error
        return found if isinstance(found, type) and issubclass(found, Summary) else None

    @cached_property
    def positional(self) -> tuple[str, ...]:
        """The formula's parameters that are given by position: a summary, or other measures."""
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = inspect.signature(self.formula).parameters.values()
        return tuple(p.name for p in parameters if p.kind in kinds)

    @cached_property
    def of(self) -> tuple[str, ...]:
        """The measures that a measure over measures reads."""
        return () if self.summary else self.positional

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """The measure's own parameters, which are the formula's keyword-only ones."""
        parameters = inspect.signature(self.formula).parameters.values()
        return {p.name: p for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}

    @property
    def required(self) -> tuple[str, ...]:
        """Parameters without a default."""
        return tuple(n for n, p in self.parameters.items() if p.default is inspect.Parameter.empty)

    @cached_property
    def title(self) -> str:
        """The first line of the formula's documentation."""
        first = (inspect.getdoc(self.formula) or self.name.replace("_", " ")).splitlines()[0]
        return first.rstrip(".")

    @cached_property
    def doc(self) -> str:
        """What the formula's documentation says below its title."""
        return "\n".join((inspect.getdoc(self.formula) or "").splitlines()[1:]).strip()

    @cached_property
    def family(self) -> str:
        """The family file or folder that the formula stands in; "own" outside the package."""
        path = (self.formula.__module__ or "").split(".")
        return path[2] if path[:2] == ["metricatlas", "measures"] else "own"

    def bounds_for(self, classes: int, arguments: Mapping[str, Any] = NONE) -> Bounds:
        """The range of values for a number of classes and some parameters."""
        if not callable(self.bounds):
            return self.bounds
        moved = {name: arguments[name] for name in self.bounded_by if name in arguments}
        return self.bounds(classes, **moved)

    @property
    def bounded_by(self) -> tuple[str, ...]:
        """The parameters that the range depends on."""
        if not callable(self.bounds):
            return ()
        named = inspect.signature(self.bounds).parameters
        return tuple(name for name in self.parameters if name in named)

    def chance_for(self, classes: int, reduction: str) -> float | None:
        """The chance level for a number of classes and a way to reduce them."""
        # Sums over classes, products of them and the most probable class know other levels.
        if reduction in ("micro", "geometric", "top"):
            return None
        macro = reduction == "macro" or (not reduction and classes > 2)
        found = self.macro_chance if macro and self.chance is None else self.chance
        return found(classes) if callable(found) else found

    def requests(self, classes: int, arguments: tuple[tuple[str, Any], ...]) -> frozenset[Request]:
        """The facts that the formula reads, found by running it on a recorder."""
        if self.summary is None:
            return frozenset()
        key = (classes, tuple((name, _hashable(value)) for name, value in arguments))
        if key not in self._recorded:
            self._recorded[key] = self._record(self.summary, classes, dict(arguments))
        return self._recorded[key]

    def _record(
        self, summary: type[Summary], classes: int, arguments: dict[str, Any]
    ) -> frozenset[Request]:
        batch = (classes, classes) if self.view == "pairwise" else ()
        recorder, read = summary.recorder(classes, batch)
        with np.errstate(all="ignore"):
            self.formula(recorder, **arguments)
            for condition in self.undefined:
                condition(recorder)
        return frozenset(read)


def words_of(condition: Condition) -> str:
    """What users read of a condition: the first line of its documentation."""
    return (condition.__doc__ or condition.__name__.replace("_", " ")).strip().splitlines()[0]


def _hashable(value: Any) -> Any:
    return (value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


_REGISTRY: dict[str, Declaration] = {}
_FILED: list[str] = []


def declared(name: str) -> Declaration:
    """The declaration filed under a name."""
    if name not in _REGISTRY:
        msg = f"no measure {name!r} is declared here; import the module that defines it first."
        raise MeasureError(msg)
    return _REGISTRY[name]


def declarations() -> Mapping[str, Declaration]:
    """All declarations by name, in the order of their files."""
    return _REGISTRY


def measure(
    *,
    bounds: Range,
    better: Better,
    chance: Chance = None,
    macro_chance: Chance = None,
    undefined: tuple[Condition, ...] = (),
    aliases: tuple[str, ...] = (),
    sources: tuple[str, ...] = (),
    cites: tuple[str, ...] = (),
    multiclass: Reduction | None = "macro",
    view: View = "class",
    task: Task | None = None,
    symmetric: bool = False,
    monotone: bool = False,
    on_request: bool = False,
    checks: Mapping[str, tuple[Callable[[Any], bool], str]] | None = None,
    name: str | None = None,
) -> Callable[[Formula], Formula]:
    """Declare a formula as a measure of the catalogue; the function itself stays as it is.

    Parameters
    ----------
    bounds
        Smallest and largest value, or a function to them from the number of classes and from those
        of the measure's parameters that matter, as keywords with defaults.
    better
        Whether the better value is the higher, the lower, or the one nearer to zero or to one;
        "neither" where no value is better than another.
    chance
        The expected value of a prediction that knows nothing, where it is one whatever the data, or
        a function from the number of classes to it, all of which the truth holds.
    macro_chance
        The same of the mean over classes, for a measure that has none of a single class.
    undefined
        Conditions on the summary under which the value is NaN; their docstrings are the reasons.
    multiclass
        How a measure of two classes is used for more: averaged over classes, over pairs of
        classes, or asked of the most probable class; None leaves it to two classes.
    symmetric
        Exchanging the two classes leaves the value as it is.
    monotone
        More true positives, or fewer false ones, never make the value worse.
    """

    def declare(formula: Formula) -> Formula:
        made = Declaration(
            name=name or formula.__name__,
            formula=formula,
            bounds=bounds,
            better=better,
            chance=chance,
            macro_chance=macro_chance,
            undefined=undefined,
            aliases=aliases,
            sources=sources,
            cites=cites,
            multiclass=multiclass,
            view=view,
            task=task,
            symmetric=symmetric,
            monotone=monotone,
            forced_on_request=on_request,
            checks={k: Check(*v) for k, v in (checks or {}).items()},
        )
        file(made)
        return formula

    return declare


def file(made: Declaration) -> None:
    """Enter a declaration, unless its name or one of its aliases names another measure."""
    earlier = _REGISTRY.get(made.name)
    if earlier is not None and not _same_function(earlier.formula, made.formula):
        msg = f"the name {made.name!r} is taken by {_where(earlier.formula)}; choose another."
        raise MeasureError(msg)
    _REGISTRY[made.name] = made
    _FILED.append(made.name)


def generation() -> int:
    """A number that grows with every declaration; what is derived from them is cached under it."""
    return len(_FILED)


def _same_function(one: Callable[..., Any], other: Callable[..., Any]) -> bool:
    """Whether a module that is executed again, as notebooks do, declares its function anew."""
    return (one.__module__, one.__qualname__) == (other.__module__, other.__qualname__)


def _where(formula: Callable[..., Any]) -> str:
    return f"{formula.__module__}.{formula.__qualname__}"
