"""Intervals hold the true value as often as they say, and the page says where they do not."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import binom, norm

import metricatlas as ma
from benchmarks.coverage import CONFIGURATIONS, Configuration, Scale, counted, holds, study
from benchmarks.coverage_page import BEGIN, END, FAILED, TASK, tables, write
from benchmarks.population import APART, CONFIDENCE, RAISED, Moments, Population, long_run
from metricatlas.decisions.comparing.proportions import proportion

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
#: Examples on which every measure has a value.
FOUR = ([0, 1, 0, 0, 1, 1], [0.1, 0.9, 0.6, 0.2, 0.7, 0.4])
TINY = Scale(sets=3, resamples=50, independent=40, examples=1600, large=4)
SMALL = [Configuration(50, 0.5, tied=False), Configuration(50, 0.02, tied=True)]


def brier_of_class(model, label):
    """Integrate the squared error over the normal scores of a class."""
    centre = APART[model] * (label - 0.5)

    def part(score):
        odds = CONFIDENCE[model] * APART[model] * score + RAISED[model]
        return norm.pdf(score, centre) * (1 / (1 + np.exp(-odds)) - label) ** 2

    return quad(part, centre - 9, centre + 9)[0]


def in_theory(model):
    """What the measures are worth in the population with as many positives as negatives."""
    cut = -RAISED[model] / (CONFIDENCE[model] * APART[model])
    half = APART[model] / 2
    return {
        "acc": (norm.sf(cut, half) + norm.cdf(cut, -half)) / 2,
        "auc": norm.cdf(APART[model] / np.sqrt(2)),
        "brier": (brier_of_class(model, 0) + brier_of_class(model, 1)) / 2,
    }


@pytest.fixture(autouse=True)
def _one_thread(monkeypatch):
    # Small test sets are done before another thread has started.
    monkeypatch.setenv("METRICATLAS_THREADS", "1")


# -- Intervals -------------------------------------------------------------------------------------


def held(level, sets):
    """In so many test sets of 300, how many intervals hold the values and the differences."""
    good, bad = in_theory(0), in_theory(1)
    names = list(good)
    gains = {name: good[name] - bad[name] for name in names} | {
        "brier": bad["brier"] - good["brier"]
    }
    found = dict.fromkeys([*names, *(f"gain in {name}" for name in names)], 0)
    rng = np.random.default_rng(5)
    for seed in range(sets):
        (truth,), ((one, other),) = Population(0.5, tied=False).draw(rng, 1, 300)
        models = {"one": one, "other": other}
        made = ma.compare(truth, models, measures=names, resamples=200, level=level, seed=seed)
        table = made.table[made.table["model"] == "one"].set_index("measure")
        assert table["interval"].to_dict() == {"acc": "Wilson", "auc": "DeLong", "brier": "bca"}
        pairs = made.pairs.set_index("measure")
        for name in names:
            found[name] += table.loc[name, "low"] <= good[name] <= table.loc[name, "high"]
            inside = pairs.loc[name, "low"] <= gains[name] <= pairs.loc[name, "high"]
            found[f"gain in {name}"] += inside
    return found


def test_intervals_hold_what_theory_says_as_often_as_they_claim():
    sets = 300
    least, most = binom.interval(0.999, sets, 0.95)
    for name, count in held(0.95, sets).items():
        assert least <= count <= most, name


def test_intervals_of_another_level_would_not_pass():
    sets = 60
    least, _ = binom.interval(0.999, sets, 0.95)
    for name, count in held(0.5, sets).items():
        assert count < least, name


def test_a_test_set_without_positives_has_no_intervals_but_those_of_negatives():
    models = {"one": [0.1, 0.2, 0.6, 0.3], "other": [0.3, 0.7, 0.1, 0.2]}
    made = ma.compare([0, 0, 0, 0], models, labels=[0, 1], resamples=50)
    low = made.table[made.table["model"] == "one"].set_index("measure")["low"]
    assert low[["auc", "recall", "auc:acc"]].isna().all()
    assert low[["acc", "specificity", "fpr"]].notna().all()


# -- The study -------------------------------------------------------------------------------------


def test_the_long_run_is_what_theory_says():
    seeds = np.random.SeedSequence(3).spawn(12)
    found = Moments.of(
        np.concatenate([Population(0.5, tied=False).values(seed, 1, 60_000) for seed in seeds])
    )
    columns = ma.evaluate(*FOUR).columns
    good, bad = in_theory(0), in_theory(1)
    for name, value in good.items():
        place = columns.index(name)
        gain = bad[name] - value if name == "brier" else value - bad[name]
        for i, expected in enumerate((value, gain)):
            error = found.error[i, place]
            assert error < 0.001
            assert found.mean[i, place] == pytest.approx(expected, abs=4.5 * error), name


def test_what_grows_with_the_test_set_has_no_long_run():
    def moments(n):
        seeds = np.random.SeedSequence(n).spawn(40)
        lots = [Population(0.5, tied=False).values(seed, 1, n) for seed in seeds]
        return Moments.of(np.concatenate(lots))

    found = long_run(moments(32_000), moments(2000)).mean[0]
    columns = ma.evaluate(*FOUR).columns
    lost = {name for name, value in zip(columns, found, strict=True) if np.isnan(value)}
    grow = {"true_positives", "false_negatives", "chi_square", "hosmer_lemeshow", "spiegelhalter"}
    assert grow < lost
    assert not lost & {"acc", "auc", "brier", "ece", "mcc", "ks_threshold", "auc_printed"}


def test_an_undefined_interval_holds_nothing_and_is_counted():
    ends = np.array([[0.0, 1.0], [0.0, np.inf], [np.nan, np.nan], [0.5, 0.5], [0.6, 0.7]])
    assert holds(ends, np.full(5, 0.5)).tolist() == [True, True, False, True, False]
    assert not holds(ends, np.full(5, np.nan)).any()


def test_the_count_does_not_depend_on_how_it_is_parted():
    readings = np.zeros((2, 2, len(ma.evaluate(*FOUR).columns)))
    whole = counted((SMALL[1], range(4), 40, readings))
    parts = [counted((SMALL[1], numbers, 40, readings)) for numbers in (range(1), range(1, 4))]
    assert (whole == sum(parts)).all()
    known = whole[0]
    assert known.max() == 4
    assert (whole[1:] <= known).all()


def test_the_study_is_the_same_for_any_number_of_workers(capsys):
    one, two = (study(TINY, workers, SMALL) for workers in (1, 2))
    pd.testing.assert_frame_equal(one, two, check_exact=True)
    assert "n = 50, prior 0.02, ties: auto holds (median)" in capsys.readouterr().out


def test_a_page_is_renewed_between_its_marks(tmp_path):
    found = study(TINY, 1, SMALL)
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n\n{BEGIN}\n\nold\n\n{END}\n\nAfter.\n", encoding="utf-8")
    for _ in range(2):
        write(found, page, TINY.words)
        text = page.read_text(encoding="utf-8")
        assert text.startswith("Before.\n\n<!--")
        assert text.endswith("-->\n\nAfter.\n")
        assert text.count("### All methods") == 1
        assert "\nold\n" not in text
    page.write_text("No marks.", encoding="utf-8")
    with pytest.raises(SystemExit, match="must have the lines"):
        write(found, page, TINY.words)


# -- The page --------------------------------------------------------------------------------------


def results():
    return pd.read_csv(PAGE.with_suffix(".csv"))


def test_the_page_shows_the_results_that_lie_beside_it():
    text = PAGE.read_text(encoding="utf-8")
    made = text.partition(BEGIN)[2].partition(END)[0].strip()
    assert made == tables(results(), made.partition("\n")[0])


def test_every_measure_of_the_catalogue_is_on_the_page_in_every_configuration():
    text = PAGE.read_text(encoding="utf-8")
    schema = ma.evaluate(*FOUR).schema
    for title, names in {
        "The value": [column.name for column in schema],
        "The difference": [column.name for column in schema if column.better != "neither"],
    }.items():
        table = text.partition(f"### {title}\n\n")[2].partition("\n\n")[0].splitlines()
        assert [re.match(r"\| `(.*?)` \|", line)[1] for line in table[2:]] == names
        assert {line.count(" | ") for line in table[2:]} == {len(CONFIGURATIONS)}


def test_the_results_are_shares_of_the_test_sets():
    found = results()
    keys = ["measure", "n", "prior", "ties", "of"]
    assert not found.duplicated(keys).any()
    shares = found.drop(columns=[*keys, "truth", "long_run"])
    assert ((shares >= 0) & (shares <= 1) | shares.isna()).all(axis=None)
    undefined = [name for name in shares if name.endswith("_undefined")]
    assert len(undefined) == 4
    assert not shares[undefined].isna().any(axis=None)


def test_the_results_are_of_the_population_that_the_page_describes():
    text = PAGE.read_text(encoding="utf-8").partition("## What fails")[0]
    found = results().query("prior == 0.5 and not ties and of == 'value'").set_index("measure")
    for name, value in in_theory(0).items():
        assert found.loc[name, "long_run"].tolist() == pytest.approx([value] * 3, abs=3e-4)
        # Each is a mean over examples, or over pairs of them, so no size has another one.
        assert found.loc[name, "truth"].tolist() == pytest.approx([value] * 3, abs=1.5e-3)
    for model in (0, 1):
        assert f"{in_theory(model)['auc']:.3f}" in text
    assert f"{CONFIDENCE[0]} times too large, plus {RAISED[0]}" in text


def test_what_the_page_calls_a_failure_is_one():
    text = PAGE.read_text(encoding="utf-8").partition("## What fails")[2].partition("###")[0]
    named = [re.match(r"\| `(.+?)`", line) for line in text.splitlines()]
    *measures, infinite = [name[1] for name in named if name]
    assert measures == ["ece", "ks_threshold", "ppv", "uncertainty"]
    found = results()
    plenty = found.query("n * prior >= 60")
    assert (plenty.groupby("measure")["auto"].min()[measures] < FAILED).all()
    endless = found[(found["measure"] == infinite) & found["ties"]]
    assert len(endless) == len(CONFIGURATIONS)
    assert endless[["truth", "long_run"]].isna().all(axis=None)


def test_the_intervals_that_the_page_advises_hold():
    found = results().query("of == 'value'")
    shares = [name for name in found["measure"].unique() if proportion(name, TASK)]
    assert {"acc", "recall", "npv"} <= set(shares)
    own = found[found["measure"].isin(shares)]
    assert own.query("n >= 300")["auto"].min() > FAILED
    single = own.query("n == 50 and prior == 0.02 and auto_undefined < 0.5")
    assert single["auto"].median() > FAILED > single["bca"].median()
    plain = found.query("n == 300 and prior == 0.5 and not ties").set_index("measure")
    for name in ("ece", "ece_mass", "calb"):
        line = plain.loc[name]
        assert line["percentile"] > line["bca"] + 0.1
        assert line["basic_long_run"] > line["bca_long_run"] + 0.1
