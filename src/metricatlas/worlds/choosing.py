"""Which of two models each measure prefers, for many pairs of models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.evaluation.doors import evaluated
from metricatlas.measures.language import parse
from metricatlas.measures.terms import TwoLevel
from metricatlas.predictions.numbers import listed
from metricatlas.worlds.noise import WORLDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.measurements import Measurements
    from metricatlas.summaries.facts import Array
    from metricatlas.worlds.profile import Pairs, Profile


@dataclass(frozen=True)
class Asked:
    """Measures as they are asked for, and the models that they are asked about."""

    names: tuple[str, ...]
    measures: tuple[Any, ...]
    two_level: tuple[int, ...]
    #: Scores that are no probabilities: for measures of ranking and of decisions.
    kind: str
    classes: int

    @classmethod
    def of(cls, measures: Any, profile: Profile) -> Asked:
        """Read measures; None is all that serve these classes and say which value is better."""
        kind, classes = "probabilities" if profile.clipped else "scores", profile.classes
        if measures is None:
            measures = _defaults(kind, classes)
        given = listed(measures)
        parsed = [parse(m) for m in given]
        for name, measure in zip(given, parsed, strict=True):
            if measure.better == "neither":
                msg = f"a measure must say which value is better to choose by; {name} does not."
                raise WorldError(msg)
        names = tuple(m if isinstance(m, str) else m.name for m in given)
        pairs = tuple(i for i, m in enumerate(parsed) if isinstance(m, TwoLevel))
        found = cls(names, tuple(given), pairs, kind, classes)
        # What does not fit is refused before anything is drawn.
        _tried(found.measures, kind, classes)
        return found


def _defaults(kind: str, classes: int) -> list[str]:
    """All measures that serve so many classes and choose."""
    return [c.name for c in _tried(None, kind, classes).schema if c.better != "neither"]


def _tried(measures: Any, kind: str, classes: int) -> Measurements:
    """Evaluate measures of two examples a class."""
    truth = np.tile(np.arange(classes), 2)
    certain = np.repeat([0.9, 0.6], classes)
    if classes == 2:
        scores = np.where(truth == 1, certain, 1 - certain)
    else:
        others = (1 - certain) / (classes - 1)
        scores = np.where(np.eye(classes)[truth] == 1, certain[:, None], others[:, None])
    return _evaluated(truth, scores, measures, kind, classes)


def _evaluated(truth: Array, scores: Array, measures: Any, kind: str, classes: int) -> Measurements:
    # Without warnings of undefined values: how many there are is part of the result.
    return evaluated(
        truth,
        scores,
        measures=measures,
        labels=list(range(classes)),
        kind=kind,
        threshold=0.5 if kind == "scores" and classes == 2 else None,
    )


def disturbed(
    world: str,
    rng: np.random.Generator,
    pairs: Pairs,
    levels: Sequence[float],
    asked: Asked,
    profile: Profile,
) -> Array:
    """Return the choices of `chosen` for repetitions, levels of noise, and measures."""
    found = np.full((len(pairs.truth), len(levels), len(asked.names)), 5, dtype=np.uint8)
    for level, lots in enumerate(WORLDS[world](rng, pairs, levels, profile)):
        for members, part in lots:
            found[members, level] = chosen(part, asked)
    return found


def chosen(pairs: Pairs, asked: Asked) -> Array:
    """For repetitions and measures: 2 for a wrong choice, 1 for none, 0 for a right one.

    And 4 more where a value is undefined, which is no choice.
    """
    count, _, n = pairs.truth.shape
    table = _evaluated(
        pairs.truth.reshape(2 * count, n),
        pairs.scores.reshape(2 * count, n, -1),
        asked.measures,
        asked.kind,
        asked.classes,
    )
    values = table.oriented().values.reshape(count, 2, -1)
    better, worse = values[:, 0], values[:, 1]
    wrong = (1 + (worse > better).astype(np.int8) - (better > worse)).astype(np.uint8)
    for column in asked.two_level:
        first, second = (table.levels(column).reshape(count, 2, 2)[:, :, level] for level in (0, 1))
        by_first, by_second = (
            (level[:, 1] > level[:, 0]).astype(np.int8) - (level[:, 0] > level[:, 1])
            for level in (first, second)
        )
        wrong[:, column] = 1 + np.where(by_first != 0, by_first, by_second)
    return np.where(np.isnan(better) | np.isnan(worse), np.uint8(5), wrong)
