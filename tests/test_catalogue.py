"""The catalogue: what is in it, how it is searched, and what holds between its measures."""

import contextlib
import re
import warnings
from collections import defaultdict

import numpy as np
import pytest
from worlds import HEAVY, limits, value_for, world, worlds

import metricatlas as ma
from metricatlas.cli.description import description, details
from metricatlas.errors import MeasureError
from metricatlas.measures.declaration import Declaration, declarations
from metricatlas.measures.identities import IDENTITIES
from metricatlas.measures.notation import GLOSSARY, unexplained
from metricatlas.measures.references import REFERENCES
from metricatlas.measures.terms import Measure

FERRI = "Acc KapS MFM MAvA MAvG AUNU AUNP AU1U AU1P SAUC PAUC MAPR MPR MAE MSE LogL CalL CalB"
CARUANA = "ACC FSC LFT AUC APR BEP RMS MXE CAL SAR"
SELIYA = (
    "AUC BRI LGS KSS DVG BFM BGM DFPR DFNR DPPV DNPV DACR DFM DGM "
    "KFPR KFNR KPPV KNPV KACR KFM KGM PRC"
)
GREEK = ("alpha", "beta", "epsilon", "mu", "pi", "sigma", "chi")
STUDIES = {
    "ferri2009": (18, FERRI.split()),
    "caruana2004": (10, CARUANA.split()),
    "seliya2009": (22, SELIYA.split()),
    "jurman2010": (3, ["MCC", "CEN", "tMCC"]),
    "huang2007": (4, ["AUC", "Acc", "RMS", "AUC:acc"]),
}


@pytest.mark.parametrize("study", STUDIES)
def test_all_measures_of_a_study_are_found_by_its_name(study):
    count, codes = STUDIES[study]
    found = ma.catalogue.find(source=study)
    assert len({ma.catalogue[code] for code in codes}) == count
    assert not {code for code in codes if ma.catalogue[code] not in found}
    for code in codes:
        assert study in ma.catalogue.sources(code), code


def test_the_search_narrows_with_everything_that_is_said():
    everything = ma.catalogue.find()
    assert everything == list(ma.catalogue.values())
    labels = ma.catalogue.find(needs="labels")
    scores = ma.catalogue.find(needs="scores")
    assert {m.needs for m in labels} == {"labels"}
    assert {m.needs for m in scores} == {"labels", "scores"}
    assert ma.catalogue.find(needs="probabilities") == everything
    assert ma.catalogue["vus"] not in ma.catalogue.find(task="binary")
    assert ma.catalogue["tjur_r2"] not in ma.catalogue.find(task="multiclass")
    both = ma.catalogue.find(source="seliya2009", needs="labels", task="binary")
    assert {m.name for m in both} == {"acc", "fpr", "fnr", "ppv", "npv", "f1", "gmean"}
    assert {m.family for m in ma.catalogue.find(family="cost")} == {"cost"}


@pytest.mark.parametrize(
    "asked", [{"source": "smith2020"}, {"family": "x"}, {"needs": "luck"}, {"task": "regression"}]
)
def test_a_search_for_what_there_is_not_says_what_there_is(asked):
    ((key, value),) = asked.items()
    with pytest.raises(MeasureError, match=rf"{key} must be one of .*; got '{value}'"):
        ma.catalogue.find(**asked)


def test_the_catalogue_is_a_mapping_that_understands_the_whole_language():
    assert len(ma.catalogue) == len(list(ma.catalogue)) == len(set(ma.catalogue))
    assert "f1" in ma.catalogue
    assert "recall[class='a']@fpr=1%" in ma.catalogue
    assert "Matthews" not in ma.catalogue
    assert 5 not in ma.catalogue
    assert ma.catalogue.get("Matthews") is None
    assert ma.catalogue.get("MCC") == ma.catalogue["mcc"]
    assert ma.catalogue[ma.catalogue["mcc"]] == ma.catalogue["mcc"]
    assert "measures: see .table() or .find()" in repr(ma.catalogue)


def test_aliases_belong_to_the_measure_they_stand_for_and_to_no_other():
    assert "precision" in ma.catalogue.aliases("ppv")
    assert ma.catalogue.aliases("ppv@ks") == ("KPPV",)
    assert ma.catalogue.aliases("ppv[macro]") == ("precision_macro",)
    assert ma.catalogue.aliases("tnr[macro]") == ()
    assert ma.catalogue.aliases("MFM") == ("MFM", "f1_macro")
    assert ma.catalogue.sources("ppv@0.3") == ()
    assert ma.catalogue.sources("acc:auc") == ("huang2007",)


