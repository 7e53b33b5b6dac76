"""The formulas of a plan as one straight-line program for a single row.

For one model most of the time of 150 small formulas is spent in calling them. So they are run once
on symbols that write down each operation and return a symbol; what was written down is compiled to
one function of the facts. It makes the same operations on the same numbers, so it has the same
bits.

What cannot be followed this way makes the plan fall back on calling its formulas, which is always
right. A formula of a user's that decides by value cannot, nor one that makes arrays whose lengths
depend on values: what is written down for one row would be wrong for the next. So only those
operations are written down of which it is known that they do neither.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from metricatlas.errors import MeasureError
from metricatlas.summaries.fill import Facts, Target, select

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Request

#: Where a fact of a program is found.
Place = tuple[Target, "Request"]
#: From the facts of a row to the value of every step.
Values = Callable[[Mapping[Target, Facts]], Sequence[Any]]

_OPERATORS: dict[Any, str] = {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.true_divide: "/",
    np.greater: ">",
    np.greater_equal: ">=",
    np.less: "<",
    np.less_equal: "<=",
    np.equal: "==",
    np.not_equal: "!=",
    np.bitwise_and: "&",
    np.bitwise_or: "|",
}


#: Methods, and functions of one array, whose results have a shape that follows from the array's,
#: and that change nothing in place.
_FOLLOWED = (
    *("all", "any", "argmax", "argmin", "cumprod", "cumsum", "diagonal", "max", "mean", "min"),
    *("prod", "round", "squeeze", "std", "sum", "swapaxes", "trace", "transpose", "var"),
)
_METHODS = frozenset((*_FOLLOWED, "astype", "clip", "copy", "dot", "ravel", "reshape"))
_OF_ONE = frozenset(
    getattr(np, name) for name in (*_FOLLOWED, "expand_dims", "flip", "median", "moveaxis", "sort")
)
#: The same for functions of several arrays.
_OF_SEVERAL = frozenset((np.clip, np.concatenate, np.dot, np.einsum, np.select, np.stack, np.where))
#: Ways to call a ufunc that change nothing in place.
_UFUNC_METHODS = ("__call__", "reduce", "accumulate", "outer")
#: What the arguments of a method are made of.
_PLAIN = int | float | str | None | type | np.dtype
#: Constants that are the same if they are written the same; others must be the same object.
_ALIKE_IF_WRITTEN_ALIKE = (int, float, str, tuple, slice, operator.methodcaller)


class CannotFollow(Exception):  # noqa: N818 - it is no error, but an answer
    """A formula does what cannot be written down."""


class Symbol(NDArrayOperatorsMixin):
    """Stands for a value; what is done with it is written down."""

    def __init__(self, tape: Tape, name: str, shadow: Any) -> None:
        self.tape, self.name, self.shadow = tape, name, shadow

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Symbol:
        if method not in _UFUNC_METHODS or "out" in options or _holds_symbol(options.get("axis")):
            raise CannotFollow
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return self.tape.write(function, inputs, options)

    def __array_function__(self, function: Any, _types: Any, inputs: Any, options: Any) -> Symbol:
        # With one argument `where` finds places, and there are as many as there are.
        places = function is np.where and len(inputs) != 3
        several = function in _OF_SEVERAL and not places
        one = function in _OF_ONE and not _holds_symbol(inputs[1:])
        if not (several or one) or "out" in options or _holds_symbol(tuple(options.values())):
            raise CannotFollow
        return self.tape.write(function, inputs, options)

    def __getitem__(self, key: Any) -> Symbol:
        if _holds_symbol(key):
            # A mask leaves as many values as it has ones.
            raise CannotFollow
        return self.tape.write(operator.getitem, (self, key), {})

    def __pow__(self, other: Any) -> Symbol:
        # As an operator: for small exponents it does not do what `np.power` does.
        return self.tape.write(operator.pow, (self, other), {})

    def __rpow__(self, other: Any) -> Symbol:
        return self.tape.write(operator.pow, (other, self), {})

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim", "dtype", "size"):
            return getattr(self.shadow, name)
        if name == "T":
            return self.tape.write(_transposed, (self,), {})
        if name not in _METHODS:
            raise AttributeError(name)

        def method(*inputs: Any, **options: Any) -> Symbol:
            if not all(map(_is_plain, (*inputs, *options.values()))):
                raise CannotFollow
            return self.tape.write(operator.methodcaller(name, *inputs, **options), (self,), {})

        return method

    def __len__(self) -> int:
        return len(self.shadow)

    def _stop(self, *_: Any, **__: Any) -> Any:
        raise CannotFollow

    __bool__ = __float__ = __int__ = __complex__ = __index__ = __array__ = __hash__ = _stop
    __iter__ = __contains__ = _stop


def _holds_symbol(value: Any) -> bool:
    if isinstance(value, slice):
        return _holds_symbol((value.start, value.stop, value.step))
    if isinstance(value, list | tuple):
        return any(map(_holds_symbol, value))
    return isinstance(value, Symbol)


def _is_plain(value: Any) -> bool:
    return all(map(_is_plain, value)) if isinstance(value, tuple) else isinstance(value, _PLAIN)


class Tape:
    """Operations written down, as the lines of a function."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.constants: dict[str, Any] = {}
        self.names: dict[str | int, str] = {}
        self.written: dict[str, Symbol] = {}
        self.inputs: list[tuple[Place, str]] = []

    def input(self, place: Place, value: Any) -> Symbol:
        """A fact that the function is given."""
        name = f"f{len(self.inputs)}"
        self.inputs.append((place, name))
        return Symbol(self, name, value)

    def write(self, function: Any, inputs: Sequence[Any], options: Mapping[str, Any]) -> Symbol:
        """Write down one operation; done at once on the shadows too, which have the shapes."""
        shadows = [_shadow(x) for x in inputs]
        flat = function is _transposed and shadows[0].ndim < 2
        whole = function is operator.getitem and isinstance(shadows[0], np.generic)
        if flat or (whole and inputs[1] == ()):
            return inputs[0]
        shadow = function(*shadows, **{k: _shadow(v) for k, v in options.items()})
        if function is np.where and np.ndim(shadow) == 0:
            # A choice between numbers is one.
            shadow = shadow[()]
            inputs = [inputs[0], *(_as(shadow, x) for x in inputs[1:])]
        text = self._text(function, inputs, options, numbers=np.ndim(shadow) == 0)
        if text not in self.written:
            name = f"v{len(self.lines)}"
            self.lines.append(f"{name} = {text}")
            self.written[text] = Symbol(self, name, shadow)
        return self.written[text]

    def _text(
        self, function: Any, inputs: Sequence[Any], options: Mapping[str, Any], *, numbers: bool
    ) -> str:
        given = [self._name(x) for x in inputs]
        if function in _OPERATORS and not options:
            return f"{given[0]} {_OPERATORS[function]} {given[1]}"
        if function is np.square and numbers:
            return f"{given[0]} * {given[0]}"
        if function is np.where and numbers:
            # Ten times as quick as a call.
            return f"({given[1]} if {given[0]} else {given[2]})"
        if function is operator.getitem:
            return f"{given[0]}[{given[1]}]"
        if function is _transposed:
            return f"{given[0]}.T"
        named = [f"{k}={self._name(v)}" for k, v in options.items()]
        return f"{self._name(function)}({', '.join([*given, *named])})"

    def _name(self, value: Any) -> str:
        """The name of a symbol, or of a constant that the function closes over."""
        if isinstance(value, Symbol):
            return value.name
        if isinstance(value, list | tuple) and any(isinstance(x, Symbol) for x in value):
            return f"[{', '.join(map(self._name, value))}]"
        key = repr(value) if isinstance(value, _ALIKE_IF_WRITTEN_ALIKE) else id(value)
        if key not in self.names:
            self.names[key] = f"k{len(self.constants)}"
            self.constants[self.names[key]] = value
        return self.names[key]

    def function(self, results: Sequence[Any]) -> Callable[..., list[Any]]:
        """The function of the inputs that gives the results."""
        arguments = ", ".join(name for _, name in self.inputs)
        body = [*self.lines, f"return [{', '.join(map(self._name, results))}]"]
        text = "\n    ".join([f"def program({arguments}):", *body])
        space = dict(self.constants)
        exec(compile(text, "<program of formulas>", "exec"), space)  # noqa: S102 - our own lines
        return space["program"]


