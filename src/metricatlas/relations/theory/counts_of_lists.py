"""How many ranked lists have so many pairs in order and so many positives in their upper part.

With a positives among the upper h places of a list, the pairs in order are those within the upper
part, those within the lower, and each of the a positives above with each negative below. Lists of
one part are counted by pairs in order through the Gaussian binomial coefficients, which are
polynomials; all are kept as one whole number each, with a fixed number of bits for a coefficient.
"""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.relations.agreement import Agreement

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array


def agreement_of_area_and_accuracy(n: int, positives: int, cut: int) -> Agreement:
    """Count the pairs of lists that the area under the ROC curve and accuracy order how."""
    return agreement_of_table(joint_counts(n, positives, cut))


def joint_counts(n: int, positives: int, cut: int) -> Array:
    """Lists by pairs in order (rows) and positives among the upper `cut` places (columns)."""
    width = (comb(n, positives).bit_length() + 8) // 8
    upper = _gaussian(cut, width)
    lower = upper if 2 * cut == n else _gaussian(n - cut, width)
    least, most = max(0, positives - (n - cut)), min(positives, cut)
    table = np.zeros((positives * (n - positives) + 1, most - least + 1), dtype=object)
    for column, above in enumerate(range(least, most + 1)):
        below = positives - above
        product = upper[above] * lower[below]
        degree = above * (cut - above) + below * (n - cut - below)
        first = above * (n - cut - below)
        table[first : first + degree + 1, column] = _unpacked(product, degree + 1, width)
    return table


def _gaussian(size: int, width: int) -> list[int]:
    """Gaussian binomials of a size, packed: [m, a] = [m - 1, a - 1] + q^a [m - 1, a]."""
    row = [1]
    for m in range(1, size + 1):
        row = [
            (row[a - 1] if a else 0) + ((row[a] << (8 * width * a)) if a < m else 0)
            for a in range(m + 1)
        ]
    return row


def _unpacked(packed: int, count: int, width: int) -> list[int]:
    content = packed.to_bytes(count * width, "little")
    return [int.from_bytes(content[i : i + width], "little") for i in range(0, len(content), width)]


def agreement_of_table(table: Array) -> Agreement:
    """Count pairs of objects of which a table says how many have each pair of values.

    Rows are the values of f, columns those of g, both ascending; whole numbers of Python, because
    no float holds them.
    """
    below = np.add.accumulate(table, axis=0) - table
    lower = np.add.accumulate(below, axis=1)
    same = (table * (lower - below)).sum()
    by_f = (table * below).sum()
    opposite = (table * (lower[:, -1:] - lower)).sum()
    rows = table.sum(axis=1)
    squares = (table * table).sum()
    by_g = ((rows * rows).sum() - squares) // 2
    neither = (squares - rows.sum()) // 2
    return Agreement(*(int(count) for count in (same, opposite, by_f, by_g, neither)))
