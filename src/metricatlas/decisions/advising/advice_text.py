"""What advice looks like on a terminal."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from metricatlas.measurements.sheet import counted
from metricatlas.worlds.influence import TRAITS

if TYPE_CHECKING:
    from metricatlas.decisions.advising.advice import Advice, Answer
    from metricatlas.decisions.advising.reading import Reading
    from metricatlas.decisions.advising.shortlist import Chosen, Judged, Shortlist

WIDTH = 88
#: So many redundant measures are named.
NAMED = 6
#: What a status is called.
SAID = {
    "chosen": "on the list for",
    "refused": "refused for",
    "redundant": "made redundant for",
    "possible": "possible for",
    "least bad": "the least bad, where all are refused, for",
}


def advice_as_text(advice: Advice, asking: str = '`.why_not("{}")`') -> str:
    """Say what to select with and what to report, with the reasons, and how to ask for more."""
    every = advice.to_select.judged
    lines = _wrapped(f"Advice for {advice.case.described()}.")
    told = (
        f"{counted(len(every), 'candidate')}, {advice.repetitions:,} test sets; wrong is the share "
        f"of them on which the worse of two models is picked."
    )
    for text in (told, *advice.notes):
        lines += _wrapped(text)
    lines += ["", "Select models with"]
    for one in advice.to_select.chosen:
        lines += [*_chosen(one, advice.to_select), *_redundant(one, advice.to_select)]
    lines += ["", "Report"]
    for one in advice.to_report.chosen:
        lines += _wrapped(one.need.words, "  ") if one.need is not None else []
        lines += _chosen(one, advice.to_report)
    for need in advice.to_report.unmet:
        lines += _wrapped(f"{need.words} No candidate does.", "  ")
    return "\n".join([*lines, "", *_wrapped(_refused(list(every.values()), asking))])


def _refused(every: list[Judged], asking: str) -> str:
    """How many are refused, whether the most reliable one is, and how to ask why."""
    refused = [one for one in every if one.refused]
    first = min(every, key=lambda one: one.fields["number"])
    among = ""
    if first.refused:
        rules = ", ".join(finding.rule.id for finding in first.refused)
        among = (
            f", and so is the most reliable, {first.name} ({first.fields['wrong']:.1%}: {rules})"
        )
    asked = asking.format(max(refused or every, key=_known).name)
    count = f"{len(refused)} of {counted(len(every), 'candidate')}"
    return f"{count} refused for selecting{among}. {asked} says why."


def _known(one: Judged) -> tuple[int, int]:
    """How many studies use a measure; of equals the more reliable one."""
    return one.fields["studies"], -one.fields["number"]


def _chosen(one: Chosen, of: Shortlist) -> list[str]:
    own = one.judged.fields
    followed = [trait for trait in TRAITS if own[trait] in ("yes", "partially")]
    traits = f"follows {', '.join(followed)}" if followed else "follows no trait"
    share = f"wrong {own['wrong']:.1%} ({own['low']:.1%} to {own['high']:.1%})"
    lines = [f"  {one.judged.name}: {share}, {traits}"]
    if of.status(one.judged.name) == "least bad":
        lines += _least_bad(one, of)
    for finding in one.judged.warned:
        lines += _wrapped(f"but: {finding.words}", "    ")
    return lines


def _least_bad(one: Chosen, of: Shortlist) -> list[str]:
    """Which rules refuse it, and which ones leave nothing else."""
    whom = "Whatever would tell it" if one.need is not None else "Every candidate"
    lines = _wrapped(f"{whom} is refused, and this one by the fewest rules:", "    ")
    for finding in one.judged.refused:
        lines += _wrapped(f"[{finding.rule.id}] {finding.words}", "    ")
    rules = Counter(f.rule.id for judged in of.judged.values() for f in judged.refused)
    told = ", ".join(f"{name} ({count})" for name, count in rules.most_common())
    return [*lines, *_wrapped(f"Rules that refuse, and how many: {told}.", "    ")]


def _redundant(one: Chosen, of: Shortlist) -> list[str]:
    same = [name for name, other in of.twins.items() if other == one.judged.name]
    if not same:
        return []
    more = f" and {len(same) - NAMED} more" if len(same) > NAMED else ""
    return _wrapped(f"makes redundant: {', '.join(same[:NAMED])}{more}.", "    ")


def answer_as_text(answer: Answer) -> str:
    """Say what became of a measure, and by which rules."""
    told = [f"{SAID[answer.select]} selecting", f"{SAID[answer.report]} reporting"]
    lines = [f"{answer.measure}: {', '.join(told)}."]
    for finding in answer.reasons:
        rule = finding.rule
        lines += _wrapped(f"[{rule.id}] {finding.words} ({rule.source})", "  ")
    for note in (*answer.notes, answer.evidence["traps"]):
        lines += _wrapped(note, "  ")
    return "\n".join(lines)


def reading_as_text(reading: Reading) -> str:
    """Answer, with the numbers of each kind of models."""
    asked = f"Can a result in {reading.f} be read as one in {reading.g}?"
    lines = [f"{asked} {reading.verdict.title()}.", *_wrapped(reading.words, "  ")]
    for row in reading.table.to_dict("records"):
        lines.append(f"  Models {row['models']}:")
        several = row["populations"] > 1
        spread = f" ({row['low']:.2f} to {row['high']:.2f})" if several else ""
        ends = f" ({row['alike_low']:.0%} to {row['alike_high']:.0%})" if several else ""
        lines.append(f"    rank correlation {row['correlation']:.2f}{spread}")
        lines.append(f"    pairs of models in the same order {row['alike']:.0%}{ends}")
    return "\n".join(lines)


def _wrapped(text: str, indent: str = "") -> list[str]:
    """Lines that are no longer than a terminal is wide; those that follow stand two further in."""
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=f"{indent}  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
