"""What a world is like: how many examples, how frequent the classes, how good the models."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from math import fsum
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.predictions.numbers import is_number, listed
from metricatlas.worlds.made import Made
from metricatlas.worlds.real import classes_drawn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metricatlas.worlds.like import Like
    from metricatlas.worlds.real import Real


@dataclass(frozen=True)
class Profile:
    """The two models of ferri2009, section 6, unless something else is said.

    A positive has a probability between 0.5 and 1, a negative one below 0.5; among several classes
    the true one has the largest. Of the better model some probabilities are drawn anew, whatever
    the class, of the other one some more. Of two classes half of these are on the wrong side, so
    the share of them is twice the error, and the area under the ROC curve is one minus the error.
    """

    #: How many examples.
    n: int = 100
    #: The share of positives, or of each class.
    prior: float | tuple[float, ...] = 0.5
    #: The error of the better model, and how much more the other one has.
    error: float = 0.05
    gap: float = 0.05
    #: Its area under the ROC curve, if that is given: the gap is one of areas then.
    auc: float | None = None
    #: Factor of the log-odds: above 1 models are too sure of themselves, below 1 not sure enough.
    confidence: float = 1.0
    #: The share of pairs of examples that are tied, about.
    ties: float = 0.0
    #: Whether both models meet the same noise; each has its own otherwise.
    shared: bool = False
    #: Whether probabilities that noise moves outside [0, 1] are cut to it; scores otherwise.
    clipped: bool = True
    #: Real predictions that the better model has; their area is `auc`.
    like: Like | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        most = 1 - 1 / self.classes
        bounds = (0, most, f"between 0 and {most:.3g}")
        ranges = {**_RANGES, "error": bounds, "gap": _OF_AREAS if self.by_area else bounds}
        if self.like is not None:
            # A real model may rank well and decide worse than chance.
            del ranges["error"]
        for name, (low, high, words) in ranges.items():
            value = getattr(self, name)
            if not is_number(value) or not low <= value <= high:
                raise WorldError(f"{name} must be {words}; got {value!r}.")
        if self.n != int(self.n):
            raise WorldError(f"n must be a whole number; got {self.n!r}.")
        if self.auc is not None:
            _check_area(self, self.auc)

    @property
    def by_area(self) -> bool:
        """Whether the gap is one of areas under the ROC curve, not one of errors."""
        return self.auc is not None

    @cached_property
    def priors(self) -> tuple[float, ...]:
        """The share of each class; of two classes the second is the positive one."""
        return shares_of(self.prior)

    @property
    def classes(self) -> int:
        """How many classes there are."""
        return len(self.priors)

    @cached_property
    def anew(self) -> tuple[float, float]:
        """The share of examples that the better model has drawn anew, and how many more."""
        if self.like is not None:
            return 0.0, self.like.rows.lost(self.like.auc, self.gap)
        if self.auc is not None:
            most = _made(self).area
            return (most - self.auc) / (most - 0.5), self.gap / (most - 0.5)
        # Whatever is drawn anew is right by chance once in so many times.
        factor = self.classes / (self.classes - 1)
        return factor * self.error, factor * self.gap

    @property
    def changed(self) -> int:
        """How many probabilities of the better model are drawn anew."""
        return round(self.anew[0] * self.n)

    @property
    def more(self) -> int:
        """How many more of the other one are."""
        return round(self.anew[1] * self.n)

    def check_room(self) -> None:
        """Refuse models that cannot differ by the gap on so many examples."""
        if self.more >= 1 and self.changed + self.more <= self.n:
            return
        msg = (
            f"error and gap must leave both models room to differ: of {self.n} examples the better "
            f"one has {self.changed} drawn anew, and the other one {self.more} more. The gap must "
            f"change one at least, and both together no more than all."
        )
        raise WorldError(msg)

    def described(self, *, size: bool = True) -> str:
        """What the world is like, in a few words."""
        said = f"prior {', '.join(f'{share:.4g}' for share in listed(self.prior))}"
        if size:
            said = f"n {self.n}, {said}"
        if self.like is not None:
            return (
                f"{said}, like {self.like.examples:,} real predictions: error {self.error:.4g}, "
                f"auc {self.auc:.4g}, brier {self.like.brier:.4g}, ties {self.ties:.2g}; the other "
                f"model's auc is {self.gap:.4g} less"
            )
        if self.by_area:
            return f"{said}, auc {self.auc:.4g}, gap {self.gap:.4g}"
        return said if size else f"{said}, error {self.error:.4g}, gap {self.gap:.4g}"


_OF_AREAS = (0, 0.5, "between 0 and 0.5, of areas")
_RANGES: dict[str, tuple[float, float, str]] = {
    "n": (2, 10_000_000, "a whole number from 2 on"),
    "confidence": (1e-6, 1e6, "a number above 0"),
    "ties": (0, 1, "a share from 0 to 1"),
}
#: What real predictions tell themselves.
_OF_LIKE = ("error", "auc", "confidence", "ties")


def shares_of(prior: Any) -> tuple[float, ...]:
    """Return the share of each class; of two the second has the one share that is given."""
    if is_number(prior) and 0 < prior < 1:
        return 1 - float(prior), float(prior)
    shares = listed(prior)
    if len(shares) < 2 or not all(is_number(share) and share > 0 for share in shares):
        msg = (
            f"prior must be a share above 0 and below 1, or one above 0 for each class, as in "
            f"[0.7, 0.2, 0.1]; got {prior!r}."
        )
        raise WorldError(msg)
    total = fsum(shares)
    if abs(total - 1) > 1e-6:
        msg = f"prior must sum to one over the classes; {shares} sum to {total:.6g}."
        raise WorldError(msg)
    return tuple(float(share) / total for share in shares)


def _check_area(profile: Profile, area: float) -> None:
    if not is_number(area) or not 0.5 < area <= 1:
        msg = f"auc must be above 0.5 and at most 1; got {area!r}."
        raise WorldError(msg)
    if profile.like is None and area > _made(profile).area:
        msg = (
            f"auc must be at most {_made(profile).area:.6g}, which is what models have that always "
            f"decide for the true one of {profile.classes} classes; got {area!r}."
        )
        raise WorldError(msg)
    if area - profile.gap < 0.5 or not 0 <= sum(profile.anew) <= 1 + 1e-9:
        msg = (
            f"gap must leave the other model an area of 0.5 or more; got {profile.gap:.4g} where "
            f"the better one has {area:.4g}. Make it smaller."
        )
        raise WorldError(msg)


def profile_of(given: Mapping[str, Any], *, sized: bool = True) -> Profile:
    """Read a profile; say which words there are. Without a size any gap has room."""
    found = _read(given)
    if sized:
        found.check_room()
    return found


def _read(given: Mapping[str, Any]) -> Profile:
    known = [*(each.name for each in fields(Profile)), "labels", "pos_label"]
    strange = [name for name in given if name not in known]
    if strange:
        from metricatlas.measurements.columns import nearest

        raise WorldError(f"a world has no {strange[0]!r}{nearest(strange[0], known)}")
    words = dict(given)
    naming = {name: words.pop(name, None) for name in ("labels", "pos_label")}
    if not is_number(words.get("prior", 0.5)):
        shares_of(words["prior"])
        words["prior"] = tuple(map(float, words["prior"]))
    if words.get("like") is not None:
        return Profile(**_like(words, naming))
    if any(name is not None for name in naming.values()):
        msg = "labels and pos_label say what the classes of like= are; got them without like=."
        raise WorldError(msg)
    return Profile(**_with_error(words))


def _with_error(words: dict[str, Any]) -> dict[str, Any]:
    """The words of a profile, with the error that belongs to an area."""
    if words.get("auc") is None:
        return words
    if "error" in words:
        msg = "a model's quality must be said once: pass error= or auc=, not both."
        raise WorldError(msg)
    profile = Profile(**words)
    chance = 1 - 1 / profile.classes
    return {**words, "error": chance * profile.anew[0]}


def _like(words: dict[str, Any], naming: Mapping[str, Any]) -> dict[str, Any]:
    """The words of a profile, with what real predictions are like."""
    from metricatlas.worlds.like import Like

    for name in _OF_LIKE:
        if name in words:
            msg = f"like= says what {name} is; leave {name}= out."
            raise WorldError(msg)
    like, prior = words["like"], words.get("prior")
    if isinstance(like, Like) and prior is not None:
        msg = (
            "prior must be said where like= is read; got both. Pass (y_true, probabilities) again."
        )
        raise WorldError(msg)
    if not isinstance(like, Like):
        like = Like.of(like, None if prior is None else shares_of(prior), **naming)
    shares = like.rows.priors
    told = {
        "n": like.examples,
        "prior": shares[1] if len(shares) == 2 else shares,
        "error": like.error,
        "auc": like.auc,
        "ties": like.ties,
    }
    return {**told, **words, "like": like}


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of models on examples of their own: the first is the better one."""

    #: Repetitions by 2 by examples; the truth is that of each model. Of more than two classes
    #: scores have those as a last axis.
    truth: Any
    scores: Any

    @classmethod
    def of(cls, truth: Any, better: Any, worse: Any) -> Pairs:
        """Two models for one truth."""
        scores = np.stack([better, worse], axis=1)
        return cls(np.repeat(truth[:, np.newaxis], 2, axis=1), scores)


