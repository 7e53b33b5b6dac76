"""Small data sets for the tests of learners, with every kind of attribute and gaps."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from metricatlas.populations.learners import learner_names

OURS = [name for name in learner_names() if not name.startswith("weka-")]
#: Quick settings, where those of the papers would take long in a test.
QUICK = {
    "perceptron": {"epochs": 20},
    "bagged-trees": {"trees": 5},
    "random-forest": {"trees": 10},
    "boosted-trees": {"steps": 3},
}
#: Parameters of which a list is stages.
STAGED = [
    ("knn", {}, "neighbours", [9, 1, 3]),
    ("knn", {"weighting": "inverse", "attributes": "boolean"}, "neighbours", [1, 200]),
    ("knn", {"weighting": "kernel", "weights": "gain-ratio"}, "width", [1.0, 4.0, 0.5]),
    ("perceptron", {"hidden": 3, "loss": "cross-entropy"}, "epochs", [1, 7, 4]),
    ("boosted-trees", {"type": "c44"}, "steps", [4, 1, 2]),
    ("boosted-stumps", {"output": "votes"}, "steps", [1, 2, 16]),
    ("svm", {"kernel": "radial"}, "scaling", ["linear", "platt"]),
]


def mixed(rows=60, *, seed=0, classes=("no", "perhaps", "yes")):
    """A data set with numbers, nominal values, gaps, a constant and a column without any value."""
    random = np.random.default_rng(seed)
    target = random.integers(len(classes), size=rows)
    size = target + random.normal(0, 0.7, rows)
    weight = random.normal(50, 20, rows) + 10 * target
    colour = np.where(random.random(rows) < 0.6, target % 3, random.integers(3, size=rows))
    size[random.random(rows) < 0.15] = np.nan
    colour[random.random(rows) < 0.15] = -1
    features = pd.DataFrame(
        {
            "size": size,
            "weight": weight,
            "colour": pd.Categorical.from_codes(colour, ["red", "green", "blue", "never"][:4]),
            "switch": pd.Categorical.from_codes(random.integers(2, size=rows), ["off", "on"]),
            "constant": np.full(rows, 0.1),
            "nothing": np.full(rows, np.nan),
            "nowhere": pd.Categorical([None] * rows, categories=["a", "b", "c"]),
        }
    )
    names = np.array(classes, dtype=object)
    return SimpleNamespace(features=features, target=names[target], classes=classes)


def parts(task, train=40):
    """Cut a data set into training and test rows."""
    features, target = task.features, task.target
    return features.iloc[:train], target[:train], features.iloc[train:], target[train:]


def blurred(rows=200, classes=2, seed=0, spread=1.0, digits=1):
    """Return four numbers a row that grow with its class, and the class."""
    random = np.random.default_rng(seed)
    y = random.integers(classes, size=rows)
    return random.normal(y[:, None], spread, (rows, 4)).round(digits), y
