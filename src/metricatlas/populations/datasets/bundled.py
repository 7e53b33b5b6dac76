"""The data sets that come with scikit-learn, which are always there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricatlas.populations.datasets.dataset import dataset_of

if TYPE_CHECKING:
    from metricatlas.populations.datasets.dataset import DataSet

BUNDLED = ("iris", "wine", "breast_cancer", "digits")


def bundled(name: str) -> DataSet:
    """Give one of scikit-learn's own data sets."""
    import pandas as pd
    import sklearn.datasets

    loaded = getattr(sklearn.datasets, f"load_{name}")(as_frame=True)
    names = pd.Index([str(x) for x in loaded.target_names], dtype=object)
    target = pd.Series(pd.Categorical.from_codes(loaded.target.to_numpy(), categories=names))
    source = f"scikit-learn's load_{name}"
    return dataset_of(loaded.data, target, name=name, source=source)
