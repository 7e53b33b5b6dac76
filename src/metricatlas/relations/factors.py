"""Factor analysis of a correlation matrix, as seliya2009 uses it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.predictions.numbers import is_number, is_whole
from metricatlas.relations.rotation import NOTHING, settled, varimax
from metricatlas.relations.text import factors_as_text

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.relations.relations import Relations
    from metricatlas.summaries.facts import Array

Extraction = Literal["principal", "axis", "iterated"]
Rotation = Literal["varimax"]
EXTRACTIONS: tuple[Extraction, ...] = ("principal", "axis", "iterated")
#: Loadings from this size on are high.
HIGH = 0.4
STEPS = 2000


@dataclass(frozen=True, eq=False, repr=False)
class Factors:
    """Few factors, and how much of each measure they explain."""

    names: tuple[str, ...]
    #: Measures by factors.
    weights: Array
    #: Of the matrix that was factored, all of them, descending.
    eigenvalues: Array
    extraction: str
    rotation: str | None
    #: How many rows the correlations are of; None where nobody knows.
    rows: int | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def from_loadings(cls, loadings: pd.DataFrame) -> Factors:
        """Take loadings as they come, such as those of a publication."""
        weights = np.asarray(loadings, dtype=np.float64)
        names = tuple(str(name) for name in loadings.index)
        return cls(names, weights, np.square(weights).sum(axis=0), "given", None)

    def __repr__(self) -> str:
        return "\n".join(factors_as_text(self))

    @cached_property
    def loadings(self) -> pd.DataFrame:
        """How strongly each measure goes with each factor."""
        return self._frame(self.weights)

    @cached_property
    def communalities(self) -> pd.Series:
        """The share of each measure's variance that the factors explain."""
        import pandas as pd

        shares = np.square(self.weights).sum(axis=1)
        return pd.Series(shares, index=list(self.names), name="communality")

    @cached_property
    def uniquenesses(self) -> pd.Series:
        """The share that they leave."""
        return (1 - self.communalities).rename("uniqueness")

    @cached_property
    def variance(self) -> pd.Series:
        """The share of the variance of all measures that each factor explains, once rotated."""
        import pandas as pd

        shares = np.square(self.weights).sum(axis=0) / len(self.names)
        return pd.Series(shares, index=self.labels, name="share")

    @cached_property
    def table(self) -> pd.DataFrame:
        """The eigenvalues with their shares of the sum, and how these add up.

        Of principal components the sum is the variance of all measures. Of principal axes it is the
        variance in common, of which some eigenvalues may be negative: shares then rise above 1 and
        come back.
        """
        import pandas as pd

        whole = self.eigenvalues.sum()
        share = self.eigenvalues / (whole if whole > NOTHING else np.nan)
        return pd.DataFrame(
            {"eigenvalue": self.eigenvalues, "share": share, "cumulative": np.cumsum(share)},
            index=pd.RangeIndex(1, len(share) + 1, name="number"),
        )

    @property
    def labels(self) -> list[str]:
        """What the factors are called."""
        return [f"factor {i + 1}" for i in range(self.weights.shape[1])]

    @cached_property
    def members(self) -> dict[str, list[str]]:
        """The measures of each factor: a measure belongs to that of its largest loading."""
        largest = np.abs(self.weights).argmax(axis=1)
        return {
            label: [self.names[i] for i in self._by_loading(factor) if largest[i] == factor]
            for factor, label in enumerate(self.labels)
        }

    def _by_loading(self, factor: int) -> list[int]:
        order: list[int] = np.argsort(-np.abs(self.weights[:, factor]), kind="stable").tolist()
        return order

    def kinds(self, high: float = HIGH) -> pd.Series:
        """Say of each factor whether it is general, common or unique.

        General: the loadings of all measures are high. Common: those of two or more. Unique: that
        of one only; "none" if of none.
        """
        import pandas as pd

        counts = (np.abs(self.weights) >= high).sum(axis=0)
        said = [
            "general"
            if n == len(self.names) > 1
            else "common"
            if n > 1
            else "unique"
            if n
            else "none"
            for n in counts.tolist()
        ]
        return pd.Series(said, index=self.labels, name="kind")

    @cached_property
    def reproduced(self) -> pd.DataFrame:
        """The correlations that the loadings imply."""
        import pandas as pd

        cells = self.weights @ self.weights.T
        np.fill_diagonal(cells, 1.0)
        return pd.DataFrame(cells, index=list(self.names), columns=list(self.names))

    def parallel(
        self,
        rows: int | None = None,
        *,
        resamples: int = 100,
        quantile: float = 0.95,
        seed: int = 0,
    ) -> pd.DataFrame:
        """Compare the eigenvalues with those of unrelated measures (Horn's parallel analysis).

        As many factors are worth keeping as have eigenvalues above this quantile of those of
        normal random numbers with as many rows and columns.
        """
        count = self.rows if rows is None else rows
        if count is None:
            msg = "parallel analysis needs to know of how many rows the correlations are: rows=."
            raise RelationError(msg)
        for name, given, least in (("rows", count, 3), ("resamples", resamples, 1)):
            if not is_whole(given) or given < least:
                msg = f"{name} must be a whole number from {least} on; got {given!r}."
                raise RelationError(msg)
        if not 0 <= quantile <= 1:
            msg = f"quantile must lie in [0, 1]; got {quantile!r}."
            raise RelationError(msg)
        if self.extraction != "principal":
            msg = (
                f"parallel analysis compares the eigenvalues of correlations, which "
                f"extraction='principal' has; got {self.extraction!r}."
            )
            raise RelationError(msg)
        return _parallel(self.eigenvalues, count, resamples, quantile, seed)

    def _frame(self, cells: Array) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(cells, index=list(self.names), columns=self.labels)


