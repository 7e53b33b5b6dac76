"""In what the learners differ from Weka's of the same names."""

from __future__ import annotations

from dataclasses import replace

from metricatlas.populations.learners.learner import Difference

_FILTERED = "meta.FilteredClassifier -F weka.filters.unsupervised.attribute.{} -W weka.classifiers."

#: Of every tree; where Weka can be told to do it our way, {} stands for its other options.
_TREES = (
    Difference(
        "the test that splits a node",
        "that with the best gain ratio, of those with no less than the mean gain",
        "that with the best gain: scikit-learn has no gain ratio",
    ),
    Difference(
        "nominal attributes",
        "a branch for each value",
        "a column of 0 and 1 for each value",
        _FILTERED.format("NominalToBinary") + "trees.J48 -- {}",
    ),
    Difference(
        "missing values",
        "the row goes down all branches, in parts",
        "the row goes where such rows were better off in training",
    ),
    Difference(
        "a cut through numbers that gains less than naming it costs",
        "another test is chosen, if there is one",
        "the node is a leaf",
    ),
    Difference(
        "where numbers are cut",
        "at a value of the training rows",
        "half way between two of them, in 32 bits",
        "trees.J48 {} -doNotMakeSplitPointActualValue",
    ),
    Difference(
        "how small a leaf may be",
        "two branches of a split have 2 rows",
        "all branches of a split have 2 rows",
    ),
)
_RAISING = Difference(
    "pruning",
    "a subtree may also rise into the place of its parent",
    "a subtree becomes a leaf or stays",
    "trees.J48 {} -S",
)
_CHANCE = Difference("chance", "Java's random numbers", "NumPy's")


def _with(options: str, *differences: Difference) -> tuple[Difference, ...]:
    return tuple(replace(each, as_ours=each.as_ours.format(options)) for each in differences)


def _in_ensembles(*differences: Difference) -> tuple[Difference, ...]:
    return tuple(replace(each, as_ours="") for each in differences)


DIFFERENCES = {
    "tree": _with("-C 0.25 -M 2", *_TREES, _RAISING),
    "tree-unpruned-laplace": _with("-U -A -M 2", *_TREES),
    "naive-bayes": (
        Difference(
            "numbers far above the mean",
            "their probability is taken from 1, and small ones are lost",
            "as exact as of those far below",
        ),
    ),
    "logistic": (
        Difference(
            "when to stop",
            "when no step makes the likelihood greater",
            "when its gradient is below 1e-6, or after 1000 steps",
        ),
        Difference(
            "three classes and more",
            "the ridge leaves out the last class",
            "the ridge counts all classes",
        ),
    ),
    "perceptron": (
        _CHANCE,
        Difference(
            "weights without bounds",
            "training starts again at half the rate",
            "cannot come about with scaled attributes",
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
        *_in_ensembles(*_TREES, _RAISING),
        Difference(
            "weights and the size of a leaf",
            "a leaf has 2 units of weight",
            "a leaf has 2 rows, whatever their weight",
        ),
    ),
    "boosted-stumps": (
        Difference(
            "missing values",
            "a third branch",
            "replaced by the mean or the most frequent value",
            _FILTERED.format("ReplaceMissingValues")
            + "meta.AdaBoostM1 -- -I 10 -W weka.classifiers.trees.DecisionStump",
        ),
    ),
    "bagged-trees": (*_in_ensembles(*_TREES, _RAISING), _CHANCE),
    "random-forest": (
        Difference(
            "nominal attributes",
            "a branch for each value",
            "one column, the values in an order by the classes of the training rows",
        ),
        Difference(
            "missing values",
            "the row goes down all branches, in parts",
            "the row goes where such rows were better off in training",
        ),
        _CHANCE,
    ),
    "svm": (
        Difference(
            "three classes and more",
            "each pair of classes, coupled (Hastie and Tibshirani)",
            "each class against the rest, brought to sum to 1",
        ),
        Difference(
            "the sigmoid of outputs",
            "logistic regression on classes of 0 and 1",
            "Platt's: the classes are smoothed",
        ),
        Difference("chance: the three parts for the sigmoid", "Java's random numbers", "NumPy's"),
    ),
}
