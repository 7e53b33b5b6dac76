"""The door to prediction files: one call from a path to what the evaluation takes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from metricatlas.files.alike import check_alike_classes
from metricatlas.files.asked import Asked, check_asked
from metricatlas.files.classes import Classes, read_labels, truth_labels
from metricatlas.files.contents import Part, PredictionFile, counted, number_groups
from metricatlas.files.long import is_long, read_long
from metricatlas.files.roles import Roles, find_roles
from metricatlas.files.source import read_source
from metricatlas.files.wide import read_wide

if TYPE_CHECKING:
    from metricatlas.files.column import Array


def read_prediction_file(path: str, asked: Asked) -> PredictionFile:
    """Read and understand a file; whatever is not clear is refused in words."""
    check_asked(asked)
    source = read_source(path)
    roles = find_roles(source, asked)
    truth = truth_labels(roles.truth)
    roles = replace(roles, truth=truth)
    labels = read_labels(asked.labels, truth, asked.pos_label) if asked.labels else None
    if labels is None:
        check_alike_classes(truth.distinct, truth.title)
    groups = number_groups(roles.groups)
    long = is_long(roles, truth, labels)
    if long:
        found = read_long(roles, truth, labels, asked, groups, source.name)
        classes, parts, notes = found.classes, found.parts, found.notes
    else:
        wide = read_wide(roles, labels, asked, source.name)
        own = None if groups is None else groups.codes
        part = Part(wide.classes.labels(truth), wide.models, roles.weight, own)
        classes, parts, notes = wide.classes, (part,), wide.notes
    return PredictionFile(
        name=source.name,
        rows=len(source.table),
        truth=truth.name,
        classes=classes,
        counts=_counts(classes, [part.truth for part in parts[: 1 if not long else None]]),
        parts=parts,
        groups=groups,
        long=long,
        weight=asked.weight,
        notes=(*roles.notes, *notes, *_of_weightless(roles)),
        text=source.text,
    )


def _counts(classes: Classes, truths: list[Array]) -> tuple[int, ...]:
    return tuple(sum(int(np.sum(truth == name)) for truth in truths) for name in classes.names)


def _of_weightless(roles: Roles) -> tuple[str, ...]:
    if not roles.weightless:
        return ()
    return (f"Left out: {counted(roles.weightless, 'row')} of weight 0.",)
