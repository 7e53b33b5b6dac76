"""Measurements of fitted models as a chart, made as the displays of scikit-learn are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

from metricatlas.errors import MeasureError, MetricAtlasError
from metricatlas.evaluation.doors import Measures, evaluated
from metricatlas.integrations.cases import Case, evaluate_cases
from metricatlas.measurements import Measurements

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection
    from matplotlib.figure import Figure, SubFigure


class MeasurementsDisplay:
    """Measurements as a chart: a line for each measure, a dot for each model.

    A dot stands between the worst possible value of its measure, at the left, and the best; the
    values are written beside it, the best in bold. A measure without bounds has values only. Make
    it with `from_estimator`, `from_predictions` or `from_cv_results`, or from any table; several
    models are a dict. Drawing needs Matplotlib.

    Parameters
    ----------
    measurements
        A table, of whose rows the key ``model`` tells the models. Of a model with several rows,
        folds for example, these are small dots, and the large dot is their mean.

    Attributes
    ----------
    measurements : Measurements
        The table.
    ax_, figure_ : Axes, Figure
        Where it was drawn.
    dots_ : list of PathCollection
        The dots of each model.
    """

    ax_: Axes
    figure_: Figure | SubFigure
    dots_: list[PathCollection]

    def __init__(self, measurements: Measurements) -> None:
        self.measurements = _checked_table(measurements)

    def plot(self, ax: Axes | None = None, *, measures: Measures = None, **kwargs: Any) -> Self:
        """Draw the chart.

        Parameters
        ----------
        ax
            Axes of Matplotlib's to draw on; a new figure of a readable size by default.
        measures
            Those to be drawn; default: all in the table.
        **kwargs
            How dots look, as Matplotlib's `scatter` takes it: ``s``, ``marker``, ``alpha``.
        """
        _check_matplotlib()
        import matplotlib.pyplot as plt
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        from metricatlas.integrations.dots import find_dots
        from metricatlas.integrations.drawing import draw, size_of

        table = self.measurements if measures is None else self.measurements.select(measures)
        dots = find_dots(table)
        if ax is None:
            margins = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1)
            _, ax = plt.subplots(figsize=size_of(dots), layout=margins)
        self.dots_ = draw(dots, ax, kwargs)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        measures: Measures = None,
        sample_weight: Any = None,
        response_method: str = "auto",
        labels: Any = None,
        pos_label: Any = None,
        threshold: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Evaluate a fitted model, or several, and draw the chart.

        Parameters
        ----------
        estimator
            A fitted classifier, or a dict of several by name. Each is asked once.
        X, y, sample_weight
            The examples, their classes, and perhaps a weight for each.
        measures
            Names, aliases, measures, mixed; None for all that fit.
        response_method
            "predict_proba", "decision_function" or "predict"; "auto" for what the measures need,
            and without `measures` the first of these that the model has.
        labels, pos_label, threshold
            As for `scorer`.
        name
            The name of the model; default: that of its class.
        ax, **kwargs
            As for `plot`.

        Examples
        --------
        >>> import metricatlas as ma
        >>> from sklearn.datasets import load_breast_cancer
        >>> from sklearn.naive_bayes import GaussianNB
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = GaussianNB().fit(X[::2], y[::2])
        >>> display = ma.MeasurementsDisplay.from_estimator(
        ...     model, X[1::2], y[1::2], measures=["auc", "mcc", "brier"]
        ... )
        >>> display.measurements["auc"].round(3)
        array([0.986])
        """
        _check_matplotlib()
        models = _named(estimator, name, type(estimator).__name__)
        table = evaluate_cases(
            [Case(model, X, y, sample_weight) for model in models.values()],
            {"model": list(models)},
            y,
            measures=measures,
            response_method=response_method,
            labels=labels,
            pos_label=pos_label,
            threshold=threshold,
        )
        return cls(table).plot(ax, **kwargs)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        measures: Measures = None,
        sample_weight: Any = None,
        labels: Any = None,
        pos_label: Any = None,
        threshold: float | None = None,
        kind: str | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Evaluate predictions as `evaluate` does, and draw the chart.

        Parameters
        ----------
        y_true, y_pred
            The true labels; labels, scores or probabilities of a model, or a dict of several.
        measures, sample_weight, labels, pos_label, threshold, kind
            As for `evaluate`.
        name
            The name of the model; default: "Classifier".
        ax, **kwargs
            As for `plot`.
        """
        _check_matplotlib()
        table = evaluated(
            y_true,
            _named(y_pred, name, "Classifier"),
            measures=measures,
            sample_weight=sample_weight,
            labels=labels,
            pos_label=pos_label,
            threshold=threshold,
            kind=kind,
        )
        return cls(table).plot(ax, **kwargs)

    @classmethod
    def from_cv_results(
        cls,
        cv_results: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        measures: Measures = None,
        sample_weight: Any = None,
        response_method: str = "auto",
        labels: Any = None,
        pos_label: Any = None,
        threshold: float | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Evaluate the models of all folds by what these left out, and draw the chart.

        Parameters
        ----------
        cv_results
            What `cross_validate` returns with ``return_estimator=True, return_indices=True``, or a
            dict of several by name. The table has the keys ``model`` and ``fold``.
        X, y, sample_weight
            What `cross_validate` was given.
        measures, response_method, labels, pos_label, threshold, name, ax, **kwargs
            As for `from_estimator`.
        """
        _check_matplotlib()
        cases, keys = _folds(cv_results, X, y, sample_weight, name)
        table = evaluate_cases(
            cases,
            keys,
            y,
            measures=measures,
            response_method=response_method,
            labels=labels,
            pos_label=pos_label,
            threshold=threshold,
        )
        return cls(table).plot(ax, **kwargs)


