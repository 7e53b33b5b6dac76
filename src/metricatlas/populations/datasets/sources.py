"""Where data sets come from: a folder, what was fetched before, scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PopulationError
from metricatlas.populations.datasets.bundled import BUNDLED, bundled
from metricatlas.populations.datasets.catalogue import known
from metricatlas.populations.datasets.dataset import dataset_of
from metricatlas.populations.datasets.places import folders, not_there
from metricatlas.populations.datasets.tasks import OR, Task, derived

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd

    from metricatlas.populations.datasets.dataset import DataSet
    from metricatlas.populations.datasets.folder import Folder

Array = np.ndarray[Any, Any]


def load(name: str, *, data: str | Path | None = None) -> DataSet:
    """Load a data set by its name, from the first place that has it.

    The places are the folder ``data``, or else the one that the environment variable
    ``METRICATLAS_DATA`` names; what ``fetch`` has got from OpenML; and scikit-learn, which
    brings iris, wine, breast_cancer and digits. A file is refused whose hash is not the one
    that the folder's MANIFEST.csv records.

    Parameters
    ----------
    name
        As ``names`` lists them: a file of the folder, or a task derived from one.
    data
        A folder of ARFF, CSV and Parquet files.

    Returns
    -------
    DataSet
        Nominal attributes are categories, missing values are NaN.

    Examples
    --------
    >>> from metricatlas.populations.datasets import load
    >>> load("digits").counts["8"]
    174
    """
    places = folders(data)
    task = task_of(name, places)
    if task is None:
        return _base(name, places)
    return checked(derived(_base(task.base, places), task), task)


def checked(found: DataSet, task: Task) -> DataSet:
    """Refuse the first rows of a file in which other rows come first."""
    there = known().get(task.name)
    if task.first_rows and there is not None and found.counts != there.counts:
        msg = (
            f"the first {task.first_rows} rows of {task.base} must have the classes "
            f"{there.counts}; got {found.counts}. The file has its rows in another order."
        )
        raise PopulationError(msg)
    return found


def names(data: str | Path | None = None) -> list[str]:
    """List what ``load`` finds in the same places: data sets, and tasks derived from them.

    Parameters
    ----------
    data
        A folder of data sets, else the one that ``METRICATLAS_DATA`` names.

    Returns
    -------
    list of str
        In alphabetical order.

    Examples
    --------
    >>> from metricatlas.populations.datasets import names
    >>> {"iris", "wine", "breast_cancer", "digits"} <= set(names())
    True
    """
    places = folders(data)
    there = {*BUNDLED, *(name for place in places for name in place.entries)}
    tasks = {n: k.task for n, k in known().items()} | {
        n: t for p in places for n, t in p.tasks.items()
    }
    return sorted(
        there | {name for name, task in tasks.items() if task.base in there}, key=str.lower
    )


def task_of(name: str, places: list[Folder]) -> Task | None:
    """Find how a data set is derived; the word of a folder counts before that of the catalogue."""
    ours = known()[name].task if name in known() else None
    for place in places:
        theirs = place.tasks.get(name)
        if theirs is not None:
            # The catalogue may know more of the same task than a folder can say.
            same = ours and (ours.base, ours.positive) == (theirs.base, theirs.positive)
            return ours if same else theirs
        if name in place.entries:
            return None
    return None if ours is None or ours.base == name else ours


def _base(name: str, places: list[Folder]) -> DataSet:
    for place in places:
        if name in place.entries:
            features, target, source = place.read(name)
            positive, train = _what_is_known(name, target)
            return dataset_of(
                features, target, name=name, positive=positive, source=source, train=train
            )
    if name in BUNDLED:
        return bundled(name)
    raise PopulationError(not_there(name, places))


def _what_is_known(name: str, target: pd.Series[Any]) -> tuple[str | None, Array | None]:
    """Give the positive class and the training part, if it is the set that they are known of."""
    there = known().get(name)
    if there is None or _counts(target) != there.counts:
        return None, None
    positive = OR.join(there.task.positive) or None
    rows = sum(there.train.values())
    # Elsewhere the rows may come in another order, and then their first part is no training part.
    if not rows or _counts(target.iloc[:rows]) != there.train:
        return positive, None
    return positive, np.arange(rows)


def _counts(target: pd.Series[Any]) -> dict[str, int]:
    return {str(name): int(count) for name, count in target.value_counts().items() if count}
