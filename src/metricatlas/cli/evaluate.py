"""``metricatlas evaluate``: a file of predictions in, measurements out."""

from __future__ import annotations

import contextlib
import math
import sys
from enum import StrEnum
from typing import Annotated

import typer

from metricatlas.cli.failures import understood
from metricatlas.cli.letters import one_line
from metricatlas.cli.output import Destination, Format
from metricatlas.cli.patience import patience
from metricatlas.errors import OptionError

EXAMPLES = """Examples:

    \b
    metricatlas evaluate predictions.csv --truth y
    metricatlas evaluate predictions.csv --truth diagnosis --pos-label malignant
    metricatlas evaluate predictions.parquet --truth y --group fold -m mcc@ks
    metricatlas evaluate predictions.csv.gz --truth y --out measurements.parquet

    JSON is a list of records: the keys, the measures (null where undefined, "inf" where infinite),
    and under "undefined" the reasons. CSV leaves undefined cells empty.

    Exit codes: 0; 1 if the data cannot be evaluated or the result cannot be written; 2 if the
    command line cannot be understood (an unknown option, measure or module, options that
    contradict each other)."""


class Kind(StrEnum):
    """What predictions may be."""

    labels = "labels"
    scores = "scores"
    probabilities = "probabilities"


def evaluate(
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
            "--measures",
            "-m",
            metavar="LIST",
            help="Measures, as in auc,f1.macro,ppv@ks; may be repeated. [default: all that fit]",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Evaluate within every value of this column; may be repeated."
        ),
    ] = None,
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
        typer.Option(metavar="NAME", help="Evaluate this model only; may be repeated."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Leave this column out; may be repeated."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FILE", help="Write to this file.")
    ] = None,
    output_format: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="[default: by the ending of --out, else table]"),
    ] = None,
    modules: Annotated[
        list[str] | None,
        typer.Option(
            "--import", metavar="MODULE", help="Import one's own measures, as in my_package.mine."
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not say what was understood.")
    ] = False,
) -> None:
    """Evaluate the models of a file under one, some or all measures.

    Wide files have a row for each example, with the truth and, for each model, one column MODEL
    (labels, or scores of the positive class) or a column MODEL:CLASS for every class. Of a model
    without a name the columns are CLASS alone. Long files have the columns model, the truth, and
    one column for every class, named as the class. What was understood is said on stderr; the
    result alone goes to stdout.
    """
    check_threshold(threshold, kind, labels)
    destination = Destination.of(output_format, out, file)
    with patience(f"Reading {file}"):
        from metricatlas.cli.modules import import_modules
        from metricatlas.files import Asked, read_prediction_file

        import_modules(modules or ())
        names = split_measures(measures)
        asked = Asked(
            truth=truth,
            groups=tuple(group or ()),
            weight=weight,
            models=tuple(model or ()),
            ignore=tuple(ignore or ()),
            labels=split_labels(labels),
            pos_label=pos_label,
            kind=kind,
        )
        found = read_prediction_file(file, asked)
    if not quiet:
        typer.echo(one_line(found.description()), err=True)
    with patience(f"Evaluating {file}", may_compile=True):
        from metricatlas.cli.parts import evaluate_file
        from metricatlas.cli.undefined import undefined_note

        # Measures of one's own may print.
        with contextlib.redirect_stdout(sys.stderr):
            table = evaluate_file(found, names, threshold=threshold, kind=kind)
    destination.write(table)
    note = undefined_note(table)
    if note and not quiet:
        typer.echo(note, err=True)


def split_measures(lists: list[str] | None) -> list[str] | None:
    """Every name of every list, checked before the file is read."""
    if not lists:
        return None
    from metricatlas.measures.language import parse, split_list

    with understood():
        names = [name for text in lists for name in split_list(text)]
        if "" in names:
            msg = (
                f"--measures must name a measure between commas; got {', '.join(lists)!r}. Leave "
                f"out the comma that has none before or behind it."
            )
            raise OptionError(msg)
        for name in names:
            parse(name)
    return names


def check_threshold(threshold: float | None, kind: Kind | None, labels: str | None) -> None:
    """Refuse a threshold where there is nothing that it could cut."""
    if threshold is None:
        return
    if math.isnan(threshold):
        msg = "--threshold must be a number t, for positive if the score is above t; got nan."
        raise OptionError(msg)
    if kind is Kind.labels:
        msg = "--threshold is for scores and probabilities; got --kind labels too. Leave one out."
        raise OptionError(msg)
    if len(split_labels(labels)) > 2:
        msg = "--threshold is for two classes; --labels names more. Leave one out."
        raise OptionError(msg)


def split_labels(text: str | None) -> tuple[str, ...]:
    """Class names at commas; one that holds a comma stands in double quotes."""
    if text is None:
        return ()
    import csv

    names = tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True), ()))
    if not all(names) or not names:
        msg = f"--labels must name all classes, as in low,middle,high; got {text!r}."
        raise OptionError(msg)
    return names