def _check_matplotlib() -> None:
    try:
        import matplotlib as mpl  # noqa: F401 - whether it is there
    except ModuleNotFoundError as error:
        msg = (
            "matplotlib is not installed; `pip install metricatlas[plot]` installs it. `evaluate` "
            "gives the table without it."
        )
        raise MetricAtlasError(msg) from error


def _checked_table(table: Any) -> Measurements:
    if isinstance(table, Measurements) and table.values.size:
        return table
    came = "one without values" if isinstance(table, Measurements) else type(table).__name__
    msg = f"a display must have a table of measurements; got {came}. `evaluate` makes one."
    raise MetricAtlasError(msg)


def _named(given: Any, name: str | None, default: str) -> Mapping[Any, Any]:
    """Models, or predictions, by name."""
    if not isinstance(given, Mapping):
        return {default if name is None else name: given}
    if name is not None:
        msg = f"name is for a single model; of a dict the keys are the names; got {name!r} as well."
        raise MeasureError(msg)
    if not given:
        msg = "a display must have one model at least; got an empty dict."
        raise MeasureError(msg)
    return given


def _folds(
    results: Any, X: Any, y: Any, weight: Any, name: str | None
) -> tuple[list[Case], dict[str, list[Any]]]:
    """The models of all folds, each with the examples that it has not seen."""
    from sklearn.utils import _safe_indexing as rows_of

    one = not isinstance(results, Mapping) or "estimator" in results or "fit_time" in results
    named: Mapping[Any, Any] = {None: results} if one else _named(results, name, "")
    cases: list[Case] = []
    keys: dict[str, list[Any]] = {"model": [], "fold": []}
    for title, found in named.items():
        if not isinstance(found, Mapping) or not {"estimator", "indices"} <= set(found):
            msg = (
                "cv_results must be what cross_validate returns with return_estimator=True and "
                "return_indices=True, or a dict of several; got something without them."
            )
            raise MeasureError(msg)
        for fold, (model, test) in enumerate(
            zip(found["estimator"], found["indices"]["test"], strict=True)
        ):
            held = None if weight is None else rows_of(weight, test)
            cases.append(Case(model, rows_of(X, test), rows_of(y, test), held))
            keys["model"].append((name or type(model).__name__) if title is None else title)
            keys["fold"].append(fold)
    return cases, keys