def models_of(profile: Profile) -> Made | Real:
    """Return what draws the rows of the models."""
    return _made(profile) if profile.like is None else profile.like.rows


def _made(profile: Profile) -> Made:
    tied = profile.classes > 2 and profile.ties > 0
    return Made(profile.classes, profile.confidence, _values(profile) if tied else 0)


def drawn(rng: np.random.Generator, profile: Profile, count: int) -> Pairs:
    """Draw pairs of models, without noise: so many rows are drawn anew."""
    n, changed, more = int(profile.n), profile.changed, profile.more
    source = models_of(profile)
    truth = classes_drawn(rng, (count, n), profile.priors)
    better = source.certain(rng, truth)
    anew = source.anew(rng, (count, changed + more))
    places = rng.permuted(np.broadcast_to(np.arange(n), (count, n)), axis=1)[:, : changed + more]
    if anew.ndim > places.ndim:
        places = places[..., np.newaxis]
    np.put_along_axis(better, places[:, :changed], anew[:, :changed], axis=1)
    worse = better.copy()
    np.put_along_axis(worse, places[:, changed:], anew[:, changed:], axis=1)
    return Pairs.of(truth, *(shaped(rows, profile) for rows in (better, worse)))


def shaped(scores: Any, profile: Profile) -> Any:
    """Make models of two classes more or less sure of themselves, and tie examples."""
    if profile.like is not None or profile.classes > 2:
        return scores
    if profile.confidence != 1:
        # Who is as sure as can be has probabilities of 0 and 1.
        with np.errstate(over="ignore", divide="ignore"):
            odds = np.log(scores) - np.log1p(-scores)
            scores = 1 / (1 + np.exp(-profile.confidence * odds))
    if profile.ties > 0:
        # An even number of values keeps the two sides of 0.5 apart.
        values = 2 * _values(profile)
        scores = (np.floor(scores * values).clip(0, values - 1) + 0.5) / values
    return scores


def _values(profile: Profile) -> int:
    """How many values each decision has, for the share of ties among the better model's."""
    anew = 2 * (1 - profile.auc) if profile.auc is not None else profile.anew[0]
    decisions = [(1 - anew) * share + anew / profile.classes for share in profile.priors]
    return max(1, round(sum(share * share for share in decisions) / profile.ties))
