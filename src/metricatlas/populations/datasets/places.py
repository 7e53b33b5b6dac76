"""The folders that data sets are looked for in."""

from __future__ import annotations

import os
from pathlib import Path

from metricatlas.measurements.columns import nearest
from metricatlas.populations.datasets.bundled import BUNDLED
from metricatlas.populations.datasets.catalogue import known, printed
from metricatlas.populations.datasets.folder import Folder

#: Names the folder of data sets where none is given.
DATA = "METRICATLAS_DATA"
#: Names the folder where fetched data sets are kept.
CACHE = "METRICATLAS_CACHE"


def folders(data: str | Path | None) -> list[Folder]:
    """Give the folders to look in, in their order."""
    found = []
    if data is not None:
        found.append(Folder(Path(data)))
    elif os.environ.get(DATA):
        found.append(Folder(Path(os.environ[DATA]), DATA))
    if cache_folder().is_dir():
        found.append(Folder(cache_folder(), CACHE))
    return found


def cache_folder() -> Path:
    """Say where fetched data sets are kept."""
    named = os.environ.get(CACHE)
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "metricatlas" / "datasets"


def not_there(name: str, places: list[Folder]) -> str:
    """Say that a data set is not here, and how it may be had."""
    private = next((p.study for p in printed() if p.printed == name and not p.name), None)
    if private is not None:
        return f"{name} of {private} is not public, and no public data set stands for it."
    there = known().get(name)
    if there is None:
        every = {*known(), *BUNDLED, *(n for p in places for n in (*p.entries, *p.tasks))}
        return f"there is no data set {name!r}{nearest(name, sorted(every))}"
    looked = ", ".join(str(place.path) for place in places) or "no folder"
    if there.openml is None:
        how = "its number at OpenML is not certain, so its file must be brought"
    else:
        how = f"'metricatlas data fetch {name}' gets it from OpenML"
    end = f"--data or {DATA} names a folder of data sets"
    return f"{name} is not here (looked in {looked}); {how}. {end}."
