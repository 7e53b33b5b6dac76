"""What a fitted model says of examples, asked once, in the form that `evaluate` takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import MeasureError
from metricatlas.integrations.classes import Classes, classes_of
from metricatlas.integrations.thresholds import innermost, own_cut, own_method
from metricatlas.measures.declaration import NEEDS
from metricatlas.measures.language import parse
from metricatlas.measures.terms import Term
from metricatlas.predictions.labels import same, shown

if TYPE_CHECKING:
    from metricatlas.measures.terms import Measure

#: What the methods of models return, the richest first.
KINDS = {"predict_proba": "probabilities", "decision_function": "scores", "predict": "labels"}
#: Cuts at a number on the scale of the scores, which is that of probabilities where there are some.
_CUTS_BY_NUMBER = ("at", "prevalence")


def _cuts_by_number(measure: Measure) -> bool:
    point = measure.point if isinstance(measure, Term) else None
    if point is not None and point.kind in _CUTS_BY_NUMBER:
        return True
    return any(map(_cuts_by_number, measure.parts))


@dataclass(frozen=True)
class Question:
    """What fitted models are asked, whichever they are."""

    #: None for all that fit.
    measures: tuple[str | Measure, ...] | None
    #: All classes, as `all_classes` finds them; none where they are not known.
    classes: Classes | None = None
    pos_label: Any = None
    threshold: float | None = None
    #: The method to call; None for what the measures need.
    wanted: str | None = None

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """Methods of a model that serve the measures, the best first."""
        if self.wanted is not None:
            return (self.wanted,)
        if self.measures is None:
            return tuple(KINDS)
        measures = [parse(name) for name in self.measures]
        needs = max((m.needs for m in measures), key=NEEDS.index)
        cut = self.threshold is not None
        if needs == "labels" and not cut:
            return ("predict",)
        scores = ("decision_function",) if needs != "probabilities" else ()
        by_number = cut or any(map(_cuts_by_number, measures))
        return ("predict_proba", *scores) if by_number else (*scores, "predict_proba")

    def answer(self, estimator: Any, X: Any) -> dict[str, Any]:
        """Call a model once; what `evaluate` takes beside the truth and the measures."""
        _refuse_other_tasks(estimator)
        method = self._method(estimator)
        values = getattr(estimator, method)(X)
        given = {
            "kind": KINDS[method],
            "labels": self.classes,
            "pos_label": self.pos_label,
            "threshold": self.threshold,
        }
        if method == "predict":
            return {"predictions": values, **given}
        values = np.asarray(values)
        known = classes_of(estimator)
        if known is not None and self.classes is not None:
            values = self._arranged(values, known, method)
        if self.threshold is None:
            given["threshold"] = self._cut(estimator, values, method)
        return {"predictions": values, **given}

    def _method(self, estimator: Any) -> str:
        own = own_method(estimator)
        # The threshold of a model's own is on the scale of one of them.
        methods = sorted(self.methods, key=lambda method: method != own)
        method = next((m for m in methods if _has(estimator, m)), None)
        if method is None:
            _check_is_fitted(estimator)
            scored = ", ".join(map(str, self.measures or ()))
            msg = (
                f"a model must have {' or '.join(self.methods)} to be "
                f"{f'scored by {scored}' if scored else 'evaluated'}; {type(estimator).__name__} "
                f"has not. Ask for other measures, or wrap it in scikit-learn's "
                f"CalibratedClassifierCV."
            )
            raise MeasureError(msg)
        return method

    def _arranged(self, values: Any, known: Classes, method: str) -> Any:
        """The columns of the classes in their order; a class that the model lacks has nothing."""
        classes: Classes = self.classes or ()
        unnamed = tuple(c for c in known if c not in classes)
        if unnamed:
            msg = f"labels must name all classes of the model; {shown(unnamed)} are missing."
            raise MeasureError(msg)
        probabilities = method == "predict_proba"
        if values.ndim == 1 and len(known) == 2:
            # One column is of the second class.
            if len(classes) == 2 and not probabilities:
                return -values if same(self._positive, known[0]) else values
            values = np.column_stack([1 - values if probabilities else -values, values])
        if values.ndim != 2 or values.shape[1] != len(known):
            msg = (
                f"{method} must return a column for each of the classes {shown(known)}; got the "
                f"shape {values.shape}."
            )
            raise MeasureError(msg)
        nothing = 0.0 if probabilities else float(values.min(initial=0.0)) - 1.0
        columns = np.full((len(values), len(classes)), nothing)
        columns[:, [classes.index(c) for c in known]] = values
        return columns

    @property
    def _positive(self) -> Any:
        return 1 if self.pos_label is None else self.pos_label

    def _cut(self, estimator: Any, values: Any, method: str) -> float | None:
        """The model's own cut, if it has one for this method; else margins decide at 0."""
        if (values.ndim == 1 or values.shape[1] == 2) and own_method(estimator) == method:
            return own_cut(estimator, self._positive)
        return 0.0 if method == "decision_function" and values.ndim == 1 else None


def _has(estimator: Any, method: str) -> bool:
    if not hasattr(estimator, method):
        return False
    # Votes of pairs of classes are no scores of classes, though of three classes there are three.
    shape = getattr(innermost(estimator), "decision_function_shape", None)
    pairs = shape == "ovo" and len(getattr(estimator, "classes_", ())) > 2
    return not (method == "decision_function" and pairs)


def _refuse_other_tasks(estimator: Any) -> None:
    """Regressors and clusterers predict something, but no classes."""
    if isinstance(estimator, type):
        msg = f"a model must be fitted; got the class {estimator.__name__}. Make one and fit it."
        raise MeasureError(msg)
    try:
        task = estimator.__sklearn_tags__().estimator_type
    except AttributeError:
        # Older versions of scikit-learn, and models of one's own.
        task = getattr(estimator, "_estimator_type", None)
    if task in ("regressor", "clusterer"):
        msg = (
            f"a model must be a classifier; {type(estimator).__name__} is a {task}. Evaluate what "
            f"it predicts, with kind='scores', if it is meant as a score of the positive class."
        )
        raise MeasureError(msg)


def _check_is_fitted(estimator: Any) -> None:
    """Some models have their methods only once they are fitted: scikit-learn says which."""
    from sklearn.utils.validation import check_is_fitted

    if hasattr(estimator, "fit"):
        check_is_fitted(estimator)
