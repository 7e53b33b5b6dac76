"""Evaluation: which facts are needed, each summary once, then every formula."""

from metricatlas.evaluation.baseline import baseline
from metricatlas.evaluation.doors import evaluate, evaluate_confusion, measure

__all__ = ["baseline", "evaluate", "evaluate_confusion", "measure"]
