"""evaluate_confusion: what a matrix gives, how its classes are named, what is refused."""

import warnings
from fractions import Fraction

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
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
        (pd.DataFrame([[1, 2], [3, 4]], columns=[1, 0]), {}, "the same classes as rows and as"),
        (pd.DataFrame([[1, 2], [3, 4]], list("ab"), list("bc")), {}, r"got \['a', 'b'\] and \['b'"),
        (pd.DataFrame([[1, 2], [3, 4]]), {"labels": [1, 0]}, "labels must be those of the frame"),
    ],
)
def test_what_is_no_confusion_matrix_is_refused(matrices, options, words):
    with pytest.raises(PredictionError, match=words):
        ma.evaluate_confusion(matrices, **options)


def frame(cells, classes, columns=None):
    return pd.DataFrame(cells, index=classes, columns=columns or classes)


def test_frames_are_matched_by_the_names_of_rows_and_columns():
    one = frame([[5, 1], [2, 4]], ["no", "yes"])
    turned = frame([[4, 2], [1, 5]], ["yes", "no"])
    rows_turned = frame([[2, 4], [5, 1]], ["yes", "no"], ["no", "yes"])
    asked = ["recall", "recall[class=no]", "ppv"]
    expected = [4 / 6, 5 / 6, 4 / 5]
    for matrices in ([one, turned, rows_turned], (one, rows_turned)):
        table = ma.evaluate_confusion(matrices, measures=asked)
        assert table.values.tolist() == [pytest.approx(expected)] * len(matrices)
    alone = ma.evaluate_confusion(turned, measures=asked, labels=["no", "yes"])
    assert alone.values[0] == pytest.approx(expected)
    assert ma.evaluate_confusion(turned, measures="recall").values[0, 0] == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("frames", "options", "words"),
    [
        (
            [list("ab"), list("ac")],
            {},
            r"those of the first, \['a', 'b'\]; frame 1 has \['a', 'c'\]",
        ),
        ([list("ab"), list("abc")], {}, r"frame 1 has \['a', 'b', 'c'\]"),
        ([list("ab"), [0, 1]], {}, "frame 1 has no names"),
        ([list("ab")], {"labels": ["a", "c"]}, r"those of labels, \['a', 'c'\]; frame 0 has"),
    ],
)
def test_frames_of_other_classes_are_refused(frames, options, words):
    matrices = [frame(np.ones((len(c), len(c))), c) for c in frames]
    with pytest.raises(PredictionError, match=words):
        ma.evaluate_confusion(matrices, **options)


NAMELESS_ROWS = {
    "polars": pl.DataFrame,
    "arrow": pa.table,
    "narwhals": lambda columns: nw.from_native(pl.DataFrame(columns)),
}


@pytest.mark.parametrize("library", NAMELESS_ROWS)
def test_a_frame_without_names_of_rows_has_them_in_the_order_of_its_columns(library):
    matrix = NAMELESS_ROWS[library]({"a": [5, 2], "b": [1, 4]})
    asked = ["recall", "recall[class=a]"]
    for matrices in (matrix, [matrix, matrix]):
        for labels in (None, ["a", "b"]):
            table = ma.evaluate_confusion(matrices, measures=asked, labels=labels)
            assert table.values[0] == pytest.approx([4 / 6, 5 / 6])
        with pytest.raises(PredictionError, match=r"columns \['b', 'a'\].*got \['a', 'b'\]"):
            ma.evaluate_confusion(matrices, measures=asked, labels=["b", "a"])


def test_wrapped_frames_are_matched_as_what_they_hold():
    turned = nw.from_native(frame([[4, 2], [1, 5]], ["yes", "no"]))
    asked = ["recall", "recall[class=no]"]
    table = ma.evaluate_confusion(turned, measures=asked, labels=["no", "yes"])
    assert table.values[0] == pytest.approx([4 / 6, 5 / 6])


def test_numbers_in_the_names_of_columns_are_the_classes():
    turned = pl.DataFrame({"1": [4, 1], "0": [2, 5]})
    for labels in (None, [1, 0]):
        table = ma.evaluate_confusion(turned, measures="recall", labels=labels)
        assert table.values[0, 0] == pytest.approx(4 / 6)
    made_up = pl.DataFrame(np.array([[5, 1], [2, 4]]))
    assert ma.evaluate_confusion(made_up, measures="recall").values[0, 0] == pytest.approx(4 / 6)


def test_frames_beside_arrays_are_refused():
    with pytest.raises(PredictionError, match="must be frames, all of them, or arrays; got both"):
        ma.evaluate_confusion([frame(np.eye(2), ["a", "b"]), np.eye(2)])


@pytest.mark.parametrize(
    ("labels", "recall"),
    [
        (None, 4 / 6),
        ([0, 1], 4 / 6),
        ([1, 0], 5 / 6),
        ([True, False], 5 / 6),
        ([1, -1], 5 / 6),
        ([1, 2], 4 / 6),
        (["yes", "no"], 4 / 6),
    ],
)
def test_the_positive_class_is_that_of_the_rule_for_labels_or_else_the_second(labels, recall):
    table = ma.evaluate_confusion([[5, 1], [2, 4]], labels=labels, measures=["recall", "tnr"])
    assert table.values[0] == pytest.approx([recall, 4 / 6 + 5 / 6 - recall])


