"""The draws: their random numbers, their distribution, and what they leave together."""

import itertools
from math import factorial

import numpy as np
import pytest
from scipy.stats import binom, chisquare

from metricatlas.summaries import draws as module
from metricatlas.summaries.draws import Bootstrap, Deletions, Members, kept
from metricatlas.summaries.kernels import resampling_scan

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15
#: The first outputs from 1234567, which the generator's pages print for implementers.
PRINTED = [
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
]


def split_mix(seed):
    """SplitMix64, in whole numbers of Python."""
    state = seed
    while True:
        state = (state + GOLDEN) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def drawn_by_hand(seed, sizes):
    """Draw from strata one by one: both halves of every number, then again what was refused."""
    numbers, counts = split_mix(seed), []
    for size in sizes:
        own, missing = [0] * size, size % 2
        for _ in range(size // 2):
            number = next(numbers)
            for half in (number >> 32, number & 0xFFFFFFFF):
                place, left = divmod(half * size, 1 << 32)
                if left >= (1 << 32) % size:
                    own[place] += 1
                else:
                    missing += 1
        while missing:
            place, left = divmod((next(numbers) >> 32) * size, 1 << 32)
            if left >= (1 << 32) % size:
                own[place] += 1
                missing -= 1
        counts += own
    return counts


def seeds(count, entropy=0):
    return np.random.SeedSequence(entropy).generate_state(count, np.uint64)


def plain(units, times, entropy=0):
    return Bootstrap.of(np.zeros(units, dtype=np.int64), None, seeds(times, entropy))


def test_random_numbers_are_those_that_are_printed_for_the_generator():
    by_hand = list(itertools.islice(split_mix(1234567), 5))
    states = [np.uint64((1234567 + GOLDEN * (i + 1)) & MASK) for i in range(5)]
    assert by_hand == PRINTED
    assert [int(resampling_scan._mixed(state)) for state in states] == PRINTED
    assert resampling_scan.STEP == GOLDEN


@pytest.mark.parametrize("sizes", [(1,), (2,), (3,), (1, 1, 1), (7, 4), (0, 5), (100,), (64, 37)])
def test_draws_are_those_made_one_by_one(sizes):
    strata = np.repeat(np.arange(len(sizes)), sizes)
    own = Bootstrap.of(strata, None, seeds(20))
    expected = [drawn_by_hand(int(seed), sizes) for seed in seeds(20)]
    # Units of a stratum lie together, as they came.
    assert own.units.tolist() == list(range(sum(sizes)))
    assert own.counts(slice(None)).tolist() == expected


def test_places_that_would_be_favoured_are_drawn_again():
    size = 600_011
    refused = (1 << 32) % size
    state = int(seeds(1)[0])
    numbers = np.array(list(itertools.islice(split_mix(state), size // 2)), dtype=np.uint64)
    halves = np.stack([numbers >> np.uint64(32), numbers & np.uint64(0xFFFFFFFF)], axis=1).ravel()
    products = halves * np.uint64(size)
    bad = (products & np.uint64(0xFFFFFFFF)) < refused
    found = np.bincount((products[~bad] >> np.uint64(32)).astype(np.int64), minlength=size)
    counts = plain(size, 1).counts(slice(None))[0].astype(np.int64)
    assert bad.any()
    # What was refused is drawn anew, and the last of an odd number: so much is missing, no more.
    assert counts.sum() == size
    assert (counts >= found).all()
    assert (counts - found).sum() == bad.sum() + 1


def test_every_resample_is_as_probable_as_the_multinomial_distribution_says():
    units, times = 5, 60_000
    counts = plain(units, times).counts(slice(None))
    outcomes = [o for o in itertools.product(range(units + 1), repeat=units) if sum(o) == units]
    ways = [factorial(units) / np.prod([factorial(k) for k in o]) for o in outcomes]
    place = {outcome: i for i, outcome in enumerate(outcomes)}
    seen = np.bincount([place[tuple(row)] for row in counts.tolist()], minlength=len(outcomes))
    expected = np.array(ways) / units**units * times
    # Outcomes that few are expected of are one.
    rare = expected < 100
    observed = np.append(seen[~rare], seen[rare].sum())
    assert chisquare(observed, np.append(expected[~rare], expected[rare].sum())).pvalue > 1e-3


@pytest.mark.parametrize("units", [2, 3, 10, 999])
def test_every_unit_is_drawn_as_often_as_the_binomial_distribution_says(units):
    counts = plain(units, 60_000 // units + 1, entropy=units).counts(slice(None))
    seen = np.bincount(np.minimum(counts.ravel(), 5), minlength=6)
    shares = binom.pmf(np.arange(5), units, 1 / units)
    expected = np.append(shares, 1 - shares.sum()) * counts.size
    there = expected > 1
    assert (
        chisquare(seen[there], expected[there] * seen.sum() / expected[there].sum()).pvalue > 1e-3
    )
    # The places at either end are as good as any.
    means = counts.mean(axis=0)
    error = np.sqrt((1 - 1 / units) / len(counts))
    assert np.abs(means[[0, 1, -1]] - 1).max() < 4 * error


def test_resamples_have_nothing_to_do_with_each_other():
    counts = plain(40, 4_000).counts(slice(None)).astype(float)
    away = counts - 1
    for lag in (1, 2, 7):
        products = (away[lag:] * away[:-lag]).sum(axis=1)
        # The squares of the covariances of multinomial counts add up to one less than there are.
        assert abs(products.sum()) < 4 * np.sqrt(39 * len(products))


def test_strata_keep_their_sizes_and_units_their_place():
    rng = np.random.default_rng(0)
    strata = rng.integers(0, 3, 50)
    own = Bootstrap.of(strata, None, seeds(200))
    by_example = own.counts(slice(None))[:, own.units]
    for stratum in range(3):
        sizes = by_example[:, strata == stratum].sum(axis=1)
        assert (sizes == (strata == stratum).sum()).all()
    assert own.constant
    assert len(np.unique(by_example, axis=0)) > 190


def test_clusters_are_drawn_whole():
    clusters = np.array([2, 0, 1, 2, 2, 0, 3])
    own = Bootstrap.of(np.zeros(7, dtype=np.int64), clusters, seeds(300))
    by_example = own.counts(slice(None))[:, own.units]
    for cluster in range(4):
        members = by_example[:, clusters == cluster]
        assert (members == members[:, :1]).all()
    first = [int(np.flatnonzero(clusters == c)[0]) for c in range(4)]
    assert (by_example[:, first].sum(axis=1) == 4).all()
    assert not own.constant


@pytest.mark.parametrize(("units", "blocks"), [(1, 1), (3, 3), (10, 4), (7, 7)])
def test_every_unit_is_left_out_once(units, blocks):
    left = Deletions(np.arange(units, dtype=np.int32), np.arange(units) % blocks)
    counts = left.counts(slice(None))
    assert left.times == blocks == len(counts)
    assert (counts.sum(axis=0) == blocks - 1).all()
    parts = [left.some(slice(i, i + 2)) for i in range(0, blocks, 2)]
    assert np.concatenate([p.counts(slice(None)) for p in parts]).tolist() == counts.tolist()


@pytest.mark.parametrize("room", [0, 1 << 20])
@pytest.mark.parametrize("workers", [1, 3])
def test_draws_that_are_kept_are_the_same_in_lots_of_any_size(room, workers, monkeypatch):
    own = plain(90, 70)
    expected = own.counts(slice(None)).tolist()
    monkeypatch.setattr(module, "KEPT", room)
    for together in (1, 1000, 1 << 16):
        monkeypatch.setattr(module, "TOGETHER", together)
        there = kept(own, workers)
        assert there.counts(slice(None)).tolist() == expected
        lots = [there.some(slice(i, i + 11)).counts(slice(None)) for i in range(0, 70, 11)]
        assert np.concatenate(lots).tolist() == expected
        lots = [there.counts(slice(i, i + 9)) for i in range(0, 70, 9)]
        assert np.concatenate(lots).tolist() == expected
        assert (there.times, there.size, there.constant) == (70, 90, True)
    some = Members(own, own.units[5:20]).some(slice(3, 8))
    assert some.counts(slice(None)).tolist() == expected[3:8]
    assert (some.times, some.size, some.constant) == (5, 90, False)
