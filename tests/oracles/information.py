"""Answers for entropies: SciPy, and the definitions of CEN and MCEN term by term."""

import math

import numpy as np
from scipy.stats import entropy
from sklearn.metrics import accuracy_score, matthews_corrcoef

from oracles.case import Oracle


def confusion_entropy(case, *, modified=False):
    """Return equations 1 to 6 of Wei et al. 2010; modified, those of Delgado and Nunez 2019."""
    matrix, classes = case.matrix, range(case.classes)
    base = 2 * (case.classes - 1)
    constant = (0.5 if case.classes == 2 else 1.0) if modified else 0.0
    mass = 2 * matrix.sum() - constant * np.trace(matrix)
    total = 0.0
    for j in classes:
        around = matrix[j].sum() + matrix[:, j].sum() - (matrix[j, j] if modified else 0)
        for k in classes:
            if k != j:
                shares = [cell / around for cell in (matrix[j, k], matrix[k, j]) if cell > 0]
                total -= around / mass * sum(x * math.log(x, base) for x in shares)
    return total


def transformed_mcc(case):
    accuracy = accuracy_score(case.y, case.decided, sample_weight=case.weight)
    if (case.y == case.decided).all():
        return 0.0 if len(np.unique(case.y)) > 1 else np.nan
    correlation = matthews_corrcoef(case.y, case.decided, sample_weight=case.weight)
    logarithm = math.log(1 - accuracy, 2 * case.classes - 2)
    return (1 - correlation) * (1 - logarithm) * (1 - 1 / case.classes)


def truth(case):
    return entropy(case.matrix.sum(axis=1), base=2)


def decision(case):
    return entropy(case.matrix.sum(axis=0), base=2)


def joint(case):
    return entropy(case.matrix.ravel(), base=2)


def mutual(case):
    """Return the divergence of the matrix from the product of its margins."""
    product = np.outer(case.matrix.sum(axis=1), case.matrix.sum(axis=0))
    return entropy(case.matrix.ravel(), product.ravel(), base=2)


def normalised(case):
    both = truth(case) + decision(case)
    return 2 * mutual(case) / both if both > 0 else np.nan


def relative(case):
    return mutual(case) / truth(case) if truth(case) > 0 else np.nan


def every(value, source):
    return Oracle(value, source, weighted=True, multiclass=True)


ORACLES = {
    "cen": every(confusion_entropy, "Wei et al. 2010, term by term"),
    "mcen": every(
        lambda case: confusion_entropy(case, modified=True),
        "Delgado and Nunez-Gonzalez 2019, term by term",
    ),
    "tmcc": every(transformed_mcc, "scikit-learn matthews_corrcoef and accuracy_score"),
    "mutual_information": every(mutual, "SciPy entropy, relative"),
    "normalised_mutual_information": every(normalised, "SciPy entropy, relative and plain"),
    "relative_classifier_information": every(relative, "SciPy entropy, relative and plain"),
    "equivocation": every(lambda case: joint(case) - decision(case), "SciPy entropy"),
    "confusion_matrix_entropy": every(joint, "SciPy entropy"),
    "variation_of_information": every(
        lambda case: 2 * joint(case) - truth(case) - decision(case), "SciPy entropy"
    ),
}
