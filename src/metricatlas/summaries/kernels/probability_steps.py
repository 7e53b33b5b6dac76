"""The facts of `Probabilities`, array form: plain NumPy, for small inputs.

Each fact is a method that gives the term of every example. Examples are brought into the order of
rows and classes first, so that a sum by class is a sum over neighbours, which NumPy adds in pairs.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.summaries.kernels.grouping import Groups, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array, Request


#: Facts by class and true class.
MATRICES = ("received", "column_squares", "column_logs")


def probabilities_facts(
    values: Array,
    truth: Array,
    weight: Array | None,
    starts: Array,
    classes: int,
    requests: Sequence[Request],
) -> dict[Request, Array]:
    """Sums of row terms by true class: ``(k * s, classes)``, or a matrix for some.

    ``values`` is ``(k, n)``, the probability of the second of two classes, or ``(k, n, c)``.
    """
    shape = (len(values) * (len(starts) - 1), classes)
    group = rows_of(starts, len(values)) * classes + truth
    groups = Groups(group.ravel(), shape[0] * classes)
    form = _TwoClasses if values.ndim == 2 else _ManyClasses
    weight = None if weight is None else np.tile(weight, len(values))[groups.order]
    with np.errstate(all="ignore"):
        ordered = values.reshape(group.size, *values.shape[2:]).take(groups.order, axis=0)
        terms = form(ordered, weight, groups, classes)
        named = [request for request in requests if request[0] not in MATRICES]
        matrices = [request for request in requests if request[0] in MATRICES]
        table = np.empty((len(named) + classes * len(matrices), group.size))
        for term, (name, arguments) in zip(table, named, strict=False):
            term[:] = getattr(terms, name)(*arguments)
        places = [len(named) + classes * i for i in range(len(matrices))]
        for place, (name, _) in zip(places, matrices, strict=True):
            getattr(terms, name)(table[place : place + classes])
        sums = groups.sums(table if weight is None else table * weight).reshape(-1, *shape)
    facts = dict(zip(named, sums, strict=False))
    for place, request in zip(places, matrices, strict=True):
        facts[request] = sums[place : place + classes].transpose(1, 0, 2).copy()
    return facts


class _Terms:
    """Terms of all examples, those of a row and a class beside each other."""

    #: Probability of the true class, and of all others.
    true: Array
    rest: Array

    def __init__(self, weight: Array | None, groups: Groups, classes: int) -> None:
        self.weight, self.groups, self.classes = weight, groups, classes

    @cached_property
    def share(self) -> tuple[Array, Array]:
        """Of each class by row its share in the mass, and that of the others."""
        mass = self.groups.counts if self.weight is None else self.groups.sums(self.weight)
        mass = mass.reshape(-1, self.classes).astype(np.float64)
        # One after the other: the same order, so the same bits, however many rows there are.
        total = np.add.accumulate(mass, axis=1)[:, -1:]
        return mass / total, (total - mass) / total

    @cached_property
    def logs(self) -> Array:
        """Logarithm of the true class's probability."""
        return precise_log(self.true, self.rest)

    def mass(self) -> Array:
        return np.ones(len(self.true))

    def given(self) -> Array:
        return self.true

    def log(self) -> Array:
        return self.logs

    def log_clipped(self, least: float) -> Array:
        return np.maximum(self.logs, np.log(least))

    def information(self) -> Array:
        own, others = (share.ravel() for share in self.share)
        group = self.groups.group
        gained = self.true >= own.take(group)
        log = np.where(gained, self.logs, -precise_log(self.rest, self.true))
        expected = np.where(gained, np.log(own).take(group), -np.log(others).take(group))
        return np.asarray((log - expected) / np.log(2.0))


