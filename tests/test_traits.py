"""Traits: what is changed and what stays, how moves are counted, and Table 1 of ferri2009."""

import importlib.util
import itertools
import json
import random
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import metricatlas as ma
from conftest import folder_or_skip
from metricatlas.worlds.exchanges import (
    COPIES,
    NOBODY,
    decided_for,
    drawn,
    repeated,
    threshold_for,
    truth_of,
)
from metricatlas.worlds.influence import TRAITS, Tally, _ratio, influences, settled, tallied
from metricatlas.worlds.probing import Probe
from metricatlas.worlds.published import TABLE_1

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def script():
    found = importlib.util.spec_from_file_location("docs_traits", DOCS / "traits.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def two(script):
    return script.of_the_catalogue()


@pytest.fixture(scope="module")
def three(script):
    return script.of_three_classes()


def verdicts(traits, trait):
    return {row.measure: getattr(row, trait).verdict for row in traits.rows}


# -- Known by theorem ------------------------------------------------------------------------------

#: Functions of the shares of each class that are decided rightly.
OF_RATES = [
    "recall",
    "specificity",
    "fpr",
    "fnr",
    "recall[macro]",
    "recall[geometric]",
    "balanced_accuracy",
    "gmean",
    "informedness",
    "balanced_error_rate",
    "adjusted_balanced_accuracy",
    "peirce_skill_score",
    "roc_distance",
    "index_of_balanced_accuracy",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "diagnostic_odds_ratio",
    "discriminant_power",
    "yule_q",
    "yule_y",
]
#: Functions of the ROC curve, whose axes are such shares.
OF_THE_CURVE = [
    "auc",
    "gini",
    "auc_mu",
    "hull_auc",
    "partial_auc",
    "partial_auc_standardised",
    "ks",
    "eer",
    "fpr@ks",
    "fnr@ks",
    "gmean@ks",
    "gmean@best",
    "auc[ovr,uniform]",
    "auc[ovo,uniform]",
]
#: Functions of the mean probabilities of each class, or of pairs with one of each.
OF_CLASS_MEANS = ["mapr", "pauc", "sauc", "tjur_r2", "divergence"]


def test_what_reads_decisions_alone_follows_neither_calibration_nor_ranking(two):
    of_labels = [r for r in two.rows if ma.catalogue[r.measure].needs == "labels"]
    assert len(of_labels) > 65
    for row in of_labels:
        assert row.calibration.moved == row.ranking.moved == 0, row.measure
        assert row.calibration.verdict == row.ranking.verdict == "no", row.measure


def test_what_reads_no_decisions_does_not_follow_the_threshold(two):
    for row in two.rows:
        measure = ma.catalogue[row.measure]
        both = measure.family in ("decisions", "composite")
        if measure.needs == "labels":
            # All decide, but for what is told by the truth alone.
            assert row.threshold.verdict == ("no" if row.measure == "prevalence" else "yes")
        elif not both:
            assert row.threshold.verdict == "no", row.measure


def test_what_reads_the_order_alone_does_not_follow_calibration(two):
    reads_scores = [r.measure for r in two.rows if ma.catalogue[r.measure].needs == "scores"]
    # A threshold is a score itself, and the divergence reads means and variances of scores.
    values = {"ks_threshold", "divergence", "divergence_sample"}
    found = verdicts(two, "calibration")
    assert {name for name in reads_scores if found[name] != "no"} == values
    assert {"auc", "ap", "h_measure", "lift", "f1@best", "auc:acc"} <= set(reads_scores) - values


@pytest.mark.parametrize("measures", [OF_RATES, OF_THE_CURVE, OF_CLASS_MEANS])
def test_what_is_made_of_shares_within_classes_does_not_follow_their_frequency(two, measures):
    for name in measures:
        assert two.of(name).frequency.moved == 0, name
        assert two.of(name).frequency.verdict == "no", name


def test_what_counts_examples_of_all_classes_follows_their_frequency(two):
    for name in [
        "acc",
        "ppv",
        "npv",
        "f1",
        "kappa",
        "mcc",
        "ap",
        "lift",
        "brier",
        "log_loss",
        "mpr",
        "reliability",
        "calb",
        "ece",
    ]:
        assert two.of(name).frequency.verdict == "yes", name
        assert two.of(name).frequency.low > 0, name


def test_what_reads_probabilities_follows_calibration_and_ranking(two):
    for name in [
        "brier",
        "mse",
        "mae",
        "mpr",
        "mapr",
        "log_loss",
        "sauc",
        "pauc",
        "tjur_r2",
        "ece",
        "calb",
    ]:
        assert two.of(name).calibration.verdict == two.of(name).ranking.verdict == "yes", name


def test_the_mean_probability_does_not_care_who_got_which(two):
    # Sums over all examples stay; and the intercept solves an equation between such sums.
    for name in ("calibration_in_the_large", "calibration_intercept"):
        assert two.of(name).ranking.verdict == "no"
        assert two.of(name).calibration.verdict == "yes"


def test_a_pair_moves_where_one_of_both_levels_does(two):
    pair = two.of("auc:acc")
    # Areas are seldom equal, so accuracy seldom counts; but the pair is another one.
    assert pair.threshold.verdict == pair.frequency.verdict == "partially"
    assert pair.threshold.moved == two.of("acc").threshold.moved
    assert pair.calibration.verdict == "no"


def test_measures_of_one_order_have_one_strength(two):
    for one, other in (("acc", "error_rate"), ("auc", "gini"), ("mse", "rms"), ("f1", "jaccard")):
        for trait in TRAITS:
            a, b = (getattr(two.of(name), trait) for name in (one, other))
            # Values that are equal in theory may differ by rounding: half of an outcome more.
            assert a.strength == pytest.approx(b.strength, abs=1e-4)


def test_the_truth_alone_moves_with_class_frequencies_as_far_as_with_everything(two):
    assert two.of("prevalence").frequency.strength == pytest.approx(1, abs=0.02)
    assert two.of("prevalence").verdicts == dict.fromkeys(TRAITS[:3], "no") | {"frequency": "yes"}


def test_a_constant_follows_nothing(two):
    assert set(two.of("auc_printed").verdicts.values()) == {"no"}
    assert two.of("auc_printed").frequency.strength == 0


# -- Strength by a plain program -------------------------------------------------------------------


class Plain:
    """A model of the same world, drawn and changed one example at a time."""

    def __init__(self, rng, truth, few):
        self.rng, self.truth = rng, truth
        error = [rng.uniform(0.05, 0.45) for _ in range(2)]
        self.decided = [y if rng.random() >= error[y] else 1 - y for y in truth]
        # Of two shares of one the larger is uniform between a half and one.
        heights = [rng.random() for _ in truth]
        self.heights = [heights[i % 10] for i in range(len(truth))] if few else heights
        self.skill, self.luck = rng.random(), [rng.random() for _ in truth]
        self.power = [rng.uniform(-1, 1) for _ in range(2)]

    def scores(self, power=None, order=None):
        power, order = power or self.power, order or self
        found = [0.0] * len(self.truth)
        for side in (0, 1):
            members = [i for i, d in enumerate(self.decided) if d == side]
            places = sorted(
                members, key=lambda i: order.luck[i] + order.skill * (self.truth[i] == side)
            )
            for i, height in zip(places, sorted(self.heights[i] for i in members), strict=True):
                odds = 8 ** power[side] * height / (1 - height)
                distance = odds / (1 + odds) / 2
                found[i] = 0.5 + distance if side else 0.5 - distance
        return found


def in_plain_words(scores, truth, cut=0.5, copied=None):
    """Return accuracy, area and mean squared error, by their definitions."""
    weight = [4 if y == copied else 1 for y in truth]
    total = sum(weight)
    rows = list(zip(scores, truth, weight, strict=True))
    right = sum(w for s, y, w in rows if (s > cut) == y)
    ranks = {s: (first + last + 1) / 2 for s, first, last in spans(scores)}
    high = [ranks[s] for s, y in zip(scores, truth, strict=True) if y]
    area = (sum(high) - len(high) * (len(high) + 1) / 2) / (len(high) * (len(truth) - len(high)))
    return right / total, area, sum(w * (s - y) ** 2 for s, y, w in rows) / total


def spans(scores):
    ordered, first = sorted(scores), 0
    for value, group in itertools.groupby(ordered):
        last = first + len(list(group))
        yield value, first, last
        first = last


def plain_groups(groups, size, seed):
    """Return the shares of outcomes that turn, by group of models, measure and change."""
    rng = random.Random(seed)  # noqa: S311 - no secrets
    truth = [0] * 50 + [1] * 50
    turned = np.zeros((groups, 3, 5))
    for group in range(groups):
        models, others = ([Plain(rng, truth, group % 2 == 1) for _ in range(size)] for _ in "ab")
        before = [in_plain_words(model.scores(), truth) for model in models]
        for i, (model, other) in enumerate(zip(models, others, strict=True)):
            cut, copied = rng.choice([1 / 3, 2 / 3]), rng.choice([0, 1])
            after = [
                in_plain_words(model.scores(), truth, cut),
                in_plain_words(model.scores(power=other.power), truth),
                in_plain_words(model.scores(order=other), truth),
                in_plain_words(model.scores(), truth, copied=copied),
                in_plain_words(other.scores(), truth, cut, copied),
            ]
            for change, m in itertools.product(range(5), range(3)):
                one, new = before[i][m], after[change][m]
                new = one if abs(new - one) < 1e-9 else new
                for rival in (before[j][m] for j in range(size) if j != i):
                    outcomes = [(v > rival) - (v < rival) for v in (one, new)]
                    turned[group, m, change] += abs(outcomes[1] - outcomes[0]) / 2
    return turned / (size * (size - 1))


def test_strengths_are_those_of_a_plain_program():
    shares = plain_groups(40, 30, seed=3)
    mean = shares.mean(axis=0)
    theirs = mean[:, :4] / mean[:, 4:]
    # The error of a ratio of means, from group to group.
    off = (shares[:, :, :4] - theirs * shares[:, :, 4:]) / mean[:, 4:]
    error = off.std(axis=0, ddof=1) / np.sqrt(len(shares))
    ours = ma.traits(["acc", "auc", "mse"], n=100, repetitions=3000)
    for m, row in enumerate(ours.rows):
        for t, trait in enumerate(TRAITS):
            found = getattr(row, trait)
            both = np.hypot(error[m, t], (found.high - found.low) / 4)
            assert abs(found.strength - theirs[m, t]) <= 4 * both, (row.measure, trait)
            assert both < 0.03


# -- What is changed, and what stays ---------------------------------------------------------------


def models_of(classes, seed=0, n=60, count=8):
    few = np.arange(count) % 2 == 1
    truth = truth_of(n, 0.4, classes)
    rng = np.random.default_rng(seed)
    return [drawn(rng, truth, classes, few) for _ in range(2)]


@pytest.mark.parametrize("classes", [2, 3])
@given(seed=st.integers(0, 10_000))
def test_another_calibration_keeps_decisions_and_the_order_in_every_class(classes, seed):
    models, others = models_of(classes, seed)
    before = models.probabilities()
    after = models.calibrated_as(others).probabilities()
    assert (before.argmax(axis=2) == models.decided).all()
    assert (after.argmax(axis=2) == models.decided).all()
    for one, other in zip(before, after, strict=True):
        for j in range(classes):
            kept = np.sign(np.subtract.outer(one[:, j], one[:, j]))
            assert (kept == np.sign(np.subtract.outer(other[:, j], other[:, j]))).all()
        assert (one != other).any()
    assert after.sum(axis=2) == pytest.approx(np.ones(after.shape[:2]))
    assert after.min() >= 0


@pytest.mark.parametrize("classes", [2, 3])
@given(seed=st.integers(0, 10_000))
def test_another_ranking_keeps_decisions_and_all_probabilities_of_each_side(classes, seed):
    models, others = models_of(classes, seed)
    before = models.probabilities()
    after = models.ranked_as(others).probabilities()
    assert (after.argmax(axis=2) == models.decided).all()
    for one, other, decided in zip(before, after, models.decided, strict=True):
        for side in range(classes):
            rows = [sorted(map(tuple, p[decided == side].tolist())) for p in (one, other)]
            assert rows[0] == rows[1]
    assert (before != after).any()


def test_a_model_of_skill_one_ranks_what_it_decides_rightly_first():
    models, _ = models_of(2)
    models.skill[:] = 1.0
    for p, decided in zip(models.probabilities(), models.decided, strict=True):
        for side in (0, 1):
            right = (decided == side) & (models.truth == side)
            wrong = (decided == side) & (models.truth != side)
            assert np.greater_equal.outer(p[right, side], p[wrong, side]).all()
            assert right.any()


@pytest.mark.parametrize("classes", [2, 3])
def test_models_have_errors_of_their_own_in_each_class_and_few_probabilities_or_many(classes):
    rng = np.random.default_rng(0)
    truth = truth_of(1500, 0.5, classes)
    models = drawn(rng, truth, classes, np.arange(200) % 2 == 1)
    wrong = np.array(
        [(models.decided != truth)[:, truth == j].mean(axis=1) for j in range(classes)]
    )
    assert wrong.min() > 0.05 - 0.03
    assert wrong.max() < 0.45 + 0.05
    assert wrong.mean(axis=1) == pytest.approx(np.full(classes, 0.25), abs=0.02)
    assert np.abs(np.corrcoef(wrong)[0, 1]) < 0.2
    sizes = [len(np.unique(p[:, 0].round(12))) for p in models.probabilities()[:10]]
    assert max(sizes[1::2]) <= 10 * classes * (classes - 1) < min(sizes[::2])


@given(seed=st.integers(0, 1000), favoured=st.sampled_from([0, 1]))
def test_a_favoured_class_is_another_threshold(seed, favoured):
    score = np.random.default_rng(seed).random(50)
    decided = decided_for(np.stack([1 - score, score], axis=1), favoured)
    assert (decided == (score > threshold_for(favoured))).all()
    assert threshold_for(NOBODY) == 0.5


@pytest.mark.parametrize("copied", [0, 1, 2])
def test_a_repeated_class_is_there_four_times_and_the_others_once(copied):
    truth = truth_of(50, 0.4, 3)
    assert np.bincount(truth).tolist() == [15, 15, 20]
    counts = np.bincount(repeated(truth, copied), minlength=50)
    assert (counts == np.where(truth == copied, COPIES, 1)).all()


# -- How moves are counted -------------------------------------------------------------------------

VALUES = st.sampled_from([0.0, 0.1, 0.5, 1.0, np.inf, -np.inf, np.nan])


@given(st.lists(st.tuples(VALUES, VALUES, VALUES, st.booleans()), min_size=2, max_size=7))
def test_outcomes_that_turn_are_counted_pair_by_pair(lines):
    before, one, other = (np.array([line[i] for line in lines])[:, np.newaxis] for i in range(3))
    kinds = [line[3] for line in lines]
    found = tallied(before, [one, other], np.array(kinds))
    for i, after in enumerate([one, other]):
        turned, pairs = Fraction(0), 0
        for a, b in itertools.permutations(range(len(lines)), 2):
            values = [float(v) for v in (before[a, 0], after[a, 0], before[b, 0])]
            if kinds[a] != kinds[b] or any(v != v for v in values):  # noqa: PLR0124 - finds NaN
                continue
            was, now = ((v > values[2]) - (v < values[2]) for v in values[:2])
            turned, pairs = turned + Fraction(abs(now - was), 2), pairs + 1
        assert found.changed[i, 0] == turned
        assert found.compared[i, 0] == pairs
        known = ~np.isnan(before) & ~np.isnan(after)
        assert found.defined[i, 0] == known.sum()
        assert found.moved[i, 0] == (known & (before != after)).sum()


def test_a_difference_of_rounding_is_no_move():
    before = np.array([0.1 + 0.2, 1e6, 0.0, np.inf, np.nan, 0.5])
    after = np.array([0.3, 1e6 + 1e-6, 1e-15, np.inf, 0.5, 0.5 + 1e-6])
    assert settled(before, after).tolist()[:4] == before.tolist()[:4]
    assert settled(before, after).tolist()[4:] == after.tolist()[4:]


def tally(turned, models=50, *, moved=50.0, defined=50.0):
    """Return a tally of one measure: of 1000 outcomes so many turn under each change."""
    column = np.array(turned, dtype=float)[:, np.newaxis]
    same = np.ones_like(column)
    return Tally(models, column, 1000 * same, moved * same, defined * same)


@pytest.mark.parametrize(
    ("turned", "moved", "defined", "verdict"),
    [
        (81, 50, 50, "yes"),
        (79, 50, 50, "partially"),
        (0, 50, 50, "partially"),
        (0, 0, 50, "no"),
        (80, 20, 24, "unknown"),
        (0, 0, 24, "unknown"),
        (81, 20, 25, "yes"),
    ],
)
def test_the_verdict_follows_from_the_numbers(turned, moved, defined, verdict):
    tallies = [tally([turned, 0, 0, 0, 400], moved=moved, defined=defined)] * 3
    threshold = influences(tallies)[0][0]
    assert threshold.verdict == verdict
    assert threshold.strength == pytest.approx(turned / 400 if moved else 0)
    assert threshold.moved == pytest.approx(moved / defined if moved else 0)
    assert threshold.undefined == pytest.approx(1 - defined / 50)


def test_an_interval_holds_the_true_strength():
    rng = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        # Shares of batches lie about 0.12 and 0.4, and go up and down together.
        common = rng.normal(0, 0.02, 10)
        changed = 1000 * np.stack(
            [0.12 + 0.3 * common + rng.normal(0, 0.01, 10), 0.4 + common + rng.normal(0, 0.01, 10)],
            axis=1,
        )
        ratio, error = _ratio(changed, np.full((10, 2), 1000.0))
        held += abs(ratio - 0.3) <= error
    # 95 % of 400, less three standard errors.
    assert held >= 367


def test_pairs_of_levels_are_compared_one_after_the_other():
    rng = np.random.default_rng(2)
    probe = Probe((ma.catalogue["auc:acc"],), truth_of(20, 0.5, 2), 2)
    tables = rng.integers(0, 3, (3, 12, 2)).astype(float)
    tables[2, 4] = np.nan
    values = [(np.zeros((12, 1)), {0: table.copy()}) for table in tables]
    before, after = probe._comparable(values[0], values[1:])
    flat = [v for table in (before, *after) for v in table[:, 0].tolist()]
    pairs = [tuple(row) for table in tables for row in table.tolist()]
    for (x, a), (y, b) in itertools.combinations(zip(flat, pairs, strict=True), 2):
        if np.isnan(a[0]) or np.isnan(b[0]):
            assert np.isnan(x if np.isnan(a[0]) else y)
        else:
            assert (x > y) - (x < y) == (a > b) - (a < b)


# -- Table 1 of ferri2009 --------------------------------------------------------------------------


def test_the_published_table_is_that_of_the_paper():
    folder = folder_or_skip("METRICATLAS_REFERENCE", "reference")
    table = json.loads((folder / "published.json").read_text(encoding="utf-8"))["ferri_table1"]
    theirs = {
        name: tuple(entry.lower() for entry in row[1:])
        for name, row in zip(table["corrected_names"], table["rows"], strict=True)
    }
    assert theirs == TABLE_1


def test_of_two_classes_four_entries_differ_from_the_paper(two):
    frame = two.against_published()
    assert len(frame) == 18 * 4
    differs = frame[~frame["same"]]
    assert set(zip(differs["measure"], differs["trait"], differs["ours"], strict=True)) == {
        ("MFM", "frequency", "yes"),
        ("AU1P", "frequency", "no"),
        ("AUNP", "frequency", "no"),
        ("CalL", "frequency", "yes"),
    }


def test_of_three_classes_three_entries_differ_from_the_paper(three):
    frame = three.against_published()
    assert len(frame) == 18 * 4
    assert (frame["classes"] == 3).all()
    differs = frame[~frame["same"]]
    assert set(zip(differs["measure"], differs["trait"], differs["ours"], strict=True)) == {
        ("MFM", "frequency", "yes"),
        ("AUNU", "frequency", "partially"),
        ("CalL", "frequency", "yes"),
    }


def test_the_mean_f_measure_moves_farther_with_class_frequencies_than_accuracy():
    moves = {"Acc": Fraction(0), "MFM": Fraction(0)}
    errors = [Fraction(e, 20) for e in range(1, 10)]
    for (miss, alarm), copied in itertools.product(itertools.product(errors, errors), (0, 1)):
        for name, value in (("Acc", accuracy), ("MFM", mean_f_measure)):
            sizes = (4, 1) if copied else (1, 4)
            moves[name] += abs(value(miss, alarm, *sizes) - value(miss, alarm, 1, 1))
    # Of equal sizes and of four to one, as exact fractions: no part of it stays behind.
    assert moves["MFM"] > moves["Acc"] * Fraction(5, 4)


def accuracy(miss, alarm, positives, negatives):
    return ((1 - miss) * positives + (1 - alarm) * negatives) / (positives + negatives)


def mean_f_measure(miss, alarm, positives, negatives):
    tp, fn = (1 - miss) * positives, miss * positives
    tn, fp = (1 - alarm) * negatives, alarm * negatives
    return (2 * tp / (2 * tp + fn + fp) + 2 * tn / (2 * tn + fn + fp)) / 2


def area(rows, own, others, column):
    """Return the share of pairs in which the own class has the higher probability."""
    wins = [
        Fraction((a[column] > b[column]) * 2 + (a[column] == b[column]), 2)
        for a, j in rows
        for b, k in rows
        if j == own and k in others
    ]
    return sum(wins) / len(wins)


def areas(rows, classes):
    """Return the four means of areas of the paper, by their definitions."""
    shares = [Fraction(sum(k == j for _, k in rows), len(rows)) for j in range(classes)]
    rest = [area(rows, j, set(range(classes)) - {j}, j) for j in range(classes)]
    pairs = [
        sum(area(rows, j, {k}, j) for k in range(classes) if k != j) / (classes - 1)
        for j in range(classes)
    ]
    return {
        "AUNU": sum(rest) / classes,
        "AUNP": sum(map(Fraction.__mul__, shares, rest)),
        "AU1U": sum(pairs) / classes,
        "AU1P": sum(map(Fraction.__mul__, shares, pairs)),
    }


def examples(classes, seed, n=24):
    """Return examples with whole numbers for probabilities, which add up to twelve, and classes."""
    rng = random.Random(seed)  # noqa: S311 - no secrets
    rows = []
    for i in range(n):
        cuts = sorted(rng.randrange(13) for _ in range(classes - 1))
        rows.append((tuple(b - a for a, b in itertools.pairwise([0, *cuts, 12])), i % classes))
    return rows


def with_copies(rows, copied):
    return [row for row in rows for _ in range(4 if row[1] == copied else 1)]


@pytest.mark.parametrize("seed", range(5))
def test_of_two_classes_all_areas_are_one_and_stay(seed):
    rows = examples(2, seed)
    before = areas(rows, 2)
    assert len(set(before.values())) == 1
    assert areas(with_copies(rows, 0), 2) == areas(with_copies(rows, 1), 2) == before


def test_of_three_classes_only_the_uniform_mean_over_pairs_stays():
    moved = dict.fromkeys(("AUNU", "AUNP", "AU1U", "AU1P"), 0)
    for seed, copied in itertools.product(range(5), range(3)):
        rows = examples(3, seed)
        before, after = areas(rows, 3), areas(with_copies(rows, copied), 3)
        for name in moved:
            moved[name] += before[name] != after[name]
    assert moved == {"AUNU": 15, "AUNP": 15, "AU1U": 0, "AU1P": 15}


def calibration_loss(rows, classes):
    """Return the mean over classes and examples of the squared distance from the group's share."""
    total = Fraction(0)
    for j, value in itertools.product(range(classes), range(13)):
        group = [k == j for p, k in rows if p[j] == value]
        share = Fraction(sum(group), len(group)) if group else Fraction(0)
        total += len(group) * (Fraction(value, 12) - share) ** 2
    return total / (classes * len(rows))


@pytest.mark.parametrize("classes", [2, 3])
def test_the_calibration_loss_moves_with_class_frequencies(classes):
    for seed, copied in itertools.product(range(5), range(classes)):
        rows = examples(classes, seed)
        before, after = (calibration_loss(r, classes) for r in (rows, with_copies(rows, copied)))
        assert before != after
        y, p = [k for _, k in rows], np.array([p for p, _ in rows]) / 12
        theirs = ma.measure("CalL", y, p if classes == 3 else p[:, 1], kind="probabilities")
        assert theirs == pytest.approx(float(before))


# -- Which measures, and on what -------------------------------------------------------------------


def test_the_whole_catalogue_is_probed(two):
    names = {ma.catalogue[row.measure].name for row in two.rows}
    bare = {name.partition("[")[0] for name in names}
    missing = [name for name in ma.catalogue if name not in names and name not in bare]
    assert not missing
    assert {row.measure for row in two.rows if row.classes == 3} == {"vus"}
    assert set(two.table.to_numpy().ravel()) == {"no", "partially", "yes"}


def test_by_default_every_measure_that_needs_no_parameter_is_asked():
    defaults = [name for name, measure in ma.catalogue.items() if not measure.missing]
    from metricatlas.worlds.probes import _asked

    assert _asked(None)[0] == defaults
    assert len(defaults) > 160


def test_a_measure_of_two_classes_is_probed_on_them_whatever_is_asked():
    found = ma.traits(["tjur_r2", "vus", "acc"], classes=3, repetitions=100)
    assert [row.classes for row in found.rows] == [2, 3, 3]


def test_what_cannot_be_asked_is_unknown():
    found = ma.traits(
        ["sar", "error_margin", "auc:acc", "recall", "auc"], classes=3, repetitions=100
    )
    for name in ("sar", "error_margin", "auc:acc"):
        assert found.of(name).threshold.verdict == "unknown", name
        assert found.of(name).threshold.undefined == 1
        assert found.of(name).ranking.verdict == "yes"
    assert found.of("recall").threshold.verdict == "yes"
    assert found.of("auc").threshold.verdict == "no"


def test_a_measure_without_values_is_unknown_and_says_so():
    @ma.define_measure(bounds=(0, 1), name="where_nothing_is_missed")
    def where_nothing_is_missed(t: ma.TwoByTwo):
        return np.where(t.fn == 0, t.tpr, np.nan)

    row = ma.traits("where_nothing_is_missed", repetitions=100).of("where_nothing_is_missed")
    assert set(row.verdicts.values()) == {"unknown"}
    assert row.calibration.undefined > 0.9


def test_ones_own_measures_and_parameters_are_probed_too():
    @ma.define_measure(bounds=(0, 1))
    def share_of_hits(t: ma.TwoByTwo):
        return t.tp / t.total

    costs = ma.catalogue["expected_cost"].using(costs=[[0, 1], [9, 0]])
    found = ma.traits(["share_of_hits", costs, "recall[class=0]", "f1@0.3"], repetitions=100)
    assert found.of("share_of_hits").verdicts == {
        "threshold": "yes",
        "calibration": "no",
        "ranking": "no",
        "frequency": "yes",
    }
    assert found.of(costs).frequency.verdict == "yes"
    assert found.of("recall[class=0]").frequency.verdict == "no"
    # A threshold of its own: another calibration carries examples across, the common one does not.
    assert found.of("f1@0.3").threshold.verdict == "no"
    assert found.of("f1@0.3").calibration.verdict == "yes"


def test_traits_are_found_by_any_name():
    found = ma.traits(["KapS", "auc"], repetitions=100)
    row = found.of("KapS")
    assert row == found.of("kappa") == found.of("cohen_kappa") == found.of(ma.catalogue["kappa"])
    assert list(found.table.index) == ["KapS", "auc"]
    assert found.table.loc["KapS"].to_dict() == row.verdicts
    line = found.strength.set_index(["measure", "trait"]).loc[("auc", "ranking")]
    assert line["strength"] == found.of("auc").ranking.strength
    assert line["low"] <= line["strength"] <= line["high"]
    with pytest.raises(ma.WorldError, match="'auk' were not probed; the nearest are 'auc'"):
        found.of("auk")
    with pytest.raises(ma.WorldError, match="'brier' were not probed"):
        found.of("brier")


def test_it_shows_verdicts_with_their_strengths():
    found = ma.traits(["acc", "auc"], repetitions=100)
    head, scale, titles, acc, auc = repr(found).splitlines()
    assert head.startswith("Traits of 2 measures")
    assert "100 models of 200 examples" in scale
    assert titles.split() == list(TRAITS)
    threshold, frequency = (getattr(found.of("acc"), trait).strength for trait in TRAITS[::3])
    shown = ["acc", "yes", f"{threshold:.2f}", "no", "no", "yes", f"{frequency:.2f}"]
    assert acc.split() == shown
    assert auc.split()[:3] == ["auc", "no", "no"]
    many = repr(ma.traits(["acc"] * 45, repetitions=100))
    assert many.endswith("and 5 more")


# -- Determinism and bad input ---------------------------------------------------------------------


def test_the_numbers_are_the_same_for_any_number_of_workers(monkeypatch):
    found = []
    for workers in ("1", "2", "5"):
        monkeypatch.setenv("METRICATLAS_THREADS", workers)
        found.append(ma.traits(["acc", "auc", "vus", "auc:acc"], repetitions=230, n=50))
    assert found[0] == found[1] == found[2]


def test_a_measures_numbers_do_not_depend_on_the_others():
    together = ma.traits(["brier", "vus", "sauc", "acc"], repetitions=150)
    for name in ("vus", "acc", "brier"):
        assert ma.traits(name, repetitions=150).rows[0] == together.of(name)


def test_another_seed_gives_other_numbers_and_the_same_verdicts():
    names = list(TABLE_1)
    one, other = (ma.traits(names, seed=seed, repetitions=400) for seed in (1, 2))
    assert one.table.equals(other.table)
    assert not one.strength.equals(other.strength)


def test_rare_positives_change_strengths_but_not_what_stays():
    names = ["acc", "auc", "brier", "recall", "f1"]
    half, rare = (ma.traits(names, prior=prior, repetitions=200) for prior in (0.5, 0.1))
    for trait in TRAITS:
        for name in names:
            one, other = (getattr(found.of(name), trait) for found in (half, rare))
            assert (one.verdict == "no") == (other.verdict == "no"), (name, trait)
    assert half.of("acc").threshold.strength != rare.of("acc").threshold.strength


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"repetitions": 99}, "repetitions must be a whole number from 100 on; got 99"),
        ({"repetitions": 200.0}, "repetitions must be a whole number"),
        ({"repetitions": True}, "repetitions must be a whole number"),
        ({"n": 9}, "n must be a whole number from 10 to 20,000; got 9"),
        ({"n": 20_001}, "n must be a whole number"),
        ({"n": "many"}, "n must be a whole number"),
        ({"classes": 4}, "classes must be a whole number from 2 to 3; got 4"),
        ({"seed": -1}, "seed must be a whole number from 0 on"),
        ({"prior": 0}, "prior must be a share above 0"),
        ({"prior": 1.0}, "prior must be a share"),
        ({"prior": float("nan")}, "prior must be a share"),
        ({"prior": None}, "prior must be a share"),
        (
            {"prior": 0.004},
            "two examples to every class; 200 examples with a prior of 0.004 are 199",
        ),
        ({"n": 10, "prior": 0.9}, "two examples to every class"),
    ],
)
def test_what_cannot_be_is_refused_in_words(arguments, words):
    with pytest.raises(ma.WorldError) as refused:
        ma.traits(["acc"], **arguments)
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("measures", "words"),
    [
        (["auk"], "auk"),
        ([], "at least one measure"),
        (["fbeta"], "fbeta needs beta"),
        (["recall[class=2]", "recall[class=7]"], "recall[class=7]"),
        (3, "3"),
    ],
)
def test_measures_that_cannot_be_probed_are_refused_in_words(measures, words):
    with pytest.raises(ma.MeasureError) as refused:
        ma.traits(measures)
    assert words in str(refused.value)


# -- The page --------------------------------------------------------------------------------------


def cells_of(page, mark):
    """Return the rows of a table of the page as lists of cells."""
    text = page.partition(f"<!-- {mark} -->\n")[2].partition("<!-- end of")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()][2:]


def check_cells(shown, fresh):
    """Hold words to words, and numbers to what is left of them after the second digit."""
    assert re.sub(r"[\d.]+", "#", shown) == re.sub(r"[\d.]+", "#", fresh)
    for a, b in zip(*(re.findall(r"\d\.\d\d", cell) for cell in (shown, fresh)), strict=True):
        assert float(a) == pytest.approx(float(b), abs=0.0101)


def test_the_page_shows_what_is_found(script, two, three):
    page = script.PAGE.read_text(encoding="utf-8")
    for mark, lines in (
        ("published", script.published_table(two, three)),
        ("catalogue", script.catalogue_table(two)),
    ):
        fresh = cells_of(script.with_table(page, mark, lines), mark)
        shown = cells_of(page, mark)
        assert len(shown) == len(fresh) > 17
        for one, other in zip(shown, fresh, strict=True):
            assert one[0] == other[0], "make it anew: python docs/traits.py"
            for a, b in zip(one[1:], other[1:], strict=True):
                check_cells(a, b)
