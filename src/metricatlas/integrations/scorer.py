"""Scorers for scikit-learn: ``cross_validate``, ``GridSearchCV`` and their like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.evaluation import evaluate
from metricatlas.evaluation.doors import evaluated
from metricatlas.integrations.answers import Question
from metricatlas.integrations.classes import all_classes
from metricatlas.integrations.own_measures import own_measures
from metricatlas.measures.language import parse
from metricatlas.measures.terms import TwoLevel

if TYPE_CHECKING:
    from metricatlas.integrations.own_measures import OwnMeasure
    from metricatlas.measurements import Measurements
    from metricatlas.measures.terms import Measure

#: Weight of the second level in a score: so little that it only breaks ties of the first, and so
#: much that a float still holds it beside the first.
TIE_BREAK = 2.0**-36
_LARGE = 1e9


# Scorers are told apart by identity, as those of scikit-learn are.
@dataclass(eq=False, repr=False)
class Scorer:
    """A measure, or several, as scikit-learn asks for scores: higher is better.

    The model is called once, for whatever the measures need: `predict` where all are of decisions,
    else `predict_proba`, or `decision_function` where scores are enough.
    """

    measures: tuple[str | Measure, ...]
    #: Whether one number is returned, or a dictionary.
    single: bool
    pos_label: Any = None
    labels: tuple[Any, ...] | None = None
    threshold: float | None = None
    #: Whether weights are asked for where scikit-learn routes metadata, or by which name.
    weights: bool | str | None = None

    def __call__(
        self, estimator: Any, X: Any, y_true: Any, *, sample_weight: Any = None
    ) -> float | dict[str, float]:
        """Score a fitted model."""
        question = Question(
            self.measures,
            all_classes([estimator], y_true, self.labels, self.pos_label),
            self.pos_label,
            self.threshold,
        )
        table = evaluate(
            y_true,
            measures=self.measures,
            sample_weight=sample_weight,
            **question.answer(estimator, X),
        )
        values = _scores(table)
        return values[0] if self.single else dict(zip(table.columns, values, strict=True))

    # -- What scikit-learn asks of scorers -------------------------------------------------------

    def set_score_request(self, *, sample_weight: bool | str | None = None) -> Self:
        """Ask for weights where scikit-learn routes metadata, as with its own scorers.

        Parameters
        ----------
        sample_weight
            True, False, None for an error if some are passed, or the name they are passed by.
        """
        self.weights = sample_weight
        return self

    def get_metadata_routing(self) -> Any:
        """What scikit-learn may pass on."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner=self)
        request.score.add_request(param="sample_weight", alias=self.weights)
        return request

    def _accept_sample_weight(self) -> bool:
        """Whether weights may be passed where scikit-learn does not route metadata."""
        return True

    # TunedThresholdClassifierCV takes scorers apart, to judge decisions at one cut after another.
    _sign = 1

    @property
    def _kwargs(self) -> dict[str, Any]:
        return {} if self.pos_label is None else {"pos_label": self.pos_label}

    def _score_func(
        self, y_true: Any, y_pred: Any, *, pos_label: Any = None, sample_weight: Any = None
    ) -> float:
        """The score of decisions; the worst where it is undefined, so that no such cut is best."""
        if not self.single:
            msg = f"a threshold is tuned under one measure; got {self!r}. Name one, not a list."
            raise MeasureError(msg)
        table = evaluated(
            y_true,
            y_pred,
            measures=self.measures,
            sample_weight=sample_weight,
            labels=self.labels,
            pos_label=pos_label,
            kind="labels",
        )
        (score,) = _scores(table)
        worst = table.oriented().schema[0].lower
        # scikit-learn interpolates between these scores.
        return float(np.clip(worst if np.isnan(score) else score, -_LARGE, _LARGE))

    # -- As an object ----------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"scorer({', '.join(repr(str(m)) for m in self.measures)})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Measures are pickled as names, so one's own must be defined again before they are read.
        return _rebuilt, (own_measures(self.measures), vars(self))


def _rebuilt(_own: tuple[OwnMeasure, ...], parts: dict[str, Any]) -> Scorer:
    return Scorer(**parts)


def _scores(table: Measurements) -> list[float]:
    """Values of which higher is better; a pair is one number that orders as pairs do."""
    values: list[float] = table.oriented().values[0].tolist()
    for column, pair in table.pairs.items():
        first, second = pair[0].tolist()
        values[column] = first + TIE_BREAK * _bounded(second)
    return values


def _bounded(value: float) -> float:
    """The same order within [-2, 2]; values within [-1, 1] are themselves."""
    return value if not abs(value) > 1 else float(np.copysign(2 - 1 / abs(value), value))


def scorer(
    measures: str | Measure | Iterable[str | Measure],
    *,
    pos_label: Any = None,
    labels: Iterable[Any] | None = None,
    threshold: float | None = None,
) -> Scorer:
    """Make a scorer for scikit-learn of a measure, or of several at once.

    Losses are negated, so that higher is better. A two-level measure is one number that orders as
    the pair does: the first level, with so little of the second that it only breaks ties.

    Parameters
    ----------
    measures
        One measure, for a score; several, for a dictionary of scores from one call of the model.
    pos_label
        The positive class of two, unless it is True, or 1 of {0, 1} or {-1, 1}.
    labels
        All classes; those of the fitted model and of the truth by default.
    threshold
        Decide positive iff the score is greater. By default the model's own threshold, if it is a
        `FixedThresholdClassifier` or a `TunedThresholdClassifierCV`; else 0.5 for probabilities and
        0 for margins.

    Examples
    --------
    >>> import metricatlas as ma
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> found = cross_validate(GaussianNB(), X, y, scoring=ma.scorer(["auc:acc", "brier"]))
    >>> sorted(found)[-2:]
    ['test_auc:acc', 'test_brier']
    """
    single = isinstance(measures, str) or not isinstance(measures, Iterable)
    asked: tuple[Any, ...] = (measures,) if single else tuple(measures)  # type: ignore[arg-type]
    if not asked:
        msg = "a scorer must have one measure at least; got none."
        raise MeasureError(msg)
    for name in asked:
        measure = parse(name)
        if measure.better == "neither" and not isinstance(measure, TwoLevel):
            msg = f"a score must say which value is better; {name} does not."
            raise MeasureError(msg)
    if len({str(name) for name in asked}) < len(asked):
        msg = f"measures of one scorer must differ; got {', '.join(map(str, asked))}."
        raise MeasureError(msg)
    classes = None if labels is None else tuple(labels)
    return Scorer(asked, single, pos_label=pos_label, labels=classes, threshold=threshold)
