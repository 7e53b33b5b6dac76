"""The classes of fitted models, which need not all be in the truth, nor all known to the model."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import PredictionError
from metricatlas.predictions.containers import read_column
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.labels import as_labels, distinct, parse_classes, settled, shown

if TYPE_CHECKING:
    from collections.abc import Iterable

Classes = tuple[Any, ...]
#: What a class that stands alone is one half of.
_OTHER = {0: 1, 1: 0, -1: 1}


def classes_of(estimator: object) -> Classes | None:
    """The classes of a model in the order of its columns, if it tells them."""
    told = getattr(estimator, "classes_", None)
    if told is None:
        return None
    return tuple(_labels(told, f"classes_ of {type(estimator).__name__}")[0].tolist())


def all_classes(
    estimators: Iterable[object], y_true: object, labels: object = None, pos_label: Any = None
) -> Classes | None:
    """Those of `labels`, else of the models and the truth; none where no model tells them.

    A class of the truth that no model knows is told of in a warning, unless `labels` names it:
    models of parts of the data lack rare classes.
    """
    if labels is not None:
        return parse_classes(labels)
    seen = distinct(_labels(y_true, "y_true"))
    told = [classes for classes in map(classes_of, estimators) if classes is not None]
    if not told:
        return None
    known = told[0] if all(c == told[0] for c in told) else _sorted({c for cs in told for c in cs})
    strangers = [c for c in seen if c not in known]
    if not strangers:
        return known if len(known) > 1 else _pair(known[0], pos_label)
    if len(strangers) == len(seen):
        msg = (
            f"y_true must hold classes of the model, {shown(known)}; got {shown(seen)}. Pass the "
            f"labels that it was trained on, or name all classes in labels=."
        )
        raise PredictionError(msg)
    warnings.warn(
        f"y_true holds classes that the model does not know, {shown(tuple(strangers))}: it is "
        f"judged as giving them nothing. Name them in labels= if that is right.",
        UserWarning,
        stacklevel=3,
    )
    return _sorted({*known, *strangers})


def _labels(values: object, title: str) -> np.ndarray[Any, Any]:
    """Labels as (1, n)."""
    what = Input(title)
    column = read_column(values, title).values
    return as_labels(settled(column[np.newaxis], what), what)


def _sorted(classes: set[Any]) -> Classes:
    return tuple(sorted(classes))


def _pair(only: Any, pos_label: Any) -> Classes | None:
    """Two classes, of which the models and the truth know one."""
    other = pos_label if pos_label is not None and pos_label != only else None
    if other is None and not isinstance(only, str):
        other = _OTHER.get(only)
    if other is None:
        msg = (
            f"the model and y_true know one class, {only!r}, and the others cannot be known from "
            f"it. Name all classes in labels=."
        )
        raise PredictionError(msg)
    return _sorted({only, other})
