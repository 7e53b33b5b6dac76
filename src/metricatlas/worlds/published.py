"""Table 1 of ferri2009: which traits a change of which influences its 18 measures."""

#: Threshold, calibration, ranking, class frequencies, by the codes of the paper's text. Its ninth
#: row repeats the label AU1p of the seventh; it stands where the text has AUNP.
TABLE_1: dict[str, tuple[str, str, str, str]] = {
    "Acc": ("yes", "no", "no", "yes"),
    "KapS": ("yes", "no", "no", "yes"),
    "MFM": ("yes", "no", "no", "partially"),
    "MAvA": ("yes", "no", "no", "no"),
    "MAvG": ("yes", "no", "no", "no"),
    "AU1U": ("no", "no", "yes", "no"),
    "AU1P": ("no", "no", "yes", "yes"),
    "AUNU": ("no", "no", "yes", "no"),
    "AUNP": ("no", "no", "yes", "yes"),
    "SAUC": ("no", "yes", "yes", "no"),
    "PAUC": ("no", "yes", "yes", "no"),
    "MAPR": ("no", "yes", "yes", "no"),
    "MPR": ("no", "yes", "yes", "yes"),
    "MAE": ("no", "yes", "yes", "yes"),
    "MSE": ("no", "yes", "yes", "yes"),
    "LogL": ("no", "yes", "yes", "yes"),
    "CalL": ("no", "yes", "yes", "no"),
    "CalB": ("no", "yes", "yes", "yes"),
}
