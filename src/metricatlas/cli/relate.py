"""``metricatlas relate``: how the measures of a table stand to each other."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from metricatlas.cli.failures import understood
from metricatlas.cli.letters import legible, one_line
from metricatlas.cli.patience import patience
from metricatlas.cli.writing import to_stdout
from metricatlas.errors import FileError, OptionError, RelationError

if TYPE_CHECKING:
    from metricatlas.measurements import Measurements
    from metricatlas.relations import Relations
    from metricatlas.relations.factors import Factors

EXAMPLES = """Examples:

    \b
    metricatlas relate measurements.parquet
    metricatlas relate results.csv --keys dataset,model --distance 0.3
    metricatlas relate measurements.parquet --pooled --out relations

    With --out a folder gets one file each for correlations, their spread and the number of groups
    behind them, pairs, agreements, clusters, dendrogram, factors and their kinds, eigenvalues,
    scale, stress, centrality, representatives, identities and problems.

    Exit codes: 0; 1 if the table cannot be read or related, or the result cannot be written; 2 if
    the command line cannot be understood."""


class Method(StrEnum):
    """How columns are correlated."""

    spearman = "spearman"
    pearson = "pearson"
    kendall = "kendall"


class Linkage(StrEnum):
    """How far groups of measures are from each other."""

    average = "average"
    complete = "complete"
    single = "single"
    weighted = "weighted"


class Extraction(StrEnum):
    """How factors are extracted."""

    principal = "principal"
    axis = "axis"
    iterated = "iterated"


class FileFormat(StrEnum):
    """How tables are saved."""

    parquet = "parquet"
    csv = "csv"


def relate(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="A saved table; or CSV, TSV or Parquet with --keys."),
    ],
    *,
    method: Annotated[Method, typer.Option(help="How to correlate.")] = Method.spearman,
    within: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KEY",
            help="Correlate within each value of this key. [default: dataset, if there is one]",
        ),
    ] = None,
    pooled: Annotated[bool, typer.Option("--pooled", help="Correlate all rows together.")] = False,
    keys: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Columns that name the rows, as in dataset,model."),
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option("--measures", "-m", metavar="LIST", help="Relate these only."),
    ] = None,
    distance: Annotated[
        float, typer.Option(min=0, help="Clusters at this distance, 1 - correlation.")
    ] = 0.1,
    linkage: Annotated[Linkage, typer.Option(help="How clusters join.")] = Linkage.average,
    min_eigenvalue: Annotated[float, typer.Option(help="Keep factors of this or more.")] = 1.0,
    extraction: Annotated[
        Extraction, typer.Option(help="How factors are extracted.")
    ] = Extraction.principal,
    unrotated: Annotated[
        bool, typer.Option("--unrotated", help="Leave factors as extracted, without varimax.")
    ] = False,
    pairs: Annotated[int, typer.Option(min=0, help="Show so many pairs.")] = 10,
    as_measured: Annotated[
        bool, typer.Option("--as-measured", help="Do not turn losses round.")
    ] = False,
    out: Annotated[
        str | None, typer.Option("--out", "-o", metavar="FOLDER", help="Save all in this folder.")
    ] = None,
    output_format: Annotated[
        FileFormat, typer.Option("--format", "-f", help="How to save it.")
    ] = FileFormat.parquet,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing on stderr.")] = False,
) -> None:
    """Relate measures: correlations, clusters, factors.

    Reads a table of measurements and prints the clusters of its measures, the most correlated
    pairs, and the factors that explain them.
    """
    if pooled and within:
        msg = f"--pooled and --within {within[0]} contradict each other. Leave one out."
        raise OptionError(msg)
    if out is not None:
        _check_folder(out)
    with patience(f"Relating {file}", may_compile=True), _said_here():
        from metricatlas.cli.relations_shown import content, shown
        from metricatlas.cli.tables import read_measurements
        from metricatlas.relations import relate as related

        table = _chosen(read_measurements(file, _split(keys)), measures)
        asked = [key for text in within or () for key in _split(text)]
        groups: Any = None if pooled else (asked or "dataset")
        relations = related(table, method=method.value, within=groups, oriented=not as_measured)
        tree = relations.joined(linkage.value)
        factors = _factors(relations, min_eigenvalue, extraction, unrotated=unrotated)
        text = shown(relations, tree, distance, factors, pairs)
        files = content(relations, tree, distance, factors) if out is not None else {}
    if not quiet:
        typer.echo(one_line(_read(file, table, relations)), err=True)
        for note in table.notes:
            typer.echo(one_line(f"Note: {note}."), err=True)
    to_stdout(legible("".join(f"{one_line(line)}\n" for line in text), sys.stdout.encoding))
    if out is not None:
        _write(Path(out), files, output_format)
        if not quiet:
            typer.echo(one_line(f"Wrote {len(files)} files to {out}."), err=True)


#: What Python calls things, and what they are called here.
_WORDS = {
    "Lower min_eigenvalue, or say number=.": "Lower --min-eigenvalue.",
    "`problems` says why of each measure": "every measure is constant, undefined, or in groups of "
    "fewer than three rows",
}


@contextlib.contextmanager
def _said_here() -> Iterator[None]:
    """Say errors in the words of the command line."""
    try:
        yield
    except RelationError as error:
        raise RelationError(_in_our_words(str(error))) from error


def _in_our_words(said: str) -> str:
    for python, ours in _WORDS.items():
        said = said.replace(python, ours)
    return said


def _factors(
    relations: Relations, least: float, extraction: Extraction, *, unrotated: bool
) -> Factors | str:
    """The factors, or why there are none."""
    rotation: Any = None if unrotated else "varimax"
    try:
        return relations.factors(least, rotation=rotation, extraction=extraction.value)
    except RelationError as error:
        return _in_our_words(str(error))


def _split(text: str | None) -> list[str]:
    names = [name.strip() for name in (text or "").split(",")]
    return [name for name in names if name]


def _chosen(table: Measurements, lists: list[str] | None) -> Measurements:
    if not lists:
        return table
    from metricatlas.measures.language import split_list

    with understood():
        return table.select([name for text in lists for name in split_list(text)])


def _read(file: str, table: Measurements, relations: Relations) -> str:
    from metricatlas.measurements.sheet import counted

    groups = counted(len(relations.groups), "group")
    by = f", {groups} by {_named(relations.within)}" if relations.within else ""
    rows, columns = counted(len(table), "row"), counted(len(table.columns), "measure")
    problems = counted(len(relations.problems), "problem")
    more = f" {problems}, told in the table `problems` of --out." if len(relations.problems) else ""
    return f"Read {rows} x {columns} of {file}{by}.{more}"


def _named(within: Any) -> str:
    return within if isinstance(within, str) else ", ".join(within)


def _check_folder(out: str) -> None:
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise FileError(f"--out {out} must be a folder; it is a file. Name another.")
    if not folder.exists() and not folder.absolute().parent.is_dir():
        above = folder.absolute().parent
        msg = f"{out} cannot be written: there is no folder {above}. Create it first."
        raise FileError(msg)


def _write(folder: Path, files: dict[str, Any], ending: FileFormat) -> None:
    """Make all contents first, then write each file whole."""
    from metricatlas.cli.writing import write_file

    made = {name: _bytes(frame, ending) for name, frame in files.items()}
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"{folder} cannot be written: {error.strerror or error}.") from error
    for name, whole in made.items():
        write_file(str(folder / f"{name}.{ending}"), whole)


def _bytes(frame: Any, ending: FileFormat) -> bytes:
    import io

    if ending is FileFormat.csv:
        return str(frame.to_csv(index=False)).encode()
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()
