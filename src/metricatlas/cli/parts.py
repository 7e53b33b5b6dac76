"""A prediction file is evaluated part by part; the tables of the parts become one."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import typer

from metricatlas.errors import MeasureError, PredictionError, UndefinedWarning
from metricatlas.evaluation import evaluate
from metricatlas.files import Model, Part, PredictionFile
from metricatlas.measurements import Measurements

#: The place of an example, outside the names of models.
_ROW = re.compile(
    r"'[^']*'|\"[^\"]*\"|\b(?P<where>in|first)(?: row (?P<number>\d+)\b)(?: \(counted from 0\))?"
)
_LACKING = "It is not evaluated for predictions of this kind."
#: What the door for Python calls things, and what they are called here.
_WORDS = (
    (r"\bsample_weight\b", "the weights"),
    (r"\by_true\b", "the truth"),
    (r"\b(labels|pos_label|threshold|kind|measures)=", r"--\1 "),
    (r"--pos_label", "--pos-label"),
    (r"--(\S+)  +", r"--\1 "),
)


def evaluate_file(
    file: PredictionFile,
    measures: Sequence[str] | None,
    *,
    threshold: float | None = None,
    kind: str | None = None,
) -> Measurements:
    """Evaluate every model on its own examples."""
    tables = []
    for part in file.parts:
        with said_here(file, part):
            tables.append(_evaluate(file, part, measures, threshold, kind))
    return tables[0] if len(tables) == 1 else Measurements.concat(_with_same_columns(tables))


def _evaluate(
    file: PredictionFile,
    part: Part,
    measures: Sequence[str] | None,
    threshold: float | None,
    kind: str | None,
) -> Measurements:
    table = evaluate(
        part.truth,
        part.predictions,
        measures=measures,
        sample_weight=part.weight,
        labels=list(file.classes.names),
        pos_label=file.classes.positive,
        threshold=threshold,
        groups=part.groups,
        kind=kind,
    )
    if file.groups is None:
        return table
    keys: dict[str, list[Any]] = {"model": list(table.row_keys["model"])}
    names = [file.groups.names[number] for number in table.row_keys["group"]]
    for place, key in enumerate(file.groups.keys):
        keys[key] = [name[place] for name in names]
    return table.__replace__(row_keys=keys)


@contextmanager
def said_here(file: PredictionFile, part: Part) -> Iterator[None]:
    """Say errors and warnings in the words of the command line."""
    with warnings.catch_warnings():
        # Why cells are undefined is said below the table.
        warnings.simplefilter("ignore", UndefinedWarning)
        warnings.showwarning = lambda message, *_: typer.echo(f"Warning: {message}", err=True)
        try:
            yield
        except PredictionError as error:
            raise PredictionError(in_our_words(str(error), part.models)) from error
        except MeasureError as error:
            raise MeasureError(in_our_words(str(error), part.models) + _kinds(file)) from error


def _kinds(file: PredictionFile) -> str:
    """Which models there are, where a measure may fit some of them."""
    if len({model.kind for model in file.models}) < 2:
        return ""
    kinds = ", ".join(f"{model.name}: {model.kind}" for model in file.models[:8])
    return f" The models are of different kinds ({kinds}); --model chooses some."


def in_our_words(message: str, models: Sequence[Model]) -> str:
    """Arguments of Python's door as options of the command line, rows as those of the file."""
    named = next((m for m in models if f"predictions[{m.name!r}]" in message), None)
    place = (named or models[0]).row
    message = _ROW.sub(lambda found: _row(found, place), message)
    if named is not None:
        message = message.replace(f"predictions[{named.name!r}]", f"model `{named.name}`")
    for pattern, words in _WORDS:
        message = re.sub(pattern, words, message)
    return message


def _row(found: re.Match[str], place: Callable[[int], int]) -> str:
    if found["number"] is None:
        return found[0]
    return f"{found['where']} row {place(int(found['number']))} (counted from 0)"


def _with_same_columns(tables: list[Measurements]) -> list[Measurements]:
    """Tables whose models are of different kinds have different measures by default."""
    if all(table.columns == tables[0].columns for table in tables):
        return tables
    schema = {column.name: column for table in tables for column in table.schema}
    return [_widened(table, list(schema), tuple(schema.values())) for table in tables]


def _widened(table: Measurements, names: list[str], schema: tuple[Any, ...]) -> Measurements:
    place = [names.index(name) for name in table.columns]
    values = np.full((len(table), len(names)), np.nan)
    values[:, place] = table.values
    reasons = {(row, place[column]): why for (row, column), why in table.reasons.items()}
    for column in set(range(len(names))) - set(place):
        reasons |= {(row, column): _LACKING for row in range(len(table))}
    return table.__replace__(
        values=values,
        schema=schema,
        reasons=reasons,
        levels={place[column]: pair for column, pair in table.pairs.items()},
    )
