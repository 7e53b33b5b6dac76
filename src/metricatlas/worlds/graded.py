"""Many models of graded quality on one large test set, of which it is known how good each is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.predictions.numbers import is_whole
from metricatlas.worlds.profile import models_of, profile_of, shaped
from metricatlas.worlds.real import classes_drawn

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

#: What a profile says of noise, of which there is none here.
NOISE = ("shared", "clipped")


def graded_models(
    models: int = 20, *, n: int = 20_000, seed: int = 0, **profile: Any
) -> tuple[Array, dict[str, Array]]:
    """Draw models from good to bad on the same examples.

    The first is as good as the better model of a world of `simulate`, the last as the other one,
    and those between go from the one to the other in equal steps. Each has probabilities of its own
    drawn anew, so models err in different places.

    Parameters
    ----------
    models
        How many models.
    n
        How many examples.
    seed
        Of the random numbers.
    **profile
        What the models are like: prior, error or auc, gap, confidence, ties, or like. See
        `metricatlas.worlds.profile.Profile`; the gap is between the first and the last model.

    Returns
    -------
    tuple
        The true labels, and the models' probabilities by name, the best model first.

    Examples
    --------
    >>> import metricatlas as ma
    >>> from metricatlas.worlds import graded_models
    >>> y, models = graded_models(3, n=100_000, error=0.1, gap=0.2)
    >>> ma.evaluate(y, models, measures="acc")["acc"].round(2)
    array([0.9, 0.8, 0.7])
    """
    noise = [name for name in NOISE if name in profile]
    if noise:
        msg = f"models are drawn without noise, so {noise[0]} says nothing of them; leave it out."
        raise WorldError(msg)
    if not is_whole(models) or models < 2:
        msg = f"models must be a whole number from 2 on; got {models!r}."
        raise WorldError(msg)
    if not is_whole(seed) or seed < 0:
        msg = f"seed must be a whole number from 0 on; got {seed!r}."
        raise WorldError(msg)
    known = profile_of({"n": n, **profile})
    if known.more < models - 1:
        msg = (
            f"each model must have more probabilities drawn anew than the one before it; of {n} "
            f"examples {known.more} for the gap are too few for {models} models. Take fewer "
            f"models, more examples or a larger gap."
        )
        raise WorldError(msg)
    rng = np.random.default_rng(seed)
    source = models_of(known)
    truth = classes_drawn(rng, (known.n,), known.priors).astype(np.int64)
    first = source.certain(rng, truth)
    most = known.changed + known.more
    steps = np.linspace(known.changed, most, models).round().astype(int).tolist()
    found = {}
    for number, step in enumerate(steps, start=1):
        scores = first.copy()
        scores[rng.permutation(known.n)[:step]] = source.anew(rng, (step,))
        found[f"model {number}"] = shaped(scores, known)
    return truth, found
