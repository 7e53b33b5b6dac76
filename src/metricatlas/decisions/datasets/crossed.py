"""Measurements as tests over data sets read them: a value for every model on every data set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.datasets.grid import Grid, check_apart, checked_keys
from metricatlas.decisions.datasets.mean_ranks import ranks_of
from metricatlas.decisions.datasets.rounding import settled
from metricatlas.errors import DecisionError
from metricatlas.measurements import Measurements
from metricatlas.measurements.choosing import take_places
from metricatlas.measurements.frames import unrepeated
from metricatlas.measurements.sheet import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.summaries.facts import Array

EPSILON = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Contest:
    """All models under one measure, on the data sets on which it is defined for all of them."""

    name: str
    #: Data sets by models, as measured.
    measured: Array
    #: The same, turned so that higher is better.
    values: Array
    #: Numbers that order the models of a data set; of a two-level measure as its pairs do.
    ordinal: Array
    #: So much may two differences differ by rounding alone.
    noise: float

    @property
    def datasets(self) -> int:
        """The number of data sets."""
        return len(self.values)

    @property
    def enough(self) -> bool:
        """Whether anything can be tested."""
        return len(self.values) > 1

    def differences(self, one: int, other: int) -> Array:
        """How much better one model is than another, by data set."""
        return differences(self.values[:, one], self.values[:, other])

    @cached_property
    def ranks(self) -> Array:
        """Data sets by models: 1 for the best."""
        return ranks_of(self.ordinal)

    @property
    def mean_ranks(self) -> Array:
        """The mean rank of each model."""
        return _mean(self.ranks) if self.enough else np.full(self.values.shape[1], np.nan)

    @property
    def means(self) -> Array:
        """The mean value of each model, as measured."""
        return _mean(np.sort(self.measured, axis=0))

    @property
    def wins(self) -> Array:
        """On how many data sets no other model is better than each."""
        best = self.ordinal.max(axis=1, keepdims=True, initial=-np.inf)
        return (self.ordinal == best).sum(axis=0)


@dataclass(frozen=True, eq=False)
class Crossed:
    """Models crossed with data sets."""

    models: tuple[Any, ...]
    datasets: tuple[Any, ...]
    contests: tuple[Contest, ...]
    #: For each data set the rows of each model, repeats by models by measures, oriented.
    repeats: tuple[Array, ...]
    #: How many folds there are, in each data set, or in all where the data sets are the folds.
    folds: tuple[int, ...] | None
    #: Whether the data sets are folds of one.
    of_folds: bool
    notes: tuple[str, ...]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of models, by their numbers."""
        return list(combinations(range(len(self.models)), 2))

    def starts(self, contest: Contest) -> list[tuple[Any, ...]]:
        """What a row of each pair begins with: the measure and both models."""
        return [(contest.name, self.models[one], self.models[other]) for one, other in self.pairs]


def _mean(values: Array) -> Array:
    """The mean over data sets, if there are any."""
    with np.errstate(invalid="ignore"):
        return values.sum(axis=0) / len(values) if len(values) else np.full(values.shape[1], np.nan)


def differences(one: Array, other: Array) -> Array:
    """One minus other; nothing where both are infinite in the same way."""
    with np.errstate(invalid="ignore"):
        return np.where(one == other, 0.0, one - other)


def noise_of(values: Array, repeats: int) -> float:
    """How much differences of means of so many values may differ by rounding alone."""
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    return (2 * repeats + 2) * EPSILON * float(largest)


def crossed(table: Any, over: Any, models: Any, measures: Any, folds: Any) -> Crossed:
    """Read a table; see `across`."""
    if not isinstance(table, Measurements):
        msg = (
            f"models are compared over data sets by Measurements; got {type(table).__name__}. "
            f"`Measurements.from_frame(frame, keys=[...])` makes them of a frame."
        )
        raise DecisionError(msg)
    there = list(table.row_keys)
    units, players = checked_keys(there, over, "over"), checked_keys(there, models, "models")
    fold = [] if folds is None else checked_keys(there, folds, "folds")
    check_apart(units, players, fold)
    chosen, notes = _sided(table if measures is None else table.select(measures), measures)
    grid = Grid.of(chosen, units, players)
    oriented = chosen.oriented().values
    blocks = [_Block.of(chosen, oriented, rows) for rows in grid.rows]
    names = unrepeated(chosen.columns)
    contests = [_contest(place, name, blocks) for place, name in enumerate(names)]
    _check_contests(contests, len(blocks))
    return Crossed(
        grid.models,
        grid.datasets,
        tuple(contests),
        tuple(block.values for block in blocks),
        grid.fold_counts(fold[0]) if fold else None,
        bool(fold) and fold[0] in units,
        (
            *notes,
            *grid.notes(),
            *_left_out(contests, blocks),
            *(_pair_note(contests[place]) for place in chosen.pairs),
        ),
    )


