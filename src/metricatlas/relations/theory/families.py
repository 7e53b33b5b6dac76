"""Families of confusion matrices with closed forms, from jurman2010, with its misprints corrected.

Each is a function of the number of classes N and of its own numbers. What the paper prints is wrong
in two places: the Matthews correlation of Z, whose denominator has + 2A, and the limit of confusion
entropy for random decisions, whose logarithm is of N + 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metricatlas.summaries.facts import Array


@dataclass(frozen=True)
class Family:
    """Matrices, and what measures say of them in closed form."""

    title: str
    matrix: Callable[..., Array]
    #: By the name of the measure.
    closed: Mapping[str, Callable[..., float]]
    #: What measures tend to as the family's number grows, by the number of classes.
    limits: Mapping[str, Callable[[int], float]]


def _log(n: int, x: float) -> float:
    """The logarithm in which confusion entropy counts."""
    return log(x) / log(2 * n - 2)


def _one_cell(n: int, a: float) -> Array:
    matrix = np.ones((n, n))
    matrix[n - 1, 0] = a
    return matrix


def _one_cell_cen(n: int, a: float) -> float:
    both = (n - 2) * (n - 1) * _log(n, 2 * n)
    row = (2 * n + a - 3) * _log(n, 2 * n + a - 1)
    return (both + row - a * _log(n, a)) / (n * n + a - 1)


def _unbalanced(n: int, a: float) -> Array:
    matrix = np.ones((n, n))
    matrix[n - 1] = a
    return matrix


def _unbalanced_cen(n: int, a: float) -> float:
    others = (2 * n + a - 3) * _log(n, 2 * n + a - 1) - 2 * a * _log(n, a)
    large = (a + 1) * _log(n, n + n * a + a - 1)
    return (n - 1) / (2 * n * (n + a - 1)) * (others + large)


def _two_values(n: int, t: float, f: float) -> Array:
    return np.full((n, n), float(f)) + (t - f) * np.eye(n)


def _two_values_cen(n: int, t: float, f: float) -> float:
    row = t + (n - 1) * f
    return (n - 1) * f / row * _log(n, 2 * row / f)


FAMILIES: Mapping[str, Family] = MappingProxyType(
    {
        "one-cell": Family(
            "Z: all cells are 1 but one beside the diagonal, which is A",
            _one_cell,
            MappingProxyType(
                {
                    "acc": lambda n, a: n / (n * n + a - 1),
                    "mcc": lambda n, a: -(a - 1) / ((n - 1) * (n * n + 2 * a - 2)),
                    "cen": _one_cell_cen,
                }
            ),
            MappingProxyType(
                {"acc": lambda _n: 0.0, "mcc": lambda n: -1 / (2 * (n - 1)), "cen": lambda _n: 0.0}
            ),
        ),
        "unbalanced": Family(
            "Random decisions where one class is larger: all cells are 1 but those of the last "
            "row, which are A",
            _unbalanced,
            MappingProxyType(
                {
                    "acc": lambda n, _a: 1 / n,
                    "mcc": lambda _n, _a: 0.0,
                    "cen": _unbalanced_cen,
                }
            ),
            MappingProxyType(
                {
                    "acc": lambda n: 1 / n,
                    "mcc": lambda _n: 0.0,
                    "cen": lambda n: (n - 1) / (2 * n) * _log(n, n + 1),
                }
            ),
        ),
        "two-values": Family(
            "B: the diagonal is T, all else is F; the transformed Matthews correlation is the "
            "confusion entropy",
            _two_values,
            MappingProxyType(
                {
                    "acc": lambda n, t, f: t / (t + (n - 1) * f),
                    "mcc": lambda n, t, f: (t - f) / (t + (n - 1) * f),
                    "cen": _two_values_cen,
                    "tmcc": _two_values_cen,
                }
            ),
            MappingProxyType({}),
        ),
    }
)
