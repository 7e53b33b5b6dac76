"""Frames of tests over folds that share their training examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.comparing.corrections import Correction, corrected
from metricatlas.decisions.datasets.corrected_t import CorrectedT, corrected_t
from metricatlas.decisions.datasets.crossed import differences, noise_of
from metricatlas.decisions.datasets.rank_tables import framed
from metricatlas.errors import DecisionError
from metricatlas.predictions.numbers import is_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from metricatlas.decisions.datasets.crossed import Crossed
    from metricatlas.summaries.facts import Array


def resampled_t_table(
    read: Crossed, test_share: Any, level: float, correction: Correction
) -> pd.DataFrame:
    """Return the corrected resampled t-test; see `Across.resampled_t`."""
    within = read.folds is not None and not read.of_folds
    rows: list[tuple[Any, ...]] = []
    for dataset, folds, share in _tests(read, test_share):
        start = (dataset,) if within else ()
        for contest, values in zip(read.contests, folds, strict=True):
            one, other = np.array(read.pairs).T
            apart = differences(values[:, one], values[:, other])
            test = corrected_t(apart, share, level, noise_of(values, 1))
            columns = (*test, corrected(test.p, correction))
            rows += [
                (*start, *named, *cells, len(values), share)
                for named, *cells in zip(
                    read.starts(contest), *(column.tolist() for column in columns), strict=True
                )
            ]
    head = "dataset " if within else ""
    fields = " ".join(CorrectedT._fields)
    return framed(rows, f"{head}measure model other {fields} p_corrected folds test_share")


def _tests(read: Crossed, test_share: Any) -> Iterator[tuple[Any, list[Array], float]]:
    """For each data set: its values by measure, folds by models, and the share that is tested."""
    if read.folds is None or read.of_folds:
        if any(len(values) > 1 for values in read.repeats):
            msg = (
                "the resampled t-test is over folds; there are several rows of a model and data "
                "set. Say in folds= of across() which key numbers the folds."
            )
            raise DecisionError(msg)
        count = None if read.folds is None else read.folds[0]
        share = _checked_share(test_share, count)
        yield None, [contest.values for contest in read.contests], share
        return
    for dataset, values, count in zip(read.datasets, read.repeats, read.folds, strict=True):
        share = _checked_share(test_share, count)
        columns = np.moveaxis(values, 2, 0)
        yield dataset, [c[~np.isnan(c).any(axis=1)] for c in columns], share


def _checked_share(asked: Any, folds: int | None) -> float:
    if asked is None and folds is not None and folds > 1:
        return 1 / folds
    if is_number(asked) and 0 < asked < 1:
        return float(asked)
    msg = (
        f"test_share must be the share of the examples that each fold tests on, between 0 and 1, "
        f"such as 0.1 of ten folds; got {asked!r}. folds= of across() counts two folds or more."
    )
    raise DecisionError(msg)
