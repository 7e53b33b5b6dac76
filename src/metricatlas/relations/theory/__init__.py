"""What can be known without data: every ranked list, every confusion matrix, closed forms."""

from metricatlas.relations.theory.families import FAMILIES, Family
from metricatlas.relations.theory.lists import RankedLists, ranked_lists
from metricatlas.relations.theory.matrices import ConfusionMatrices, confusion_matrices
from metricatlas.relations.theory.random_matrices import RandomMatrices, random_matrices
from metricatlas.relations.theory.theorems import (
    NOT_TRANSITIVE,
    finer_is_transitive,
    of_two_level,
    two_level_is_finer,
)

__all__ = [
    "FAMILIES",
    "NOT_TRANSITIVE",
    "ConfusionMatrices",
    "Family",
    "RandomMatrices",
    "RankedLists",
    "confusion_matrices",
    "finer_is_transitive",
    "of_two_level",
    "random_matrices",
    "ranked_lists",
    "two_level_is_finer",
]
