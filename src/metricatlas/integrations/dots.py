"""A chart of dots, worked out: what there is to be seen, before it is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.measurements import Column, Measurements
from metricatlas.measurements.sheet import UNDEFINED, best_rows, written, written_cells

if TYPE_CHECKING:
    from metricatlas.measurements.columns import Array


@dataclass(frozen=True)
class Dots:
    """What is to be seen."""

    models: tuple[str, ...]
    columns: tuple[Column, ...]
    #: From 0, the worst possible value, to 1, the best: models by measures; NaN without bounds.
    places: Array
    #: The same of each row of a model that has several.
    parts: tuple[Array, ...]
    #: Values as written, models by measures.
    texts: tuple[tuple[str, ...], ...]
    #: Where no model is better.
    best: Array


def find_dots(table: Measurements) -> Dots:
    """Work out a chart: a model with several rows has the mean of each measure over them."""
    rows = _rows_by_model(table)
    with np.errstate(invalid="ignore"):
        values = np.array([table.values[r].mean(axis=0) for r in rows.values()])
        spread = np.array([table.values[r].std(axis=0) for r in rows.values()])
        levels = {
            i: np.array([pair[r].mean(axis=0) for r in rows.values()])
            for i, pair in table.pairs.items()
        }
    means = Measurements(values, table.schema, {"model": list(rows)}, levels=levels)
    several = max(map(len, rows.values())) > 1
    texts = [
        _with_spread(values[:, i], spread[:, i]) if several else written_cells(column, values[:, i])
        for i, column in enumerate(table.schema)
    ]
    places = _places(table.oriented())
    return Dots(
        tuple(rows),
        table.schema,
        _places(means.oriented()),
        tuple(places[r] if len(r) > 1 else places[:0] for r in rows.values()),
        tuple(zip(*texts, strict=True)),
        best_rows(means),
    )


def _rows_by_model(table: Measurements) -> dict[str, list[int]]:
    """Rows of one model; without such a key, rows by all of their keys."""
    keys = table.row_keys
    telling = ["model"] if "model" in keys else list(keys)
    rows: dict[str, list[int]] = {}
    for number in range(len(table)):
        name = ", ".join(str(keys[key][number]) for key in telling)
        rows.setdefault(name, []).append(number)
    return rows


def _with_spread(means: Array, spread: Array) -> list[str]:
    texts = written(np.concatenate([means, spread]))
    pairs = zip(texts[: len(means)], texts[len(means) :], strict=True)
    return [mean if UNDEFINED in (mean, by) else f"{mean} ± {by}" for mean, by in pairs]


def _places(oriented: Measurements) -> Array:
    low, high = (np.array([getattr(c, end) for c in oriented.schema]) for end in ("lower", "upper"))
    with np.errstate(invalid="ignore"):
        places = (oriented.values - low) / (high - low)
    return np.where(np.isfinite(low) & np.isfinite(high) & np.isfinite(places), places, np.nan)
