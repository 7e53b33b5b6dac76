"""What builds each learner: the preprocessing it needs and the model, in one pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from metricatlas.populations.learners.learner import Settings, Task


def pipeline(task: Task, model: Any, preparation: Any = None) -> Any:
    """Put a model behind its preprocessing; both learn where the pipeline does."""
    from sklearn.pipeline import Pipeline

    from metricatlas.populations.learners.classes import EveryClass

    steps = [("attributes", preparation)] if preparation is not None else []
    return Pipeline([*steps, ("model", EveryClass(model, tuple(task.classes)))])


def state(seed: int) -> int:
    """Return the seed as scikit-learn takes it: 32 bits, spread evenly."""
    import numpy as np

    return int(np.random.SeedSequence(seed).generate_state(1)[0])


def tree(task: Task, settings: Settings, seed: int) -> Any:
    """A decision tree."""
    return pipeline(task, _tree(task, settings, seed), tree_attributes(settings))


def tree_attributes(settings: Settings) -> Any:
    """What trees see of the attributes; scikit-learn's trees take what is missing."""
    from metricatlas.populations.learners.attributes import Attributes

    return Attributes(nominal=_coding(settings), missing="keep")


def _coding(settings: Settings) -> Literal["ordered", "boolean"]:
    return "ordered" if settings["attributes"] == "original" else "boolean"


def _tree(task: Task, settings: Settings, seed: int) -> Any:
    from metricatlas.populations.learners.trees import Tree

    names = ("criterion", "pruning", "smoothing", "smallest", "collapse", "cut_cost", "confidence")
    given = {name: settings[name] for name in names}
    return Tree(classes=len(task.classes), random_state=state(seed), **given)


def naive_bayes(task: Task, _settings: Settings, _seed: int) -> Any:
    """Naive Bayes, which has neither parameters nor chance."""
    from metricatlas.populations.learners.naive_bayes import NaiveBayes

    return pipeline(task, NaiveBayes(len(task.classes)))


def logistic(task: Task, settings: Settings, seed: int) -> Any:
    """Logistic regression."""
    from metricatlas.populations.learners.attributes import Attributes
    from metricatlas.populations.learners.linear import Logistic

    preparation = Attributes(missing="replace", scale="standard")
    return pipeline(task, Logistic(ridge=settings["ridge"], random_state=state(seed)), preparation)


def knn(task: Task, settings: Settings, _seed: int) -> Any:
    """Nearest neighbours, without chance."""
    from metricatlas.populations.learners.neighbours import Neighbours

    return pipeline(task, Neighbours(**settings))


def perceptron(task: Task, settings: Settings, seed: int) -> Any:
    """A network with one hidden layer."""
    from metricatlas.populations.learners.attributes import Attributes
    from metricatlas.populations.learners.networks import Network

    network = Network(
        classes=len(task.classes), random_state=state(seed), **_without_scale(settings)
    )
    return pipeline(task, network, Attributes(missing="zero", scale=settings["scale"]))


def boosted_trees(task: Task, settings: Settings, seed: int) -> Any:
    """AdaBoost.M1 of trees."""
    from metricatlas.populations.learners.ensembles import Boosting

    model = Boosting(
        model=_tree(task, settings, seed), steps=settings["steps"], output=settings["output"]
    )
    return pipeline(task, model, tree_attributes(settings))


def boosted_stumps(task: Task, settings: Settings, _seed: int) -> Any:
    """AdaBoost.M1 of stumps, which knows no chance."""
    from metricatlas.populations.learners.attributes import Attributes
    from metricatlas.populations.learners.ensembles import Boosting
    from metricatlas.populations.learners.stumps import Stump

    stump = Stump(classes=len(task.classes), criterion=settings["criterion"])
    model = Boosting(model=stump, steps=settings["steps"], output=settings["output"])
    return pipeline(task, model, Attributes(nominal=_coding(settings), missing="replace"))


def bagged_trees(task: Task, settings: Settings, seed: int) -> Any:
    """Trees of bootstrap samples."""
    from metricatlas.populations.learners.ensembles import Bagging

    model = Bagging(
        model=_tree(task, settings, seed), trees=settings["trees"], random_state=state(seed)
    )
    return pipeline(task, model, tree_attributes(settings))


def random_forest(task: Task, settings: Settings, seed: int) -> Any:
    """A random forest by scikit-learn."""
    from sklearn.ensemble import RandomForestClassifier

    attributes = len(task.features.columns)
    forest = RandomForestClassifier(
        n_estimators=settings["trees"],
        criterion=settings["criterion"],
        min_samples_leaf=settings["smallest"],
        max_features=min(attributes, int(attributes).bit_length()),
        random_state=state(seed),
    )
    return pipeline(task, forest, tree_attributes(settings))


def svm(task: Task, settings: Settings, seed: int) -> Any:
    """Support vector machines."""
    from metricatlas.populations.learners.attributes import Attributes
    from metricatlas.populations.learners.machines import Machine

    machine = Machine(random_state=state(seed), **_without_scale(settings))
    return pipeline(task, machine, Attributes(missing="replace", scale=settings["scale"]))


def _without_scale(settings: Settings) -> Settings:
    return {name: value for name, value in settings.items() if name != "scale"}
