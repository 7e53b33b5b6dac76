"""Selection as a door: what comes in, what is refused, and how the result is read."""

import numpy as np
import pandas as pd
import pytest
from selection_by_hand import case

import metricatlas as ma
from metricatlas.worlds import graded_models


def test_workers_do_not_matter(monkeypatch):
    y, models = graded_models(6, n=3000)
    tables = []
    for workers in ("1", "3"):
        monkeypatch.setenv("METRICATLAS_THREADS", workers)
        found = ma.selection(
            y, models, measures=["acc", "auc", "brier"], judged_by=["acc", "auc:acc"]
        )
        tables.append(found.table)
    pd.testing.assert_frame_equal(*tables, check_exact=True)
    other = ma.selection(y, models, measures="acc", judged_by="acc", seed=1).table
    assert (other["value"] != tables[0].query("judged_by == chosen_by")["value"].to_numpy()).all()


def test_models_come_in_all_containers():
    y, models = case(2)
    expected = ma.selection(y, dict(enumerate(models)), judged_by="acc", sizes=20, repetitions=20)
    labels = np.array(["no", "yes"])[y]
    others = [
        (y, np.stack(models)[:, :, np.newaxis], {}),
        (labels, {i: pd.Series(p) for i, p in enumerate(models)}, {"pos_label": "yes"}),
        (y, {"all": np.stack([np.column_stack([1 - p, p]) for p in models])}, {}),
    ]
    for truth, predictions, options in others:
        found = ma.selection(
            truth, predictions, judged_by="acc", sizes=20, repetitions=20, **options
        )
        pd.testing.assert_frame_equal(found.table, expected.table)


def test_labels_beside_probabilities_are_chosen_by_what_both_have():
    y, (p, q, *_) = case(2)
    found = ma.selection(
        y,
        {"labels": (p > 0.5).astype(int), "sure": p, "other": q},
        judged_by="acc",
        sizes=20,
        repetitions=20,
    )
    assert "acc" in found.chosen_by
    assert "auc" not in found.chosen_by
    # The first two decide alike.
    table = found.table.query("chosen_by == 'acc'")
    same = ma.selection(
        y,
        {"labels": p, "sure": p, "other": q},
        measures="acc",
        judged_by="acc",
        sizes=20,
        repetitions=20,
    )
    assert table["value"].tolist() == same.table["value"].tolist()


def test_without_names_all_measures_choose_that_have_a_side():
    y, models = case(2)
    found = ma.selection(y, dict(enumerate(models)), judged_by="acc", sizes=20, repetitions=5)
    assert len(found.chosen_by) > 80
    assert {"acc", "auc", "brier", "mcc"} <= set(found.chosen_by)
    assert "prevalence" not in found.chosen_by
    assert f"and {len(found.chosen_by) - 10} more" in repr(found)


def test_scores_with_a_threshold_are_decided_by_it():
    y, models = case(2)
    scores = {i: 10 * p - 5 for i, p in enumerate(models)}
    given = {"measures": "acc", "judged_by": "acc", "sizes": 20, "repetitions": 20}
    expected = ma.selection(y, dict(enumerate(models)), **given).table
    pd.testing.assert_frame_equal(ma.selection(y, scores, threshold=0.0, **given).table, expected)


def test_the_text_tells_who_chose_and_who_judged():
    y, models = case(2)
    found = ma.selection(
        y, dict(enumerate(models)), measures=["acc", "auc"], judged_by=["brier"], sizes=[10, 20]
    )
    assert repr(found).splitlines()[0] == (
        "1,000 times, 2 measure(s) choose one of 4 models on n examples; 40 others judge."
    )
    assert "by brier" in repr(found)
    assert list(found.table.columns[:6]) == [
        "judged_by",
        "chosen_by",
        "n",
        "value",
        "value_low",
        "value_high",
    ]


