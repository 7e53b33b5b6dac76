"""``metricatlas advise``: which measures to select models with, and which to report."""

from __future__ import annotations

import contextlib
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metricatlas.cli.evaluate import split_labels, split_measures
from metricatlas.cli.failures import understood
from metricatlas.cli.letters import one_line
from metricatlas.cli.output import TextFormat
from metricatlas.cli.patience import patience
from metricatlas.cli.world_options import (
    Auc,
    Confidence,
    Error,
    Gap,
    Modules,
    Names,
    Out,
    Prior,
    Seed,
    Ties,
    given,
    numbers,
    shares,
)
from metricatlas.cli.writing import check_target
from metricatlas.errors import OptionError

if TYPE_CHECKING:
    from metricatlas.decisions.advising.advice import Advice
    from metricatlas.files import PredictionFile

EXAMPLES = """Examples:

    \b
    metricatlas advise --n 300 --prior 0.04 --probabilities
    metricatlas advise --n 300 --label-noise 0.05 --drift --why-not acc
    metricatlas advise predictions.csv --truth y --threshold fixed --read acc auc
    metricatlas advise --costs '0,1;5,0' --show evidence --format csv

    CSV has the frame that --show names, the reasons that --why-not asks for, or the numbers of
    --read; JSON has everything.

    Exit codes: 0; 1 if a file cannot be used or the result cannot be written; 2 if the command line
    cannot be understood (an unknown measure, a profile that cannot be)."""


class Show(StrEnum):
    """What there is to see."""

    select = "select"
    report = "report"
    evidence = "evidence"
    rules = "rules"


def advise(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="Predictions that data are like; needs --truth."),
    ] = None,
    *,
    truth: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The true classes of FILE.")
    ] = None,
    model: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Of FILE these models only; repeat it.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Leave this column of FILE out.")
    ] = None,
    pos_label: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The positive class of two, of FILE.")
    ] = None,
    labels: Annotated[
        str | None, typer.Option(metavar="LIST", help="All classes of FILE in their order.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("--n", metavar="NUMBER", help="Test examples. [default: 100]")
    ] = None,
    prior: Prior = None,
    classes: Annotated[
        int | None, typer.Option(metavar="NUMBER", help="Of classes. [default: 2]")
    ] = None,
    threshold: Annotated[
        str, typer.Option(metavar="WORD", help="free, fixed (at 0.5), or a number.")
    ] = "free",
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Probabilities are used as such.")
    ] = False,
    label_noise: Annotated[
        float, typer.Option(metavar="SHARE", help="The share of wrong labels.")
    ] = 0.0,
    drift: Annotated[bool, typer.Option("--drift", help="Class proportions will change.")] = False,
    lost: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Drift may lose such a share of positives. [0.5]"),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(metavar="ROWS", help="Of mistakes, as in '0,1;5,0'; rows are the truth."),
    ] = None,
    error: Error = None,
    auc: Auc = None,
    gap: Gap = None,
    confidence: Confidence = None,
    ties: Ties = None,
    measures: Names = None,
    measurements: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Relate measures over these models, saved or a table."),
    ] = None,
    keys: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="The columns that name the rows of --measurements."),
    ] = None,
    why_not: Annotated[
        list[str] | None, typer.Option(metavar="MEASURE", help="Why is it not advised? Repeat it.")
    ] = None,
    read: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="F G", help="Can a result in F be read as one in G?"),
    ] = None,
    show: Annotated[
        Show | None, typer.Option(help="One frame; without it the advice in words.")
    ] = None,
    repetitions: Annotated[
        int | None,
        typer.Option("--repetitions", "-r", metavar="NUMBER", help="Test sets. [default: 2000]"),
    ] = None,
    seed: Seed = 0,
    out: Out = None,
    output_format: Annotated[
        TextFormat, typer.Option("--format", "-f", help="How to write the result.")
    ] = TextFormat.table,
    modules: Modules = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not say what was understood.")
    ] = False,
) -> None:
    """Advise which measures to select with, and which to report.

    Draws test sets like yours on which every measure picks one of two models of which one is
    better, probes what moves its values, and looks what it makes of predictions that know nothing.
    What follows is said by rules, which --show rules lists.
    """
    if out is not None:
        check_target(out, file or "")
    data = (model, ignore, pos_label, labels)
    found = _file(file, truth, data, quiet=quiet)
    with patience("Looking for measures", may_compile=True):
        from metricatlas.cli.advice_shown import Asked, deliver
        from metricatlas.cli.modules import import_modules
        from metricatlas.cli.tables import read_measurements
        from metricatlas.measures.language import parse

        import_modules(modules or ())
        names = split_measures(measures)
        with understood():
            # Before anything is simulated.
            for name in (*(why_not or ()), *(read or ())):
                parse(name)
        table = None
        if measurements is not None:
            table = read_measurements(measurements, keys.split(",") if keys else [])
        said = {
            "classes": classes,
            "threshold": _number_or_word(threshold),
            "probabilities": probabilities,
            "label_noise": label_noise,
            "drift": drift if lost is None else lost,
            "costs": _costs(costs),
            "measures": names,
            "measurements": table,
            "repetitions": repetitions,
            "seed": seed,
        }
        words = given(error=error, auc=auc, gap=gap, confidence=confidence, ties=ties)
        # Measures of one's own may print.
        with contextlib.redirect_stdout(sys.stderr):
            result = _advice(found, {"n": n, "prior": shares(prior), **said, **words})
            with understood():
                asked = Asked.of(result, tuple(why_not or ()), read, show and show.value)
    deliver(asked, output_format, out)


