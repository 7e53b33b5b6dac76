"""Advice as the command line prints and writes it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import typer

from metricatlas.cli.letters import one_line
from metricatlas.cli.output import TextFormat, as_csv, for_stdout, number
from metricatlas.cli.writing import to_stdout, write_file

if TYPE_CHECKING:
    from metricatlas.decisions.advising.advice import Advice, Answer
    from metricatlas.decisions.advising.reading import Reading

FRAMES = ("select", "report", "evidence", "rules")


@dataclass(frozen=True)
class Asked:
    """Advice, and what was asked of it."""

    advice: Advice
    answers: tuple[Answer, ...]
    reading: Reading | None
    show: str | None

    @classmethod
    def of(
        cls,
        advice: Advice,
        why_not: tuple[str, ...],
        read: tuple[str, str] | None,
        show: str | None,
    ) -> Asked:
        """Ask."""
        answers = tuple(advice.why_not(measure) for measure in why_not)
        return cls(advice, answers, None if read is None else advice.read(*read), show)


def deliver(asked: Asked, how: TextFormat, out: str | None) -> None:
    """Write the advice to a file or to standard output."""
    write = {TextFormat.table: _text, TextFormat.csv: _csv, TextFormat.json: _json}[how]
    text = f"{write(asked)}\n"
    if out is None:
        to_stdout(for_stdout(text, how))
    else:
        write_file(out, text.encode("utf-8", "backslashreplace"))
        typer.echo(one_line(f"Wrote the advice to {out}."), err=True)


def _text(asked: Asked) -> str:
    """Answers if something was asked, else a frame, else the advice in words."""
    from metricatlas.decisions.advising.advice_text import advice_as_text

    told = [str(one) for one in (*asked.answers, asked.reading) if one is not None]
    if asked.show is not None:
        frame: Any = getattr(asked.advice, asked.show)
        told.append(frame.to_string(index=False, float_format="{:.4f}".format, na_rep="-"))
    return "\n\n".join(told or [advice_as_text(asked.advice, "--why-not {}")])


def _csv(asked: Asked) -> str:
    """The frame that is to be seen; else all reasons, or the numbers of a reading."""
    tables = [answer.table for answer in asked.answers]
    if asked.show is not None or not (tables or asked.reading):
        tables = [getattr(asked.advice, asked.show or "select")]
    elif asked.reading is not None and not tables:
        tables = [asked.reading.table]
    rows = [record.values() for table in tables for record in _records(table)]
    told = [["" if value is None else value for value in row] for row in rows]
    return as_csv(list(tables[0].columns), told).rstrip("\n")


def _json(asked: Asked) -> str:
    found: dict[str, Any] = {
        "case": {key: _plain(value) for key, value in asked.advice.case.fields.items()},
        "repetitions": asked.advice.repetitions,
        **{name: _records(getattr(asked.advice, name)) for name in FRAMES},
    }
    for answer in asked.answers:
        found.setdefault("why_not", []).append(
            {
                "measure": answer.measure,
                "select": answer.select,
                "report": answer.report,
                "reasons": _records(answer.table),
                "evidence": {key: _plain(value) for key, value in answer.evidence.items()},
            }
        )
    if asked.reading is not None:
        reading = asked.reading
        found["read"] = {
            "f": reading.f,
            "g": reading.g,
            "verdict": reading.verdict,
            "words": reading.words,
            "table": _records(reading.table),
        }
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False)


def _records(frame: Any) -> list[dict[str, Any]]:
    return [
        {key: _plain(value) for key, value in record.items()} for record in frame.to_dict("records")
    ]


def _plain(value: Any) -> Any:
    """Numbers as JSON knows them."""
    return number(value) if isinstance(value, float) else value
