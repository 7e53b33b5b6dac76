"""What is done with the numbers of one row, written down as the lines of a function.

A *symbol* stands for a value: each operation on it is written on a *tape*, and gives another
symbol. Only operations are followed that do the same whatever the values, and change nothing in
place: what is written down for one row would else be wrong for the next.

Numbers are Python's own, three times as quick as NumPy's and with the same bits; where Python would
raise an error, as for a division by zero, NumPy is asked. Of small arrays each *cell* is followed
as a number: calling NumPy for two numbers takes ten times as long as the operations do.
"""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from metricatlas.summaries.facts import Request
    from metricatlas.summaries.fill import Target

#: Arrays of so many cells are followed cell by cell: a matrix of two classes.
SMALL = 4

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
    **{f: f"{{0}} {sign} {{1}}" for f, sign in _OPERATORS.items()},
    np.divide: "({0} / {1} if {1} else divided({0}, {1}))",
    np.square: "{0} * {0}",
    np.negative: "-{0}",
    np.absolute: "abs({0})",
    np.sqrt: "(sqrt({0}) if {0} >= 0 else nan)",
    np.maximum: "({0} if {0} > {1} or {0} != {0} else {1})",
    np.minimum: "({0} if {0} < {1} or {0} != {0} else {1})",
    np.isfinite: "isfinite({0})",
}
#: The same on truth values, where Python counts and NumPy does not.
_TRUTHS: dict[Any, str] = {
    **{f: _NUMBERS[f] for f, sign in _OPERATORS.items() if sign not in "+-*"},
    np.invert: "not {0}",
    np.logical_not: "not {0}",
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
#: Methods that do what a reduction does.
_REDUCTIONS = {"sum": np.add, "max": np.maximum, "min": np.minimum}
#: What the arguments of a method are made of.
_PLAIN = int | float | str | None | type | np.dtype
#: Constants that are the same if they are written the same; others must be the same object.
_ALIKE_IF_WRITTEN_ALIKE = (int, float, str, tuple, slice, operator.methodcaller)
#: What Python's numbers are called, by the kind of NumPy's.
_CONVERTED = {"f": "float", "b": "bool", "i": "int", "u": "int"}


class CannotFollow(Exception):  # noqa: N818 - it is no error, but an answer
    """A formula does what cannot be written down."""


class Symbol(NDArrayOperatorsMixin):
    """Stands for a value; what is done with it is written down."""

    def __init__(
        self, tape: Tape, name: str | None, shadow: Any, cells: np.ndarray | None = None
    ) -> None:
        self.tape, self.shadow = tape, shadow
        self._name, self._cells = name, cells

    @property
    def name(self) -> str:
        """What the value is called; an array of cells is put together when it needs a name."""
        if self._name is None:
            self._name = self.tape.together(self.cells, self.shadow.dtype)
        return self._name

    @property
    def cells(self) -> np.ndarray:
        """A symbol for each number of a small array, in an array of its shape."""
        if self._cells is None:
            self._cells = _of_symbols(self) if self.ndim == 0 else self.tape.apart(self)
        return self._cells

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Symbol:
        if method not in _UFUNC_METHODS or "out" in options or _holds_symbol(options.get("axis")):
            raise CannotFollow
        if method == "reduce" and len(inputs) == 1 and _is_of_two(self, options):
            return self._of_two(ufunc, options["axis"])
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return self.tape.write(function, inputs, options)

    def _of_two(self, ufunc: Any, axis: int) -> Any:
        """Reduce an axis of two to one operation on its ends."""
        ends = [self[(*[slice(None)] * (axis % self.ndim), end)] for end in (0, 1)]
        if ufunc is np.add and self.dtype.kind == "b":
            # A sum of truth values counts them.
            ends[0] = ends[0] + 0
        return ufunc(*ends)

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
            if name in _REDUCTIONS and not inputs and _is_of_two(self, options):
                return self._of_two(_REDUCTIONS[name], options["axis"])
            return self.tape.write(operator.methodcaller(name, *inputs, **options), (self,), {})

        return method

    def __len__(self) -> int:
        return len(self.shadow)

    def _stop(self, *_: Any, **__: Any) -> Any:
        raise CannotFollow

    __bool__ = __float__ = __int__ = __complex__ = __index__ = __array__ = __hash__ = _stop
    __iter__ = __contains__ = _stop
    # NumPy has other powers of numbers than of arrays.
    __pow__ = __rpow__ = _stop


def _is_of_two(symbol: Symbol, options: Mapping[str, Any]) -> bool:
    """Whether a reduction with these options is one of an axis of two, in a small array."""
    axis = options.get("axis")
    if set(options) != {"axis"} or type(axis) is not int or not 0 < symbol.size <= SMALL:
        return False
    return -symbol.ndim <= axis < symbol.ndim and symbol.shape[axis] == 2


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
        self.written: dict[str, str] = {}
        self.inputs: list[tuple[tuple[Target, Request], str]] = []

    def input(self, place: tuple[Target, Request], value: Any) -> Symbol:
        """A fact that the function is given."""
        name = f"f{len(self.inputs)}"
        self.inputs.append((place, name))
        return Symbol(self, name, value)

    def write(self, function: Any, inputs: Sequence[Any], options: Mapping[str, Any]) -> Symbol:
        """Write down one operation; done at once on the shadows too, which have the shapes."""
        shadows = [_shadow(x) for x in inputs]
        shadow = function(*shadows, **{k: _shadow(v) for k, v in options.items()})
        if _only_moves(function) and np.size(shadows[0]) <= SMALL:
            return self._of_cells(function(inputs[0].cells, *inputs[1:], **options), shadow)
        if np.ndim(shadow) and not options and _is_by_cells(function, shadows, shadow):
            return self._by_cells(function, inputs, shadow)
        if function is np.where and np.ndim(shadow) == 0:
            # A choice between numbers is one.
            shadow = shadow[()]
            inputs = [inputs[0], *(self._as(shadow, x) for x in inputs[1:])]
        return Symbol(self, self._line(self._text(function, inputs, options, shadow)), shadow)

    def _line(self, text: str) -> str:
        """The name of what a line computes; the same line is written once."""
        if text not in self.written:
            self.written[text] = f"v{len(self.lines)}"
            self.lines.append(f"{self.written[text]} = {text}")
        return self.written[text]

    def _as(self, example: Any, value: Any) -> Any:
        """A branch of a choice, as a number of the type that the choice has."""
        if not isinstance(value, Symbol):
            return type(example)(value)
        if value.dtype == example.dtype:
            return value
        return Symbol(
            self, self._line(_converted(value.name, example)), type(example)(value.shadow)
        )

    def _of_cells(self, cells: np.ndarray | Symbol, shadow: Any) -> Symbol:
        one = cells if isinstance(cells, Symbol) or cells.ndim else cells[()]
        return Symbol(self, one.name if isinstance(one, Symbol) else None, shadow, _cells(one))

    def _by_cells(self, function: Any, inputs: Sequence[Any], shadow: Any) -> Symbol:
        """An operation on each cell of small arrays."""
        given = [np.broadcast_to(_cells(x), shadow.shape) for x in inputs]
        cells = np.empty(shadow.shape, dtype=object)
        for place in np.ndindex(shadow.shape):
            cells[place] = self.write(function, [g[place] for g in given], {})
        return self._of_cells(cells, shadow)

    def apart(self, symbol: Symbol) -> np.ndarray:
        """A symbol for each number of an array."""
        name = self._line(f"{symbol.name}.ravel().tolist()")
        numbers = [
            Symbol(self, self._line(f"{name}[{i}]"), number)
            for i, number in enumerate(symbol.shadow.ravel())
        ]
        return _of_symbols(*numbers).reshape(symbol.shape)

    def together(self, cells: np.ndarray, dtype: np.dtype) -> str:
        """The name of an array that is made of numbers."""
        return self._line(f"array({self._listed(cells.tolist())}, {self._name(dtype.type)})")

    def _listed(self, cells: Any) -> str:
        if isinstance(cells, list):
            return f"[{', '.join(map(self._listed, cells))}]"
        return self._name(cells)

    def _text(
        self, function: Any, inputs: Sequence[Any], options: Mapping[str, Any], shadow: Any
    ) -> str:
        if np.ndim(shadow) == 0 and not options and all(np.ndim(_shadow(x)) == 0 for x in inputs):
            return self._of_numbers(function, inputs, shadow)
        given = [self._name(x) for x in inputs]
        if function in _OPERATORS and not options:
            return f"{given[0]} {_OPERATORS[function]} {given[1]}"
        if function is operator.getitem:
            place = _place(inputs[1]) if np.ndim(shadow) == 0 else None
            return f"{given[0]}[{given[1]}]" if place is None else f"{given[0]}.item{place}"
        if function is _transposed:
            return f"{given[0]}.T"
        named = [f"{k}={self._name(v)}" for k, v in options.items()]
        return _converted(f"{self._name(function)}({', '.join([*given, *named])})", shadow)

    def _of_numbers(self, function: Any, inputs: Sequence[Any], shadow: Any) -> str:
        """An operation on numbers as Python does it, if that has the bits that NumPy's has."""
        given = [self._name(x) for x in inputs]
        if function is np.where:
            return f"({given[1]} if {given[0]} else {given[2]})"
        truths = all(np.asarray(_shadow(x)).dtype.kind == "b" for x in inputs)
        pattern = (_TRUTHS if truths else _NUMBERS).get(function)
        if pattern is not None:
            return pattern.format(*given)
        return _converted(f"{self._name(function)}({', '.join(given)})", shadow)

    def _name(self, value: Any) -> str:
        """The name of a symbol, or of a constant that the function closes over."""
        if isinstance(value, Symbol):
            return value.name
        if isinstance(value, list | tuple) and any(isinstance(x, Symbol) for x in value):
            return f"[{', '.join(map(self._name, value))}]"
        if isinstance(value, np.generic):
            value = value.item()
        key = repr(value) if isinstance(value, _ALIKE_IF_WRITTEN_ALIKE) else id(value)
        if key not in self.names:
            self.names[key] = f"k{len(self.constants)}"
            self.constants[self.names[key]] = value
        return self.names[key]

    def function(self, results: Sequence[Any]) -> Callable[..., list[Any]]:
        """The function of the inputs that gives the results."""
        arguments = ", ".join(name for _, name in self.inputs)
        returned = f"return [{', '.join(map(self._name, results))}]"
        text = "\n    ".join([f"def program({arguments}):", *self.lines, returned])
        space = {**_SPACE, **self.constants}
        exec(compile(text, "<program of formulas>", "exec"), space)  # noqa: S102 - our own lines
        return space["program"]


def _only_moves(function: Any) -> bool:
    """Whether a function picks numbers of an array, and computes nothing."""
    return function in (operator.getitem, _transposed, np.diagonal)


def _is_by_cells(function: Any, shadows: Sequence[Any], shadow: Any) -> bool:
    """Whether an operation is done on each cell of small arrays, and Python does it as NumPy."""
    truths = all(np.asarray(x).dtype.kind == "b" for x in shadows)
    known = function is np.where or function in (_TRUTHS if truths else _NUMBERS)
    return known and max(map(np.size, (*shadows, shadow))) <= SMALL


def _of_symbols(*symbols: Any) -> np.ndarray:
    """Symbols, or numbers, in an array: one alone in an array without an axis."""
    cells = np.empty(len(symbols), dtype=object)
    for place, symbol in enumerate(symbols):
        cells[place] = symbol
    return cells.reshape(()) if len(symbols) == 1 else cells


def _cells(value: Any) -> np.ndarray:
    """The cells of a small array, or of a constant."""
    return value.cells if isinstance(value, Symbol) else np.asarray(value).astype(object)


def _converted(text: str, shadow: Any) -> str:
    """What NumPy computes, as a number of Python's if it is one."""
    kind = _CONVERTED.get(shadow.dtype.kind) if isinstance(shadow, np.generic) else None
    return text if kind is None else f"{kind}({text})"


def _place(key: Any) -> tuple[int, ...] | None:
    """The place of a number in an array, if a key is one."""
    keys = key if isinstance(key, tuple) else (key,)
    places = tuple(k for k in keys if k is not Ellipsis)
    return places if places and all(type(k) is int for k in places) else None


def _divided(one: float, other: float) -> float:
    """The quotient that NumPy has where Python has none."""
    return float(np.true_divide(one, other))


#: The words of a function that is written down.
_SPACE: dict[str, Any] = {
    "sqrt": math.sqrt,
    "isfinite": math.isfinite,
    "nan": math.nan,
    "array": np.asarray,
    "divided": _divided,
}


def _transposed(value: Any) -> Any:
    return value.T


def _shadow(value: Any) -> Any:
    if isinstance(value, Symbol):
        return value.shadow
    if isinstance(value, list | tuple):
        return type(value)(map(_shadow, value))
    return value
