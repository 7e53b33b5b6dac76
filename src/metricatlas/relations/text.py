"""What relations look like on a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from metricatlas.errors import RelationError
from metricatlas.measurements.sheet import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from metricatlas.relations.factors import Factors
    from metricatlas.relations.relations import Relations

WIDTH = 88
#: So many measures of a factor are shown.
MOST = 15


def relations_as_text(relations: Relations) -> str:
    """Say what is related how, with the clusters and the strongest correlations."""
    kind = f"{relations.method} correlations" if relations.method != "given" else "correlations"
    head = f"Relations of {counted(len(relations.names), 'measure')}: {kind}"
    if len(relations.groups) > 1:
        head += f", averaged over {len(relations.groups)} groups"
    elif relations.rows:
        head += f" of {len(next(iter(relations.rows.values()))):,} rows"
    lines = [f"{head}."]
    try:
        lines += clusters_as_text(relations.clusters(), 0.1)
    except RelationError as error:
        lines += wrapped("", [str(error)])
    pairs = relations.most_correlated(5)
    if len(pairs):
        lines.append("Most correlated:")
        lines += pairs_as_text(pairs.itertuples(index=False, name=None))
    if len(relations.problems):
        lines += wrapped("", [f"{counted(len(relations.problems), 'problem')}: see `.problems`."])
    return "\n".join([*lines, *notes_as_text(relations.notes)])


def clusters_as_text(clusters: Sequence[Sequence[str]], distance: float) -> list[str]:
    """List the clusters, those of one measure together."""
    several = [c for c in clusters if len(c) > 1]
    alone = [c[0] for c in clusters if len(c) == 1]
    lines = [f"{counted(len(clusters), 'cluster')} at the distance {distance:g}:"]
    for members in several:
        lines += wrapped("  - ", [", ".join(members)])
    if alone:
        lines += wrapped("  - alone: ", [", ".join(alone)])
    return lines


def pairs_as_text(pairs: Iterable[tuple[str, str, float]]) -> list[str]:
    """List pairs with their correlations."""
    listed = list(pairs)
    first = max((len(a) for a, _, _ in listed), default=0)
    second = max((len(b) for _, b, _ in listed), default=0)
    return [f"  {a:{first}}  {b:{second}}  {r:7.4f}" for a, b, r in listed]


def some(names: Sequence[str]) -> str:
    """The first few names, and how many more there are."""
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return f"{', '.join(names[:5])}{more}"


def notes_as_text(notes: Sequence[str]) -> list[str]:
    """List what the reader has to know."""
    return [line for note in notes for line in wrapped("Note: ", [note])]


def wrapped(mark: str, texts: Sequence[str]) -> list[str]:
    """Break texts into lines, those behind the first set in."""
    behind = " " * len(mark)
    return [
        line
        for text in texts
        for line in textwrap.wrap(
            text, WIDTH, initial_indent=mark, subsequent_indent=behind, break_on_hyphens=False
        )
    ]


def factors_as_text(factors: Factors) -> list[str]:
    """List the factors with their measures."""
    explained = float(factors.variance.sum())
    count = len(factors.labels)
    verb = "explains" if count == 1 else "explain"
    lines = [f"{counted(count, 'factor')} {verb} {explained:.1%} of the variance:"]
    for label, members in factors.members.items():
        share, kind = factors.variance[label], factors.kinds()[label]
        own = factors.loadings[label]
        told = [f"{name} {float(own[name]):.2f}" for name in members[:MOST]]
        told += [f"and {len(members) - MOST} more"] if len(members) > MOST else []
        lines += wrapped(f"  - {label} ({share:.1%}, {kind}): ", [", ".join(told) or "none"])
    return lines
