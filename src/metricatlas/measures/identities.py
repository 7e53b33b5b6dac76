"""What holds between measures whatever the predictions are: each identity once.

Both sides are expressions over the columns of a table, as pandas understands them:
``m.to_pandas().eval("2 * auc - 1")``. Names that are no words stand in backticks; ``c`` is the
number of classes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

    from metricatlas.measures.declaration import Task

#: What stands for the number of classes.
CLASSES = "c"
#: A name in backticks, or a word that is not called as a function.
_NAME = re.compile(r"`(.+?)`|\b([a-z]\w*)\b(?!\()")


class Identity(NamedTuple):
    """Two expressions that are equal wherever both are defined."""

    left: str
    right: str
    #: The task it holds for; None for any number of classes.
    task: Task | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The measures in it, as the language writes them."""
        found = [quoted or word for quoted, word in _NAME.findall(f"{self.left} {self.right}")]
        return tuple(dict.fromkeys(name for name in found if name != CLASSES))

    def sides(self, table: pd.DataFrame, classes: int) -> tuple[Any, Any]:
        """Both sides for every row of a table."""
        known = ({CLASSES: classes},)
        left, right = (table.eval(side, resolvers=known) for side in (self.left, self.right))
        return left, right


_DECISIONS = (
    Identity("error_rate", "1 - acc"),
    Identity("fnr", "1 - recall"),
    Identity("fpr", "1 - specificity"),
    Identity("fdr", "1 - ppv"),
    Identity("false_omission_rate", "1 - npv"),
    Identity("balanced_error_rate", "1 - balanced_accuracy"),
    Identity("balanced_accuracy", "`recall[macro]`"),
    Identity("informedness", "recall + specificity - 1"),
    Identity("markedness", "ppv + npv - 1"),
    Identity("acc", "`f1[micro]`", "multiclass"),
    Identity("acc", "`recall[weighted]`"),
    Identity("f1", "`fbeta[beta=1]`"),
    Identity("f1", "2 * ppv * recall / (ppv + recall)", "binary"),
    Identity("jaccard", "f1 / (2 - f1)", "binary"),
    Identity("gmean ** 2", "recall * specificity", "binary"),
    Identity("`recall[geometric]`", "gmean", "binary"),
    Identity("fowlkes_mallows ** 2", "ppv * recall", "binary"),
    Identity("mcc ** 2", "informedness * markedness", "binary"),
    Identity(
        "mcc ** 2",
        "chi_square / (true_positives + false_positives + false_negatives + true_negatives)",
        "binary",
    ),
    Identity("cramers_v", "abs(mcc)", "binary"),
    Identity("peirce_skill_score", "informedness", "binary"),
    Identity("adjusted_balanced_accuracy", "informedness", "binary"),
    Identity(
        "diagnostic_odds_ratio", "positive_likelihood_ratio / negative_likelihood_ratio", "binary"
    ),
    Identity("yule_q", "2 * yule_y / (1 + yule_y ** 2)", "binary"),
    Identity("discriminant_power", "3 ** 0.5 / arccos(-1) * log(diagnostic_odds_ratio)", "binary"),
    Identity("yule_q", "(diagnostic_odds_ratio - 1) / (diagnostic_odds_ratio + 1)", "binary"),
    Identity("`tversky[alpha=0.5,beta=0.5]`", "f1"),
    Identity("`tversky[alpha=1,beta=1]`", "jaccard"),
    Identity("kappa", "2 * gilbert_skill_score / (1 + gilbert_skill_score)", "binary"),
    Identity("bennett_s", "2 * acc - 1", "binary"),
    Identity("p4", "4 / (1 / ppv + 1 / recall + 1 / specificity + 1 / npv)", "binary"),
    Identity("roc_distance ** 2", "fpr ** 2 + fnr ** 2", "binary"),
    Identity(
        "krippendorff_alpha",
        "scott_pi + (1 - scott_pi) / "
        "(2 * (true_positives + false_positives + false_negatives + true_negatives))",
        "binary",
    ),
    Identity("kappa_linear", "kappa", "binary"),
    Identity("kappa_quadratic", "kappa", "binary"),
    Identity("confusion_matrix_entropy", "mutual_information + variation_of_information"),
    Identity("equivocation", "mutual_information * (1 / relative_classifier_information - 1)"),
)
_CUTS = (
    Identity("`informedness@ks` ** 2", "ks ** 2", "binary"),
    Identity("bep", "`ppv@bep`", "binary"),
    Identity("bep", "`recall@bep`", "binary"),
    Identity("capture", "`recall@top=25%`", "binary"),
    Identity("lift", "`ppv@top=25%` / prevalence", "binary"),
    Identity("`acc@0.5`", "acc", "binary"),
    Identity("`acc@-inf`", "prevalence", "binary"),
)
_RANKINGS = (
    Identity("gini", "2 * auc - 1"),
    Identity("auc", "`partial_auc[max_fpr=1]`", "binary"),
    Identity("auc", "`partial_auc_standardised[max_fpr=1]`", "binary"),
    Identity("`auc[ovr,uniform]`", "`partial_auc[max_fpr=1]`", "multiclass"),
    Identity("auc", "`auc[ovo,uniform]`"),
    Identity("auc", "`auc[ovr,prior]`", "binary"),
    Identity("auc", "auc_mu", "binary"),
    Identity("auc_prior_printed", "`auc[ovo,prior]` / 2", "binary"),
    Identity("auc_printed", "0.5 + 0 * auc"),
)
_PROBABILITIES = (
    Identity("brier_sum", "c * mse"),
    Identity("mae", "2 * (1 - mpr) / c"),
    Identity("brier", "mse", "binary"),
    Identity("brier", "brier_sum", "multiclass"),
    Identity("rms ** 2", "mse"),
    Identity("pauc", "mapr", "binary"),
    Identity("ranked_probability_score", "brier", "binary"),
    Identity("tjur_r2", "2 * mapr - 1", "binary"),
    Identity("log_loss_bits", "log_loss / log(2)"),
    Identity("log_loss_clipped_bits", "log_loss_clipped / log(2)"),
    Identity("macro_brier", "uncertainty - discrimination + miscalibration"),
    Identity("macro_brier", "uncertainty - resolution + reliability"),
    Identity("macro_log_loss", "uncertainty_log - discrimination_log + miscalibration_log"),
    Identity("macro_brier", "brier", "binary"),
    Identity("macro_log_loss", "log_loss", "binary"),
    Identity("brier_skill", "1 - brier / uncertainty", "binary"),
    Identity("d2_log_loss", "1 - log_loss / uncertainty_log", "binary"),
    Identity("ace", "ece_mass", "binary"),
    Identity("error_confidence", "confidence_when_wrong * error_rate"),
    Identity("error_confidence_squared", "squared_confidence_when_wrong * error_rate"),
    Identity("error_margin", "margin_when_wrong * error_rate"),
)
_CALIBRATIONS = (
    Identity(
        "calibration_loss_sum",
        "reliability * (true_positives + false_positives + false_negatives + true_negatives)",
        "binary",
    ),
    Identity(
        "calibration_loss_hull_sum",
        "calibration_loss_hull * "
        "(true_positives + false_positives + false_negatives + true_negatives)",
        "binary",
    ),
)
_COMPOSITES = (
    Identity("sar", "(acc + auc + 1 - rms) / 3", "binary"),
    Identity("`mean[acc,auc,rms]`", "sar", "binary"),
    Identity("`auc:acc`", "auc + 0.01 * acc"),
)

IDENTITIES = (*_DECISIONS, *_CUTS, *_RANKINGS, *_PROBABILITIES, *_CALIBRATIONS, *_COMPOSITES)
