"""Which traits of a classifier each measure's values follow, as a table and by name."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from metricatlas.errors import MeasureError, WorldError
from metricatlas.measurements.columns import nearest
from metricatlas.measurements.sheet import counted
from metricatlas.measures.language import parse
from metricatlas.worlds.influence import TRAITS, Influence
from metricatlas.worlds.published import TABLE_1

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.measures.terms import Measure

#: So many measures are shown.
SHOWN = 40


@dataclass(frozen=True)
class MeasureTraits:
    """The traits of one measure."""

    #: As it was asked for.
    measure: str
    #: How many classes there were.
    classes: int
    threshold: Influence
    calibration: Influence
    ranking: Influence
    frequency: Influence

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each trait."""
        return {trait: getattr(self, trait).verdict for trait in TRAITS}


@dataclass(frozen=True, repr=False)
class Traits:
    """Which traits of a classifier the values of each measure follow, and how far."""

    rows: tuple[MeasureTraits, ...]
    n: int
    prior: float
    repetitions: int
    seed: int

    def of(self, measure: str | Measure) -> MeasureTraits:
        """The traits of a measure, by the name it was asked for or any other that it has."""
        named = {row.measure: row for row in reversed(self.rows)}
        if isinstance(measure, str) and measure in named:
            return named[measure]
        try:
            meant = {parse(row.measure): row for row in reversed(self.rows)}[parse(measure)]
        except (MeasureError, KeyError):
            words = f"the traits of {str(measure)!r} were not probed{nearest(measure, list(named))}"
            raise WorldError(words) from None
        return meant

    @property
    def table(self) -> pd.DataFrame:
        """The verdicts, a row for each measure: no, partially, yes, or unknown."""
        import pandas as pd

        names = pd.Index([row.measure for row in self.rows], name="measure")
        return pd.DataFrame([row.verdicts for row in self.rows], index=names, columns=list(TRAITS))

    @property
    def strength(self) -> pd.DataFrame:
        """The numbers behind the verdicts, a row for each measure and trait.

        Of two models it is asked whose value is greater. ``strength`` is the share of such outcomes
        that turn when the trait of one model changes, by the share that turn when all of it does;
        with an interval of 95 %. ``moved`` is the share of models whose value moves at all,
        ``undefined`` of those that have none before or after.
        """
        import pandas as pd

        return pd.DataFrame(
            [
                {"measure": row.measure, "trait": trait, **asdict(getattr(row, trait))}
                for row in self.rows
                for trait in TRAITS
            ]
        ).drop(columns="verdict")

    def against_published(self) -> pd.DataFrame:
        """Table 1 of ferri2009 beside ours: a row for each of its measures probed, and trait."""
        import pandas as pd

        known = {parse(row.measure): row for row in reversed(self.rows)}
        lines = [
            (code, row.classes, trait, published, row.verdicts[trait])
            for code, entries in TABLE_1.items()
            if (row := known.get(parse(code))) is not None
            for trait, published in zip(TRAITS, entries, strict=True)
        ]
        frame = pd.DataFrame(lines, columns=["measure", "classes", "trait", "published", "ours"])
        return frame.assign(same=frame["published"] == frame["ours"])

    def __repr__(self) -> str:
        shown = self.rows[:SHOWN]
        width = max((len(row.measure) for row in shown), default=0)
        head = (
            f"Traits of {counted(len(self.rows), 'measure')}, with how far values move: 1 is as "
            f"far as from any model\nto any other. {self.repetitions:,} models of {self.n:,} "
            f"examples."
        )
        lines = [" " * (width + 4) + "".join(f"{trait:<18}" for trait in TRAITS)]
        for row in shown:
            cells = [_cell(getattr(row, trait)) for trait in TRAITS]
            lines.append(f"  {row.measure:{width}}  " + "".join(f"{cell:<18}" for cell in cells))
        more = [f"  and {len(self.rows) - SHOWN} more"] if len(self.rows) > SHOWN else []
        return "\n".join(line.rstrip() for line in [head, *lines, *more])


def _cell(influence: Influence) -> str:
    """A verdict with its number, unless that says no more."""
    plain = influence.verdict in ("no", "unknown")
    return influence.verdict if plain else f"{influence.verdict} {influence.strength:.2f}"
