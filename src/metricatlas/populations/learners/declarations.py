"""The learners of the studies: names, parameters and where they differ from Weka's."""

from __future__ import annotations

from metricatlas.populations.learners import builders
from metricatlas.populations.learners.learner import Difference, Learner, Parameter

TREE = (
    Parameter(
        "attributes",
        "boolean",
        "what nominal attributes become: a column of 0 and 1 for each value, or one column with "
        "the values in an order by the classes of the training rows",
        ("boolean", "original"),
    ),
    Parameter("criterion", "entropy", "what a split makes smaller", ("entropy", "gini")),
    Parameter(
        "pruning",
        "pessimistic",
        "how the tree is pruned",
        (
            "none",
            "pessimistic",
            "cost-complexity-0se",
            "cost-complexity-1se",
            "description-length",
        ),
    ),
    Parameter(
        "smoothing",
        "none",
        "how a leaf's counts become probabilities",
        ("none", "laplace", "bayes"),
    ),
    Parameter("smallest", 2, "how many rows a leaf must have", least=1, whole=True),
    Parameter(
        "collapse",
        True,  # noqa: FBT003 - the default of a switch
        "whether subtrees that get no more training rows right are leaves before all pruning",
        (True, False),
    ),
    Parameter(
        "confidence",
        0.25,
        "how pessimistic pruning is: the less, the more is pruned",
        least=1e-6,
        greatest=0.5,
    ),
)


def with_defaults(parameters: tuple[Parameter, ...], **defaults: object) -> tuple[Parameter, ...]:
    """The same parameters with other defaults."""
    from dataclasses import replace

    return tuple(
        replace(p, default=defaults[p.name]) if p.name in defaults else p for p in parameters
    )


LEARNERS = (
    Learner(
        "tree",
        "A decision tree with pessimistic pruning, as C4.5.",
        TREE,
        builders.tree,
        weka="trees.J48",
    ),
    Learner(
        "tree-unpruned-laplace",
        "A decision tree that is not pruned, its leaves smoothed after Laplace.",
        with_defaults(TREE, pruning="none", smoothing="laplace"),
        builders.tree,
        weka="trees.J48 -U -A",
    ),
    Learner(
        "naive-bayes",
        "Naive Bayes with normal numbers and counted nominal values.",
        (),
        builders.naive_bayes,
        weka="bayes.NaiveBayes",
    ),
    Learner(
        "logistic",
        "Logistic regression with hardly any ridge.",
        (Parameter("ridge", 1e-8, "what the squared coefficients count", least=1e-12),),
        builders.logistic,
        weka="functions.Logistic",
    ),
    Learner(
        "knn",
        "Nearest neighbours.",
        (
            Parameter(
                "neighbours", 1, "how many neighbours count", least=1, whole=True, staged=True
            ),
            Parameter(
                "weighting",
                "none",
                "whether neighbours count alike, by the inverse of their distance, or all rows "
                "count by a normal kernel (locally weighted averaging)",
                ("none", "inverse", "kernel"),
            ),
            Parameter(
                "width",
                1.0,
                "the kernel's standard deviation, in smallest distances of two training rows",
                least=1e-9,
                staged=True,
            ),
            Parameter(
                "attributes",
                "mixed",
                "whether nominal values are alike or not, or columns of 0 and 1",
                ("mixed", "boolean"),
            ),
            Parameter(
                "weights",
                "none",
                "what the attributes count in a distance",
                ("none", "gain-ratio"),
            ),
        ),
        builders.knn,
        weka="lazy.IBk",
    ),
)

__all__ = ["LEARNERS", "Difference"]
