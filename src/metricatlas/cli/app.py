"""The program, its commands, and what happens when something goes wrong."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from metricatlas.cli import (
    advise,
    catalogue,
    compare,
    data,
    evaluate,
    power,
    relate,
    simulate,
    thresholds,
)
from metricatlas.cli.failures import BAD_DATA, drop_output, refused_by_system, reported


class Program(TyperGroup):
    """The commands, none of which ever ends in a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with reported():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Program,
    name="metricatlas",
    # Plain help needs no rich, which costs as much time as all the rest.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"metricatlas {version('metricatlas')}")
        raise typer.Exit


@app.callback(
    epilog="""Examples:

    \b
    metricatlas evaluate predictions.csv --truth y
    metricatlas evaluate predictions.parquet --truth y -m auc,mcc --group fold
    metricatlas compare predictions.csv --truth y
    metricatlas thresholds predictions.csv --truth y
    metricatlas relate measurements.parquet
    metricatlas simulate label-noise --n 300 --prior 0.04
    metricatlas power --auc 0.9 --gap 0.02 -m auc,brier
    metricatlas advise --n 300 --prior 0.04 --probabilities
    metricatlas catalogue mcc
    metricatlas data list

    'metricatlas COMMAND --help' tells more of each command."""
)
def _program(
    *,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Evaluates classifiers under every performance measure at once."""


app.command(epilog=evaluate.EXAMPLES)(evaluate.evaluate)
app.command(epilog=compare.EXAMPLES)(compare.compare)
app.command(epilog=thresholds.EXAMPLES)(thresholds.thresholds)
app.command(epilog=relate.EXAMPLES)(relate.relate)
app.command(epilog=simulate.EXAMPLES)(simulate.simulate)
app.command(epilog=power.EXAMPLES)(power.power)
app.command(epilog=advise.EXAMPLES)(advise.advise)
app.command(epilog=catalogue.EXAMPLES)(catalogue.catalogue)
app.add_typer(data.app)


def main() -> None:
    """Run the program; it ends with exit code 0, 1 for bad data, 2 for bad usage."""
    for stream in (sys.stdout, sys.stderr):
        # Signs that a terminal does not know are no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # A closed stream is None. What is said is then lost, but a result must not be.
    sys.stdout = sys.stdout or _Closed()
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - to the end
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except OSError as error:
        drop_output()
        with contextlib.suppress(OSError):
            sys.stderr.write(f"{refused_by_system(error)}\n")
        sys.exit(BAD_DATA)


class _Closed(io.TextIOBase):
    """Stands for a stream that was closed before the program began."""

    def write(self, _text: str) -> int:
        """Fail as a closed file does."""
        raise OSError(errno.EBADF, "it is closed")
