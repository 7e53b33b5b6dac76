"""Print the table of thresholds.md: how often intervals of thresholds hold what they should.

``python docs/thresholds.py`` (some ten minutes). Scores are normal, and those of positives 1.5
higher, so what every threshold is worth is known.
"""

import warnings
from typing import Any

import numpy as np
from scipy.stats import norm

import metricatlas as ma

SIZES = ((50, 0.5), (50, 0.1), (300, 0.5), (300, 0.05), (3000, 0.5), (3000, 0.02))
#: Goals, and the measure that is told of each.
GOALS = {"f1": "f1", "gmean": "gmean", "mcc": "mcc", "fpr<=0.1": "recall", "ppv>=0.6": "ppv"}
WORLDS = 400
APART = 1.5
GRID = np.linspace(-4, 6, 20_001)


def worth(measure: str, threshold: Any, prior: float) -> Any:
    """Return the value of a threshold among all examples that there are."""
    recall, fpr = norm.sf(threshold - APART), norm.sf(threshold)
    tp, fp = prior * recall, (1 - prior) * fpr
    spread = (tp + fp) * prior * (1 - prior) * (1 - tp - fp)
    found = {
        "f1": 2 * tp / (tp + fp + prior),
        "gmean": np.sqrt(recall * (1 - fpr)),
        "mcc": (tp - prior * (tp + fp)) / np.sqrt(spread),
        "recall": recall,
        "ppv": tp / (tp + fp),
    }
    return found[measure]


def best(goal: str, prior: float) -> float:
    """Return the threshold that is best among all examples that there are."""
    if goal == "fpr<=0.1":
        return float(norm.isf(0.1))
    values = worth(GOALS[goal], GRID, prior)
    return float(GRID[np.argmax(values >= 0.6) if goal == "ppv>=0.6" else np.argmax(values)])


def drawn(rng: np.random.Generator, size: int, prior: float) -> tuple[Any, Any]:
    """Return truth, with two examples of each class at least, and scores."""
    while True:
        y = (rng.random(size) < prior).astype(int)
        if 2 <= y.sum() <= size - 2:
            return y, rng.normal(size=size) + APART * y


def shares(size: int, prior: float) -> dict[str, Any]:
    """Return by goal: the shares of worlds in which the intervals hold, and the mean errors."""
    found: dict[str, list[Any]] = {goal: [] for goal in GOALS}
    for seed in range(WORLDS):
        y, scores = drawn(np.random.default_rng([size, seed]), size, prior)
        t = ma.thresholds(
            y, scores, goals=list(GOALS), kind="scores", resamples=200, seed=seed
        ).table.set_index(["goal", "measure"])
        for goal, measure in GOALS.items():
            line = t.loc[goal, measure]
            true = worth(measure, line["threshold"], prior)
            ends = line["honest_low"], line["honest_high"]
            honest = np.nan if np.isnan(ends[0]) else ends[0] <= true <= ends[1]
            threshold = line["low"] <= best(goal, prior) <= line["high"]
            found[goal].append((threshold, honest, line["apparent"] - true, line["honest"] - true))
    return {goal: np.nanmean(np.array(rows, dtype=float), axis=0) for goal, rows in found.items()}


def main() -> None:
    """Print the table."""
    warnings.simplefilter("ignore", ma.UndefinedWarning)
    # Some goals have no threshold, or one that decides nothing.
    np.seterr(invalid="ignore")
    print("| n | positives | goal | threshold | honest | apparent too high | honest too high |")
    print("|---|---|---|---|---|---|---|")
    for size, prior in SIZES:
        for goal, numbers in shares(size, prior).items():
            cells = [f"{x:.2f}" for x in numbers[:2]] + [f"{x:+.3f}" for x in numbers[2:]]
            row = " | ".join([f"{size}", f"{prior:.0%}", f"`{goal}`", *cells])
            print(f"| {row} |", flush=True)


if __name__ == "__main__":
    main()
