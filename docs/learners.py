"""Write the tables of learners.md anew; ``python docs/learners.py measure`` also measures anew.

Measuring takes ten minutes. It needs the data sets, in the folder that METRICATLAS_DATA names, and
the extra `weka`; what was measured is kept in learners.csv.
"""

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import metricatlas as ma
from metricatlas.populations.datasets import load
from metricatlas.populations.learners import (
    Learner,
    Parameter,
    grid,
    learner,
    learner_names,
    models,
    weka_folds,
)
from metricatlas.populations.learners.builders import pipeline
from metricatlas.populations.learners.types import TREE_TYPES
from metricatlas.populations.learners.weka import WekaModel

PAGE = Path(__file__).with_suffix(".md")
MEASURED = Path(__file__).with_suffix(".csv")
#: Nominal, mixed, with many missing values, numeric, numeric with four classes.
SETS = ("breast-cancer", "credit-g", "hepatitis", "ionosphere", "vehicle")
OURS = [name for name in learner_names() if not name.startswith("weka-")]


def rows_of(found: Learner) -> list[tuple[str, str]]:
    """What is measured of a learner: what it is called on the page, and what is trained."""
    switched = [
        (f"Weka's, {difference.setting} as here", difference.as_ours)
        for difference in found.differences
        if difference.as_ours
    ]
    return [("Weka's", f"weka-{found.name}"), *switched, ("here", found.name)]


def measure() -> None:
    """Measure AUC in Weka's ten folds, and keep it."""
    with MEASURED.open("w", newline="", encoding="utf-8") as file:
        written = csv.writer(file, lineterminator="\n")
        written.writerow(["trained", *SETS])
        for name in OURS:
            for _, trained in rows_of(learner(name)):
                written.writerow([trained, *(f"{auc(trained, each):.4f}" for each in SETS)])
                file.flush()


def auc(trained: str, name: str) -> float:
    """Return the mean AUC over Weka's ten folds."""
    data = load(name)
    values = []
    for train, test in weka_folds(data.target):
        if trained in learner_names():
            model = learner(trained).build(data, seed=1)
        else:
            model = pipeline(data, WekaModel(classes=len(data.classes), scheme=trained))
        model.fit(data.features.iloc[train], data.target[train])
        positive = data.classes[1] if len(data.classes) == 2 else None
        found = ma.evaluate(
            data.target[test],
            model.predict_proba(data.features.iloc[test]),
            measures=["auc"],
            labels=data.classes,
            pos_label=positive,
        )
        values.append(float(found.values[0, 0]))
    return sum(values) / len(values)


def sections() -> Iterator[str]:
    """Write a section for each learner."""
    with MEASURED.open(encoding="utf-8") as file:
        measured = {row["trained"]: row for row in csv.DictReader(file)}
    for name in OURS:
        found = learner(name)
        weka = learner(f"weka-{name}")
        yield from ("", f"### {name}", "", f"{found.words} {weka.words[:-1]}:")
        yield f"`{weka.parameters[0].default}`." if weka.parameters[0].default else "no options."
        yield ""
        known = learner("tree").parameters if "type" in found.settings() and name != "tree" else ()
        lines = [_parameter(each) for each in found.parameters if each not in known]
        if lines:
            yield from _table(("parameter", "default", "what it is"), lines)
            yield ""
        if known:
            yield from ("All other parameters are those of `tree`.", "")
        differing = [(each.setting, each.weka, each.ours) for each in found.differences]
        yield from _table(("setting", "Weka", "here"), differing)
        yield ""
        lines = [(words, *_values(measured, trained)) for words, trained in rows_of(found)]
        yield from _table(("AUC", *SETS), lines)


def _parameter(parameter: Parameter) -> tuple[str, str, str]:
    kind = f"{parameter.words} ({parameter.range.replace('|', '')})"
    staged = "; a list is of stages" if parameter.staged else ""
    return f"`{parameter.name}`", f"`{parameter.default!r}`", kind + staged


def _values(measured: dict[str, Any], trained: str) -> list[str]:
    row = measured.get(trained, {})
    return [f"{float(row[each]):.3f}" if row.get(each) else "" for each in SETS]


def types() -> list[str]:
    """List the ten types of trees."""
    lines = [(f"`{name}`", each.words) for name, each in TREE_TYPES.items()]
    return _table(("type", "what it is, and what stands in for it"), lines)


def planned() -> list[str]:
    """Count the models of caruana2004, by learner."""
    lines = []
    for name in OURS:
        both = [
            models(tuple(each for each in grid("caruana2004", nominal=nominal) if each[0] == name))
            for nominal in (False, True)
        ]
        if any(both):
            lines.append((f"`{name}`", *(str(each) for each in both)))
    totals = [str(models(grid("caruana2004", nominal=nominal))) for nominal in (False, True)]
    head = ("learner", "models", "with nominal attributes")
    return _table(head, [*lines, ("together", *totals)])


def _table(head: tuple[str, ...], lines: list[tuple[str, ...]]) -> list[str]:
    return [f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *lines)]


def with_block(text: str, name: str, lines: list[str]) -> str:
    """Put lines between the marks of a name."""
    marks = f"<!-- {name} -->", f"<!-- end of {name} -->"
    between = re.compile(f"(?<={marks[0]}\n).*?(?={marks[1]})", re.DOTALL)
    block = "\n".join(lines)
    return between.sub(lambda _: f"{block}\n", text)


def page(text: str) -> str:
    """Put everything that is generated into the page."""
    for name, lines in (("types", types()), ("grid", planned()), ("learners", [*sections()])):
        text = with_block(text, name, lines)
    return text


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        measure()
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
