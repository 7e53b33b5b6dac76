"""Multidimensional scaling: measures as points, as far from each other as they differ."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from metricatlas.errors import RelationError
from metricatlas.measurements import Measurements
from metricatlas.measurements.frames import unrepeated
from metricatlas.predictions.numbers import is_whole, listed
from metricatlas.relations.text import notes_as_text, some

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.relations.relations import Relations
    from metricatlas.summaries.facts import Array

ScaleMethod = Literal["classical", "metric", "nonmetric"]
Distances = Literal["correlation", "normalised", "standardised"]
#: Steps from every start, then from the best of them, how many these are, and the gain in squared
#: stress at which all end.
FIRST_STEPS, STEPS, FINISHED, GAIN = 100, 1000, 5, 1e-10
#: Random starts besides the classical solution: points on a line cannot pass each other, so almost
#: every order of them is a local minimum.
STARTS, STARTS_ON_A_LINE = 20, 500


#: Below this a non-metric solution says little.
DEGENERATE = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class Scale:
    """Measures as points, centred, along the directions in which they spread most."""

    names: tuple[str, ...]
    #: Measures by dimensions.
    coordinates: Array
    #: Kruskal's first: the root of the squared misfit over the squared distances of the points.
    stress: float
    method: str
    #: What the points should be apart.
    distances: Array
    notes: tuple[str, ...] = ()

    @cached_property
    def points(self) -> pd.DataFrame:
        """The points, one row a measure."""
        import pandas as pd

        columns = [f"dimension {i + 1}" for i in range(self.coordinates.shape[1])]
        return pd.DataFrame(self.coordinates, index=list(self.names), columns=columns)

    def __repr__(self) -> str:
        axes = self.coordinates.shape[1]
        lines = [f"{self.method} scale of {len(self.names)} measures in {axes} dimensions"]
        lines[0] += f": stress {self.stress:.4f}."
        return "\n".join([*lines, self.points.round(3).to_string(), *notes_as_text(self.notes)])

    def aligned(self, other: Scale) -> Scale:
        """Turn, mirror, stretch and shift these points so that they lie best over others.

        The measures that both have decide; the least squares of their distances are sought
        (Procrustes).
        """
        common = [name for name in self.names if name in other.names]
        if len(common) < 2 or self.coordinates.shape[1] != other.coordinates.shape[1]:
            msg = (
                f"scales must have the same number of dimensions and two measures in common to be "
                f"laid over each other; got {self.coordinates.shape[1]} and "
                f"{other.coordinates.shape[1]} dimensions, and {len(common)} in common."
            )
            raise RelationError(msg)
        own = self.coordinates[[self.names.index(n) for n in common]]
        wanted = other.coordinates[[other.names.index(n) for n in common]]
        here, there = own.mean(axis=0), wanted.mean(axis=0)
        left, sizes, right = np.linalg.svd((own - here).T @ (wanted - there))
        spread = np.square(own - here).sum()
        stretch = sizes.sum() / spread if spread > 0 else 1.0
        turned = stretch * (self.coordinates - here) @ (left @ right) + there
        return replace(self, coordinates=turned, distances=stretch * self.distances)

    def misfit(self, other: Scale) -> float:
        """How far two scales are from each other once one lies over the other: 0 alike, 1 at most.

        The share of the other's spread that is left, over the measures that both have.
        """
        laid = self.aligned(other)
        common = [name for name in self.names if name in other.names]
        own = laid.coordinates[[self.names.index(n) for n in common]]
        wanted = other.coordinates[[other.names.index(n) for n in common]]
        spread = np.square(wanted - wanted.mean(axis=0)).sum()
        return float(np.square(own - wanted).sum() / spread) if spread > 0 else np.nan


def scale(
    relations: Relations,
    dimensions: int,
    method: ScaleMethod,
    of: Distances,
    *,
    baseline: Any,
    observed: Any,
) -> Scale:
    """Place measures; see `Relations.scale`."""
    if method not in ("classical", "metric", "nonmetric"):
        msg = f"method must be 'classical', 'metric' or 'nonmetric'; got {method!r}."
        raise RelationError(msg)
    if not is_whole(dimensions) or dimensions < 1:
        msg = f"dimensions must be a whole number from 1 on; got {dimensions!r}."
        raise RelationError(msg)
    names, distances, notes = _distances(relations, of, baseline, observed)
    # In the order of names, so that nothing depends on the order of columns.
    order = sorted(range(len(names)), key=names.__getitem__)
    sought = distances[np.ix_(order, order)]
    points, stress = _placed(sought, int(dimensions), method)
    if method == "nonmetric" and stress < DEGENERATE:
        notes = (*notes, "the stress is nearly 0: few measures, or points that fall together")
    return Scale(names, _turned(points)[np.argsort(order)], stress, method, distances, notes)


def _placed(distances: Array, dimensions: int, method: ScaleMethod) -> tuple[Array, float]:
    """The best points of several starts, and their stress."""
    first = classical(distances, dimensions)
    if method == "classical":
        return first, _stress(distances, first)
    rng = np.random.default_rng(0)
    size = np.sqrt(np.square(distances).mean())
    on_a_line = max(STARTS, min(STARTS_ON_A_LINE, 10_000 // len(distances)))
    count = STARTS if dimensions > 1 else on_a_line
    starts = [first, *(size * rng.standard_normal((count, *first.shape)))]
    monotone = method == "nonmetric"
    begun = [_majorised(distances, start, FIRST_STEPS, monotone=monotone) for start in starts]
    # Of nearly the same stress the earlier start wins: the last digits must not decide.
    best = sorted(range(len(begun)), key=lambda i: float(f"{begun[i][1]:.6e}"))[:FINISHED]
    ended = [_majorised(distances, begun[i][0], STEPS, monotone=monotone) for i in best]
    return min(ended, key=lambda end: float(f"{end[1]:.6e}"))


def _distances(
    relations: Relations, of: Distances, baseline: Any, observed: Any
) -> tuple[tuple[str, ...], Array, tuple[str, ...]]:
    if (baseline is not None or listed(observed)) and of != "normalised":
        msg = f"baseline and observed are for of='normalised'; got of={of!r}. Leave them out."
        raise RelationError(msg)
    if of == "correlation":
        whole = relations.complete
        return whole.names, np.maximum(1 - whole.matrix, 0.0), whole.notes
    if of not in ("normalised", "standardised"):
        msg = f"of must be 'correlation', 'normalised' or 'standardised'; got {of!r}."
        raise RelationError(msg)
    if relations.source is None:
        msg = f"distances of {of} values need measurements; these relations are a given matrix."
        raise RelationError(msg)
    table, within = relations.source.table, relations.within
    if of == "standardised":
        scaled = table.normalised("standard", within=within)
    else:
        base = _named_alike(baseline, table)
        scaled = table.normalised("range", within=within, baseline=base, observed=observed)
    return _between_columns(relations, scaled.values)


def _named_alike(baseline: Any, table: Measurements) -> Any:
    """A baseline whose repeated columns are called as those of the table are."""
    if not isinstance(baseline, Measurements):
        return baseline
    names = unrepeated(baseline.columns)
    if not set(table.columns) <= set(names):
        return baseline
    schema = (replace(c, name=name) for c, name in zip(baseline.schema, names, strict=True))
    return baseline.__replace__(schema=tuple(schema))


def _between_columns(
    relations: Relations, values: Array
) -> tuple[tuple[str, ...], Array, tuple[str, ...]]:
    """Distances of columns over the rows in which all have a scaled value.

    Measures that have none in half of the rows or more are left out first.
    """
    missing = ~np.isfinite(values)
    used = 2 * missing.sum(axis=0) < len(values)
    names = tuple(n for n, u in zip(relations.names, used, strict=True) if u)
    left = [n for n, u in zip(relations.names, used, strict=True) if not u]
    notes = relations.notes
    if left:
        said = "undefined or infinite, in half of the rows or more, once they are scaled"
        notes = (*notes, f"without {some(left)}, which are {said}")
    counts = missing[:, used].sum(axis=0)
    rows: Array = ~np.logical_or.reduce(missing[:, used], axis=1)
    if not rows.all():
        worst = sorted(range(len(names)), key=lambda i: -int(counts[i]))
        told = [f"{names[i]} ({counts[i]})" for i in worst if counts[i]]
        said = f"{int((~rows).sum())} of {len(rows)} rows are left out"
        notes = (*notes, f"{said}, where {some(told)} have no scaled value")
    if not names or not rows.any():
        msg = (
            f"some rows must have scaled values of all measures; {notes[-1]}. `select` measures "
            f"that have them, or name those whose zero is observed in observed=."
        )
        raise RelationError(msg)
    return names, _apart(values[rows][:, used].T), notes


def _apart(points: Array) -> Array:
    """Euclidean distances of all pairs, without the cancellation that a product would bring."""
    from scipy.spatial.distance import pdist, squareform

    return np.asarray(squareform(pdist(points))) if len(points) > 1 else np.zeros((1, 1))


def classical(distances: Array, dimensions: int) -> Array:
    """Torgerson's scaling: principal axes of the doubly centred squares."""
    squares = np.square(distances)
    means = squares.mean(axis=0)
    inner = -0.5 * (squares - means - means[:, np.newaxis] + squares.mean())
    sizes, directions = np.linalg.eigh(inner)
    points = np.zeros((len(distances), dimensions))
    kept = min(dimensions, len(distances))
    largest = np.argsort(-sizes, kind="stable")[:kept]
    points[:, :kept] = directions[:, largest] * np.sqrt(np.maximum(sizes[largest], 0.0))
    return points


