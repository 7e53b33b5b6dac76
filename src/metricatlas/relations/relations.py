"""Relations: correlations of measures, and what clusters, scales and factors make of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.predictions.numbers import is_whole, listed
from metricatlas.relations.text import relations_as_text, some

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd

    from metricatlas.measurements import Measurements
    from metricatlas.relations.clustering import Dendrogram, Linkage
    from metricatlas.relations.correlation import Method
    from metricatlas.relations.factors import Extraction, Factors, Rotation
    from metricatlas.relations.representatives import Representatives
    from metricatlas.relations.resampling import Interval
    from metricatlas.relations.scaling import Distances, Scale, ScaleMethod
    from metricatlas.summaries.facts import Array

REPORT = ("group", "measure", "problem", "rows", "treatment")


@dataclass(frozen=True, eq=False)
class Source:
    """What relations were made of, and how, so that others can be made in the same way."""

    table: Measurements
    #: From a table, and perhaps another method, to relations.
    again: Callable[..., Relations]

    def taken(self, places: Sequence[int]) -> Source:
        """The same for some columns."""
        from metricatlas.measurements.choosing import take_places

        return Source(take_places(self.table, places), self.again)


@dataclass(frozen=True, eq=False, repr=False)
class Relations:
    """Correlations of measures: one matrix for each group, and their mean."""

    names: tuple[str, ...]
    #: The mean over groups of the correlations that are defined.
    matrix: Array
    #: How they were computed; "given" for a matrix that came as such.
    method: str
    #: One matrix for each group, with NaN for what is undefined there; none of a given matrix.
    stack: Array
    #: The rows of each group that were correlated, by the group's name.
    rows: Mapping[Any, Array] = field(default_factory=dict)
    #: The values that were correlated, rows by measures; None of a given matrix.
    values: Array | None = None
    #: The key or keys that name the groups.
    within: str | Sequence[str] | None = None
    #: Measures that were negated, because lower is better.
    negated: frozenset[str] = frozenset()
    #: Measures that became minus their distance from the best value.
    folded: frozenset[str] = frozenset()
    #: What stood in the way, and what was done about it, as records.
    report: Sequence[tuple[Any, str, str, int, str]] = ()
    notes: tuple[str, ...] = ()
    source: Source | None = None

    @classmethod
    def of_groups(
        cls,
        names: tuple[str, ...],
        stack: Array,
        *,
        method: Method | str,
        **rest: Any,
    ) -> Relations:
        """Average the matrices of groups, each cell over the groups where it is defined."""
        return cls(names, mean_of(stack), method, stack, **rest)

    @classmethod
    def from_matrix(cls, matrix: object, names: Iterable[str] | None = None) -> Relations:
        """Take correlations as they come, such as those of a publication.

        The matrix must be symmetric, with ones on the diagonal; of a frame the names are its own.
        """
        from metricatlas.relations.given import read_matrix

        known, cells = read_matrix(matrix, names)
        return cls(known, cells, "given", np.empty((0, *cells.shape)))

    # -- Correlation -----------------------------------------------------------------------------

    @cached_property
    def correlation(self) -> pd.DataFrame:
        """The correlations, averaged over groups."""
        return self._frame(self.matrix)

    @cached_property
    def spread(self) -> pd.DataFrame:
        """The standard deviation of the correlations over groups; NaN of fewer than two."""
        count = self.counts.to_numpy()
        away = np.where(np.isnan(self.stack), 0.0, self.stack - self.matrix)
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = np.square(away).sum(axis=0) / np.where(count > 1, count - 1, np.nan)
        return self._frame(np.sqrt(variance))

    @cached_property
    def counts(self) -> pd.DataFrame:
        """The number of groups behind every correlation."""
        return self._frame((~np.isnan(self.stack)).sum(axis=0))

    @cached_property
    def problems(self) -> pd.DataFrame:
        """What could not be correlated, or not as it was, and what was done about it."""
        import pandas as pd

        return pd.DataFrame(list(self.report), columns=list(REPORT))

    @cached_property
    def groups(self) -> tuple[Any, ...]:
        """The names of the groups."""
        return tuple(self.rows)

    def of_group(self, name: object) -> pd.DataFrame:
        """Return the correlations within one group."""
        if name not in self.groups:
            msg = f"there is no group {name!r}; there are {', '.join(map(repr, self.groups))}."
            raise RelationError(msg)
        return self._frame(self.stack[self.groups.index(name)])

    def most_correlated(self, k: int | None = None) -> pd.DataFrame:
        """List pairs of measures, the strongest correlations first, whatever their sign."""
        import pandas as pd

        if k is not None and (not is_whole(k) or k < 0):
            msg = f"k must be a whole number from 0 on, or None for all pairs; got {k!r}."
            raise RelationError(msg)
        first, second = np.triu_indices(len(self.names), 1)
        cells = self.matrix[first, second]
        order = np.argsort(-np.abs(cells), kind="stable")
        order = order[~np.isnan(cells[order])][:k]
        listed = [(self.names[first[i]], self.names[second[i]], cells[i]) for i in order]
        return pd.DataFrame(listed, columns=["measure", "other", "correlation"])

    def interval(
        self,
        one: str,
        other: str,
        *,
        resamples: int = 1000,
        level: float = 0.95,
        seed: int = 0,
        over: Literal["groups", "rows"] | None = None,
    ) -> Interval:
        """Bootstrap a correlation: over groups where there are some, else over rows."""
        from metricatlas.relations.resampling import cell_interval

        places = (self.place(one), self.place(other))
        return cell_interval(self, places, resamples, level, seed=seed, over=over)

    def centrality(
        self,
        candidates: Iterable[str] = (),
        *,
        resamples: int = 1000,
        level: float = 0.95,
        seed: int = 0,
    ) -> pd.DataFrame:
        """Average each measure's correlations to the others, the most central first.

        Candidates are composites of measures that are there, such as ``mean[acc,auc,rms]``; each
        is compared with the measures, not with other candidates. The interval is bootstrapped over
        groups, or over rows where there is one group.
        """
        from metricatlas.relations.resampling import centrality

        return centrality(self, tuple(listed(candidates)), resamples, level, seed=seed)

    def views(
        self,
        attributes: Mapping[str, Mapping[Any, object]] | pd.DataFrame | Sequence[str],
        *,
        overall: Sequence[Method] = ("pearson", "spearman"),
    ) -> dict[str, Relations]:
        """Relate the groups that share an attribute, and all of them by some methods.

        Attributes are keys of the rows that are constant within each group, a frame with the groups
        as its index, or by attribute a mapping from group to value.
        """
        from metricatlas.relations.views import views

        return views(self, attributes, overall)

    # -- What follows ----------------------------------------------------------------------------

    @cached_property
    def dendrogram(self) -> Dendrogram:
        """How measures join step by step, at the distance 1 - correlation, by average linkage."""
        return self.joined()

    def joined(self, linkage: Linkage = "average") -> Dendrogram:
        """Join measures by "average", "complete", "single" or "weighted" linkage."""
        from metricatlas.relations.clustering import dendrogram

        return dendrogram(self, linkage)

    def clusters(self, distance: float = 0.1, linkage: Linkage = "average") -> list[list[str]]:
        """Return the clusters at a distance 1 - correlation, those of one measure included."""
        return self.joined(linkage).clusters(distance)

    def scale(
        self,
        dimensions: int = 2,
        *,
        method: ScaleMethod = "metric",
        of: Distances = "correlation",
        baseline: Any = None,
        observed: Iterable[str] = (),
    ) -> Scale:
        """Place measures in so many dimensions, so that distances show how they differ.

        Parameters
        ----------
        dimensions
            How many.
        method
            "classical" (Torgerson), "metric" (least squares of distances, SMACOF), or "nonmetric"
            (only the order of the distances counts).
        of
            Distances are 1 - "correlation", or Euclidean between columns of "normalised" values
            (0 is the baseline, 1 the best of the group) or of "standardised" ones.
        baseline, observed
            For normalised values, as in `Measurements.normalised`.
        """
        from metricatlas.relations.scaling import scale

        return scale(self, dimensions, method, of, baseline=baseline, observed=observed)

    def stress(
        self,
        dimensions: Iterable[int] = range(1, 7),
        *,
        method: ScaleMethod = "metric",
        of: Distances = "correlation",
        baseline: Any = None,
        observed: Iterable[str] = (),
    ) -> pd.Series:
        """Return the stress that is left in so many dimensions."""
        import pandas as pd

        asked = listed(dimensions)
        given: dict[str, Any] = {"baseline": baseline, "observed": observed}
        found = [self.scale(d, method=method, of=of, **given).stress for d in asked]
        return pd.Series(found, index=pd.Index(asked, name="dimensions"), name="stress")

    def factors(
        self,
        min_eigenvalue: float = 1.0,
        *,
        rotation: Rotation | None = "varimax",
        extraction: Extraction = "principal",
        number: int | None = None,
        share: float | None = None,
    ) -> Factors:
        """Explain the correlations by few factors.

        Parameters
        ----------
        min_eigenvalue
            Kaiser's criterion: factors whose eigenvalue is at least this are kept.
        rotation
            "varimax", after Kaiser's normalisation, or None.
        extraction
            "principal" components; "axis": principal axes with squared multiple correlations as
            communalities; "iterated": the same until the communalities stay.
        number
            So many factors, whatever their eigenvalues.
        share
            As many as explain this share of the variance, such as 0.9.
        """
        from metricatlas.relations.factors import factors

        return factors(self, min_eigenvalue, rotation, extraction, number=number, share=share)

    def representatives(
        self,
        correlation: float | None = None,
        *,
        by: Literal["correlation", "factor"] = "correlation",
        **factors: Any,
    ) -> Representatives:
        """Choose few measures for all: the best one first.

        By "correlation" the smallest set such that every other measure has a correlation of at
        least this size (0.9), of whatever sign, with one of it. By "factor" one measure a factor,
        that with the largest loading; further arguments go to `factors`.
        """
        from metricatlas.relations.representatives import representatives

        return representatives(self, correlation, by, factors)

    def identities(self) -> pd.DataFrame:
        """List pairs of measures that say the same: perfectly correlated wherever both vary."""
        from metricatlas.relations.representatives import identities

        return identities(self)

    # -- As an object ----------------------------------------------------------------------------

    def place(self, name: str) -> int:
        """Find a measure by its name here, else by what the name stands for."""
        if name in self.names:
            return self.names.index(name)
        if self.source is not None and name in self.source.table:
            return self.source.table.place(name)
        from metricatlas.measurements.columns import nearest

        msg = f"there is no measure {name!r} among these{nearest(name, self.names)}"
        raise RelationError(msg)

    def select(self, names: Iterable[str]) -> Relations:
        """Return the relations of some measures."""
        return self.taken([self.place(name) for name in listed(names)])

    def taken(self, places: Sequence[int], note: str = "") -> Relations:
        """Return the relations of the measures at these places."""
        kept = list(places)
        square = np.ix_(kept, kept)
        names = tuple(self.names[i] for i in kept)
        return replace(
            self,
            names=names,
            matrix=self.matrix[square],
            stack=self.stack[:, square[0], square[1]],
            values=None if self.values is None else self.values[:, kept],
            report=[line for line in self.report if line[1] == "all" or line[1] in names],
            notes=(*self.notes, note) if note else self.notes,
            source=None if self.source is None else self.source.taken(kept),
        )

    @cached_property
    def complete(self) -> Relations:
        """The measures of which all correlations are defined, for what needs all of them.

        Measures are set aside one by one, that with the most undefined correlations first; a note
        names them.
        """
        kept = list(range(len(self.names)))
        while kept:
            missing = np.isnan(self.matrix[np.ix_(kept, kept)]).sum(axis=0)
            if not missing.any():
                break
            # Of equals the last by name, whatever the order of the columns.
            worst = max(range(len(kept)), key=lambda i: (missing[i], self.names[kept[i]]))
            kept.pop(worst)
        left = [name for i, name in enumerate(self.names) if i not in kept]
        if not kept:
            msg = (
                "no correlation is defined, so there is nothing to work with; `problems` says why "
                "of each measure."
            )
            raise RelationError(msg)
        return (
            self.taken(kept, f"without {some(left)}, whose correlations are undefined")
            if left
            else self
        )

    @property
    def turned(self) -> Array:
        """Which measures were negated, because lower is better."""
        return np.array([name in self.negated for name in self.names], dtype=bool)

    def _frame(self, cells: Array) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(cells, index=list(self.names), columns=list(self.names))

    def __repr__(self) -> str:
        return relations_as_text(self)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(repr(self))}</pre>{self.correlation.round(3).to_html()}"


def mean_of(stack: Array) -> Array:
    """Average the matrices of groups, each cell over the groups where it is defined."""
    defined = ~np.isnan(stack)
    with np.errstate(invalid="ignore"):
        mean: Array = np.where(defined, stack, 0.0).sum(axis=0) / defined.sum(axis=0)
    return mean
