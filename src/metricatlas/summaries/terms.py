"""What each single example adds to the facts that are sums over examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricatlas.summaries.kernels import confusion_steps, probability_steps

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array, Request

#: Numbers that a block of examples has at most while its terms are worked out.
TOGETHER = 1 << 20


def cells_of(
    values: Array,
    truth: Array,
    classes: int,
    kind: str,
    threshold: float | None,
    requests: Sequence[Request],
) -> tuple[Array, Array]:
    """For each example of one model its cell of the confusion matrix, and a term a request."""
    examples = values.shape[1]
    cells = np.empty(examples, dtype=np.int64)
    terms = np.empty((examples, len(requests)))
    asked = tuple(dict.fromkeys([*requests, ("matrix", ())]))
    for part in _blocks(examples, classes * classes):
        # Every example is a segment of its own.
        alone = np.arange(part.stop - part.start + 1)
        facts = confusion_steps.confusion_facts(
            values[:, part], truth[:, part], None, alone, classes, kind, threshold, asked
        )
        flat = {r: value.reshape(len(alone) - 1, -1) for r, value in facts.items()}
        cells[part] = flat["matrix", ()].argmax(axis=1)
        for column, request in enumerate(requests):
            terms[part, column] = flat[request].sum(axis=1)
    return cells, terms


def terms_of(
    values: Array, truth: Array, classes: int, requests: Sequence[Request]
) -> tuple[Array, dict[Request, slice]]:
    """For each example of one model its terms, and which of these are those of a request.

    That of a matrix are several: one a class.
    """
    places: dict[Request, slice] = {}
    width = 0
    for request in requests:
        own = classes if request[0] in probability_steps.MATRICES else 1
        places[request] = slice(width, width + own)
        width += own
    examples = values.shape[1]
    terms = np.empty((examples, width))
    for part in _blocks(examples, classes * width):
        alone = np.arange(part.stop - part.start + 1)
        facts = probability_steps.probabilities_facts(
            values[:, part], truth[:, part], None, alone, classes, list(requests)
        )
        for request, place in places.items():
            # All but that of the true class are nothing, and come first or last in the sum.
            terms[part, place] = facts[request].reshape(len(alone) - 1, -1, classes).sum(axis=2)
    return terms, places


def _blocks(examples: int, width: int) -> list[slice]:
    step = max(1, TOGETHER // width)
    return [slice(first, min(first + step, examples)) for first in range(0, examples, step)]
