"""Predictions for the tests that hold for every measure: all kinds of skill, ties and weights."""

from dataclasses import dataclass

import numpy as np

import metricatlas as ma
from metricatlas.evaluation.task import Task

#: Values for the parameters that have no default.
PARAMETERS = {
    "k": 3,
    "beta": 2,
    "p": 0.3,
    "costs": lambda classes: tuple(
        tuple(abs(i - j) * (1 + 0.5 * (i > j)) for j in range(classes)) for i in range(classes)
    ),
}


@dataclass(frozen=True)
class World:
    """Truth and one model's probabilities, perhaps with weights."""

    name: str
    y: np.ndarray
    p: np.ndarray
    w: np.ndarray | None = None

    @property
    def classes(self):
        return self.p.shape[1]

    @property
    def task(self):
        whole = self.w is None or bool((self.w == np.floor(self.w)).all())
        return Task("probabilities", tuple(range(self.classes)), decided=True, whole=whole)

    def evaluate(self, measures, **options):
        return ma.evaluate(
            self.y,
            self.p,
            measures=measures,
            labels=range(self.classes),
            sample_weight=self.w,
            **options,
        )


def catalogue_for(classes, *, on_request=True):
    """Return every measure of the catalogue that fits so many classes, by name."""
    task = Task("probabilities", tuple(range(classes)), decided=True, whole=True)
    found = {}
    for name, measure in ma.catalogue.items():
        missing = {p: value_for(p, classes) for p in measure.missing}
        made = measure.using(**missing) if missing else measure
        if (on_request or not made.on_request) and not task.objection(made):
            found[name] = made
    return found


def value_for(parameter, classes):
    value = PARAMETERS[parameter]
    return value(classes) if callable(value) else value


def world(seed, n, classes=2, *, ties=False, skill=1.0, weights=None, prior=None):
    """Return a random world; with ties its probabilities are multiples of an eighth."""
    rng = np.random.default_rng(seed)
    y = rng.choice(classes, size=n, p=prior)
    raw = rng.gamma(1.0, size=(n, classes)) + skill * rng.random((n, 1)) * np.eye(classes)[y]
    p = raw / raw.sum(axis=1, keepdims=True)
    if ties:
        cuts = np.sort(rng.integers(0, 9, size=(n, classes - 1)), axis=1)
        p = np.diff(cuts, axis=1, prepend=0, append=8) / 8
    if classes == 2:
        p[:, 0] = 1 - p[:, 1]
    w = {None: None, "whole": rng.integers(1, 4, n), "fractional": rng.random(n) + 0.1}[weights]
    named = f"{classes} classes, n={n}, ties={ties}, weights={weights}, seed={seed}"
    return World(named, y, p, None if w is None else w.astype(float))


def worlds(classes):
    """Return a spread of worlds of so many classes."""
    return [
        world(seed, n, classes, ties=ties, weights=weights)
        for seed, (n, ties, weights) in enumerate(
            (n, ties, weights)
            for n in (12, 60, 211)
            for ties in (False, True)
            for weights in (None, "whole", "fractional")
        )
    ]
