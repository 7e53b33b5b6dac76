"""Everything about one measure, as text."""

from __future__ import annotations

import inspect
import re
import shlex
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any, cast

from metricatlas.cli.formulas import plain
from metricatlas.cli.listing import record, written_range
from metricatlas.errors import MeasureError
from metricatlas.measures import catalogue
from metricatlas.measures.catalogue import tasks
from metricatlas.measures.language import parse
from metricatlas.measures.notation import explained
from metricatlas.measures.references import REFERENCES
from metricatlas.measures.spelling import written
from metricatlas.measures.terms import Measure, Term
from metricatlas.measures.wording import sentences

_WIDTH = 88
_NARROWEST = 40
_LABEL = 14
_INDENT = " " * 4
_BETTER = {
    "higher": "higher is better",
    "lower": "lower is better",
    "zero": "nearer to 0 is better",
    "one": "nearer to 1 is better",
    "neither": "no value is better than another",
}
_MULTICLASS = {
    "macro": "the mean over classes",
    "ovo": "the mean over pairs of classes",
    "top": "asked of the most probable class",
}
#: A sentence that begins so is of the bare measure; a reduction takes its place.
_BARE = re.compile(r"Of more than two classes,[^.]*\.\s*")
_MATH = re.compile(r"^\.\. math::(.*?)(?=\n\S|\Z)", re.DOTALL | re.MULTILINE)


def description(measure: Measure) -> str:
    """Title, formula, meaning, range, needs, names and sources of a measure."""
    m: Any = measure
    terms = [measure] if isinstance(measure, Term) else list(m.parts)
    text = [*_title(measure), ""]
    for term in terms:
        if term is not measure:
            text += [*_title(term), ""]
        text += [*_documentation(term), ""]
    facts = [(label, value) for label, value in _facts(measure, terms) if value]
    for label, value in facts:
        text += _fact(label, value)
    return "\n".join(text) + "\n"


def _title(measure: Any) -> list[str]:
    return textwrap.wrap(f"{measure.name}: {measure.title}", _width(), subsequent_indent=" " * 4)


def details(measure: Measure) -> dict[str, Any]:
    """The same as a record for programs."""
    terms = [measure] if isinstance(measure, Term) else list(cast("Any", measure).parts)
    told = [_told(term) for term in terms]
    return record(measure) | {
        "formula": [plain(latex) for formulas, _ in told for latex in formulas],
        "latex": [" ".join(latex.split()) for formulas, _ in told for latex in formulas],
        "meaning": " ".join(p for _, paragraphs in told for p in paragraphs),
        "undefined": _once(r for term in terms for r in term.reasons),
        "parameters": _once(p for term in terms for p in _parameters(term)),
        "references": _references(measure, terms),
    }


def _told(term: Term) -> tuple[list[str], list[str]]:
    """The formulas, and the paragraphs besides; examples for Python are left out."""
    declaration = term.declaration
    doc = re.split(r"^>>> ", declaration.doc, maxsplit=1, flags=re.MULTILINE)[0]
    said = _MATH.sub("", doc).strip()
    if term.reduction:
        said = _BARE.sub("", said)
    said += f"\n\n{' '.join(sentences(term))}"
    signs = explained(declaration)
    said += f"\n\nSigns: {'; '.join(signs)}." if signs else ""
    said = re.sub(r":math:`(.*?)`", lambda found: plain(found[1]), said).replace("``", "")
    return _MATH.findall(doc), [" ".join(p.split()) for p in re.split(r"\n\s*\n", said) if p]


def _documentation(term: Term) -> list[str]:
    formulas, paragraphs = _told(term)
    written = [line for latex in formulas for line in _formula(plain(latex))]
    said = ["\n".join(_lines(paragraph)) for paragraph in paragraphs]
    return "\n\n".join(["\n".join(written), *said] if written else said).splitlines()


def _formula(text: str) -> list[str]:
    """A formula; where it is wider than the page, its equations below each other."""
    fits = len(_INDENT + text) <= _width()
    equations = [text] if fits else re.split(r"(?<=,)  ", text)
    # A case stays with its condition.
    return [
        line
        for depth, equation in enumerate(equations, start=1)
        for line in _lines(equation.replace(" if ", " if\xa0"), min(depth, 2), min(depth + 1, 3))
    ]


