"""A population of which the true values of all measures are known, and test sets drawn from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metricatlas.evaluation.doors import evaluated
from metricatlas.measurements.columns import oriented_values

#: How far apart the scores of the two classes are, in standard deviations: of the better model, and
#: of the worse one.
APART = (2.0, 1.4)
#: Factors of the log-odds, and what is added to them: the better model is nearly calibrated (a
#: little too sure and too high, so that no two cuts are equally good), the worse one far too sure.
CONFIDENCE = (1.1, 2.0)
RAISED = (0.15, 0.0)
#: The correlation of the models' scores within a class.
SHARED = 0.5
#: How predictions are read: a small test set may lack a class, and rounded ones look like labels.
READ = {"labels": [0, 1], "pos_label": 1, "kind": "probabilities"}
#: Convergence is looked for between test sets of this ratio of sizes. Values that converge with the
#: root of n lie 4 times closer together in the larger, with its cube root 2.5 times; the others at
#: most as close. The limit is in the middle.
LARGER = 16
CLOSER = np.sqrt(2.5)
#: What differs by less is the same.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Population:
    """Two classes with normal scores, and two models."""

    prior: float
    #: Whether probabilities are rounded to tenths.
    tied: bool

    def draw(self, rng: np.random.Generator, count: int, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Truth, (count, n), and probabilities of the positive class, (count, 2, n)."""
        truth = (rng.random((count, n)) < self.prior).astype(np.int64)
        noise = rng.standard_normal((count, 2, n))
        noise[:, 1] = SHARED * noise[:, 0] + np.sqrt(1 - SHARED**2) * noise[:, 1]
        apart, factor, more = (np.array(x)[:, np.newaxis] for x in (APART, CONFIDENCE, RAISED))
        scores = apart * (truth[:, np.newaxis] - 0.5) + noise
        odds = apart * scores + np.log(self.prior / (1 - self.prior))
        probabilities = 1 / (1 + np.exp(-factor * odds - more))
        return truth, probabilities.round(1) if self.tied else probabilities

    def values(self, seed: np.random.SeedSequence, count: int, n: int) -> np.ndarray:
        """The better model's values in test sets, and what it is better by, (count, 2, m)."""
        truth, probabilities = self.draw(np.random.default_rng(seed), count, n)
        table = evaluated(
            np.repeat(truth, 2, axis=0),
            probabilities.reshape(2 * count, n, 1),
            measures=None,
            **READ,
        )
        own = table.values.reshape(count, 2, -1)
        upright = oriented_values(own, table.schema)
        with np.errstate(invalid="ignore"):
            return np.stack([own[:, 0], upright[:, 0] - upright[:, 1]], axis=1)


@dataclass(frozen=True)
class Moments:
    """Mean, standard deviation and number of the values there are."""

    mean: np.ndarray
    deviation: np.ndarray
    count: np.ndarray

    @classmethod
    def of(cls, values: np.ndarray) -> Moments:
        """Those along the first axis; of infinite values there are none."""
        known = ~np.isnan(values)
        count = known.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(known, values, 0.0).sum(axis=0) / count
            squares = np.where(known, np.square(values - mean), 0.0).sum(axis=0)
            deviation = np.sqrt(squares / (count - 1))
        finite = np.isfinite(mean)
        return cls(np.where(finite, mean, np.nan), np.where(finite, deviation, np.nan), count)

    @property
    def error(self) -> np.ndarray:
        """The standard error of the mean."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.deviation / np.sqrt(self.count)


def long_run(large: Moments, small: Moments) -> Moments:
    """Values of large test sets, where they lie closer together than those of small ones."""
    with np.errstate(invalid="ignore"):
        # What is the same in all test sets differs by rounding only.
        same = large.deviation <= ROUNDING * (1 + np.abs(large.mean))
        converges = same | (large.deviation < small.deviation / CLOSER)
    return Moments(
        np.where(converges, large.mean, np.nan),
        np.where(converges, large.deviation, np.nan),
        large.count,
    )


@dataclass(frozen=True)
class Truth:
    """Two readings of the true value, (2, m) each: the model's value, and the difference."""

    #: The mean over test sets of the same size.
    mean: Moments
    #: What the value tends to as the test set grows.
    long: Moments

    @property
    def readings(self) -> np.ndarray:
        """Both readings, (2, 2, m)."""
        return np.stack([self.mean.mean, self.long.mean])

    @property
    def differ(self) -> np.ndarray:
        """Where readings are farther apart than three standard errors, or only the second is."""
        with np.errstate(invalid="ignore"):
            gap = np.abs(self.mean.mean - self.long.mean)
            error = np.hypot(self.mean.error, self.long.error)
            apart = gap > 3 * error + ROUNDING * (1 + np.abs(self.mean.mean))
        return (apart | np.isnan(self.mean.mean)) & ~np.isnan(self.long.mean)