class _TwoClasses(_Terms):
    """Of two classes the probability of the second is known, and the first has the rest."""

    def __init__(self, p: Array, weight: Array | None, groups: Groups, classes: int) -> None:
        super().__init__(weight, groups, classes)
        self.p = p
        positive, rest = (groups.group & 1).astype(np.bool), 1.0 - p
        self.true = np.where(positive, p, rest)
        self.rest = np.where(positive, rest, p)

    def absolute_error(self) -> Array:
        return 2.0 * self.rest

    def square_error(self) -> Array:
        return 2.0 * np.square(self.rest)

    def ranked(self) -> Array:
        return np.square(self.rest)

    def spherical(self) -> Array:
        return np.asarray(self.true / np.sqrt(np.square(self.true) + np.square(self.rest)))

    def pull(self) -> Array:
        return self.rest * (self.rest - self.true)

    def spread(self) -> Array:
        return self.rest * self.true * np.square(self.rest - self.true)

    def top(self, size: int) -> Array:
        if size > 1:
            return self.mass()
        return np.asarray(0.5 + 0.5 * np.sign(self.true - self.rest))

    def received(self, table: Array) -> None:
        np.subtract(1.0, self.p, out=table[0])
        table[1] = self.p

    def column_squares(self, table: Array) -> None:
        table[:] = np.square(self.rest)

    def column_logs(self, table: Array) -> None:
        table[:] = self.logs


class _ManyClasses(_Terms):
    """One row of probabilities an example."""

    def __init__(self, p: Array, weight: Array | None, groups: Groups, classes: int) -> None:
        super().__init__(weight, groups, classes)
        self.p = np.ascontiguousarray(p.T)
        self.truth = groups.group % classes
        self.index = np.arange(len(p))
        self.true = self.p[self.truth, self.index]
        self.rest = 1.0 - self.true

    @cached_property
    def others(self) -> Array:
        """The probabilities of the classes that are not the true one: ``(c, n)``."""
        others = self.p.copy()
        others[self.truth, self.index] = 0.0
        return others

    @cached_property
    def squares_of_others(self) -> Array:
        return _down(np.square(self.others))

    @cached_property
    def squares(self) -> Array:
        return self.squares_of_others + np.square(self.true)

    @cached_property
    def places(self) -> tuple[Array, Array]:
        """How many classes are above the true one, and how many equal it, itself included."""
        return (self.p > self.true).sum(axis=0), (self.p == self.true).sum(axis=0)

    def absolute_error(self) -> Array:
        return _down(self.others) + self.rest

    def square_error(self) -> Array:
        return self.squares_of_others + np.square(self.rest)

    def ranked(self) -> Array:
        steps = np.arange(self.classes)[:, np.newaxis] >= self.truth
        gaps = np.cumsum(self.p, axis=0) - steps
        return _down(np.square(gaps[:-1])) / (self.classes - 1)

    def spherical(self) -> Array:
        return np.asarray(self.true / np.sqrt(self.squares))

    def pull(self) -> Array:
        return self.squares_of_others - self.true * self.rest

    def spread(self) -> Array:
        return _down(np.square(self.p - self.squares) * self.p)

    def top(self, size: int) -> Array:
        above, equal = self.places
        return np.asarray(np.clip((size - above) / equal, 0.0, 1.0))

    def received(self, table: Array) -> None:
        table[:] = self.p

    def column_squares(self, table: Array) -> None:
        table[:] = np.square(self.p)
        table[self.truth, self.index] = np.square(self.rest)

    def column_logs(self, table: Array) -> None:
        table[:] = precise_log(1.0 - self.p, self.p)
        table[self.truth, self.index] = self.logs


def true_and_rest(p: Array, codes: Array) -> tuple[Array, Array]:
    """Each example's probability of the true class, and what is missing to one."""
    if p.ndim == 1:
        return np.where(codes == 1, p, 1.0 - p), np.where(codes == 1, 1.0 - p, p)
    true = p[np.arange(len(p)), codes]
    return true, 1.0 - true


def precise_log(p: Array, rest: Array) -> Array:
    """Logarithm of p, where `rest` may know better than `1 - p` what is missing to one.

    The rounding of `1 - rest` is put back: to first order, which is exact in the digits we have.
    """
    return np.log(p) + ((1.0 - p) - rest)


def _down(table: Array) -> Array:
    """Sum over the classes one by one: the bits do not depend on the number of examples."""
    # Of a single column NumPy would add up pairs.
    return np.asarray(
        np.add.accumulate(table, axis=0)[-1] if table.shape[1] == 1 else table.sum(axis=0)
    )