Y, MODELS = case(2)
Y[0] = 0
TWO = {"a": MODELS[0], "b": MODELS[1]}


@pytest.mark.parametrize(
    ("models", "given", "facts"),
    [
        ({"a": MODELS[0]}, {}, ("two models or more", "got one")),
        (MODELS[0], {}, ("two models or more",)),
        ({"a": MODELS[0], "b": MODELS[1][:9]}, {}, ("predictions['b']", "(9,)")),
        (TWO, {"sizes": 31}, ("at most half", "30 of 60", "got 31")),
        (TWO, {"sizes": [10, 100]}, ("at most half", "got 100")),
        (TWO, {"sizes": []}, ("whole numbers from 1", "got []")),
        (TWO, {"sizes": 10.5}, ("whole numbers", "10.5")),
        (TWO, {"sizes": [10, 10]}, ("once each",)),
        (TWO, {"sizes": 1}, ("every class", "stratified=False")),
        (TWO, {"repetitions": 0}, ("repetitions", "got 0")),
        (TWO, {"seed": 1.5}, ("seed", "1.5")),
        (TWO, {"judged_by": "prevalence"}, ("which value is better", "prevalence")),
        (TWO, {"measures": ["acc", "prevalence"]}, ("which value is better", "prevalence")),
        (TWO, {"measures": []}, ("at least one measure must choose",)),
        (TWO, {"judged_by": "acuracy"}, ("acuracy", "accuracy")),
        (
            {**TWO, "never": np.full(60, 0.1)},
            {"judged_by": ["acc", "ppv"]},
            ("ppv of the model never is undefined", "Leave this model out"),
        ),
        (
            {**TWO, "sure": 1.0 - Y},
            {"judged_by": "log_loss"},
            ("log_loss of the model sure is infinite",),
        ),
        (
            np.stack([MODELS[0], MODELS[1]])[:, :, np.newaxis],
            {"y_true": np.stack([Y, Y])},
            ("y_true must have one axis",),
        ),
        ({"a": Y, "b": 1 - Y}, {"judged_by": "auc"}, ("auc",)),
    ],
)
def test_what_cannot_be_is_refused(models, given, facts):
    options = {"y_true": Y, "judged_by": "acc", **given}
    with pytest.raises(ma.MetricAtlasError) as error:
        ma.selection(options.pop("y_true"), models, **options)
    for fact in facts:
        assert fact in str(error.value)


def test_a_rare_class_must_be_in_both_parts():
    y = np.zeros(100, dtype=int)
    y[:2] = 1
    models = {"a": np.linspace(0, 1, 100), "b": np.linspace(1, 0, 100)}
    with pytest.raises(ma.DecisionError, match=r"2 are of class 1, too few for samples of 20"):
        ma.selection(y, models, judged_by="acc", sizes=20)
    assert ma.selection(y, models, judged_by="acc", repetitions=3).sizes == (50,)
    free = ma.selection(
        y, models, measures="auc", judged_by="acc", sizes=20, stratified=False, repetitions=50
    )
    assert 0 < free.table["undefined"][0] < 1
    with pytest.raises(ma.DecisionError, match="sizes must be named for a test set of 20"):
        ma.selection(y[:20], {k: p[:20] for k, p in models.items()}, judged_by="acc")


def test_a_difference_is_asked_for_by_names_that_are_there():
    found = ma.selection(
        Y, TWO, measures=["acc", "auc"], judged_by=["acc", "auc"], sizes=10, repetitions=5
    )
    with pytest.raises(ma.DecisionError, match="judged_by must name"):
        found.difference("acc", "auc")
    with pytest.raises(ma.DecisionError, match="measures has no 'aucc'; the nearest are 'auc'"):
        found.difference("acc", "aucc", judged_by="acc")
    with pytest.raises(ma.DecisionError, match="judged_by has no 'mcc'"):
        found.difference("acc", "auc", judged_by="mcc")
