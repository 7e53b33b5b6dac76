"""Predictions for the tests that hold for every measure: all kinds of skill, ties and weights."""

from dataclasses import dataclass

import numpy as np

import metricatlas as ma
from metricatlas.evaluation.task import Task

#: Values for the parameters that have no default.
PARAMETERS = {
    "k": 3,
    "alpha": 0.3,
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


#: Windows of so much mass take the array form a while; see `heavy`.
HEAVY = 1e6


def heavy(w, measure):
    """Return whether a measure counts rows one by one that weights make many."""
    return w.w is not None and w.w.sum() > HEAVY and measure.counts_rows


def limits(classes):
    """Return worlds at the limits: one row, one class, absent classes, all tied, all certain."""
    base = world(77, 24, classes)
    rng = np.random.default_rng(classes)
    certain = np.eye(classes)[rng.integers(classes, size=24)]
    ends = np.where(base.y == 0, 0, classes - 1)
    whole = rng.integers(1, 4, 24).astype(float)
    gone = np.where(base.y == 1, 0.0, whole)
    return [
        World("one row", base.y[:1], base.p[:1]),
        World("one class only", np.full(24, 1), base.p),
        World("the first and the last class only", ends, base.p),
        World("all tied", base.y, np.broadcast_to(base.p[0], base.p.shape).copy()),
        World("every class as probable as any", base.y, np.full((24, classes), 1 / classes)),
        World("certain and often wrong", base.y, certain),
        World("certain and right", base.y, np.eye(classes)[base.y]),
        World("some weights 0", base.y, base.p, np.floor(whole * rng.random(24))),
        World("all weights of a class 0", base.y, base.p, gone),
        World("weights of 1e8", base.y, base.p, whole * 1e8),
        World("weights of 1e8, tied", base.y, world(78, 24, classes, ties=True).p, whole * 1e8),
    ]
