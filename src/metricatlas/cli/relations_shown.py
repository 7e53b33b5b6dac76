"""Relations as the command line prints and saves them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricatlas.measurements.frames import unrepeated
from metricatlas.relations import agreements
from metricatlas.relations.text import (
    clusters_as_text,
    factors_as_text,
    notes_as_text,
    pairs_as_text,
    wrapped,
)

if TYPE_CHECKING:
    from metricatlas.relations import Relations
    from metricatlas.relations.clustering import Dendrogram
    from metricatlas.relations.factors import Factors

#: Resamples of each interval that is saved.
RESAMPLES = 200
DIMENSIONS = 6


def shown(
    relations: Relations, tree: Dendrogram, distance: float, factors: Factors | str, pairs: int
) -> list[str]:
    """Clusters, the most correlated pairs, and factors, in lines."""
    lines = clusters_as_text(tree.clusters(distance), distance)
    if pairs:
        listed = relations.most_correlated(pairs)
        some = (
            f"{len(listed)} most correlated pairs" if len(listed) != 1 else "most correlated pair"
        )
        lines += ["", f"The {some}:"]
        lines += pairs_as_text(listed.itertuples(index=False, name=None))
    if isinstance(factors, str):
        lines += ["", *wrapped("", [f"No factors: {factors}"])]
    else:
        lines += ["", *factors_as_text(factors)]
    # Both leave out the same measures.
    own = () if isinstance(factors, str) else factors.notes
    notes = dict.fromkeys((*tree.notes, *own))
    return [*lines, *([""] if notes else []), *notes_as_text(list(notes))]


def content(
    relations: Relations, tree: Dendrogram, distance: float, factors: Factors | str
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
    return {
        "correlation": _named(relations.correlation),
        "spread": _named(relations.spread),
        "groups": _named(relations.counts),
        "pairs": relations.most_correlated(),
        "clusters": pd.DataFrame(numbers, columns=["measure", "cluster"]),
        "dendrogram": steps,
        **({} if isinstance(factors, str) else _of_factors(factors)),
        "scale": _named(relations.scale().points),
        "stress": relations.stress(dimensions).reset_index(),
        "centrality": relations.centrality(resamples=RESAMPLES).reset_index(),
        "representatives": relations.representatives().table.reset_index(),
        "identities": relations.identities(),
        "problems": _told(relations.problems),
        **_agreements(relations),
    }


def _of_factors(factors: Factors) -> dict[str, Any]:
    """Loadings with what belongs to each measure, what each factor is like, and eigenvalues."""
    best = factors.loadings.abs().idxmax(axis=1)
    loadings = factors.loadings.assign(
        communality=factors.communalities, uniqueness=factors.uniquenesses, factor=best
    )
    kinds = factors.kinds().rename_axis("factor").reset_index().assign(share=factors.variance.array)
    return {
        "factors": _named(loadings),
        "factor_kinds": kinds,
        "eigenvalues": factors.table.reset_index(),
    }


def _agreements(relations: Relations) -> dict[str, Any]:
    """The agreement of all pairs of measures, within the same groups."""
    assert relations.source is not None  # noqa: S101 - the command reads a table
    found = agreements(relations.source.table, within=relations.within)
    return {"agreements": found.table}


def _named(frame: Any) -> Any:
    """A matrix with its names as the first column, which is called so that no other is."""
    title = unrepeated([*map(str, frame.columns), "measure"])[-1]
    return frame.rename_axis(title).reset_index()


def _told(problems: Any) -> Any:
    """Groups of all kinds as text, nothing for what is of no group."""
    return problems.assign(group=[_text(group) for group in problems["group"].tolist()])


def _text(group: object) -> str:
    return "" if group is None or group != group else str(group)  # noqa: PLR0124 - finds NaN
