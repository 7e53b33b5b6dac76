"""Facts: the named numbers that formulas read off a summary.

A summary class declares its facts once. Reading one looks it up in the numbers that the kernels
filled in; reading one of a *recorder* notes that it is needed. So what a formula needs, whether it
needs probabilities, and whether it takes fractional weights are read off the formula itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, Any]
#: A fact's name and its arguments.
Request = tuple[str, tuple[Any, ...]]


@dataclass(frozen=True)
class FactKind:
    """What there is to know about a fact besides its value."""

    name: str
    doc: str
    #: It reads the scores as probabilities, not only their order and distances.
    probabilities: bool
    #: It counts rows, so weights must be whole numbers.
    counts_rows: bool
    #: It iterates; measures that read it are computed on request only.
    slow: bool
    #: Also known for every pair of classes.
    pairwise: bool
    #: Axes behind the batch axes, given the arguments and the number of classes.
    shape: Callable[[tuple[Any, ...], int], tuple[int, ...]]


def fixed(value: Any) -> Any:
    """The same value; an array can no longer be changed in place, for other formulas read it."""
    if type(value) is np.ndarray:
        value.flags.writeable = False
    return value


class Fact:
    """A fact without arguments: read as an attribute."""

    def __init__(self, kind: FactKind) -> None:
        self.kind = kind
        self.__doc__ = kind.doc

    def __set_name__(self, owner: type[Summary], name: str) -> None:
        object.__setattr__(self.kind, "name", name)
        owner.kinds = {**owner.kinds, name: self.kind}

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Summary, owner: type) -> Array: ...
    def __get__(self, instance: Summary | None, owner: type) -> Self | Array:
        if instance is None:
            return self
        return instance.facts[self.kind.name, ()]


class FactWithArguments(Fact):
    """A fact with arguments: called as a method."""

    def __get__(self, instance: Summary | None, owner: type) -> Any:
        if instance is None:
            return self
        facts, name = instance.facts, self.kind.name
        return lambda *arguments: facts[name, arguments]


def _scalar(_arguments: tuple[Any, ...], _classes: int) -> tuple[int, ...]:
    return ()


def fact(
    doc: str,
    *,
    probabilities: bool = False,
    counts_rows: bool = False,
    slow: bool = False,
    pairwise: bool = False,
    shape: Callable[[tuple[Any, ...], int], tuple[int, ...]] = _scalar,
) -> Fact:
    """Declare a fact of a summary class."""
    return Fact(FactKind("", doc, probabilities, counts_rows, slow, pairwise, shape))


def fact_with_arguments(
    doc: str,
    *,
    probabilities: bool = False,
    counts_rows: bool = False,
    slow: bool = False,
    shape: Callable[[tuple[Any, ...], int], tuple[int, ...]] = _scalar,
) -> Any:
    """Declare a fact that takes arguments, so ``r.top("share", 0.25)``."""
    kind = FactKind("", doc, probabilities, counts_rows, slow, pairwise=False, shape=shape)
    return FactWithArguments(kind)


class derived:  # noqa: N801 - it is used as `property` is
    """What formulas share, computed from facts when it is first read and kept with the summary.

    `functools.cached_property` does the same, but before Python 3.12 takes a lock, which costs as
    much as a formula.
    """

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute, self.name, self.__doc__ = compute, compute.__name__, compute.__doc__

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        found = instance.__dict__[self.name] = fixed(self.compute(instance))
        return found


class Summary:
    """A summary as formulas see it: its facts, each with any batch axes in front."""

    kinds: Mapping[str, FactKind] = {}

    def __init__(self, facts: Mapping[Request, Array]) -> None:
        self.facts = facts
        for value in facts.values():
            fixed(value)
        # Plain attributes are read faster than descriptors; a recorder has none and notes the read.
        self.__dict__.update({name: value for (name, given), value in facts.items() if not given})

    @classmethod
    def from_facts(cls, **facts: Any) -> Self:
        """A summary of facts given by name; those with arguments as a mapping from these."""
        found: dict[Request, Array] = {}
        for name, given in facts.items():
            by_arguments = given if isinstance(given, Mapping) else {(): given}
            for arguments, value in by_arguments.items():
                key = arguments if isinstance(arguments, tuple) else (arguments,)
                found[name, key] = np.asarray(value, dtype=np.float64)[()]
        return cls(found)

    @classmethod
    def recorder(cls, classes: int, batch: tuple[int, ...] = ()) -> tuple[Self, set[Request]]:
        """A summary that notes which facts are read; each is made of ones."""
        notes = _Notes(cls.kinds, classes, batch)
        return cls(notes), notes.read

    def select(self, index: Any) -> Self:
        """The same summary for some of its batch."""
        return type(self)({request: value[index] for request, value in self.facts.items()})


def class_sum(values: Array) -> Array:
    """Sum of masses over the last axis, the classes'; two are added, which is quicker."""
    classes = values.T
    if len(classes) == 2:
        return (classes[0] + classes[1]).T
    return np.add.reduce(values, axis=-1)


class Masses:
    """The classes that the truth holds, the class axis last: share of each, and how many."""

    def __init__(self, masses: Array) -> None:
        self.share: Array = fixed(masses / class_sum(masses)[..., np.newaxis])
        self.present: Array = fixed(masses > 0)
        self.count: Array = fixed(np.add.reduce(self.present, axis=-1))


class _Notes(dict[Request, Array]):
    def __init__(self, kinds: Mapping[str, FactKind], classes: int, batch: tuple[int, ...]) -> None:
        super().__init__()
        self.kinds, self.classes, self.batch = kinds, classes, batch
        self.read: set[Request] = set()

    def __missing__(self, request: Request) -> Array:
        name, arguments = request
        self.read.add(request)
        return np.ones(self.batch + self.kinds[name].shape(arguments, self.classes))