def _lines(text: str, first: int = 0, others: int = 0) -> list[str]:
    """A text in lines of the page, so far indented; what is defined stays with its definition."""
    lines = textwrap.wrap(
        text.replace(" = ", "\xa0=\xa0"),
        _width(),
        initial_indent=_INDENT * first,
        subsequent_indent=_INDENT * others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\xa0", " ") for line in lines]


def _width() -> int:
    # COLUMNS, if that is set, then the terminal, if there is one.
    room = shutil.get_terminal_size((_WIDTH, 0)).columns
    return max(_NARROWEST, min(_WIDTH, room))


def _once(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))


def _fact(label: str, value: str | list[str]) -> list[str]:
    lines: list[str] = []
    for item in [value] if isinstance(value, str) else value:
        head = label if not lines else ""
        indent = " " * _LABEL
        lines += textwrap.wrap(
            item, _width(), initial_indent=head.ljust(_LABEL), subsequent_indent=indent
        )
    return lines


def _facts(measure: Measure, terms: list[Term]) -> Iterator[tuple[str, str | list[str]]]:
    m: Any = measure
    yield "Range", _range(measure)
    yield "Better", _BETTER[m.better]
    yield "Chance", _chance(m)
    yield "Needs", _needs(m)
    yield "Classes", _classes(measure)
    if isinstance(measure, Term):
        yield "Made of", ", ".join(part.name for part in measure.parts)
    yield "Undefined", [r for term in terms for r in term.reasons]
    yield "Parameters", [p for term in terms for p in _parameters(term)]
    yield "Aliases", ", ".join(catalogue.aliases(measure))
    yield "In a shell", shell_spelling(measure)
    yield "Family", m.family
    yield "Sources", _references(measure, terms)


def _references(measure: Measure, terms: list[Term]) -> list[str]:
    keys = [*catalogue.sources(measure), *(c for term in terms for c in term.declaration.cites)]
    return [REFERENCES.get(key, key) for key in dict.fromkeys(keys)]


def _range(measure: Measure) -> str:
    m: Any = measure
    found = written_range(m.bounds)
    if m.bounds_for(2) != m.bounds_for(3):
        found += " for two classes; it depends on their number"
    moved = m.declaration.bounded_by if isinstance(measure, Term) else ()
    return f"{found}; it depends on {' and '.join(moved)}" if moved else found


def _chance(m: Any) -> str:
    two, three = m.chance_for(2), m.chance_for(3)
    if two is None:
        return ""
    depends = bool(two != three)
    return f"{two:g}" + " for two classes; it depends on their number" * depends


def _needs(m: Any) -> str:
    more = [
        "whole weights, as it counts rows" if m.counts_rows else "",
        "to be asked for by name" if m.on_request else "",
    ]
    return ", ".join([m.needs, *filter(None, more)])


def _classes(measure: Measure) -> str:
    words = {"binary": "two", "multiclass": "more than two"}
    said = " or ".join(words[task] for task in tasks(measure))
    if not isinstance(measure, Term) or "multiclass" not in tasks(measure) or measure.reduction:
        return said
    from metricatlas.summaries import Ranking, TwoByTwo

    reduced = measure.declaration.summary in (TwoByTwo, Ranking)
    how = _MULTICLASS.get(measure.declaration.multiclass or "", "")
    return f"{said} ({how})" if reduced and how and measure.declaration.view == "class" else said


def _parameters(term: Term) -> Iterator[str]:
    given = dict(term.arguments)
    for name, parameter in term.declaration.parameters.items():
        check = term.declaration.checks.get(name)
        default = given.get(name, parameter.default)
        value = "" if default is inspect.Parameter.empty else f" = {_written(default)}"
        yield f"{name}{value}{f' ({check.words})' if check else ''}{'' if value else ', required'}"


def _written(value: Any) -> str:
    return written(value) if isinstance(value, tuple) else str(value)


def shell_spelling(measure: Measure) -> str:
    """The name as a shell takes it: without quotes, where there is such a spelling."""
    m: Any = measure
    dotted = re.sub(r"\[(.*?)\]", lambda found: "." + found[1].replace(",", "."), m.name)
    plain_letters = shlex.quote(dotted) == dotted
    try:
        same = plain_letters and parse(dotted) == measure
    except MeasureError:
        same = False
    return dotted if same else shlex.quote(m.name)
