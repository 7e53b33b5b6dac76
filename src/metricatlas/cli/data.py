"""``metricatlas data``: the data sets there are, what each is, and how to get one."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from metricatlas.cli.failures import understood
from metricatlas.cli.output import TextFormat, as_csv, as_json, for_stdout
from metricatlas.cli.patience import patience
from metricatlas.cli.writing import to_stdout

LIST_EXAMPLES = """Examples:

    \b
    metricatlas data list
    metricatlas data list --data ~/datasets --here
    metricatlas data list --study seliya2009 --format csv

    FROM says where a data set is: in the folder, fetched before, in scikit-learn; or where it
    could be had: its number at OpenML, or a file that must be brought.

    Exit codes: 0; 1 if the folder cannot be read; 2 if the command line cannot be understood."""
SHOW_EXAMPLES = """Examples:

    \b
    metricatlas data show iris
    metricatlas data show letter-vowel --data ~/datasets
    metricatlas data show kc1 --format json

    The digest is of the content: it is the same whatever kind of file holds it.

    Exit codes: 0; 1 if its file cannot be read, or is not what it should be; 2 if the command line
    cannot be understood (an unknown data set)."""
FETCH_EXAMPLES = """Examples:

    \b
    metricatlas data fetch sonar vehicle-3c
    metricatlas data fetch openml-1464
    metricatlas data fetch sonar --again

    What is fetched is kept in ~/.cache/metricatlas/datasets, or in the folder that
    METRICATLAS_CACHE names, with a hash that is checked whenever it is loaded.

    Exit codes: 0; 1 if it cannot be had; 2 if the command line cannot be understood (an unknown
    data set)."""

Data = Annotated[
    str | None,
    typer.Option(
        "--data", metavar="DIR", help="A folder of data sets. [default: METRICATLAS_DATA]"
    ),
]
HowToWrite = Annotated[TextFormat, typer.Option("--format", "-f", help="How to write it.")]

app = typer.Typer(
    name="data",
    help="List data sets, show what one is, fetch it.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.command("list", epilog=LIST_EXAMPLES)
def list_data(
    *,
    data: Data = None,
    study: Annotated[str | None, typer.Option(help="Those of one study, as in ferri2009.")] = None,
    here: Annotated[bool, typer.Option("--here", help="Those that can be loaded now.")] = False,
    output_format: HowToWrite = TextFormat.table,
) -> None:
    """List the data sets of the five studies, of the folder, and of scikit-learn."""
    from metricatlas.cli.data_shown import as_table, listed
    from metricatlas.populations.datasets import check_study, overview

    with understood():
        check_study(study)
    records = [listed(line) for line in overview(data, study=study) if line.here or not here]
    text = as_table(records) if output_format is TextFormat.table else ""
    to_stdout(for_stdout(text or _as_data(records, output_format), output_format))


@app.command("show", epilog=SHOW_EXAMPLES)
def show_data(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A data set, as in iris.")],
    *,
    data: Data = None,
    output_format: HowToWrite = TextFormat.table,
) -> None:
    """Show what a data set is, where it is from, and what the papers print of it.

    It is loaded, if it is here, and its hash is checked.
    """
    from metricatlas.cli.data_shown import as_page, page
    from metricatlas.populations.datasets import load, overview

    lines = {line.name: line for line in overview(data)}
    if name not in lines:
        # Tells why, and the nearest names.
        with understood():
            load(name, data=data)
    with patience(f"Reading {name}"):
        found = load(name, data=data) if lines[name].here else None
    record = page(lines[name], found)
    text = as_page(record) if output_format is TextFormat.table else ""
    to_stdout(for_stdout(text or _as_data([record], output_format), output_format))


@app.command("fetch", epilog=FETCH_EXAMPLES)
def fetch_data(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Data sets, or openml-NUMBER for any.")
    ],
    *,
    again: Annotated[bool, typer.Option("--again", help="Even what is there already.")] = False,
) -> None:
    """Get data sets from OpenML and keep them, so that they are here from now on."""
    from metricatlas.populations.datasets import check_fetchable, fetch

    with understood():
        for name in names:
            check_fetchable(name)
    for name in names:
        with patience(f"Fetching {name}"):
            found = fetch(name, again=again)
        to_stdout(for_stdout(f"{found!r} is in {found.source}\n", TextFormat.table))


def _as_data(records: list[dict[str, Any]], asked: TextFormat) -> str:
    if asked is TextFormat.json:
        return as_json(records)
    cells = [[_cell(value) for value in record.values()] for record in records]
    return as_csv(list(records[0]) if records else [], cells)


def _cell(value: Any) -> Any:
    if isinstance(value, list):
        return "; ".join(map(str, value))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {number}" for key, number in value.items())
    return value
