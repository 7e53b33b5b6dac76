"""A chart of dots, drawn: a line for each measure, a dot for each model, the values beside them."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.measurements.sheet import LEGEND

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

    from metricatlas.integrations.dots import Dots
    from metricatlas.measurements import Column

#: Colours that can be told apart without red and green, dark enough for text.
COLOURS = ("#0b61a4", "#c44e00", "#11806a", "#9b3d88", "#8a6d00", "#4a4a4a")
MARKERS = ("o", "D", "s", "^", "v", "X")
GREY, FAINT = "#8c8c8c", "#e4e4e4"
#: Of more models than this the best value alone is written.
MOST_WRITTEN = 4
LONGEST_NAME = 34
#: The name of a model that has none.
NAMELESS = ("0",)
#: In points: the size of letters, and the room of one.
LETTERS, LETTER = 8.5, 5.0


def size_of(dots: Dots) -> tuple[float, float]:
    """Width and height in inches with which a chart is readable."""
    names = max(len(_name(column)) for column in dots.columns)
    width = 3.6 + (names * LETTER + _values_width(dots)) / 72
    legend = -(-len(dots.models) // _legend_columns(dots))
    return width, 0.9 + 0.24 * len(dots.columns) + 0.22 * legend


def draw(dots: Dots, ax: Axes, style: dict[str, Any]) -> list[PathCollection]:
    """Draw a chart; the dots of each model are returned."""
    lines = np.arange(len(dots.columns))
    _draw_scale(dots, ax, lines)
    _draw_spans(dots, ax, lines)
    drawn = [_draw_model(dots, number, ax, style) for number in range(len(dots.models))]
    _write_values(dots, ax, [dot.get_facecolor()[0] for dot in drawn])
    if dots.models != NAMELESS:
        _draw_legend(dots, ax, drawn)
    return drawn


def _draw_legend(dots: Dots, ax: Axes, drawn: list[PathCollection]) -> None:
    from matplotlib.transforms import ScaledTranslation

    above_the_scale = ScaledTranslation(0, 18 / 72, ax.figure.dpi_scale_trans)
    legend = ax.legend(
        drawn,
        # Matplotlib leaves out names that begin with an underscore.
        [f" {name}" if name.startswith("_") else name for name in dots.models],
        loc="lower left",
        bbox_to_anchor=(0, 1, 1, 0.1),
        bbox_transform=ax.transAxes + above_the_scale,
        ncols=_legend_columns(dots),
        frameon=False,
        fontsize=LETTERS + 0.5,
        borderaxespad=0,
        handletextpad=0.2,
        columnspacing=1.2,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _draw_scale(dots: Dots, ax: Axes, lines: Any) -> None:
    """Names at the left, and from the worst to the best possible value a faint line for each."""
    names = [_name(column) for column in dots.columns]
    ax.set_yticks(lines, names, fontsize=LETTERS, parse_math=False)
    ax.set_ylim(len(lines) - 0.4, -0.6)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xticks(
        [0, 0.5, 1], ["worst possible", "", "best possible"], fontsize=LETTERS, color=GREY
    )
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.spines[:].set_visible(False)
    ax.set_axisbelow(True)
    ax.vlines([0, 0.5, 1], -0.5, len(lines) - 0.5, color=FAINT, linewidth=0.8, zorder=0)
    known = {column.better for column in dots.columns}
    words = [words for better, words in LEGEND.items() if better in known]
    if len(dots.models) > MOST_WRITTEN:
        words.append("the best value is written")
    if words:
        ax.set_xlabel(fill("; ".join(words), 64), fontsize=LETTERS - 1, color=GREY)


def _draw_spans(dots: Dots, ax: Axes, lines: Any) -> None:
    """From the worst model to the best; where there are no bounds nothing can be drawn."""
    bounded = np.array([np.isfinite([c.lower, c.upper]).all() for c in dots.columns])
    ax.hlines(lines[bounded], 0, 1, color=FAINT, linewidth=0.8, zorder=0)
    low, high = np.fmin.reduce(dots.places), np.fmax.reduce(dots.places)
    ax.hlines(lines, low, high, color="#bdbdbd", linewidth=1.6, zorder=1)
    for line in lines[~bounded].tolist():
        ax.annotate(
            "no bounds",
            (0.5, line),
            ha="center",
            va="center",
            fontsize=LETTERS - 1.5,
            color="#b5b5b5",
        )


def _draw_model(dots: Dots, number: int, ax: Axes, style: dict[str, Any]) -> PathCollection:
    lines = np.arange(len(dots.columns)) + _offset(dots, number)
    look = {
        "color": COLOURS[number % len(COLOURS)],
        # One further in every round, so that no colour has the same marker twice.
        "marker": MARKERS[(number + number // len(COLOURS)) % len(MARKERS)],
        "s": 26,
        "linewidth": 0,
        "zorder": 3,
        "clip_on": False,
        **style,
    }
    parts = dots.parts[number]
    if len(parts):
        faint = {**look, "s": np.asarray(look["s"]) / 3, "alpha": 0.4, "zorder": 2}
        ax.scatter(parts.ravel(), np.tile(lines, len(parts)), **faint)
    return ax.scatter(dots.places[number], lines, label=dots.models[number], **look)


def _offset(dots: Dots, number: int) -> float:
    """A few models stand a little above and below each other, so that equal ones are seen."""
    count = len(dots.models)
    return 0.0 if count > MOST_WRITTEN else 0.13 * (number - (count - 1) / 2)


def _write_values(dots: Dots, ax: Axes, colours: list[Any]) -> None:
    """Values at the right, a column for each model, the best in bold; of many models the best."""
    models = range(len(dots.models))
    for line in range(len(dots.columns)):
        best = [number for number in models if dots.best[number, line]]
        if len(models) <= MOST_WRITTEN:
            shown = [(number, colours[number]) for number in models]
        elif best:
            shown = [(best[0], colours[best[0]])]
        else:
            # Equal values can be said once; of values that only differ none is better.
            equal = len({texts[line] for texts in dots.texts}) == 1
            shown = [(0, GREY)] if equal else []
        for place, (number, colour) in enumerate(shown, start=1):
            ax.annotate(
                dots.texts[number][line],
                (1, line),
                (place * _value_width(dots), 0),
                xycoords=ax.get_yaxis_transform(),
                textcoords="offset points",
                ha="right",
                va="center",
                fontsize=LETTERS,
                color=colour,
                weight="bold" if number in best else "normal",
                annotation_clip=False,
            )


def _value_width(dots: Dots) -> float:
    return LETTER * max(len(text) for texts in dots.texts for text in texts) + 10


def _values_width(dots: Dots) -> float:
    return _value_width(dots) * (len(dots.models) if len(dots.models) <= MOST_WRITTEN else 1)


def _legend_columns(dots: Dots) -> int:
    longest = max(map(len, dots.models)) + 4
    return max(1, min(len(dots.models), int(72 / longest)))


def _name(column: Column) -> str:
    name = f"{column.name} {column.mark}".strip()
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
