"""Models of one kind together in one block, and the names of the rows that come of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.predictions.groups import MEMBER, MODEL, Segments
from metricatlas.predictions.model import Array, Kind, Predictions, RowKeys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: The numbers of the table's rows that these predictions fill, in their order.
Block = tuple[Array, Predictions]
#: A model's kind and its values, or a batch's.
Found = tuple[Kind, Array]


def merge(
    shared: Predictions, found: Mapping[Any, Found], segments: Segments, *, named: bool
) -> tuple[list[Block], RowKeys]:
    """Blocks of one kind each, in the shape that ``shared`` has but for kind and values."""
    if segments.order is not None:
        weight = None if shared.weight is None else shared.weight[segments.order]
        clusters = None if shared.clusters is None else shared.clusters[segments.order]
        truth = shared.truth.take(segments.order, axis=1)
        shared = replace(shared, truth=truth, weight=weight, clusters=clusters)
    sizes = [len(values) for _, values in found.values()]
    first = np.concatenate([[0], np.cumsum(sizes)]) * shared.segments
    blocks: dict[Kind, list[int]] = {}
    for i, (kind, _) in enumerate(found.values()):
        blocks.setdefault(kind, []).append(i)
    everything = list(found.values())
    return [
        (
            np.concatenate([np.arange(first[i], first[i + 1]) for i in members]),
            _together(shared, kind, [everything[i][1] for i in members], segments.order),
        )
        for kind, members in blocks.items()
    ], _keys(list(found), sizes, segments, named=named)


def _together(
    shared: Predictions, kind: Kind, members: Sequence[Array], order: Array | None
) -> Predictions:
    values = members[0] if len(members) == 1 else np.concatenate(members)
    truth = shared.truth
    return replace(
        shared,
        kind=kind,
        values=values if order is None else values.take(order, axis=1),
        # With a truth for each model, every member of the dict is judged against all of them.
        truth=truth if len(truth) == 1 else np.concatenate([truth] * len(members)),
        threshold=None if kind == "labels" else shared.threshold,
    )


def _keys(
    names: Sequence[Any], sizes: Sequence[int], segments: Segments, *, named: bool
) -> RowKeys:
    times = len(segments.starts) - 1
    columns: dict[str, Sequence[Any] | Array] = {}
    if named:
        columns[MODEL] = [n for n, k in zip(names, sizes, strict=True) for _ in range(k * times)]
    if not named or max(sizes) > 1:
        numbers = np.concatenate([np.arange(k) for k in sizes])
        columns[MEMBER if named else MODEL] = np.repeat(numbers, times)
    for key, values in segments.keys.items():
        columns[key] = _repeated(values, sum(sizes))
    return RowKeys(columns)


def _repeated(values: Sequence[Any] | Array, times: int) -> Sequence[Any] | Array:
    return np.tile(values, times) if isinstance(values, np.ndarray) else list(values) * times
