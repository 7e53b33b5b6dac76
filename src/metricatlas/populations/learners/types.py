"""The ten types of trees of caruana2004, by what stands in for each of the IND package's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class TreeType:
    """A type of tree: what it is in the paper, and the settings that come nearest."""

    #: In words, what IND's is and in what the stand-in differs.
    words: str
    criterion: str
    pruning: str
    smoothing: str
    smallest: int
    collapse: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of a tree learner."""
        names = ("criterion", "pruning", "smoothing", "smallest", "collapse")
        return {**{name: getattr(self, name) for name in names}, "cut_cost": False}


TREE_TYPES = {
    "bayes": TreeType(
        "Buntine's Bayesian trees: all prunings averaged by their evidence. IND also chooses tests "
        "by evidence; here by information gain.",
        "entropy",
        "none",
        "bayes",
        1,
    ),
    "id3": TreeType("Information gain, not pruned, not smoothed.", "entropy", "none", "none", 1),
    "cart": TreeType(
        "Gini index, pruned at the price of the simplest tree within one standard error of the "
        "best in ten-fold cross-validation.",
        "gini",
        "cost-complexity-1se",
        "none",
        1,
    ),
    "cart0": TreeType(
        "As cart, at the price of the best tree itself.", "gini", "cost-complexity-0se", "none", 1
    ),
    "c4": TreeType(
        "Pessimistic pruning, as C4.5. IND's tests have the best gain ratio; here the best "
        "information gain.",
        "entropy",
        "pessimistic",
        "none",
        2,
        collapse=True,
    ),
    "mml": TreeType(
        "The pruning with the shortest message (Wallace and Patrick). IND also chooses tests by "
        "the message's length; here by information gain.",
        "entropy",
        "description-length",
        "none",
        1,
    ),
    "smml": TreeType(
        "Read as mml with smoothing: the prunings of the mml tree averaged by their evidence.",
        "entropy",
        "description-length",
        "bayes",
        1,
    ),
    "c44": TreeType(
        "C4.5 without pruning and collapsing, smoothed after Laplace (Provost and Domingos, 2003). "
        "Information gain instead of gain ratio.",
        "entropy",
        "none",
        "laplace",
        2,
    ),
    "c44bs": TreeType("As c44, with Bayesian smoothing.", "entropy", "none", "bayes", 2),
    "mmlls": TreeType(
        "As mml, smoothed after Laplace.", "entropy", "description-length", "laplace", 1
    ),
}
