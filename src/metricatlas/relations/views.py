"""Views: the relations over some of the groups, chosen by what the groups are like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.measurements.choosing import take_rows
from metricatlas.predictions.numbers import listed
from metricatlas.relations.grouped import named_groups

if TYPE_CHECKING:
    from metricatlas.relations.correlation import Method
    from metricatlas.relations.relations import Relations, Source


def views(relations: Relations, attributes: Any, overall: Sequence[Method]) -> dict[str, Relations]:
    """Relations over all groups, then over those of each value of each attribute."""
    if relations.source is None:
        msg = "views need measurements with groups; these relations are a given matrix."
        raise RelationError(msg)
    table, again = relations.source.table, relations.source.again
    found = {
        f"all, {method}": relations if method == relations.method else again(table, method)
        for method in listed(overall)
    }
    for attribute, values in _by_group(relations, attributes).items():
        for value in dict.fromkeys(values.values()):
            members = [group for group, own in values.items() if own == value]
            view = _of_groups(relations.source, relations.within, members)
            found[f"{attribute}: {value}"] = view
    return found


def _of_groups(source: Source, within: Any, members: Sequence[Any]) -> Relations:
    """Relate the rows of some groups in the same way."""
    groups = named_groups(source.table, within)
    rows = np.sort(np.concatenate([groups[group] for group in members]))
    return source.again(take_rows(source.table, rows))


def _by_group(relations: Relations, attributes: Any) -> dict[str, dict[Any, Any]]:
    """For each attribute the value of every group."""
    if hasattr(attributes, "columns") and hasattr(attributes, "index"):
        attributes = {str(name): attributes[name].to_dict() for name in attributes.columns}
    elif not isinstance(attributes, Mapping):
        attributes = {name: _of_key(relations, name) for name in listed(attributes)}
    for name, values in attributes.items():
        lacking = [g for g in relations.groups if g not in values or _is_missing(values[g])]
        if lacking:
            msg = (
                f"attribute {name!r} must have a value for every group; {len(lacking)} have none, "
                f"the first is {lacking[0]!r}."
            )
            raise RelationError(msg)
    return {
        name: {group: values[group] for group in relations.groups}
        for name, values in attributes.items()
    }


def _is_missing(value: Any) -> bool:
    return value is None or bool(value != value)  # noqa: PLR0124 - finds NaN


def _of_key(relations: Relations, name: str) -> dict[Any, Any]:
    """The value that a key of the rows has in each group."""
    assert relations.source is not None  # noqa: S101 - said by whoever calls
    keys = relations.source.table.row_keys
    if name not in keys:
        msg = f"there is no key {name!r} to be an attribute; there are {', '.join(keys)}."
        raise RelationError(msg)
    found = {}
    for group, rows in relations.rows.items():
        values = list(dict.fromkeys(keys[name][row] for row in rows))
        if len(values) != 1:
            msg = (
                f"attribute {name!r} must be one value within each group; group {group!r} has "
                f"{len(values)}: {', '.join(map(repr, values[:3]))}."
            )
            raise RelationError(msg)
        found[group] = values[0]
    return found
