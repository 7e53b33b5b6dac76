"""What the tests of comparisons over data sets share: tables, and a published example."""

import numpy as np
import pandas as pd

import metricatlas as ma

#: Demšar (2006), Table 6: areas under the ROC curve of C4.5 with the least number of examples in a
#: leaf (m) and the confidence level of pruning (cf) as they are, or tuned. On "voting" the paper
#: ranks +cf above +m+cf although it prints 0.975 for both, so +cf has a little more here.
VARIANTS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
AREAS = {
    "adult (sample)": (0.763, 0.768, 0.771, 0.798),
    "breast cancer": (0.599, 0.591, 0.590, 0.569),
    "breast cancer wisconsin": (0.954, 0.971, 0.968, 0.967),
    "cmc": (0.628, 0.661, 0.654, 0.657),
    "ionosphere": (0.882, 0.888, 0.886, 0.898),
    "iris": (0.936, 0.931, 0.916, 0.931),
    "liver disorders": (0.661, 0.668, 0.609, 0.685),
    "lung cancer": (0.583, 0.583, 0.563, 0.625),
    "lymphography": (0.775, 0.838, 0.866, 0.875),
    "mushroom": (1.000, 1.000, 1.000, 1.000),
    "primary tumor": (0.940, 0.962, 0.965, 0.962),
    "rheum": (0.619, 0.666, 0.614, 0.669),
    "voting": (0.972, 0.981, 0.9751, 0.975),
    "wine": (0.957, 0.978, 0.946, 0.970),
}


def long(values, measure="auc", *, models=None, datasets=None, **measures):
    """A frame with a row for each model on each data set, of an array, data sets by models."""
    values = np.asarray(values, dtype=float)
    count, players = values.shape
    models = list(models or (f"m{i}" for i in range(players)))
    datasets = list(datasets or range(count))
    columns = {measure: values, **measures}
    return pd.DataFrame(
        {
            "dataset": np.repeat(datasets, players),
            "model": np.tile(np.array(models, dtype=object), count),
            **{name: np.asarray(part, dtype=float).ravel() for name, part in columns.items()},
        }
    )


def table(values, measure="auc", **more):
    """Return the same as Measurements."""
    return ma.Measurements.from_frame(long(values, measure, **more), keys=["dataset", "model"])


def random_values(seed, count, models, decimals=2):
    """Return values, data sets by models."""
    return np.random.default_rng(seed).random((count, models)).round(decimals)


def demsar(**options):
    """Compare the variants of C4.5."""
    m = table(list(AREAS.values()), models=VARIANTS, datasets=AREAS)
    return ma.across(m, **options)


def line(frame, **wanted):
    """Return the one row of a frame that has these values."""
    for name, value in wanted.items():
        frame = frame[[cell == value for cell in frame[name]]]
    assert len(frame) == 1, wanted
    return frame.iloc[0]
