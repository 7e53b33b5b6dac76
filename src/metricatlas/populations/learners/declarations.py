"""The learners of the studies: names, parameters and where they differ from Weka's."""

from __future__ import annotations

from dataclasses import replace

from metricatlas.populations.learners import builders
from metricatlas.populations.learners.differences import DIFFERENCES
from metricatlas.populations.learners.learner import Learner, Parameter
from metricatlas.populations.learners.types import TREE_TYPES

_CODED = (
    "what nominal attributes become: a column of 0 and 1 for each value (one column where there "
    "are two), or one column with the values in an order by the classes of the training rows"
)
ATTRIBUTES = Parameter("attributes", "boolean", _CODED, ("boolean", "original"))
TREE = (
    Parameter(
        "type",
        None,
        "one of the ten types of caruana2004, which sets criterion, pruning, smoothing, smallest, "
        "collapse and cut_cost",
        (None, *TREE_TYPES),
    ),
    ATTRIBUTES,
    Parameter("criterion", "entropy", "what a split makes smaller", ("entropy", "gini")),
    Parameter(
        "pruning",
        "pessimistic",
        "how the tree is pruned",
        ("none", "pessimistic", "cost-complexity-0se", "cost-complexity-1se", "description-length"),
    ),
    Parameter("smoothing", "none", "how counts become probabilities", ("none", "laplace", "bayes")),
    Parameter("smallest", 2, "how many rows a leaf must have", least=1, whole=True),
    Parameter(
        "collapse",
        default=True,
        words="whether subtrees that get no more training rows right become leaves first",
        choices=(True, False),
    ),
    Parameter(
        "cut_cost",
        default=True,
        words="whether a test must gain more than it costs to name one of so many cuts; where it "
        "does not, the node is a leaf",
        choices=(True, False),
    ),
    Parameter(
        "confidence",
        0.25,
        "how confident pessimistic pruning is: the less, the more it prunes",
        least=1e-6,
        greatest=0.5,
    ),
)
_OUTPUT = Parameter(
    "output",
    "logistic",
    "what votes become: their exponentials, as in Weka, or their shares",
    ("logistic", "votes"),
)
_STEPS = Parameter(
    "steps", 10, "how many models are boosted at most", least=1, whole=True, staged=True
)
_STUMP = Parameter(
    "criterion",
    "entropy",
    "what the cut of a stump is chosen by",
    ("entropy", "gini", "gain-ratio", "evidence", "error"),
)
_SCALES = ("none", "unit", "symmetric", "standard")
_SETTINGS = {name: each.settings for name, each in TREE_TYPES.items()}


def _with(parameters: tuple[Parameter, ...], **defaults: object) -> tuple[Parameter, ...]:
    """The same parameters with other defaults."""
    return tuple(
        replace(p, default=defaults[p.name]) if p.name in defaults else p for p in parameters
    )


_LEARNERS = (
    Learner(
        "tree",
        "A decision tree with pessimistic pruning, as C4.5.",
        TREE,
        builders.tree,
        types=_SETTINGS,
    ),
    Learner(
        "tree-unpruned-laplace",
        "A decision tree that is not pruned, its leaves smoothed after Laplace.",
        _with(TREE, pruning="none", smoothing="laplace"),
        builders.tree,
        types=_SETTINGS,
    ),
    Learner(
        "naive-bayes",
        "Naive Bayes with normal numbers and counted nominal values.",
        (),
        builders.naive_bayes,
    ),
    Learner(
        "logistic",
        "Logistic regression with hardly any ridge.",
        (Parameter("ridge", 1e-8, "what the squared coefficients count", least=1e-12),),
        builders.logistic,
    ),
    Learner(
        "perceptron",
        "A network of sigmoids with one hidden layer, trained by backpropagation row by row.",
        (
            Parameter(
                "hidden",
                "half",
                "how many hidden units; half of attributes and classes together",
                least=1,
                whole=True,
                names=("half",),
            ),
            Parameter(
                "epochs",
                500,
                "how often the rows are gone through",
                least=1,
                whole=True,
                staged=True,
            ),
            Parameter("rate", 0.3, "how far weights change", least=1e-9, greatest=1.0),
            Parameter(
                "momentum",
                0.2,
                "how much of the last change is made again",
                least=0.0,
                greatest=0.999,
            ),
            Parameter(
                "loss", "squared", "what training makes smaller", ("squared", "cross-entropy")
            ),
            Parameter("scale", "symmetric", "how attributes are scaled", _SCALES),
        ),
        builders.perceptron,
    ),
    Learner(
        "knn",
        "Nearest neighbours, and locally weighted averaging.",
        (
            Parameter("neighbours", 1, "how many count", least=1, whole=True, staged=True),
            Parameter(
                "weighting",
                "none",
                "whether neighbours count alike or by the inverse of their distance, or all rows "
                "count by a normal kernel: locally weighted averaging",
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
                "whether nominal values are alike or not and numbers fill 0 to 1, or all are "
                "columns of numbers, standardised",
                ("mixed", "boolean"),
            ),
            Parameter(
                "weights", "none", "what an attribute counts in a distance", ("none", "gain-ratio")
            ),
        ),
        builders.knn,
    ),
    Learner(
        "boosted-trees",
        "AdaBoost.M1 of decision trees.",
        (*TREE, _STEPS, _OUTPUT),
        builders.boosted_trees,
        types=_SETTINGS,
    ),
    Learner(
        "boosted-stumps",
        "AdaBoost.M1 of trees with one cut.",
        (ATTRIBUTES, _STUMP, _STEPS, _OUTPUT),
        builders.boosted_stumps,
    ),
    Learner(
        "bagged-trees",
        "Decision trees of bootstrap samples, averaged.",
        (*TREE, Parameter("trees", 25, "how many trees", least=1, whole=True)),
        builders.bagged_trees,
        types=_SETTINGS,
    ),
    Learner(
        "random-forest",
        "Trees of bootstrap samples that see few attributes at each split, averaged.",
        (
            Parameter("trees", 100, "how many trees", least=1, whole=True),
            replace(ATTRIBUTES, default="original"),
            Parameter("criterion", "entropy", "what a split makes smaller", ("entropy", "gini")),
            Parameter("smallest", 1, "how many rows a leaf must have", least=1, whole=True),
        ),
        builders.random_forest,
    ),
    Learner(
        "svm",
        "Support vector machines, each class against the rest, with scaled outputs.",
        (
            Parameter("cost", 1.0, "what errors cost", least=1e-12),
            Parameter("kernel", "linear", "the kernel", ("linear", "polynomial", "radial")),
            Parameter(
                "degree", 2, "the degree of a polynomial kernel", least=1, greatest=9, whole=True
            ),
            Parameter("width", 0.1, "the factor in a radial kernel", least=1e-12),
            Parameter(
                "scaling",
                "platt",
                "how outputs become probabilities",
                ("platt", "linear"),
                staged=True,
            ),
            Parameter("scale", "unit", "how attributes are scaled", _SCALES),
        ),
        builders.svm,
    ),
)

LEARNERS = tuple(replace(each, differences=DIFFERENCES[each.name]) for each in _LEARNERS)
