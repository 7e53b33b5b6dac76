"""Options that say what a world is like: those of ``simulate`` and of ``power``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from metricatlas.cli.failures import understood
from metricatlas.cli.letters import one_line
from metricatlas.errors import FileError, OptionError


class World(StrEnum):
    """The worlds there are."""

    label_noise = "label-noise"
    probability_noise = "probability-noise"
    ranking_noise = "ranking-noise"
    class_drift = "class-drift"


Names = Annotated[
    list[str] | None,
    typer.Option("--measures", "-m", metavar="LIST", help="As in auc,f1@best. [default: all]"),
]
Prior = Annotated[
    str | None,
    typer.Option(metavar="SHARES", help="Of positives, or of classes as .7,.2,.1. [default: 0.5]"),
]
Error = Annotated[
    float | None, typer.Option(metavar="SHARE", help="Of the better model. [default: 0.05]")
]
Auc = Annotated[
    float | None, typer.Option(metavar="NUMBER", help="Of the better model, instead of --error.")
]
Gap = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="What the other has more, or less AUC. [default: 0.05]"),
]
Confidence = Annotated[
    float | None, typer.Option(metavar="FACTOR", help="Of the log-odds; above 1 too sure.")
]
Ties = Annotated[
    float | None, typer.Option(metavar="SHARE", help="Share of tied pairs. [default: 0]")
]
Shared = Annotated[bool, typer.Option("--shared", help="Both models meet the same noise.")]
LikeFile = Annotated[
    str | None,
    typer.Option("--like", metavar="FILE", help="Be like these predictions; needs --truth."),
]
Truth = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="The true classes of --like's file.")
]
ModelName = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="The model of --like's file.")
]
Ignored = Annotated[
    list[str] | None,
    typer.Option("--ignore", metavar="COLUMN", help="Leave out of --like's file; repeat it."),
]
PosLabel = Annotated[
    str | None, typer.Option(metavar="CLASS", help="The positive class of --like's file.")
]
Seed = Annotated[int, typer.Option(metavar="NUMBER", help="Of the random numbers.")]
Out = Annotated[str | None, typer.Option("--out", "-o", metavar="FILE", help="Write to this file.")]
Modules = Annotated[
    list[str] | None,
    typer.Option("--import", metavar="MODULE", help="Import one's own measures first."),
]


def numbers(option: str, text: str | None) -> list[float] | None:
    """Numbers between commas."""
    if text is None:
        return None
    try:
        return [float(number) for number in text.split(",")]
    except ValueError as error:
        msg = f"{option} must be numbers between commas, as in 0.25,0.5; got {text!r}."
        raise OptionError(msg) from error


def names(lists: list[str] | None) -> list[str] | None:
    """Names of measures in lists."""
    if not lists:
        return None
    from metricatlas.measures.language import split_list

    with understood():
        return [name for text in lists for name in split_list(text)]


def shares(text: str | None) -> float | list[float] | None:
    """The share of positives, or of each class."""
    found = numbers("--prior", text)
    return found[0] if found is not None and len(found) == 1 else found


def given(**words: float | list[float] | None) -> dict[str, Any]:
    """Those words of a profile that are said."""
    return {name: value for name, value in words.items() if value is not None}


def like_file(
    path: str | None,
    truth: str | None,
    model: str | None,
    pos_label: str | None,
    prior: Any,
    *,
    ignore: list[str] | None = None,
) -> dict[str, Any]:
    """The words of a profile that are taken from a file, if there is one."""
    if path is None:
        about = {
            "--truth": truth,
            "--model": model,
            "--pos-label": pos_label,
            "--ignore": ignore,
        }
        useless = [option for option, value in about.items() if value is not None]
        if useless:
            msg = f"{useless[0]} is about the file of --like; say which with --like FILE."
            raise OptionError(msg)
        return {}
    if truth is None:
        msg = "--like needs --truth COLUMN, the column of the true classes."
        raise OptionError(msg)
    from metricatlas.files import Asked, read_prediction_file
    from metricatlas.worlds.like import Like
    from metricatlas.worlds.profile import shares_of

    with understood():
        priors = None if prior is None else shares_of(prior)
    asked = Asked(
        truth=truth,
        models=() if model is None else (model,),
        ignore=tuple(ignore or ()),
        pos_label=pos_label,
    )
    found = read_prediction_file(path, asked)
    typer.echo(one_line(found.description()), err=True)
    if len(found.models) != 1:
        msg = (
            f"--like must be the predictions of one model; {found.name} has "
            f"{', '.join(one.name for one in found.models)}. Choose one with --model."
        )
        raise FileError(msg)
    ((part, chosen),) = ((part, one) for part in found.parts for one in part.models)
    classes = found.classes
    like = Like.of(
        (part.truth, chosen.values),
        priors,
        labels=list(classes.names),
        pos_label=classes.positive,
    )
    return {"like": like}
