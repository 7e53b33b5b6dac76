"""``metricatlas power``: how many test examples each measure needs."""

from __future__ import annotations

from typing import Annotated, Any

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
    metricatlas power -m acc,auc,mcc --prior 0.04
    metricatlas power --auc 0.9 --gap 0.02 --sizes 100,1000,10000
    metricatlas power --like predictions.csv --truth y --model rf
    metricatlas power --world label-noise --level 10 --format csv

    CSV and JSON have a row for each measure and size: the share of right choices, its interval, and
    the share of repetitions in which the measure is undefined.

    Exit codes: 0; 1 if a file cannot be used or the result cannot be written; 2 if the command line
    cannot be understood (an unknown world or measure, a profile that cannot be)."""


def power(
    *,
    measures: Names = None,
    sizes: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Numbers of examples. [default: 10,20,40 to 5120]"),
    ] = None,
    share: Annotated[
        float, typer.Option(metavar="SHARE", help="How often the choice must be right.")
    ] = 0.95,
    overlap: Annotated[
        float, typer.Option(metavar="SHARE", help="Of examples that both models see alike.")
    ] = 0.0,
    world: Annotated[
        World | None, typer.Option(metavar="WORLD", help="Noise too: label-noise or another.")
    ] = None,
    level: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="How strong that noise is.")
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
        int, typer.Option("--repetitions", "-r", metavar="NUMBER", help="Test sets of each size.")
    ] = 4_000,
    seed: Seed = 0,
    out: Out = None,
    output_format: Annotated[
        TextFormat, typer.Option("--format", "-f", help="How to write the result.")
    ] = TextFormat.table,
    modules: Modules = None,
) -> None:
    """Tell how many test examples each measure needs.

    Draws test sets of several sizes on which two models are compared, of which one is better in the
    population, and counts how often each measure prefers it. The table shows from which size on it
    does so often enough, the smallest first, with the error of the simulation.
    """
    if out is not None:
        check_target(out, like or "")
    with patience("Simulating test sets", may_compile=True):
        from metricatlas.cli.modules import import_modules
        from metricatlas.cli.worlds_shown import deliver
        from metricatlas.worlds import power as found

        import_modules(modules or ())
        priors = shares(prior)
        real = like_file(like, truth, model, pos_label, priors, ignore=ignore)
        with understood():
            result = found(
                measures=names(measures),
                sizes=_whole(sizes),
                share=share,
                overlap=overlap,
                world=None if world is None else world.value,
                level=level,
                repetitions=repetitions,
                seed=seed,
                shared=shared,
                **given(error=error, auc=auc, gap=gap, confidence=confidence, ties=ties),
                **(real or given(prior=priors)),
            )
    deliver(result, output_format, out)


def _whole(text: str | None) -> Any:
    """Sizes; what is no whole number is refused by those who know why."""
    found = numbers("--sizes", text)
    return found and [int(size) if size.is_integer() else size for size in found]
