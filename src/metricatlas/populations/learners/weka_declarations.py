"""Weka's own learners, with the settings of the studies."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from metricatlas.populations.learners.builders import pipeline, state
from metricatlas.populations.learners.learner import Learner, Parameter

if TYPE_CHECKING:
    from metricatlas.populations.learners.learner import Settings, Task

#: By the name without weka-: Weka's class, its options, and whether it takes a seed.
SCHEMES = {
    "tree": ("trees.J48", "-C 0.25 -M 2", False),
    "tree-unpruned-laplace": ("trees.J48", "-U -A -M 2", False),
    "naive-bayes": ("bayes.NaiveBayes", "", False),
    "logistic": ("functions.Logistic", "-R 1.0E-8 -M -1", False),
    "perceptron": ("functions.MultilayerPerceptron", "-L 0.3 -M 0.2 -N 500 -H a", True),
    "knn": ("lazy.IBk", "-K 1", False),
    "boosted-trees": ("meta.AdaBoostM1", "-I 10 -W weka.classifiers.trees.J48", True),
    "boosted-stumps": ("meta.AdaBoostM1", "-I 10 -W weka.classifiers.trees.DecisionStump", True),
    "bagged-trees": ("meta.Bagging", "-I 25 -W weka.classifiers.trees.J48", True),
    "random-forest": ("trees.RandomForest", "-I 100", True),
    "svm": (
        "functions.SMO",
        "-C 1.0 -N 0 -V 3 -M -calibrator weka.classifiers.functions.Logistic",
        False,
    ),
}


def build(name: str, task: Task, settings: Settings, seed: int) -> Any:
    """Build one of Weka's learners."""
    from metricatlas.populations.learners.weka import WekaModel

    scheme, _, seeded = SCHEMES[name]
    model = WekaModel(
        classes=len(task.classes),
        scheme=f"{scheme} {settings['options']}",
        seeded=seeded,
        random_state=state(seed),
    )
    return pipeline(task, model)


def _declared(name: str) -> Learner:
    scheme, options, _ = SCHEMES[name]
    words = "options as on Weka's command line, instead of the default ones; not the seed"
    return Learner(
        f"weka-{name}",
        f"Weka's own {scheme}.",
        (Parameter("options", options, words, text=True),),
        partial(build, name),
    )


WEKA_LEARNERS = tuple(_declared(name) for name in SCHEMES)
