"""Data sets as people read them: a line of the list, and a page of one."""

from __future__ import annotations

import shutil
import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from metricatlas.populations.datasets import DataSet, Line

_SHOWN = (
    "name",
    "rows",
    "nominal",
    "numeric",
    "classes",
    "majority",
    "minority",
    "from",
    "studies",
)
_NUMBERS = frozenset(("rows", "nominal", "numeric", "classes", "majority", "minority"))
_LABEL = 14
_WIDTH = 88
#: A space at which no line ends; as it is shown it is one like any other.
_TOGETHER = "\N{NO-BREAK SPACE}"
#: So many classes are told one by one.
_CLASSES = 30


def listed(line: Line) -> dict[str, Any]:
    """What the list says of a data set."""
    return {
        "name": line.name,
        "rows": line.rows,
        "nominal": line.nominal,
        "numeric": line.numeric,
        "classes": line.classes,
        "majority": _rounded(line.majority),
        "minority": _rounded(line.minority),
        "here": line.here,
        "from": line.place,
        "studies": list(line.studies),
    }


def as_table(records: list[dict[str, Any]]) -> str:
    """Aligned columns, numbers to the right."""
    if not records:
        return "No data set is like that.\n"
    table = [
        [key.upper() for key in _SHOWN],
        *([_written(r, key) for key in _SHOWN] for r in records),
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(
            cell.rjust(width) if key in _NUMBERS else cell.ljust(width)
            for key, cell, width in zip(_SHOWN, line, widths, strict=True)
        ).rstrip()
        for line in table
    ]
    here = sum(record["here"] for record in records)
    count = f"{len(records)} data set{'s' * (len(records) > 1)}, {here} of them here"
    return "\n".join([*lines, "", f"{count}; 'metricatlas data show NAME' tells more.", ""])


def _written(record: dict[str, Any], key: str) -> str:
    value = record[key]
    if value is None:
        return ""
    if key in ("majority", "minority"):
        return f"{value:.2f}"
    if isinstance(value, list):
        return ", ".join(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 2)


def page(line: Line, found: DataSet | None) -> dict[str, Any]:
    """Everything about a data set; what only the data tell is null where they are not here."""
    from metricatlas.populations.datasets import known

    there = known().get(line.name)
    record: dict[str, Any] = {
        "name": line.name,
        "rows": line.rows,
        "nominal": line.nominal,
        "numeric": line.numeric,
        "missing": None,
        "classes": dict(there.counts) if there else {},
        "positive": None,
        "training_rows": None,
        "derived_from": there.task.base if there and there.task.base != line.name else None,
        "openml": there.openml if there else None,
        "here": line.here,
        "source": None if line.here else line.place,
        "digest": None,
        "about": there.about if there else "",
        "printed": _as_printed(line.name),
    }
    return record if found is None else record | _of_data(found)


def _of_data(found: DataSet) -> dict[str, Any]:
    nominal = len(found.nominal)
    return {
        "rows": len(found),
        "nominal": nominal,
        "numeric": found.features.shape[1] - nominal,
        "missing": int(np.count_nonzero(found.features.isna().to_numpy())),
        "classes": found.counts,
        "positive": found.positive,
        "training_rows": None if found.train is None else len(found.train),
        "source": found.source,
        "digest": found.digest,
    }


def _as_printed(name: str) -> list[str]:
    from metricatlas.populations.datasets import differences, printed

    found = []
    for row in printed():
        if name == (row.name or row.printed):
            told = "; ".join(differences(row)) or ("as here" if row.name else "")
            told = f"{told}. " if told else ""
            found.append(f"{row.study} {row.printed}: {told}{row.about}".rstrip())
    return found


def as_page(record: dict[str, Any]) -> str:
    """A page about a data set, on which what is not known is left out."""
    rows, nominal, numeric = record["rows"], record["nominal"], record["numeric"]
    title = record["name"]
    if rows is not None and nominal is None:
        title += f": {rows:,} rows"
    elif rows is not None:
        both = f"{nominal} nominal and {numeric} numeric attributes"
        title += f": {rows:,} rows, {both}, {len(record['classes'])} classes"
    total = sum(record["classes"].values())
    classes = [
        f"{name}: {count:,} ({100 * count / total:.2f} %)".replace(" ", _TOGETHER)
        for name, count in list(record["classes"].items())[:_CLASSES]
    ]
    left = len(record["classes"]) - len(classes)
    training = record["training_rows"]
    facts = {
        "Classes": ", ".join(classes) + (f" and {left} more" if left else ""),
        "Positive": record["positive"],
        "Missing": None if record["missing"] is None else f"{record['missing']:,} values",
        "Training": f"{training:,} rows are for training" if training else None,
        "Derived": record["derived_from"] and f"from {record['derived_from']}",
        "Source": record["source"] if record["here"] else f"not here; {record['source']}",
        "OpenML": record["openml"] and str(record["openml"]),
        "Digest": record["digest"],
        "About": record["about"],
        "Papers": " ".join(record["printed"]),
    }
    lines = [title, ""]
    for label, text in facts.items():
        if text:
            lines += _fact(label, text)
    return "\n".join(lines) + "\n"


def _fact(label: str, text: str) -> list[str]:
    width = max(40, min(_WIDTH, shutil.get_terminal_size().columns))
    lines = textwrap.wrap(
        text,
        width,
        initial_indent=f"{label}:".ljust(_LABEL),
        subsequent_indent=" " * _LABEL,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_TOGETHER, " ") for line in lines]