def factors(
    relations: Relations,
    min_eigenvalue: float,
    rotation: Rotation | None,
    extraction: Extraction,
    *,
    number: int | None,
    share: float | None,
) -> Factors:
    """Extract and rotate factors; see `Relations.factors`."""
    _check(rotation, extraction, number, share)
    if not is_number(min_eigenvalue):
        msg = f"min_eigenvalue must be a number; got {min_eigenvalue!r}."
        raise RelationError(msg)
    whole = relations.complete
    notes = [*whole.notes]
    sizes, _ = _eigen(whole.matrix)
    if sizes[-1] < -NOTHING * len(sizes):
        notes.append(
            f"the smallest eigenvalue is {sizes[-1]:.2g}: correlations of different rows or groups "
            f"need not fit together"
        )
    reduced = whole.matrix
    if extraction != "principal":
        own, said = multiple_correlations(whole.matrix)
        notes += said
        reduced = _with_diagonal(whole.matrix, own)
    sizes, directions = _eigen(reduced)
    kept = _kept(sizes, min_eigenvalue, number, share)
    if extraction == "iterated":
        sizes, directions, said = _iterated(whole.matrix, reduced, kept)
        notes += said
    weights = directions[:, :kept] * np.sqrt(np.maximum(sizes[:kept], 0.0))
    if extraction == "iterated":
        weights = _within_one(weights)
    if rotation == "varimax" and kept > 1:
        weights = varimax(weights)
    return Factors(
        whole.names,
        settled(weights, whole.names),
        sizes,
        extraction,
        rotation,
        rows=_rows(whole),
        notes=tuple(notes),
    )


def _check(rotation: Any, extraction: Any, number: Any, share: Any) -> None:
    if extraction not in EXTRACTIONS:
        msg = f"extraction must be one of {', '.join(EXTRACTIONS)}; got {extraction!r}."
        raise RelationError(msg)
    if rotation not in ("varimax", None):
        msg = f"rotation must be 'varimax' or None; got {rotation!r}."
        raise RelationError(msg)
    if number is not None and share is not None:
        msg = f"number and share contradict each other; got {number} and {share}. Leave one out."
        raise RelationError(msg)
    if share is not None and not (is_number(share) and 0 < share <= 1):
        msg = f"share must be above 0 and at most 1, as 0.9 for 90 %; got {share!r}."
        raise RelationError(msg)


def _eigen(matrix: Array) -> tuple[Array, Array]:
    """Eigenvalues, descending, and their directions."""
    sizes, directions = np.linalg.eigh(matrix)
    return sizes[::-1].copy(), directions[:, ::-1].copy()


