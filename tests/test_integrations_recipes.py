"""Stopping early: the paper's rule, and the recipes of the page, each in a process of its own."""

import importlib.util
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metricatlas as ma

PAGE = Path(__file__).parents[1] / "docs" / "early-stopping.md"
# Blocks that need more than the package itself are marked as py, so that only this test runs them.
BLOCKS = re.compile(
    r"^### (.*?)\n(?:(?!^#).)*?^```(python|py)\n(.*?)^```", re.MULTILINE | re.DOTALL
)
NEEDS = {"PyTorch": "torch", "LightGBM": "lightgbm", "XGBoost": "xgboost"}
#: What was kept is what was the best, and training ended before its time.
CHECK = """
table = ma.evaluate(y_held, p, measures="auc:acc", **stopping.options)
assert tuple(table.levels(0)[0]) == stopping.best, (table.levels(0), stopping.best)
assert stopping.best == max(stopping.history)
assert stopping.epochs == stopping.best_epoch + stopping.ahead + 1 < 1000, stopping.epochs
assert 0.98 < stopping.best[0] <= 1 and len(set(stopping.history)) > 5
"""


def recipes():
    return {title: (kind, code) for title, kind, code in BLOCKS.findall(PAGE.read_text("utf-8"))}


def data():
    text = PAGE.read_text("utf-8").partition("## The recipes")[2]
    return re.search(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[1]


def test_the_page_has_a_recipe_for_each_library():
    found = recipes()
    assert list(found) == ["`partial_fit` of scikit-learn", *NEEDS]
    assert {title for title, (kind, _) in found.items() if kind == "py"} == set(NEEDS)


@pytest.mark.parametrize("title", recipes())
def test_a_recipe_stops_and_keeps_the_best(title):
    library = NEEDS.get(title, "sklearn")
    if importlib.util.find_spec(library) is None:
        pytest.skip(f"{library} is not installed; `pip install {library}` makes this test run")
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", data() + recipes()[title][1] + CHECK],
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


# -- The rule --------------------------------------------------------------------------------------

Y = np.repeat([0, 1], 10)


def predicted(right):
    """A prediction with so many right decisions of twenty."""
    p = Y.astype(float)
    p[right:] = 1 - p[right:]
    return p


def as_in_the_paper(values, ahead, gain):
    """Save; train so many epochs more; go on from there if the value gained, else stop."""
    saved = 0
    while saved + ahead < len(values):
        if values[saved + ahead] - values[saved] <= gain:
            return saved, saved + ahead
        saved += ahead
    return saved, None


def with_patience(values, ahead, gain):
    """Stop once so many epochs in a row are not better than the best by more than the gain."""
    best, waited = 0, 0
    for epoch, value in enumerate(values[1:], start=1):
        best, waited = (epoch, 0) if value - values[best] > gain else (best, waited + 1)
        if waited == ahead:
            return best, epoch
    return best, None


@given(
    st.lists(st.integers(0, 20), min_size=1, max_size=40),
    st.integers(1, 6),
    # Between two differences of accuracy, so that rounding decides nothing.
    st.sampled_from([0.025, 0.075, 0.125]),
)
def test_training_stops_where_the_paper_stops_it(rights, ahead, gain):
    values = [right / 20 for right in rights]
    for every, rule in ((ahead, as_in_the_paper), (1, with_patience)):
        stopping = ma.EarlyStopping("acc", ahead=ahead, gain=gain, every=every)
        stopped = next(
            (
                epoch
                for epoch, right in enumerate(rights)
                if stopping.update(Y, predicted(right), state=epoch)
            ),
            None,
        )
        saved, end = rule(values, ahead, gain)
        assert (stopping.best_state, stopped) == (saved, end)
        assert stopping.best_epoch == saved
        assert stopping.best == (values[saved],)


def test_epochs_between_are_not_looked_at():
    stopping = ma.EarlyStopping("acc", ahead=4, every=2)
    stopped = [stopping.update(Y, predicted(q), state=q) for q in (10, 20, 12, 20, 11, 20, 12)]
    assert stopped == [False] * 6 + [True]
    assert stopping.history == [(0.5,), (0.6,), (0.55,), (0.6,)]
    assert (stopping.epochs, stopping.best_epoch, stopping.best_state) == (7, 2, 12)
    assert stopping.best == (0.6,)


def test_a_pair_gains_by_its_second_level_if_the_first_does_not_fall():
    stopping = ma.EarlyStopping("acc:brier", gain=0.1)
    kept = []
    # Right decisions, and how far from 0 and 1 their probabilities are.
    for right, far in ((10, 0.05), (9, 0.45), (11, 0.45), (14, 0.05)):
        stopping.update(Y, np.abs(predicted(right) - far), state=right)
        kept.append(stopping.best_state)
    (acc, brier), *others = stopping.history
    # Less accuracy and a better Brier score, a little more accuracy, and then enough of it.
    assert others[0][0] < acc < others[1][0] < acc + 0.1
    assert min(others[0][1], others[1][1]) > brier + 0.1
    assert others[2][0] > others[1][0] + 0.1
    assert others[2][1] < others[1][1]
    assert kept == [10, 10, 11, 14]


def test_a_state_that_can_be_called_is_kept_and_not_called():
    class Network:
        def __call__(self):
            raise AssertionError

    net = Network()
    stopping = ma.EarlyStopping("acc")
    stopping.update(Y, predicted(5), state=net)
    assert stopping.best_state is net
    stopping.update(Y, predicted(6), state=partial(int, "6"))
    assert stopping.best_state == 6


def test_weights_count_in_the_measure_of_an_epoch():
    stopping = ma.EarlyStopping("acc")
    stopping.update(Y, predicted(5), sample_weight=np.arange(20))
    assert stopping.best == (sum(range(5)) / sum(range(20)),)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"ahead": True}, "ahead must be a whole number of epochs from 1 on; got True"),
        ({"every": 0}, "every must be a whole number"),
        ({"gain": "much"}, "gain must be a number from 0 on; got 'much'"),
        ({"gain": float("nan")}, "gain must be a number"),
        ({"options": {"positive": 1}}, "options must be some of pos_label, .*; got 'positive'"),
    ],
)
def test_what_cannot_stop_a_training_is_refused(wrong, words):
    with pytest.raises(ma.MeasureError, match=words):
        ma.EarlyStopping("acc", **wrong)


def test_an_epoch_of_several_models_is_refused():
    with pytest.raises(ma.MeasureError, match="an epoch is one prediction; got 2"):
        ma.EarlyStopping("acc").update(Y, {"a": predicted(5), "b": predicted(6)})
