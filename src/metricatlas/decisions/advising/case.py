"""The case that advice is for: the data, and what is done with what models say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import DecisionError, WorldError
from metricatlas.predictions.numbers import is_number, is_whole
from metricatlas.worlds.profile import profile_of, shares_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from metricatlas.decisions.advising.given import Given
    from metricatlas.worlds.profile import Profile

#: The share of positives that may be lost where drift is expected and nothing more is said.
DRIFT = 0.5
#: Where probabilities decide if nothing else is said.
HALF = 0.5


@dataclass(frozen=True)
class Case:
    """What data are like, and what models are used for."""

    #: The two models of the user's worlds, and the test sets on which measures choose.
    profile: Profile
    #: Where decisions are made; None while that is still free.
    threshold: float | None = None
    #: Whether probabilities are used as such.
    probabilities: bool = False
    #: The share of labels that are wrong.
    label_noise: float = 0.0
    #: The share of positives that may be lost.
    drift: float = 0.0
    #: What decisions cost, in the order of the classes.
    costs: tuple[tuple[float, ...], ...] | None = None
    #: The models that the profile was taken from, if there are any.
    given: Given | None = None

    @property
    def prior(self) -> float:
        """The share of the rarest class."""
        return min(self.profile.priors)

    @property
    def scenarios(self) -> dict[str, tuple[str, float] | None]:
        """Test sets that choices are simulated on, with the world and the level of their noise."""
        found: dict[str, tuple[str, float] | None] = {"plain": None}
        if self.label_noise:
            # Of the labels that are drawn anew one in so many classes is right by chance.
            wrong = 1 - 1 / self.profile.classes
            level = min(100 * self.label_noise / wrong, 100.0)
            found["label-noise"] = ("label-noise", level)
        if self.drift:
            found["class-drift"] = ("class-drift", 100 * self.drift * self.profile.priors[-1])
        return found

    @property
    def fields(self) -> dict[str, float | str]:
        """What rules may ask of a case."""
        return {
            "n": self.profile.n,
            "prior": self.prior,
            "classes": self.profile.classes,
            "threshold": "free" if self.threshold is None else "fixed",
            "probabilities": _word(self.probabilities),
            "costs": _word(self.costs is not None),
            "label_noise": self.label_noise,
            "drift": self.drift,
        }

    def described(self) -> str:
        """The case in a line or two."""
        profile = self.profile
        decided = "free" if self.threshold is None else f"fixed at {self.threshold:g}"
        if profile.classes > 2 and self.threshold is not None:
            decided = "fixed: the most probable class"
        quality = "" if profile.by_area else f", error {profile.error:g}, gap {profile.gap:g}"
        parts = [
            f"{profile.described()}{quality}",
            f"threshold {decided}",
            f"probabilities {'used' if self.probabilities else 'not used'} as such",
        ]
        if self.label_noise:
            parts.append(f"{100 * self.label_noise:g} % of the labels wrong")
        if self.drift:
            parts.append(f"{100 * self.drift:g} % of the positives may be lost")
        if self.costs is not None:
            parts.append(f"costs {[list(row) for row in self.costs]}")
        return "; ".join(parts)


def _word(holds: bool) -> str:  # noqa: FBT001 - the truth value is what it is about
    return "yes" if holds else "no"


def case_of(given: Given | None, said: Mapping[str, Any], words: Mapping[str, Any]) -> Case:
    """Read a case: models if there are any, what was said of it, and the words of a profile."""
    profile = _profile(given, said, words)
    case = Case(
        profile,
        threshold=_threshold(said["threshold"], profile.classes),
        probabilities=_truth(said["probabilities"]),
        label_noise=_label_noise(said["label_noise"], profile.classes),
        drift=_drift(said["drift"], profile.priors[-1]),
        given=given,
    )
    return case if said["costs"] is None else replace(case, costs=_costs(said["costs"], case))


def _profile(given: Given | None, said: Mapping[str, Any], words: Mapping[str, Any]) -> Profile:
    """The profile of the worlds; both models have the same wrong labels if nothing else is said."""
    for name in ("like", "clipped", "labels", "pos_label"):
        if name in words:
            msg = f"advice has no {name}=; pass y_true and predictions, or say n, prior, auc, gap."
            raise DecisionError(msg)
    prior = _prior(said["prior"], said["classes"], given)
    known: dict[str, Any] = {"shared": True, **words}
    if said["n"] is not None:
        known["n"] = said["n"]
    if given is not None:
        known["like"] = given.like(prior)
    elif prior is not None:
        known["prior"] = prior
    found = profile_of(known, sized=False)
    if found.gap == 0 or sum(found.anew) > 1 + 1e-9:
        msg = (
            f"error and gap must leave two models room to differ: {found.anew[0]:.4g} of all "
            f"examples of the better one are drawn anew, and {found.anew[1]:.4g} more of the other "
            f"one. The gap must be above 0, and both together no more than all."
        )
        raise WorldError(msg)
    return found


def _prior(prior: Any, classes: Any, given: Given | None) -> Any:
    """The share of positives, or of each class; None where nothing is said of it."""
    if classes is not None and (not is_whole(classes) or classes < 2):
        msg = f"classes must be a whole number from 2 on; got {classes!r}."
        raise DecisionError(msg)
    if prior is None and given is None and classes is not None:
        return 0.5 if classes == 2 else (1 / classes,) * classes
    there = None if prior is None else len(shares_of(prior))
    if given is not None and there is None:
        there = len(given.classes)
    if classes is not None and classes != there:
        source = "y_true" if prior is None else "prior"
        msg = (
            f"classes must be as many as {source} has; got {classes} and {there}. Leave classes "
            f"out, or give a share for each."
        )
        raise DecisionError(msg)
    return prior


def _threshold(threshold: Any, classes: int) -> float | None:
    if isinstance(threshold, str) and threshold in ("free", "fixed"):
        return None if threshold == "free" else HALF
    if not is_number(threshold) or not 0 < threshold < 1:
        msg = (
            f"threshold must be 'free', 'fixed' (at 0.5), or a number above 0 and below 1; got "
            f"{threshold!r}."
        )
        raise DecisionError(msg)
    if classes > 2:
        msg = (
            f"a threshold is a number for two classes only, of {classes} the most probable one is "
            f"decided for; got {threshold!r}. Say 'fixed'."
        )
        raise DecisionError(msg)
    return float(threshold)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        msg = (
            f"probabilities must be True or False: whether they are used as such, not for ranking "
            f"or deciding only; got {value!r}."
        )
        raise DecisionError(msg)
    return bool(value)


def _label_noise(share: Any, classes: int) -> float:
    most = 1 - 1 / classes
    if not is_number(share) or not 0 <= share <= most:
        msg = (
            f"label_noise must be the share of wrong labels, from 0 to {most:.3g}, which is what "
            f"drawing all of them anew makes wrong; got {share!r}."
        )
        raise DecisionError(msg)
    return float(share)


def _drift(drift: Any, prior: float) -> float:
    if drift is None or isinstance(drift, bool | np.bool_):
        drift = DRIFT if drift else 0.0
    if not is_number(drift) or not 0 <= drift < 1:
        msg = (
            f"drift must be True, False, or the share of positives that may be lost, below 1; got "
            f"{drift!r}."
        )
        raise DecisionError(msg)
    if drift * prior > 0.5:
        msg = (
            f"drift must take half of the examples at most, with a prior of {prior:.4g} a share of "
            f"{0.5 / prior:.4g}; got {drift:g}. Say less, or let the rarer class be the positive "
            f"one."
        )
        raise DecisionError(msg)
    return float(drift)


def _costs(costs: Any, case: Case) -> tuple[tuple[float, ...], ...]:
    """Costs in the order of the classes, of which two have the positive one second."""
    from metricatlas.measures import catalogue
    from metricatlas.measures.parameters import NamedMatrix, ordered

    cost: Any = catalogue["cost"].using(costs=costs)
    matrix = dict(cost.arguments)["costs"]
    classes = case.profile.classes
    if len(matrix) != classes:
        msg = (
            f"costs must have a row and a column for each of {classes} classes; got {len(matrix)}."
        )
        raise DecisionError(msg)
    if isinstance(matrix, NamedMatrix):
        if case.given is None or sorted(map(repr, matrix.names)) != sorted(
            map(repr, case.given.classes)
        ):
            there = "no classes have names here" if case.given is None else list(case.given.classes)
            msg = (
                f"a frame of costs must name the classes of y_true; it names {list(matrix.names)}, "
                f"and {there}. Pass a plain matrix in the order of the classes."
            )
            raise DecisionError(msg)
        names = [repr(name) for name in matrix.names]
        matrix = ordered(tuple(matrix), [names.index(repr(name)) for name in case.given.classes])
    return tuple(tuple(map(float, row)) for row in matrix)
