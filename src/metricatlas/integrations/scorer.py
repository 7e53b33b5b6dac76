"""Scorers for scikit-learn: ``cross_validate``, ``GridSearchCV`` and their like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.evaluation import evaluate
from metricatlas.measures.declaration import NEEDS
from metricatlas.measures.language import parse
from metricatlas.measures.terms import TwoLevel

if TYPE_CHECKING:
    from metricatlas.measures.terms import Measure

#: Weight of the second level in a score: so little that it only breaks ties of the first.
TIE_BREAK = 2.0**-30
#: What a model is asked, by what measures need: the first of these methods that it has.
_METHODS = {
    "labels": ("predict",),
    "scores": ("decision_function", "predict_proba"),
    "probabilities": ("predict_proba",),
}


@dataclass(frozen=True)
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

    def __call__(
        self, estimator: Any, X: Any, y_true: Any, *, sample_weight: Any = None
    ) -> float | dict[str, float]:
        """Score a fitted model."""
        kind, predicted = self._asked(estimator, X)
        labels = self.labels
        if labels is None and kind != "labels" and hasattr(estimator, "classes_"):
            labels = tuple(np.asarray(estimator.classes_).tolist())
        positive = self._positive(labels)
        if kind == "scores" and np.ndim(predicted) == 1 and _is_first(positive, labels):
            # Margins are of the second class.
            predicted = -np.asarray(predicted)
        table = evaluate(
            y_true,
            predicted,
            measures=self.measures,
            sample_weight=sample_weight,
            labels=labels,
            pos_label=positive,
            threshold=self._threshold(kind, predicted),
            kind=kind,
        )
        values = table.oriented().values[0].tolist()
        for column, pair in table.pairs.items():
            first, second = pair[0].tolist()
            values[column] = first + TIE_BREAK * second
        if self.single:
            return float(values[0])
        return dict(zip(table.columns, values, strict=True))

    def _asked(self, estimator: Any, X: Any) -> tuple[str, Any]:
        need = max((parse(m).needs for m in self.measures), key=NEEDS.index)
        method = next((m for m in _METHODS[need] if hasattr(estimator, m)), None)
        if method is None:
            msg = (
                f"a model must have {' or '.join(_METHODS[need])} to be scored by "
                f"{', '.join(map(str, self.measures))}; {type(estimator).__name__} has not. Ask "
                f"for other measures, or wrap it in scikit-learn's CalibratedClassifierCV."
            )
            raise MeasureError(msg)
        predicted = getattr(estimator, method)(X)
        if method == "predict_proba":
            return "probabilities", predicted
        return ("labels" if method == "predict" else "scores"), predicted

    def _positive(self, labels: Any) -> Any:
        return self.pos_label if labels is None or len(labels) == 2 else None

    def _threshold(self, kind: str, predicted: Any) -> float | None:
        """Margins decide at 0, where nothing else is said."""
        if self.threshold is None and kind == "scores" and np.ndim(predicted) == 1:
            return 0.0
        return self.threshold

    def __repr__(self) -> str:
        return f"scorer({', '.join(repr(str(m)) for m in self.measures)})"


def _is_first(positive: Any, labels: Any) -> bool:
    """Whether the positive class is the first of two."""
    return positive is not None and labels is not None and bool(labels[0] == positive)


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
        All classes; those of the fitted model by default.
    threshold
        Decide positive iff the score is greater: 0.5 for probabilities, 0 for margins by default.

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
