"""What a world is like: how many examples, how frequent the classes, how good the models."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from metricatlas.errors import WorldError


@dataclass(frozen=True)
class Profile:
    """The two models of ferri2009, section 6, unless something else is said.

    A positive has a probability between 0.5 and 1, a negative one below 0.5. Of the better model
    some probabilities are drawn anew from 0 to 1, of the other one some more. Half of these are on
    the wrong side, so the share of them is twice the error, and the area under the ROC curve is one
    minus the error.
    """

    #: How many examples.
    n: int = 100
    #: The share of positives.
    prior: float = 0.5
    #: The error of the better model, and how much more the other one has.
    error: float = 0.05
    gap: float = 0.05
    #: Factor of the log-odds: above 1 models are too sure of themselves, below 1 not sure enough.
    confidence: float = 1.0
    #: The share of pairs of examples that are tied, about.
    ties: float = 0.0
    #: Whether both models meet the same noise; each has its own otherwise.
    shared: bool = False
    #: Whether probabilities that noise moves outside [0, 1] are cut to it; scores otherwise.
    clipped: bool = True

    def __post_init__(self) -> None:
        for name, (low, high, words) in _RANGES.items():
            value = getattr(self, name)
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not number or not low <= value <= high:
                raise WorldError(f"{name} must be {words}; got {value!r}.")
        if self.n != int(self.n):
            raise WorldError(f"n must be a whole number; got {self.n!r}.")
        if not 0 < self.prior < 1:
            raise WorldError(f"prior must be a share above 0 and below 1; got {self.prior!r}.")
        if self.changed + self.more > self.n or self.more < 1:
            msg = (
                f"error and gap must leave both models room to differ: of {self.n} examples twice "
                f"the error, {self.changed}, and twice the gap, {self.more}, are changed. The gap "
                f"must change one at least, and both together no more than all."
            )
            raise WorldError(msg)

    @property
    def changed(self) -> int:
        """How many probabilities of the better model are drawn anew."""
        return round(2 * self.error * self.n)

    @property
    def more(self) -> int:
        """How many more of the other one are."""
        return round(2 * self.gap * self.n)


_RANGES: dict[str, tuple[float, float, str]] = {
    "n": (2, 10_000_000, "a whole number from 2 on"),
    "prior": (0, 1, "a share above 0 and below 1"),
    "error": (0, 0.5, "between 0 and 0.5"),
    "gap": (0, 0.5, "between 0 and 0.5"),
    "confidence": (1e-6, 1e6, "a number above 0"),
    "ties": (0, 1, "a share from 0 to 1"),
}


def profile_of(given: dict[str, Any]) -> Profile:
    """Read a profile; say which words there are."""
    known = [field.name for field in fields(Profile)]
    strange = [name for name in given if name not in known]
    if strange:
        from metricatlas.measurements.columns import nearest

        raise WorldError(f"a world has no {strange[0]!r}{nearest(strange[0], known)}")
    return Profile(**given)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of models on examples of their own: the first is the better one."""

    #: Repetitions by 2 by examples; the truth is that of each model.
    truth: Any
    scores: Any


def drawn(rng: np.random.Generator, profile: Profile, count: int) -> Pairs:
    """Draw pairs of models, without noise."""
    n, changed, more = int(profile.n), profile.changed, profile.more
    truth = rng.random((count, n)) < profile.prior
    better = 0.5 * (rng.random((count, n)) + truth)
    anew = rng.random((count, changed + more)).astype(np.float64)
    places = rng.permuted(np.broadcast_to(np.arange(n), (count, n)), axis=1)[:, : changed + more]
    np.put_along_axis(better, places[:, :changed], anew[:, :changed], axis=1)
    worse = better.copy()
    np.put_along_axis(worse, places[:, changed:], anew[:, changed:], axis=1)
    scores = np.stack([better, worse], axis=1)
    both = np.broadcast_to(truth[:, np.newaxis], scores.shape).astype(np.uint8)
    return Pairs(both, shaped(scores, profile))


def shaped(scores: Any, profile: Profile) -> Any:
    """Make models more or less sure of themselves, and tie examples."""
    if profile.confidence != 1:
        odds = np.log(scores) - np.log1p(-scores)
        scores = 1 / (1 + np.exp(-profile.confidence * odds))
    if profile.ties > 0:
        # An even number of values keeps the two sides of 0.5 apart.
        values = max(2, 2 * round(0.5 / profile.ties))
        scores = (np.floor(scores * values).clip(0, values - 1) + 0.5) / values
    return scores
