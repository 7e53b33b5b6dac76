"""``metricatlas catalogue``: what can be measured, and what each measure is."""

from __future__ import annotations

import shutil
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metricatlas.cli.output import TextFormat, as_csv, as_json

if TYPE_CHECKING:
    from metricatlas.measures.terms import Measure

EXAMPLES = """Examples:

    \b
    metricatlas catalogue
    metricatlas catalogue mcc
    metricatlas catalogue --needs scores --task binary
    metricatlas catalogue --source ferri2009 --format csv"""


class Needs(StrEnum):
    """What predictions may be."""

    labels = "labels"
    scores = "scores"
    probabilities = "probabilities"


class Task(StrEnum):
    """How many classes there are."""

    binary = "binary"
    multiclass = "multiclass"


def catalogue(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="One measure, by any name, as in mcc or f1.macro."),
    ] = None,
    *,
    family: Annotated[str | None, typer.Option(help="Those of one family.")] = None,
    source: Annotated[str | None, typer.Option(help="Those of one study, as in ferri2009.")] = None,
    needs: Annotated[Needs | None, typer.Option(help="Those that need no more than this.")] = None,
    task: Annotated[Task | None, typer.Option(help="Those for two classes, or for more.")] = None,
    output_format: Annotated[
        TextFormat, typer.Option("--format", "-f", help="How to write the list.")
    ] = TextFormat.table,
    modules: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="Import one's own measures first."),
    ] = None,
) -> None:
    """List the measures, or tell everything about one of them."""
    from metricatlas.cli.modules import import_modules

    import_modules(modules or ())
    from metricatlas.measures import catalogue as known

    if name is None:
        # Members of a StrEnum are the texts that are asked for.
        found = known.find(source=source, family=family, needs=needs, task=task)  # type: ignore[arg-type]
        text = _list([record(m) for m in found], output_format)
    elif output_format is TextFormat.table:
        from metricatlas.cli.description import description

        text = description(known[name])
    else:
        text = _list([record(known[name])], output_format)
    sys.stdout.write(text)


def record(measure: Measure) -> dict[str, Any]:
    """What a list says of a measure."""
    from metricatlas.measures import catalogue as known
    from metricatlas.measures.catalogue import tasks

    m: Any = measure
    return {
        "name": m.name,
        "title": m.title,
        "better": m.better,
        "range": written_range(m.bounds),
        "needs": m.needs,
        "tasks": list(tasks(measure)),
        "family": m.family,
        "on_request": m.on_request,
        "aliases": list(known.aliases(measure)),
        "sources": list(known.sources(measure)),
    }


def written_range(bounds: tuple[float, float]) -> str:
    """Bounds as an interval, which is open at infinity."""
    low, high = bounds
    left = "(-inf" if low == float("-inf") else f"[{low:g}"
    right = "inf)" if high == float("inf") else f"{high:g}]"
    return f"{left}, {right}"


def _list(records: list[dict[str, Any]], asked: TextFormat) -> str:
    if asked is TextFormat.json:
        return as_json(records)
    if asked is TextFormat.csv:
        cells = ([" ".join(v) if isinstance(v, list) else v for v in r.values()] for r in records)
        return as_csv(list(records[0]) if records else [], cells)
    return _table(records)


_SHOWN = ("name", "title", "better", "range", "needs", "aliases")


def _table(records: list[dict[str, Any]]) -> str:
    """Aligned columns; a terminal shows as much of each line as it has room for."""
    if not records:
        return "No measure is like that.\n"
    lines = [
        [", ".join(r[k]) if isinstance(r[k], list) else str(r[k]) for k in _SHOWN] for r in records
    ]
    lines.insert(0, [k.upper() for k in _SHOWN])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns
        rows = (row if len(row) <= room else f"{row[: room - 1]}…" for row in rows)
    return "\n".join(
        [*rows, "", f"{len(records)} measures; 'metricatlas catalogue NAME' tells more.", ""]
    )
