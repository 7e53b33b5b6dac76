"""Worlds as the command line prints and writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from metricatlas.cli.output import TextFormat, as_csv, as_json, for_stdout
from metricatlas.cli.writing import to_stdout, write_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from metricatlas.worlds import Power, Reliabilities, Reliability


def deliver(
    result: Power | Reliabilities | Reliability, asked: TextFormat, out: str | None
) -> None:
    """Write a result to a file or to standard output."""
    text = _written(result, asked)
    if out is None:
        to_stdout(for_stdout(text, asked))
    else:
        write_file(out, text.encode("utf-8", "backslashreplace"))
        typer.echo(f"Wrote {len(result.names):,} measures to {out}.", err=True)


def _written(result: Power | Reliabilities | Reliability, asked: TextFormat) -> str:
    if asked is TextFormat.table:
        return "\n".join([*_table(result), ""])
    from metricatlas.worlds import Power

    frame: Any = result.curve if isinstance(result, Power) else result.wrong
    if asked is TextFormat.csv:
        return as_csv(list(frame.columns), frame.to_numpy().tolist())
    return as_json(frame.to_dict("records"))


def _table(result: Power | Reliabilities | Reliability) -> list[str]:
    from metricatlas.worlds import Power, Reliability

    if isinstance(result, Power):
        return _needed(result)
    worlds = [result] if isinstance(result, Reliability) else list(result.worlds.values())
    return _ranking(worlds, result.ranking())


def _ranking(worlds: list[Reliability], ranking: Any) -> list[str]:
    """A ranking of measures, with the profile above it; the average of each of several worlds."""
    lines = [f"{one.world}, levels {_levels(one.levels)}:" for one in worlds]
    one, width = worlds[0], _width(ranking)
    own = [world.world for world in worlds] if len(worlds) > 1 else []
    heads = "".join(f"   {name}" for name in own)
    lines += [
        f"{one.repetitions:,} pairs of models, {one.profile.described()}",
        "",
        f"{'measure':{width}}   wrong  95 % interval   group{heads}",
    ]
    for line in ranking.to_dict("records"):
        share = f"{line['wrong']:.4f}  {line['low']:.4f} .. {line['high']:.4f}"
        each = "".join(f"   {line[name]:{len(name)}.4f}" for name in own)
        lines.append(f"{line['measure']:{width}}  {share}  {line['group']:4}{each}")
    return lines


def _levels(levels: Sequence[float]) -> str:
    """Levels between commas, the first two and the last of many."""
    said = [f"{level:.4g}" for level in levels]
    return ", ".join(said if len(said) <= 12 else [*said[:2], f".. {said[-1]}"])


def _needed(result: Power) -> list[str]:
    """How many examples each measure needs, with the profile above it."""
    needed = result.needed()
    width = _width(needed)
    lines = [result.described(), "", f"{'measure':{width}}  examples"]
    return [*lines, *(f"{line.measure:{width}}  {line.says}" for line in needed.itertuples())]


def _width(table: Any) -> int:
    return max(7, *(len(name) for name in table["measure"]))
