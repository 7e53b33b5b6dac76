"""Stopping early under a measure, as huang2007 trains networks."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from inspect import isroutine
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.evaluation.doors import evaluated
from metricatlas.measures.language import parse
from metricatlas.measures.terms import TwoLevel
from metricatlas.predictions.numbers import is_number, is_whole

if TYPE_CHECKING:
    from metricatlas.measures.terms import Measure

#: What `evaluate` may be told beside the data.
_OPTIONS = ("pos_label", "labels", "threshold", "kind")


@dataclass
class EarlyStopping:
    """Keep the best state of a training, and say when to stop.

    After every epoch `update` is told how the model predicts. It looks so many epochs ahead: if the
    measure has not gained more than `gain` since the best one, training may stop, and the state of
    the best epoch is the one to use. It knows no framework: a state is whatever you give.

    Every epoch ahead may be the better one. The paper looks at the last of them alone, which is
    ``every`` equal to ``ahead``: 100 epochs and a gain of 0.01 there.

    A two-level measure is compared as the pair: by the second level where the first has neither
    gained more than `gain` nor lost. ``number=True`` asks for the paper's number, f + 0.01 g.

    Examples
    --------
    >>> import metricatlas as ma
    >>> stopping = ma.EarlyStopping("auc:acc", ahead=2)
    >>> y = [0, 1, 0, 1]
    >>> for epoch, p in enumerate([[0.6, 0.5, 0.1, 0.9], [0.1, 0.5, 0.2, 0.9]] + 3 * [[0.5] * 4]):
    ...     if stopping.update(y, p, state=f"weights {epoch}"):
    ...         break
    >>> epoch, stopping.best_epoch, stopping.best_state
    (3, 1, 'weights 1')
    """

    measure: str | Measure
    #: How many epochs without gain are looked at before training stops.
    ahead: int = 10
    #: A gain of no more than this counts as none.
    gain: float = 0.0
    #: Whether a two-level measure is the paper's number instead of a pair.
    number: bool = False
    #: What `evaluate` takes: pos_label, labels, threshold, kind.
    options: dict[str, Any] = field(default_factory=dict)
    #: The measure is computed in the first epoch, and then in one of so many.
    every: int = 1
    best_epoch: int = field(default=-1, init=False)
    best_state: Any = field(default=None, init=False)
    #: The values so far, turned so that higher is better; pairs for a two-level measure.
    history: list[tuple[float, ...]] = field(default_factory=list, init=False)
    #: How many epochs it has been told of.
    epochs: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if parse(self.measure).better == "neither":
            msg = f"a measure must say which value is better to stop by; {self.measure} does not."
            raise MeasureError(msg)
        for name in ("ahead", "every"):
            number = getattr(self, name)
            if not is_whole(number) or number < 1:
                msg = f"{name} must be a whole number of epochs from 1 on; got {number!r}."
                raise MeasureError(msg)
        if not is_number(self.gain) or self.gain < 0:
            msg = f"gain must be a number from 0 on; got {self.gain!r}."
            raise MeasureError(msg)
        odd = [name for name in self.options if name not in _OPTIONS]
        if odd:
            msg = f"options must be some of {', '.join(_OPTIONS)}; got {odd[0]!r}."
            raise MeasureError(msg)

    def update(
        self,
        y_true: object,
        prediction: object,
        *,
        state: Any = None,
        sample_weight: object = None,
    ) -> bool:
        """Tell of an epoch; True where training should stop.

        Parameters
        ----------
        y_true, prediction, sample_weight
            As for `evaluate`, of training data or of data that are held out.
        state
            What to keep if this is the best epoch: a copy of the weights, or a function that
            returns one, which is called only then.

        Returns
        -------
        bool
            Whether so many epochs have brought no gain.
        """
        epoch = self.epochs
        self.epochs += 1
        if epoch % self.every == 0:
            value = self._value(y_true, prediction, sample_weight)
            self.history.append(value)
            if self._gained(value):
                self.best_epoch = epoch
                # A network can be called as well, but it is a state.
                called = isroutine(state) or isinstance(state, partial)
                self.best_state = state() if called else state
        return self.epochs_without_gain >= self.ahead

    @property
    def best(self) -> tuple[float, ...]:
        """The value of the best epoch; NaN before there is one."""
        return self.history[self.best_epoch // self.every] if self.best_epoch >= 0 else (np.nan,)

    @property
    def epochs_without_gain(self) -> int:
        """How many epochs have passed since the best one."""
        return self.epochs - 1 - self.best_epoch

    def _value(self, y_true: object, prediction: object, weight: object) -> tuple[float, ...]:
        """The measure of an epoch, oriented: a pair, or one number."""
        table = evaluated(
            y_true, prediction, measures=self.measure, sample_weight=weight, **self.options
        )
        if len(table) != 1:
            msg = f"an epoch is one prediction; got {len(table)}."
            raise MeasureError(msg)
        pair = isinstance(parse(self.measure), TwoLevel) and not self.number
        return tuple((table.levels(0) if pair else table.oriented().values)[0].tolist())

    def _gained(self, value: tuple[float, ...]) -> bool:
        """Whether an epoch is better than the best by more than the gain; undefined is not."""
        if np.isnan(value).any():
            return False
        if self.best_epoch < 0:
            return True
        for new, old in zip(value, self.best, strict=True):
            if new > old + self.gain:
                return True
            if new < old:
                return False
        return False
