"""Models of which one trait can be exchanged for another model's, while everything else stays.

All models judge the same examples. A model has parts of its own: which examples it decides rightly;
the order of the examples that it decides alike; how sure its probabilities are. So one part can be
taken from another model. The threshold and the class frequencies are no parts of a model: the same
probabilities are decided by another rule, or the examples of one class are there several times.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from metricatlas.summaries.facts import Array

#: Between these lie the errors of a model, in each class its own.
ERRORS = (0.05, 0.45)
#: Of two classes odds are multiplied by up to so much, or divided.
SURENESS = 8.0
#: A model with few probabilities has so many for the examples that it decides alike.
FEW = 10
#: Another threshold: the probability of one class counts so many times.
FAVOUR = 2.0
#: Other class frequencies: the examples of one class are there so many times.
COPIES = 4
#: In place of a class that is favoured, or repeated.
NOBODY = -1


@dataclass(frozen=True, eq=False)
class Models:
    """Models of the same examples, one a row."""

    #: The true class of each example.
    truth: Array
    #: The decided class, (models, examples).
    decided: Array
    #: Probabilities to be dealt, (models, examples, classes), the decided class's first.
    rows: Array
    #: How sure the probabilities are, from -1 to 1, (models, classes).
    sureness: Array
    #: Who comes first among the examples that are decided alike: chance, and the skill to see.
    luck: Array
    skill: Array

    @property
    def classes(self) -> int:
        """How many classes."""
        return int(self.rows.shape[2])

    def calibrated_as(self, others: Models) -> Models:
        """Map probabilities as other models do; order and decisions stay."""
        return replace(self, sureness=others.sureness)

    def ranked_as(self, others: Models) -> Models:
        """Deal the probabilities in another order among the examples that are decided alike."""
        return replace(self, luck=others.luck, skill=others.skill)

    def probabilities(self) -> Array:
        """Probabilities of all classes, (models, examples, classes)."""
        sure = np.take_along_axis(self.rows, _order(self.rows[:, :, 0], self.decided), axis=1)
        key = self.luck + self.skill * (self.decided == self.truth)
        places = _order(key, self.decided)
        dealt = np.empty_like(sure)
        np.put_along_axis(dealt, places, sure, axis=1)
        shown = _shown_for_two if self.classes == 2 else _shown_for_many
        # The first is the decided class's, the next that of the class after it, and so on.
        turned = (np.arange(self.classes) - self.decided[:, :, np.newaxis]) % self.classes
        return np.take_along_axis(shown(dealt, self), turned, axis=2)


def drawn(rng: np.random.Generator, truth: Array, classes: int, few: Array) -> Models:
    """Draw models, each with parts of its own; some have few probabilities, as trees have."""
    shape = (len(few), len(truth))
    errors = rng.uniform(*ERRORS, (len(few), classes))
    wrong = rng.random(shape) < errors[:, truth]
    other = (truth + rng.integers(1, classes, shape)) % classes
    raw = rng.standard_exponential((*shape, classes))
    rows = -np.sort(-raw / raw.sum(axis=2, keepdims=True), axis=2)
    rows[few] = rows[few][:, np.arange(len(truth)) % FEW]
    return Models(
        truth,
        np.where(wrong, other, truth),
        rows,
        rng.uniform(-1, 1, (len(few), classes)),
        rng.random(shape),
        rng.random((len(few), 1)),
    )


def truth_of(n: int, prior: float, classes: int) -> Array:
    """True classes in ascending order: the last class has the prior, the others share the rest."""
    last = round(prior * n)
    share, more = divmod(n - last, classes - 1)
    sizes = [share + (j < more) for j in range(classes - 1)]
    return np.repeat(np.arange(classes), [*sizes, last])


def repeated(truth: Array, copied: int) -> Array:
    """Places of the examples, those of one class several times."""
    own = np.flatnonzero(truth == copied)
    return np.concatenate([np.flatnonzero(truth != copied), *[own] * COPIES])


def decided_for(probabilities: Array, favoured: int) -> Array:
    """Decided classes where one class's probability counts several times."""
    weight = np.ones(probabilities.shape[-1])
    weight[favoured] = FAVOUR
    return np.argmax(probabilities * weight, axis=-1)


def threshold_for(favoured: int) -> float:
    """The threshold of two classes that does the same."""
    return {NOBODY: 0.5, 0: FAVOUR / (1 + FAVOUR), 1: 1 / (1 + FAVOUR)}[favoured]


def _order(key: Array, decided: Array) -> Any:
    """Examples in order of a key, among those that are decided alike."""
    return np.lexsort((key, decided))[:, :, np.newaxis]


def _shown_for_two(dealt: Array, models: Models) -> Array:
    """Of two classes each side of 0.5 has a strictly increasing map of its own."""
    factor = SURENESS ** np.take_along_axis(models.sureness, models.decided, axis=1)
    beyond = 2 * dealt[:, :, 0] - 1
    # The odds of where it lies between 0.5 and 1: slopes keep between 1/8 and 8, so no two meet.
    first = 0.5 + 0.5 * factor * beyond / (1 + (factor - 1) * beyond)
    return np.stack([first, 1 - first], axis=2)


def _shown_for_many(dealt: Array, models: Models) -> Array:
    """Stretch from the point where all classes are as probable, by a half to one.

    Of more than two classes no other map of all probabilities keeps the order in every class, the
    sum of one, and the largest probability where it is.
    """
    factor = (3 + models.sureness[:, :1, np.newaxis]) / 4
    centre = 1 / models.classes
    return centre + factor * (dealt - centre)
