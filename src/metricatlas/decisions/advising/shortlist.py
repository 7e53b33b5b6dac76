"""What rules make of the evidence: who is refused, who is chosen, and who says the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from metricatlas.decisions.advising.rules import rules_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from metricatlas.decisions.advising.rules import Rule

#: So many measures are advised to select with at most.
MOST = 3

Fields = dict[str, Any]


@dataclass(frozen=True)
class Finding:
    """A rule that holds for a measure, with its words."""

    rule: Rule
    words: str


@dataclass(frozen=True)
class Judged:
    """A measure for one purpose."""

    fields: Fields
    refused: tuple[Finding, ...]
    warned: tuple[Finding, ...]

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self.fields["measure"])

    @property
    def order(self) -> tuple[Any, ...]:
        """Of measures that the simulation cannot tell apart, the one with fewer warnings first.

        Then the one that more of the studies use, and the more reliable one.
        """
        own = self.fields
        return (own["group"], len(self.warned), -own["studies"], own["wrong"], own["number"])


@dataclass(frozen=True)
class Chosen:
    """A measure on a list."""

    judged: Judged
    #: Why the list needs one like it; of the list to select with, nothing.
    need: Finding | None = None


@dataclass(frozen=True)
class Shortlist:
    """The measures for one purpose, and what became of all others."""

    purpose: str
    judged: dict[str, Judged]
    chosen: tuple[Chosen, ...]
    #: What a report needs, and none of the measures tells.
    unmet: tuple[Finding, ...] = ()
    #: The measures that say what one of the list says: which, and how strongly correlated.
    redundant: Mapping[str, Finding] = field(default_factory=dict)
    twins: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The measures of the list."""
        return [one.judged.name for one in self.chosen]

    def status(self, name: str) -> str:
        """What became of a measure."""
        if name in self.names:
            return "least bad" if self.judged[name].refused else "chosen"
        if self.judged[name].refused:
            return "refused"
        return "redundant" if name in self.redundant else "possible"


def judged(purpose: str, case: Fields, rows: list[Fields]) -> dict[str, Judged]:
    """Ask every rule for this purpose about every measure."""
    asked = rules_for(purpose, case)
    found = {}
    for own in rows:
        told = [Finding(r, r.told(case, own)) for r in asked if _asks(r) and r.holds(own)]
        found[own["measure"]] = Judged(
            own,
            tuple(one for one in told if one.rule.effect == "refuse"),
            tuple(one for one in told if one.rule.effect == "warn"),
        )
    return found


def _asks(rule: Rule) -> bool:
    return rule.effect in ("refuse", "warn")


def to_select(
    case: Fields, rows: list[Fields], correlation: Callable[[str, str], float]
) -> Shortlist:
    """Choose the most reliable measures that are not refused, and none that says the same twice."""
    every = judged("select", case, rows)
    allowed = sorted((one for one in every.values() if not one.refused), key=lambda j: j.order)
    if not allowed:
        return Shortlist("select", every, (Chosen(_least_bad(list(every.values()))),))
    same = [rule for rule in rules_for("select", case) if rule.effect == "redundant"]
    chosen: list[Judged] = []
    redundant: dict[str, Finding] = {}
    twins: dict[str, str] = {}
    for one in allowed:
        said = next((t for other in chosen if (t := _same(one, other, same, correlation))), None)
        if said is not None:
            twins[one.name], redundant[one.name] = said
        elif len(chosen) < MOST:
            chosen.append(one)
    return Shortlist("select", every, tuple(map(Chosen, chosen)), (), redundant, twins)


def _same(
    one: Judged, other: Judged, same: list[Rule], correlation: Callable[[str, str], float]
) -> tuple[str, Finding] | None:
    """The rule by which one measure says what the other says."""
    both = {
        "measure": one.name,
        "other": other.name,
        "correlation": correlation(one.name, other.name),
        "low": float("nan"),
        "models": "",
    }
    rule = next((r for r in same if r.holds(both)), None)
    return None if rule is None else (other.name, Finding(rule, rule.told({}, both)))


def to_report(case: Fields, rows: list[Fields]) -> Shortlist:
    """For each thing that a report needs, choose the most reliable measure that tells it."""
    every = judged("report", case, rows)
    chosen, unmet = [], []
    for rule in rules_for("report", case):
        if rule.effect != "need":
            continue
        need = Finding(rule, rule.told(case, {}))
        serving = [one for one in every.values() if rule.holds(one.fields)]
        if serving:
            allowed = [one for one in serving if not one.refused]
            best = min(allowed, key=lambda j: j.order) if allowed else _least_bad(serving)
            chosen.append(Chosen(best, need))
        else:
            unmet.append(need)
    if not chosen:
        chosen = [Chosen(_least_bad(list(every.values())))]
    return Shortlist("report", every, tuple(chosen), tuple(unmet))


def _least_bad(every: list[Judged]) -> Judged:
    """The one that fewest rules refuse."""
    return min(every, key=lambda j: (len(j.refused), *j.order))
