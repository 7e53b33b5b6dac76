"""What is known of the data sets of the five studies before any of them is read."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from metricatlas.populations.datasets.tasks import Task, taken_apart

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Known:
    """A data set of the catalogue."""

    name: str
    #: What becomes of its base, which it is itself where it is not derived.
    task: Task
    rows: int | None
    nominal: int | None
    numeric: int | None
    #: Rows of each class.
    counts: Mapping[str, int]
    #: Rows of each class in the first part, which is for training.
    train: Mapping[str, int]
    #: Its number at OpenML, where it is certain.
    openml: int | None
    #: What there is to know about it, in words.
    about: str

    @property
    def attributes(self) -> int | None:
        """How many attributes it has."""
        both = self.nominal, self.numeric
        return None if None in both else sum(n or 0 for n in both)


@dataclass(frozen=True)
class Printed:
    """A data set as a paper prints it."""

    study: str
    printed: str
    #: Its name here; nothing where it is not public.
    name: str
    rows: int | None
    classes: int | None
    nominal: int | None
    numeric: int | None
    #: As printed, in which the class may be counted.
    attributes: int | None
    majority: float | None
    minority: float | None
    #: Where the public set differs, and what is known of the reason.
    about: str


@cache
def known() -> dict[str, Known]:
    """Give the data sets of the catalogue by name."""
    return {row["name"]: _known(row) for row in _table("sets.csv")}


@cache
def printed() -> tuple[Printed, ...]:
    """Give what the papers print, in their order."""
    return tuple(_printed(row) for row in _table("printed.csv"))


#: Shares are printed with two digits after the point, some of them cut and not rounded.
_CLOSE = 0.01


def differences(row: Printed) -> list[str]:
    """Say where a paper's numbers are not those of the public data set."""
    there = known().get(row.name)
    if there is None:
        return []
    counts = list(there.counts.values())
    shares = [100 * count / sum(counts) for count in counts]
    pairs: list[tuple[str, float | None, float | None]] = [
        ("rows", row.rows, there.rows),
        ("classes", row.classes, len(counts) or None),
        ("nominal attributes", row.nominal, there.nominal),
        ("numeric attributes", row.numeric, there.numeric),
        # Papers that print one number count the class with the attributes.
        ("attributes with the class", row.attributes, there.attributes and there.attributes + 1),
        ("% of the largest class", row.majority, max(shares, default=None)),
        ("% of the smallest class", row.minority, min(shares, default=None)),
    ]
    return [
        f"{what}: {theirs:g} printed, {round(ours, 2):g} here"
        for what, theirs, ours in pairs
        if theirs is not None and ours is not None and abs(theirs - ours) >= _CLOSE
    ]


def _table(file: str) -> list[dict[str, str]]:
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _known(row: Mapping[str, str]) -> Known:
    task = Task(
        row["name"],
        row["base"],
        positive=taken_apart(row["positive"]),
        merged=taken_apart(row["merged"]),
        without_classes=taken_apart(row["without_classes"]),
        without_attributes=taken_apart(row["without_attributes"]),
        first_attributes=_whole(row["first_attributes"]),
        first_rows=_whole(row["first_rows"]),
        zero_is_missing=taken_apart(row["zero_is_missing"]),
    )
    return Known(
        name=row["name"],
        task=task,
        rows=_whole(row["rows"]),
        nominal=_whole(row["nominal"]),
        numeric=_whole(row["numeric"]),
        counts=_counts(row["counts"]),
        train=_counts(row["train"]),
        openml=_whole(row["openml"]),
        about=row["about"],
    )


def _printed(row: Mapping[str, str]) -> Printed:
    return Printed(
        study=row["study"],
        printed=row["printed"],
        name=row["name"],
        rows=_whole(row["rows"]),
        classes=_whole(row["classes"]),
        nominal=_whole(row["nominal"]),
        numeric=_whole(row["numeric"]),
        attributes=_whole(row["attributes"]),
        majority=_share(row["majority"]),
        minority=_share(row["minority"]),
        about=row["about"],
    )


def _counts(text: str) -> dict[str, int]:
    pairs = [pair.rpartition(":") for pair in text.split(";") if pair]
    return {name: int(count) for name, _, count in pairs}


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _share(text: str) -> float | None:
    return float(text) if text else None
