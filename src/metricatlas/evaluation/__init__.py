"""Evaluation: which facts are needed, each summary once, then every formula."""

from metricatlas.evaluation.doors import evaluate, evaluate_confusion, measure

__all__ = ["evaluate", "evaluate_confusion", "measure"]
