"""What is known of the data sets of the five studies before any of them is read."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from metricatlas.populations.datasets.tasks import Task, listed

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


def _table(file: str) -> list[dict[str, str]]:
    text = resources.files(__package__).joinpath(file).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _known(row: Mapping[str, str]) -> Known:
    task = Task(
        row["name"],
        row["base"],
        positive=listed(row["positive"]),
        merged=listed(row["merged"]),
        without_classes=listed(row["without_classes"]),
        without_attributes=listed(row["without_attributes"]),
        first_attributes=_whole(row["first_attributes"]),
        first_rows=_whole(row["first_rows"]),
        zero_is_missing=listed(row["zero_is_missing"]),
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
