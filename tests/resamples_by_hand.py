"""What the tests of resampling share: resamples as rows that are really repeated."""

import warnings

import numpy as np
from worlds import world

import metricatlas as ma
from metricatlas.decisions.comparing import replicates as module
from metricatlas.evaluation.resampled import evaluate_resamples
from metricatlas.predictions import read_predictions
from metricatlas.summaries.draws import Bootstrap

#: Cuts of all kinds, best ones among them that the kernels do not know, and two levels.
CUTS = [
    "f1@best",
    "mcc@best",
    "recall@best=jaccard",
    "acc@ks",
    "ppv@top=10",
    "fpr@tpr=0.5",
    "f1@0.3",
    "auc:acc",
]


def quietly(function, *arguments, **options):
    """Call a function whose values may be undefined."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        return function(*arguments, **options)


def bootstrap(strata, times, clusters=None, entropy=0):
    seeds = np.random.SeedSequence(entropy).generate_state(times, np.uint64)
    return Bootstrap.of(np.asarray(strata, dtype=np.int64), clusters, seeds)


def resampled(y, models, measures, draws, **options):
    """Return the engine's values, (models, resamples, measures), and the counts of the examples."""
    blocks, _ = read_predictions(y, models, **options)
    times = draws.times
    found = evaluate_resamples(blocks, tuple(measures), draws).values
    return found.reshape(-1, times, found.shape[1]), draws.counts(slice(None))[:, draws.units]


def repeated(y, models, measures, counts, weight=None, **options):
    """Evaluate every model on rows that are as often there as they are drawn."""
    values = []
    for row in counts:
        rows = np.repeat(np.arange(len(y)), row)
        own = {name: np.asarray(p)[rows] for name, p in models.items()}
        mass = None if weight is None else np.asarray(weight)[rows]
        truth = np.asarray(y)[rows]
        m = quietly(ma.evaluate, truth, own, measures=measures, sample_weight=mass, **options)
        values.append(m.values)
    return np.stack(values, axis=1)


def weighted(y, models, measures, counts, weight=None, **options):
    """Evaluate every model on the rows as they are, weighted by how often they are drawn."""
    mass = np.ones(len(y)) if weight is None else np.asarray(weight)
    return np.stack(
        [
            quietly(
                ma.evaluate, y, models, measures=measures, sample_weight=mass * row, **options
            ).values
            for row in counts
        ],
        axis=1,
    )


def two_models(n=80, seed=0, classes=2, **options):
    """Return truth, and the columns of probabilities of two models, the second of more skill."""
    first, other = world(seed, n, classes, **options), world(seed, n, classes, skill=2.0, **options)
    return first.y, {"a": first.p, "b": other.p}


def compare(y, models, **options):
    return quietly(ma.compare, y, models, **{"resamples": 60, **options})


class Watched:
    """A comparison whose draws were written down, group by group."""

    def __init__(self, monkeypatch, *arguments, **options):
        self.draws, self.deletions = [], []
        for name, into in (("_bootstrap", self.draws), ("_deletions", self.deletions)):
            made = getattr(module, name)

            def writing(*given, made=made, into=into):
                into.append(made(*given))
                return into[-1]

            monkeypatch.setattr(module, name, writing)
        self.comparison = quietly(ma.compare, *arguments, **options)
        self.replicates = self.comparison._replicates


def by_example(draws):
    """Return how often each example is drawn, (resamples, examples)."""
    return draws.counts(slice(None))[:, draws.units]
