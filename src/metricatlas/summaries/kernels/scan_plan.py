"""From requests to compiled passes: which to run, and where each fact lies in what they fill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.summaries.facts import Array, Request
from metricatlas.summaries.kernels import (
    scan_hull,
    scan_moments,
    scan_points,
    scan_rows,
    scan_stream,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Facts = dict[Request, Array]
#: Scores, classes and weights of rows one behind the other, and the rows' bounds.
Rows = tuple[Array, Array, Array | None, Array]

STREAM = {
    "positives": scan_stream.POSITIVES,
    "negatives": scan_stream.NEGATIVES,
    "wins": scan_stream.WINS,
    "margin": scan_stream.MARGIN,
    "precision_sum": scan_stream.SUM,
    "precision_sum_random": scan_stream.RANDOM,
    "pr_area": scan_stream.STEPS,
    "gain_area": scan_stream.GAIN,
    "distinct_deviation": scan_stream.DISTINCT,
}
#: What needs nothing but the shortest of passes.
FIRST = {"positives", "negatives", "wins"}
#: Facts of the point where the distributions are farthest apart, by column.
KS = {"ks_tp": 0, "ks_fp": 1, "ks_threshold": 2, "ks": 3}
MOMENTS = {
    "mean_positive": scan_moments.MEAN_POSITIVE,
    "mean_negative": scan_moments.MEAN_NEGATIVE,
    "mean_gap": scan_moments.MEAN_GAP,
    "variance_positive": scan_moments.VARIANCE_POSITIVE,
    "variance_negative": scan_moments.VARIANCE_NEGATIVE,
}
HULL = {
    "hull_area": scan_hull.AREA,
    "hull_loss": scan_hull.LOSS,
    "hull_squares": scan_hull.SQUARES,
    "hull_logs": scan_hull.LOGS,
    "hull_deviation": scan_hull.DEVIATION,
    "hull_bias": scan_hull.BIAS,
}
WINDOWS = {"window_gap": 0, "window_deviation": 1, "window_deviation_printed": 2}
BINS = {"width_bins": False, "mass_bins": True}
OTHERS = {"precision_eleven": 0, "equal_error": 1}
SLOW = {"recalibration", "smooth_gap"}

POINTS = {
    "at": scan_points.AT,
    "fpr": scan_points.AT_FPR,
    "tpr": scan_points.AT_TPR,
    "prevalence": scan_points.PREVALENCE,
    "ks": scan_points.KS,
}
TOPS = {"share": scan_points.TOP_SHARE, "size": scan_points.TOP_SIZE}
BEST = {"f1": scan_points.BEST_F1, "gmean": scan_points.BEST_PRODUCT}


def _top(kind: str, value: Any = 0.0) -> tuple[int, float]:
    if kind == "positives":
        return scan_points.TOP_POSITIVES, 0.0
    return TOPS[kind], float(value)


def _point(kind: str, value: Any = 0.0) -> tuple[int, float]:
    """The code of an operating point, and its number."""
    if kind == "best":
        return BEST[value], 0.0
    if kind == "top":
        if value == "positives":
            return _top("positives")
        return _top("share" if value < 1 else "size", value)
    return POINTS[kind], float(value)


class Plan:
    """Requests, sorted by the pass that serves them."""

    def __init__(self, requests: Sequence[Request]) -> None:
        self.requests = requests
        names = {name for name, _ in requests}
        self.names = names
        self.slow = [request for request in requests if request[0] in SLOW]
        self.points: dict[tuple[int, float], int] = {}
        for name, arguments in requests:
            if name == "top":
                self._want(_top(*arguments))
            elif name == "operating_point":
                self._want(_point(*arguments))
            elif name in KS:
                self._want(_point("ks"))
        self.limits = sorted({a[0] for name, a in requests if name == "partial_area"})

    def _want(self, point: tuple[int, float]) -> None:
        self.points.setdefault(point, len(self.points))

    def run(
        self, scores: Array, positive: Array, weight: Array | None, bounds: Array, longest: int
    ) -> Facts:
        """Run the passes that are wanted; return what was asked for."""
        rows = (scores, positive, weight, bounds)
        sums = np.empty((len(bounds) - 1, scan_stream.STREAM_COLUMNS))
        found: Facts = {}
        if self._curve_is_wanted():
            self._curve(rows, longest, sums, found)
        else:
            scan_rows.wins_rows(*rows, sums)
        for request in self.requests:
            if request[0] in STREAM:
                found[request] = sums[:, STREAM[request[0]]]
        self._moments(rows, sums, found)
        self._hull(rows, longest, sums, found)
        self._bins(rows, sums, found)
        self._windows(rows, longest, sums, found)
        return found

    def _curve_is_wanted(self) -> bool:
        wanted = (STREAM.keys() - FIRST) | OTHERS.keys()
        return bool(self.points or self.limits or wanted & self.names)

    def _switches(self) -> Array:
        want = np.zeros(scan_stream.SWITCHES, np.bool_)
        for name in STREAM.keys() & self.names:
            want[STREAM[name]] = True
        if self.names & {"precision_eleven", "precision_sum_random", "pr_area"}:
            want[scan_stream.SUM] = True
        want[scan_stream.PRECISIONS] = "precision_eleven" in self.names
        return want

    def _curve(self, rows: Rows, longest: int, sums: Array, found: Facts) -> None:
        columns = scan_rows.POINT_COLUMNS
        points = np.empty((len(sums), max(1, columns * len(self.points))))
        areas = np.empty((len(sums), max(1, len(self.limits))))
        others = np.empty((len(sums), len(OTHERS)))
        scan_rows.curve_rows(
            *rows,
            longest,
            self._switches(),
            np.array([kind for kind, _ in self.points], np.int64),
            np.array([value for _, value in self.points], np.float64),
            np.array(self.limits, np.float64),
            "precision_eleven" in self.names,
            "equal_error" in self.names,
            sums,
            points,
            areas,
            others,
        )
        for request in self.requests:
            name, arguments = request
            if name in KS:
                found[request] = points[:, columns * self.points[_point("ks")] + KS[name]]
            elif name == "top":
                at = columns * self.points[_top(*arguments)]
                found[request] = points[:, [at, at + 3]]
            elif name == "operating_point":
                at = columns * self.points[_point(*arguments)]
                found[request] = points[:, at : at + 3]
            elif name == "partial_area":
                found[request] = areas[:, self.limits.index(arguments[0])]
            elif name in OTHERS:
                found[request] = others[:, OTHERS[name]]

    def _moments(self, rows: Rows, sums: Array, found: Facts) -> None:
        if self.names & MOMENTS.keys():
            out = np.empty((len(sums), scan_moments.MOMENT_COLUMNS))
            scan_rows.moment_rows(*rows, sums, out)
            self._take(MOMENTS, out, found)

    def _hull(self, rows: Rows, longest: int, sums: Array, found: Facts) -> None:
        if self.names & HULL.keys():
            calibration = bool(self.names & {"hull_deviation", "hull_bias"})
            out = np.empty((len(sums), scan_hull.HULL_COLUMNS))
            scan_rows.hull_rows(*rows, longest, sums, calibration, out)
            self._take(HULL, out, found)

    def _take(self, columns: dict[str, int], out: Array, found: Facts) -> None:
        for request in self.requests:
            if request[0] in columns:
                found[request] = out[:, columns[request[0]]]

    def _bins(self, rows: Rows, sums: Array, found: Facts) -> None:
        for request in self.requests:
            name, arguments = request
            if name in BINS:
                bins = int(arguments[0])
                columns = 4 if BINS[name] else 3
                out = np.empty((len(sums), columns * bins))
                scan_rows.bin_rows(*rows, bins, BINS[name], out)
                found[request] = out.reshape(len(sums), bins, columns)

    def _windows(self, rows: Rows, longest: int, sums: Array, found: Facts) -> None:
        asked: dict[float, list[Request]] = {}
        for request in self.requests:
            name, arguments = request
            if name in WINDOWS:
                size = 0.0 if arguments in {(), ("tenth",)} else float(arguments[0])
                asked.setdefault(size, []).append(request)
        for size, requests in asked.items():
            deviation = any(WINDOWS[name] > 0 for name, _ in requests)
            out = np.empty((len(sums), scan_rows.WINDOW_COLUMNS))
            scan_rows.window_rows(*rows, longest, sums, size, deviation, out)
            for request in requests:
                found[request] = out[:, WINDOWS[request[0]]]
