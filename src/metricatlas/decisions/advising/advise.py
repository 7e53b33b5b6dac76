"""The door: which measures to select models with, and which to report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metricatlas.decisions.advising.advice import Advice
from metricatlas.decisions.advising.case import case_of
from metricatlas.decisions.advising.evidence import candidates, evidence, names_of
from metricatlas.decisions.advising.given import given_models
from metricatlas.decisions.advising.populations import Populations
from metricatlas.decisions.advising.reading import Models
from metricatlas.decisions.advising.shortlist import to_report, to_select
from metricatlas.errors import DecisionError
from metricatlas.measurements import Measurements
from metricatlas.worlds.simulation import check_repetitions

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.decisions.advising.case import Case
    from metricatlas.decisions.advising.reading import Related
    from metricatlas.evaluation.doors import Measures

#: Test sets where nothing else is said, and examples that all of them have together at most.
REPETITIONS, FEWEST_REPETITIONS, TOGETHER = 2_000, 200, 6_000_000
#: So many models must have been measured to say how measures are related.
FEWEST_MODELS = 10
#: Where half of the measures are wrong less often, models are too far apart to tell measures apart.
EASY = 0.01


def advise(
    y_true: object = None,
    predictions: object = None,
    *,
    n: int | None = None,
    prior: Any = None,
    classes: int | None = None,
    costs: object = None,
    probabilities: bool = False,
    threshold: str | float = "free",
    label_noise: float = 0.0,
    drift: bool | float = False,
    measures: Measures = None,
    measurements: Measurements | None = None,
    repetitions: int | None = None,
    seed: int = 0,
    labels: object = None,
    pos_label: object = None,
    **profile: Any,
) -> Advice:
    """Advise which measures to select models with, and which to report.

    Test sets like the user's are drawn, on which every measure picks one of two models of which one
    is better; its traits are probed, and what it makes of predictions that know nothing. Rules, a
    table that anyone can read, say what follows.

    Parameters
    ----------
    y_true, predictions
        Real predictions, as `evaluate` takes them, that worlds are to be like; of several models
        those of the one with the largest area under the ROC curve. Without them the words below say
        what data are like.
    n
        How many examples a test set has; by default 100, or as many as y_true.
    prior
        The share of positives, or of each class; by default 0.5, or as in y_true.
    classes
        How many there are, equally frequent unless prior says otherwise.
    costs
        A square matrix: what deciding for a class costs where the truth is another.
    probabilities
        Whether these are used as such, not for ranking or deciding only.
    threshold
        "free" while decisions can still be made at any; "fixed" at 0.5, or a number.
    label_noise
        The share of wrong labels.
    drift
        Whether class proportions will change; or the share of positives that may be lost (0.5).
    measures
        Candidates; None for all that serve these classes and say which value is better.
    measurements
        What the user's own models have been measured to be: `select` and `read` relate measures
        over these, not over models that are made.
    repetitions
        How many test sets there are; 2,000 by default, fewer if they are large.
    seed
        Of the random numbers.
    labels, pos_label
        As `evaluate` takes them.
    **profile
        What the two models are like, as in `simulate`: error or auc, gap, confidence, ties, shared.

    Returns
    -------
    Advice
        With the frames ``select``, ``report``, ``evidence`` and ``rules``; ``why_not(measure)`` and
        ``read(f, g)`` answer questions.

    Examples
    --------
    >>> import metricatlas as ma
    >>> advice = ma.advise(
    ...     n=300, prior=0.04, measures=["acc", "auc", "mcc"], repetitions=100, threshold="fixed"
    ... )
    >>> advice.select["measure"].tolist()
    ['mcc', 'auc']
    >>> advice.why_not("acc").select
    'refused'
    """
    given = given_models(y_true, predictions, labels=labels, pos_label=pos_label)
    said = {
        "n": n,
        "prior": prior,
        "classes": classes,
        "costs": costs,
        "probabilities": probabilities,
        "threshold": threshold,
        "label_noise": label_noise,
        "drift": drift,
    }
    case = case_of(given, said, profile)
    if repetitions is None:
        repetitions = _repetitions(case)
    check_repetitions(repetitions, seed)
    _check_measurements(measurements)
    found = candidates(case, measures)
    kept, table = evidence(case, found, repetitions, seed)
    models = Models(Populations(case.profile, seed), measurements)
    relations = models.related([candidate.measure for candidate in kept])
    rows: list[Any] = table.to_dict("records")
    for number, row in enumerate(rows):
        row["number"] = number
    return Advice(
        case,
        table,
        (to_select(case.fields, rows, relations.correlation), to_report(case.fields, rows)),
        relations,
        asked=names_of(kept),
        models=models,
        repetitions=repetitions,
        notes=_notes(case, relations, [one.name for one in found], table),
    )


def _repetitions(case: Case) -> int:
    """As many test sets as are drawn in some seconds."""
    numbers = int(case.profile.n) * (1 if case.profile.classes == 2 else case.profile.classes)
    return max(FEWEST_REPETITIONS, min(REPETITIONS, TOGETHER // numbers))


def _check_measurements(measurements: object) -> None:
    if measurements is None:
        return
    if not isinstance(measurements, Measurements):
        msg = (
            f"measurements must be Measurements, which `evaluate` returns and "
            f"`Measurements.from_frame` makes of a frame; got {type(measurements).__name__}."
        )
        raise DecisionError(msg)
    if len(measurements) < FEWEST_MODELS:
        msg = (
            f"measurements must be of {FEWEST_MODELS} models or more to say how measures are "
            f"related; got {len(measurements)}. Leave them out."
        )
        raise DecisionError(msg)


def _notes(case: Case, related: Related, found: list[str], table: pd.DataFrame) -> tuple[str, ...]:
    """What is to be said of the worlds, and of measures that are left out."""
    notes = []
    if case.given is not None and case.given.models > 1:
        notes.append(
            f"Worlds are like {case.given.model}, which has the largest area under the ROC curve "
            f"of {case.given.models} models."
        )
    kept = table["measure"].tolist()
    if table["wrong"].median() < EASY:
        notes.append(
            f"Half of the candidates are wrong on less than {EASY:.0%} of such test sets, so that "
            f"little tells them apart: gap={case.profile.gap:g} is large. Say a smaller one."
        )
    left = [name for name in found if name not in kept]
    if left:
        notes.append(f"Left out, since they decide at 0.5: {', '.join(left)}.")
    lacking = [name for name in kept if not related.has(name)]
    if lacking:
        notes.append(
            f"{len(lacking)} of {len(kept)} candidates are not among the measurements, so that "
            f"nobody knows what they repeat."
        )
    return tuple(notes)
