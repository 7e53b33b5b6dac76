"""What a comparison looks like on a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.measurements.sheet import counted
from metricatlas.measures import catalogue
from metricatlas.measures.language import parse

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.decisions.comparing.comparison import Comparison

#: So many measures are shown.
MOST = 12
WIDTH = 88
#: With fewer examples of a class intervals fail.
FEW = 10


def comparison_as_text(comparison: Comparison, most: int = MOST) -> str:
    """Say who wins under which measure, and how sure that is."""
    settings, winners = comparison.settings, comparison.winners
    models = counted(len(comparison.models), "model")
    measures = counted(len(comparison.schema), "measure")
    lines = [f"{models} under {measures}, {settings.resamples:,} resamples", ""]
    shown = winners if len(winners) <= most else _known_best(winners).head(most)
    names = [str(name) for name in comparison.models]
    width = max(7, *map(len, map(str, shown["measure"]))) if len(shown) else 7
    model = max(6, *map(len, names))
    lines.append(
        f"{'measure':{width}}  {'winner':{model}}  {'value':>8}  {'really best':>11}  "
        f"{'lead':>8}  {100 * settings.level:g}% interval"
    )
    rows: Any = shown.itertuples(index=False)
    for line, lost in zip(rows, shown["value"].isna(), strict=True):
        lead = f"{line.difference:8.4f}  {line.low:.4f} .. {line.high:.4f}"
        # A model may be called 0.
        winner = "-" if lost else "tie" if line.tied > 1 else line.winner
        lines.append(
            f"{line.measure:{width}}  {winner!s:{model}}  {line.value:8.4f}  "
            f"{line.probability:11.3f}  {lead}"
        )
    if len(winners) > most:
        lines.append(f"and {len(winners) - most} more: see `.winners`.")
    wins = winners.loc[winners["tied"] == 1, "winner"].value_counts()
    told = ", ".join(f"{name} {count}" for name, count in wins.items())
    ties = int((winners["tied"] > 1).sum())
    told += f"{', ' if told else ''}ties {ties}" if ties else ""
    lines += ["", f"Wins: {told or 'none'}."]
    for note in comparison.notes:
        lines += textwrap.wrap(f"Note: {note}", WIDTH, subsequent_indent=" " * 6)
    return "\n".join(lines)


def _known_best(winners: pd.DataFrame) -> pd.DataFrame:
    """Those first that most of the five studies use."""
    studies = [len(catalogue.sources(parse(name))) for name in winners["measure"]]
    return winners.iloc[np.argsort(-np.array(studies), kind="stable")]


def notes_on(comparison: Comparison) -> tuple[str, ...]:
    """Say what the numbers cannot say."""
    settings, pairs = comparison.settings, comparison.pairs
    found = []
    few = comparison.fewest
    if few is not None and few < FEW:
        found.append(
            f"the rarest class has {counted(few, 'example')}: intervals and p-values of what "
            f"depends on it promise too much."
        )
    count = len(comparison.models) * (len(comparison.models) - 1) // 2
    least = min(1.0, 2 / (settings.resamples + 1) * (1 if settings.correction == "none" else count))
    if least > 1 - settings.level and (pairs["test"] == "bootstrap").any():
        found.append(
            f"with {settings.resamples:,} resamples and {count} pairs of models no corrected "
            f"p-value of a bootstrap test is below {least:.2g}; more resamples reach lower."
        )
    behind = comparison.winners[comparison.winners["difference"] < 0]["measure"]
    lead = [name for name in behind if name in comparison.two_level]
    if lead:
        found.append(
            f"of {', '.join(lead)} the winner is found by pairs, level by level; the lead is that "
            f"in the number, first + 0.01 second."
        )
    return tuple(found)
