"""``metricatlas simulate``: how often measures pick the worse of two models."""

from __future__ import annotations

from typing import Annotated

import typer

from metricatlas.cli.failures import understood
from metricatlas.cli.output import TextFormat
from metricatlas.cli.patience import patience
from metricatlas.cli.world_options import (
    Auc,
    Confidence,
    Error,
    Gap,
    Ignored,
    LikeFile,
    ModelName,
    Modules,
    Names,
    Out,
    PosLabel,
    Prior,
    Seed,
    Shared,
    Ties,
    Truth,
    World,
    given,
    like_file,
    names,
    numbers,
    shares,
)
from metricatlas.cli.writing import check_target

EXAMPLES = """Examples:

    \b
    metricatlas simulate label-noise
    metricatlas simulate label-noise --n 300 --prior 0.04 -m acc,auc,mcc
    metricatlas simulate label-noise class-drift --prior .7,.2,.1
    metricatlas simulate label-noise --like predictions.csv --truth y
    metricatlas simulate ranking-noise --levels 0,40,80 --format csv

    CSV and JSON have a row for each measure and level: the share of wrong choices, its interval,
    and the share of repetitions in which the measure is undefined.

    Exit codes: 0; 1 if a file cannot be used or the result cannot be written; 2 if the command line
    cannot be understood (an unknown world or measure, a profile that cannot be)."""


def simulate(
    worlds: Annotated[
        list[World],
        typer.Argument(metavar="WORLDS", help="What is disturbed, one or several."),
    ],
    *,
    measures: Names = None,
    levels: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Percent; 0 to 80 swaps; 0 to 50 lost. [default: all]"),
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", metavar="NUMBER", help="Examples. [default: 100]")
    ] = None,
    prior: Prior = None,
    error: Error = None,
    auc: Auc = None,
    gap: Gap = None,
    confidence: Confidence = None,
    ties: Ties = None,
    shared: Shared = False,
    like: LikeFile = None,
    truth: Truth = None,
    model: ModelName = None,
    ignore: Ignored = None,
    pos_label: PosLabel = None,
    repetitions: Annotated[
        int, typer.Option("--repetitions", "-r", metavar="NUMBER", help="Pairs of models.")
    ] = 10_000,
    seed: Seed = 0,
    out: Out = None,
    output_format: Annotated[
        TextFormat, typer.Option("--format", "-f", help="How to write the result.")
    ] = TextFormat.table,
    modules: Modules = None,
) -> None:
    """Simulate how reliably measures tell the better model.

    Draws pairs of models of which one is better, disturbs both, and counts how often each measure
    prefers the worse one. The table shows the average over the levels of disturbance, and over the
    worlds if there are several, the most reliable measure first; measures of one group cannot be
    told apart. The worlds are label-noise, probability-noise, ranking-noise and class-drift.
    """
    if out is not None:
        check_target(out, like or "")
    with patience(f"Simulating {', '.join(worlds)}", may_compile=True):
        from metricatlas.cli.modules import import_modules
        from metricatlas.cli.worlds_shown import deliver
        from metricatlas.worlds import simulate as simulated

        import_modules(modules or ())
        share = shares(prior)
        real = like_file(like, truth, model, pos_label, share, ignore=ignore)
        with understood():
            result = simulated(
                worlds[0].value if len(worlds) == 1 else [world.value for world in worlds],
                measures=names(measures),
                levels=numbers("--levels", levels),
                repetitions=repetitions,
                seed=seed,
                shared=shared,
                **given(n=n, error=error, auc=auc, gap=gap, confidence=confidence, ties=ties),
                **(real or given(prior=share)),
            )
    deliver(result, output_format, out)
