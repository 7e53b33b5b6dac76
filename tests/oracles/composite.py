"""Answers for measures over measures: the parts from scikit-learn."""

import numpy as np
from sklearn.metrics import accuracy_score

from oracles.case import Oracle
from oracles.probability import squared
from oracles.ranking import ovo, roc_auc


def sar(case):
    if len(np.unique(case.y)) < 2:
        return np.nan
    accuracy = accuracy_score(case.y, case.decided, sample_weight=case.weight)
    return (accuracy + ovo(roc_auc)(case) + 1 - np.sqrt(squared(case))) / 3


ORACLES = {
    "sar": Oracle(
        sar,
        "scikit-learn accuracy_score, roc_auc_score and mean_squared_error",
        weighted=True,
        multiclass=True,
    ),
}
