"""Relations as the command line prints and saves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricatlas.measurements.frames import unrepeated
from metricatlas.measurements.sheet import counted
from metricatlas.relations.text import clusters_as_text, notes_as_text, pairs_as_text, wrapped

if TYPE_CHECKING:
    from metricatlas.relations import Relations
    from metricatlas.relations.clustering import Dendrogram
    from metricatlas.relations.factors import Factors

#: Resamples of each interval that is saved.
RESAMPLES = 200
DIMENSIONS = 6
#: So many measures of a factor are shown.
MOST = 15


def shown(
    relations: Relations, tree: Dendrogram, distance: float, factors: Factors, pairs: int
) -> list[str]:
    """Clusters, the most correlated pairs, and factors, in lines."""
    lines = clusters_as_text(tree.clusters(distance), distance)
    if pairs:
        listed = relations.most_correlated(pairs)
        lines += ["", f"The {len(listed)} most correlated pairs:"]
        lines += pairs_as_text(listed.itertuples(index=False))
    lines += ["", *_factors_as_text(factors)]
    # Both leave out the same measures.
    notes = dict.fromkeys((*tree.notes, *factors.notes))
    return [*lines, *([""] if notes else []), *notes_as_text(list(notes))]


def _factors_as_text(factors: Factors) -> list[str]:
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


def content(
    relations: Relations, tree: Dendrogram, distance: float, factors: Factors
) -> dict[str, Any]:
    """Every table that is saved, by the name of its file."""
    import pandas as pd

    clusters = tree.clusters(distance)
    numbers = [(name, i + 1) for i, members in enumerate(clusters) for name in members]
    steps = tree.merges
    steps = steps.assign(
        **{end: [", ".join(names) for names in steps[end]] for end in ("left", "right")}
    )
    dimensions = range(1, min(DIMENSIONS, max(len(tree.names) - 1, 1)) + 1)
    best = factors.loadings.abs().idxmax(axis=1)
    loadings = factors.loadings.assign(
        communality=factors.communalities, uniqueness=factors.uniquenesses, factor=best
    )
    return {
        "correlation": _named(relations.correlation),
        "spread": _named(relations.spread),
        "groups": _named(relations.counts),
        "pairs": relations.most_correlated(),
        "clusters": pd.DataFrame(numbers, columns=["measure", "cluster"]),
        "dendrogram": steps,
        "factors": _named(loadings),
        "eigenvalues": factors.table.reset_index(),
        "scale": _named(relations.scale().points),
        "stress": relations.stress(dimensions).reset_index(),
        "centrality": relations.centrality(resamples=RESAMPLES).reset_index(),
        "representatives": relations.representatives().table.reset_index(),
        "identities": relations.identities(),
        "problems": _told(relations.problems),
    }


def _named(frame: Any) -> Any:
    """A matrix with its names as the first column, which is called so that no other is."""
    title = unrepeated([*map(str, frame.columns), "measure"])[-1]
    return frame.rename_axis(title).reset_index()


def _told(problems: Any) -> Any:
    """Groups of all kinds as text, nothing for what is of no group."""
    return problems.assign(group=[_text(group) for group in problems["group"].tolist()])


def _text(group: object) -> str:
    return "" if group is None or group != group else str(group)  # noqa: PLR0124 - finds NaN
