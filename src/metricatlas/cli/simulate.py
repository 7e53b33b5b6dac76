"""``metricatlas simulate``: how often measures pick the worse of two models."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metricatlas.cli.failures import understood
from metricatlas.cli.output import TextFormat, as_csv, as_json, for_stdout
from metricatlas.cli.patience import patience
from metricatlas.cli.writing import check_target, to_stdout, write_file
from metricatlas.errors import OptionError

if TYPE_CHECKING:
    from metricatlas.worlds import Reliability

EXAMPLES = """Examples:

    \b
    metricatlas simulate label-noise
    metricatlas simulate label-noise --n 300 --prior 0.04 -m acc,auc,mcc
    metricatlas simulate ranking-noise --levels 0,40,80 --format csv

    CSV and JSON have a row for each measure and level: the share of wrong choices, its interval,
    and the share of repetitions in which the measure is undefined.

    Exit codes: 0; 1 if the result cannot be written; 2 if the command line cannot be understood (an
    unknown world or measure, a profile that cannot be)."""


class World(StrEnum):
    """The worlds there are."""

    label_noise = "label-noise"
    probability_noise = "probability-noise"
    ranking_noise = "ranking-noise"
    class_drift = "class-drift"


def simulate(
    world: Annotated[World, typer.Argument(help="What is disturbed.")],
    *,
    measures: Annotated[
        list[str] | None,
        typer.Option("--measures", "-m", metavar="LIST", help="As in auc,f1@best. [default: all]"),
    ] = None,
    levels: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Percent; 0 to 80 swaps; 0 to 50 lost. [default: all]"),
    ] = None,
    n: Annotated[int, typer.Option("--n", metavar="NUMBER", help="Examples.")] = 100,
    prior: Annotated[float, typer.Option(metavar="SHARE", help="Share of positives.")] = 0.5,
    error: Annotated[float, typer.Option(metavar="SHARE", help="Of the better model.")] = 0.05,
    gap: Annotated[float, typer.Option(metavar="SHARE", help="What the other has more.")] = 0.05,
    confidence: Annotated[
        float, typer.Option(metavar="FACTOR", help="Of the log-odds; above 1 too sure.")
    ] = 1.0,
    ties: Annotated[float, typer.Option(metavar="SHARE", help="Share of tied pairs.")] = 0.0,
    shared: Annotated[
        bool, typer.Option("--shared", help="Both models meet the same noise.")
    ] = False,
    repetitions: Annotated[
        int, typer.Option("--repetitions", "-r", metavar="NUMBER", help="Pairs of models.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of the random numbers.")] = 0,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
    output_format: Annotated[
        TextFormat, typer.Option("--format", "-f", help="How to write the result.")
    ] = TextFormat.table,
    modules: Annotated[
        list[str] | None,
        typer.Option("--import", metavar="MODULE", help="Import one's own measures first."),
    ] = None,
) -> None:
    """Simulate how reliably measures tell the better of two models.

    Draws pairs of models of which one is better, disturbs both, and counts how often each measure
    prefers the worse one. The table shows the average over the levels of disturbance, the most
    reliable measure first; measures of one group cannot be told apart.
    """
    if out is not None:
        check_target(out, "")
    with patience(f"Simulating {world.value}", may_compile=True):
        from metricatlas.cli.modules import import_modules
        from metricatlas.worlds import simulate as simulated

        import_modules(modules or ())
        with understood():
            result = simulated(
                world.value,
                measures=_names(measures),
                levels=_numbers(levels),
                repetitions=repetitions,
                seed=seed,
                n=n,
                prior=prior,
                error=error,
                gap=gap,
                confidence=confidence,
                ties=ties,
                shared=shared,
            )
    text = _written(result, output_format)
    if out is None:
        to_stdout(for_stdout(text, output_format))
    else:
        write_file(out, text.encode("utf-8", "backslashreplace"))
        typer.echo(f"Wrote {len(result.names):,} measures to {out}.", err=True)


def _names(lists: list[str] | None) -> list[str] | None:
    if not lists:
        return None
    from metricatlas.measures.language import split_list

    with understood():
        return [name for text in lists for name in split_list(text)]


def _numbers(text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(number) for number in text.split(",")]
    except ValueError as error:
        msg = f"--levels must be numbers between commas, as in 0,25,50; got {text!r}."
        raise OptionError(msg) from error


def _written(result: Reliability, asked: TextFormat) -> str:
    if asked is TextFormat.table:
        return _table(result)
    frame: Any = result.wrong
    if asked is TextFormat.csv:
        return as_csv(list(frame.columns), frame.to_numpy().tolist())
    return as_json(frame.to_dict("records"))


def _table(result: Reliability) -> str:
    """The ranking, with the profile above it."""
    ranking: Any = result.ranking()
    width = max(7, *(len(name) for name in ranking["measure"]))
    at = ", ".join(f"{level:g}" for level in result.levels)
    profile = result.profile
    lines = [
        f"{result.world}, levels {at}:",
        f"{result.repetitions:,} pairs of models, n {profile.n}, prior {profile.prior:g}",
        "",
        f"{'measure':{width}}   wrong  95 % interval   group",
    ]
    for line in ranking.itertuples(index=False):
        share = f"{line.wrong:.4f}  {line.low:.4f} .. {line.high:.4f}"
        lines.append(f"{line.measure:{width}}  {share}  {line.group:4}")
    return "\n".join([*lines, ""])
