"""Measures that the papers name and the language composes: one line each, nothing to compute."""

from __future__ import annotations

#: For each study its names and what they stand for.
COMPOSED: dict[str, dict[str, str]] = {
    "ferri2009": {
        "MFM": "f1[macro]",
        "MAvA": "recall[macro]",
        "MAvG": "recall[geometric]",
        "AUNU": "auc[ovr,uniform]",
        "AUNP": "auc[ovr,prior]",
        "AU1U": "auc[ovo,uniform]",
        "AU1P": "auc[ovo,prior]",
        # The printed formula, averaged over both classes of two as well.
        "CalB_printed": "calb_literal[macro]",
    },
    "seliya2009": {
        "KFPR": "fpr@ks",
        "KFNR": "fnr@ks",
        "KPPV": "ppv@ks",
        "KNPV": "npv@ks",
        "KACR": "acc@ks",
        "KFM": "f1@ks",
        "KGM": "gmean@ks",
        "BFM": "f1@best",
        "BGM": "gmean@best",
    },
    "huang2007": {"AUC:acc": "auc:acc"},
}
#: All of them, each name with its expression.
COMPOSITIONS: dict[str, str] = {
    name: expression for names in COMPOSED.values() for name, expression in names.items()
}

#: Other names of expressions that are no entries of their own.
SPELLINGS: dict[str, str] = {
    "f2": "fbeta[beta=2]",
    "f0.5": "fbeta[beta=0.5]",
    "f05": "fbeta[beta=0.5]",
    "f_half": "fbeta[beta=0.5]",
    "classwise_ece": "ece[macro]",
    # scikit-learn's scorers.
    "f1_macro": "f1[macro]",
    "f1_micro": "f1[micro]",
    "f1_weighted": "f1[weighted]",
    "jaccard_macro": "jaccard[macro]",
    "jaccard_micro": "jaccard[micro]",
    "jaccard_weighted": "jaccard[weighted]",
    "precision_macro": "ppv[macro]",
    "precision_micro": "ppv[micro]",
    "precision_weighted": "ppv[weighted]",
    "recall_macro": "recall[macro]",
    "recall_micro": "recall[micro]",
    "recall_weighted": "recall[weighted]",
    "roc_auc_ovo": "auc[ovo,uniform]",
    "roc_auc_ovr": "auc[ovr,uniform]",
    "roc_auc_ovr_weighted": "auc[ovr,prior]",
    # mlr3measures.
    "mauc_au1p": "auc[ovo,prior]",
    "mauc_au1u": "auc[ovo,uniform]",
    "mauc_aunp": "auc[ovr,prior]",
    "mauc_aunu": "auc[ovr,uniform]",
    # yardstick.
    "roc_aunp": "auc[ovr,prior]",
    "roc_aunu": "auc[ovr,uniform]",
}