def _kept(sizes: Array, least: float, number: int | None, share: float | None) -> int:
    """How many factors are kept."""
    if number is not None:
        if not is_whole(number) or not 1 <= number <= len(sizes):
            msg = (
                f"number must be a whole number from 1 to {len(sizes)}, that of the measures; got "
                f"{number!r}."
            )
            raise RelationError(msg)
        return number
    if share is not None:
        if sizes.sum() <= NOTHING:
            msg = (
                f"measures must have variance in common for factors to explain a share of it; the "
                f"eigenvalues add up to {sizes.sum():.2g}. Use extraction='principal'."
            )
            raise RelationError(msg)
        reached = np.cumsum(sizes) / sizes.sum() >= share - NOTHING
        return int(reached.argmax()) + 1 if reached.any() else len(sizes)
    # A single measure's eigenvalue is 1, up to rounding, and is kept by the usual criterion.
    kept = int((sizes >= least - NOTHING).sum())
    if kept == 0:
        msg = (
            f"no eigenvalue is {least:g} or more; the largest is {sizes[0]:.4g}. Lower "
            f"min_eigenvalue, or say number=."
        )
        raise RelationError(msg)
    return kept


def multiple_correlations(matrix: Array) -> tuple[Array, list[str]]:
    """Squared multiple correlation of each measure with all others, and what was done for it."""
    sizes, _ = _eigen(matrix)
    count = len(matrix)
    rank = int((sizes > NOTHING * count).sum())
    if rank == count:
        return 1 - 1 / np.diagonal(np.linalg.inv(matrix)), []
    found = np.empty(count)
    for i in range(count):
        others = np.arange(count) != i
        towards = matrix[others, i]
        inverse = np.linalg.pinv(matrix[np.ix_(others, others)], rcond=NOTHING, hermitian=True)
        found[i] = min(max(towards @ inverse @ towards, 0.0), 1.0)
    said = (
        f"the matrix is singular (rank {rank} of {count}), so squared multiple correlations are "
        f"those of least squares"
    )
    return found, [said]


def _with_diagonal(matrix: Array, diagonal: Array) -> Array:
    changed = matrix.copy()
    np.fill_diagonal(changed, diagonal)
    return changed


def _iterated(matrix: Array, reduced: Array, kept: int) -> tuple[Array, Array, list[str]]:
    """Take the communalities that the factors give, until they stay; none may be above 1."""
    said: list[str] = []
    own = np.diagonal(reduced)
    for _ in range(STEPS):
        sizes, directions = _eigen(reduced)
        weights = directions[:, :kept] * np.sqrt(np.maximum(sizes[:kept], 0.0))
        new = np.square(weights).sum(axis=1)
        if (new > 1).any() and not said:
            said.append("communalities above 1 were set to 1 (a Heywood case)")
        new = np.minimum(new, 1.0)
        if np.abs(new - own).max() < 1e-8:
            break
        own, reduced = new, _with_diagonal(matrix, new)
    else:
        said.append(f"communalities had not settled after {STEPS} steps")
    sizes, directions = _eigen(reduced)
    return sizes, directions, said


def _within_one(weights: Array) -> Array:
    """Loadings whose communalities are no more than 1, as those that they were found with."""
    length = np.sqrt(np.square(weights).sum(axis=1, keepdims=True))
    return weights / np.maximum(length, 1.0)


def _rows(relations: Relations) -> int | None:
    """How many rows the correlations are of; of averaged groups that of a typical one."""
    sizes = [len(rows) for rows in relations.rows.values()]
    return int(np.median(sizes)) if sizes else None


def _parallel(sizes: Array, rows: int, resamples: int, quantile: float, seed: int) -> pd.DataFrame:
    import pandas as pd

    rng = np.random.default_rng(seed)
    random = np.array(
        [
            _eigen(np.atleast_2d(np.corrcoef(rng.standard_normal((rows, len(sizes))).T)))[0]
            for _ in range(resamples)
        ]
    )
    limit = np.quantile(random, quantile, axis=0)
    kept = np.logical_and.accumulate(sizes > limit)
    return pd.DataFrame(
        {"eigenvalue": sizes, "random": random.mean(axis=0), "limit": limit, "kept": kept},
        index=pd.RangeIndex(1, len(sizes) + 1, name="number"),
    )
