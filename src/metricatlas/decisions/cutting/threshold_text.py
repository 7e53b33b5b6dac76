"""What thresholds look like on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricatlas.measurements.sheet import UNDEFINED, counted

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.threshold_table import Thresholds

#: So many lines are shown.
MOST = 40


def thresholds_as_text(found: Thresholds, most: int = MOST) -> str:
    """Say where to cut, how sure that is, and what it is worth."""
    settings, table = found.settings, found.table
    models, goals = counted(len(found.models), "model"), counted(len(found.goals), "goal")
    lines = [f"{models}, {goals}, {settings.resamples:,} resamples", ""]
    head = ("model", "goal", "measure", "threshold", f"{settings.level:.0%} interval")
    rows = [(*head, "apparent", "honest", f"{settings.level:.0%} interval", "in use")]
    rows += [
        (
            str(line.model),
            str(line.goal),
            str(line.measure),
            _number(line.threshold),
            _range(line.low, line.high),
            _number(line.apparent),
            _number(line.honest),
            _range(line.honest_low, line.honest_high),
            _number(line.in_use),
        )
        for line in table.head(most).itertuples(index=False)
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(w) for cell, w in zip(row[:3], widths[:3], strict=True)]
        cells += [cell.rjust(w) for cell, w in zip(row[3:], widths[3:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    if len(table) > most:
        lines.append(f"and {len(table) - most} more: see `.table`.")
    told = [f"{model}, {goal}: {why}" for (model, goal), why in found.reasons.items()]
    notes = [*told, *found.notes]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _number(value: Any) -> str:
    return UNDEFINED if value != value else f"{value:.4f}"  # noqa: PLR0124 - finds NaN


def _range(low: Any, high: Any) -> str:
    return UNDEFINED if low != low else f"{low:.4f} .. {high:.4f}"  # noqa: PLR0124 - finds NaN
