"""In what the learners differ from Weka's of the same names."""

from __future__ import annotations

from metricatlas.populations.learners.learner import Difference

_FILTERED = "meta.FilteredClassifier -F weka.filters.unsupervised.attribute.{} -W weka.classifiers."
_BINARY = _FILTERED.format("NominalToBinary")
_REPLACED = _FILTERED.format("ReplaceMissingValues")
_UNTIL = "until the likelihood rises no more, or 1000 steps"


def _of_trees(scheme: str, before: str = "") -> tuple[Difference, ...]:
    """What all trees share; `scheme` and `before` are Weka's, with an option of J48's between."""
    own = scheme.partition(" ")[2]

    def with_option(option: str) -> str:
        return f"{before} -- {option}" if before else f"{scheme} {option}"

    filtered = before or f"{scheme.split()[0]} -- {own}".removesuffix(" -- ")
    return (
        Difference(
            "the test that splits a node",
            "that with the best gain ratio, of those with no less than the mean gain",
            "that with the best gain; scikit-learn has no gain ratio",
        ),
        Difference(
            "nominal attributes",
            "a branch for each value",
            "a column of 0 and 1 for each value",
            _BINARY + filtered,
        ),
        Difference(
            "missing values",
            "the row goes down all branches, in parts",
            "the row goes where such rows were better off in training",
        ),
        Difference(
            "the gain of a cut through numbers",
            "less what it costs to name one of so many cuts",
            "as it is",
            with_option("-J"),
        ),
        Difference(
            "where numbers are cut",
            "at a value of the training rows",
            "half way between two of them, as a number of 32 bits",
            with_option("-doNotMakeSplitPointActualValue"),
        ),
        Difference(
            "how small a leaf may be",
            "two branches of a split have 2 rows",
            "all branches have 2 rows",
        ),
    )


_RAISING = Difference(
    "pruning",
    "a subtree also rises into the place of its parent",
    "a subtree becomes a leaf or stays",
    "trees.J48 -S",
)
_CHANCE = Difference("chance", "Java's random numbers", "NumPy's")

DIFFERENCES = {
    "tree": (*_of_trees("trees.J48"), _RAISING),
    "tree-unpruned-laplace": _of_trees("trees.J48 -U -A"),
    "naive-bayes": (
        Difference(
            "numbers far above the mean",
            "taken from 1, so that small probabilities are lost",
            "as exact as those far below",
        ),
    ),
    "logistic": (
        Difference("when to stop", "until no step makes the likelihood greater", _UNTIL),
        Difference(
            "three classes and more",
            "the ridge leaves out the last class",
            "the ridge counts all classes",
        ),
    ),
    "perceptron": (
        _CHANCE,
        Difference(
            "weights that grow without end",
            "training starts again with half the rate",
            "cannot come about: attributes are scaled and outputs are sigmoids",
        ),
    ),
    "knn": (
        Difference(
            "the range of numbers",
            "widens with every test row that is looked at",
            "is that of the training rows",
        ),
    ),
    "boosted-trees": (
        *_of_trees(
            "meta.AdaBoostM1 -I 10 -W weka.classifiers.trees.J48",
            "meta.AdaBoostM1 -- -I 10 -W weka.classifiers.trees.J48",
        ),
    ),
    "boosted-stumps": (
        Difference(
            "missing values",
            "a third branch",
            "replaced by the mean or the most frequent value",
            _REPLACED + "meta.AdaBoostM1 -- -I 10 -W weka.classifiers.trees.DecisionStump",
        ),
    ),
}
