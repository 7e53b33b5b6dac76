"""The door: why two measures point in different directions for a pair of models."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from metricatlas.decisions.reasoning.experiments import Laboratory, left_out
from metricatlas.errors import DecisionError
from metricatlas.evaluation.doors import Measures, asked_measures, evaluated
from metricatlas.evaluation.task import Task
from metricatlas.measurements.columns import nearest
from metricatlas.measures.language import parse
from metricatlas.predictions import read_predictions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from metricatlas.measures.terms import Measure
    from metricatlas.summaries.facts import Array

#: The column of the models as they are.
AS_IT_IS = "as it is"
#: What is left when nothing that can be taken away explains it.
RANKING = "ranking"
#: What is left when some of it could not be tried.
UNKNOWN = "unknown"
TRIED = {"threshold", "calibration", "class weight"}
#: What is said where a measure has no direction.
UNDEFINED = "undefined"


def reasons(
    y_true: object,
    models: object,
    f: str | Measure | None = None,
    g: str | Measure | None = None,
    *,
    measures: Measures = None,
    **options: Any,
) -> pd.DataFrame:
    """Find out why measures prefer different ones of two models.

    Parameters
    ----------
    y_true
        The true labels.
    models
        A dict of two models, or a batch of two.
    f, g
        Two measures; without them all pairs of `measures` are looked at.
    measures
        Names, measures, mixed; None for all that fit.
    **options
        sample_weight, labels, pos_label, threshold, kind, as for `evaluate`.

    Returns
    -------
    DataFrame
        A row for each pair of measures of which one prefers the first model and the other the
        second: which one each prefers, and why; see `why`.

    Examples
    --------
    >>> import metricatlas as ma
    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> low = [0.01, 0.02, 0.03, 0.1, 0.12, 0.14, 0.2, 0.6]  # in perfect order, but too low
    >>> good = [0.1, 0.2, 0.3, 0.6, 0.4, 0.7, 0.8, 0.9]
    >>> found = ma.reasons(y, {"low": low, "good": good}, "auc", "acc")
    >>> found.loc[0, ["f_prefers", "g_prefers", "why"]].tolist()
    ['low', 'good', 'threshold or calibration']
    """
    import pandas as pd

    both = f is not None and g is not None
    if (f is None) != (g is None) or (both and measures is not None):
        msg = "reasons are for two measures, f and g, or for all pairs of measures=; ask for one."
        raise DecisionError(msg)
    asked: Any = (f, g) if both else measures
    table = direction_table(y_true, models, asked, **options)
    names = table.attrs["models"]
    titles, signs, lines = list(table.columns), table.to_numpy(), []
    for one, other in combinations(range(len(table)), 2):
        words = _why(titles, signs[one] * signs[other])
        if words not in ("", UNDEFINED):
            prefers = [names[0 if signs[i, 0] > 0 else 1] for i in (one, other)]
            lines.append((table.index[one], table.index[other], *prefers, words))
    return pd.DataFrame(lines, columns=["f", "g", "f_prefers", "g_prefers", "why"])


def direction_table(
    y_true: object, models: object, measures: Measures = None, **options: Any
) -> pd.DataFrame:
    """Which of two models every measure prefers, as they are and in every experiment.

    1 is the first model, -1 the second, 0 neither; undefined where the measure is. The columns say
    what was taken away: "threshold", "calibration", "class weight", and those together. What is
    left out because it makes no sense is in ``attrs["left_out"]``, the models in
    ``attrs["models"]``.

    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> low = [0.01, 0.02, 0.03, 0.1, 0.12, 0.14, 0.2, 0.6]
    >>> good = [0.1, 0.2, 0.3, 0.6, 0.4, 0.7, 0.8, 0.9]
    >>> table = direction_table(y, {"low": low, "good": good}, ["auc", "acc"])
    >>> table.loc["acc", ["as it is", "threshold"]].tolist()
    [-1.0, 1.0]
    """
    import pandas as pd

    table = evaluated(y_true, models, measures=measures, **_checked(options))
    blocks, keys = read_predictions(y_true, models, **options)
    if len(table) != 2 or len(blocks[0][1].truth) > 1:
        msg = (
            f"measures disagree about two models of the same examples; got {len(table)}, as a dict "
            f"or a batch. Choose two of them."
        )
        raise DecisionError(msg)
    given = asked_measures(measures)
    asked = tuple(map(parse, table.columns if given is None else given))
    tasks = [Task.of(block) for _, block in blocks]
    fitting = [i for i, m in enumerate(asked) if not any(task.objection(m) for task in tasks)]
    names = [table.columns[i] for i in fitting]
    laboratory = Laboratory(blocks, tuple(asked[i] for i in fitting))
    found = {_title(taken): signs for taken, signs in laboratory.directions().items()}
    frame = pd.DataFrame(found, index=pd.Index(names, name="measure"))
    frame.attrs = {"models": tuple(keys.columns["model"]), "left_out": left_out(blocks)}
    return frame


def why(table: pd.DataFrame, f: str, g: str) -> str:
    """Say why two measures of a table of directions disagree.

    The fewest things which, taken away together, leave the measures pointing in different
    directions no more: "threshold", "calibration", "class weight", or several with "and" between
    them; alternatives have "or" between them. "ranking" if none do: the models order the examples
    differently, and the measures mind different parts of that order. "unknown" if none do and not
    all could be tried: of several classes, and of labels, only class weights can. Empty if the
    measures do not disagree, "undefined" if one of them has no direction.
    """
    for name in (f, g):
        if name not in table.index:
            msg = f"there is no measure {name!r} in the table{nearest(name, list(table.index))}"
            raise DecisionError(msg)
    one, other = (table.to_numpy()[list(table.index).index(name)] for name in (f, g))
    return _why(list(table.columns), one * other)


def _why(titles: Sequence[str], products: Array) -> str:
    """The reason, from the products of two directions, that as they are first."""
    if np.isnan(products[0]):
        return UNDEFINED
    if products[0] >= 0:
        return ""
    solved = [title for title, x in zip(titles, products.tolist(), strict=True) if x >= 0]
    fewest = min(map(_size, solved), default=0)
    found = " or ".join(title for title in solved if _size(title) == fewest)
    return found or (RANKING if set(titles) >= TRIED else UNKNOWN)


def _title(taken: Sequence[str]) -> str:
    if not taken:
        return AS_IT_IS
    *first, last = taken
    return f"{', '.join(first)} and {last}" if first else last


def _size(title: str) -> int:
    """How many things are taken away."""
    return title.replace(" and ", ", ").count(", ") + 1


def _checked(options: dict[str, Any]) -> dict[str, Any]:
    known = ("sample_weight", "labels", "pos_label", "threshold", "kind")
    for name in options:
        if name not in known:
            raise DecisionError(f"there is no option {name!r}{nearest(name, known)}")
    return options
