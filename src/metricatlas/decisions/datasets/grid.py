"""Rows of a table as a grid: which rows are of which model on which data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import DecisionError
from metricatlas.measurements.columns import nearest
from metricatlas.predictions.numbers import listed

if TYPE_CHECKING:
    from metricatlas.measurements import Measurements
    from metricatlas.summaries.facts import Array

Keys = list[str]
#: The row numbers of a model on a data set, by what else names them.
Repeats = dict[tuple[Any, ...], int]


@dataclass(frozen=True, eq=False)
class Grid:
    """Where the rows of each model on each data set are."""

    models: tuple[Any, ...]
    datasets: tuple[Any, ...]
    #: By data set: row numbers, repeats by models.
    rows: list[Array]
    #: By data set: what names its repeats, a value for each further key.
    repeats: list[list[tuple[Any, ...]]]
    #: The keys that name the data sets, and those that name neither them nor the models.
    units: Keys
    further: Keys

    @classmethod
    def of(cls, table: Measurements, units: Keys, players: Keys) -> Grid:
        """Sort the rows of a table by models and data sets, in the order in which they come."""
        further = [key for key in table.row_keys if key not in (*units, *players)]
        names = zip(_parts(table, players), _parts(table, units), strict=True)
        cells: dict[Any, dict[Any, Repeats]] = {}
        for row, ((model, dataset), repeat) in enumerate(
            zip(names, _parts(table, further), strict=True)
        ):
            _check_named(row, (*players, *units), (*model, *dataset))
            there = cells.setdefault(_name(dataset), {}).setdefault(_name(model), {})
            if repeat in there:
                _refuse_twice((there[repeat], row), _name(model), _name(dataset), further)
            there[repeat] = row
        models = tuple(dict.fromkeys(model for cell in cells.values() for model in cell))
        _check_counts(models, tuple(cells), units, players)
        rows = [_aligned(name, cell, models, further) for name, cell in cells.items()]
        repeats = [list(cell[models[0]]) for cell in cells.values()]
        return cls(models, tuple(cells), rows, repeats, units, further)

    def notes(self) -> list[str]:
        """Say what is averaged."""
        sizes = sorted({len(rows) for rows in self.rows})
        if sizes == [1]:
            return []
        many = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,} to {sizes[-1]:,}"
        every = [repeat for repeats in self.repeats for repeat in repeats]
        telling = [
            key for i, key in enumerate(self.further) if varies([repeat[i] for repeat in every])
        ]
        note = (
            f"{many} rows of each model on each data set, told apart by {' and '.join(telling)}, "
            f"are averaged before anything is tested"
        )
        return [note]

    def fold_counts(self, fold: str) -> tuple[int, ...]:
        """How many folds a key names, in each data set, or in all where it names data sets."""
        if fold in self.units:
            place = self.units.index(fold)
            named = self.datasets if len(self.units) == 1 else [n[place] for n in self.datasets]
            return (len(set(named)),)
        place = self.further.index(fold)
        return tuple(len({repeat[place] for repeat in repeats}) for repeats in self.repeats)


def varies(parts: list[Any]) -> bool:
    """Whether not all are the same."""
    return any(part != parts[0] for part in parts)


def checked_keys(there: Keys, asked: Any, option: str) -> Keys:
    """Return the names of keys in a list, or say which keys there are."""
    names = listed(asked)
    for name in names:
        if name not in there:
            msg = f"{option}= must name keys of the rows; got {name!r}{nearest(name, there)}"
            raise DecisionError(msg)
    if not names or len(set(names)) < len(names):
        msg = f"{option}= must name one key, or several different ones; got {asked!r}."
        raise DecisionError(msg)
    return names


def check_apart(units: Keys, players: Keys, fold: Keys) -> None:
    """Check that no key has two parts to play."""
    if len(fold) > 1:
        msg = (
            f"folds= must be the one key that numbers the folds of a cross-validation; got "
            f"{fold!r}. Other keys, such as that of repetitions, need not be named."
        )
        raise DecisionError(msg)
    for name in players:
        if name in (*units, *fold):
            msg = (
                f"the models need a key of their own; {name!r} is named in models= and in "
                f"{'over=' if name in units else 'folds='}."
            )
            raise DecisionError(msg)


def _parts(table: Measurements, keys: Keys) -> list[tuple[Any, ...]]:
    """The values of some keys, row by row."""
    columns = [table.row_keys[key] for key in keys]
    return list(zip(*columns, strict=True)) if keys else [()] * len(table)


def _name(parts: tuple[Any, ...]) -> Any:
    """By one key the name is its value, by several a tuple."""
    return parts[0] if len(parts) == 1 else parts


def _check_named(row: int, keys: tuple[str, ...], parts: tuple[Any, ...]) -> None:
    for key, part in zip(keys, parts, strict=True):
        if part is None or part != part:  # noqa: PLR0124 - finds NaN
            msg = (
                f"every row must have a value of {key!r}; row {row} has {part!r}. Fill or drop it."
            )
            raise DecisionError(msg)


def _refuse_twice(rows: tuple[int, int], model: Any, dataset: Any, further: Keys) -> None:
    same = f", with the same {' and '.join(further)}" if further else ""
    msg = (
        f"rows of one model on one data set must be told apart by a further key; rows {rows[0]} "
        f"and {rows[1]} are both of {model!r} on {dataset!r}{same}. Drop one, or add a key that "
        f"numbers them."
    )
    raise DecisionError(msg)


def _check_counts(models: tuple[Any, ...], datasets: tuple[Any, ...], *keys: Keys) -> None:
    units, players = (" and ".join(names) for names in keys)
    if len(models) < 2:
        msg = (
            f"two models or more are compared; {players} names {len(models)}. Say in models= which "
            f"key names them."
        )
        raise DecisionError(msg)
    if len(datasets) < 2:
        msg = (
            f"a comparison needs two data sets or folds, and a signed rank test six before its "
            f"p-value can be below 0.05; {units} names {len(datasets)}. Say in over= which key "
            f"names them."
        )
        raise DecisionError(msg)


def _aligned(
    dataset: Any, cell: dict[Any, Repeats], models: tuple[Any, ...], further: Keys
) -> Array:
    """Row numbers of a data set, repeats by models; every model must have all repeats."""
    every = dict.fromkeys(repeat for rows in cell.values() for repeat in rows)
    for model in models:
        missing = [repeat for repeat in every if repeat not in cell.get(model, {})]
        if missing:
            named = [f"{key}={part!r}" for key, part in zip(further, missing[0], strict=True)]
            where = " with ".join([repr(dataset), *([", ".join(named)] if named else [])])
            msg = (
                f"every model must have a row wherever another one has; {model!r} has none on "
                f"{where}. Choose complete models and data sets with `.where`, or name all keys in "
                f"which models differ in models=."
            )
            raise DecisionError(msg)
    return np.array([[cell[model][repeat] for model in models] for repeat in cell[models[0]]])
