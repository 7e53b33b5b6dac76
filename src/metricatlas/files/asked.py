"""What the user says about a file, and where that contradicts itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from metricatlas.errors import OptionError

#: The column that tells a file in the long form.
MODEL = "model"


@dataclass(frozen=True)
class Asked:
    """What the user says about a file."""

    truth: str
    groups: tuple[str, ...] = ()
    weight: str | None = None
    #: The models to read; empty for all.
    models: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    pos_label: str | None = None
    kind: str | None = None


def check_asked(asked: Asked) -> None:
    """Refuse options that contradict each other, whatever the file holds."""
    weight = () if asked.weight is None else (asked.weight,)
    roles = (asked.truth, *asked.groups, *weight)
    twice = [name for name, count in Counter(roles).items() if count > 1]
    if twice:
        msg = (
            f"one column must have one role; {', '.join(map(repr, twice))} got two of --truth, "
            f"--group and --weight. Leave one out."
        )
        raise OptionError(msg)
    for name in asked.ignore:
        if name in (*roles, *asked.models):
            msg = f"--ignore {name} and another option ask for the same column. Leave one out."
            raise OptionError(msg)
    if 0 < len(asked.labels) < 2 or len(set(asked.labels)) < len(asked.labels):
        names = ", ".join(map(repr, asked.labels))
        msg = (
            f"--labels must name two or more different classes; got {names}. Name all classes, as "
            f"in --labels low,middle,high."
        )
        raise OptionError(msg)
    if asked.pos_label is not None and len(asked.labels) > 2:
        msg = (
            f"--pos-label is for two classes; --labels names {len(asked.labels)}. Leave it out, or "
            f"ask for the class in the measure, as in 'recall[class=\"{asked.pos_label}\"]'."
        )
        raise OptionError(msg)
