"""Composites of measures that a table holds, computed from its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.measurements import Column, Measurements
from metricatlas.measures.language import parse
from metricatlas.measures.terms import Mean, Term, TwoLevel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.measures.terms import Measure
    from metricatlas.relations.relations import Relations
    from metricatlas.summaries.facts import Array


def with_candidates(relations: Relations, names: Sequence[str]) -> Relations:
    """Relate the measures anew, with composites of them behind them."""
    if relations.source is None:
        msg = "candidates are computed from measurements; these relations are a given matrix."
        raise RelationError(msg)
    return relations.source.again(with_composites(relations.source.table, names))


def with_composites(table: Measurements, names: Sequence[str]) -> Measurements:
    """Add columns that are composites of others, such as mean[acc,auc,rms], sar or auc:acc."""
    columns, schema, pairs = [table.values], list(table.schema), dict(table.pairs)
    for name in names:
        measure = parse(name)
        values, levels = _computed(table, measure)
        if levels is not None:
            pairs[len(schema)] = levels
        columns.append(values[:, np.newaxis])
        low, high = measure.bounds
        column = Column(name, measure.name, measure.better, low, high, measure.title)
        schema.append(column)
    return table.__replace__(values=np.hstack(columns), schema=tuple(schema), levels=pairs)


def _computed(table: Measurements, measure: Measure) -> tuple[Array, Array | None]:
    """The values of a composite, and both levels of one that has two."""
    if not measure.parts:
        msg = (
            f"a candidate must be a composite of measures that are there, such as "
            f"mean[acc,auc,rms]; got {measure.name}."
        )
        raise RelationError(msg)
    lacking = [part.name for part in measure.parts if part.name not in table]
    if lacking:
        msg = f"{measure.name} is made of {', '.join(lacking)}, which the table does not have."
        raise RelationError(msg)
    parts = [table[part.name] for part in measure.parts]
    with np.errstate(all="ignore"):
        if isinstance(measure, TwoLevel):
            levels = [p.oriented(v) for p, v in zip(measure.parts, parts, strict=True)]
            return measure.combined(*levels), np.column_stack(levels)
        if isinstance(measure, Mean):
            upright = [p.upright(v) for p, v in zip(measure.parts, parts, strict=True)]
            return measure.combined(upright), None
        assert isinstance(measure, Term)  # noqa: S101 - only these three have parts
        return measure.declaration.formula(*parts, **measure.keywords), None
