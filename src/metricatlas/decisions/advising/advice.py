"""Advice: which measures to select models with, which to report, and why not the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from metricatlas.decisions.advising.advice_text import advice_as_text, answer_as_text
from metricatlas.decisions.advising.rules import table_of_rules
from metricatlas.errors import DecisionError
from metricatlas.measurements.columns import nearest
from metricatlas.measures.language import parse
from metricatlas.worlds.influence import TRAITS

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

    from metricatlas.decisions.advising.case import Case
    from metricatlas.decisions.advising.reading import Models, Reading, Related
    from metricatlas.decisions.advising.shortlist import Chosen, Finding, Shortlist


@dataclass(frozen=True, repr=False)
class Answer:
    """Why a measure is not on a list, or that it is."""

    measure: str
    #: What became of it: chosen, redundant, possible, refused, or the least bad of the refused.
    select: str
    report: str
    #: Rules that hold for it, by id, with their words and sources.
    reasons: tuple[Finding, ...]
    #: Everything that was found out about it.
    evidence: dict[str, Any]
    #: What else there is to say, in sentences.
    notes: tuple[str, ...]

    @property
    def table(self) -> pd.DataFrame:
        """A row for each reason: the rule, what follows from it, its words and its source."""
        import pandas as pd

        columns = ["measure", "rule", "purpose", "effect", "words", "source"]
        rules = [(one.rule, one.words) for one in self.reasons]
        return pd.DataFrame(
            [(self.measure, r.id, r.purpose, r.effect, words, r.source) for r, words in rules],
            columns=columns,
        )

    def __repr__(self) -> str:
        return answer_as_text(self)


class Advice:
    """What `advise` found. Frames are made when they are first asked for."""

    def __init__(
        self,
        case: Case,
        evidence: pd.DataFrame,
        lists: tuple[Shortlist, Shortlist],
        related: Related,
        *,
        asked: Mapping[Any, str],
        models: Models,
        repetitions: int,
        notes: tuple[str, ...],
    ) -> None:
        self.case = case
        self.repetitions = repetitions
        #: What there is to say about how it was made.
        self.notes = notes
        #: The lists with all that was judged.
        self.to_select, self.to_report = lists
        self._evidence = evidence
        self._related = related
        #: What candidates are called, by the measures that were asked for.
        self._asked = asked
        #: What measures are related over, those too that are no candidates.
        self._models = models

    @cached_property
    def evidence(self) -> pd.DataFrame:
        """A row for each candidate, the most reliable first.

        ``wrong`` is the share of wrong choices, averaged over the scenarios, each of which has a
        column of its own; ``group`` numbers those that cannot be told apart. ``idle`` and ``lone``
        are how far, from the worst value to the best, predictions get that know nothing, or a
        single example; ``baseline`` is the value of the shares of the classes.
        """
        frame = self._evidence.copy()
        for title, one in (("select", self.to_select), ("report", self.to_report)):
            frame[title] = [one.status(name) for name in frame["measure"]]
        return frame

    @cached_property
    def select(self) -> pd.DataFrame:
        """The measures to select models with, the most reliable first."""
        import pandas as pd

        lines = [self._line(one, self.to_select) for one in self.to_select.chosen]
        twins = self.to_select.twins
        for line in lines:
            same = [name for name, other in twins.items() if other == line["measure"]]
            line["makes_redundant"] = ", ".join(same)
        return pd.DataFrame(lines)

    @cached_property
    def report(self) -> pd.DataFrame:
        """The measures to report, one for each thing that the case needs to be told."""
        import pandas as pd

        lines = []
        for one in self.to_report.chosen:
            need = "" if one.need is None else one.need.words
            lines.append({"need": need, **self._line(one, self.to_report)})
        return pd.DataFrame(lines)

    @cached_property
    def rules(self) -> pd.DataFrame:
        """The table of rules, as it is in its file."""
        return table_of_rules()

    def _line(self, one: Chosen, of: Shortlist) -> dict[str, Any]:
        own = one.judged.fields
        told = [*one.judged.refused, *one.judged.warned]
        return {
            "measure": one.judged.name,
            **{key: own[key] for key in ("wrong", "low", "high", "group", "undefined")},
            "status": of.status(one.judged.name),
            "reasons": " ".join(finding.words for finding in told),
            "traps": own["traps"],
        }

    def why_not(self, measure: Any) -> Answer:
        """Say why a measure is not on a list, with the rules and their numbers, or that it is."""
        name = self._called(measure)
        select, report = self.to_select, self.to_report
        told = [select.redundant[name]] if name in select.redundant else []
        for one in (select.judged[name], report.judged[name]):
            told += [*one.refused, *one.warned]
        own = {k: v for k, v in select.judged[name].fields.items() if k != "number"}
        return Answer(
            name,
            select.status(name),
            report.status(name),
            tuple({(one.rule.id, one.words): one for one in told}.values()),
            own,
            self._notes_on(own),
        )

    def _notes_on(self, own: dict[str, Any]) -> tuple[str, ...]:
        """Where a measure stands among all, what it follows, and who is before it."""
        place = self._evidence["measure"].tolist().index(own["measure"]) + 1
        share = f"{own['wrong']:.1%} ({own['low']:.1%} to {own['high']:.1%})"
        among = f"place {place} of {len(self._evidence)}"
        notes = [
            f"It picks the worse of two models on {share} of such test sets: {among}.",
            f"What moves its values: {', '.join(f'{trait} {own[trait]}' for trait in TRAITS)}.",
        ]
        for verb, one in (("selecting", self.to_select), ("reporting", self.to_report)):
            if one.status(own["measure"]) == "possible":
                fields = [chosen.judged.fields for chosen in one.chosen]
                told = ", ".join(f"{each['measure']} ({each['wrong']:.1%})" for each in fields)
                notes.append(f"Preferred for {verb}: {told}.")
        return tuple(notes)

    def _called(self, measure: Any) -> str:
        """What a measure is called here, by any name that it has."""
        names: list[str] = self._evidence["measure"].tolist()
        if isinstance(measure, str) and measure in names:
            return measure
        meant = parse(measure)
        if meant in self._asked:
            return self._asked[meant]
        there = nearest(meant.name, names)
        msg = f"{meant.name} was not among the candidates; name it in measures={there}"
        if meant.better == "neither":
            msg = f"{meant.name} says of no value that it is better: nothing can be chosen by it."
        elif meant.missing:
            msg = f"{meant.name} needs {', '.join(meant.missing)}; name it with it in measures=."
        elif meant.on_request:
            msg = f"{meant.name} is slow, so it is a candidate only where measures= names it."
        raise DecisionError(msg)

    def read(self, f: Any, g: Any) -> Reading:
        """Say whether a paper's result in f can be read as one in g, in data like these.

        Over populations of models in the user's world, or over the measurements that were given.
        """
        asked = [parse(measure) for measure in (f, g)]
        for measure in asked:
            if measure.better == "neither":
                msg = f"results must say which value is better to be read; {measure.name} does not."
                raise DecisionError(msg)
        one, other = (self._asked.get(measure, measure.name) for measure in asked)
        related = self._related
        if not (related.has(one) and related.has(other)):
            related = self._models.related(asked)
        return related.reading(one, other, self.case.fields)

    def __repr__(self) -> str:
        return advice_as_text(self)