def test_the_table_tells_everything_about_every_measure():
    table = ma.catalogue.table()
    assert list(table.index) == list(ma.catalogue)
    row = table.loc["mcc"]
    assert (row["better"], row["low"], row["high"], row["needs"]) == ("higher", -1, 1, "labels")
    assert (row["chance"], row["tasks"], row["on_request"]) == (0, "binary multiclass", False)
    assert table.loc["ppv@ks", "aliases"] == "KPPV"
    assert table.loc["ppv@ks", "sources"] == "seliya2009"
    assert table.loc["fbeta", "parameters"] == "beta"
    assert table.loc["auc:acc", "two_level"]
    assert list(table.index[table["on_request"]]) == [
        "calibration_slope",
        "calibration_intercept",
        "ici",
    ]
    assert (table["low"] <= table["high"]).all()
    assert not table["title"].isin(["", None]).any()
    assert "<table" in ma.catalogue._repr_html_()


@pytest.mark.parametrize(("classes", "task"), [(2, "binary"), (3, "multiclass")])
def test_a_measure_is_for_the_tasks_that_it_says_and_for_no_other(classes, task):
    w = world(1, 30, classes)
    claimed = {m.name for m in ma.catalogue.find(task=task)}
    served = set()
    for name, measure in ma.catalogue.items():
        given = {p: value_for(p, classes) for p in measure.missing}
        with contextlib.suppress(MeasureError):
            w.evaluate([measure.using(**given) if given else measure])
            served.add(name)
    assert served == claimed


def test_a_cut_that_may_be_missing_is_among_the_reasons():
    assert ma.catalogue["ppv@ks"].reasons == (
        "There is no cut @ks.",
        "Nothing is decided positive.",
    )
    assert ma.catalogue["f1@0.3"].reasons == ma.catalogue["f1"].reasons


def test_every_measure_cites_something_and_every_reference_is_cited():
    ours = [d for d in declarations().values() if d.family != "own"]
    assert {key for d in ours for key in (*d.cites, *d.sources)} == set(REFERENCES)
    assert not [d.name for d in ours if not d.cites and not d.of]


def test_every_measure_explains_itself_with_a_formula():
    for declaration in declarations().values():
        assert declaration.title, declaration.name
        assert ".. math::" in declaration.doc, declaration.name


def test_every_sign_in_a_formula_is_explained_beside_it_or_in_the_glossary():
    for declaration in declarations().values():
        summary = "" if declaration.summary is None else declaration.summary.__name__
        assert not set(unexplained(declaration)) - set(GLOSSARY[summary]), declaration.name


def test_an_owner_a_sum_and_an_equation_explain_signs_as_they_should():
    def own_share_of_many_by_whom(c: ma.Confusion):
        r"""Smith's share.

        .. math:: H(T, D) = \frac{1}{s} \sum_{k=1}^N g(k), \quad g(x) = x \log x, \quad d_j = r_j
        """
        return c.correct / c.total

    made = Declaration("own_share", own_share_of_many_by_whom, bounds=(0, 1), better="higher")
    assert unexplained(made) == ["H", "T", "D", "s", "N", "j", "r"]


_MASS = "s all mass"


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("kappa kappa_linear kappa_quadratic scott_pi krippendorff_alpha gwet_ac1", [_MASS]),
        ("cramers_v pearson_contingency goodman_kruskal_lambda chi_square", [_MASS]),
        ("confusion_matrix_entropy", ["H an entropy in bits", "T the true class"]),
        ("auc", ["scores s"]),
        ("auc_printed", ["p(i, j) is the probability", "examples i of class j"]),
        ("log_loss_clipped", ["ε is the parameter eps"]),
        ("sauc", ["the positives i", "the negatives t"]),
        ("calibration_loss_hull_mean", ["a segment s_b"]),
        ("auc_mu", ["probabilities p_j and p_k"]),
        ("vus", ["probability p(·, j)"]),
        ("error_margin margin_when_wrong", ["the decided class k", "the true"]),
        ("h_measure", ["Beta(2, 1/π)", "and L_0 that of"]),
        ("divergence", ["μ the mean score", "σ² the variance"]),
        ("cramers_v pearson_contingency", ["χ² Pearson's statistic"]),
        ("sar", ["AUC the area under the ROC curve"]),
        ("calibration_slope", ["y 1 for a positive"]),
    ],
)
def test_the_page_explains_the_signs_that_it_shows(names, said):
    for name in names.split():
        text = " ".join(description(ma.catalogue[name]).split())
        assert not [words for words in said if words not in text], (name, text)


