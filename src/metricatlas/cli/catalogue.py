"""``metricatlas catalogue``: what can be measured, and what each measure is."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from metricatlas.cli.failures import understood
from metricatlas.cli.output import TextFormat, as_csv, as_json, for_stdout
from metricatlas.cli.writing import to_stdout
from metricatlas.errors import OptionError

EXAMPLES = """Examples:

    \b
    metricatlas catalogue
    metricatlas catalogue mcc
    metricatlas catalogue --needs scores --task binary
    metricatlas catalogue --source ferri2009 --format csv

    Exit codes: 0; 1 if the list cannot be written; 2 if the command line cannot be understood (an
    unknown measure, family, source or module, NAME with a filter)."""


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

    filters = {"--family": family, "--source": source, "--needs": needs, "--task": task}
    _check_alone(name, [option for option, value in filters.items() if value is not None])
    import_modules(modules or ())
    from metricatlas.measures import catalogue as known

    if name is None:
        with understood():
            # Members of a StrEnum are the texts that are asked for.
            found = known.find(source=source, family=family, needs=needs, task=task)  # type: ignore[arg-type]
        from metricatlas.cli.listing import as_table, record

        records = [record(m) for m in found]
        text = as_table(records) if output_format is TextFormat.table else ""
    else:
        from metricatlas.cli.description import description, details

        with understood():
            measure = known[name]
        records = [details(measure)]
        text = description(measure) if output_format is TextFormat.table else ""
    to_stdout(for_stdout(text or _as_data(records, output_format), output_format))


def _check_alone(name: str | None, filters: list[str]) -> None:
    if name is not None and filters:
        msg = (
            f"NAME asks for one measure, {' and '.join(filters)} for those of a kind; got both. "
            f"Leave one out."
        )
        raise OptionError(msg)


#: What is a list of sentences, or of names.
_SENTENCES = ("formula", "latex", "undefined", "parameters", "references")


def _as_data(records: list[dict[str, Any]], asked: TextFormat) -> str:
    if asked is TextFormat.json:
        return as_json(records)
    cells = [
        [("; " if k in _SENTENCES else " ").join(v) if isinstance(v, list) else v for k, v in r]
        for r in (record.items() for record in records)
    ]
    return as_csv(list(records[0]) if records else [], cells)
