"""The facts of `Confusion`, array form: plain NumPy, for small inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricatlas.summaries.kernels.grouping import Groups, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array, Request


def confusion_facts(
    values: Array,
    truth: Array,
    weight: Array | None,
    starts: Array,
    classes: int,
    kind: str,
    threshold: float | None,
    requests: Sequence[Request],
) -> dict[Request, Array]:
    """Sums by true class and decided class: ``(k * s, classes, classes)`` each.

    ``values`` are codes ``(k, n)`` where the kind is labels; else scores ``(k, n)`` of the second
    of two classes, positive above the threshold (one half), or ``(k, n, c)``, where the first
    largest decides.
    """
    decided = _decided(values, kind, threshold)
    cell = (rows_of(starts, len(values)) * classes + truth) * classes + decided
    shape = (len(values) * (len(starts) - 1), classes, classes)
    groups = Groups(cell.ravel(), shape[0] * classes * classes)
    masses = None if weight is None else np.tile(weight, len(values))[groups.order]
    sums = {"matrix": groups.counts.astype(np.float64) if masses is None else groups.sums(masses)}
    if any(name != "matrix" for name, _ in requests):
        most, margin = _confidences(values, truth, decided)
        most, margin = most.take(groups.order), margin.take(groups.order)
        terms = np.array([most, np.square(most), margin])
        details = groups.sums(terms if masses is None else terms * masses)
        sums |= zip(("confidence", "confidence_squared", "margin"), details, strict=True)
    return {request: sums[request[0]].reshape(shape) for request in requests}


def _decided(values: Array, kind: str, threshold: float | None) -> Array:
    """Code of the decided class."""
    if kind == "labels":
        return values
    if values.ndim == 2:
        return values > (0.5 if threshold is None else threshold)
    return np.asarray(values.argmax(axis=-1))


def _confidences(values: Array, truth: Array, decided: Array) -> tuple[Array, Array]:
    """Probability of the decided class, and how far it is above the true class's."""
    if values.ndim == 2:
        others = 1.0 - values
        return np.where(decided, values, others), (values - others) * (
            decided - truth.astype(np.int8)
        )
    most = _of_class(values, decided)
    true = np.broadcast_to(truth, decided.shape).astype(np.intp)
    return most, most - _of_class(values, true)


def _of_class(values: Array, code: Array) -> Array:
    """Each example's probability of one class."""
    return np.asarray(np.take_along_axis(values, code[..., np.newaxis], axis=-1)[..., 0])
