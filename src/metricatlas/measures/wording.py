"""What the brackets and the cut of a name say, in words: for titles, and as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metricatlas.measures.terms import Term

#: For a title, by reduction.
_REDUCED = {
    ("macro",): "mean over classes",
    ("weighted",): "mean over classes, weighted by their shares",
    ("micro",): "counts of all classes added up",
    ("geometric",): "geometric mean over classes",
    ("top",): "of the most probable class",
    ("ovr", "uniform"): "each class against the rest, equal weights",
    ("ovr", "prior"): "each class against the rest, weighted by its share",
    ("ovo", "uniform"): "ordered pairs of classes, equal weights",
    ("ovo", "prior"): "ordered pairs of classes, weighted by the share of the first",
}
_IN_TURN = "Each class that the truth holds is set against all others in turn"
_IN_PAIRS = "Each class that the truth holds is set against each other, by the scores of the first"
_REDUCED_SENTENCES = {
    ("macro",): f"{_IN_TURN}: the mean of these values.",
    ("weighted",): f"{_IN_TURN}: the mean of these values, weighted by the shares of the classes.",
    # Classes that are decided only are mistakes too.
    ("micro",): "Each class is set against all others in turn: the formula of their counts, added "
    "up.",
    ("geometric",): f"{_IN_TURN}: the geometric mean of these values, 0 as soon as one of them is.",
    ("top",): "Of each row only the most probable class counts: its probability is the score, and "
    "the row is positive where it is the true class.",
    ("ovr", "uniform"): f"{_IN_TURN}: the mean of these values.",
    ("ovr", "prior"): f"{_IN_TURN}: the mean of these values, weighted by the shares of the "
    "classes.",
    ("ovo", "uniform"): f"{_IN_PAIRS}: the mean over these ordered pairs.",
    ("ovo", "prior"): f"{_IN_PAIRS}: the mean over these ordered pairs, weighted by the share of "
    "the first.",
}
#: For a title, by the kind of a cut.
_CUT = {
    "at": "cut at {}",
    "ks": "cut where the KS statistic is largest",
    "bep": "cut at the break-even point",
    "prevalence": "cut at the share of positives",
    "own": "at its best cut",
    "best": "at the best cut for {}",
    "fpr": "cut at a false positive rate of at most {}",
    "tpr": "cut at a true positive rate of at least {}",
    "top": "the highest {} positive",
}
_CUT_SENTENCES = {
    "at": "Scores above {} are decided positive.",
    "ks": "The cut is where the KS statistic is largest, the lowest of equal ones.",
    "bep": "As many are decided positive as there are positives, so that precision equals recall; "
    "ties at the cut count in proportion.",
    "prevalence": "Scores above the share of positives are decided positive.",
    "own": "The cut is the one that is best for the measure itself, the lowest of equal ones.",
    "best": "The cut is the one that is best for {}, the lowest of equal ones.",
    "fpr": "The cut is the lowest with a false positive rate of at most {}.",
    "tpr": "The cut is the highest with a true positive rate of at least {}.",
    "top": "The highest {} are decided positive; ties at the cut count in proportion.",
}


def title(term: Term) -> str:
    """The title of the declaration, and what the brackets and the cut make of it."""
    added = [_reduced(term), _cut(term, _CUT)]
    said = "; ".join(filter(None, added))
    return f"{term.declaration.title} ({said})" if said else term.declaration.title


def sentences(term: Term) -> list[str]:
    """What the brackets and the cut do, a sentence each; none where there are none."""
    of_class = term.reduction[:1] == ("class",)
    found = [
        f"Class {term.reduction[1]} is the positive one, all others together are the negative one."
        if of_class
        else _REDUCED_SENTENCES.get(term.reduction, ""),
        _cut(term, _CUT_SENTENCES),
        "Each class has a cut of its own."
        if term.point and term.point.kind != "at" and term.reduction and not of_class
        else "",
    ]
    return [sentence for sentence in found if sentence]


def _reduced(term: Term) -> str:
    if term.reduction[:1] == ("class",):
        return f"of class {term.reduction[1]}"
    return _REDUCED.get(term.reduction, "")


def _cut(term: Term, words: dict[str, str]) -> str:
    point = term.point
    if point is None:
        return ""
    if point.kind == "best" and point.value is None:
        return words["own"]
    return words[point.kind].format(point.value_written)
