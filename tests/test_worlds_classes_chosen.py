"""Worlds of more than two classes: what measures choose, against a plain program."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metricatlas as ma
from metricatlas.worlds.noise import LEVELS, WORLDS

THREE = [0.5, 0.3, 0.2]


def row_of(rng, truth):
    parts = [rng.expovariate(1) for _ in range(3)]
    row = [part / sum(parts) for part in parts]
    if truth is not None:
        best = row.index(max(row))
        row[best], row[truth] = row[truth], row[best]
    return row


def swapped(rng, rows, swaps):
    """Exchange the values of neighbours in each column, then let rows sum to one."""
    rows = [list(row) for row in rows]
    for column in range(3):
        order = sorted(range(len(rows)), key=lambda i: rows[i][column])
        values = sorted(row[column] for row in rows)
        for _ in range(swaps):
            i = rng.randrange(len(rows) - 1)
            order[i], order[i + 1] = order[i + 1], order[i]
        for place, i in enumerate(order):
            rows[i][column] = values[place]
    return [[value / sum(row) for value in row] for row in rows]


def disturbed_in_plain_python(rng, world, level, truth, rows):
    truth, rows = list(truth), [list(row) for row in rows]
    n = len(truth)
    if world == "label-noise":
        for i in rng.sample(range(n), round(level / 100 * n)):
            truth[i] = rng.randrange(3)
    elif world == "probability-noise":
        moved = [[min(max(p + rng.uniform(-1, 1) * level / 200, 0), 1) for p in r] for r in rows]
        rows = [[p / sum(r) if sum(r) else 1 / 3 for p in r] for r in moved]
    elif world == "ranking-noise":
        rows = swapped(rng, rows, round(level / 80 * 100_000))
    else:
        there = [i for i in range(n) if truth[i] == 2]
        gone = set(rng.sample(there, min(len(there), round(level / 100 * n))))
        kept = [i for i in range(n) if i not in gone]
        truth, rows = [truth[i] for i in kept], [rows[i] for i in kept]
    return truth, rows


def in_plain_python(world, level, repetitions):
    """Wrong choices of accuracy and the Brier score among three classes, one pair at a time."""
    rng = random.Random(5)  # noqa: S311 - no secrets
    wrong = {"acc": 0.0, "brier": 0.0}
    for _ in range(repetitions):
        truth = rng.choices(range(3), THREE, k=40)
        better = [row_of(rng, label) for label in truth]
        changed = rng.sample(range(40), 12)
        for i in changed[:6]:
            better[i] = row_of(rng, None)
        worse = list(better)
        for i in changed[6:]:
            worse[i] = row_of(rng, None)
        values = []
        for model in (better, worse):
            y, rows = disturbed_in_plain_python(rng, world, level, truth, model)
            right = [row.index(max(row)) == label for row, label in zip(rows, y, strict=True)]
            squares = [
                sum((p - (k == label)) ** 2 for k, p in enumerate(row))
                for row, label in zip(rows, y, strict=True)
            ]
            values.append({"acc": sum(right) / len(y), "brier": -sum(squares) / len(y)})
        for name in wrong:
            one, other = values[0][name], values[1][name]
            wrong[name] += 1.0 if other > one else 0.5 if other == one else 0.0
    return {name: count / repetitions for name, count in wrong.items()}


@pytest.mark.parametrize(
    ("world", "level", "repetitions"),
    [
        ("label-noise", 40, 1200),
        ("probability-noise", 80, 1200),
        ("ranking-noise", 0.4, 500),
        ("class-drift", 20, 1200),
    ],
)
def test_choices_are_those_of_a_plain_program(world, level, repetitions):
    theirs = in_plain_python(world, level, repetitions)
    # Of three classes 6 of 40 drawn anew are an error of 10 %.
    ours = ma.simulate(
        world,
        measures=["acc", "brier"],
        levels=[level],
        repetitions=8000,
        n=40,
        prior=THREE,
        error=0.1,
        gap=0.1,
    )
    for name, share in ours.average().items():
        # Four standard errors of the smaller sample.
        assert share == pytest.approx(theirs[name], abs=4 * 0.5 / np.sqrt(repetitions)), name


@pytest.mark.parametrize("world", list(WORLDS))
def test_all_measures_that_choose_are_there_by_default(world):
    level = LEVELS[world][1]
    r = ma.simulate(world, levels=[level], repetitions=30, prior=[0.4, 0.3, 0.2, 0.1])
    assert len(r.names) > 120
    assert {"brier", "mcc", "auc:acc", "f1[macro]"} <= set(r.names)
    assert "prevalence" not in r.names


@given(shares=st.lists(st.integers(1, 9), min_size=3, max_size=7))
def test_any_priors_that_sum_to_one_make_a_world(shares):
    prior = [share / sum(shares) for share in shares]
    r = ma.simulate("label-noise", measures="acc", levels=[10], repetitions=20, prior=prior)
    assert r.profile.classes == len(shares)
    assert sum(r.profile.priors) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize("world", list(WORLDS))
def test_the_numbers_are_the_same_for_any_number_of_workers(world, monkeypatch):
    tables = []
    for workers in ("1", "3"):
        monkeypatch.setenv("METRICATLAS_THREADS", workers)
        r = ma.simulate(
            world,
            measures=["auc", "brier"],
            levels=LEVELS[world][:3],
            repetitions=900,
            prior=THREE,
        )
        tables.append(r.wrong)
    assert tables[0].equals(tables[1])