def _as(example: Any, value: Any) -> Any:
    """A branch of a choice, as a number of the type that the choice has."""
    if not isinstance(value, Symbol):
        return type(example)(value)
    if value.dtype != example.dtype:
        raise CannotFollow
    return value


def _transposed(value: Any) -> Any:
    return value.T


def _shadow(value: Any) -> Any:
    if isinstance(value, Symbol):
        return value.shadow
    if isinstance(value, list | tuple):
        return type(value)(map(_shadow, value))
    return value


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
        self._places = [place for place, _ in tape.inputs]

    def values(self, facts: Mapping[Target, Facts]) -> list[Any]:
        """The value of every step."""
        return self._function(*[facts[target][request][0] for target, request in self._places])


def compiled(facts: Mapping[Target, Facts], values: Values) -> Program | None:
    """The program of a plan, made from the facts of any row; none where it cannot be followed."""
    try:
        program = Program(facts, values)
    except (CannotFollow, TypeError, AttributeError, MeasureError):
        # A formula that fails on symbols is called as it is; if it fails then too, it says so.
        return None
    found = values({target: select(facts_of, 0) for target, facts_of in facts.items()})
    return program if _alike(found, program.values(facts)) else None


def _alike(called: Sequence[Any], followed: Sequence[Any]) -> bool:
    """Whether a program says what its formulas say; one that asks for a type may not."""
    pairs = zip(called, followed, strict=True)
    return all(np.array_equal(*pair, equal_nan=True) for pair in pairs)
