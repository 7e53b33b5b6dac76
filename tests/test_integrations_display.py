"""Charts of measurements: what they show, where, and how they come about."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, matthews_corrcoef, roc_auc_score
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import metricatlas as ma
from metricatlas.measurements.sheet import UNDEFINED

mpl = pytest.importorskip("matplotlib", reason="charts need metricatlas[plot]")
mpl.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

Display = ma.MeasurementsDisplay
FEW = ["acc", "auc", "mcc", "brier", "log_loss"]


@pytest.fixture(autouse=True)
def _no_figure_is_left():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :4], y


@pytest.fixture(scope="module")
def models(cancer):
    return {
        "Bayes": GaussianNB().fit(*cancer),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0).fit(*cancer),
    }


def written(display):
    """Return the texts of the chart but for the names, by line."""
    found = {}
    for text in display.ax_.texts:
        found.setdefault(round(text.xy[1]), []).append(text.get_text())
    return found


# -- Where it comes from ---------------------------------------------------------------------------


def test_the_values_of_an_estimator_are_those_of_scikit_learn(cancer, models):
    X, y = cancer
    model = models["Bayes"]
    display = Display.from_estimator(model, X, y, measures=FEW)
    p = model.predict_proba(X)[:, 1]
    assert display.measurements.values[0] == pytest.approx(
        [
            model.score(X, y),
            roc_auc_score(y, p),
            matthews_corrcoef(y, model.predict(X)),
            brier_score_loss(y, p),
            log_loss(y, p),
        ]
    )
    assert display.measurements.rows["model"].tolist() == ["GaussianNB"]
    assert display.figure_ is display.ax_.figure


def test_an_estimator_is_asked_once():
    class Asked(GaussianNB):
        calls = 0

        def predict_proba(self, X):
            type(self).calls += 1
            return super().predict_proba(X)

        def predict(self, _X):
            raise AssertionError

    X, y = load_breast_cancer(return_X_y=True)
    model = Asked().fit(X, y)
    Display.from_estimator(model, X, y)
    assert Asked.calls == 1


def test_the_best_that_a_model_can_say_is_asked_without_measures(cancer):
    X, y = cancer
    named = np.where(y, "good", "bad")
    margins = LinearSVC().fit(X, named)
    display = Display.from_estimator(margins, X, named, pos_label="bad")
    table = display.measurements
    assert table["auc"][0] == pytest.approx(roc_auc_score(y, margins.decision_function(X)))
    assert table["acc"][0] == margins.score(X, named)
    assert "brier" not in table.columns
    decided = Display.from_estimator(
        margins, X, named, pos_label="bad", response_method="predict", name="mine"
    )
    assert decided.measurements["acc"][0] == margins.score(X, named)
    assert "auc" not in decided.measurements.columns
    assert decided.measurements.rows["model"].tolist() == ["mine"]


def test_models_that_say_less_have_undefined_values_where_others_have_more(cancer, models):
    X, y = cancer
    several = {**models, "margins": LinearSVC().fit(X, y)}
    table = Display.from_estimator(several, X, y).measurements
    expected = Display.from_estimator(models, X, y).measurements
    assert table.columns == expected.columns
    assert table.where(model=["Bayes", "tree"]).values == pytest.approx(
        expected.values, nan_ok=True
    )
    assert table.where(model="margins")["acc"][0] == several["margins"].score(X, y)
    assert table.reason(2, "brier") == "It needs probabilities."


def test_predictions_are_evaluated_as_by_evaluate(cancer, models):
    X, y = cancer
    w = np.arange(len(y)) % 3
    predictions = {name: model.predict_proba(X) for name, model in models.items()}
    display = Display.from_predictions(y, predictions, measures=FEW, sample_weight=w)
    assert display.measurements == ma.evaluate(y, predictions, measures=FEW, sample_weight=w)
    alone = Display.from_predictions(y, predictions["tree"], measures=FEW)
    assert alone.measurements.rows["model"].tolist() == ["Classifier"]


def test_weights_of_estimators_count(cancer, models):
    X, y = cancer
    w = np.random.default_rng(0).random(len(y))
    found = Display.from_estimator(models, X, y, measures="auc", sample_weight=w).measurements
    assert found["auc"] == pytest.approx(
        [roc_auc_score(y, m.predict_proba(X)[:, 1], sample_weight=w) for m in models.values()]
    )


def test_folds_are_those_of_cross_validate(cancer):
    X, y = pd.DataFrame(cancer[0]), pd.Series(cancer[1])
    results = cross_validate(
        GaussianNB(),
        X,
        y,
        scoring=["accuracy", "roc_auc"],
        return_estimator=True,
        return_indices=True,
    )
    display = Display.from_cv_results(results, X, y, measures=["acc", "auc"])
    table = display.measurements
    assert table["acc"] == pytest.approx(results["test_accuracy"])
    assert table["auc"] == pytest.approx(results["test_roc_auc"])
    assert table.rows["fold"].tolist() == [0, 1, 2, 3, 4]
    mean, spread = results["test_roc_auc"].mean(), results["test_roc_auc"].std()
    assert written(display)[1] == [f"{mean:.4f} ± {spread:.4f}"]
    both = {"first": results, "second": results}
    table = Display.from_cv_results(both, X, y, measures="acc").measurements
    assert table.rows["model"].tolist() == ["first"] * 5 + ["second"] * 5


def test_folds_without_some_class_are_all_judged_among_the_same_classes():
    X, y = load_wine(return_X_y=True)
    results = cross_validate(
        GaussianNB(), X, y, cv=KFold(3), return_estimator=True, return_indices=True
    )
    assert {len(model.classes_) for model in results["estimator"]} == {2, 3}
    table = Display.from_cv_results(results, X, y, measures=["acc", "brier", "f1"]).measurements
    assert table["acc"] == pytest.approx(results["test_score"])
    assert table.schema[2].measure == "f1[macro]"
    assert table.schema[1].upper == 2


# -- What is drawn ---------------------------------------------------------------------------------


def test_dots_stand_between_the_worst_and_the_best_possible_value(cancer, models):
    display = Display.from_estimator(models, *cancer, measures=[*FEW, "calibration_in_the_large"])
    table = display.measurements
    for row, dots in enumerate(display.dots_):
        acc, auc, mcc, brier, _, bias = table.values[row]
        places = np.asarray(np.ma.filled(dots.get_offsets(), np.nan))
        expected = [acc, auc, (mcc + 1) / 2, 1 - brier, np.nan, 1 - abs(bias)]
        assert places[:, 0] == pytest.approx(expected, nan_ok=True)
        assert np.rint(np.delete(places[:, 1], 4)).tolist() == [0, 1, 2, 3, 5]
    assert written(display)[4] == ["no bounds", *(f"{x:.4f}" for x in table["log_loss"])]


def test_the_best_is_bold_and_pairs_decide_by_their_second_level():
    y = [0, 0, 1, 1]
    same_order = {"a": [0.6, 0.7, 0.8, 0.9], "b": [0.1, 0.2, 0.8, 0.9], "c": [0.1, 0.9, 0.2, 0.8]}
    display = Display.from_predictions(y, same_order, measures=["auc", "auc:acc", "prevalence"])
    bold = [
        (round(text.xy[1]), text.get_text())
        for text in display.ax_.texts
        if text.get_weight() == "bold"
    ]
    assert bold == [(0, "1.0000"), (0, "1.0000"), (1, "1.0100")]


def test_of_many_models_the_best_value_is_written(cancer):
    X, y = cancer
    p = GaussianNB().fit(X, y).predict_proba(X)[:, 1]
    noise = np.random.default_rng(0)
    many = {f"m{i}": np.clip(p + i / 20 * noise.normal(size=len(p)), 0, 1) for i in range(1, 8)}
    display = Display.from_predictions(y, many, measures=["auc", "prevalence", "ks_threshold"])
    best = display.measurements["auc"].max()
    shares = f"{y.mean():.4f}"
    assert written(display) == {0: [f"{best:.4f}"], 1: [shares], 2: ["no bounds"]}
    legend = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert legend == list(many)
    looks = {(tuple(d.get_facecolor()[0]), len(d.get_paths()[0])) for d in display.dots_}
    assert len(looks) == 7


@pytest.mark.parametrize("count", [1, 5, 20, 60, 140])
def test_nothing_overlaps_and_nothing_is_cut_off(count, cancer, models):
    X, y = cancer
    names = list(ma.evaluate(y, models["Bayes"].predict_proba(X)).columns)[:count]
    display = Display.from_estimator(models, X, y, measures=names)
    figure = display.figure_
    figure.canvas.draw()
    legend = display.ax_.get_legend().get_texts()
    labels = [*display.ax_.get_yticklabels(), *legend, *display.ax_.texts]
    inside = figure.bbox
    boxes = [label.get_window_extent() for label in labels if label.get_text()]
    assert len(boxes) >= 3 * count
    for box in boxes:
        assert inside.x0 <= box.x0
        assert box.x1 <= inside.x1
        assert inside.y0 <= box.y0
        assert box.y1 <= inside.y1
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])


def test_a_part_of_a_table_is_drawn_on_axes_of_ones_own(cancer, models):
    display = Display.from_estimator(models, *cancer, measures=FEW)
    figure, (left, right) = plt.subplots(ncols=2)
    assert display.plot(left, measures=["mcc", "auc"]) is display
    assert display.ax_ is left
    assert display.figure_ is figure
    assert [label.get_text() for label in left.get_yticklabels()] == ["mcc", "auc"]
    display.plot(ax=right, measures="brier", color="black", s=[40])
    assert [label.get_text() for label in right.get_yticklabels()] == ["brier ↓"]
    assert {tuple(text.get_color()) for text in right.texts} == {(0, 0, 0, 1)}
    assert display.measurements.columns == tuple(FEW)


def test_any_table_can_be_drawn():
    with pytest.warns(ma.UndefinedWarning):
        table = ma.evaluate([0, 1, 1], [0.2, 0.4, 0.9], measures=["auc", "acc", "ppv@0.95"])
    display = Display(table).plot()
    assert display.ax_.get_legend() is None
    assert written(display) == {0: ["1.0000"], 1: ["0.6667"], 2: [UNDEFINED]}
    frame = pd.DataFrame({"site": ["A", "B"], "auc": [0.7, 0.8], "mine": [3.0, 2.0]})
    display = Display(ma.Measurements.from_frame(frame, keys="site")).plot()
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()] == ["A", "B"]
    assert written(display)[1] == ["no bounds", "3.0000", "2.0000"]


def test_names_are_written_as_they_are():
    odd = {"_first": [0.1, 0.9], "a$b$": [0.4, 0.6]}
    display = Display.from_predictions([0, 1], odd, measures=["auc", "recall[class=1]"])
    display.figure_.canvas.draw()
    texts = display.ax_.get_legend().get_texts()
    assert [text.get_text().strip() for text in texts] == list(odd)
    assert not any(text.get_parse_math() for text in texts)


def test_the_chart_of_the_page_is_drawn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = Path(__file__).parents[1] / "docs" / "scikit-learn.md"
    text = page.read_text(encoding="utf-8")
    (code,) = re.findall(r"^```py\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    X, y = load_breast_cancer(return_X_y=True)
    space = {"ma": ma, "X": X, "y": y, "GaussianNB": GaussianNB}
    exec(code, space)  # noqa: S102 - our own page
    assert (tmp_path / "models.png").stat().st_size > 1000
    assert space["display"].measurements.values.shape == (2, 5)


# -- What cannot be drawn --------------------------------------------------------------------------


def test_without_matplotlib_it_says_what_to_install(monkeypatch, cancer, models):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for make in (
        lambda: Display.from_estimator(models, *cancer),
        lambda: Display.from_predictions([0, 1], [0.1, 0.9]),
        lambda: Display.from_cv_results({}, *cancer),
        lambda: Display(ma.evaluate([0, 1], [0.1, 0.9], measures="auc")).plot(),
    ):
        with pytest.raises(ma.MetricAtlasError, match=r"pip install metricatlas\[plot\]"):
            make()


def test_matplotlib_is_imported_by_drawing_alone():
    program = (
        "import sys, metricatlas as ma; "
        "ma.MeasurementsDisplay(ma.evaluate([0, 1], [0.1, 0.9], measures='auc')); "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_estimators_that_are_no_fitted_classifiers_are_refused(cancer):
    for model, error, words in (
        (LogisticRegression(), NotFittedError, "not fitted"),
        (LinearRegression().fit(*cancer), ma.MeasureError, "is a regressor"),
        (KMeans(2).fit(cancer[0]), ma.MeasureError, "is a clusterer"),
        (GaussianNB, ma.MeasureError, "must be fitted; got the class GaussianNB"),
        ({}, ma.MeasureError, "one model at least"),
    ):
        with pytest.raises(error, match=words):
            Display.from_estimator(model, *cancer)


def test_bad_arguments_are_refused(cancer, models):
    X, y = cancer
    named = np.where(y, "good", "bad")
    for given, words in (
        ({"name": "both"}, "name is for a single model"),
        ({"measures": []}, "at least one measure"),
        ({"measures": ["auk"]}, "there is no measure 'auk'"),
        ({"response_method": "transform"}, "response_method must be auto, .*; got 'transform'"),
        ({"response_method": "decision_function"}, "must have decision_function"),
    ):
        with pytest.raises(ma.MeasureError, match=words):
            Display.from_estimator(models, X, y, **given)
    with pytest.raises(ma.PredictionError, match="pos_label='bad' or pos_label='good'"):
        Display.from_estimator(GaussianNB().fit(X, named), X, named)
    with pytest.raises(ma.MeasureError, match="return_estimator=True and return_indices=True"):
        Display.from_cv_results(cross_validate(GaussianNB(), X, y), X, y)
    for table, words in (([0.5], "got list"), (ma.evaluate(y, y).select([]), "without values")):
        with pytest.raises(ma.MetricAtlasError, match=words):
            Display(table)