def _sided(table: Measurements, asked: Any) -> tuple[Measurements, list[str]]:
    """The columns of which some values are better than others."""
    sideless = [c.name for c in table.schema if c.better == "neither"]
    kept = [i for i, c in enumerate(table.schema) if c.better != "neither"]
    if sideless and (asked is not None or not kept):
        msg = (
            f"models are compared by measures of which some values are better than others; of "
            f"{sideless[0]!r} none is. Leave it out of measures=."
        )
        raise DecisionError(msg)
    if not kept:
        msg = "there must be a measure to compare models by; got none."
        raise DecisionError(msg)
    note = f"left out, because no value is better than another: {', '.join(sideless)}"
    return take_places(table, kept), [note] if sideless else []


@dataclass(frozen=True, eq=False)
class _Block:
    """One data set: its oriented values, repeats by models by measures, and means over repeats."""

    values: Array
    #: Repeats by measures: whether the measure is defined for all models.
    defined: Array
    measured: Array
    means: Array
    ordinal: Array

    @classmethod
    def of(cls, table: Measurements, oriented: Array, rows: Array) -> _Block:
        values = oriented[rows]
        defined: Any = ~np.isnan(values).any(axis=1)
        for column, levels in table.pairs.items():
            defined[:, column] &= ~np.isnan(levels[rows]).any(axis=(1, 2))
        means = _means(values, defined)
        ordinal = means.copy()
        for column, levels in table.pairs.items():
            ordinal[:, column] = _places(_means(levels[rows], defined[:, [column, column]]))
        return cls(values, defined, _means(table.values[rows], defined), means, ordinal)


def _means(values: Array, defined: Array) -> Array:
    """Average over repeats, whatever their order; what differs by rounding alone becomes equal."""
    if len(values) == 1:
        return np.where(defined[0], values[0], np.nan)
    filled = np.sort(np.where(defined[:, np.newaxis], values, 0.0), axis=0)
    with np.errstate(invalid="ignore"):
        means = filled.sum(axis=0) / defined.sum(axis=0)
    noise = [noise_of(column, len(values)) for column in np.moveaxis(filled, 2, 0)]
    return settled(means, np.array(noise))


def _places(levels: Array) -> Array:
    """Numbers that order rows as their pairs do."""
    places = np.unique(levels, axis=0, return_inverse=True)[1].ravel().astype(np.float64)
    places[np.isnan(levels).any(axis=1)] = np.nan
    return places


def _contest(place: int, name: str, blocks: Sequence[_Block]) -> Contest:
    measured, values, ordinal = (
        np.stack([getattr(block, part)[:, place] for block in blocks])
        for part in ("measured", "means", "ordinal")
    )
    kept = ~np.isnan(values).any(axis=1)
    noise = noise_of(values, max(len(block.values) for block in blocks))
    return Contest(name, measured[kept], values[kept], ordinal[kept], noise)


def _check_contests(contests: Sequence[Contest], count: int) -> None:
    if any(contest.enough for contest in contests):
        return
    most = max(contest.datasets for contest in contests)
    msg = (
        f"a measure must be defined for all models on two data sets or more; got {most} of {count} "
        f"at most. `.reason(row, column)` of the measurements says why values are undefined."
    )
    raise DecisionError(msg)


def _left_out(contests: Sequence[Contest], blocks: Sequence[_Block]) -> list[str]:
    """Say where measures are undefined."""
    notes = []
    for place, contest in enumerate(contests):
        gone = len(blocks) - contest.datasets
        known = [block.defined[:, place] for block in blocks]
        parts = sum(int((~defined).sum()) for defined in known if defined.any())
        if gone:
            few = "" if contest.enough else ", so that nothing can be tested"
            notes.append(
                f"{contest.name} is undefined for a model on {gone} of "
                f"{counted(len(blocks), 'data set')}, left out for all models{few}"
            )
        if parts:
            notes.append(
                f"{contest.name} is undefined for a model in {counted(parts, 'repeat')}, left out "
                f"of the averages of all models"
            )
    return notes


def _pair_note(contest: Contest) -> str:
    """Say what a number in place of a pair changes."""
    one, other = np.triu_indices(contest.values.shape[1], 1)
    by_pair = np.sign(contest.ordinal[:, one] - contest.ordinal[:, other])
    by_number = np.sign(differences(contest.values[:, one], contest.values[:, other]))
    share = (by_pair * by_number < 0).mean() if by_pair.size else 0.0
    return (
        f"{contest.name} ranks models as a pair; its differences are of f + 0.01 g, which orders "
        f"{share:.2%} of the pairs of models the other way round"
    )
