"""evaluate and measure: which rows and columns come out, and what is refused how."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics
from worlds import world

import metricatlas as ma
from metricatlas.errors import MeasureError, MetricAtlasError

Y = np.array([0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0])
P = np.array([0.1, 0.8, 0.7, 0.6, 0.4, 0.2, 0.9, 0.55, 0.45, 0.05, 0.3, 0.65])
W3 = world(4, 60, 3)
DECIDED = W3.p.argmax(axis=1)
COSTS = np.array([[0, 1, 2], [3, 0, 1], [5, 2, 0]])


def quiet(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        return ma.evaluate(*arguments, **options)


# -- Columns -------------------------------------------------------------------------------------


def test_there_is_one_column_for_each_name_verbatim_and_in_order_duplicates_kept():
    asked = ["AUC", "f1", "auc", "F1[Macro]", ma.catalogue["KPPV"], "acc", "AUC"]
    table = ma.evaluate(Y, P, measures=asked)
    assert table.columns == ("AUC", "f1", "auc", "F1[Macro]", "ppv@ks", "acc", "AUC")
    assert [c.measure for c in table.schema[:4]] == ["auc", "f1", "auc", "f1[macro]"]
    assert table.values[0, 0] == table.values[0, 2] == table.values[0, 6]


def test_one_name_or_one_measure_needs_no_list():
    for asked in ("auc", ma.catalogue["auc"], ("auc",), iter(["auc"]), pd.Index(["auc"])):
        assert ma.evaluate(Y, P, measures=asked).columns == ("auc",)


def test_more_than_two_classes_are_reduced_and_the_column_says_how():
    table = ma.evaluate(W3.y, W3.p, measures=["f1", "auc", "acc", "auc:acc"])
    assert [c.measure for c in table.schema] == ["f1[macro]", "auc[ovo,uniform]", "acc", "auc:acc"]
    f1 = metrics.f1_score(W3.y, DECIDED, average="macro")
    auc = metrics.roc_auc_score(W3.y, W3.p, multi_class="ovo")
    acc = metrics.accuracy_score(W3.y, DECIDED)
    assert table.values[0] == pytest.approx([f1, auc, acc, auc + 0.01 * acc])


@pytest.mark.parametrize(
    ("reduction", "average"), [("macro", "macro"), ("weighted", "weighted"), ("micro", "micro")]
)
def test_reductions_are_those_of_scikit_learn(reduction, average):
    expected = metrics.f1_score(W3.y, DECIDED, average=average)
    assert ma.measure(f"f1[{reduction}]", W3.y, W3.p) == pytest.approx(expected)
    expected = metrics.f1_score(Y, P > 0.5, average=average)
    assert ma.measure(f"f1[{reduction}]", Y, P) == pytest.approx(expected)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted"])
@pytest.mark.parametrize("name", ["f1", "jaccard", "precision", "recall"])
def test_names_of_scikit_learns_scorers_are_what_its_scorers_compute(name, average):
    score = getattr(metrics, f"{name}_score")
    for y, p, decided in ((W3.y, W3.p, DECIDED), (Y, P, P > 0.5)):
        expected = score(y, decided, average=average)
        assert ma.measure(f"{name}_{average}", y, p) == pytest.approx(expected)


def test_one_class_is_named_as_it_is_spelled():
    names = np.array(["ant", "bee-fly", "cow"])
    y, decided = names[W3.y], names[DECIDED]
    by_class = metrics.recall_score(y, decided, average=None)
    asked = ["recall[class='bee-fly']", "recall[class=cow]", "recall.class=ant"]
    assert ma.evaluate(y, decided, measures=asked).values[0] == pytest.approx(by_class[[1, 2, 0]])
    assert ma.measure("auc[class=2]", W3.y, W3.p) == pytest.approx(
        metrics.roc_auc_score(W3.y == 2, W3.p[:, 2])
    )
    assert ma.measure("auc[class=0]", Y, P) == pytest.approx(metrics.roc_auc_score(Y, P))
    assert ma.measure("lift[class=1]", W3.y, W3.p) > 1
    assert ma.measure("precision[class=True]", Y == 1, P > 0.5) == pytest.approx(
        metrics.precision_score(Y, P > 0.5)
    )


def test_absent_classes_count_where_the_definition_says_so_and_nowhere_else():
    y = np.where(W3.y == 2, 0, W3.y)
    table = quiet(y, W3.p, measures=["recall[macro]", "mae", "auc"], labels=[0, 1, 2])
    recall = metrics.recall_score(y, DECIDED, average=None, labels=[0, 1]).mean()
    mae = np.abs(np.eye(3)[y] - W3.p).mean()
    pairs = [metrics.roc_auc_score(y[y < 2] == j, W3.p[y < 2, j]) for j in (0, 1)]
    assert table.values[0] == pytest.approx([recall, mae, np.mean(pairs)])


def test_labels_say_which_class_each_column_is():
    turned = W3.p[:, [2, 0, 1]]
    straight = ma.evaluate(W3.y, W3.p, measures=["log_loss", "f1[class=2]"])
    assert ma.evaluate(W3.y, turned, measures=["log_loss", "f1[class=2]"], labels=[2, 0, 1]).values[
        0
    ] == pytest.approx(straight.values[0])


# -- Rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_a_batch_has_a_row_for_each_model(classes):
    members = [world(seed, 30, max(classes, 2)) for seed in range(4)]
    p = np.array([m.p if classes > 1 else m.p[:, 1:] for m in members])
    y = np.array([m.y for m in members])
    measures = ["acc", "auc", "f1", "log_loss", "jaccard@best"]
    options = {"labels": range(max(classes, 2)), "measures": measures}
    own, shared = ma.evaluate(y, p, **options), ma.evaluate(y[0], p, **options)
    assert own.rows["model"].tolist() == [0, 1, 2, 3]
    for i in range(4):
        alone = p[i] if classes > 1 else p[i, :, 0]
        assert own.values[i].tolist() == ma.evaluate(y[i], alone, **options).values[0].tolist()
        assert shared.values[i].tolist() == ma.evaluate(y[0], alone, **options).values[0].tolist()


def test_models_of_mixed_kinds_share_a_table_of_what_all_can_serve_if_it_is_named():
    models = {"labels": (P > 0.5).astype(int), "scores": 4 * P - 2, "probabilities": P}
    table = ma.evaluate(Y, models, measures=["f1", "acc"], threshold=0.5)
    f1 = [metrics.f1_score(Y, d) for d in (P > 0.5, 4 * P - 2 > 0.5, P > 0.5)]
    assert table["f1"] == pytest.approx(f1)
    assert table.rows["model"].tolist() == list(models)
    with pytest.raises(MeasureError, match="auc needs scores; these are labels"):
        ma.evaluate(Y, models, measures=["acc", "auc"], threshold=0.5)


def test_models_of_mixed_kinds_get_every_measure_that_some_kind_serves():
    models = {"labels": (P > 0.5).astype(int), "scores": 4 * P - 2, "probabilities": P}
    table = quiet(Y, models)
    assert len(set(table.columns)) == len(table.columns)
    for row, (name, prediction) in enumerate(models.items()):
        alone = quiet(Y, prediction)
        assert alone.values[0].tolist() == pytest.approx(
            table.where(model=name).select(alone.columns).values[0].tolist(), nan_ok=True
        )
        absent = [c for c in table.columns if c not in alone.columns]
        assert np.isnan(table.select(absent).values[row]).all()
    assert table.reason(0, "auc") == "It needs scores."
    assert table.reason(1, "brier") == "It needs probabilities."
    assert table.reason(1, "mcc") == "It needs decisions."
    assert table.reason(2, "mcc") == ""


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("kind", ["labels", "scores", "probabilities"])
def test_without_names_every_column_is_there_once(classes, kind):
    w = world(classes, 40, classes)
    given = {"labels": w.p.argmax(axis=1), "scores": w.p - 3, "probabilities": w.p}[kind]
    table = quiet(w.y, given)
    assert len(set(table.columns)) == len({c.measure for c in table.schema}) == len(table.columns)


@pytest.mark.parametrize("classes", [2, 3])
def test_models_of_mixed_kinds_have_the_columns_of_the_richest_in_their_order(classes):
    w = world(classes, 40, classes)
    models = {"labels": w.p.argmax(axis=1), "scores": w.p - 3, "probabilities": w.p}
    columns = quiet(w.y, w.p).columns
    for names in (models, reversed(models)):
        assert quiet(w.y, {name: models[name] for name in names}).columns == columns


def test_what_a_model_lacks_is_said_of_the_measure_as_a_whole():
    y, s = [0, 1, 1, 0], [0.2, 1.4, -0.1, 0.3]
    models = {"scores": s, "labels": [0, 1, 0, 0], "probabilities": [0.1, 0.7, 0.4, 0.2]}
    with pytest.warns(ma.UndefinedWarning):
        table = ma.evaluate(y, models)
    assert table.reason(0, "auc:acc") == "It needs decisions."
    assert table.reason(0, "sar") == "It needs probabilities."
    assert table.reason(1, "auc:acc") == "It needs scores."
    assert table.reason(1, "sar") == "It needs probabilities."
    assert table.reason(0, "acc") == "It needs decisions."
    assert table.reason(2, "sar") == ""


def test_every_model_is_evaluated_within_every_group():
    fold = pd.Series(list("bbacaccbabca"), name="fold")
    models = {"p": P, "half": np.full(12, 0.5)}
    table = quiet(Y, models, measures=["auc", "acc"], groups=fold)
    assert table.rows.to_dict("list") == {
        "model": ["p"] * 3 + ["half"] * 3,
        "fold": ["a", "b", "c"] * 2,
    }
    for row, (name, group) in enumerate((m, g) for m in models for g in "abc"):
        here = (fold == group).to_numpy()
        expected = [
            metrics.roc_auc_score(Y[here], models[name][here]),
            metrics.accuracy_score(Y[here], models[name][here] > 0.5),
        ]
        assert table.values[row] == pytest.approx(expected)


def test_weights_are_masses_and_a_threshold_decides_above_it():
    w = np.random.default_rng(1).random(12)
    table = ma.evaluate(Y, P, measures=["f1", "auc", "log_loss"], sample_weight=w, threshold=0.4)
    assert table.values[0] == pytest.approx(
        [
            metrics.f1_score(Y, P > 0.4, sample_weight=w),
            metrics.roc_auc_score(Y, P, sample_weight=w),
            metrics.log_loss(Y, P, sample_weight=w),
        ]
    )
    assert ma.measure("recall", Y, P, threshold=0.8) == pytest.approx(1 / 6)


def test_without_names_everything_that_fits_is_measured():
    tables = {
        "labels": quiet(Y, (P > 0.5).astype(int)),
        "scores": quiet(Y, 10 * P),
        "probabilities": quiet(Y, P),
        "many": quiet(W3.y, W3.p),
    }
    columns = {kind: set(table.columns) for kind, table in tables.items()}
    assert columns["labels"] | columns["scores"] < columns["probabilities"]
    assert "acc" not in columns["scores"]
    assert {"auc", "ppv@ks"} <= columns["scores"]
    assert {"f1[macro]", "auc[ovr,prior]", "vus"} <= columns["many"]
    for table in tables.values():
        for column in table.schema:
            measure = ma.catalogue[column.measure]
            assert not measure.missing
            assert not measure.on_request
    counted = quiet(Y, P, sample_weight=np.full(12, 0.5))
    missing = columns["probabilities"] - set(counted.columns)
    assert missing == {c for c in columns["probabilities"] if ma.catalogue[c].counts_rows}


# -- Measures of several parts -------------------------------------------------------------------


def test_a_two_level_measure_is_a_pair_and_a_number_where_one_is_needed():
    table = ma.evaluate(Y, {"p": P, "q": P**2}, measures=["auc:acc", "auc:error_rate"])
    auc = metrics.roc_auc_score(Y, P)
    acc = [metrics.accuracy_score(Y, x > 0.5) for x in (P, P**2)]
    assert table["auc:acc"] == pytest.approx([auc + 0.01 * a for a in acc])
    assert table.levels("auc:acc").tolist() == [[auc, acc[0]], [auc, acc[1]]]
    assert table["auc:error_rate"] == pytest.approx([auc - 0.01 * (1 - a) for a in acc])
    assert table.levels("auc:error_rate")[:, 1] == pytest.approx([a - 1 for a in acc])


def test_a_mean_turns_what_is_better_when_lower():
    table = ma.evaluate(Y, P, measures=["mean[acc,auc,rms]", "sar", "mean[acc=3,error_rate=1]"])
    acc, auc = metrics.accuracy_score(Y, P > 0.5), metrics.roc_auc_score(Y, P)
    rms = np.sqrt(metrics.brier_score_loss(Y, P))
    assert table.values[0, 0] == pytest.approx((acc + auc + 1 - rms) / 3)
    assert table.values[0, 1] == pytest.approx(table.values[0, 0])
    assert table.values[0, 2] == pytest.approx(acc)


def test_costs_are_given_as_an_object_or_in_the_text():
    expected = (metrics.confusion_matrix(W3.y, DECIDED) * COSTS).sum() / len(W3.y)
    frame = pd.DataFrame(COSTS)
    given = [ma.catalogue["cost"].using(costs=c) for c in (COSTS, COSTS.tolist(), frame)]
    text = "cost[costs=((0,1,2),(3,0,1),(5,2,0))]"
    values = ma.evaluate(W3.y, W3.p, measures=[*given, text]).values[0]
    assert values == pytest.approx([expected] * 4)
    assert given[0] == given[1] == given[2] == ma.catalogue[text]
    asked = ["acc@best=cost[costs=((0,1),(5,0))]", "recall@best=cost[costs=((0,9),(1,0))]"]
    assert ma.evaluate(Y, P, measures=asked).values[0] == pytest.approx([9 / 12, 3 / 6])


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("cost", r"cost needs costs: write expected_cost\[costs=...\]"),
        ("cost[costs=((0,1),(1,0))]", "needs costs of 3 x 3; got 2 x 2"),
        ("f1@best=cost[costs=((0,1,1),(1,0,1),(1,1,0))]", "needs costs of 2 x 2; got 3 x 3"),
        ("top_k", r"top_k needs k: write top_k\[k=...\]"),
        ("recall[class=9]", r"must name one of the classes \[0, 1, 2\]; got '9'"),
        ("tjur_r2", "is for two classes; these are 3"),
        ("discriminant_power", "is for two classes; these are 3"),
        ("acc@ks", "can be cut for two classes only; these are 3"),
        ("acc:acc@ks", "acc:acc@ks can be cut for two classes only"),
    ],
)
def test_what_does_not_fit_three_classes_is_refused(measure, words):
    with pytest.raises(MeasureError, match=words):
        ma.evaluate(W3.y, W3.p, measures=["acc", measure])


@pytest.mark.parametrize(
    "costs", [[[0, 1]], [0, 1], [[0, -1], [1, 0]], [[0, np.nan], [1, 0]], "free"]
)
def test_costs_that_are_none_are_refused_where_they_are_given(costs):
    with pytest.raises(MeasureError, match="costs of expected_cost must be a square matrix"):
        ma.catalogue["cost"].using(costs=costs)


# -- What predictions cannot serve ---------------------------------------------------------------


def refusal(predictions, measures, **options):
    with pytest.raises(MeasureError) as caught:
        ma.evaluate(Y, predictions, measures=measures, **options)
    return str(caught.value)


def test_scores_do_not_serve_probability_measures_and_their_range_is_told():
    text = refusal(8 * P - 3.2, ["auc", "brier", "log_loss"])
    assert "brier needs probabilities; these are scores; log_loss needs probabilities" in text
    assert "These scores lie from -2.8 to 4: ask for ranking measures only, or calibrate" in text
    assert "auc" not in text


def test_scores_without_a_threshold_decide_nothing():
    text = refusal(8 * P - 3.2, ["f1", "auc"])
    assert "f1 needs decisions; pass threshold=" in text
    assert "or write a cut such as f1@0 or f1@ks" in text
    assert "lie from" not in text
    assert ma.measure("f1", Y, 8 * P - 4, threshold=0) == metrics.f1_score(Y, P > 0.5)


def test_labels_serve_neither_rankings_nor_cuts():
    labels = (P > 0.5).astype(int)
    text = refusal(labels, ["acc", "auc", "f1@0.5", "sar", "auc:acc", "mean[acc,brier]"])
    for words in (
        "auc needs scores; these are labels",
        "f1@0.5 needs scores to cut; these are labels",
        "sar needs scores; these are labels",
        "auc:acc needs scores",
        "mean[acc,brier] needs probabilities",
    ):
        assert words in text


def test_the_volume_under_the_surface_is_for_three_classes_only():
    assert "vus is for more than two classes; these are 2" in refusal(P, "vus")
    w = world(0, 40, 4)
    with pytest.raises(MeasureError, match="vus is for three classes; these are 4"):
        ma.evaluate(w.y, w.p, measures=["vus"])


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        ([], "at least one measure, or be None"),
        (5, "must be names, measures, or None for all that fit; got 5"),
        ([5], "by its name or as an object of the catalogue; got 5"),
        (["acc", "accc"], "there is no measure 'accc'"),
        ("auc,acc", "there is no measure 'auc,acc'"),
    ],
)
def test_what_names_no_measure_is_refused(measures, words):
    with pytest.raises(MeasureError, match=words):
        ma.evaluate(Y, P, measures=measures)
    with pytest.raises(MeasureError, match=words):
        ma.evaluate_confusion([[1, 2], [3, 4]], measures=measures)


# -- Undefined values ----------------------------------------------------------------------------


def test_a_table_warns_once_and_every_undefined_cell_has_its_reason():
    models = {"none": np.zeros(4), "some": [0.2, 0.7, 0.6, 0.1]}
    with pytest.warns(ma.UndefinedWarning) as caught:
        table = ma.evaluate([0, 1, 0, 0], models, measures=["ppv", "acc", "divergence"])
    (warning,) = caught
    assert warning.filename == __file__
    assert "2 of 6 values are undefined, of ppv, divergence" in str(warning.message)
    assert table.reason(0, "ppv") == "Nothing is decided positive."
    assert table.reason(1, "ppv") == ""
    assert (
        table.reason(0, "divergence")
        == "Within neither class do the scores vary by as much as a square can hold."
    )


def test_no_cell_is_undefined_without_a_reason():
    for y in ([0, 0, 0], [1, 1, 1], [0, 1, 1]):
        for p in ([0, 0, 0], [1, 1, 1], [0.5, 0.5, 0.5], [0, 1, 1], [1, 0, 0.5]):
            table = quiet(y, np.array(p, dtype=float))
            for row, column in np.argwhere(np.isnan(table.values)):
                reason = table.reason(row, int(column))
                assert reason.endswith("."), (y, p, table.columns[column])
                assert "recorded" not in reason, (y, p, table.columns[column])


def test_reasons_of_cells_that_go_through_classes_and_parts_are_those_of_the_parts():
    asked = ["ppv[macro]", "auc[ovo]", "sar", "auc:acc", "mean[acc,auc]", "npv@best=acc"]
    table = quiet([0, 0, 0], [0.1, 0.2, 0.3], measures=asked)
    assert table.reason(0, "ppv[macro]") == ""
    for name in ("auc[ovo]", "sar", "auc:acc", "mean[acc,auc]"):
        assert table.reason(0, name) in (
            "There are no positives.",
            "The truth holds one class only.",
        )
    table = quiet([0, 1, 2], [0, 0, 1], measures=["ppv[macro]", "ppv[micro]"])
    assert table.reason(0, "ppv[macro]") == "Nothing is decided positive."
    assert table["ppv[micro]"] == pytest.approx(1 / 3)


def test_infinite_values_are_values():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ma.measure("log_loss", [0, 1], [0.5, 0.0]) == np.inf
        assert ma.measure("lr+", [0, 1], [0, 1]) == np.inf


# -- One number ----------------------------------------------------------------------------------


def test_one_measure_of_one_prediction_is_a_number():
    value = ma.measure("MCC", Y, P)
    assert type(value) is float
    assert value == pytest.approx(metrics.matthews_corrcoef(Y, P > 0.5))
    assert ma.measure(ma.catalogue["f1@0.3"], Y, P) == metrics.f1_score(Y, P > 0.3)


def test_an_undefined_number_says_why_at_once():
    with pytest.warns(
        ma.UndefinedWarning, match="^AUC is undefined. There are no positives"
    ) as seen:
        assert np.isnan(ma.measure("AUC", [0, 0], [0.1, 0.2]))
    assert [w.filename for w in seen] == [__file__]


def test_one_number_is_of_one_prediction():
    with pytest.raises(MetricAtlasError, match=r"for one prediction; got 2. Use evaluate\(\)"):
        ma.measure("auc", Y, {"a": P, "b": P})
    assert ma.measure("auc", Y, {"a": P}) == ma.measure("auc", Y, P)


# -- Names of models and of classes --------------------------------------------------------------


def test_messages_about_one_model_of_several_name_it():
    models = {"good": P, "bad": np.where(np.arange(12) == 4, 1.2, P)}
    text = refusal(models, "brier")
    assert "from 0.05 to 1.2" in text
    assert "predictions['bad'], 1 outside [0, 1], the first, 1.2, in row 4." in text
    assert "good" not in text
    assert "the first, 1.2, in row 4." in refusal(
        models, "brier", groups=[1, 0] * 6, sample_weight=[0, 0, 1, 1, 1, 1] * 2
    )
    assert "predictions['labels']." in refusal({"good": P, "labels": [0, 1] * 6}, "auc")


def test_a_number_just_above_1_is_not_written_as_1():
    above = np.where(np.arange(12) == 4, np.nextafter(1, 2), P)
    assert "to 1.0000000000000002: ask" in refusal(above, "brier")
    with pytest.raises(MetricAtlasError, match=r"got 0\.05 to 1\.0000000000000002, 1 outside"):
        ma.evaluate(Y, above, kind="probabilities")


@pytest.mark.parametrize(
    ("y", "labels"),
    [(Y == 1, ["1", "1.0", "True", "true"]), (Y, ["1", "1.0", "true"]), (Y - 0.0, ["1", "1.0"])],
)
def test_classes_are_named_by_the_rule_for_labels(y, labels):
    recall = metrics.recall_score(Y, P > 0.5)
    for label in labels:
        assert ma.measure(f"recall[class={label}]", y, P) == recall
        assert ma.measure(f"recall[class={label.replace('1', '0')}]", 1 - Y, 1 - P) >= 0
    with pytest.raises(MeasureError, match="must name one of the classes"):
        ma.measure("recall[class=1]", np.where(Y == 1, "1.0", "0"), P, pos_label="1.0")


def test_measures_may_be_named_in_any_column():
    names = ["auc", "acc"]
    for asked in (pa.array(names), pa.chunked_array([names]), pl.Series(names), pd.Series(names)):
        assert ma.evaluate(Y, P, measures=asked).columns == ("auc", "acc")
