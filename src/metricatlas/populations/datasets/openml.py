"""Data sets from OpenML, got through scikit-learn and kept in a folder of their own."""

from __future__ import annotations

import re
import tempfile
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PopulationError
from metricatlas.populations.datasets.catalogue import known
from metricatlas.populations.datasets.folder import Entry, Folder
from metricatlas.populations.datasets.keeping import keep
from metricatlas.populations.datasets.places import cache_folder, folders, not_there
from metricatlas.populations.datasets.sources import checked, load, task_of
from metricatlas.populations.datasets.tasks import derived

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.populations.datasets.dataset import DataSet

#: How any data set of OpenML is asked for.
_NUMBERED = re.compile(r"openml-([1-9]\d*)")


def fetch(name: str, *, again: bool = False) -> DataSet:
    """Get a data set from OpenML, keep it, and load it from there ever after.

    It is kept in the folder that the environment variable ``METRICATLAS_CACHE`` names, else in
    ``~/.cache/metricatlas/datasets``. Where it is there already, nothing is downloaded.

    Parameters
    ----------
    name
        A name of the catalogue whose number at OpenML is known, a task derived from such a data
        set, or ``openml-NUMBER`` for any other.
    again
        Whether to download what is there already.

    Returns
    -------
    DataSet
        As ``load`` gives it.

    Examples
    --------
    >>> from metricatlas.populations.datasets import fetch
    >>> fetch("sonar")  # doctest: +SKIP
    <DataSet sonar: 208 rows, 60 attributes, 2 classes>
    """
    task = task_of(name, folders(None))
    base = name if task is None else task.base
    number = _number(base)
    kept = cache_folder()
    if again or not kept.is_dir() or base not in Folder(kept).entries:
        frame, target = _downloaded(base, number)
        entry = Entry(base, f"{base}.arff.gz", class_attribute=target, source=f"OpenML {number}")
        keep(frame, entry, kept)
    found = load(base, data=kept)
    return found if task is None else checked(derived(found, task), task)


def check_fetchable(name: str) -> None:
    """Refuse what OpenML is not known to have."""
    task = task_of(name, folders(None))
    _number(name if task is None else task.base)


def _number(name: str) -> int:
    found = _NUMBERED.fullmatch(name)
    if found:
        return int(found[1])
    there = known().get(name)
    if there is None or there.openml is None:
        raise PopulationError(not_there(name, folders(None)))
    return there.openml


def _downloaded(name: str, number: int) -> tuple[pd.DataFrame, str]:
    """Get all columns, and the name of the one that holds the class."""
    from sklearn.datasets import fetch_openml

    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            # If trying again helps, nobody need know; if not, the error tells.
            warnings.filterwarnings("ignore", "A network error occurred")
            # Only this way are the values given that the header declares, and not those found.
            got = fetch_openml(
                data_id=number,
                target_column=None,
                as_frame=False,
                parser="liac-arff",
                data_home=folder,
            )
    # What comes back may be anything, and scikit-learn raises anything of it.
    except Exception as error:
        reason = str(error).strip().rstrip(".") or type(error).__name__
        msg = (
            f"OpenML must give data set {number} for {name}; it did not ({reason}). Try again, or "
            f"put its file into a folder that --data or METRICATLAS_DATA names."
        )
        raise PopulationError(msg) from error
    target = got.details.get("default_target_attribute", "")
    if target not in got.feature_names:
        msg = f"data set {number} of OpenML must name one class; it names {target or 'none'!r}."
        raise PopulationError(msg)
    return _frame(got), target


def _frame(got: Any) -> pd.DataFrame:
    import pandas as pd

    matrix = got.data if isinstance(got.data, np.ndarray) else got.data.toarray()
    columns: dict[str, Any] = {}
    for name, values in zip(got.feature_names, matrix.T, strict=True):
        declared = got.categories.get(name)
        if declared is None:
            columns[name] = np.array(values, np.float64)
        else:
            codes = np.where(np.isnan(values), -1, values).astype(np.int32)
            names = pd.Index(declared, dtype=object)
            columns[name] = pd.Categorical.from_codes(codes, categories=names)
    return pd.DataFrame(columns, copy=False)
