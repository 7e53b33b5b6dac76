"""What a data set comes to: one hash of all that a trained model may depend on."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

#: Changed when the way of hashing is, so that old and new are never taken for the same.
VERSION = "metricatlas data set 1"


def digest_of(
    features: pd.DataFrame,
    codes: np.ndarray[Any, Any],
    classes: Sequence[str],
    *,
    positive: str | None,
    train: np.ndarray[Any, Any] | None,
) -> str:
    """Hash names, kinds, declared values, values, classes, the positive class and the split."""
    columns = [
        [name, None if column.dtype.kind == "f" else list(column.cat.categories)]
        for name, column in features.items()
    ]
    head = {
        "version": VERSION,
        "rows": len(features),
        "columns": columns,
        "classes": list(classes),
        "positive": positive,
        "train": None if train is None else len(train),
    }
    hashed = hashlib.sha256(json.dumps(head, ensure_ascii=True, separators=(",", ":")).encode())
    for column in (features[name] for name in features):
        if column.dtype.kind == "f":
            hashed.update(_same_bits(column.to_numpy(np.float64)))
        else:
            hashed.update(np.asarray(column.cat.codes, "<i4").tobytes())
    for numbers in (codes, train):
        if numbers is not None:
            hashed.update(np.asarray(numbers, "<i8").tobytes())
    return hashed.hexdigest()


def _same_bits(values: np.ndarray[Any, Any]) -> bytes:
    """Write equal numbers alike: there is one zero, and one way to be missing."""
    same = np.where(np.isnan(values), np.nan, values + 0.0)
    return same.astype("<f8").tobytes()
