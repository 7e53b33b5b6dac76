"""What a comparison looks like on a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from metricatlas.measurements.sheet import counted

if TYPE_CHECKING:
    from metricatlas.decisions.comparing.comparison import Comparison

#: So many measures are shown.
MOST = 12
WIDTH = 88


def comparison_as_text(comparison: Comparison, most: int = MOST) -> str:
    """Say who wins under which measure, and how sure that is."""
    settings, winners = comparison.settings, comparison.winners
    models = counted(len(comparison.models), "model")
    measures = counted(len(comparison.schema), "measure")
    lines = [f"{models} under {measures}, {settings.resamples:,} resamples", ""]
    shown = winners.head(most)
    names = [str(name) for name in comparison.models]
    width = max(7, *map(len, map(str, shown["measure"]))) if len(shown) else 7
    model = max(6, *map(len, names))
    lines.append(
        f"{'measure':{width}}  {'winner':{model}}  {'value':>8}  {'really best':>11}  "
        f"{'lead':>8}  {100 * settings.level:g}% interval"
    )
    for line, lost in zip(shown.itertuples(index=False), shown["value"].isna(), strict=True):
        lead = f"{line.difference:8.4f}  {line.low:.4f} .. {line.high:.4f}"
        # A model may be called 0.
        winner = "-" if lost else line.winner
        lines.append(
            f"{line.measure:{width}}  {winner!s:{model}}  {line.value:8.4f}  "
            f"{line.probability:11.3f}  {lead}"
        )
    if len(winners) > most:
        lines.append(f"and {len(winners) - most} more: see `.winners`.")
    wins = winners["winner"].value_counts()
    told = ", ".join(f"{name} {count}" for name, count in wins.items())
    lines += ["", f"Wins: {told or 'none'}."]
    for note in comparison.notes:
        lines += textwrap.wrap(f"Note: {note}", WIDTH, subsequent_indent=" " * 6)
    return "\n".join(lines)


def notes_on(comparison: Comparison) -> tuple[str, ...]:
    """Say what the numbers cannot say."""
    settings, pairs = comparison.settings, comparison.pairs
    found = []
    count = len(comparison.models) * (len(comparison.models) - 1) // 2
    least = min(1.0, 2 / (settings.resamples + 1) * (1 if settings.correction == "none" else count))
    if least > 1 - settings.level and (pairs["test"] == "bootstrap").any():
        found.append(
            f"with {settings.resamples:,} resamples and {count} pairs of models no corrected "
            f"p-value of a bootstrap test is below {least:.2g}; more resamples reach lower."
        )
    lead = comparison.winners.query("difference < 0")["measure"].tolist()
    if lead:
        found.append(
            f"of {', '.join(lead)} the winner is found by pairs, level by level; the lead is that "
            f"in the number, first + 0.01 second."
        )
    return tuple(found)
