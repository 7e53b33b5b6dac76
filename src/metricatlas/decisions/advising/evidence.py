"""What is found out about each candidate, before any rule is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from metricatlas.decisions.advising.case import HALF, Case
from metricatlas.decisions.advising.idle import idleness
from metricatlas.decisions.advising.trials import wrong_choices
from metricatlas.errors import DecisionError
from metricatlas.measures import catalogue
from metricatlas.measures.language import parse
from metricatlas.measures.terms import Point, Term
from metricatlas.summaries import Confusion, TwoByTwo
from metricatlas.worlds.choosing import Asked
from metricatlas.worlds.influence import TRAITS
from metricatlas.worlds.probes import traits

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from metricatlas.worlds.traits import MeasureTraits

#: Cuts that are found on the test set.
OWN_CUTS = ("ks", "bep", "best")
#: Measures are probed on three classes where there are more.
MOST_PROBED = 3


@dataclass(frozen=True)
class Candidate:
    """A measure that may be advised."""

    name: str
    #: As it is evaluated, and as its traits are probed.
    measure: Any
    probed: Any
    #: Whether it tells what decisions cost.
    cost: bool = False


def candidates(case: Case, measures: Any) -> list[Candidate]:
    """Measures as they are evaluated in this case; None are all that serve it and choose."""
    asked = Asked.of(measures, case.profile)
    found = {}
    for name, measure in zip(asked.names, asked.measures, strict=True):
        term: Any = parse(measure)
        found[name] = Candidate(name, measure, measure)
        if case.threshold not in (None, HALF) and _is_cut(term):
            cut = replace(term, point=Point("at", case.threshold))
            found[name] = Candidate(cut.name, cut, measure)
    if case.costs is not None:
        cost = _cost(case)
        found[cost.name] = cost
    return list(found.values())


def names_of(found: Sequence[Candidate]) -> dict[Any, str]:
    """What candidates are called, by the measures that they are, and that they were asked as."""
    named = {parse(one.probed): one.name for one in reversed(found)}
    return named | {parse(one.measure): one.name for one in reversed(found)}


def _is_cut(term: Any) -> bool:
    """Whether decisions at another threshold are all that it reads."""
    if not isinstance(term, Term) or term.point is not None:
        return False
    return term.declaration.summary in (Confusion, TwoByTwo) and term.needs == "labels"


def _cost(case: Case) -> Candidate:
    """The expected cost, where decisions are made or at the best threshold."""
    measure: Any = catalogue["cost"].using(costs=case.costs)
    classes = case.profile.classes
    few: Any = [row[:MOST_PROBED] for row in (case.costs or ())[:MOST_PROBED]]
    probed: Any = catalogue["cost"].using(costs=few)
    if classes == 2 and case.threshold != HALF:
        free = case.threshold is None
        measure = replace(measure, point=Point("best") if free else Point("at", case.threshold))
        probed = measure if free else probed
    return Candidate(measure.name, measure, probed, cost=True)


def evidence(
    case: Case, found: Sequence[Candidate], repetitions: int, seed: int
) -> tuple[list[Candidate], pd.DataFrame]:
    """Return the candidates that follow the threshold, and a row for each, most reliable first."""
    import pandas as pd

    probed = traits(
        [candidate.probed for candidate in found],
        classes=min(case.profile.classes, MOST_PROBED),
        seed=seed,
    ).rows
    kept = _following(case, list(zip(found, probed, strict=True)))
    measures = [candidate.measure for candidate, _ in kept]
    trials = wrong_choices(case, measures, repetitions, seed)
    idle = idleness(measures, case.profile.priors)
    own = pd.DataFrame({"measure": trials.names})
    shares = [one.undefined[0] / one.repetitions for one in trials.worlds.values()]
    own["undefined"] = pd.DataFrame(shares).max().to_numpy()
    for trait in TRAITS:
        own[trait] = [row.verdicts[trait] for _, row in kept]
    own["idle"], own["lone"], own["baseline"] = idle.idle, idle.lone, idle.baseline
    own["bounded"], own["infinite"] = _words(idle.bounded), _words(idle.infinite)
    own["cut"] = _words([_has_own_cut(candidate.measure) for candidate, _ in kept])
    own["printed"] = _words([_is_misprint(candidate.measure) for candidate, _ in kept])
    own["cost"] = _words([candidate.cost for candidate, _ in kept])
    own["studies"] = [len(catalogue.sources(candidate.probed)) for candidate, _ in kept]
    own["traps"] = [_traps(candidate.measure) for candidate, _ in kept]
    # Equal shares stand in the order of the catalogue.
    order = {name: place for place, name in enumerate(trials.names)}
    table = trials.ranking().merge(own, on="measure", validate="one_to_one")
    table["place"] = table["measure"].map(order)
    table = table.sort_values(["wrong", "place"], ignore_index=True).drop(columns="place")
    return [candidate for candidate, _ in kept], table


def _following(
    case: Case, pairs: list[tuple[Candidate, MeasureTraits]]
) -> list[tuple[Candidate, MeasureTraits]]:
    """Leave out what reads decisions at one half, where they are made elsewhere."""
    if case.threshold in (None, HALF):
        return pairs
    kept = [
        (candidate, row)
        for candidate, row in pairs
        if row.threshold.verdict == "no" or "@" in candidate.name
    ]
    if not kept:
        msg = (
            f"a measure must follow the threshold, or have none; {pairs[0][0].name} decides at "
            f"0.5, not at {case.threshold:g}. Ask for others too."
        )
        raise DecisionError(msg)
    return kept


def _has_own_cut(measure: Any) -> bool:
    """Whether it decides at the threshold that is best for it on the very test set."""
    points = [part.point for part in _parts(parse(measure)) if isinstance(part, Term)]
    return any(point is not None and point.kind in OWN_CUTS for point in points)


def _is_misprint(measure: Any) -> bool:
    """Whether one of its names says that a paper prints it so, where it means something else."""
    return any(n.endswith("_printed") for n in (parse(measure).name, *catalogue.aliases(measure)))


def _words(holds: Any) -> list[str]:
    return ["yes" if each else "no" for each in holds]


def _traps(measure: Any) -> str:
    """What a measure declares of itself that may surprise."""
    found = parse(measure)
    reasons = [reason for part in _parts(found) for reason in part.reasons]
    told = [f"Undefined if: {' '.join(dict.fromkeys(reasons))}"] if reasons else []
    if found.counts_rows:
        told.append("It counts rows: weights must be whole numbers.")
    return " ".join(told)


def _parts(measure: Any) -> list[Any]:
    """The terms that a measure is made of."""
    if isinstance(measure, Term):
        own: list[Any] = [measure] if not measure.declaration.of else []
        return [*own, *measure.parts]
    return list(measure.parts)
