"""The errors and warnings users meet: what must hold, what came, what to do."""

from __future__ import annotations


class MetricAtlasError(ValueError):
    """Root of every error that metricatlas raises on purpose."""


class PredictionError(MetricAtlasError):
    """Truth, predictions, weights or groups that cannot be evaluated as they came."""


class MeasureError(MetricAtlasError):
    """A measure that is unknown, badly written, or cannot be computed from these predictions."""


class RelationError(MetricAtlasError):
    """Measurements, or correlations, from which a relation cannot be worked out as it was asked."""


class WorldError(MetricAtlasError):
    """A synthetic world that cannot be as it was asked for."""


class PopulationError(MetricAtlasError):
    """A data set, a learner or a store of trained models that cannot serve as it was asked."""


class DecisionError(MetricAtlasError):
    """A comparison of models, or advice, that cannot be had as it was asked."""


class FileError(MetricAtlasError):
    """A file that cannot be read as predictions or measurements, or cannot be written."""


class OptionError(MetricAtlasError):
    """Options of the command line that cannot be understood, or that contradict each other."""


class UndefinedWarning(UserWarning):
    """Some cells of a table are undefined; ``Measurements.reason`` tells why."""
