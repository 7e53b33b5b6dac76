"""Which scores of which models are no probabilities, for messages about models of a dict."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.predictions.containers import read_column, read_table
from metricatlas.predictions.inputs import Input
from metricatlas.predictions.labels import settled
from metricatlas.predictions.values import as_models, told
from metricatlas.predictions.weights import read_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def whose(predictions: Mapping[Any, object], names: Iterable[Any], sample_weight: object) -> str:
    """The models of these names: of each how many scores lie outside [0, 1], and the first."""
    kept = None
    if sample_weight is not None:
        kept = read_weights(read_column(sample_weight, "sample_weight"))[0]
    models = [_one(Input(f"predictions[{n!r}]", kept), predictions[n]) for n in names]
    more = f"; and {len(models) - 3} more" if len(models) > 3 else ""
    return f" They are those of {'; '.join(models[:3])}{more}."


def _one(what: Input, prediction: object) -> str:
    values = settled(what.pick(as_models(read_table(prediction, what.title), what.title)), what)
    if values.dtype.kind != "f":
        return what.title
    wrong = (values < 0) | (values > 1)
    if not wrong.any():
        return what.title
    first = told(float(values.flat[int(np.argmax(wrong))]))
    return f"{what}, {int(wrong.sum())} outside [0, 1], the first, {first}, in {what.first(wrong)}"
