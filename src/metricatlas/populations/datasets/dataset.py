"""A data set as it is: numbers, nominal attributes, missing values, classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.datasets.columns import as_columns, as_nominal
from metricatlas.populations.datasets.digest import digest_of

if TYPE_CHECKING:
    import pandas as pd

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class DataSet:
    """Rows to learn from and to test on; two of the same digest hold the same."""

    name: str
    #: Numeric columns as float64, nominal ones as categories; what is missing is NaN in both.
    features: pd.DataFrame
    #: The name of the class of each row.
    target: Array
    #: Those that have rows, in the order of their declaration.
    classes: tuple[str, ...]
    #: The class that a study looks for, where it says so.
    positive: str | None
    #: What the content comes to, whatever kind of file it is from.
    digest: str
    #: Where it is from, in words.
    source: str
    #: The rows of a fixed part for training, where there is one.
    train: Array | None = None

    def __len__(self) -> int:
        return len(self.target)

    def __repr__(self) -> str:
        columns, classes = self.features.shape[1], len(self.classes)
        attributes = f"{columns} attribute{'s' * (columns != 1)}"
        return f"<DataSet {self.name}: {len(self):,} rows, {attributes}, {classes} classes>"

    @property
    def counts(self) -> dict[str, int]:
        """How many rows each class has."""
        names, counts = np.unique(self.target, return_counts=True)
        found = dict(zip(names.tolist(), counts.tolist(), strict=True))
        return {name: found[name] for name in self.classes}

    @property
    def nominal(self) -> list[str]:
        """The names of the nominal attributes."""
        return [name for name, column in self.features.items() if column.dtype.kind != "f"]  # type: ignore[misc]


def dataset_of(
    features: Any,
    target: Any,
    *,
    name: str,
    positive: str | None = None,
    source: str = "given",
    train: Array | None = None,
) -> DataSet:
    """Make a data set of columns and classes, or say why they cannot be one.

    Parameters
    ----------
    features
        A frame or a matrix. Columns of numbers stay numbers; text, booleans and categories
        become nominal.
    target
        The class of each row: text, whole numbers, booleans or a categorical series, whose
        categories then give the order of the classes.
    name
        What it is called.
    positive
        The class that is looked for.
    source
        Where it is from, in words.
    train
        The numbers of the rows of a fixed part for training.

    Examples
    --------
    >>> from metricatlas.populations.datasets import dataset_of
    >>> d = dataset_of([[1.0], [2.0], [3.0]], ["no", "yes", "no"], name="three", positive="yes")
    >>> d.classes, d.counts
    (('no', 'yes'), {'no': 2, 'yes': 1})
    """
    columns = as_columns(features, name)
    labels = as_nominal(target, f"the class of {name}")
    _check(columns, labels, name)
    there = np.unique(labels.codes)
    classes = tuple(str(labels.categories[code]) for code in there)
    if positive is not None and positive not in classes:
        msg = f"the positive class of {name} must be one of its classes; got {positive!r}"
        raise PopulationError(f"{msg}{nearest(positive, classes)}")
    codes = np.searchsorted(there, labels.codes)
    return DataSet(
        name=name,
        features=columns,
        target=np.array(classes, dtype=object)[codes],
        classes=classes,
        positive=positive,
        digest=digest_of(columns, codes, classes, positive=positive, train=train),
        source=source,
        train=train,
    )


def _check(columns: pd.DataFrame, labels: pd.Categorical, name: str) -> None:
    if not len(labels) or len(labels) != len(columns):
        msg = (
            f"{name} must have rows, and a class for each of them; got {len(columns)} rows and "
            f"{len(labels)} classes."
        )
        raise PopulationError(msg)
    missing = int((labels.codes < 0).sum())
    if missing:
        msg = (
            f"every row of {name} must have a class; {missing} of {len(labels)} have none. Leave "
            f"them out."
        )
        raise PopulationError(msg)
    if not columns.shape[1]:
        raise PopulationError(f"{name} must have attributes besides its class; it has none.")
    there = np.unique(labels.codes)
    if len(there) < 2:
        only = labels.categories[there[0]]
        raise PopulationError(
            f"{name} must have two classes at least; every row is of {str(only)!r}."
        )
