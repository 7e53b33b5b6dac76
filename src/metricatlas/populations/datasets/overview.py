"""All data sets at a glance, those here and those that could be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.datasets.bundled import BUNDLED
from metricatlas.populations.datasets.catalogue import Known, Printed, known, printed
from metricatlas.populations.datasets.places import cache_folder, folders

if TYPE_CHECKING:
    from pathlib import Path

    from metricatlas.populations.datasets.folder import Folder


@dataclass(frozen=True)
class Line:
    """One data set; what is not known before it is read is None."""

    name: str
    rows: int | None
    nominal: int | None
    numeric: int | None
    classes: int | None
    #: Percent of the largest class, and of the smallest.
    majority: float | None
    minority: float | None
    #: Whether ``load`` finds it.
    here: bool
    #: From which place it is, or could be had.
    place: str
    studies: tuple[str, ...]


def overview(data: str | Path | None = None, *, study: str | None = None) -> list[Line]:
    """List the data sets of the catalogue and of the folders, without reading them.

    Parameters
    ----------
    data
        A folder of data sets, else the one that ``METRICATLAS_DATA`` names.
    study
        Only those of this study.

    Returns
    -------
    list of Line
        In alphabetical order.

    Examples
    --------
    >>> from metricatlas.populations.datasets import overview
    >>> [line.name for line in overview(study="caruana2004")][0]
    'ADULT (Caruana)'
    """
    check_study(study)
    places = folders(data)
    there = {name for place in places for name in (*place.entries, *place.tasks)}
    lines = [_line(name, places) for name in {*known(), *BUNDLED, *there}]
    lines += [_not_public(row) for row in printed() if not row.name]
    found = [line for line in lines if study is None or study in line.studies]
    return sorted(found, key=lambda line: (line.name.lower(), line.name))


def check_study(study: str | None) -> None:
    """Refuse a study that names no data sets."""
    studies = sorted({row.study for row in printed()})
    if study is not None and study not in studies:
        raise PopulationError(f"no study {study!r} names data sets{nearest(study, studies)}")


def _line(name: str, places: list[Folder]) -> Line:
    there = known().get(name)
    base = next((p.tasks[name].base for p in places if name in p.tasks), None)
    base = base or (there.task.base if there else name)
    here, place = _place(name, base, places)
    counts = list(there.counts.values()) if there else []
    shares = [100 * count / sum(counts) for count in counts]
    return Line(
        name=name,
        rows=there.rows if there else None,
        nominal=there.nominal if there else None,
        numeric=there.numeric if there else None,
        classes=len(counts) or None,
        majority=max(shares, default=None),
        minority=min(shares, default=None),
        here=here,
        place=place,
        studies=tuple(dict.fromkeys(row.study for row in printed() if row.name == name)),
    )


def _not_public(row: Printed) -> Line:
    return Line(
        name=row.printed,
        rows=row.rows,
        nominal=row.nominal,
        numeric=row.numeric,
        classes=row.classes,
        majority=row.majority,
        minority=row.minority,
        here=False,
        place="no public set",
        studies=(row.study,),
    )


def _place(name: str, base: str, places: list[Folder]) -> tuple[bool, str]:
    for place in places:
        if name in place.entries or base in place.entries:
            return True, "fetched" if place.path == cache_folder() else "folder"
    if base in BUNDLED:
        return True, "scikit-learn"
    there: Known | None = known().get(base)
    if there is not None and there.openml is not None:
        return False, f"OpenML {there.openml}"
    return False, "file needed"
