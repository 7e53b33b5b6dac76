"""``metricatlas thresholds``: where to cut the scores of models, and what that is worth."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metricatlas.cli.evaluate import Kind, check_threshold, split_labels
from metricatlas.cli.failures import understood
from metricatlas.cli.letters import one_line
from metricatlas.cli.output import TextFormat, as_csv, as_json, for_stdout, number
from metricatlas.cli.patience import patience
from metricatlas.cli.writing import check_target, to_stdout, write_file
from metricatlas.errors import OptionError

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.threshold_table import Thresholds

EXAMPLES = """Examples:

    \b
    metricatlas thresholds predictions.csv --truth y
    metricatlas thresholds predictions.csv --truth y -g "f1,ppv>=0.9"
    metricatlas thresholds predictions.csv --truth y -g "recall where fpr<=1%" --cluster patient

    Signs such as > stand in quotes, because shells understand them otherwise. CSV and JSON have a
    row for each model, goal and measure that tells of it.

    Exit codes: 0; 1 if the data have no thresholds or the result cannot be written; 2 if the
    command line cannot be understood (an unknown option, goal or module)."""


def thresholds(
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
    goals: Annotated[
        list[str] | None,
        typer.Option(
            "--goals", "-g", metavar="LIST", help='As in "f1,ppv>=0.9". [default: f1,gmean,mcc]'
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(metavar="NUMBER", help="Parts; each is judged by the others' choice.")
    ] = 5,
    repeats: Annotated[
        int, typer.Option(metavar="NUMBER", help="How many times parts are made.")
    ] = 10,
    cluster: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="What belongs together stays together."),
    ] = None,
    stratified: Annotated[
        bool, typer.Option("--stratified", help="Draw as many of each class as there are.")
    ] = False,
    level: Annotated[float, typer.Option(metavar="SHARE", help="Of the intervals.")] = 0.95,
    resamples: Annotated[
        int, typer.Option("--resamples", "-r", metavar="NUMBER", help="How many are drawn.")
    ] = 1000,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of the random numbers.")] = 0,
    pos_label: Annotated[
        str | None, typer.Option(metavar="CLASS", help="The positive class of two.")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Both classes in their order, as in well,sick."),
    ] = None,
    weight: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of the examples' weights.")
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(help="The one in use, to compare with. [default: 0.5 for probabilities]"),
    ] = None,
    kind: Annotated[
        Kind | None, typer.Option(help="What the predictions are, where the values mislead.")
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Choose for this model only; repeat it."),
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
    """Choose thresholds, and say what they are worth.

    Files are as for evaluate; models give scores or probabilities of two classes. The apparent
    value is that on the examples which chose the threshold, the honest one that on others.
    """
    check_threshold(threshold, kind, labels)
    if out is not None:
        check_target(out, file)
    with patience(f"Reading {file}"):
        from metricatlas.cli.modules import import_modules
        from metricatlas.files import Asked, read_prediction_file

        import_modules(modules or ())
        asked_goals = _split_goals(goals)
        asked = Asked(
            truth=truth,
            groups=tuple(cluster or ()),
            weight=weight,
            models=tuple(model or ()),
            ignore=tuple(ignore or ()),
            labels=split_labels(labels),
            pos_label=pos_label,
            kind=kind,
        )
        found = read_prediction_file(file, asked)
    if not quiet:
        typer.echo(one_line(found.description("clusters")), err=True)
    with patience(f"Choosing thresholds for {file}", may_compile=True):
        from metricatlas.cli.chosen import thresholds_of_file

        # Measures of one's own may print.
        with contextlib.redirect_stdout(sys.stderr):
            results = thresholds_of_file(
                found,
                goals=asked_goals,
                folds=folds,
                repeats=repeats,
                stratified=stratified,
                level=level,
                resamples=resamples,
                seed=seed,
                threshold=threshold,
                kind=kind,
            )
    text = _written(results, output_format)
    if out is None:
        to_stdout(for_stdout(text, output_format))
    else:
        write_file(out, text.encode("utf-8", "backslashreplace"))
        typer.echo(one_line(f"Wrote the thresholds to {out}."), err=True)


def _split_goals(lists: list[str] | None) -> list[str] | None:
    """Every goal of every list, checked before the file is read."""
    if not lists:
        return None
    from metricatlas.decisions.cutting.goals import goal_of
    from metricatlas.evaluation.task import Task
    from metricatlas.measures.language import split_list

    # Costs that name their classes fit none but the file's.
    task = Task("scores", (0, 1), decided=False, whole=True)
    with understood():
        names = [name.strip() for text in lists for name in split_list(text)]
        if "" in names:
            msg = (
                f"--goals must name a goal between commas; got {', '.join(lists)!r}. Leave out the "
                f"comma that has none before or behind it."
            )
            raise OptionError(msg)
        for name in names:
            if "costs" not in name:
                goal_of(name, task)
    return names


def _written(results: list[Thresholds], asked: TextFormat) -> str:
    if asked is TextFormat.table:
        return "\n\n".join(map(repr, results)) + "\n"
    records: list[dict[str, Any]] = [
        {str(key): number(v) if isinstance(v, float) else v for key, v in record.items()}
        for result in results
        for record in result.table.to_dict("records")
    ]
    if asked is TextFormat.json:
        return as_json(records)
    rows = [["" if v is None else v for v in record.values()] for record in records]
    return as_csv(list(records[0]), rows)
