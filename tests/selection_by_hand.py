"""Selection in plain loops, by scikit-learn and SciPy, and models to select from."""

import itertools

import numpy as np
from scipy import stats
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    cohen_kappa_score,
    f1_score,
    roc_auc_score,
)

#: By scikit-learn, higher is better; two-level ones as pairs.
BINARY = {
    "acc": lambda y, p: accuracy_score(y, p > 0.5),
    "auc": roc_auc_score,
    "brier": lambda y, p: -brier_score_loss(y, p),
    "acc:auc": lambda y, p: (accuracy_score(y, p > 0.5), roc_auc_score(y, p)),
}
MANY = {
    "acc": lambda y, p: accuracy_score(y, p.argmax(axis=1)),
    "auc[ovo,uniform]": lambda y, p: roc_auc_score(y, p, multi_class="ovo"),
    "kappa": lambda y, p: cohen_kappa_score(y, p.argmax(axis=1)),
    "f1[macro]": lambda y, p: f1_score(y, p.argmax(axis=1), average="macro"),
    "auc[ovo,uniform]:brier": lambda y, p: (
        roc_auc_score(y, p, multi_class="ovo"),
        -np.square(np.eye(3)[y] - p).sum(axis=1).mean(),
    ),
}


def number(value):
    return value[0] + 0.01 * value[1] if isinstance(value, tuple) else value


def places(values):
    """Tuples cannot be ranked by SciPy, but their places can."""
    return [sorted(set(values)).index(value) for value in values]


def rounded(value):
    """Values that are equal but for the last digits, as equal ones."""
    return tuple(map(rounded, value)) if isinstance(value, tuple) else round(value, 12)


def judged_by_hand(before, after):
    """The value of the chosen model, its regret, the share of the best ones, the correlation."""
    tied = [i for i, value in enumerate(before) if value == max(before)]
    value = np.mean([number(after[i]) for i in tied])
    best = np.mean([after[i] == max(after) for i in tied])
    both = places(before), places(after)
    constant = min(len(set(side)) for side in both) == 1
    correlation = np.nan if constant else stats.spearmanr(*both).statistic
    return value, number(max(after)) - value, best, correlation


def by_hand(y, models, measures, samples):
    """For every f and g a line for each sample."""
    seen = [
        {f: [[rounded(m(y[rows], p[rows])) for p in models] for rows in parts] for f, m in measures}
        for parts in samples
    ]
    return {
        (f, g): np.array([judged_by_hand(of[f][0], of[g][1]) for of in seen])
        for (f, _), (g, _) in itertools.product(measures, measures)
    }


def case(classes, count=4, n=60, seed=0):
    """Models from good to bad, whose probabilities are eighths, so that there are ties."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    models = []
    for noise in np.linspace(0.5, 2, count):
        raw = np.eye(classes)[y] + noise * rng.random((n, classes))
        share = np.floor(8 * raw[:, 1:] / raw.sum(axis=1, keepdims=True)) / 8
        first = 1 - share.sum(axis=1)
        models.append(share[:, 0] if classes == 2 else np.column_stack([first, share]))
    return y, models
