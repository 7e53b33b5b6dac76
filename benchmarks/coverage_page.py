"""The tables of docs/coverage.md, from what the study counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from metricatlas.decisions.comparing.proportions import proportion
from metricatlas.evaluation.task import Task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pandas as pd

METHODS = ("percentile", "basic", "bca", "auto")
QUANTITIES = ("value", "difference")
KEYS = ["n", "prior", "ties"]
BEGIN = "<!-- The tables below are made by `python -m benchmarks.coverage`. -->"
END = "<!-- The tables end here. -->"
#: What the measures are asked about.
TASK = Task("probabilities", (0, 1), decided=True, whole=True)
#: From here to there a coverage is good, and below this the interval has failed.
GOOD = (0.925, 0.975)
FAILED = 0.85
#: A coverage of the long-run value is shown in its own right if it is so much another one.
ANOTHER = 0.02
#: Intervals that are missing more often than this are marked.
MISSING = 0.05
#: With so many positives, and negatives, on average an interval has no excuse.
PLENTY = 60


def told(frame: pd.DataFrame, seconds: float) -> str:
    """One line about one configuration."""
    n, prior, ties = frame.loc[frame.index[0], KEYS]
    parts = []
    for quantity, part in frame.groupby("of", sort=False):
        held = part["auto"].dropna()
        failed = (held < FAILED).sum()
        parts.append(f"{quantity}s {held.median():.1%}, {failed} of {len(held)} below {FAILED:.0%}")
    where = f"n = {n}, prior {prior:g}, {'ties' if ties else 'no ties'}"
    return f"{where}: auto holds (median) {'; '.join(parts)}; {seconds:.0f} s"


def tables(frame: pd.DataFrame, head: str) -> str:
    """All tables, below a sentence about how they were made."""
    parts = [head, "### All methods", _summary(frame), "### Formulas", _formulas(frame)]
    parts += ["### Failures", *_failures(frame)]
    for quantity, title in zip(QUANTITIES, ("The value", "The difference"), strict=True):
        parts += [f"### {title}", _by_measure(frame[frame["of"] == quantity])]
    return "\n\n".join(parts)


def write(frame: pd.DataFrame, page: Path, head: str) -> None:
    """Renew the tables of a page, and the complete results beside it."""
    text = page.read_text(encoding="utf-8") if page.exists() else f"{BEGIN}\n{END}\n"
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        msg = f"{page} must have the lines {BEGIN} and {END}, between which the tables stand."
        raise SystemExit(msg)
    # The tables are those of the numbers that can be read in the file.
    shares = [name for name in frame.columns if name.startswith(METHODS)]
    rounded = frame.round(dict.fromkeys(shares, 4))
    rounded.to_csv(page.with_suffix(".csv"), index=False, float_format="%.6g")
    made = tables(rounded, head)
    page.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}", encoding="utf-8")


def _row(cells: Sequence[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    return "\n".join([_row(head), "|" + "---|" * len(head), *map(_row, rows)])


def _words(key: tuple[object, ...]) -> tuple[str, str, str]:
    n, prior, ties = key
    return str(n), f"{prior:g}", "yes" if ties else "no"


def _summary(frame: pd.DataFrame) -> str:
    """By configuration and method: how good the intervals of all measures are."""
    figures = ("median", "good", "failed", "failed, long run", "undefined")
    rows = []
    for key, part in frame.groupby(KEYS, sort=False):
        for method in METHODS:
            cells = []
            for quantity in QUANTITIES:
                own = part[part["of"] == quantity]
                held = own[method].dropna()
                shares = (
                    held.between(*GOOD).mean(),
                    (held < FAILED).mean(),
                    (_of_long_run(own, method) < FAILED).mean(),
                    own[f"{method}_undefined"].mean(),
                )
                cells += [f"{100 * held.median():.1f}", *map(_percent, shares)]
            rows.append((*_words(key), method, *cells))
    head = [*KEYS, "interval", *(f"{q}: {figure}" for q in QUANTITIES for figure in figures)]
    return _table(head, rows)


def _of_long_run(frame: pd.DataFrame, method: str) -> pd.Series[float]:
    """Coverage of the long-run values there are; most are those of test sets of this size."""
    same = frame[method].where(frame["long_run"].notna())
    return frame[f"{method}_long_run"].fillna(same).dropna()


def _failures(frame: pd.DataFrame) -> list[str]:
    """Name what fails although there are examples of both classes, the worst first."""
    rarer = frame["n"] * np.minimum(frame["prior"], 1 - frame["prior"])
    enough = frame[rarer >= PLENTY]
    found = []
    for quantity in QUANTITIES:
        worst = enough[enough["of"] == quantity].groupby("measure")["auto"].min()
        failed = worst[worst < FAILED].sort_values(kind="stable")
        names = ", ".join(f"`{name}` {_percent(share)}" for name, share in failed.items())
        found.append(f"{quantity.capitalize()}s: {names or 'none'}.")
    return found


def _formulas(frame: pd.DataFrame) -> str:
    """Intervals by formula beside those by resampling, of the same measures."""
    names = frame["measure"].unique()
    # A pair of measures is no share.
    shares = [name for name in names if proportion(name, TASK)]
    rows = []
    for key, part in frame.groupby(KEYS, sort=False):
        cells = []
        for quantity, measures in (("value", shares), ("value", ["auc"]), ("difference", ["auc"])):
            own = part[(part["of"] == quantity) & part["measure"].isin(measures)]
            cells += [_percent(own[method].median()) for method in ("auto", "bca")]
        rows.append((*_words(key), *cells))
    wilson = f"{len(shares)} shares: Wilson"
    head = [*KEYS, wilson, "bca", "auc: DeLong, Newcombe", "bca", "its difference: DeLong", "bca"]
    return _table(head, rows)


def _percent(share: float) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.0f}"


def _by_measure(frame: pd.DataFrame) -> str:
    """A row for each measure: the coverage of "auto" in every configuration."""
    keys = list(frame[KEYS].drop_duplicates().itertuples(index=False, name=None))
    cells = {
        (line.measure, line.n, line.prior, line.ties): _cell(line)
        for line in frame.itertuples(index=False)
    }
    head = ["measure", *(f"{n}, {prior:g}{', ties' * bool(ties)}" for n, prior, ties in keys)]
    names = list(dict.fromkeys(frame["measure"]))
    return _table(head, [(f"`{name}`", *(cells[name, *key] for key in keys)) for name in names])


def _cell(line: object) -> str:
    """Coverage of the mean; behind a stroke that of the long-run value, where it is another."""
    names = ("auto", "auto_long_run", "auto_undefined")
    held, long, missing = (getattr(line, name) for name in names)
    if missing == 1:
        return "none"
    shown = _marked(held)
    if not np.isnan(long) and (np.isnan(held) or abs(long - held) > ANOTHER):
        shown += f"/{_marked(long)}"
    return shown + "?" * (missing > MISSING)


def _marked(share: float) -> str:
    return f"**{_percent(share)}**" if share < FAILED else _percent(share)
