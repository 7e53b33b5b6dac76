"""Views: the relations over some of the groups, chosen by what the groups are like."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from metricatlas.errors import RelationError
from metricatlas.relations.relations import mean_of

if TYPE_CHECKING:
    from metricatlas.relations.correlation import Method
    from metricatlas.relations.relations import Relations


def views(relations: Relations, attributes: Any, overall: Sequence[Method]) -> dict[str, Relations]:
    """Relations over all groups, then over those of each value of each attribute."""
    if relations.source is None:
        msg = "views need measurements with groups; these relations are a given matrix, or a view."
        raise RelationError(msg)
    table, again = relations.source.table, relations.source.again
    found = {
        f"all, {method}": relations if method == relations.method else again(table, method)
        for method in overall
    }
    for attribute, values in _by_group(relations, attributes).items():
        for value in dict.fromkeys(values.values()):
            members = [group for group, own in values.items() if own == value]
            found[f"{attribute}: {value}"] = _of_groups(relations, members)
    return found


def _of_groups(relations: Relations, members: Sequence[Any]) -> Relations:
    places = [relations.groups.index(group) for group in members]
    stack = relations.stack[places]
    return replace(
        relations,
        matrix=mean_of(stack),
        stack=stack,
        rows={group: relations.rows[group] for group in members},
        report=[line for line in relations.report if line[0] is None or line[0] in members],
        # The table has rows of other groups too.
        source=None,
    )


def _by_group(relations: Relations, attributes: Any) -> dict[str, dict[Any, Any]]:
    """For each attribute the value of every group."""
    if hasattr(attributes, "columns") and hasattr(attributes, "index"):
        attributes = {str(name): attributes[name].to_dict() for name in attributes.columns}
    elif not isinstance(attributes, Mapping):
        attributes = {name: _of_key(relations, name) for name in attributes}
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
