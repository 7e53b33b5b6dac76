"""The door: how measures correlate with the true distance of perturbed lists, as in huang2007."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from metricatlas.errors import WorldError
from metricatlas.measures.language import parse
from metricatlas.predictions.numbers import is_number, is_whole, listed
from metricatlas.progress import progress
from metricatlas.summaries.fill import threads
from metricatlas.worlds.correlations import PerturbedLists

if TYPE_CHECKING:
    from collections.abc import Iterable

    from metricatlas.measures.terms import Measure
    from metricatlas.summaries.facts import Array

Cut = Literal["after", "before"]
#: The measures and the epsilons of the paper's Table 5; the upper half of a list is positive.
MEASURES = ("acc@top=50%", "auc", "auc:acc@top=50%")
EPSILONS = (0.3, 0.5, 0.7, 0.8, 0.9)
#: What stands for no target in words.
DISTANCE = "minus the RMS error from the true probabilities"
#: Examples that a batch of lists has at most. It is the same whatever the number of workers, so the
#: numbers are too.
TOGETHER = 200_000


def perturbed_lists(
    n: int = 26,
    *,
    measures: Iterable[str | Measure] | str | Measure = MEASURES,
    target: str | Measure | None = None,
    epsilons: Iterable[float] | float = EPSILONS,
    lists: int = 200,
    repetitions: int = 5,
    cut: Cut = "after",
    seed: int = 0,
) -> PerturbedLists:
    """Perturb a list whose true probabilities are known, and see which measures feel how much.

    The true list has the probabilities 1/n, 2/n, ..., 1; those above 0.5 are positive. A perturbed
    list moves each by up to epsilon. Measures see the perturbed list and the labels, the target
    sees how far the list is from the true one (huang2007, section 4).

    Parameters
    ----------
    n
        How many examples a list has. The paper does not say; about 26 reproduces its Table 5.
    measures
        Names, measures, mixed. Those of decisions decide at 0.5 unless they say where they cut.
        Two-level measures are correlated as the number f + 0.01 g.
    target
        What measures are correlated with: a measure of the perturbed list against the labels; None
        for the root mean square error from the true probabilities.
    epsilons
        How far probabilities move: above 0, and 1 at most.
    lists
        How many lists a correlation is over.
    repetitions
        How many correlations are averaged, and compared by the paired t-test.
    cut
        "after": a uniform number between p - epsilon and p + epsilon is drawn and cut to [0, 1];
        "before": the range is cut, as the paper prints, which does not give its numbers.
    seed
        Of the random numbers.

    Returns
    -------
    PerturbedLists
        Correlations, everything turned so that higher is better, and tests of their differences.

    Examples
    --------
    >>> import metricatlas as ma
    >>> ma.perturbed_lists(measures=["acc@top=50%", "auc"], epsilons=0.5, repetitions=40)
    Correlation with minus the RMS error from the true probabilities, mean of 40 repetition(s):
    epsilon  acc@top=50%    auc
    0.5           0.4763 0.5306
    """
    world = _World(n, tuple(listed(measures)), target, lists, cut)
    world.check()
    steps = _checked(epsilons)
    for name, number, least in (("repetitions", repetitions, 1), ("seed", seed, 0)):
        _check_whole(name, number, least)
    together = max(1, TOGETHER // (lists * n))
    counts = [min(together, repetitions - first) for first in range(0, repetitions, together)]
    parts = list(product(steps, counts))
    seeds = np.random.SeedSequence(seed).spawn(len(parts))

    def batch(number: int) -> Array:
        return world.correlations(np.random.default_rng(seeds[number]), *parts[number])

    found: list[Array] = []
    pool = ThreadPoolExecutor(threads())
    try:
        with progress("Perturbing lists", len(parts)) as tell:
            for correlations in pool.map(batch, range(len(parts))):
                found.append(correlations)
                tell(len(found))
    finally:
        # Whoever presses Ctrl-C does not wait for batches that have not begun.
        pool.shutdown(cancel_futures=True)
    values = np.concatenate(found).reshape(len(steps), repetitions, -1)
    return PerturbedLists(world.names, steps, world.aim, values)


@dataclass(frozen=True)
class _World:
    """A true list, how it is perturbed, and who looks at it."""

    n: int
    measures: tuple[Any, ...]
    target: Any
    #: How many perturbed lists make a correlation.
    lists: int
    cut: Cut

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(m if isinstance(m, str) else m.name for m in self.measures)

    @property
    def aim(self) -> str:
        """The target in words."""
        return DISTANCE if self.target is None else str(parse(self.target).name)

    def check(self) -> None:
        _check_whole("n", self.n, 2)
        # Two points always lie on a line.
        _check_whole("lists", self.lists, 3)
        if not self.measures:
            msg = "measures must name at least one measure; got none."
            raise WorldError(msg)
        for asked in (*self.measures, *([] if self.target is None else [self.target])):
            if parse(asked).better == "neither":
                msg = (
                    f"a measure must say which value is better to be correlated; {asked} does not."
                )
                raise WorldError(msg)
        if self.cut not in get_args(Cut):
            msg = f"cut must be 'after' or 'before' the number is drawn; got {self.cut!r}."
            raise WorldError(msg)

    def correlations(self, rng: np.random.Generator, epsilon: float, count: int) -> Array:
        """Of so many repetitions the correlations of all measures with the target."""
        every, size = count * self.lists, max(1, TOGETHER // self.n)
        parts = [
            self._seen(self._perturbed(rng, epsilon, min(size, every - first)))
            for first in range(0, every, size)
        ]
        seen = np.concatenate(parts).reshape(count, self.lists, -1)
        return np.array([_with_the_last(values) for values in seen])

    @property
    def _true(self) -> Array:
        return np.arange(1, self.n + 1) / self.n

    def _perturbed(self, rng: np.random.Generator, epsilon: float, count: int) -> Array:
        share = rng.random((count, self.n))
        if self.cut == "after":
            return (self._true + (2 * share - 1) * epsilon).clip(0, 1)
        low, high = ((self._true + side * epsilon).clip(0, 1) for side in (-1, 1))
        return low + (high - low) * share

    def _seen(self, lists: Array) -> Array:
        """What measures, and last the target, make of lists; higher is better."""
        from metricatlas.evaluation.doors import evaluated

        # Whole numbers, as the halves of n = 3 or of any other n are no matter of rounding.
        positive = (2 * np.arange(1, self.n + 1) > self.n).astype(np.uint8)
        truth = np.broadcast_to(positive, lists.shape)
        last = () if self.target is None else (self.target,)
        asked = (*self.measures, *last)
        table = evaluated(
            truth, lists[:, :, np.newaxis], measures=asked, labels=[0, 1], kind="probabilities"
        )
        values = table.oriented().values
        if self.target is not None:
            return values
        distance = np.sqrt(np.square(lists - self._true).mean(axis=1))
        return np.column_stack([values, -distance])


def _with_the_last(values: Array) -> Array:
    """Correlate each column with the last one; NaN where one is constant, undefined or infinite."""
    known = np.isfinite(values).all(axis=0) & (values != values[0]).any(axis=0)
    away = np.where(known, values, 0.0)
    away = away - away.mean(axis=0)
    products = away.T @ away[:, -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        found = products / np.sqrt(np.square(away).sum(axis=0) * products[-1])
    return np.where(known & known[-1], found.clip(-1, 1), np.nan)[:-1]


def _checked(epsilons: Any) -> tuple[float, ...]:
    given = listed(epsilons)
    if not given or not all(is_number(e) and 0 < e <= 1 for e in given):
        msg = f"epsilons must lie above 0 and be 1 at most; got {given}."
        raise WorldError(msg)
    if len(set(given)) < len(given):
        msg = f"epsilons must be there once each; got {given}."
        raise WorldError(msg)
    return tuple(map(float, given))


def _check_whole(name: str, number: Any, least: int) -> None:
    if not is_whole(number) or number < least:
        msg = f"{name} must be a whole number from {least} on; got {number!r}."
        raise WorldError(msg)
