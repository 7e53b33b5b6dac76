"""The catalogue: what can be measured, by every name it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from metricatlas.errors import MeasureError
from metricatlas.measures.compositions import COMPOSED, COMPOSITIONS, SPELLINGS
from metricatlas.measures.declaration import NEEDS, Needs, Task, declarations
from metricatlas.measures.language import known, parse
from metricatlas.measures.spelling import folded
from metricatlas.measures.terms import Measure, Term, TwoLevel
from metricatlas.summaries import Confusion

if TYPE_CHECKING:
    import pandas as pd


#: Files of measures in the order in which tables have them; one's own measures come last.
ORDER = (
    "counts.rates",
    "counts.cells",
    "counts.overlap",
    "counts.balance",
    "counts.association",
    "agreement",
    "information",
    "cost",
    "ranking.pairs",
    "ranking.curves",
    "ranking.cuts",
    "probability.distances",
    "probability.logarithmic",
    "probability.separation",
    "calibration",
    "decisions",
    "composite",
)


def _place(name: str) -> int:
    file = (declarations()[name].formula.__module__ or "").removeprefix("metricatlas.measures.")
    return next((i for i, known in enumerate(ORDER) if file.startswith(known)), len(ORDER))


class Catalogue(Mapping[str, Measure]):
    """All measures by name; any other text of the language is understood as well.

    >>> from metricatlas import catalogue
    >>> catalogue["KPPV"]
    <Measure ppv@ks>
    >>> catalogue["Matthews"]
    Traceback (most recent call last):
    ...
    metricatlas.errors.MeasureError: there is no measure 'Matthews'; ...
    """

    def __getitem__(self, name: str | Measure) -> Measure:
        return parse(name)

    def __iter__(self) -> Iterator[str]:
        """The canonical names: base measures by family, then the papers' compositions."""
        yield from sorted(declarations(), key=_place)
        yield from (parse(expression).name for expression in COMPOSITIONS.values())

    def __len__(self) -> int:
        return len(declarations()) + len(COMPOSITIONS)

    def __contains__(self, name: object) -> bool:
        """Whether a text stands for a measure."""
        try:
            parse(name)
        except MeasureError:
            return False
        return True

    def get(self, name: Any, default: Any = None) -> Any:
        """The measure of a name, or the default."""
        return parse(name) if name in self else default

    def __repr__(self) -> str:
        return f"<Catalogue of {len(self)} measures: see .table() or .find()>"

    def _repr_html_(self) -> str:
        return str(self.table()._repr_html_())  # type: ignore[operator]

    def aliases(self, measure: str | Measure) -> tuple[str, ...]:
        """The other names of a measure, as they are usually written."""
        found = parse(measure)
        named = [n for n, e in (COMPOSITIONS | SPELLINGS).items() if parse(e) == found]
        return tuple(n for n in (*found.aliases, *named) if n.casefold() != found.name)

    def sources(self, measure: str | Measure) -> tuple[str, ...]:
        """The studies that a measure comes from."""
        found = parse(measure)
        composed = [
            study for study, names in COMPOSED.items() if found in map(parse, names.values())
        ]
        plain = not isinstance(found, Term) or found == Term(found.declaration)
        return tuple(dict.fromkeys((*(found.sources if plain else ()), *composed)))

    def find(
        self,
        *,
        source: str | None = None,
        family: str | None = None,
        needs: Needs | None = None,
        task: Task | None = None,
    ) -> list[Measure]:
        """The measures of a study, of a family, for a task, or that need no more than is given.

        ``needs="labels"`` finds measures that labels suffice for, ``needs="scores"`` those and the
        ranking measures.
        """
        self._check(source=source, family=family, needs=needs, task=task)
        return [
            m
            for m in self.values()
            if (source is None or source in self.sources(m))
            and (family is None or m.family == family)
            and (needs is None or NEEDS.index(m.needs) <= NEEDS.index(needs))
            and (task is None or task in tasks(m))
        ]

    def _check(self, **asked: str | None) -> None:
        possible: dict[str, set[str]] = {
            "source": {s for m in self.values() for s in self.sources(m)},
            "family": {m.family for m in self.values()},
            "needs": set(NEEDS),
            "task": {"binary", "multiclass"},
        }
        for key, value in asked.items():
            if value is not None and not any(value == name for name in possible[key]):
                names = ", ".join(sorted(possible[key]))
                msg = f"{key} must be one of {names}; got {value!r}. Ask for one at a time."
                raise MeasureError(msg)

    def table(self) -> pd.DataFrame:
        """All measures as a frame: what each is, its range, what it needs, where it comes from."""
        import pandas as pd

        return pd.DataFrame([_row(self, m) for m in self.values()]).set_index("measure")


def tasks(measure: Measure) -> tuple[Task, ...]:
    """The tasks that a measure without further arguments is for."""
    if not isinstance(measure, Term):
        parts = [tasks(part) for part in measure.parts]
        return tuple(t for t in parts[0] if all(t in p for p in parts))
    declaration = measure.declaration
    if declaration.task is not None:
        return (declaration.task,)
    if declaration.of:
        return tuple(
            t for t in tasks(measure.parts[0]) if all(t in tasks(p) for p in measure.parts)
        )
    if declaration.view == "expected":
        return ("multiclass",)
    if measure.point is not None and declaration.summary is Confusion and not measure.reduction:
        # Each class has a cut of its own, so a matrix of more than two has none.
        return ("binary",)
    # One class against the others is a task of two classes.
    alone = measure.reduction[:1] == ("class",)
    return ("binary", "multiclass") if declaration.multiclass or alone else ("binary",)


def _row(catalogue: Catalogue, m: Any) -> dict[str, Any]:
    low, high = m.bounds
    return {
        "measure": m.name,
        "title": m.title,
        "family": m.family,
        "better": m.better,
        "low": low,
        "high": high,
        "chance": m.chance,
        "needs": m.needs,
        "tasks": " ".join(tasks(m)),
        "parameters": " ".join(m.declaration.parameters) if isinstance(m, Term) else "",
        "on_request": m.on_request,
        "two_level": isinstance(m, TwoLevel),
        "aliases": " ".join(catalogue.aliases(m)),
        "sources": " ".join(catalogue.sources(m)),
    }


catalogue = Catalogue()


def named(name: str) -> bool:
    """Whether a text is a name or an alias as such, not an expression."""
    return folded(name) in known()
