"""What crossings look like on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from metricatlas.measurements.sheet import UNDEFINED

if TYPE_CHECKING:
    from metricatlas.decisions.cutting.crossings import Crossings

#: So many ranges are shown.
MOST = 20
_AXES = {
    "fpr": "at false positive rates",
    "weight": "at weights of the positives",
    "threshold": "at common thresholds",
}


def crossings_as_text(found: Crossings, most: int = MOST) -> str:
    """Say where which model is better, and how sure that is."""
    table = found.table
    one, other = found.models
    lines = [f"{one} and {other} {_AXES[found.along]}, {found.settings.resamples:,} resamples", ""]
    names = [UNDEFINED if name is None else str(name) for name in table["better"]]
    width = max(6, *map(len, names))
    lines.append(f"{'from':>8}  {'to':>8}  {'better':{width}}  {'mean':>8}  really better")
    # `from` is no name of an attribute.
    rows = table.head(most).itertuples(index=False, name=None)
    for (low, high, better, mean, *_, share), name in zip(rows, names, strict=False):
        sure = UNDEFINED if better is None else f"{share:.3f}"
        lines.append(f"{low:8.4f}  {high:8.4f}  {name:{width}}  {mean:8.4f}  {sure:>13}")
    if len(table) > most:
        lines.append(f"and {len(table) - most} more: see `.table`.")
    return "\n".join(lines)
