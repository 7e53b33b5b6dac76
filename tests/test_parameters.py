"""Values of a measure's parameters: one form for one value, and words for what is none."""

import numpy as np
import pytest

import metricatlas as ma
from metricatlas.errors import MeasureError

Y = [0, 0, 1, 1, 1, 0]
P = [0.1, 0.4, 0.35, 0.8, 0.9, 0.6]


@pytest.mark.parametrize("name", ["ece", "ace", "ece_mass", "hosmer_lemeshow"])
@pytest.mark.parametrize("bins", [2, 2.0, np.int64(2), np.float32(2), np.array(2)])
def test_a_whole_number_may_be_written_as_any_number(name, bins):
    measure = ma.catalogue[name].using(bins=bins)
    assert measure == ma.catalogue[f"{name}[bins=2]"] == ma.catalogue[f"{name}[bins=2e0]"]
    assert measure.name == f"{name}[bins=2]"
    assert ma.measure(measure, Y, P) == ma.measure(f"{name}[2]", Y, P)


def test_every_whole_number_of_the_catalogue_takes_a_float():
    assert ma.measure("ece[bins=1e3]", Y, P) == ma.measure("ece[bins=1000]", Y, P)
    windows = ma.catalogue["cal"].using(window=2.0)
    assert ma.measure(windows, Y, P) == ma.measure("cal[window=2]", Y, P)
    assert ma.measure("precision_at_k[k=2.0]", Y, P) == 1
    assert ma.measure("top_k[2.0]", Y, P) == 1
    assert ma.catalogue["fbeta"].using(beta=2) == ma.catalogue["fbeta[beta=2.0]"]


@pytest.mark.parametrize("text", ["ece[bins=true]", "cal[window=true]", "fbeta[beta=true]"])
def test_a_truth_value_is_no_number_and_leaves_nothing_behind(text):
    with pytest.raises(MeasureError, match=r"must be a (whole )?number.*; got True"):
        ma.measure(text, Y, P)
    assert ma.measure(text.replace("true", "1"), Y, P) >= 0


@pytest.mark.parametrize("bins", [0, -1, 2.5, 10_001, 2**31, 10**20, 10**400, np.nan, np.inf, "x"])
def test_bins_are_a_whole_number_within_reason(bins):
    with pytest.raises(MeasureError, match=r"bins of ece must be a whole number from 1 to 10,000"):
        ma.catalogue["ece"].using(bins=bins)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("cal", {"window": 10**20}, "window of cal must be a whole number above 0 and at most 2"),
        ("fbeta", {"beta": 10**400}, "beta of fbeta must be a number above 0 that a float can hol"),
        ("cost", {"costs": [[0, 10**400], [1, 0]]}, "costs of expected_cost must be a square"),
        ("lift", {"share": [0.5]}, r"share of lift must be above 0 and at most 1; got \[0.5\]"),
    ],
)
def test_numbers_that_nothing_can_be_computed_with_are_refused(name, value, words):
    with pytest.raises(MeasureError, match=words):
        ma.catalogue[name].using(**value)


def test_ones_own_parameters_are_read_by_their_annotations():
    @ma.define_measure
    def own(t: ma.TwoByTwo, *, times: int = 1, word: str = "a"):
        return t.tp * times * len(word)

    assert ma.measure("own[times=2.0,word=abc]", Y, P) == 12
    with pytest.raises(MeasureError, match=r"times of own must be a whole number; got 2.5"):
        ma.catalogue["own[2.5]"]
    with pytest.raises(MeasureError, match="times of own must be a whole number; got 'many'"):
        ma.catalogue["own[many]"]
