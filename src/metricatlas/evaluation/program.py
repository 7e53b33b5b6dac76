"""The formulas of a plan as one straight-line program for a single row.

For one model most of the time of 150 small formulas is spent in calling them. So they are run once
on symbols that write down each operation and return a symbol; what was written down is compiled to
one function of the facts. It makes the same operations on the same numbers, so it has the same
bits.

Numbers are Python's own in it, which are three times as quick as NumPy's and have the same bits;
where Python would raise an error, as for a division by zero, NumPy is asked.

What cannot be followed this way makes the plan fall back on calling its formulas, which is always
right. A formula of a user's that decides by value cannot, nor one that makes arrays whose lengths
depend on values: what is written down for one row would be wrong for the next. So only those
operations are written down of which it is known that they do neither.
"""

from __future__ import annotations

import math
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


#: Operations on numbers, as Python does them.
_NUMBERS: dict[Any, str] = {
    **{f: f"{{0}} {_OPERATORS[f]} {{1}}" for f in (np.add, np.subtract, np.multiply)},
    **{
        f: f"{{0}} {sign} {{1}}"
        for f, sign in _OPERATORS.items()
        if sign in ("<", "<=", ">", ">=", "==", "!=")
    },
    np.divide: "({0} / {1} if {1} else divided({0}, {1}))",
    np.square: "{0} * {0}",
    np.negative: "-{0}",
    np.absolute: "abs({0})",
    np.sqrt: "(sqrt({0}) if {0} >= 0 else nan)",
    np.maximum: "({0} if {0} >= {1} or {0} != {0} else {1})",
    np.minimum: "({0} if {0} <= {1} or {0} != {0} else {1})",
}
#: The words of these.
_SPACE = {"sqrt": math.sqrt, "nan": math.nan, "array": np.asarray}
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
        text = self._text(function, inputs, options, shadow)
        if text not in self.written:
            name = f"v{len(self.lines)}"
            self.lines.append(f"{name} = {text}")
            self.written[text] = Symbol(self, name, shadow)
        return self.written[text]

    def _text(
        self, function: Any, inputs: Sequence[Any], options: Mapping[str, Any], shadow: Any
    ) -> str:
        given = [self._name(x) for x in inputs]
        if not options and all(np.ndim(_shadow(x)) == 0 for x in inputs):
            found = _of_numbers(function, given, inputs)
            if found:
                return found
        if function in _OPERATORS and not options:
            return f"{given[0]} {_OPERATORS[function]} {given[1]}"
        if function is operator.getitem and np.ndim(_shadow(inputs[0])) == 0:
            # A number becomes an array by what it is indexed with.
            return f"array({given[0]})[{given[1]}]"
        if function is operator.getitem:
            place = _place(inputs[1]) if np.ndim(shadow) == 0 else None
            return f"{given[0]}[{given[1]}]" if place is None else f"{given[0]}.item{place}"
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
        space = {**_SPACE, "divided": _divided, **self.constants}
        exec(compile(text, "<program of formulas>", "exec"), space)  # noqa: S102 - our own lines
        return space["program"]


def _of_numbers(function: Any, given: Sequence[str], inputs: Sequence[Any]) -> str | None:
    """An operation on numbers as Python does it, if that has the bits that NumPy's has."""
    if function is np.where:
        return f"({given[1]} if {given[0]} else {given[2]})"
    pattern = _NUMBERS.get(function)
    truths = [np.asarray(_shadow(x)).dtype.kind == "b" for x in inputs]
    if pattern is None or (function is not np.divide and all(truths)):
        return None
    return pattern.format(*given)


def _place(key: Any) -> tuple[int, ...] | None:
    """The place of a number in an array, if a key is one."""
    keys = key if isinstance(key, tuple) else (key,)
    places = tuple(k for k in keys if k is not Ellipsis)
    return places if places and all(type(k) is int for k in places) else None


def _divided(one: float, other: float) -> float:
    """The quotient that NumPy has where Python has none."""
    return float(np.true_divide(one, other))


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