def _file(
    path: str | None, truth: str | None, data: tuple[Any, ...], *, quiet: bool
) -> PredictionFile | None:
    """Read a file of predictions, if there is one."""
    model, ignore, pos_label, labels = data
    if path is None:
        options = ("--truth", "--model", "--ignore", "--pos-label", "--labels")
        useless = [o for o, v in zip(options, (truth, *data), strict=True) if v is not None]
        if useless:
            msg = f"{useless[0]} is about a file of predictions; name it, or leave this out."
            raise OptionError(msg)
        return None
    if truth is None:
        raise OptionError("FILE needs --truth COLUMN, the column of the true classes.")
    with patience(f"Reading {path}"):
        from metricatlas.files import Asked, read_prediction_file

        asked = Asked(
            truth=truth,
            models=tuple(model or ()),
            ignore=tuple(ignore or ()),
            labels=split_labels(labels),
            pos_label=pos_label,
        )
        found = read_prediction_file(path, asked)
    if not quiet:
        typer.echo(one_line(found.description()), err=True)
    return found


def _advice(found: PredictionFile | None, said: dict[str, Any]) -> Advice:
    from metricatlas.decisions.advising.advise import advise as advised

    if found is None:
        with understood():
            return advised(**said)
    from metricatlas.cli.parts import said_here
    from metricatlas.decisions.advising.given import given_models
    from metricatlas.errors import DecisionError

    if len(found.parts) > 1:
        names = " and ".join(part.models[0].name for part in found.parts[:2])
        msg = (
            f"models must have the same examples, in the same order; those of {names} differ. "
            f"Choose one with --model."
        )
        raise DecisionError(msg)
    part = found.parts[0]
    classes: dict[str, Any] = {
        "labels": list(found.classes.names),
        "pos_label": found.classes.positive,
    }
    with said_here(found, part):
        # Data that cannot be used are no mistake on the command line.
        given_models(part.truth, part.predictions, **classes)
    with understood():
        return advised(part.truth, part.predictions, **classes, **said)


def _number_or_word(text: str) -> str | float:
    try:
        return float(text)
    except ValueError:
        return text


def _costs(text: str | None) -> list[list[float]] | None:
    """Rows between semicolons, of numbers between commas."""
    if text is None:
        return None
    return [numbers("--costs", row) or [] for row in text.split(";")]
