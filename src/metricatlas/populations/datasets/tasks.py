"""Tasks derived from data sets: classes made two, merged or left out, and parts of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.datasets.dataset import dataset_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.populations.datasets.dataset import DataSet

Array = np.ndarray[Any, Any]

#: What stands between values in a table, and in the name of a class that was several.
OR = "|"
#: The class of all that is not positive, where there were more than two.
REST = "rest"


@dataclass(frozen=True)
class Task:
    """What becomes of a data set; what is empty changes nothing."""

    name: str
    base: str
    #: The classes that together are the positive one, against the rest.
    positive: tuple[str, ...] = ()
    #: Classes that become one.
    merged: tuple[str, ...] = ()
    #: Classes whose rows are left out.
    without_classes: tuple[str, ...] = ()
    #: Attributes that are left out.
    without_attributes: tuple[str, ...] = ()
    #: Only so many attributes, the first ones.
    first_attributes: int | None = None
    #: Only so many rows, the first ones.
    first_rows: int | None = None
    #: Attributes in which a zero stands for a missing value; such rows are left out.
    zero_is_missing: tuple[str, ...] = ()


def taken_apart(text: str) -> tuple[str, ...]:
    """Take apart what a table lists in one cell."""
    return tuple(text.split(OR)) if text else ()


def derived(base: DataSet, task: Task) -> DataSet:
    """Make the derived data set of its base."""
    import pandas as pd

    _check_there(
        task,
        base.name,
        "class",
        (*task.positive, *task.merged, *task.without_classes),
        base.classes,
    )
    named = (*task.without_attributes, *task.zero_is_missing)
    _check_there(task, base.name, "attribute", named, list(base.features.columns))
    kept = _rows(base, task)
    target, classes = _one_name(base.target, base.classes, task.merged)
    positive = base.positive
    if task.positive:
        positive = OR.join(task.positive)
    if task.positive and len(base.classes) > 2:
        target = np.where(_among(base.target, task.positive), OR.join(task.positive), REST)
        classes = (REST, OR.join(task.positive))
    train = base.train
    if train is not None and len(kept) < len(base):
        train = np.flatnonzero(np.isin(kept, train))
    features = base.features[_attributes(base, task)]
    return dataset_of(
        features if len(kept) == len(base) else features.iloc[kept],
        pd.Series(pd.Categorical(target[kept], categories=pd.Index(classes, dtype=object))),
        name=task.name,
        positive=positive,
        source=base.source if task.name == base.name else f"{base.name} of {base.source}",
        train=train,
    )


def _check_there(
    task: Task, base: str, what: str, named: Sequence[str], there: Sequence[str]
) -> None:
    absent = next((name for name in named if name not in there), None)
    if absent is not None:
        msg = f"{task.name} needs the {what} {absent!r} of {base}, which has none of that name"
        raise PopulationError(f"{msg}{nearest(absent, there)}")


def _rows(base: DataSet, task: Task) -> Array:
    kept = ~_among(base.target, task.without_classes)
    for name in task.zero_is_missing:
        kept &= base.features[name].to_numpy() != 0
    return np.flatnonzero(kept[: task.first_rows])


def _among(target: Array, classes: Sequence[str]) -> Array:
    import pandas as pd

    # NumPy would sort the names, which takes long for many rows.
    return pd.Series(target).isin(classes).to_numpy()


def _attributes(base: DataSet, task: Task) -> list[str]:
    first = base.features.columns[: task.first_attributes]
    return [name for name in first if name not in task.without_attributes]


def _one_name(
    target: Array, classes: tuple[str, ...], merged: tuple[str, ...]
) -> tuple[Array, tuple[str, ...]]:
    if not merged:
        return target, classes
    name = OR.join(merged)
    renamed = [name if x in merged else x for x in classes]
    # The merged class stands where its first part stood.
    return np.where(_among(target, merged), name, target), tuple(dict.fromkeys(renamed))
