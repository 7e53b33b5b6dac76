"""The signs in the formulas, and what they stand for where a measure's own text does not say it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metricatlas.measures.declaration import Declaration

_RATES = {
    "TP": "TP true positives",
    "FP": "FP false positives",
    "FN": "FN false negatives",
    "TN": "TN true negatives",
    "TPR": "TPR = TP / (TP + FN), the recall",
    "TNR": "TNR = TN / (TN + FP), the specificity",
    "FPR": "FPR = FP / (FP + TN), the false positive rate",
    "FNR": "FNR = FN / (FN + TP), the false negative rate",
    "PPV": "PPV = TP / (TP + FP), the precision",
    "NPV": "NPV = TN / (TN + FN), the negative predictive value",
    "DOR": "DOR the diagnostic odds ratio",
    "n": "n = TP + FP + FN + TN",
    "pi": r":math:`\pi` the number 3.14159...",
}
_MATRICES = {
    "C": "C_jk the mass of true class j that is decided k",
    "r": "r_k the mass of true class k",
    "q": "q_k the mass that is decided k",
    "s": "s all mass",
    "t": "t the mass on the diagonal, decided rightly",
    "j": "j a class",
    "k": "k a class",
    "N": "N the number of classes",
    "A": "A = t / s, the accuracy",
    "S": "S the classes that the truth holds",
    "c": "c_jk the cost of deciding k where the truth is j",
    "chi": r":math:`\chi^2` Pearson's statistic",
    "MCC": "MCC the Matthews correlation",
    "H": "H an entropy in bits",
    "T": "T the true class",
    "D": "D the decided class",
    "I": "I the mutual information",
    "i": "i an example",
    "m": "m the mass of all examples",
    "w": "w(i) is 1 where example i is decided wrongly and 0 elsewhere",
    "p": "p(i, k) the probability that example i gives to class k",
}
_RANKINGS = {
    "m": "m the mass of all examples, with an index that of a class (of two, 1 is the positive "
    "one) or a bin",
    "i": "i an example",
    "p": "p the probability of being positive, with a bar its mean",
    "y": "y 1 for a positive and 0 for a negative, with a bar the share of positives",
    "f": "f with a bar the share of positives",
    "b": "b a bin or segment",
    "w": "w a window of s neighbours in the order of the probabilities",
    "s": "s the scores",
    "t": "t a threshold, one of the scores",
    "P": "P the precision at a threshold",
    "R": "R the recall at a threshold",
    "pi": r":math:`\pi` the share of the positives, or of a class",
    "k": "k a class",
    "j": "j a class",
    "q": "q the number of classes that the truth holds",
    "S": "S the classes that the truth holds",
    "B": "B the number of bins",
    "TP": "TP true positives, TP_k those among the k highest scores",
    "TPR": "TPR the true positive rate",
    "FPR": "FPR the false positive rate",
    "mu": r":math:`\mu` the mean score of a class, 1 being the positives",
    "sigma": r":math:`\sigma^2` the variance of a class's scores",
    "F": "F_k(t) the share of class k with scores up to t, 1 being the positives",
    "UNC": "UNC the uncertainty",
    "AUC": "AUC the area under the ROC curve, AUC(j, k) that of class j against class k",
    "A": "A_x the partial area up to x",
    "E": "E the expected value",
}
_ROWS = {
    "m": "m the mass of all examples, m_j that of class j",
    "i": "i an example",
    "j": "j a class",
    "k": "k a class",
    "c": "c the number of classes",
    "p": "p(i, j) the probability that example i gives to class j, of two classes p_i that of the "
    "positive one; with a bar its mean",
    "y": "y_i the true class of example i, of two classes 1 or 0; with a bar its mean",
    "f": "f(i, j) is 1 where j is the true class of example i and 0 elsewhere",
    "q": "q the number of classes that the truth holds",
    "S": "S the classes that the truth holds",
    "pi": r":math:`\pi_j` the share of class j",
    "B": "B the Brier score, its squares added up over classes",
    "MSE": "MSE the mean squared error",
    "varepsilon": r":math:`\varepsilon` the parameter eps",
}
_PARTS = {
    "UNC": "UNC the uncertainty",
    "DSC": "DSC the discrimination",
    "REL": "REL the reliability",
    "LogLoss": "LogLoss the log loss in nats",
    "ACC": "ACC the accuracy",
    "AUC": "AUC the area under the ROC curve",
    "RMS": "RMS the root of the mean squared error",
    "m": "m the mass of all examples, m_b that of those with one probability",
    "b": "b the examples with one probability",
    "y": "y with a bar the share of positives, overall or among b",
}
#: By the summary that a formula reads its signs and what they stand for.
GLOSSARY: dict[str, dict[str, str]] = {
    "TwoByTwo": _RATES,
    "Confusion": _MATRICES,
    "Ranking": _RANKINGS,
    "Probabilities": _ROWS,
    "": _PARTS,
}
_MATH = re.compile(r"^\.\. math::(.*?)(?=\n\S|\Z)", re.DOTALL | re.MULTILINE)
_WORDS = re.compile(
    r"\\text\{[^}]*\}|\\mathrm\{(logit|rank|hull|acc)\}|\\(begin|end)\{\w+\}|\bd\\,|d(?=R)|\\[,;!]"
)
_SIGN = re.compile(r"\\[A-Za-z]+|[A-Z][A-Za-z]+|(?:prec|rec)G|[A-Za-z]")
#: What a formula defines on the spot: ``h(x) =``, ``d_j =``, ``s_k^2 =``, and what a sum runs over.
#: ``H(T, D) =`` says what the whole is, not what T and D are; ``Pr(y = 1)`` defines nothing.
_DEFINED = re.compile(
    r"(?!sum_)(?<![A-Za-z(])([A-Za-z]+)\}?(?:_\{?[\w+-]+\}?)?(?:\^2)?(?:\((\w)\))?\s*(?:&\s*)?="
)
_GREEK = {"pi", "alpha", "beta", "chi", "mu", "sigma", "varepsilon"}
#: These are words of the language as well as signs.
_ARTICLES = {"a", "A", "I"}
#: The s of "Cohen's" is not the sign s.
_POSSESSIVE = re.compile(r"'s\b")


def signs(declaration: Declaration) -> list[str]:
    """The signs in a measure's formula, each once."""
    found = _SIGN.findall(_WORDS.sub(" ", _formula(declaration)).replace("\\mathrm", ""))
    letters = [s.removeprefix("\\") for s in found if s[0] != "\\" or s[1:] in _GREEK]
    return list(dict.fromkeys(letters))


def unexplained(declaration: Declaration) -> list[str]:
    """The signs that neither the formula nor the text around it explains."""
    formula = _formula(declaration)
    defined = {name for found in _DEFINED.finditer(formula) for name in found.groups() if name}
    said = _MATH.sub("", declaration.doc).partition(">>> ")[0]
    text = _POSSESSIVE.sub("", f"{declaration.title} {said}")
    words = set(re.findall(r"[A-Za-z]+", text)) - _ARTICLES
    words |= set(re.findall(r":math:`(\w)`", said))
    return [s for s in signs(declaration) if s not in defined | words]


def explained(declaration: Declaration) -> list[str]:
    """What the signs stand for that the measure's own text does not explain, as such a text."""
    summary = declaration.summary
    known = GLOSSARY["" if summary is None else summary.__name__]
    return [known[s] for s in unexplained(declaration) if s in known]


def _formula(declaration: Declaration) -> str:
    return " ".join(_MATH.findall(declaration.doc))
