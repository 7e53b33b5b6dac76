"""Write the tables of traits.md anew: ``python docs/traits.py`` (half a minute)."""

import re
from collections.abc import Iterable
from pathlib import Path

import metricatlas as ma
from metricatlas.worlds.influence import TRAITS, Influence
from metricatlas.worlds.published import TABLE_1
from metricatlas.worlds.traits import MeasureTraits, Traits

PAGE = Path(__file__).with_suffix(".md")
#: What a miss costs is five times what a false alarm costs.
COSTS = [[0, 1], [5, 0]]
#: The measures of the catalogue that need parameters, with some.
WITH_PARAMETERS = [
    "top_k[k=1]",
    "fbeta[beta=2]",
    "tversky[alpha=0.3,beta=0.7]",
    "precision_at_k[k=20]",
    *(ma.catalogue[name].using(costs=COSTS).name for name in ("expected_cost", "normalised_cost")),
]


def of_the_catalogue() -> Traits:
    """Probe every measure of the catalogue."""
    plain = [name for name, measure in ma.catalogue.items() if not measure.missing]
    return ma.traits([*plain, *WITH_PARAMETERS])


def of_three_classes() -> Traits:
    """Probe the measures of the paper on three classes."""
    return ma.traits(list(TABLE_1), classes=3)


def catalogue_table(found: Traits) -> list[str]:
    """List the verdicts with their strengths; measures whose values move alike share a row."""
    alike: dict[tuple[float, ...], list[MeasureTraits]] = {}
    for row in found.rows:
        strengths = (round(getattr(row, trait).strength, 3) for trait in TRAITS)
        alike.setdefault((row.classes, *strengths), []).append(row)
    lines = []
    for rows in alike.values():
        names = ", ".join(f"`{row.measure}`" for row in rows)
        first = f"{names} (three classes)" if rows[0].classes == 3 else names
        lines.append((first, *(_cell(getattr(rows[0], trait)) for trait in TRAITS)))
    return _table("measures", lines)


def published_table(two: Traits, three: Traits) -> list[str]:
    """List the paper's entries; ours stand beside those that differ, of two and three classes."""
    lines = []
    for code, entries in TABLE_1.items():
        rows = two.of(code), three.of(code)
        cells = [_beside(e, trait, *rows) for e, trait in zip(entries, TRAITS, strict=True)]
        lines.append((code, *cells))
    return _table("measure", lines)


def _beside(entry: str, trait: str, *rows: MeasureTraits) -> str:
    ours = [getattr(row, trait) for row in rows]
    if all(influence.verdict == entry for influence in ours):
        return entry
    return f"{entry}; ours **{_cell(ours[0])}** and **{_cell(ours[1])}**"


def _cell(influence: Influence) -> str:
    if influence.verdict in ("no", "unknown"):
        return influence.verdict
    return f"{influence.verdict} {influence.strength:.2f}"


def _table(first: str, lines: Iterable[tuple[str, ...]]) -> list[str]:
    head = [first, "threshold", "calibration", "ranking", "class frequency"]
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * 5, *lines)]


def with_table(text: str, name: str, lines: Iterable[str]) -> str:
    """Put a table between its marks."""
    marks = f"<!-- {name} -->", f"<!-- end of {name} -->"
    between = re.compile(f"(?<={marks[0]}\n).*?(?={marks[1]})", re.DOTALL)
    table = "\n".join(lines)
    return between.sub(lambda _: f"{table}\n", text)


def main() -> None:
    """Probe, and write both tables into the page."""
    two, text = of_the_catalogue(), PAGE.read_text(encoding="utf-8")
    text = with_table(text, "published", published_table(two, of_three_classes()))
    PAGE.write_text(with_table(text, "catalogue", catalogue_table(two)), encoding="utf-8")


if __name__ == "__main__":
    main()
