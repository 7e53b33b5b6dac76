"""The door: which traits of a classifier each measure's values follow, and how far."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.errors import MeasureError, WorldError
from metricatlas.evaluation.task import Task
from metricatlas.measures import catalogue
from metricatlas.measures.language import parse
from metricatlas.measures.terms import Measure
from metricatlas.predictions.numbers import is_number, is_whole, listed
from metricatlas.progress import progress
from metricatlas.summaries.fill import threads
from metricatlas.worlds.exchanges import truth_of
from metricatlas.worlds.influence import influences
from metricatlas.worlds.probing import Probe
from metricatlas.worlds.traits import MeasureTraits, Traits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from metricatlas.worlds.influence import Influence, Tally

#: Models that are compared with each other. Intervals are from batch to batch.
BATCH = 50
#: The whole numbers that the door takes, with the least and the most; a batch is held in memory.
WHOLE: dict[str, tuple[int, float]] = {
    "repetitions": (2 * BATCH, np.inf),
    "n": (10, 20_000),
    "classes": (2, 3),
    "seed": (0, np.inf),
}


def traits(
    measures: Iterable[str | Measure] | str | Measure | None = None,
    *,
    repetitions: int = 500,
    n: int = 200,
    prior: float = 0.5,
    classes: int = 2,
    seed: int = 0,
) -> Traits:
    """Find out by experiment which traits of a classifier each measure's values follow.

    Each of four traits of a model changes to that of another model, and nothing else does:

    - threshold: decisions are made at 1/3 or 2/3, not at 0.5, on the same probabilities;
    - calibration: a strictly increasing map changes probabilities on each side of 0.5;
    - ranking: probabilities change places among the examples that are decided alike;
    - frequency: the examples of one class are there four times.

    Parameters
    ----------
    measures
        Names, measures, mixed; None for every measure of the catalogue that needs no parameter.
    repetitions
        How many models are drawn.
    n
        How many examples they judge.
    prior
        The share of positives; of three classes of the last, the others share the rest.
    classes
        Two, or three; measures that do not serve so many are probed on the other number.
    seed
        Of the random numbers.

    Returns
    -------
    Traits
        For each measure and trait a verdict: "no" where no value moves, up to rounding; "yes" where
        values move a fifth as far, or farther, as from any model to any other; "partially" between;
        "unknown" where most values are undefined.

    Examples
    --------
    >>> import metricatlas as ma
    >>> traits = ma.traits(["acc", "auc", "brier"], repetitions=100)
    >>> traits.of("auc").verdicts
    {'threshold': 'no', 'calibration': 'no', 'ranking': 'yes', 'frequency': 'no'}
    """
    _check(repetitions=repetitions, n=n, prior=prior, classes=classes, seed=seed)
    names, parsed = _asked(measures)
    served = [_classes_for(name, m, classes) for name, m in zip(names, parsed, strict=True)]
    found: dict[int, tuple[Influence, ...]] = {}
    with progress("Probing traits", repetitions * len(set(served))) as tell:
        done = 0
        for count in sorted(set(served)):
            places = [i for i, c in enumerate(served) if c == count]
            probe = Probe(tuple(parsed[i] for i in places), truth_of(n, prior, count), count)
            tallies = []
            for tally in _batches(probe, repetitions, seed):
                tallies.append(tally)
                done += tally.models
                tell(done)
            found |= dict(zip(places, influences(tallies), strict=True))
    rows = [MeasureTraits(name, served[i], *found[i]) for i, name in enumerate(names)]
    return Traits(tuple(rows), n, float(prior), repetitions, seed)


def _batches(probe: Probe, repetitions: int, seed: int) -> Iterator[Tally]:
    """Probe batches of about one size, in their order, whatever the number of workers."""
    number = -(-repetitions // BATCH)
    sizes = [repetitions // number + (i < repetitions % number) for i in range(number)]
    # Of their own for two and for three classes: a measure's numbers depend on no other measure.
    seeds = np.random.SeedSequence([seed, probe.classes]).spawn(number)
    pool = ThreadPoolExecutor(threads())
    try:
        yield from pool.map(probe.batch, seeds, sizes)
    finally:
        # Whoever presses Ctrl-C does not wait for batches that have not begun.
        pool.shutdown(cancel_futures=True)


def _asked(measures: Any) -> tuple[list[str], list[Any]]:
    """Measures as they are named, and what the names stand for."""
    if measures is None:
        measures = [name for name, measure in catalogue.items() if not measure.missing]
    given = [measures] if isinstance(measures, Measure) else listed(measures)
    if not given:
        msg = "measures must name at least one measure, or be None for all; got none."
        raise MeasureError(msg)
    parsed = [parse(m) for m in given]
    return [m if isinstance(m, str) else m.name for m in given], parsed


def _classes_for(name: str, measure: Measure, wanted: int) -> int:
    """The number of classes that a measure is probed on."""
    objections = {}
    for count in (wanted, 5 - wanted):
        task = Task("probabilities", tuple(range(count)), decided=True, whole=True)
        objections[count] = task.objection(measure)
        if not objections[count]:
            return count
    msg = f"every measure must serve two or three classes; {name} {objections[wanted]}."
    raise MeasureError(msg)


def _check(**given: Any) -> None:
    """Refuse what cannot be."""
    for name, (least, most) in WHOLE.items():
        number = given[name]
        if not is_whole(number) or not least <= number <= most:
            upto = "on" if most == np.inf else f"to {most:,}"
            msg = f"{name} must be a whole number from {least} {upto}; got {number!r}."
            raise WorldError(msg)
    n, prior, classes = given["n"], given["prior"], given["classes"]
    if not is_number(prior) or not 0 < prior < 1:
        raise WorldError(f"prior must be a share above 0 and below 1; got {prior!r}.")
    sizes = [np.sum(truth_of(n, prior, classes) == j) for j in range(classes)]
    if min(sizes) < 2:
        msg = (
            f"n and prior must leave two examples to every class; {n} examples with a prior of "
            f"{prior:g} are {' and '.join(map(str, sizes))}."
        )
        raise WorldError(msg)
