"""evaluate_confusion: what a matrix gives, how its classes are named, what is refused."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from worlds import world

import metricatlas as ma
from metricatlas.errors import MeasureError, PredictionError

W3 = world(4, 60, 3)
DECIDED = W3.p.argmax(axis=1)


def quiet(door, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ma.UndefinedWarning)
        return door(*arguments, **options)


def test_matrices_give_what_their_predictions_give():
    matrix = metrics.confusion_matrix(W3.y, DECIDED)
    predicted = quiet(ma.evaluate, W3.y, DECIDED)
    table = quiet(ma.evaluate_confusion, matrix)
    assert table.columns == predicted.columns
    assert table.values[0] == pytest.approx(predicted.values[0], nan_ok=True)
    stack = ma.evaluate_confusion([matrix, 2 * matrix], measures=["acc", "recall[class=1]"])
    assert stack.rows.to_dict("list") == {"matrix": [0, 1]}
    assert stack.values[0].tolist() == stack.values[1].tolist()


def test_classes_of_matrices_are_named_by_labels_or_by_a_frame():
    frame = pd.DataFrame([[5, 1], [2, 4]], index=["no", "yes"], columns=["no", "yes"])
    asked = ["recall", "recall[class=no]"]
    assert ma.evaluate_confusion(frame, measures=asked).values[0] == pytest.approx([4 / 6, 5 / 6])
    named = ma.evaluate_confusion(frame.to_numpy(), measures=asked, labels=["no", "yes"])
    assert named.values[0] == pytest.approx([4 / 6, 5 / 6])
    assert ma.evaluate_confusion(frame, labels=["no", "yes"]) == ma.evaluate_confusion(frame)


@pytest.mark.parametrize(
    ("matrices", "options", "words"),
    [
        ([1, 2], {}, r"the shape \(c, c\) or \(k, c, c\); got \(2,\)"),
        ([[1, 2, 3], [4, 5, 6]], {}, r"got \(2, 3\)"),
        (np.zeros((0, 2, 2)), {}, r"got \(0, 2, 2\)"),
        ([[1, 2], [3]], {}, "must be numbers of one shape"),
        ([["a", "b"], ["c", "d"]], {}, "must be numbers of one shape"),
        ([[1, -2], [3, 4]], {}, "matrix 0, row 0, column 1: -2.0"),
        ([[1, 2], [np.nan, 4]], {}, "got 1 others, the first in matrix 0, row 1, column 0: nan"),
        ([[1, 2], [np.inf, 4]], {}, "finite masses"),
        ([[[1, 2], [3, 4]], [[0, 0], [0, 0]]], {}, "matrix 1 is all 0"),
        ([[3]], {}, "two at least"),
        ([[1, 2], [3, 4]], {"labels": ["a", "b", "c"]}, "need as many labels"),
        ([[1, 2], [3, 4]], {"labels": ["a", "a"]}, "differ from each other"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=[1, 0]), {}, "same classes in the same order"),
        (pd.DataFrame([[1, 2], [3, 4]]), {"labels": [1, 0]}, "labels must be those of the frame"),
    ],
)
def test_what_is_no_confusion_matrix_is_refused(matrices, options, words):
    with pytest.raises(PredictionError, match=words):
        ma.evaluate_confusion(matrices, **options)


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        ("auc", "auc needs scores; a confusion matrix holds none"),
        ("brier", "brier needs probabilities; a confusion matrix holds none"),
        ("f1@ks", "f1@ks needs scores to cut; a confusion matrix holds none"),
        ("cost[costs=((0,1,1),(1,0,1),(1,1,0))]", "needs costs of 2 x 2; got 3 x 3"),
    ],
)
def test_a_matrix_serves_measures_of_decisions_only(measure, words):
    with pytest.raises(MeasureError, match=words):
        ma.evaluate_confusion([[5, 1], [2, 4]], measures=["acc", measure])