@pytest.mark.parametrize(
    ("name", "false"),
    [
        ("sauc", "t a threshold"),
        ("ap_eleven", "k a class"),
        ("calibration_loss_hull_mean", "s the scores"),
        ("auc_mu", "being positive"),
        ("vus", "being positive"),
        ("kappa", "where there is a j"),
    ],
)
def test_the_page_explains_no_sign_by_another_that_looks_like_it(name, false):
    assert false not in " ".join(description(ma.catalogue[name]).split())


def test_greek_letters_are_the_same_in_the_formula_and_in_the_text():
    for name, measure in ma.catalogue.items():
        told = details(measure)
        letters = dict(zip("αβεμπσχ", GREEK, strict=True))
        spelled = {letters[x] for formula in told["formula"] for x in formula if x in letters}
        parameters = {word.split()[0] for word in told["parameters"]}
        words = set(re.findall(r"[a-z]+", told["meaning"]))
        assert not (spelled - parameters) & words, name


def test_every_entry_of_the_glossary_is_for_some_formula():
    used = defaultdict(set)
    for d in declarations().values():
        used["" if d.summary is None else d.summary.__name__] |= set(unexplained(d))
    for summary, entries in GLOSSARY.items():
        assert set(entries) <= used[summary], set(entries) - used[summary]


# -- Identities ----------------------------------------------------------------------------------


CASES = [
    pytest.param(identity, classes, id=f"{identity.left} = {identity.right}, {classes} classes")
    for identity in IDENTITIES
    for classes in (2, 3, 4)
    if identity.task in (None, "binary" if classes == 2 else "multiclass")
]


@pytest.mark.parametrize(("identity", "classes"), CASES)
def test_an_identity_holds_on_whatever_predictions(identity, classes):
    informative = 0
    counting = any(ma.catalogue[name].counts_rows for name in identity.names)
    for w in [*limits(classes), *worlds(classes)]:
        if counting and w.w is not None and w.w.sum() > HEAVY:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ma.UndefinedWarning)
            frame = w.evaluate(identity.names).to_pandas()
        left, right = (np.float64(side.iloc[0]) for side in identity.sides(frame, classes))
        if np.isfinite(left) and np.isfinite(right):
            informative += 1
            assert left == pytest.approx(right, rel=1e-9, abs=1e-12), w.name
    assert informative >= 6


def test_identities_name_measures_in_their_canonical_spelling():
    for identity in IDENTITIES:
        for name in identity.names:
            assert name in ma.catalogue, (identity, name)


@pytest.mark.parametrize("asked", [{"source": ["ferri2009"]}, {"family": 3}, {"needs": {"labels"}}])
def test_what_cannot_be_found_is_refused(asked):
    with pytest.raises(MeasureError, match=r"must be one of .* Ask for one at a time"):
        ma.catalogue.find(**asked)


@pytest.mark.parametrize("name", ["auc:acc", "mean[acc,auc]"])
def test_a_measure_made_of_others_has_no_parameters_of_its_own(name):
    measure = ma.catalogue[name]
    assert measure.using() is measure
    with pytest.raises(MeasureError, match=r"has no parameters of its own; got x\. Give th"):
        measure.using(x=1)


def test_every_measure_says_everything_of_itself():
    said = ["aliases", "better", "bounds", "chance", "family", "missing", "name", "needs", "parts"]
    for name in (*ma.catalogue, "mean[acc,auc]"):
        for what in (*said, "title", "sources", "counts_rows", "on_request"):
            getattr(ma.catalogue[name], what)
    with pytest.raises(TypeError, match="abstract"):
        Measure()


@pytest.mark.parametrize("few", [0, 5_000], ids=["scan form", "array form"])
def test_the_terms_of_a_score_add_up_for_every_class_and_on_average(few, monkeypatch):
    monkeypatch.setattr("metricatlas.summaries.fill.FEW", few)
    squares = "uncertainty discrimination miscalibration reliability resolution"
    logs = "uncertainty_log discrimination_log miscalibration_log"
    names = f"macro_brier {squares} macro_log_loss {logs}".split()
    for w in worlds(4):
        whole = w.evaluate(names).values[0]
        by_class = [
            ma.evaluate(w.y == j, w.p[:, j], measures=names, sample_weight=w.w).values[0]
            for j in np.unique(w.y)
        ]
        for values in (whole, *by_class):
            brier, loss = values[:6], values[6:]
            assert brier[0] == pytest.approx(brier[1] - brier[2] + brier[3], abs=1e-12)
            assert brier[0] == pytest.approx(brier[1] - brier[5] + brier[4], abs=1e-12)
            assert loss[0] == pytest.approx(loss[1] - loss[2] + loss[3], abs=1e-12)
        np.testing.assert_allclose(whole, np.mean(by_class, axis=0), rtol=1e-12, atol=1e-13)
