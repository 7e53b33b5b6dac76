"""Several worlds at once: each is as if it were alone, and they have an average."""

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

import metricatlas as ma
from metricatlas.worlds.noise import WORLDS
from metricatlas.worlds.profile import Profile
from metricatlas.worlds.reliabilities import Reliabilities
from metricatlas.worlds.reliability import Reliability

TWO = ["label-noise", "probability-noise"]


@pytest.fixture(scope="module")
def both():
    return ma.simulate(TWO, measures=["acc", "auc", "gini", "brier"], repetitions=1500)


def test_each_world_is_as_if_it_were_alone():
    options = {"measures": ["auc", "acc"], "repetitions": 300, "seed": 4}
    several = ma.simulate(list(WORLDS), **options)
    for world in several:
        assert several[world].wrong.equals(ma.simulate(world, **options).wrong)
    assert list(several) == list(WORLDS)
    assert len(several) == 4


def test_the_table_has_a_row_for_each_world_measure_and_level(both):
    table = both.wrong
    assert table.columns.tolist() == [
        *("world", "measure", "level", "wrong", "low", "high", "undefined")
    ]
    assert len(table) == 4 * (11 + 50)
    for world in TWO:
        own = table[table["world"] == world].drop(columns="world").reset_index(drop=True)
        assert own.equals(both[world].wrong)


def test_the_average_is_over_worlds_that_count_the_same(both):
    for name, share in both.average().items():
        expected = np.mean([both[world].average()[name] for world in TWO])
        assert share == pytest.approx(expected, rel=1e-12)
    ranking = both.ranking()
    assert ranking["wrong"].is_monotonic_increasing
    for line in ranking.to_dict("records"):
        assert line["wrong"] == pytest.approx((line[TWO[0]] + line[TWO[1]]) / 2, rel=1e-12)
    groups = ranking.set_index("measure")["group"]
    assert groups["auc"] == groups["gini"]


def test_its_error_is_that_of_the_averages_of_the_pairs():
    rng = np.random.default_rng(0)
    found = Reliabilities.of(
        [
            Reliability.empty(name, ["a", "b"], levels, Profile())
            for name, levels in zip(TWO, ([0, 10], [5, 6, 7]), strict=True)
        ]
    )
    kept = []
    for count in (30, 20):
        parts = [rng.choice([0, 1, 2], (count, levels, 2)).astype(np.uint8) for levels in (2, 3)]
        found.add(parts)
        kept.append(np.mean([part.mean(axis=1) / 2 for part in parts], axis=0))
    own = np.concatenate(kept)
    line = found.ranking().set_index("measure").loc["b"]
    share, variance = own[:, 1].mean(), own[:, 1].var(ddof=1) / len(own)
    assert line["wrong"] == pytest.approx(share)
    # So many tosses of a coin would have the same variance.
    tosses = share * (1 - share) / variance
    ends = proportion_confint(share * tosses, tosses, method="wilson")
    assert (line["low"], line["high"]) == pytest.approx(ends, rel=1e-9)


def test_a_measure_that_is_never_wrong_may_still_be_wrong():
    found = Reliabilities.of([Reliability.empty("label-noise", ["a"], [0], Profile())])
    found.add([np.zeros((200, 1, 1), np.uint8)])
    line = found.ranking().iloc[0]
    assert line["wrong"] == line["low"] == 0
    assert line["high"] == pytest.approx(proportion_confint(0, 200, method="wilson")[1], rel=1e-9)


def test_it_shows_the_worlds_and_the_most_reliable_measures(both):
    lines = repr(both).splitlines()
    assert lines[0].startswith("label-noise, probability-noise: share of wrong choices in 1,500")
    assert [line.split()[1] for line in lines[1:]] == both.ranking()["measure"].tolist()


def test_the_numbers_are_the_same_for_any_number_of_workers(monkeypatch):
    tables = []
    for workers in ("1", "3"):
        monkeypatch.setenv("METRICATLAS_THREADS", workers)
        r = ma.simulate(TWO, measures=["auc", "acc"], levels=[0, 20], repetitions=2500)
        tables.append(r.ranking())
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"world": []}, "worlds must be one or more, each once; got []"),
        ({"world": ["label-noise", "label-noise"]}, "each once"),
        ({"world": ["label-noise", "nowhere"]}, "there is no world 'nowhere'"),
        ({"world": None}, "there is no world None"),
        ({"world": ["label-noise", "class-drift"], "levels": [0, 60]}, "levels of class-drift"),
    ],
)
def test_worlds_that_there_are_not_are_refused_in_words(words, said):
    with pytest.raises(ma.WorldError) as refused:
        ma.simulate(words.pop("world"), measures="acc", repetitions=10, **words)
    assert said in str(refused.value)


def test_a_world_that_was_not_asked_for_is_refused_in_words(both):
    with pytest.raises(ma.WorldError, match="there is no world 'class-drift'; there are"):
        both["class-drift"]
