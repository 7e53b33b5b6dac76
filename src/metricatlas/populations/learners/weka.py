"""Weka's own learners through python-weka-wrapper3, on the same rows as all others."""

from __future__ import annotations

import shlex
from functools import cache
from importlib import import_module
from typing import Any, Self

import numpy as np

from metricatlas.errors import PopulationError
from metricatlas.populations.learners.attributes import Attributes
from metricatlas.populations.learners.estimators import Array, Classifier, normalised


class WekaModel(Classifier):
    """One of Weka's classifiers over a frame of attributes, with `classes` classes 0, 1, ...

    Attributes are as Weka has them: nominal values are those declared, and what is missing is
    missing. Java runs within the process from the first model on; a fitted model cannot leave it.

    Parameters
    ----------
    scheme
        Weka's name of the class, without ``weka.classifiers.``, and its options, as on Weka's
        command line.
    seeded
        Whether the scheme takes a seed, by ``-S``.
    """

    takes_one_class = True

    def __init__(
        self, *, classes: int, scheme: str, seeded: bool = False, random_state: int = 0
    ) -> None:
        self.classes = classes
        self.scheme = scheme
        self.seeded = seeded
        self.random_state = random_state

    def fit(self, X: Any, y: Array) -> Self:
        """Hand the training rows to Weka and let it build the model."""
        start()
        self.classes_ = np.arange(self.classes)
        self.attributes_ = Attributes(nominal="codes", missing="keep").fit(X)
        self.header_ = header(self.attributes_.sizes_, self.classes)
        self.model_ = classifier(self.scheme, self.random_state if self.seeded else None)
        rows = instances(self.header_, self.attributes_.transform(X), y)
        try:
            self.model_.buildClassifier(rows)
        except _java_error() as error:
            why = error.message()
            raise PopulationError(f"Weka cannot learn by {self.scheme}: {why}") from None
        return self

    def predict_proba(self, X: Any) -> Array:
        """Ask Weka for the distribution of each row."""
        matrix = self.attributes_.transform(X)
        rows = instances(self.header_, matrix, np.full(len(matrix), np.nan))
        found = [np.array(self.model_.distributionForInstance(row)) for row in rows]
        # Weka's forests subtract shares again: -5e-20 was seen. Of some rows Weka says nothing.
        shares = np.maximum(np.array(found, dtype=np.float64), 0.0)
        return normalised(shares.reshape(len(matrix), self.classes))


@cache
def start() -> None:
    """Start Java with Weka, once a process; say what is missing if that cannot be."""
    try:
        jpype, jvm = import_module("jpype"), import_module("weka.core.jvm")
    except ImportError:
        raise PopulationError(
            "Weka's learners need the extra `weka`: pip install 'metricatlas[weka]'. The learners "
            "without weka- in their names need nothing."
        ) from None
    if jpype.isJVMStarted():
        return
    jars: list[str] = []
    jvm.add_bundled_jars(jars)
    options = ("-Djava.awt.headless=true", "-Dweka.packageManager.loadPackages=false")
    try:
        jpype.startJVM(*options, classpath=jars, convertStrings=True)
    except (jpype.JVMNotFoundException, OSError) as error:
        raise PopulationError(
            f"Weka's learners need Java: install a JRE or let JAVA_HOME name one ({error})."
        ) from None
    _quiet()


@cache
def _quiet() -> Any:
    """Keep Weka's linear algebra from telling which native libraries it has not found."""
    logger = java("java.util.logging.Logger").getLogger("com.github.fommil.netlib")
    logger.setLevel(java("java.util.logging.Level").OFF)
    # Java forgets the level with the logger, so it is held.
    return logger


def java(name: str) -> Any:
    """One of Java's or Weka's classes."""
    return import_module("jpype").JClass(name)


def _java_error() -> Any:
    return import_module("jpype").JException


def version() -> str:
    """Say which version of Weka runs."""
    start()
    return str(java("weka.core.Version")().VERSION)


def header(sizes: list[int], classes: int) -> Any:
    """Declare attributes to Weka: numeric, or nominal with so many values; the class is last.

    Attributes and values are numbered, so that no name can disturb Weka.
    """
    attribute, array_list = java("weka.core.Attribute"), java("java.util.ArrayList")
    attributes = array_list()
    for i, size in enumerate([*sizes, classes]):
        if not size:
            attributes.add(attribute(f"a{i}"))
            continue
        values = array_list()
        for value in range(size):
            values.add(f"v{value}")
        attributes.add(attribute(f"a{i}", values))
    found = java("weka.core.Instances")("rows", attributes, 0)
    found.setClassIndex(found.numAttributes() - 1)
    return found


def instances(empty: Any, matrix: Array, target: Array) -> Any:
    """Hand rows to Weka: numbers and codes, NaN where something is missing."""
    jpype = import_module("jpype")
    dense, numbers = java("weka.core.DenseInstance"), jpype.JArray(jpype.JDouble)
    found = java("weka.core.Instances")(empty, len(matrix))
    for row in np.column_stack([matrix, target]):
        found.add(dense(1.0, numbers(row)))
    return found


def classifier(scheme: str, seed: int | None) -> Any:
    """Make an untrained classifier of a scheme and its options."""
    name, *options = shlex.split(scheme)
    if seed is not None:
        options = ["-S", str(seed % 2**31), *options]
    try:
        return java("weka.core.Utils").forName(
            java("weka.classifiers.Classifier").class_,
            f"weka.classifiers.{name}",
            options,
        )
    except _java_error() as error:
        raise PopulationError(f"Weka does not take {scheme!r}: {error.message()}") from None