def _majorised(
    distances: Array, points: Array, steps: int, *, monotone: bool
) -> tuple[Array, float]:
    """Lower the stress step by step (SMACOF); each step is the minimum of a function above it."""
    size = float(np.square(distances).sum())
    before = np.inf
    for _ in range(steps):
        apart = _apart(points)
        wanted = _sized(_disparities(distances, apart), size) if monotone else distances
        now = float(np.square(apart - wanted).sum())
        if before - now <= GAIN * size:
            break
        before = now
        ratio = np.divide(wanted, apart, out=np.zeros_like(apart), where=apart > 0)
        points = (np.diag(ratio.sum(axis=1)) - ratio) @ points / len(points)
    apart = _apart(points)
    return points, _stress(_disparities(distances, apart) if monotone else distances, points)


def _sized(distances: Array, size: float) -> Array:
    """Distances with this sum of squares: without it points could shrink to nothing."""
    own = float(np.square(distances).sum())
    return distances * np.sqrt(size / own) if own > 0 else distances


def _disparities(distances: Array, apart: Array) -> Array:
    """What points that are so far apart should be, if only the order of the distances counts.

    Ties may be broken (Kruskal's primary approach).
    """
    from scipy.optimize import isotonic_regression

    upper = np.triu_indices(len(distances), 1)
    given, found = distances[upper], apart[upper]
    order = np.lexsort((found, given))
    wanted = np.zeros_like(distances)
    fitted = np.empty(len(given))
    fitted[order] = isotonic_regression(found[order]).x if len(order) else 0.0
    wanted[upper] = fitted
    return wanted + wanted.T


def _stress(wanted: Array, points: Array) -> float:
    apart = _apart(points)
    whole = float(np.square(apart).sum())
    misfit = float(np.square(apart - wanted).sum())
    return float(np.sqrt(misfit / whole)) if whole > 0 else 0.0 if misfit == 0 else 1.0


def _turned(points: Array) -> Array:
    """Centre points, turn them to their principal axes, and settle each axis's sign.

    The point that is furthest out on an axis is on its positive side; of several equally far out
    the first by name.
    """
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned = np.zeros_like(centred)
    found = centred @ axes.T
    turned[:, : found.shape[1]] = found
    far = np.abs(turned)
    first = (far >= far.max(axis=0) * (1 - 1e-9)).argmax(axis=0)
    signs = np.sign(turned[first, np.arange(turned.shape[1])])
    return turned * np.where(signs == 0, 1.0, signs)
