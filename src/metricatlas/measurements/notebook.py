"""The notebook form: one table, whose colours are those of the page around it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from metricatlas.measurements.sheet import UNDEFINED, Cell, Label, counted, make_sheet

if TYPE_CHECKING:
    from metricatlas.measurements.table import Measurements

_MOST_COLUMNS = 40

# Nothing but the letters' own colour and a grey that shows on white and on black, because a page
# does not say whether it is dark.
_STYLE = """
.metricatlas { overflow-x: auto; color: inherit; }
.metricatlas table { border-collapse: collapse; font-variant-numeric: tabular-nums; border: 0; }
.metricatlas th, .metricatlas td { padding: .2em .8em; border: 0; text-align: right;
  vertical-align: bottom; background: transparent; color: inherit; white-space: nowrap; }
.metricatlas thead th { border-bottom: 1px solid rgba(128, 128, 128, .7); font-weight: 600;
  white-space: normal; }
.metricatlas tbody th { text-align: left; font-weight: 400; }
.metricatlas thead th.label { text-align: left; }
.metricatlas tbody tr { background: transparent; }
.metricatlas tbody tr + tr > * { border-top: 1px solid rgba(128, 128, 128, .2); }
.metricatlas tbody tr:hover { background: rgba(128, 128, 128, .12); }
.metricatlas .best { font-weight: 700; }
.metricatlas .undefined { opacity: .6; cursor: help; }
.metricatlas p { margin: .5em .8em; font-size: .9em; opacity: .75; }
"""


def as_html(table: Measurements) -> str:
    """Write a table with its own style and without scripts."""
    sheet = make_sheet(table)
    left_out = max(0, len(sheet.heads) - _MOST_COLUMNS)
    caption = [f"{counted(left_out, f'more {sheet.across}')} not shown"] if left_out else []
    head = "".join(_head(label, "label") for label in sheet.label_heads)
    head += "".join(_head(label, "") for label in sheet.heads[:_MOST_COLUMNS])
    body = "\n".join(
        f"<tr>{''.join(_label(x) for x in labels)}{''.join(map(_cell, cells[:_MOST_COLUMNS]))}</tr>"
        for labels, cells in sheet.lines
    )
    bold = ["bold: the best"] if any(c.best for _, cells in sheet.lines for c in cells) else []
    foot = escape("; ".join([*caption, *sheet.caption, *bold]))
    return (
        f'<div class="metricatlas"><style>{_STYLE}</style>\n<table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n<p>{foot}.</p></div>"
    )


def _head(label: Label, kind: str) -> str:
    return f'<th scope="col"{_class(kind)}{_title(label.hint)}>{escape(label.text)}</th>'


def _label(label: Label) -> str:
    return f'<th scope="row"{_title(label.hint)}>{escape(label.text)}</th>'


def _cell(cell: Cell) -> str:
    kind = "best" if cell.best else "undefined" if cell.text == UNDEFINED else ""
    return f"<td{_class(kind)}{_title(cell.hint)}>{escape(cell.text)}</td>"


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def _title(hint: str) -> str:
    return f' title="{escape(hint)}"' if hint else ""
