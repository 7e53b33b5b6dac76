"""What builds each learner: the preprocessing it needs and the model, in one pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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

    original = settings["attributes"] == "original"
    return Attributes(nominal="ordered" if original else "boolean", missing="keep")


def _tree(task: Task, settings: Settings, seed: int) -> Any:
    from metricatlas.populations.learners.trees import Tree

    names = ("criterion", "pruning", "smoothing", "smallest", "collapse", "confidence")
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
