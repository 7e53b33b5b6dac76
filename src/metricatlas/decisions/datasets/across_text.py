"""What a comparison over data sets looks like on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricatlas.measurements.sheet import counted
from metricatlas.relations.text import notes_as_text

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from metricatlas.decisions.datasets.across import Across

#: So many measures are shown, and so many models of a measure.
MOST = 10
MOST_ALIKE = 4


def notes_on(found: Across) -> list[str]:
    """Say what the tests cannot say."""
    notes = []
    if found.crossed.of_folds:
        notes.append(
            "the data sets are folds of one, which share training examples: ranks and signed "
            "ranks make too much of them, `.resampled_t()` does not"
        )
    if len(found.models) == 2:
        notes.append(
            "of two models Friedman's test only counts wins; `.pairs` weighs the differences too"
        )
    fewest = min(contest.datasets for contest in found.crossed.contests if contest.enough)
    # All differences on one side, from both sides; the others look at all p-values together.
    factor = len(found.crossed.pairs) if found.correction in ("holm", "bonferroni") else 1
    least = min(1.0, factor * 2.0 ** (1 - fewest))
    if least > 1 - found.level:
        notes.append(
            f"with {fewest} data sets and {counted(len(found.crossed.pairs), 'pair')} of models a "
            f"signed rank test cannot give a corrected p-value below {least:.3g}"
        )
    return notes


def across_as_text(found: Across) -> str:
    """Say which model is best under each measure, and which are not told apart from it."""
    head = (
        f"{counted(len(found.models), 'model')} over {counted(len(found.datasets), 'data set')}, "
        f"by mean ranks; p is Iman and Davenport's"
    )
    table = found.winners
    lines = [
        ("measure", "best", "rank", "not told apart at this level", "p", "data sets"),
        *map(_line, table.head(MOST).to_dict("records")),
    ]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    shown = [_joined(line, widths) for line in lines]
    more = [f"and {counted(len(table) - MOST, 'more measure')}"] if len(table) > MOST else []
    return "\n".join(
        [f"{head}; level {found.level:g}.", *shown, *more, *notes_as_text(found.notes)]
    )


def _line(winner: Mapping[Hashable, Any]) -> tuple[str, ...]:
    """A measure, its winner, and how sure that is."""
    return (
        winner["measure"],
        _named(winner["winner"]),
        f"{winner['rank']:.2f}",
        _several(winner["not_told_apart"]),
        f"{winner['f_p']:.3g}",
        str(winner["datasets"]),
    )


def _joined(cells: tuple[str, ...], widths: list[int]) -> str:
    """Texts stand on the left, numbers on the right."""
    left = (0, 1, 3)
    padded = [
        cell.ljust(width) if i in left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()


def _named(model: Any) -> str:
    if isinstance(model, tuple):
        return ", ".join(map(str, model))
    # pandas has NaN where there is no winner.
    return "none" if model is None or model != model else str(model)  # noqa: PLR0124 - finds NaN


def _several(models: tuple[Any, ...]) -> str:
    """The first few models, and how many more there are."""
    more = [f"{len(models) - MOST_ALIKE} more"] if len(models) > MOST_ALIKE else []
    return "; ".join([*map(_named, models[:MOST_ALIKE]), *more]) or "none"