def test_masked_cells_are_refused_as_they_are_in_predictions():
    masked = np.ma.array([[5, 1], [2, 4]], mask=[[0, 1], [0, 0]])
    for matrices in (masked, [np.eye(2), masked], np.ma.array([np.eye(2), masked])):
        with pytest.raises(PredictionError, match=r"1 cell\(s\) are masked, the first in matrix"):
            ma.evaluate_confusion(matrices)
    unmasked = np.ma.array([[5, 1], [2, 4]])
    assert ma.evaluate_confusion(unmasked, measures="acc").values[0, 0] == 0.75


@pytest.mark.parametrize(
    ("matrices", "words"),
    [
        (np.array([[1 + 2j, 0], [0, 1]]), "got complex numbers"),
        ([["1", "2"], ["3", "4"]], "got text"),
        ([[10**400, 1], [1, 1]], "too large for a float"),
        ([[1, None], [1, 1]], r"got 'None' of type NoneType at \(0, 1\)"),
        (np.array([["1", 2], [3, 4]], dtype=object), "got '1' of type str"),
        ({"a": 1}, "of type dict"),
        (None, "of type NoneType"),
        (frame([["1", "2"], ["3", "4"]], ["a", "b"]), "got '1' of type str"),
    ],
)
def test_cells_that_are_no_numbers_are_refused_and_never_converted(matrices, words):
    with pytest.raises(PredictionError, match=words):
        ma.evaluate_confusion(matrices)


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


NEARLY_INDEPENDENT = [
    [[1, 10**8], [1, 10**8 + 1]],
    [[10**8, 10**8 + 1], [10**8 + 1, 10**8 + 3]],
    [[2**52, 2**52 + 1], [2**52 - 1, 2**52 + 1]],
    [[3, 5], [6, 10]],
]


@pytest.mark.parametrize("cells", NEARLY_INDEPENDENT)
def test_nothing_cancels_where_truth_and_decision_are_nearly_independent(cells):
    (tn, fp), (fn, tp) = cells
    excess = tp * tn - fp * fn
    spread = (tn + fp) * (fn + tp) * (tn + fn) * (fp + tp)
    squared = float(Fraction(excess**2, spread))
    asked = ["mcc", "chi_square", "peirce_skill_score"]
    mcc, chi_square, peirce = ma.evaluate_confusion(cells, measures=asked).values[0].tolist()
    assert mcc * abs(mcc) == pytest.approx(squared if excess > 0 else -squared, rel=1e-14, abs=0)
    assert chi_square / (tn + fp + fn + tp) == pytest.approx(squared, rel=1e-14, abs=0)
    expected = float(Fraction(excess, (tn + fp) * (fn + tp)))
    assert peirce == pytest.approx(expected, rel=1e-14, abs=0)


@pytest.mark.parametrize("scale", [1.0, 0.1, 1e-60, 1e60])
def test_perfect_and_empty_matrices_keep_their_exact_values(scale):
    rng = np.random.default_rng(0)
    right, wrong = np.eye(2), np.eye(2)[::-1]
    cells = scale * rng.random((200, 1, 1)) * np.array([1.0, 0.37])
    for matrix, value in ((right, 1.0), (wrong, -1.0)):
        table = quiet(ma.evaluate_confusion, cells * matrix, measures=["mcc", "peirce"])
        assert (table.values == value).all()
    for matrix in ([[1, 1], [0, 0]], [[0, 1], [0, 1]], [[0, 0], [1, 0]]):
        table = quiet(ma.evaluate_confusion, cells * matrix, measures=["mcc", "chi_square"])
        assert (table.values == 0).all()


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        # Without the decision 2 errors; column by column the largest are 10^17 and 1, so 1 is left.
        ([[10**17, 0], [1, 1]], 1 / 2),
        ([[1, 1], [0, 10**17]], 1 / 2),
        ([[10**17, 0, 0], [1, 1, 1], [2, 0, 3]], 4 / 8),
        ([[4, 0], [0, 4]], 1),
        ([[4, 4], [4, 4]], 0),
    ],
)
def test_lambda_counts_the_few_errors_among_very_many_rows(cells, expected):
    for matrices in (cells, [cells, cells]):
        table = ma.evaluate_confusion(matrices, measures=["goodman_kruskal_lambda"])
        assert (table.values == expected).all()


def test_weights_of_very_different_sizes_leave_no_value_undefined_without_a_reason():
    y, decided = [0, 0, 1, 1, 0], [0, 1, 1, 0, 0]
    weight = [1e60, 1e60, 1e-60, 1e-60, 1e60]
    table = quiet(ma.evaluate, y, decided, sample_weight=weight)
    assert table["goodman_kruskal_lambda"] == 0
    for column in np.flatnonzero(np.isnan(table.values[0])).tolist():
        assert "no reason was recorded" not in table.reason(0, column)
