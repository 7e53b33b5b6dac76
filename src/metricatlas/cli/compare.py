"""``metricatlas compare``: which model of a file wins under which measure, and how sure that is."""

from __future__ import annotations

import contextlib
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metricatlas.cli.evaluate import Kind, check_threshold, split_labels, split_measures
from metricatlas.cli.failures import understood
from metricatlas.cli.letters import one_line
from metricatlas.cli.output import TextFormat, as_csv, for_stdout, number
from metricatlas.cli.patience import patience
from metricatlas.cli.writing import check_target, to_stdout, write_file

if TYPE_CHECKING:
    from metricatlas.decisions.comparing.comparison import Comparison

EXAMPLES = """Examples:

    \b
    metricatlas compare predictions.csv --truth y
    metricatlas compare predictions.csv --truth y -m auc,f1,brier --show pairs
    metricatlas compare predictions.csv --truth y --group fold --cluster patient
    metricatlas compare predictions.csv --truth y --format json --out comparison.json

    CSV has the frame that --show names; JSON has all of them, under their names.

    Exit codes: 0; 1 if the data cannot be compared or the result cannot be written; 2 if the
    command line cannot be understood (an unknown option, measure or module)."""


class Interval(StrEnum):
    """The intervals there are."""

    auto = "auto"
    percentile = "percentile"
    basic = "basic"
    bca = "bca"


class Correction(StrEnum):
    """The corrections there are."""

    holm = "holm"
    hochberg = "hochberg"
    bonferroni = "bonferroni"
    bh = "bh"
    none = "none"


class Show(StrEnum):
    """What there is to see."""

    winners = "winners"
    table = "table"
    pairs = "pairs"
    disagreements = "disagreements"


def compare(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="CSV, TSV, Parquet or Arrow; .gz is fine; - reads stdin."
        ),
    ],
    *,
    truth: Annotated[
        str, typer.Option("--truth", metavar="COLUMN", help="The column of the true classes.")
    ],
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measures", "-m", metavar="LIST", help="As in auc,f1.macro. [default: all that fit]"
        ),
    ] = None,
    show: Annotated[Show, typer.Option(help="What of it, as a table or as CSV.")] = Show.winners,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Folds or data sets: values are means over them."),
    ] = None,
    cluster: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="What belongs together is drawn together."),
    ] = None,
    stratified: Annotated[
        bool, typer.Option("--stratified", help="Draw as many of each class as there are.")
    ] = False,
    interval: Annotated[
        Interval, typer.Option(help="auto: DeLong, Wilson where they hold, else bca.")
    ] = Interval.auto,
    level: Annotated[float, typer.Option(metavar="SHARE", help="Of the intervals.")] = 0.95,
    correction: Annotated[
        Correction, typer.Option(help="Of p-values, for the pairs of models.")
    ] = Correction.holm,
    resamples: Annotated[
        int, typer.Option("--resamples", "-r", metavar="NUMBER", help="How many are drawn.")
    ] = 1000,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of the random numbers.")] = 0,
    pos_label: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The positive class of two.")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="All classes in their order, as in low,middle,high."),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of the examples' weights.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="Positive if the score is greater. [default: 0.5 for probabilities]"),
    ] = None,
    kind: Annotated[
        Kind | None, typer.Option(help="What the predictions are, where the values mislead.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Compare these models only; repeat it."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Leave this column out; may be repeated."),
    ] = None,
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
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not say what was understood.")
    ] = False,
) -> None:
    """Compare models: who wins under which measure, and how surely.

    Files are as for evaluate; all models must have the same examples. These are drawn anew again
    and again, the same ones for all models: "really best" is the share of the draws in which the
    winner is the best of all.
    """
    check_threshold(threshold, kind, labels)
    if out is not None:
        check_target(out, file)
    with patience(f"Reading {file}"):
        from metricatlas.cli.modules import import_modules
        from metricatlas.files import Asked, read_prediction_file

        import_modules(modules or ())
        names = split_measures(measures)
        asked = Asked(
            truth=truth,
            groups=(*(group or ()), *(cluster or ())),
            weight=weight,
            models=tuple(model or ()),
            ignore=tuple(ignore or ()),
            labels=split_labels(labels),
            pos_label=pos_label,
            kind=kind,
        )
        found = read_prediction_file(file, asked)
    if not quiet:
        called = " and ".join(["groups"] * bool(group) + ["clusters"] * bool(cluster))
        typer.echo(one_line(found.description(called)), err=True)
    with patience(f"Comparing the models of {file}", may_compile=True):
        from metricatlas.cli.compared import compare_file, settings_of

        with understood():
            settings = settings_of(
                resamples=resamples,
                seed=seed,
                level=level,
                interval=interval.value,
                correction=correction.value,
                stratified=stratified,
                clustered=bool(cluster),
            )
        # Measures of one's own may print.
        with contextlib.redirect_stdout(sys.stderr):
            result = compare_file(
                found, names, settings, len(group or ()), threshold=threshold, kind=kind
            )
            text = _written(result, output_format, show)
    if out is None:
        to_stdout(for_stdout(text, output_format))
    else:
        write_file(out, text.encode("utf-8", "backslashreplace"))
        typer.echo(one_line(f"Wrote the comparison to {out}."), err=True)


def _written(result: Comparison, asked: TextFormat, show: Show) -> str:
    if asked is TextFormat.json:
        import json

        everything = {name.value: _records(getattr(result, name.value)) for name in Show}
        return json.dumps(everything, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    frame: Any = getattr(result, show.value)
    if asked is TextFormat.csv:
        records = _records(frame)
        rows = [["" if v is None else v for v in record.values()] for record in records]
        return as_csv(list(frame.columns), rows)
    if show is Show.winners:
        from metricatlas.decisions.comparing.text import comparison_as_text

        return f"{comparison_as_text(result, most=len(frame))}\n"
    return f"{frame.to_string(index=False, float_format='{:.4f}'.format, na_rep='-')}\n"


def _records(frame: Any) -> list[dict[str, Any]]:
    """Numbers as JSON knows them."""
    return [
        {key: number(v) if isinstance(v, float) else v for key, v in record.items()}
        for record in frame.to_dict("records")
    ]
