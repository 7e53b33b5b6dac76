"""Backpropagation row by row: millions of small steps, so they are compiled."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np
from numba import njit

Array = np.ndarray[Any, Any]


@njit(cache=True, nogil=True)
def train(
    X: Array,
    target: Array,
    order: Array,
    inner: Array,
    outer: Array,
    inner_change: Array,
    outer_change: Array,
    rate: float,
    momentum: float,
    entropy: bool,
) -> None:
    """Go once through the rows and change the weights after each.

    `inner` has a row for each attribute and one for the constant, a column for each hidden unit;
    `outer` likewise from hidden units to classes. `target` is the class of each row. The loss is
    half the squared error of all outputs, or their cross entropy.
    """
    attributes, hidden = X.shape[1], inner.shape[1]
    classes = outer.shape[1]
    middle, out = np.empty(hidden), np.empty(classes)
    blame, back = np.empty(classes), np.empty(hidden)
    for row in order:
        _forward(X[row], inner, outer, middle, out)
        for k in range(classes):
            blame[k] = (1.0 if target[row] == k else 0.0) - out[k]
            if not entropy:
                blame[k] *= out[k] * (1.0 - out[k])
        for j in range(hidden):
            found = 0.0
            for k in range(classes):
                found += outer[j, k] * blame[k]
            back[j] = found * middle[j] * (1.0 - middle[j])
        for j in range(hidden + 1):
            step = rate * (middle[j] if j < hidden else 1.0)
            for k in range(classes):
                change = step * blame[k] + momentum * outer_change[j, k]
                outer_change[j, k] = change
                outer[j, k] += change
        for i in range(attributes + 1):
            step = rate * (X[row, i] if i < attributes else 1.0)
            for j in range(hidden):
                change = step * back[j] + momentum * inner_change[i, j]
                inner_change[i, j] = change
                inner[i, j] += change


@njit(cache=True, nogil=True)
def predict(X: Array, inner: Array, outer: Array) -> Array:
    """Return the outputs for each row."""
    found = np.empty((len(X), outer.shape[1]))
    middle = np.empty(inner.shape[1])
    for row in range(len(X)):
        _forward(X[row], inner, outer, middle, found[row])
    return found


@njit(cache=True, nogil=True)
def _forward(x: Array, inner: Array, outer: Array, middle: Array, out: Array) -> None:
    """Fill in the outputs of the hidden units and of the classes for a row."""
    attributes, hidden = len(x), len(middle)
    middle[:] = inner[attributes]
    for i in range(attributes):
        for j in range(hidden):
            middle[j] += x[i] * inner[i, j]
    for j in range(hidden):
        middle[j] = _sigmoid(middle[j])
    out[:] = outer[hidden]
    for j in range(hidden):
        for k in range(len(out)):
            out[k] += middle[j] * outer[j, k]
    for k in range(len(out)):
        out[k] = _sigmoid(out[k])


@njit(cache=True, nogil=True)
def _sigmoid(x: float) -> float:
    if x >= 0.0:
        return 1.0 / (1.0 + exp(-x))
    small = exp(x)
    return small / (1.0 + small)
