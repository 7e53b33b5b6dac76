"""The learners and parameters of the studies, as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricatlas.errors import PopulationError
from metricatlas.measurements.columns import nearest
from metricatlas.populations.learners.types import TREE_TYPES
from metricatlas.predictions.numbers import is_whole

if TYPE_CHECKING:
    from collections.abc import Iterator

Planned = tuple[str, dict[str, Any]]

#: caruana2004 trains on so many rows.
TRAINING_ROWS = 4000
HIDDEN = (1, 2, 4, 8, 32, 128)
MOMENTA = (0.0, 0.2, 0.5, 0.9)
WIDTHS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 2.0)
COSTS = tuple(10.0**power for power in range(-7, 4))
#: The paper names no five criteria; these are all that the stumps here have.
CRITERIA = ("entropy", "gini", "gain-ratio", "evidence", "error")
#: The paper says "many different epochs"; with thirty there are 2000 models a problem.
EPOCHS, MOST_EPOCHS = 30, 1024

#: Plain lists of learners with the settings they have by default.
_PLAIN = {
    "ferri2009": ("tree", "naive-bayes", "logistic", "perceptron", "knn", "boosted-trees"),
    "seliya2009": ("tree-unpruned-laplace", "tree"),
}


def grid(study: str, *, rows: int = TRAINING_ROWS, nominal: bool = True) -> tuple[Planned, ...]:
    """List the learners of a study with their parameters; a list among these is of stages.

    Parameters
    ----------
    study
        "ferri2009", "huang2007", "seliya2009" or "caruana2004".
    rows
        How many rows the models are trained on: caruana2004 takes up to as many neighbours.
    nominal
        Whether there are nominal attributes: caruana2004 trains its trees on those as they are and
        once more on columns of 0 and 1, which would be the same otherwise.

    Examples
    --------
    >>> grid("seliya2009")
    (('tree-unpruned-laplace', {}), ('tree', {}))
    >>> models(grid("caruana2004", nominal=False))
    2003
    """
    if not is_whole(rows) or rows < NEIGHBOURS:
        raise PopulationError(f"rows must be a whole number from {NEIGHBOURS} on; got {rows!r}.")
    if study == "caruana2004":
        return tuple(_caruana2004(rows, ("original", "boolean") if nominal else ("boolean",)))
    if study == "huang2007":
        # Where a run stops under f, after hundreds of epochs, is for the study to say.
        return (("perceptron", {"epochs": list(range(100, 2001, 100))}),)
    if study in _PLAIN:
        return tuple((name, {}) for name in _PLAIN[study])
    known = [*_PLAIN, "huang2007", "caruana2004"]
    raise PopulationError(f"no study {study!r} trains learners{nearest(study, known)}")


def models(planned: tuple[Planned, ...]) -> int:
    """Count the models of a grid: every stage is one."""
    return sum(
        max([len(value) for value in parameters.values() if isinstance(value, list)], default=1)
        for _, parameters in planned
    )


#: So many numbers of neighbours caruana2004 takes, from 1 to all training rows.
NEIGHBOURS = 26


def spread(count: int, greatest: int) -> list[int]:
    """So many different whole numbers from 1 on, in equal ratios as far as that goes.

    >>> spread(6, 100)
    [1, 3, 6, 16, 40, 100]
    """
    found = [1]
    for i in range(1, count):
        found.append(max(found[-1] + 1, round(greatest ** (i / (count - 1)))))
    return found


def _caruana2004(rows: int, codings: tuple[str, ...]) -> Iterator[Planned]:
    yield from _neighbours(rows)
    for loss in ("squared", "cross-entropy"):
        for hidden in HIDDEN:
            for momentum in MOMENTA:
                own = {"hidden": hidden, "momentum": momentum, "loss": loss, "rate": 0.1}
                epochs = spread(EPOCHS, MOST_EPOCHS)
                yield "perceptron", {**own, "scale": "standard", "epochs": epochs}
    for coding in codings:
        yield from _trees(coding)
    for kernel in _kernels():
        for cost in COSTS:
            own = {**kernel, "cost": cost, "scale": "standard"}
            yield "svm", {**own, "scaling": ["platt", "linear"]}


def _neighbours(rows: int) -> Iterator[Planned]:
    for weights in ("none", "gain-ratio"):
        own = {"attributes": "boolean", "weights": weights}
        for weighting in ("none", "inverse"):
            neighbours = spread(NEIGHBOURS, rows)
            yield "knn", {**own, "weighting": weighting, "neighbours": neighbours}
        widths = [2.0**power for power in range(11)]
        yield "knn", {**own, "weighting": "kernel", "width": widths}


def _trees(coding: str) -> Iterator[Planned]:
    for kind in TREE_TYPES:
        own = {"type": kind, "attributes": coding}
        yield "tree", own
        yield "bagged-trees", {**own, "trees": 25}
        steps = [2**power for power in range(1, 12)]
        yield "boosted-trees", {**own, "steps": steps, "output": "votes"}
    for criterion in CRITERIA:
        own = {"criterion": criterion, "attributes": coding}
        steps = [2**power for power in range(1, 14)]
        yield "boosted-stumps", {**own, "steps": steps, "output": "votes"}


def _kernels() -> Iterator[dict[str, Any]]:
    yield {"kernel": "linear"}
    for degree in (2, 3):
        yield {"kernel": "polynomial", "degree": degree}
    for width in WIDTHS:
        yield {"kernel": "radial", "width": width}
