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
