"""How measures stand to each other: correlation, clusters, scales, factors, agreement."""

from metricatlas.relations.agreement import Agreement, agreement
from metricatlas.relations.agreements import Agreements, agreements
from metricatlas.relations.relate import relate
from metricatlas.relations.relations import Relations
from metricatlas.relations.theory import confusion_matrices, ranked_lists

__all__ = [
    "Agreement",
    "Agreements",
    "Relations",
    "agreement",
    "agreements",
    "confusion_matrices",
    "ranked_lists",
    "relate",
]
